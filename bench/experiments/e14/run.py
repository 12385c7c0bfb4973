#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E14: the hard fraud stream (`scarce simulate fraud preset=hard`): online learners with labels that come a week late, beside a `gb`
that is trained anew every day on the labels known by then. Standard library only.

run.py SCARCE WORK [--rows 1000000] [--seed 1] [--methods onlb,mlp] [--every-days 1] [--history-days 60] [--out e14.csv]
    Every row is scored by a model that could have existed at its time: by `scarce learn --delay 7d --predictions`, or by a gb that is trained at
    the beginning of each day on the rows of the last --history-days that are older than 7 days. The scores of the second half of
    the stream are judged by `scarce eval --scores`: AP, card precision at 100, and the money of the frauds among as many rows as there are frauds
    (amount_recovered_at_k), which is what a gap costs."""
import argparse
import csv
import json
import os
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DAY = 86400
ONLINE = ["onlb", "onlb:scheme=paper", "mlp", "streamboost", "ogb", "online-bbm", "adaboost-ol-w", "online-linear", "online-tree"]
IGNORE = "tx_id,terminal,label_time"
ROLES = ["--time", "time", "--group", "card", "--amount", "amount", "--quiet"]
COLUMNS = ["engine", "rows", "ap", "card_precision", "amount_recovered", "seconds"]


def told(cmd):
    return json.loads(subprocess.run(cmd, check=True, stdout=subprocess.PIPE, text=True).stdout)


def simulate(o):
    path = os.path.join(o.work, f"hard_{o.rows}_{o.seed}.csv")
    if not os.path.exists(path):
        subprocess.run([o.scarce, "simulate", "fraud", "--preset", "hard", "--transactions", str(o.rows), "--seed", str(o.seed),
                        "-o", path, "--quiet"], check=True)
    return path


def judge(o, name, scored, seconds):
    """scored: lines score,label,time,group,amount."""
    path = os.path.join(o.work, "scores.csv")
    with open(path, "w") as f:
        f.write("score,label,time,group,amount\n")
        f.writelines(scored)
    m = told([o.scarce, "eval", "--scores", path, "--card-k", "100", "--json", "--quiet"])
    return {"engine": name, "rows": m["rows"], "ap": m["ap"], "card_precision": m["card_precision_at_k"],
            "amount_recovered": m["amount_recovered_at_k"], "seconds": seconds}


def online(o, stream, method, half):
    start, out = time.perf_counter(), os.path.join(o.work, "predictions.csv")
    told([o.scarce, "learn", stream, "--method", method, *ROLES, "--ignore", IGNORE, "--delay", "7d", "--predictions", out, "--every", "100000000",
          "--json"])
    seconds = time.perf_counter() - start
    with open(out) as p, open(stream, newline="") as f:
        rows = csv.DictReader(f)
        next(p)
        scored = [f"{line.split(',')[1].rstrip()},{r['label']},{r['time']},{r['card']},{r['amount']}\n"
                  for i, (line, r) in enumerate(zip(p, rows)) if i >= half]
    return judge(o, method, scored, seconds)


class Retrained:
    """gb of every day, over the lines of the stream in memory."""

    def __init__(self, o, stream):
        self.o = o
        with open(stream, newline="") as f:
            self.head = f.readline()
            self.lines = f.readlines()
        at = self.head.rstrip("\n").split(",").index("time")
        self.time = [float(line.split(",", at + 1)[at]) for line in self.lines]

    def rows(self, lo, hi):
        return [i for i, t in enumerate(self.time) if lo <= t < hi]

    def write(self, name, rows):
        path = os.path.join(self.o.work, name)
        with open(path, "w") as f:
            f.write(self.head)
            f.writelines(self.lines[i] for i in rows)
        return path

    def run(self, half):
        o, start = self.o, time.perf_counter()
        first, last = self.time[half], self.time[-1]
        model, scored = os.path.join(o.work, "gb.scarce"), []
        day = first - first % DAY
        while day <= last:
            train = self.rows(day - 7 * DAY - o.history_days * DAY, day - 7 * DAY)
            test = [i for i in self.rows(day, day + o.every_days * DAY) if i >= half]
            day += o.every_days * DAY
            if not test:
                continue
            subprocess.run([o.scarce, "train", self.write("gb_train.csv", train), "-o", model, *ROLES, "--ignore", IGNORE], check=True,
                           stdout=subprocess.DEVNULL)
            got = subprocess.run([o.scarce, "score", model, self.write("gb_test.csv", test), "--keep", "label,time,card,amount", "--quiet"],
                                 check=True, stdout=subprocess.PIPE, text=True).stdout
            scored += [f"{r['score']},{r['label']},{r['time']},{r['card']},{r['amount']}\n" for r in csv.DictReader(got.splitlines())]
        return judge(o, f"gb, every {o.every_days} day(s), {o.history_days} days of history", scored, time.perf_counter() - start)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("scarce"), p.add_argument("work")
    p.add_argument("--rows", type=int, default=1_000_000), p.add_argument("--seed", type=int, default=1)
    p.add_argument("--methods", default=",".join(ONLINE)), p.add_argument("--no-gb", action="store_true")
    p.add_argument("--every-days", type=int, default=1), p.add_argument("--history-days", type=int, default=60)
    p.add_argument("--out", default=os.path.join(HERE, "e14.csv"))
    o = p.parse_args()
    os.makedirs(o.work, exist_ok=True)
    stream = simulate(o)
    with open(stream) as f:
        half = sum(1 for _ in f) // 2
    with open(o.out, "w", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        w.writeheader()
        for job in [lambda m=m: online(o, stream, m, half) for m in o.methods.split(",") if m] + ([] if o.no_gb else [lambda: Retrained(o, stream).run(half)]):
            row = job()
            w.writerow({k: round(v, 5) if isinstance(v, float) else v for k, v in row.items()})
            f.flush()
            print(" ".join(f"{k}={v}" for k, v in row.items()), flush=True)


if __name__ == "__main__":
    main()
