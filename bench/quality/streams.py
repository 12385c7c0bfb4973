# SPDX-License-Identifier: Apache-2.0
"""Builds of the library, or settings of one, on simulated payments: learnt from some days, judged on later ones.

    python streams.py WORK SCARCE LIB[:"NAME=VALUE ..."] ... [--seeds 8] [--rows 9000,20000] [--windows 2] [--time named|feature|absent]

SCARCE (the program) makes the streams, presets `hard` and `handbook`, WORK/stream-PRESET-SEED.csv. Of each, so many rows are learnt from; after a
gap of seven days the next 20,000 are the test. --time: the column `time` has that role, or is a feature among others (as where
nobody thought of it), or is not there. Prints for each number of rows the AP of each build, and the difference to the last one: mean over
streams, streams won/lost."""
import argparse
import os
import subprocess

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

from scarcelib import Scarce

GAP, TEST = 7 * 86400, 20000


def stream(work, program, preset, seed):
    path = os.path.join(work, "stream-%s-%d.csv" % (preset, seed))
    if not os.path.exists(path):
        subprocess.run([program, "simulate", "fraud", "--preset", preset, "--transactions", "80000", "--seed", str(seed), "-o", path, "--quiet"], check=True)
    return path


def windows(time, rows, n):
    """n pairs (train, test) of ranges, evenly over the second half of what the stream has room for."""
    for s in range(n):
        a = int(len(time) * (0.2 + 0.25 * s / max(1, n - 1)))
        b = a + rows
        c = int(np.searchsorted(time, time[b - 1] + GAP))
        yield np.arange(a, b), np.arange(c, min(c + TEST, len(time)))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("work"), p.add_argument("program"), p.add_argument("builds", nargs="+")
    p.add_argument("--seeds", type=int, default=8), p.add_argument("--rows", default="9000,20000"), p.add_argument("--windows", type=int, default=2)
    p.add_argument("--time", default="named", choices=("named", "feature", "absent")), p.add_argument("--presets", default="hard,handbook")
    o = p.parse_args()
    os.makedirs(o.work, exist_ok=True)
    builds = [(t, Scarce(t.partition(":")[0]), dict(i.split("=") for i in t.partition(":")[2].split())) for t in o.builds]
    out = []
    for preset in o.presets.split(","):
        for seed in range(1, o.seeds + 1):
            path = stream(o.work, o.program, preset, seed)
            time = pd.read_csv(path, usecols=["time"]).time.values
            roles = dict(ignore=["tx_id", "label_time"] + ["time"] * (o.time == "absent"), time="time" if o.time == "named" else None)
            tables = [lib.read(path, **roles) for _, lib, _ in builds]
            y = builds[0][1].label(tables[0])
            for rows in (int(v) for v in o.rows.split(",")):
                for train, test in windows(time, rows, o.windows):
                    if y[train].sum() < 5 or y[test].sum() < 5:
                        continue
                    for (text, lib, settings), table in zip(builds, tables):
                        a, b = lib.rows_of(table, train), lib.rows_of(table, test)
                        score, _ = lib.fit_score(a, b, len(test), settings)
                        lib.free(a, b)
                        out.append((preset, seed, rows, text, average_precision_score(y[test], score)))
            for (_, lib, _), table in zip(builds, tables):
                lib.free(table)
    d = pd.DataFrame(out, columns=["preset", "seed", "rows", "build", "ap"])
    m = d.groupby(["rows", "preset", "seed", "build"]).ap.mean().unstack()
    for rows, part in m.groupby("rows"):
        print("%d rows, %d streams" % (rows, len(part)))
        for text, _, _ in builds:
            q = part[text] - part[builds[-1][0]]
            by = q.groupby("preset").mean()
            print("  %-60s AP %.4f  %+.4f +- %.4f  %d/%d  %s" % (text[-60:], part[text].mean(), q.mean(), q.std() / np.sqrt(len(q)), (q > 1e-9).sum(), (q < -1e-9).sum(),
                                                     " ".join("%s %+.4f" % i for i in by.items())))


if __name__ == "__main__":
    main()
