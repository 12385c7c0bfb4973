#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E5, the toy of 003, section 4.1: what two stumps can say as a sum, and through representations. Standard library only.

run.py SCARCE WORK [--seeds 100] [--rows 2000]

For each seed `simulate toy` makes a training and a test set. given: the columns say whether a row is in a strip (x1 < 0.2, x2 >= 0.8), so a stump on
a column has one split, the right one. free: the columns as they are. Prints the share of seeds with AP of 0.9 or more on the test set, and means."""
import argparse
import csv
import json
import os
import subprocess

SETTINGS = {"gb": ["--method", "gb", "--set", "learning_rate=1"],
            "nlb paper, 1 pass": ["--method", "nlb", "--set", "scheme=paper", "--set", "representations=10", "--set", "passes=1"],
            "nlb paper, 10 passes": ["--method", "nlb", "--set", "scheme=paper", "--set", "representations=10"],
            "nlb skip": ["--method", "nlb", "--set", "latent_rate=0.01", "--set", "latent_steps=200", "--set", "learning_rate=1"]}


def given(path, out):
    with open(path, newline="") as f, open(out, "w", newline="") as g:
        w = csv.writer(g, lineterminator="\n")
        w.writerow(["left", "top", "label"])
        for r in csv.DictReader(f):
            w.writerow([int(float(r["x1"]) < 0.2), int(float(r["x2"]) >= 0.8), r["label"]])
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("scarce"), p.add_argument("work")
    p.add_argument("--seeds", type=int, default=100), p.add_argument("--rows", type=int, default=2000)
    o = p.parse_args()
    os.makedirs(o.work, exist_ok=True)
    found = {}
    for seed in range(1, o.seeds + 1):
        files = {}
        for part, s in (("train", seed), ("test", seed + 100000)):
            path = os.path.join(o.work, part + ".csv")
            subprocess.run([o.scarce, "simulate", "toy", "-o", path, "--seed", str(s), "--set", f"rows={o.rows}", "--quiet"], check=True)
            files["free", part] = path
            files["given", part] = given(path, os.path.join(o.work, part + "-given.csv"))
        for splits in ("given", "free"):
            for name, options in SETTINGS.items():
                model = os.path.join(o.work, "model")
                subprocess.run([o.scarce, "train", files[splits, "train"], "-o", model, "--quiet", "--seed", str(seed), "--threads", "1",
                                "--set", "n_trees=2", "--set", "max_depth=1", *options], check=True)
                out = subprocess.run([o.scarce, "eval", model, files[splits, "test"], "--json", "--quiet"], check=True, stdout=subprocess.PIPE, text=True)
                m = json.loads(out.stdout)
                m = m.get("metrics", m)
                found.setdefault((splits, name), []).append((m["ap"], m["f1_best"]))
    print(f"{'splits':7} {'two stumps':24} {'AP >= 0.9':>10} {'mean AP':>8} {'mean best F1':>13}      (published: GB .4476 and .7012, NLB .9088 and .8874)")
    for (splits, name), values in found.items():
        n = len(values)
        print(f"{splits:7} {name:24} {sum(a >= 0.9 for a, _ in values):6} / {n:3} {sum(a for a, _ in values) / n:7.4f} {sum(f for _, f in values) / n:12.4f}")


main()
