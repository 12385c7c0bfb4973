#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E4, non-linear boosting (003, Tables 2 and 3) on the KEEL sets at hand, beside the published figures. Standard library only.

run.py SCARCE DATA WORK [--repeats 30] [--minutes M] [--only SET,...] [--methods M,...] [tuned] [equal]

tuned: 2/3 to learn, 1/3 to judge; number of trees (10, 30, 100), depth (1, 2, 3, 5) and rate (0.05, 0.1, 0.3) are chosen for each method alike by
       the mean AP of three folds of the training part. One split of all sets after the other; what is in e4.csv already is passed over, and
       no further fit is begun after M minutes of processor time, so it goes on where it was.
equal: nothing is tuned; stumps, as many for both methods (T = 2, 5, 10, 30, 100): does the layer make up for trees?
Writes e4.csv and e4-equal.csv beside this file, and prints the tables."""
import argparse
import json
import os
import resource
import subprocess
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
TUNED = ["gb", "nlb", "nlb:scheme=paper"]
GRID = [(t, d, r) for t in (10, 30, 100) for d in (1, 2, 3, 5) for r in (0.05, 0.1, 0.3)]


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


def setting(method, t, d, r):
    return f"{method}:n_trees={t}:max_depth={d}:learning_rate={r}" + (":splits=best" if method == "gb" else "")


def cpu():
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def tuned_fit(o, s, fold, method):
    """One method on one split: chosen inside its training rows, judged on the others."""
    def path(x):
        return os.path.join(o.work, x)
    before, seed, quiet = cpu(), str(fold + 1), ["--quiet", "--threads", "1"]
    subprocess.run([o.scarce, "split", os.path.join(o.data, s + ".csv.gz"), "--protocol", "holdout:0.3333", "--seed", seed, "-o", f"{path('train.csv')},{path('test.csv')}",
                    "--quiet"], check=True, stdout=subprocess.DEVNULL)
    inner = os.path.join(o.work, "inner.results")
    if os.path.exists(inner):
        os.remove(inner)
    fits = compare(o.scarce, path("train.csv"), [setting(method, *g) for g in GRID], o.work, "inner", "--protocol", "cv:3", "--repeats", "1", "--seed", seed)
    best = max(GRID, key=lambda g: mean([f["ap"] for f in fits if f["method"] == setting(method, *g)]))
    subprocess.run([o.scarce, "train", path("train.csv"), "--method", setting(method, *best), "--seed", seed, "-o", path("m.scarce"), *quiet], check=True,
                   stdout=subprocess.DEVNULL)
    m = json.loads(subprocess.run([o.scarce, "eval", path("m.scarce"), path("test.csv"), "--json", *quiet], check=True, stdout=subprocess.PIPE, text=True).stdout)
    return {"set": s, "fold": fold, "method": method, "ap": m["ap"], "f1": m["f1"], "f1_best": m["f1_best"], "seconds": cpu() - before,
            "trees": best[0], "depth": best[1], "rate": best[2]}


def tuned_fits(o):
    out, columns = os.path.join(HERE, "e4.csv"), COLUMNS + ["trees", "depth", "rate"]
    fits = load(out) if os.path.exists(out) else []
    os.makedirs(o.work, exist_ok=True)
    for fold in range(o.repeats):
        for s in PUBLISHED:
            if (o.only and s not in o.only.split(",")) or not os.path.exists(os.path.join(o.data, s + ".csv.gz")):
                continue
            for method in o.methods.split(","):
                if cpu() > 60 * o.minutes or any(f["set"] == s and f["fold"] == fold and f["method"] == method for f in fits):
                    continue
                fits.append(tuned_fit(o, s, fold, method))
                save(out, fits, columns)
    return fits


def tuned(o):
    methods, fits = TUNED, tuned_fits(o)
    sets = [s for s in PUBLISHED if any(f["set"] == s for f in fits)]
    n = [min(len([f for f in fits if f["set"] == s and f["method"] == m]) for s in sets) for m in methods]
    print(f"\nE4, AP in per cent, tuned, splits of each set: {n}\n{'set':26} {'gb':>6} {'nlb':>6} {'paper':>6} | {'GB publ.':>8} {'NLB publ.':>9}")
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
    p.add_argument("--repeats", type=int, default=30), p.add_argument("--minutes", type=float, default=1e9), p.add_argument("--methods", default=",".join(TUNED)), p.add_argument("--only", default="")
    o = p.parse_args()
    for part in o.parts:
        {"tuned": tuned, "equal": equal}[part](o)


main()
