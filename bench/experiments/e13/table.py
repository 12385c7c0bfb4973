#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E13: means over the four test weeks, default and tuned, beside the published figures.

table.py FILE.csv ...   (written by run.py, bins.py, peers.py; default: e13*.csv beside this script)

Tuned: the trial with the best mean over the four validation weeks (the default is one of the trials), separately for
average precision and for card precision, as the Handbook does."""
import glob
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from common import load, mean  # noqa: E402

WEEK = 115
PUBLISHED = """Published, first week, default settings:
  logistic .606/.291/.871, random forest .658/.287/.867, XGBoost .639/.273/.862
Published, tuned, mean of four weeks:
  XGBoost AP .687-.694, random forest .678, balanced bagging .680 and card precision .305"""


def main():
    files = sys.argv[1:] or sorted(glob.glob(os.path.join(HERE, "e13*.csv")))
    fits = [f for name in files for f in load(name)]
    print("| engine | first week, default: AP / CP@100 / AUC | four weeks, default: AP / CP@100 / AUC | "
          "tuned by AP: AP | tuned by CP: CP@100 | trials |\n|---|---|---|---:|---:|---:|")
    for engine in dict.fromkeys(f["engine"] for f in fits):
        mine = [f for f in fits if f["engine"] == engine]
        of = lambda trial, part, key: [f[key] for f in mine if f["trial"] == trial and f["part"] == part]
        tell = lambda rows: " / ".join(f"{mean([f[k] for f in rows]):.3f}" for k in ("ap", "card_precision_at_k", "auc_roc"))
        default = [f for f in mine if f["trial"] == -1 and f["part"] == "test"]
        first = [f for f in default if f["start"] == WEEK]
        trials = [t for t in dict.fromkeys(f["trial"] for f in mine)
                  if len(of(t, "valid", "ap")) == 4 and len(of(t, "test", "ap")) == 4]
        tuned = ["", ""]
        if len(trials) > 1:
            for k, key in enumerate(("ap", "card_precision_at_k")):
                best = max(trials, key=lambda t: mean(of(t, "valid", key)))
                tuned[k] = f"{mean(of(best, 'test', key)):.3f}"
        print(f"| {engine} | {tell(first) if first else ''} | {tell(default) if len(default) == 4 else ''} | {tuned[0]} | "
              f"{tuned[1]} | {len(trials) if len(trials) > 1 else ''} |")
    print("\n" + PUBLISHED)


main()
