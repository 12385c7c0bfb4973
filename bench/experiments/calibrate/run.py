#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which calibration should be the default where there are validation rows?

    run.py SCARCE [--data FOLDER] [--out results.csv]

Streams made by `scarce simulate fraud` (several sizes, rates and seeds) are cut by time: the first 60 % train, their
latest fifth calibrates, the last 40 % judge. Sets of a folder of CSV files (label last, named label) are cut at
random, 60 : 40, with a fifth of the training rows to calibrate. For every way the log loss, the error of
calibration (ECE) and the ratio of the mean probability to the share of positives are written, one line each."""
import argparse
import csv
import glob
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile

WAYS = ["prior", "shift", "platt", "beta", "isotonic"]
METHODS = ["gb", "logistic"]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def judge(scarce, train, test, roles, ignore, method, way, work, seed):
    model = os.path.join(work, "m")
    options = ["--ignore", ignore] if ignore else []
    try:
        run(scarce, "train", train, *roles, *options, "--method", method, "--valid-fraction", "0.2", "--calibrate", way,
            "--seed", str(seed), "-o", model, "--quiet")
        m = json.loads(run(scarce, "eval", model, test, "--json", "--quiet"))
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return None
    return m["log_loss"], m["ece"], m["bias"], m["positives"] / m["rows"], m["ap"]


def cut(lines, share):
    at = int(len(lines) * share)
    return lines[:at], lines[at:]


def write(path, header, lines):
    with open(path, "w", encoding="utf-8") as f:
        f.write(header)
        f.writelines(lines)


def streams(scarce, work):
    for n in (10000, 40000, 160000):
        for preset in ("hard", "handbook"):
            for seed in range(1, 6):
                path = os.path.join(work, "s.csv")
                run(scarce, "simulate", "fraud", "--preset", preset, "--transactions", str(n), "--seed", str(seed), "-o", path,
                    "--quiet")
                with open(path, encoding="utf-8") as f:
                    header, *lines = f.readlines()
                column = header.strip().split(",").index("time")
                lines.sort(key=lambda l: float(l.split(",")[column]))
                yield f"{preset}-{n}", seed, header, *cut(lines, 0.6), ["--time", "time"], "tx_id,label_time"


def sets(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.csv.gz"))):
        with gzip.open(path, "rt", encoding="utf-8") as f:
            header, *lines = f.readlines()
        if not 500 <= len(lines) <= 60000 or header.count(",") > 100:
            continue
        for seed in (1, 2):
            random.Random(seed).shuffle(lines)
            yield os.path.basename(path)[:-7], seed, header, *cut(lines, 0.6), [], ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("scarce")
    p.add_argument("--data")
    p.add_argument("--out", default="results.csv")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as work, open(a.out, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f)
        out.writerow(["kind", "set", "seed", "method", "way", "positives_valid", "log_loss", "ece", "ratio", "share", "ap"])
        sources = [("stream", streams(a.scarce, work))] + ([("set", sets(a.data))] if a.data else [])
        for kind, source in sources:
            for name, seed, header, first, last, roles, ignore in source:
                train, test = os.path.join(work, "train.csv"), os.path.join(work, "test.csv")
                write(train, header, first)
                write(test, header, last)
                label = header.strip().split(",").index("label")
                valid = sum(l.rstrip("\n").split(",")[label] == "1" for l in first) / 5
                for method in METHODS:
                    for way in WAYS:
                        r = judge(a.scarce, train, test, roles + ["--label", "label"], ignore, method, way, work, seed)
                        if r:
                            out.writerow([kind, name, seed, method, way, round(valid), f"{r[0]:.6f}", f"{r[1]:.6f}",
                                          f"{(r[2] + r[3]) / r[3]:.4f}", f"{r[3]:.6f}", f"{r[4]:.4f}"])
                            f.flush()


if __name__ == "__main__":
    main()
