# SPDX-License-Identifier: Apache-2.0
"""Scoring with 100 trees of 31 leaves: the same trees in the program that grew them and in ours."""
import sys
from pathlib import Path

from engines import files, peer
from harness import DATA, Alone, Worker, data_set, driver, take_turns, threads_text


def library(package, name):
    places = [Path(p) / package / "lib" / name for p in sys.path]
    return next(str(p) for p in places if p.exists())


def grow(name, path, d, threads):
    if not path.exists():
        w = peer(name, "boost", Alone, **files(d), save=path, threads=threads)
        w.go()
        w.end()


def start(who, model, d, threads):
    """Ours and the program the trees are from."""
    lib = library(who.lower(), {"LightGBM": "lib_lightgbm.so", "XGBoost": "libxgboost.so"}[who])
    return [Worker("scarce", driver("predict", "scarce", model, d["test_X"], threads), threads),
            Worker(who, driver("predict", who.lower(), model, d["test_X"], threads, lib), threads)]


def run(a):
    rows = 20_000 if a.quick else 200_000
    d = data_set("predict", rows, rows, positives=0.05)  # enough positives that every tree gets its 31 leaves
    models = {"LightGBM": DATA / f"predict_{rows}.txt", "XGBoost": DATA / f"predict_{rows}.json"}
    grow("LightGBM xlike+cap", models["LightGBM"], d, a.threads)
    grow("XGBoost lossguide+cap", models["XGBoost"], d, a.threads)
    out = []
    for who, model in models.items():
        for threads in range(1, a.threads + 1):
            workers = start(who, model, d, threads)
            take_turns(workers, a.rounds or 7)
            for w in workers:
                out.append({"setting": f"trees of {who}, all {rows} rows at once, {threads_text(threads)}",
                            "engine": w.name, "n": len(w.runs), "mrows_per_s": round(rows / w.median() / 1e6, 3),
                            "mrows_per_cpu_s": round(rows / w.median("cpu") / 1e6, 3),
                            "ratio": round(w.median() / workers[0].median(), 2),
                            "cpu_ratio": round(w.median("cpu") / workers[0].median("cpu"), 2),
                            "mean_score": w.info.get("mean_score")})
            if threads > 1:
                continue
            workers = start(who, model, d, 1)
            take_turns(workers, a.rounds or 5, word="one")
            for w in workers:
                us = lambda key: round(1e6 * w.median(key), 2)
                out.append({"setting": f"trees of {who}, single rows", "engine": w.name, "n": len(w.runs),
                            "p50_us": us("seconds"), "p99_us": us("p99"), "min_us": us("least"),
                            "ratio": round(w.median() / workers[0].median(), 2),
                            "ratio_min": round(w.median("least") / workers[0].median("least"), 2),
                            "mean_score": w.median("checksum") / rows})
    return "scoring with trees", out, [
        "Aims: 2 times LightGBM in both. Others through their C interfaces: LightGBM SingleRowFast and PredictForMat, "
        "XGBoost PredictFromDense (in place). Single rows: each call timed by itself over different rows, a clock pair "
        "included; n is the rounds, the figures are medians over the rounds. Equal mean_score: the trees are the same."]
