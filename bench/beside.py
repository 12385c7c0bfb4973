# SPDX-License-Identifier: Apache-2.0
"""Before and after: every driver of ours beside the same driver of another checkout, in turns; no peers.

    bench/run --beside OTHER/build/bench/drivers train predict csv

OTHER must have run bench/run once (its drivers are built by that). Prints, per worker, now over before: of medians
and of the least, of wall and of CPU seconds. How much is noise: compare a checkout with a copy of its own drivers."""
import statistics
import subprocess

import harness

Single = harness.Worker


class Pair(Single):
    """A worker and its twin. Who goes first changes from run to run."""

    def __init__(self, name, cmd, threads=2):
        self.twin, self.twin_runs, self.turn = None, [], 0
        if str(cmd[0]).startswith(str(harness.DRIVERS)) and cmd[1] not in ("lightgbm", "xgboost"):
            super().__init__(name, cmd, threads)
            self.twin = Single(name + " (before)", [other / str(cmd[0]).rsplit("/", 1)[1], *cmd[1:]], threads)
        else:  # a peer: not of interest here, and its process is not started
            self.name, self.runs, self.info, self.failed, self.ready = name, [], {}, "not run", {}

    def ask(self, word):
        if not self.twin:
            return {}
        self.turn += 1
        first = self.twin.ask(word) if self.turn % 2 else None
        answer = super().ask(word)
        twin = first or self.twin.ask(word)
        if "seconds" in twin:
            self.twin_runs.append(twin)
        return answer

    def end(self):
        if self.twin:
            super().end()
            self.twin.process.stdin.close()
            self.twin.process.wait()
        return self


def take_turns(workers, rounds, budget=1e9, least=3, word="go"):
    workers = [w for w in workers if w.twin]
    single_take_turns(workers, rounds, budget, least, word)
    for w in workers:
        both = {}
        for key in ("seconds", "cpu"):
            now, before = w.column(key), [r[key] for r in w.twin_runs if key in r]
            if now and before:
                both[key] = statistics.median(now) / statistics.median(before)
                both["least " + key] = min(now) / min(before)
        print(f"  {w.name:44s} now/before: " + ", ".join(f"{k} {v:.3f}" for k, v in both.items()), flush=True)


single_take_turns = harness.take_turns


def begin(drivers):
    global other
    other = drivers
    harness.Worker, harness.take_turns = Pair, take_turns


def run(module, a):
    """The part's own tables speak of peers, which did not run: only what take_turns printed counts."""
    try:
        module.run(a)
    except (TypeError, KeyError, ValueError, statistics.StatisticsError, subprocess.CalledProcessError) as e:
        print(f"  (the table of this part is not made: {e})")
