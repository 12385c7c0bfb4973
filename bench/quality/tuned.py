# SPDX-License-Identifier: Apache-2.0
"""Is `scarce tune` too careful? On the sets of the development half: rows are split as in study.py, tune searches on the
training rows, and both the default setting and the one with the highest value are judged on the test rows, whatever
tune advises; `errors` is how many standard errors the highest was ahead.

    python tuned.py SCARCE WORK OUT.csv [--splits 2] [--trials 30] [--min-rows N] [--max-rows N]
    python tuned.py --table OUT.csv     what taking the highest from so many errors on would have gained

Lines that OUT.csv has already are not computed again."""
import argparse
import csv
import json
import os
import subprocess
import tempfile

import numpy as np
import pandas as pd

import sets


def test_ap(scarce, folder, settings):
    model = f"{folder}/m.scarce"
    args = [x for pair in settings.split() for x in ("--set", pair)]
    subprocess.run([scarce, "train", f"{folder}/train.csv", "--label", "label", *args, "-o", model, "--quiet"], check=True)
    done = subprocess.run([scarce, "eval", model, f"{folder}/test.csv", "--json", "--quiet"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["ap"]


def one(scarce, folder, data, train, test, trials):
    data.iloc[train].to_csv(f"{folder}/train.csv", index=False)
    data.iloc[test].to_csv(f"{folder}/test.csv", index=False)
    for old in os.listdir(folder):
        if old.startswith("best"):
            os.remove(f"{folder}/{old}")
    done = subprocess.run([scarce, "tune", f"{folder}/train.csv", "--label", "label", "--trials", str(trials), "--json", "--quiet", "-o", f"{folder}/best.conf"],
                          check=True, capture_output=True, text=True)
    t = json.loads(done.stdout)
    highest = t["trials"][t["highest"]]["settings"]
    default = test_ap(scarce, folder, "")
    return {"taken": int(t["best"] != 0), "difference": t["difference"], "error": t["error"], "default_ap": default,
            "highest_ap": test_ap(scarce, folder, highest) if highest else default, "splits": t["splits"]}


def table(path):
    d = pd.read_csv(path)
    d["errors"] = np.where(d.error > 0, d.difference / d.error, np.where(d.difference > 0, np.inf, 0))
    d["gain"] = d.highest_ap - d.default_ap
    print(f"{d['set'].nunique()} sets, {len(d)} searches; default AP {d.default_ap.mean():.4f}; tune took another setting in {int(d.taken.sum())}")
    print("from     taken   mean gain of all   sets won  lost")
    for least in (0, 0.5, 1, 1.5, 2, 2.5, 3):
        gain = d.gain.where(d.errors > least, 0).groupby(d["set"]).mean()
        print(f"{least:3.1f} errors {int((d.errors > least).sum()):5d}   {gain.mean():+.4f} +- {gain.std() / np.sqrt(len(gain)):.4f}   {int((gain > 5e-4).sum()):6d} {int((gain < -5e-4).sum()):5d}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("scarce")
    p.add_argument("work", nargs="?")
    p.add_argument("out", nargs="?")
    p.add_argument("--splits", type=int, default=2)
    p.add_argument("--trials", type=int, default=30)
    p.add_argument("--min-rows", type=int, default=0)
    p.add_argument("--max-rows", type=int, default=10**9)
    p.add_argument("--table", action="store_true")
    a = p.parse_args()
    if a.table:
        return table(a.scarce)
    index = pd.read_csv(f"{a.work}/index.csv", keep_default_na=False)
    index = index[(index.half == 0) & (index.rows >= a.min_rows) & (index.rows < a.max_rows)].sort_values("rows")
    done = set()
    if os.path.exists(a.out):
        done = {(r["set"], int(r["split"])) for r in csv.DictReader(open(a.out))}
    for name in index["set"]:
        path, _ = sets.load(a.work, name)
        data = pd.read_csv(path)
        label = data["label"].to_numpy() if "label" in data else data.iloc[:, -1].to_numpy()
        for s, (train, test) in enumerate(sets.splits(label, name, a.splits)):
            if (name, s) in done:
                continue
            with tempfile.TemporaryDirectory() as folder:
                row = {"set": name, "split": s, **one(a.scarce, folder, data, train, test, a.trials)}
            new = not os.path.exists(a.out)
            with open(a.out, "a", newline="") as f:
                w = csv.DictWriter(f, row)
                if new:
                    w.writeheader()
                w.writerow({k: round(v, 5) if isinstance(v, float) else v for k, v in row.items()})
    return table(a.out)


if __name__ == "__main__":
    main()
