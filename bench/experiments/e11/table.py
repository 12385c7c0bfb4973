# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of the copula study beside the published ones, and draws its two figures, from e11.csv and e12.csv.

    python table.py [FOLDER]            tables to stdout; e12-calibration.svg and e12-cost.svg into FOLDER"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from common import holm, load, mean, sd, wilcoxon  # noqa: E402
from plot import COLOURS, Chart, write  # noqa: E402

ORDER = ["bal-st-grboost", "ds-st-grboost", "st-ensemble", "st-grboost"]
RATES, SIZES = ("0.05", "0.1", "0.2"), (100, 1000, 10000)
# Published, by (rate, n), in the order above.
GMEAN = {("0.05", 100): (.29, .51, .52, .46), ("0.05", 1000): (.57, .81, .83, .68), ("0.05", 10000): (.85, .88, .89, .88),
         ("0.1", 100): (.37, .66, .70, .52), ("0.1", 1000): (.66, .79, .81, .75), ("0.1", 10000): (.83, .84, .85, .85),
         ("0.2", 100): (.61, .72, .76, .69), ("0.2", 1000): (.81, .84, .85, .83), ("0.2", 10000): (.86, .86, .87, .86)}
AUC = {("0.05", 100): (.66, .55, .57, .77), ("0.05", 1000): (.90, .89, .91, .92), ("0.05", 10000): (.95, .95, .96, .95),
       ("0.1", 100): (.74, .73, .78, .78), ("0.1", 1000): (.88, .88, .90, .90), ("0.1", 10000): (.92, .92, .93, .93),
       ("0.2", 100): (.84, .81, .85, .84), ("0.2", 1000): (.93, .92, .93, .93), ("0.2", 10000): (.94, .94, .95, .94)}
RATES_OF = {100: ((.15, .97, .89), (.65, .68, .68), (.70, .71, .71), (.30, .94, .88)),
            1000: ((.46, .95, .90), (.80, .79, .79), (.83, .80, .80), (.61, .92, .89)),
            10000: ((.79, .88, .87), (.85, .83, .83), (.87, .84, .84), (.86, .84, .84))}
CURVES = ["st-grboost", "bal-st-grboost", "ds-st-grboost", "st-ensemble", "st-ensemble-avg"]
WITH_AVG = ["bal-st-grboost", "ds-st-grboost", "st-ensemble-avg", "st-ensemble", "st-grboost"]
BIAS = {("0.05", 100): (.02, .43, .43, .42, -.04), ("0.05", 1000): (.00, .22, .20, .17, -.03),
        ("0.05", 10000): (.09, .15, .15, .12, -.01), ("0.1", 100): (-.03, .28, .28, .23, -.07),
        ("0.1", 1000): (.02, .19, .18, .16, -.04), ("0.1", 10000): (.14, .18, .17, .13, -.00),
        ("0.2", 100): (-.05, .20, .18, .15, -.08), ("0.2", 1000): (.02, .12, .12, .10, -.03),
        ("0.2", 10000): (.11, .13, .12, .09, -.00)}
BRIER = {("0.05", 100): (.06, .32, .29, .44, .05), ("0.05", 1000): (.04, .16, .13, .18, .04),
         ("0.05", 10000): (.06, .10, .09, .12, .03), ("0.1", 100): (.09, .23, .20, .28, .09),
         ("0.1", 1000): (.08, .16, .15, .19, .07), ("0.1", 10000): (.09, .12, .11, .15, .06),
         ("0.2", 100): (.13, .20, .17, .23, .13), ("0.2", 1000): (.09, .12, .11, .15, .08),
         ("0.2", 10000): (.09, .10, .10, .13, .07)}
BIAS_CLASS = {100: ((-.79, .06), (-.36, .36), (-.34, .34), (-.29, .29), (-.86, .02)),
              1000: ((-.52, .08), (-.22, .23), (-.19, .22), (-.16, .20), (-.67, .03)),
              10000: ((-.27, .18), (-.21, .22), (-.20, .22), (-.12, .16), (-.56, .06))}
