#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does any loss beat capped logistic on real rare data? Every loss on the same splits of rare real sets.

run.py SCARCE DATA WORK [--tune TRIALS] [--only SET,...]
    -> losses.csv (or losses-tuned.csv) beside this script, then table.py prints what it says

DATA: the folder of NAME.csv.gz. Sets with at most 15 % positives, as they are; two large ones with positives
removed at random until 1 % are left ("@1"). Random thirds for testing; ten repetitions up to 10,000 rows, three
above. With --tune, every method gets so many trials inside each training part (its default is the first of them),
judged by AP on three held-out quarters. LambdaMART's pairs are sampled above 1e8, as the program does by itself."""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from common import METRICS, compare, save, thinned  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SMALL = """abalone-17vs7-8-9-10 abalone17 abalone8 abalone9-18 car-vgood ecoli3 ecoli-0-1-4-6vs5 hiv-schilling
    kr-vs-k-threevseleven kr-vs-k-zerovseight libras pageblocks redwinequality4 segmentation vowel0
    winequality-white-3-9vs5 yeast-0-3-5-9vs7-8 yeast-0-5-6-7-9vs4 yeast-1vs7 yeast-2vs4 yeast3 yeast4 yeast5""".split()
LARGE = ["creditcard-subset"]
THIN = {"adult@1": ("adult", 0.01), "bankmarketing@1": ("bankmarketing", 0.01)}
LOSSES = ["gb", "focal", "ap-lb", "sgbap", "sgbap-sig", "lambdamart-ap", "rankboost"]
# with the thresholds that gb takes by default on small data; alone and on equal terms
RANDOM = ["ap-lb:splits=random", "sgbap:splits=random", "lambdamart-ap:splits=random", "rankboost:splits=random"]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("scarce"), p.add_argument("data"), p.add_argument("work")
    p.add_argument("--tune", type=int, default=0), p.add_argument("--only", default="")
    o = p.parse_args()
    os.makedirs(o.work, exist_ok=True)
    fits = []
    for name in SMALL + LARGE + list(THIN):
        if o.only and name not in o.only.split(","):
            continue
        large = name not in SMALL
        path = os.path.join(o.data, name + ".csv.gz")
        if name in THIN:
            source, share = THIN[name]
            path = thinned(os.path.join(o.data, source + ".csv.gz"), share, os.path.join(o.work, name + ".csv"))
        methods = LOSSES + ([] if large or o.tune else RANDOM)
        options = ["--repeats", "3" if large else "10"] + (["--tune", str(o.tune)] if o.tune else [])
        for fit in compare(o.scarce, path, methods, o.work, f"losses-{o.tune}-{name}", *options):
            fits.append(dict(fit, set=name))
        print(name, flush=True)
    out = os.path.join(HERE, "losses-tuned.csv" if o.tune else "losses.csv")
    if o.only:
        out = os.path.join(o.work, os.path.basename(out))
    save(out, fits, ["set", "fold", "method", *METRICS[:4], "seconds"])


main()
