# SPDX-License-Identifier: Apache-2.0
"""The Handbook's weeks: which rows train and which test. Standard library only.

A fold begins on a day s: train [s, s+7), delay [s+7, s+14), test [s+14, s+21). On the test day s+14+j the cards are
left out that had a fraud in the training week or, up to and including, on day s+7+j-1: what is known after a
delay of 7 days. Cards that had a fraud before s stay in: nobody looks further back.
Figures of the Handbook: the first week is the fold of 2018-07-25; "tuned" are means over the folds that begin 0, 7, 14
and 21 days before. Its settings are chosen on the folds 14 to 35 days before, two of which are test folds too; here
they are chosen on the folds 35 to 56 days before, whose last label is known when the first test fold begins."""
import csv
import os

DAY, FIRST_DAY = 86400, 1522540800  # 2018-04-01
WEEK = 115  # 2018-07-25
TEST = [WEEK - 7 * k for k in range(4)]
VALID = [WEEK - 35 - 7 * k for k in range(4)]
HANDBOOK_VALID = [WEEK - 14 - 7 * k for k in range(4)]
IDENTITY = ["tx_id", "time", "card", "terminal", "label_time"]


def paths(work, start):
    return os.path.join(work, f"train_{start}.csv"), os.path.join(work, f"test_{start}.csv")


def write(stream, work):
    """train_S.csv and test_S.csv for every fold, when they aren't there yet."""
    starts = sorted({*TEST, *VALID, *HANDBOOK_VALID})
    if all(os.path.exists(p) for s in starts for p in paths(work, s)):
        return
    os.makedirs(work, exist_ok=True)
    days = {}
    with open(stream, newline="") as f:
        rows = csv.reader(f)
        header = next(rows)
        at_time, at_card, at_label = (header.index(c) for c in ("time", "card", "label"))
        for r in rows:
            d = (int(r[at_time]) - FIRST_DAY) // DAY
            if starts[0] <= d < starts[-1] + 21:
                days.setdefault(d, []).append(r)
    frauds = {d: {r[at_card] for r in rows if r[at_label] == "1"} for d, rows in days.items()}
    for s in starts:
        known = set().union(*(frauds[d] for d in range(s, s + 7)))
        train = [r for d in range(s, s + 7) for r in days[d]]
        test = []
        for d in range(s + 14, s + 21):
            known |= frauds[d - 8]
            test += [r for r in days[d] if r[at_card] not in known]
        for path, rows in zip(paths(work, s), (train, test)):
            with open(path + ".part", "w", newline="") as f:
                w = csv.writer(f, lineterminator="\n")
                w.writerow(header)
                w.writerows(rows)
            os.rename(path + ".part", path)
