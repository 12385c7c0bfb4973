# SPDX-License-Identifier: Apache-2.0
"""E11 and E12: balanced boosting on the copula (a thesis on fraud after Blagus and Lusa 2017, tables 3.4 to 3.9, figures 3.5
and 3.8).

    python run.py BUILD WORK [--minutes 60] [--runs 100] [--features 10000] [--n 100,1000,10000] [--rates 0.05,0.1,0.2]
                             [--methods NAME[=SPEC],...] [--intercept-rows 1000000] [--threads 2] [--draw SEED] [--out FOLDER] [--add]

BUILD is a build folder (libscarce.a, scarce.pc). --draw: other coefficients than those of the rate (1000 times it); takes a WORK
of its own. Runs go round robin over the nine settings, the cheapest first, until the
minutes are over; every finished fit is a file of WORK, so the same command goes on where it was. Whenever it ends it writes
e11.csv (a line per setting, run and method) and e12.csv (calibration and cost) and prints the tables; `table.py` prints them
again from those two files. --add: settings (rate and n) of which WORK has nothing stay in the two files as they are. Standard library only."""
import argparse
import csv
import math
import os
import subprocess
import sys
import time

import table

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
METHODS = {"st-grboost": "st-grboost", "bal-st-grboost": "bal-st-grboost", "ds-st-grboost": "ds-st-grboost",
           "st-ensemble": "st-ensemble", "gb": "gb"}
MEMBERS = 10  # of st-ensemble: its score is the sum of theirs, so their mean needs no other fit
BINS = 10
COSTS = [(i / 40) ** 2 for i in range(41)]


def build(folder, work):
    """The driver, linked with the library of the build folder."""
    program = os.path.join(work, "study")
    with open(os.path.join(folder, "scarce.pc")) as f:
        private = next((line.split(":", 1)[1].split() for line in f if line.startswith("Libs.private:")), [])
    subprocess.run(["cc", "-std=c11", "-O2", "-D_GNU_SOURCE", "-I" + os.path.join(ROOT, "include"), "-o", program,
                    os.path.join(HERE, "study.c"), os.path.join(folder, "libscarce.a"), *private, "-ldl"], check=True)
    return program


