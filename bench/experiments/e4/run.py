#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E4, non-linear boosting (003, Tables 2 and 3) on the KEEL sets at hand, beside the published figures. Standard library only.

run.py SCARCE DATA WORK [--repeats 30] [--trials 6] [--only SET,...] [tuned] [equal]

tuned: 2/3 to learn, 1/3 to judge, parameters searched inside the training part (`compare --tune`).
equal: nothing is tuned; stumps, as many for both methods (T = 2, 5, 10, 30, 100): does the layer make up for trees?
Writes e4.csv and e4-equal.csv beside this file, and prints the tables."""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from common import compare, load, mean, save, wilcoxon  # noqa: E402

# NLB (AP), GB (AP), NLB (F1), GB (F1) of the paper, in per cent
PUBLISHED = {
    "poker-8vs6": (29.3, 25.8, 28.9, 9.8), "winequality-red-3vs5": (8.7, 11.1, 7.2, 2.8), "winequality-white-3-9vs5": (23.8, 14.8, 25.8, 14.9),
    "kr-vs-k-zerovseight": (99.0, 95.2, 77.1, 81.5), "winequality-red-8vs6-7": (13.1, 6.8, 12.8, 4.3), "winequality-white-3vs7": (41.5, 37.7, 36.2, 32.7),
    "abalone-17vs7-8-9-10": (28.7, 21.4, 22.2, 23.8), "kr-vs-k-threevseleven": (99.8, 96.0, 96.8, 96.7), "yeast5": (67.2, 62.8, 67.6, 62.6),
    "car-vgood": (99.9, 97.3, 96.4, 83.2), "zoo-3": (35.3, 29.4, 32.2, 20.4), "abalone9-18": (40.1, 30.4, 37.9, 30.2), "glass4": (54.4, 51.2, 46.9, 54.0),
    "ecoli-0-1-4-6vs5": (69.9, 74.6, 68.9, 69.2), "vowel0": (94.7, 97.7, 89.4, 91.9), "yeast-0-5-6-7-9vs4": (46.8, 55.3, 40.3, 52.2),
    "yeast-0-3-5-9vs7-8": (42.1, 36.9, 29.4, 29.1), "yeast-2vs4": (82.7, 80.7, 75.2, 71.0)}
TREES = [2, 5, 10, 30, 100]
COLUMNS = ["set", "fold", "method", "ap", "f1", "f1_best", "seconds"]


def stumps(method, t):
    return {"gb": f"gb:n_trees={t}:max_depth=1:learning_rate=0.3:splits=best", "skip": f"nlb:n_trees={t}:max_depth=1:learning_rate=0.3:latent_rate=0.01",
            "paper": f"nlb:scheme=paper:n_trees={t}:max_depth=1"}[method]


def run(o, name, methods, *options):
    out = os.path.join(HERE, name + ".csv")
    fits = load(out) if os.path.exists(out) else []
    for s in PUBLISHED:
        path = os.path.join(o.data, s + ".csv.gz")
        if (o.only and s not in o.only.split(",")) or not os.path.exists(path):
            continue
        new = compare(o.scarce, path, methods, o.work, f"{name}-{s}", "--protocol", "holdout:0.333", "--repeats", str(o.repeats), *options)
        fits = [f for f in fits if f["set"] != s] + [dict(f, set=s) for f in new]
        save(out, fits, COLUMNS)
        print(name, s, file=sys.stderr, flush=True)
    return fits


def of(fits, s, method, metric):
    return 100 * mean([f[metric] for f in fits if f["set"] == s and f["method"] == method])


def tuned(o):
    methods = ["gb", "nlb", "nlb:scheme=paper"]
    fits = run(o, "e4", methods, "--tune", str(o.trials))
    sets = [s for s in PUBLISHED if any(f["set"] == s for f in fits)]
    print(f"\nE4, AP in per cent, {o.repeats} splits, tuned\n{'set':26} {'gb':>6} {'nlb':>6} {'paper':>6} | {'GB publ.':>8} {'NLB publ.':>9}")
    for s in sets:
        print(f"{s:26} " + " ".join(f"{of(fits, s, m, 'ap'):6.1f}" for m in methods) + f" | {PUBLISHED[s][1]:8.1f} {PUBLISHED[s][0]:9.1f}")
    for metric, at in (("ap", 1), ("f1_best", 3)):
        ours = [mean([of(fits, s, m, metric) for s in sets]) for m in methods]
        print(f"{'mean ' + metric:26} " + " ".join(f"{x:6.1f}" for x in ours) + f" | {mean([PUBLISHED[s][at] for s in sets]):8.1f} {mean([PUBLISHED[s][at - 1] for s in sets]):9.1f}")
    d = [of(fits, s, "nlb", "ap") - of(fits, s, "gb", "ap") for s in sets]
    print(f"nlb - gb: {mean(d):+.2f} points of AP, {sum(x > 0 for x in d)} of {len(d)} sets, Wilcoxon p = {wilcoxon(d):.3f}")


def equal(o):
    methods = [stumps(m, t) for t in TREES for m in ("gb", "skip", "paper")]
    fits = run(o, "e4-equal", methods)
    sets = [s for s in PUBLISHED if any(f["set"] == s for f in fits)]
    print(f"\nE4, stumps, mean AP over {len(sets)} sets\n{'stumps':>6} {'gb':>6} {'nlb':>6} {'paper':>6}")
    for t in TREES:
        print(f"{t:6} " + " ".join(f"{mean([of(fits, s, stumps(m, t), 'ap') for s in sets]):6.1f}" for m in ("gb", "skip", "paper")))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("scarce"), p.add_argument("data"), p.add_argument("work"), p.add_argument("parts", nargs="*", default=["tuned", "equal"])
    p.add_argument("--repeats", type=int, default=30), p.add_argument("--trials", type=int, default=6), p.add_argument("--only", default="")
    o = p.parse_args()
    for part in o.parts:
        {"tuned": tuned, "equal": equal}[part](o)


main()
