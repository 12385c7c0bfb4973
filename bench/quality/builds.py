# SPDX-License-Identifier: Apache-2.0
"""Builds of the library, or settings of one build, side by side on the same splits: quality, and what a fit costs.

    python builds.py WORK OUT.csv LIB[:"NAME=VALUE ..."] ... [--method gb] [--splits 2|2:4] [--half 0|1] [--rounds 1] [--threads 1]
        [--min-rows N] [--max-rows 9999] [--only SET,...] [--skip SET,...]

The library named last is what the others are compared with. A fit is repeated --rounds times, the builds in turn, and the least of
the CPU and clock seconds counts (on a quiet machine only do they mean anything). OUT.csv has a line for each set, split and build; at
the end stand the differences: the mean over sets, sets won/lost, p by Wilcoxon, and the ratios of the seconds."""
import argparse
import os
import time

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon
from sklearn.metrics import average_precision_score

import sets
from scarcelib import Scarce
from study import log_loss, precision_at_k


class Build:
    def __init__(self, text, method, threads):
        path, _, settings = text.partition(":")
        self.name, self.method = text, method
        self.lib = Scarce(path, threads)
        self.settings = dict(item.split("=") for item in settings.split())

    def measure(self, train, test, y, rounds):
        score, p = self.lib.fit_score(train, test, len(y), self.settings, method=self.method)
        p = np.where(np.isnan(p), 1 / (1 + np.exp(-score)), p)
        best = np.inf
        for _ in range(rounds):
            wall, cpu = time.perf_counter(), time.process_time()
            self.lib.lib.scarce_model_free(self.lib.train(train, self.settings, self.method))
            best = np.minimum(best, (time.process_time() - cpu, time.perf_counter() - wall))
            yield
        cpu, wall = best if rounds else (np.nan, np.nan)
        self.last = dict(ap=average_precision_score(y, score), pk=precision_at_k(y, score), loss=log_loss(y, p), cpu=cpu, wall=wall)


def run_set(work, r, builds, first, last, rounds):
    path, _ = sets.load(work, r.set)
    tables = [b.lib.read(path) for b in builds]
    y = builds[0].lib.label(tables[0])
    for s, (train, test) in enumerate(sets.splits(y, r.set, last)):
        if s < first:
            continue
        parts = [(b.lib.rows_of(t, train), b.lib.rows_of(t, test)) for b, t in zip(builds, tables)]
        runs = [b.measure(*part, y[test], rounds) for b, part in zip(builds, parts)]
        while runs:  # a round of each build in turn
            runs = [g for g in runs if next(g, StopIteration) is not StopIteration]
        for b, part in zip(builds, parts):
            b.lib.free(*part)
            yield dict(set=r.set, rows=r.rows, features=r.features, positives=r.positives, split=s, build=b.name, **b.last)
    for b, t in zip(builds, tables):
        b.lib.free(t)


def tell(d, builds):
    m = d.groupby(["build", "set"])[["ap", "pk", "loss", "cpu", "wall"]].mean()
    last = m.loc[builds[-1].name]
    for b in builds:
        a = m.loc[b.name]
        print("%s\n  mean of %d sets: AP %.4f, P@k %.4f, log loss %.4f, CPU %.4f s, clock %.4f s"
              % (b.name, len(a), a.ap.mean(), a.pk.mean(), a.loss.mean(), a.cpu.mean(), a.wall.mean()))
        if b is builds[-1]:
            continue
        for what, sign in (("ap", 1), ("pk", 1), ("loss", -1)):
            q = sign * (a[what] - last[what])
            p = wilcoxon(q).pvalue if (q.abs() > 1e-12).sum() > 4 else np.nan
            print("  %-5s %+.4f  %d/%d  p %.4f" % (what, q.mean(), (q > 1e-9).sum(), (q < -1e-9).sum(), p))
        for what in ("cpu", "wall"):
            q = (a[what] / last[what]).dropna()
            if len(q):
                print("  %-5s ratio: of the means %.2f, median %.2f, largest %.2f (%s), above 1.5 in %d of %d"
                      % (what, a[what].mean() / last[what].mean(), q.median(), q.max(), q.idxmax(), (q > 1.5).sum(), len(q)))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("work"), p.add_argument("out"), p.add_argument("builds", nargs="+")
    p.add_argument("--method", default="gb"), p.add_argument("--splits", default="2"), p.add_argument("--half", type=int)
    p.add_argument("--rounds", type=int, default=0), p.add_argument("--threads", type=int, default=1)
    p.add_argument("--min-rows", type=int, default=0), p.add_argument("--max-rows", type=int, default=9999)
    p.add_argument("--only"), p.add_argument("--skip", default="mnist-6000"), p.add_argument("--thinned", action="store_true")
    o = p.parse_args()
    index = pd.read_csv(os.path.join(o.work, "index.csv"))
    index = index[(index.rows >= o.min_rows) & (index.rows <= o.max_rows) & ~index.set.isin(o.skip.split(","))]
    if not o.thinned:
        index = index[index.parent.isna()]
    if o.half is not None:
        index = index[index.half == o.half]
    if o.only:
        index = index[index.set.isin(o.only.split(","))]
    first, last = (int(v) for v in (o.splits if ":" in o.splits else "0:" + o.splits).split(":"))
    builds = [Build(text, o.method, o.threads) for text in o.builds]
    rows = []
    for r in index.drop_duplicates("set").sort_values("rows").itertuples():
        try:
            got = list(run_set(o.work, r, builds, first, last, o.rounds))
        except RuntimeError as e:
            print("left out:", e)
            continue
        rows += got
        print(r.set, *("%.4f" % np.mean([g["ap"] for g in got if g["build"] == b.name]) for b in builds), flush=True)
    d = pd.DataFrame(rows)
    d.round(6).to_csv(o.out, index=False, lineterminator="\n")
    tell(d, builds)


if __name__ == "__main__":
    main()