BS_CLASS = {100: ((.71, .02), (.25, .23), (.21, .20), (.28, .28), (.81, .01)),
            1000: ((.41, .04), (.15, .16), (.12, .15), (.16, .19), (.57, .01)),
            10000: ((.14, .09), (.10, .12), (.10, .11), (.12, .15), (.41, .02))}


def two(x):
    """.81, -.04; a dash for what isn't there."""
    return "-" if x != x else f"{x:.2f}".replace("0.", ".", 1) if abs(x) < 1 else f"{x:.2f}"


class Fits:
    def __init__(self, lines):
        self.by = {}
        for f in lines:
            self.by.setdefault((f"{f['rate']:g}", int(f["n"]), f["method"]), {})[int(f["run"])] = f

    def mean(self, rate, n, method, what):
        return mean([f[what] for f in self.by.get((rate, n, method), {}).values()])

    def runs(self, rate, n):
        return max((len(v) for (r, m, _), v in self.by.items() if (r, m) == (rate, n)), default=0)

    def mark(self, rate, n, what):
        """A star for each method whose difference to st-grboost stays after Holm's correction."""
        base, p = self.by.get((rate, n, "st-grboost"), {}), []
        for method in ORDER[:-1]:
            mine = self.by.get((rate, n, method), {})
            both = [k for k in mine if k in base]
            p.append(wilcoxon([mine[k][what] - base[k][what] for k in both]) if both else 1.0)
        return dict(zip(ORDER, ["*" if q < 0.05 else "" for q in holm(p)] + [""]))


def averages(fits, what, title, published, out):
    out.write(f"\n{title}. Ours, in brackets published; * differs from st-grboost (Wilcoxon, Holm, 5 %)\n\n"
              "| rate | n | runs | " + " | ".join(ORDER) + " | gb | the truth itself |\n|" + "---|" * (len(ORDER) + 5) + "\n")
    for rate in RATES:
        for n in SIZES:
            if not fits.runs(rate, n):
                continue
            star = fits.mark(rate, n, what)
            cells = [f"{two(fits.mean(rate, n, m, what))}{star[m]} ({two(x)})" for m, x in zip(ORDER, published[rate, n])]
            truth = two(fits.mean(rate, n, "st-grboost", "truth_auc")) if what == "auc" else ""
            out.write(f"| {rate} | {n} | {fits.runs(rate, n)} | " + " | ".join(cells) +
                      f" | {two(fits.mean(rate, n, 'gb', what))} | {truth} |\n")


def best(fits, out):
    out.write("\ng-mean at the best threshold of each test set: what is left of the differences when no threshold is at fault\n\n"
              "| rate | n | " + " | ".join(ORDER) + " | gb |\n|" + "---|" * (len(ORDER) + 3) + "\n")
    for rate in RATES:
        for n in SIZES:
            if fits.runs(rate, n):
                out.write(f"| {rate} | {n} | " + " | ".join(two(fits.mean(rate, n, m, "gmean_best")) for m in ORDER + ["gb"]) + " |\n")


def by_class(fits, whats, title, published, methods, out):
    out.write(f"\n{title}, rate 0.1. Ours, in brackets published\n\n| n | " +
              " | ".join(f"{m} {' '.join(whats)}" for m in methods) + " |\n|" + "---|" * (len(methods) + 1) + "\n")
    for n in SIZES:
        if fits.runs("0.1", n):
            out.write(f"| {n} | " + " | ".join(
                " ".join(f"{two(fits.mean('0.1', n, m, w))} ({two(x)})" for w, x in zip(whats, values))
                for m, values in zip(methods, published[n])) + " |\n")


def probabilities(fits, out):
    out.write("\nBias and Brier score. Ours, in brackets published; then ours after the prior is put right\n\n| rate | n | "
              + " | ".join(WITH_AVG) + " | ds corrected | avg corrected | sum corrected | bal corrected |\n|" + "---|" * 11 + "\n")
    for rate in RATES:
        for n in SIZES:
            if not fits.runs(rate, n):
                continue
            cells = [f"{two(fits.mean(rate, n, m, 'bias'))} ({two(b)}), {two(fits.mean(rate, n, m, 'bs'))} ({two(s)})"
                     for m, b, s in zip(WITH_AVG, BIAS[rate, n], BRIER[rate, n])]
            cells += [f"{two(fits.mean(rate, n, m + ' corrected', 'bias'))}, {two(fits.mean(rate, n, m + ' corrected', 'bs'))}"
                      for m in ("ds-st-grboost", "st-ensemble-avg", "st-ensemble", "bal-st-grboost")]
            out.write(f"| {rate} | {n} | " + " | ".join(cells) + " |\n")