def intercept(program, rate, features, rows, work, threads, draw):
    """Of rows of their own, once for each rate."""
    path = os.path.join(work, f"intercept_{rate}_{features}")
    if not os.path.exists(path):
        out = subprocess.run([program, work, rate, "64", str(features), "0", f"rows={rows}", str(threads), draw], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
        with open(path, "w") as f:
            f.write(out)
    with open(path) as f:
        return f.read().strip()


def sigmoid(z):
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


def probabilities(method, score):
    """As the method itself has them. Scores of the study's methods are half the log-odds, those of gb the whole."""
    return [sigmoid(s if method == "gb" else 2 * s) for s in score]


def corrected(p, share):
    """Equation 2.21: the odds of balanced rows times those of all rows."""
    return [x * share / (x * share + (1 - x) * (1 - share)) for x in p]


def auc(p, label):
    order = sorted(zip(p, label))
    wins, below, i = 0.0, 0, 0
    while i < len(order):
        j = i
        while j < len(order) and order[j][0] == order[i][0]:
            j += 1
        positives = sum(y for _, y in order[i:j])
        wins += positives * (below + 0.5 * (j - i - positives))
        below += j - i - positives
        i = j
    n1 = sum(label)
    return wins / (n1 * (len(label) - n1)) if 0 < n1 < len(label) else math.nan


def average_precision(p, label):
    order = sorted(zip(p, label), reverse=True)
    seen = hits = i = 0
    total = 0.0
    while i < len(order):
        j = i
        while j < len(order) and order[j][0] == order[i][0]:
            j += 1
        new = sum(y for _, y in order[i:j])
        hits, seen, i = hits + new, seen + (j - i), j
        total += new * hits / seen
    return total / hits if hits else math.nan


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else math.nan


def best_gmean(p, label):
    """At the threshold that suits these very rows best: what remains when nobody's threshold is at fault."""
    n1 = sum(label)
    n0, hits, alarms, best = len(label) - n1, 0, 0, 0.0
    order = sorted(zip(p, label), reverse=True)
    for i, (x, y) in enumerate(order):
        hits, alarms = hits + y, alarms + 1 - y
        if n0 and n1 and (i + 1 == len(order) or order[i + 1][0] < x):
            best = max(best, math.sqrt(hits / n1 * (n0 - alarms) / n0))
    return best


def judge(p, label, truth, threshold):
    hit = [x > threshold for x in p]
    tpr = mean(h for h, y in zip(hit, label) if y)
    tnr = mean(not h for h, y in zip(hit, label) if not y)
    out = {"tpr": tpr, "tnr": tnr, "pa": mean(h == bool(y) for h, y in zip(hit, label)), "gmean": math.sqrt(tpr * tnr),
           "gmean_best": best_gmean(p, label), "auc": auc(p, label), "ap": average_precision(p, label), "truth_auc": auc(truth, label)}
    for name, keep in (("", None), ("1", 1), ("0", 0)):
        rows = [(x, y) for x, y in zip(p, label) if keep is None or y == keep]
        out["bias" + name] = mean(x - y for x, y in rows)
        out["bs" + name] = mean((x - y) ** 2 for x, y in rows)
    return out


def read(path):
    with open(path) as f:
        words = f.readline().split()
        rows = [[float(v) for v in r] for r in csv.reader(f) if r[0] != "label"]
    label, truth, score = zip(*rows)
    return float(words[2]), float(words[4]), [int(y) for y in label], list(truth), list(score)


def variants(name, share, score):
    """(name, probabilities, threshold) of a fit: also the ensemble's mean, and each with its prior put right."""
    p = probabilities(name, score)
    balanced = name in ("bal-st-grboost", "ds-st-grboost", "st-ensemble")
    yield name, p, 0.5 if balanced else share
    if name == "st-ensemble":
        p = probabilities(name, [s / MEMBERS for s in score])
        yield "st-ensemble-avg", p, 0.5
        yield "st-ensemble-avg corrected", corrected(p, share), share
        p = probabilities(name, score)
    if balanced:
        yield name + " corrected", corrected(p, share), share


def kept(path, lines):
    """Lines of the file whose setting is not among the new ones."""
    if not os.path.exists(path):
        return []
    new = {(str(f["rate"]), str(f["n"])) for f in lines}
    with open(path, newline="") as f:
        return [line for line in csv.DictReader(f) if (line["rate"], line["n"]) not in new]


def collect(work, features, out, add):
    """e11.csv and e12.csv of all fits that are there."""
    lines, bins, costs = [], {}, {}
    for setting in sorted(os.listdir(work)):
        if not setting.startswith(f"p{features}_"):
            continue
        rate, n, run = setting.split("_")[1][1:], int(setting.split("_")[2][1:]), int(setting.split("_")[3][1:])
        told = False
        for name in METHODS:
            path = os.path.join(work, setting, name + ".csv")
            if not os.path.exists(path):
                continue
            share, seconds, label, truth, score = read(path)
            for variant, p, threshold in variants(name, share, score):
                lines.append(dict({"features": features, "rate": rate, "n": n, "run": run, "method": variant,
                                   "share": share, "seconds": seconds}, **judge(p, label, truth, threshold)))
                add_bins(bins, (rate, n, variant), p, label)
                add_costs(costs, (rate, n, variant), p, label)
            if not told:
                add_bins(bins, (rate, n, "truth"), truth, label)
                add_costs(costs, (rate, n, "truth"), truth, label)
                told = True
    more = [
        dict(zip(("rate", "n", "method"), key), what="calibration", x=i, p=b[1] / b[0], y=b[2] / b[0], rows=b[0])
        for key, cells in bins.items() for i, b in enumerate(cells) if b[0]] + [
        dict(zip(("rate", "n", "method"), key), what="cost", x=c, p=b[1] / b[0], y=b[2] / b[0], rows=b[0])
        for key, cells in costs.items() for c, b in zip(COSTS, cells)]
    for name, new in (("e11.csv", lines), ("e12.csv", more)):
        path = os.path.join(out, name)
        save(path, (kept(path, new) if add else []) + new)


def add_bins(bins, key, p, label):
    cells = bins.setdefault(key, [[0, 0.0, 0] for _ in range(BINS)])
    for x, y in zip(p, label):
        cell = cells[min(BINS - 1, int(x * BINS))]
        cell[0], cell[1], cell[2] = cell[0] + 1, cell[1] + x, cell[2] + y


def add_costs(costs, key, p, label):
    """Equation 3.1 with G = 1: a case is looked at when p > c; per test set its cost (x: p) and how many are (y)."""
    cells = costs.setdefault(key, [[0, 0.0, 0] for _ in COSTS])
    for c, cell in zip(COSTS, cells):
        looked = [x > c for x in p]
        cell[0] += 1
        cell[1] += sum(c if l else y for l, y in zip(looked, label))
        cell[2] += sum(looked)


def save(path, lines):
    if not lines:
        return
    with open(path, "w", newline="") as f:
        w = csv.DictWriter(f, list(lines[0]), lineterminator="\n")
        w.writeheader()
        for line in lines:
            w.writerow({k: f"{v:.5g}" if isinstance(v, float) else v for k, v in line.items()})


def main():
    a = argparse.ArgumentParser()
    a.add_argument("build")
    a.add_argument("work")
    a.add_argument("--minutes", type=float, default=60)
    a.add_argument("--runs", type=int, default=100)
    a.add_argument("--features", type=int, default=10000)
    a.add_argument("--n", default="100,1000,10000")
    a.add_argument("--rates", default="0.05,0.1,0.2")
    a.add_argument("--methods", default=",".join(METHODS))
    a.add_argument("--intercept-rows", type=int, default=1_000_000)
    a.add_argument("--threads", type=int, default=2)
    a.add_argument("--draw", default="")
    a.add_argument("--out", default=HERE)
    a.add_argument("--add", action="store_true")
    o = a.parse_args()
    os.makedirs(o.work, exist_ok=True)
    end, program = time.time() + 60 * o.minutes, build(o.build, o.work)
    METHODS.update(m.split("=", 1) for m in o.methods.split(",") if "=" in m)
    names = [m.split("=")[0] for m in o.methods.split(",")]
    wanted = [f"{m}={METHODS[m]}" for m in names]
    for run in range(1, o.runs + 1):
        for n in o.n.split(","):
            for rate in o.rates.split(","):
                if time.time() > end:
                    break
                folder = os.path.join(o.work, f"p{o.features}_q{rate}_n{n}_r{run}")
                os.makedirs(folder, exist_ok=True)
                if all(os.path.exists(os.path.join(folder, m + ".csv")) for m in names):
                    continue
                draw = o.draw or f"{1000 * float(rate):.0f}"
                b0 = intercept(program, rate, o.features, o.intercept_rows, o.work, o.threads, draw)
                subprocess.run([program, folder, rate, n, str(o.features), str(run), b0, str(o.threads), draw, *wanted], check=True)
    collect(o.work, o.features, o.out, o.add)
    table.show(o.out, sys.stdout)


if __name__ == "__main__":
    main()
