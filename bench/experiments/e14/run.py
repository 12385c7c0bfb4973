#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E14: the hard fraud stream (`scarce simulate fraud preset=hard`): online learners with labels that come a week late, beside methods
that are trained anew every few days on the labels known by then. Standard library only, but for the peers.

run.py SCARCE WORK [--rows 1000000] [--seed 1] [--methods onlb,mlp] [--trained gb,logistic] [--peers river-logistic,vw] [--every-days 1]
       [--history-days 60] [--out e14.csv]
    Peers (in a Python that has river, vowpalwabbit, xgboost, lightgbm, catboost, scikit-learn, imbalanced-learn) see the same columns: those of River
    and Vowpal Wabbit learn row by row, the others are trained anew as ours are. Engines that are in the table already are passed over, so a run
    goes on where it was. `cpu` is the time of all processors together: it holds on a busy machine, `seconds` don't.
    Every row is scored by a model that could have existed at its time: by `scarce learn --delay 7d --predictions`, or by a model that is trained at
    the beginning of each span on the rows of the last --history-days that are older than 7 days. The scores of the second half of
    the stream are judged by `scarce eval --scores`: AP, card precision at 100, and the money of the frauds among as many rows as there are frauds
    (amount_recovered_at_k), which is what a gap costs."""
import argparse
import csv
import json
import os
import resource
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DAY = 86400
ONLINE = ["onlb", "onlb:scheme=paper", "mlp", "streamboost", "ogb", "online-bbm", "adaboost-ol", "adaboost-ol-w", "online-net", "online-linear", "online-tree"]
TRAINED = ["gb"]
PEERS = ["river-logistic", "river-hoeffding", "river-boosting", "vw", "vw-boosting", "xgboost", "lightgbm", "catboost", "catboost-100", "sklearn-hist", "sklearn-forest",
         "balanced-forest"]
IGNORE = "tx_id,terminal,label_time"
ROLES = ["--time", "time", "--group", "card", "--amount", "amount", "--quiet"]
COLUMNS = ["engine", "rows", "ap", "card_precision", "amount_recovered", "seconds", "cpu"]


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
    """A method that is trained anew every few days, over the lines of the stream in memory."""

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

    def spans(self, half):
        """(rows to learn, rows to score) of each training."""
        o, day = self.o, self.time[half] - self.time[half] % DAY
        while day <= self.time[-1]:
            test = [i for i in self.rows(day, day + o.every_days * DAY) if i >= half]
            if test:
                yield self.rows(day - 7 * DAY - o.history_days * DAY, day - 7 * DAY), test
            day += o.every_days * DAY

    def run(self, half, method):
        o, start, scored = self.o, time.perf_counter(), []
        model = os.path.join(o.work, "trained.scarce")
        for train, test in self.spans(half):
            subprocess.run([o.scarce, "train", self.write("train.csv", train), "--method", method, "-o", model, *ROLES, "--ignore", IGNORE], check=True,
                           stdout=subprocess.DEVNULL)
            got = subprocess.run([o.scarce, "score", model, self.write("test.csv", test), "--keep", "label,time,card,amount", "--quiet"],
                                 check=True, stdout=subprocess.PIPE, text=True).stdout
            scored += [f"{r['score']},{r['label']},{r['time']},{r['card']},{r['amount']}\n" for r in csv.DictReader(got.splitlines())]
        return judge(o, every(o, method), scored, time.perf_counter() - start)

    def peer(self, half, name):
        import peers
        o, start = self.o, time.perf_counter()
        table = peers.Table(self.head, self.lines, [*IGNORE.split(","), "card", "time", "label"])
        scored = []
        for test, scores in peers.trained(name, table, self.spans(half)):
            for i, score in zip(test, scores):
                r = table.rows[i]
                scored.append(f"{score},{r['label']},{r['time']},{r['card']},{r['amount']}\n")
        return judge(o, every(o, name), scored, time.perf_counter() - start)


def every(o, name):
    return f"{name}, every {o.every_days} day(s), {o.history_days} days of history"


def online_peer(o, stream, name, half):
    """River and Vowpal Wabbit: score, then learn what is a week old."""
    import peers
    start, scored = time.perf_counter(), []
    with open(stream, newline="") as f:
        for i, (score, r) in enumerate(peers.prequential(name, csv.DictReader(f), 7 * DAY, [*IGNORE.split(","), "card", "time", "label"])):
            if i >= half:
                scored.append(f"{score},{r['label']},{r['time']},{r['card']},{r['amount']}\n")
    return judge(o, name, scored, time.perf_counter() - start)


def cpu():
    return sum(t for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN) for t in resource.getrusage(who)[:2])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("scarce"), p.add_argument("work")
    p.add_argument("--rows", type=int, default=1_000_000), p.add_argument("--seed", type=int, default=1)
    p.add_argument("--methods", default=",".join(ONLINE)), p.add_argument("--trained", default=",".join(TRAINED))
    p.add_argument("--peers", default="", help=",".join(PEERS))
    p.add_argument("--every-days", type=int, default=1), p.add_argument("--history-days", type=int, default=60)
    p.add_argument("--out", default=os.path.join(HERE, "e14.csv"))
    o = p.parse_args()
    os.makedirs(o.work, exist_ok=True)
    stream = simulate(o)
    with open(stream) as f:
        half = sum(1 for _ in f) // 2
    jobs = [(m, lambda m=m: online(o, stream, m, half)) for m in o.methods.split(",") if m]
    jobs += [(m, lambda m=m: online_peer(o, stream, m, half)) for m in o.peers.split(",") if m.startswith(("river", "vw"))]
    jobs += [(every(o, m), lambda m=m: Retrained(o, stream).run(half, m)) for m in o.trained.split(",") if m]
    jobs += [(every(o, m), lambda m=m: Retrained(o, stream).peer(half, m)) for m in o.peers.split(",") if m and not m.startswith(("river", "vw"))]
    done = []
    if os.path.exists(o.out):
        with open(o.out, newline="") as f:
            done = list(csv.DictReader(f))
    for name, job in jobs:
        if any(r["engine"] == name for r in done):
            continue
        before = cpu()
        row = job()
        row["cpu"] = cpu() - before
        done.append({k: round(v, 5) if isinstance(v, float) else v for k, v in row.items()})
        with open(o.out, "w", newline="") as f:
            w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
            w.writeheader()
            w.writerows(done)
        print(" ".join(f"{k}={v}" for k, v in row.items()), flush=True)


if __name__ == "__main__":
    main()