def cost_of_fits(fits, out):
    out.write("\nSeconds of training, mean, and standard deviation of the g-mean\n\n| rate | n | " +
              " | ".join(ORDER + ["gb"]) + " |\n|" + "---|" * (len(ORDER) + 3) + "\n")
    for rate in RATES:
        for n in SIZES:
            if fits.runs(rate, n):
                out.write(f"| {rate} | {n} | " + " | ".join(
                    f"{fits.mean(rate, n, m, 'seconds'):.1f}, "
                    f"{two(sd([f['gmean'] for f in fits.by.get((rate, n, m), {}).values()]))}"
                    for m in ORDER + ["gb"]) + " |\n")


def figures(lines, folder):
    sizes = sorted({int(f["n"]) for f in lines if f["rate"] == 0.1})
    charts = []
    for row in ("", " corrected"):
        for n in sizes:
            c = Chart(f"n = {n}{',' + row if row else ''}", "predicted probability", "share of positives", marks=True, least=0, most=1)
            for method in ["st-grboost"] * (not row) + [m + row for m in ("bal-st-grboost", "ds-st-grboost", "st-ensemble", "st-ensemble-avg")]:
                points = [(f["p"], f["y"]) for f in lines if f["what"] == "calibration" and f["rate"] == 0.1
                          and f["n"] == n and f["method"] == method and f["rows"] >= 20]
                if points:
                    name = method.replace(row, "")
                    c.line(name, points, colour=COLOURS[CURVES.index(name)])
            c.line("right", [(0, 0), (1, 1)], colour="#999")
            charts.append(c)
    if charts:
        write(os.path.join(folder, "e12-calibration.svg"), charts, columns=len(sizes))
    charts = []
    for n in [1000] if 1000 in sizes else sizes[:1]:
        for key, y in (("p", "cost per 1000 cases"), ("y", "cases looked at")):
            c = Chart(f"rate 0.1, n = {n}", "square root of the cost of looking at a case", y, least=0)
            for method in ("truth", "st-grboost", "bal-st-grboost", "ds-st-grboost", "st-ensemble", "ds-st-grboost corrected", "gb"):
                points = [(f["x"] ** 0.5, f[key]) for f in lines if f["what"] == "cost" and f["rate"] == 0.1 and f["n"] == n
                          and f["method"] == method]
                if points:
                    c.line(method, points, colour="#000" if method == "truth" else None)
            charts.append(c)
    if charts:
        write(os.path.join(folder, "e12-cost.svg"), charts, columns=2)


def show(folder, out):
    lines = load(os.path.join(folder, "e11.csv"))
    fits = Fits(lines)
    out.write(f"{int(lines[0]['features'])} columns\n")
    by_class(fits, ["tpr", "tnr", "pa"], "Share found, share of negatives left alone, share right (table 3.4)", RATES_OF, ORDER, out)
    averages(fits, "gmean", "g-mean (table 3.5)", GMEAN, out)
    best(fits, out)
    averages(fits, "auc", "AUC (table 3.6)", AUC, out)
    probabilities(fits, out)
    by_class(fits, ["bias1", "bias0"], "Bias among positives and negatives (table 3.8)", BIAS_CLASS, WITH_AVG, out)
    by_class(fits, ["bs1", "bs0"], "Brier score among positives and negatives (table 3.9)", BS_CLASS, WITH_AVG, out)
    cost_of_fits(fits, out)
    figures(load(os.path.join(folder, "e12.csv")), folder)


if __name__ == "__main__":
    show(sys.argv[1] if len(sys.argv) > 1 else HERE, sys.stdout)
