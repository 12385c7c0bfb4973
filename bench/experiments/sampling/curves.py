#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Curves and tables out of what study.py measured. Standard library only.

curves.py SAMPLING.csv DOCS/IMG     -> sampling-size.svg, sampling-how.svg; tables to standard output"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import plot  # noqa: E402
from common import load, mean, sd  # noqa: E402

TAIL = " min_child_weight=0.1"
BASE = "sample=importance neg_per_pos=15"


class Runs:
    def __init__(self, path):
        self.of = {}
        for r in load(path):
            self.of.setdefault((r["set"], r["setting"].replace(TAIL, "")), []).append(r)
        self.sets = list(dict.fromkeys(s for s, _ in self.of))

    def get(self, name, setting, key):
        rows = self.of.get((name, setting))
        return mean([r[key] for r in rows]) if rows else float("nan")

    def spread(self, name, setting):
        rows = self.of.get((name, setting), [])
        return sd([r["ap"] for r in rows]) if len(rows) > 1 else 0.0


def wide(runs, name):
    """An axis on which a difference of 0.005 looks like what it is: little."""
    ap = [r["ap"] for (n, s), rows in runs.of.items() if n == name and "importance" in s or s == "sample=all" and n == name
          for r in rows]
    middle = runs.get(name, "sample=all", "ap")
    return {"least": max(0.0, min(*ap, middle - 0.03)), "most": max(*ap, middle + 0.02)}


def size_chart(runs, name):
    settings = [s for n, s in runs.of if n == name and s.startswith("sample=importance neg_per_pos=") and len(s.split()) == 2]
    settings.sort(key=lambda s: float(s.split("=")[-1]))
    first = runs.of[name, "sample=all"][0]
    c = plot.Chart(f"{name}: {first['rows']:.0f} rows, {first['positives']:.0f} positives", "processor seconds, 100 trees",
                   "average precision", log_x=True, marks=True, **wide(runs, name))
    c.line("3 … 60", [(runs.get(name, s, "cpu"), runs.get(name, s, "ap")) for s in settings],
           error=[runs.spread(name, s) for s in settings])
    c.line("all rows", [(runs.get(name, "sample=all", "cpu"), runs.get(name, "sample=all", "ap"))], colour="#333333")
    c.level("", runs.get(name, "sample=all", "ap"))
    return c


def how_chart(runs, name):
    c = plot.Chart(f"{name}: 15 negatives a positive", "processor seconds, 100 trees", "average precision", log_x=True, marks=True,
                   **wide(runs, name))
    for key, values in (("refresh", (1, 2, 5, 10, 20)), ("pool", (0, 0.05, 0.2, 0.5)),
                        ("max_probability", (0.1, 0.2, 0.5, 1))):
        few = runs.of[name, "sample=all"][0]["positives"] < 1000
        standard = {"refresh": 5, "pool": 0.2, "max_probability": 1 if few else 0.2}
        points = []
        for v in values:
            s = BASE if v == standard[key] else f"{BASE} {key}={v:g}"
            if (name, s) in runs.of:
                points.append((runs.get(name, s, "cpu"), runs.get(name, s, "ap")))
        if points:
            c.line(f"{key.replace('max_probability', 'cap')} {values[0]:g}…{values[-1]:g}", points)
    c.level("", runs.get(name, "sample=all", "ap"))
    c.line("all rows", [(runs.get(name, "sample=all", "cpu"), runs.get(name, "sample=all", "ap"))], colour="#333333")
    return c


def main():
    runs, out = Runs(sys.argv[1]), sys.argv[2]
    complete = [n for n in runs.sets if (n, "sample=importance neg_per_pos=60") in runs.of]
    large = [n for n in complete if runs.of[n, "sample=all"][0]["rows"] >= 100_000]
    plot.write(os.path.join(out, "sampling-size.svg"), [size_chart(runs, n) for n in large], columns=2)
    how = [n for n in complete if (n, f"{BASE} refresh=1") in runs.of]
    plot.write(os.path.join(out, "sampling-how.svg"), [how_chart(runs, n) for n in how], columns=2)
    sizes = (3, 5, 8, 15, 30, 60)
    print("| set | rows | positives | all rows: AP, s | " + " | ".join(f"{k}: ΔAP, times as fast" for k in sizes) + " |")
    print("|---|---:|---:|---:|" + "---:|" * 6)
    for n in complete:
        first, ap, cpu = runs.of[n, "sample=all"][0], runs.get(n, "sample=all", "ap"), runs.get(n, "sample=all", "cpu")
        cells = []
        for k in sizes:
            s = f"sample=importance neg_per_pos={k}"
            cells.append(f"{runs.get(n, s, 'ap') - ap:+.4f}, {cpu / runs.get(n, s, 'cpu'):.1f}" if (n, s) in runs.of else "")
        print(f"| {n} | {first['rows']:.0f} | {first['positives']:.0f} | {ap:.4f}, {cpu:.2f} | " + " | ".join(cells) + " |")
    print("\nother settings")
    for (n, s) in runs.of:
        if len(s.split()) > 2 or "importance" not in s:
            print(f"| {n} | {s} | {runs.get(n, s, 'ap'):.4f} ± {runs.spread(n, s):.4f} | {runs.get(n, s, 'cpu'):.2f} s | "
                  f"{runs.get(n, s, 'trees'):.0f} trees |")


main()
