#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the layer of nlb costs beside plain boosting: CPU milliseconds of a tree, from trainings of 1 and 101 trees.

nlb.py SCARCE FILE.csv [--rounds 3] [--threads 1]        FILE: 100,000 rows, e.g. of gen_data.py or `scarce simulate`"""
import argparse
import os
import resource
import subprocess
import tempfile

SETTINGS = {leaves: {"gb": ["--method", "gb", "--set", "sample=all", "--set", "learning_rate=0.1", "--set", "splits=best"],
                     "nlb, no layer": ["--method", "nlb", "--set", "latent_rate=0"], "nlb, P = 20": ["--method", "nlb"]} for leaves in (2, 4, 8, 31)}


def seconds(o, options, leaves, trees, model):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([o.scarce, "train", o.file, *options, "--set", f"max_leaves={leaves}", "--set", f"n_trees={trees}", "-o", model, "--quiet",
                    "--threads", str(o.threads)], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    p = argparse.ArgumentParser()
    p.add_argument("scarce"), p.add_argument("file"), p.add_argument("--rounds", type=int, default=3), p.add_argument("--threads", type=int, default=1)
    o = p.parse_args()
    with tempfile.TemporaryDirectory() as work:
        model = os.path.join(work, "model")
        print(f"{'leaves':>6} " + " ".join(f"{n:>14}" for n in SETTINGS[2]) + f" {'nlb / gb':>9}")
        for leaves, methods in SETTINGS.items():
            found = {n: min(10 * (seconds(o, s, leaves, 101, model) - seconds(o, s, leaves, 1, model)) for _ in range(o.rounds)) for n, s in methods.items()}
            print(f"{leaves:6} " + " ".join(f"{v:11.2f} ms" for v in found.values()) + f" {found['nlb, P = 20'] / found['gb']:9.2f}", flush=True)


main()
