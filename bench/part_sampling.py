# SPDX-License-Identifier: Apache-2.0
"""Sampling by importance against all rows and against the others at equal average precision, on three large sets:
made up at 0.2 %, the same with drift, and simulated payments (preset hard, two million). Bins in memory to trees.

Average precision of ours under sampling is the mean over three sampling seeds, which take turns. With --full 1,000,000 and 10,000,000 rows x 40
at 0.2 % and 0.02 %, eight seeds (others: as many runs as begin within two minutes), and `whole_s`, bins included (10^7 rows take 4 GB of disk, and some 16 GB of memory for all engines together)."""
import statistics
import sys
from pathlib import Path

import numpy as np
from engines import PEERS, judge, peer
from harness import DATA, HERE, Worker, driver, take_turns, threads_text

sys.path.insert(0, str(HERE / "experiments" / "sampling"))
import data  # noqa: E402

OTHERS = ["LightGBM xlike+bag10+cap", "LightGBM xlike+cap", "XGBoost lossguide+cap"]
SETS = ["made 0.2 %", "drift 0.2 %", data.STREAM]
FULL = ["made 0.2 %", "made 0.02 %", "large 0.2 %", "large 0.02 %"]


class Sampler(Worker):
    """bench/sampler.c: a run is a line of settings; seeds 1, 2, 3, ... take turns."""

    def __init__(self, name, setting, files, threads, seeds):
        self.setting, self.seeds = setting, seeds
        super().__init__(name, driver("sampler", *files[:4], f"threads={threads}", "positive_bins=0.3"), threads)

    def go(self, word="go"):
        answer = self.ask(f"{self.setting} seed={1 + len(self.runs) % self.seeds}")
        if answer:
            self.runs.append(answer)

    def end(self):
        if not self.failed:
            self.info = {"ap": statistics.mean(self.column("ap"))}
            self.process.stdin.close()
            self.process.wait()
        return self


def whole(w):
    """Loop and bins; the time of the bins is that of the start."""
    return None if w.failed or "bin" not in w.ready else round(w.ready["bin"] + w.median(), 3)


def run(a):
    work = DATA / "sampling"
    rows, scarce = [], driver("scarce")[0].parent.parent / "scarce"
    seeds = 8 if a.full else 3
    for name in getattr(a, "sets", None) or (SETS[:1] if a.quick else FULL if a.full else SETS):
        data.make(str(work), name, str(scarce))
        files = data.paths(str(work), name)
        keys = dict(f.split("=", 1) for f in files[:4])
        y = np.load(keys["y"])
        workers = [Sampler("scarce, all rows", "sample=all rounding=0.03125 min_child_weight=0.1", files, a.threads, seeds),
                   Sampler("scarce, sample=importance", "sample=importance min_child_weight=0.1", files, a.threads, seeds),
                   Sampler("scarce, importance, 15, kept 5 trees", "sample=importance neg_per_pos=15 refresh=5 min_child_weight=0.1", files,
                           a.threads, seeds)]
        workers += [peer(n, "boost", **keys, threads=a.threads) for n in OTHERS if n in PEERS]
        take_turns(workers, a.rounds or seeds, budget=120 if a.full else 1e9, least=1)
        setting = f"{name}: {len(y)} rows, {int(y.sum())} positives, 100 trees, {threads_text(a.threads)}"
        rows += judge([w.row(setting, whole_s=whole(w)) for w in workers])
    return "sampling by importance on large sets", rows, [
        "ratio compares with 'scarce, all rows', ratio_fast with 'scarce, sample=importance'; a ratio counts only at equal "
        "average precision (ap_ratio, ap_ratio_fast). Categories of the simulated payments are numbers for all engines.",
        "min_child_weight 1 for all, as in part train."]


if __name__ == "__main__":
    import argparse
    import harness
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--threads", type=int, default=2), p.add_argument("--rounds", type=int)
    p.add_argument("--quick", action="store_true"), p.add_argument("--full", action="store_true")
    p.add_argument("--out", type=Path, default=HERE / "results"), p.add_argument("--sets", nargs="*", help="only these, e.g. \"large 0.02 %%\"")
    a = p.parse_args()
    import os
    load = os.getloadavg()[0]
    title, table, notes = run(a)
    harness.write(a.out, "sampling", title, table, notes, load)
