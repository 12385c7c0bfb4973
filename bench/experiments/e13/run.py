#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E13, ours: `scarce train` and `scarce eval` on the Handbook's weeks. Standard library only.

run.py SCARCE STREAM.csv WORK OUT.csv [--trials 40] [--only NAME]
    STREAM.csv from stream.py, or from `scarce simulate fraud --preset handbook`; WORK: any folder
    appends lines like those of peers.py to OUT.csv; what is there already isn't computed again"""
import argparse
import csv
import json
import os
import resource
import subprocess

import folds
from trials import draw

COLUMNS = ["engine", "trial", "part", "start", "ap", "card_precision_at_k", "auc_roc", "seconds", "settings"]
ROLES = ["--time", "time", "--group", "card", "--ignore", "tx_id,terminal,label_time", "--quiet", "--threads", "1"]
DEFAULTS = {"scarce gb": ["gb"], "scarce logistic": ["logistic"], "scarce ap-lb": ["ap-lb"],
            "scarce sgbap": ["sgbap"], "scarce sgbap-sig": ["sgbap-sig"], "scarce lambdamart-ap": ["lambdamart-ap"],
            "scarce rankboost": ["rankboost"], "scarce focal": ["focal"], "scarce random-forest": ["random-forest"],
            "scarce balanced-random-forest": ["balanced-random-forest"],
            "scarce bag of trees, balanced": ["bag", {"inner": "cart", "inner.max_depth": 10, "members": 100, "balanced": "true"}],
            "scarce bag of gb, balanced": ["bag", {"inner": "gb", "members": 10, "balanced": "true"}],
            "scarce easy-ensemble of gb": ["easy-ensemble", {"inner": "gb"}]}


def fit(scarce, work, start, method, settings):
    train, test = folds.paths(work, start)
    model = os.path.join(work, f"model_{os.getpid()}.scarce")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    sets = [x for k, v in settings.items() for x in ("--set", f"{k}={v}")]
    subprocess.run([scarce, "train", train, "--method", method, "-o", model, *ROLES, *sets], check=True,
                   stdout=subprocess.DEVNULL)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([scarce, "eval", model, test, "--json", "--card-k", "100", *ROLES[:4], "--quiet", "--threads",
                          "1"], check=True, stdout=subprocess.PIPE, text=True)
    os.remove(model)
    told = json.loads(out.stdout)
    return told, now.ru_utime + now.ru_stime - spent.ru_utime - spent.ru_stime


def main():
    p = argparse.ArgumentParser()
    p.add_argument("scarce"), p.add_argument("stream"), p.add_argument("work"), p.add_argument("out")
    p.add_argument("--trials", type=int, default=40)
    p.add_argument("--only", default="", help="engines, by part of their name")
    o = p.parse_args()
    folds.write(o.stream, o.work)
    done = set()
    if os.path.exists(o.out):
        with open(o.out, newline="") as f:
            done = {(r["engine"], int(r["trial"]), int(r["start"])) for r in csv.DictReader(f)}
    jobs = [(name, -1, method, dict(*settings)) for name, (method, *settings) in DEFAULTS.items()]
    jobs += [("scarce gb", t, "gb", draw("scarce", t)) for t in range(o.trials)]
    jobs = [j for j in jobs if o.only in j[0]]
    new = not done
    with open(o.out, "a", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        if new:
            w.writeheader()
        for name, trial, method, settings in jobs:
            for s, part in [(s, "test") for s in folds.TEST] + [(s, "valid") for s in folds.VALID]:
                if (name, trial, s) in done:
                    continue
                m, spent = fit(o.scarce, o.work, s, method, settings)
                w.writerow({"engine": name, "trial": trial, "part": part, "start": s, "seconds": round(spent, 3),
                            "settings": json.dumps(settings),
                            **{k: round(m[k], 6) for k in ("ap", "card_precision_at_k", "auc_roc")}})
                f.flush()


if __name__ == "__main__":
    main()
