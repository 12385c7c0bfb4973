# SPDX-License-Identifier: Apache-2.0
"""E7, E8 and E9: neighbours and metric learning on the sets of a thesis (R. Viola 2022, chapters 2 and 3), beside its figures.

    python run.py SCARCE DATA WORK [e7] [e8] [e9] [SET ...]       SET: only these;  DATA: the folder of the sets (NAME.csv.gz); WORK: finished fits

Protocol of the thesis: 80/20 five times, gamma by 10 folds of the training rows for the measure that is judged, columns scaled to [-1, 1]
(e7, e8) or standardised (e9, 3-NN). published.csv has its figures for the sets that are at hand; means below are over these sets, so
they differ from the last lines of its tables. Writes e7.csv, e8.csv, e9.csv beside this file."""
import csv
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from common import compare, save  # noqa: E402

MEASURES = ["f1", "balanced_accuracy", "g_mean"]
PROTOCOL = ["--protocol", "holdout:0.2", "--repeats", "5"]
ONLY = []


def published():
    with open(os.path.join(HERE, "published.csv"), newline="") as f:
        return [(r["table"], r["set"], r["method"], float(r["value"])) for r in csv.DictReader(f)]


def sets():
    return [s for s in dict.fromkeys(r[1] for r in published()) if not ONLY or s in ONLY]


def mean(values):
    return statistics.fmean(values) if values else float("nan")


def fits_of(scarce, data, work, name, methods, *options):
    """Every fit of all sets, with the set."""
    out = []
    for s in sets():
        path = os.path.join(data, s + ".csv.gz")
        print(name, s, file=sys.stderr, flush=True)
        out += [dict(f, set=s) for f in compare(scarce, path, methods, work, f"{name}-{s}", *PROTOCOL, *options)]
    return out


def table(title, fits, rows):
    """rows: (label, specification, measure, table and method published, or None)"""
    pub = published()
    print(f"\n{title}\n{'method':28} {'measure':18} {'ours':>7} {'published':>9}")
    for label, spec, measure, where in rows:
        ours = mean([f[measure] for f in fits if f["method"] == spec])
        theirs = mean([v for t, s, m, v in pub if where and (t, m) == where and s in sets()])
        print(f"{label:28} {measure:18} {ours:7.3f} {theirs:9.3f}")


def e7(scarce, data, work):
    fits = []
    plain = ["knn", "dupknn", "wknn", "cwknn", "krnn"]
    for k in (1, 3):
        rows = []
        specs = [f"{m}:k={k}:scale=range" for m in plain] + [f"gamma-knn:k={k}:scale=range:measure={m}" for m in MEASURES]
        got = fits_of(scarce, data, work, f"e7-k{k}", specs)
        fits += got
        for m in plain:
            rows += [(m, f"{m}:k={k}:scale=range", x, (x, m) if k == 1 else None) for x in MEASURES]
        rows += [("gamma-knn", f"gamma-knn:k={k}:scale=range:measure={x}", x, (x, "gamma-knn") if k == 1 else None) for x in MEASURES]
        table(f"E7, k = {k}", got, rows)
    save(os.path.join(HERE, "e7.csv"), fits, ["set", "method", "fold", *MEASURES, "ap"])


def e8(scarce, data, work):
    one = "gamma-knn:k=1:scale=range"
    specs = ["knn:k=1:scale=range", one, "smote+knn:k=1:scale=range", "smote+" + one, "adasyn+" + one, "borderline-smote-1+" + one,
             "local-gamma-knn:k=1:scale=range:variant=v1", "local-gamma-knn:k=1:scale=range:variant=v2"]
    fits = fits_of(scarce, data, work, "e8", specs)
    table("E8: synthetic positives with a gamma of their own; a gamma for each cluster (k = 1)", fits, [(s, s, "f1", None) for s in specs])
    save(os.path.join(HERE, "e8.csv"), fits, ["set", "method", "fold", *MEASURES, "ap"])


def e9(scarce, data, work):
    methods = ["knn", "lmnn", "itml", "gmml", "iml", "imbml", "mlfp"]
    specs = ["knn:scale=standard", "gamma-knn:scale=standard", *methods[1:]]
    fits = fits_of(scarce, data, work, "e9", specs)
    rows = [(s, s, "f1", ("e9 f1", s.split(":")[0]) if "gamma" not in s else None) for s in specs]
    table("E9: metric learning, 3-NN", fits, rows)
    save(os.path.join(HERE, "e9.csv"), fits, ["set", "method", "fold", *MEASURES, "ap"])


if __name__ == "__main__":
    scarce, data, work, *which = sys.argv[1:]
    ONLY += [name for name in which if name not in ("e7", "e8", "e9")]
    for name in [n for n in which if n not in ONLY] or ["e7", "e8", "e9"]:
        globals()[name](scarce, data, work)
