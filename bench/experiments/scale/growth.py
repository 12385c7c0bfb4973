#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the time of each stage grows from 10^5 to 10^8 rows, in memory and from disk; what is linear, and what is not.

growth.py FOLDER [--least 5] [--most 8] [--memory 4G] [--in-memory-to 7] [--rounds 1] [--trees 100] [--threads 2] [--scarce build/scarce]

Rows are those of larger.py (simulate fraud, numbers only; some 90 bytes each: 10^8 rows are a file of 9 GB in FOLDER, kept for the next run).
Stages as `scarce train --json` tells them: load (reading; from disk: two passes and writing the bytes), bin, train. `ns/row` is a stage's time by
row, `power` the exponent from the step before: 1 is linear, below 1 less than that (pools hold 50 negatives for each positive, so that the trees
themselves grow with the positives, bringing scores up to date with the rows; bins come from 262,144 rows of a class at most)."""
import argparse
import json
import math
import os
from statistics import median

from larger import options, prepare, train_scarce

STAGES = ["load", "bin", "train", "total"]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options(p)
    p.add_argument("--least", type=float, default=5, help="power of ten of the fewest rows")
    p.add_argument("--most", type=float, default=8)
    p.add_argument("--in-memory-to", type=float, default=7, help="power of ten up to which rows are trained in memory too")
    p.add_argument("--rounds", type=int, default=1)
    a = p.parse_args()
    print(f"{a.trees} trees, {a.threads} threads, --memory {a.memory} from disk; load average {os.getloadavg()[0]:.1f}")
    print(f"{'rows':>12} {'positives':>9} {'from':6}" + "".join(f" {s + ' s':>9} {'ns/row':>7} {'power':>6}" for s in STAGES) + f" {'peak MB':>8}", flush=True)
    before, kept = {}, []
    for power in range(round(a.least), round(a.most) + 1):
        path = prepare(a.scarce, a.folder, rows=10**power, name=f"rows-1e{power}.csv", seed=1000 * power)
        for way in ["memory"] * (power <= a.in_memory_to) + ["disk"]:
            more = ["--memory", a.memory, "--on-disk", a.folder] if way == "disk" else []
            runs = [train_scarce(a, [path], a.folder / "growth.scarce", *more) for _ in range(a.rounds)]
            rows, now = runs[0]["rows"], {s: median(r["stages"][s] for r in runs) for s in STAGES}
            old_rows, old = before.get(way, (None, None))
            line = f"{rows:12,} {runs[0]['positives']:9,} {way:6}"
            for s in STAGES:
                grown = math.log(now[s] / old[s]) / math.log(rows / old_rows) if old and old[s] > 0 and now[s] > 0 else math.nan
                line += f" {now[s]:9.2f} {1e9 * now[s] / rows:7.0f} {grown:6.2f}"
            print(line + f" {median(r['peak'] for r in runs):8,.0f}", flush=True)
            before[way] = rows, now
            kept += [{"way": way, **r} for r in runs]
    (a.folder / "growth.json").write_text(json.dumps(kept, indent=1))


if __name__ == "__main__":
    main()
