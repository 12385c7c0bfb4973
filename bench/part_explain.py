# SPDX-License-Identifier: Apache-2.0
"""Shapley values of 100 trees of 31 leaves: the same trees in LightGBM, which grew them, and in ours."""
from part_predict import grow, library
from harness import DATA, Worker, data_set, driver, take_turns, threads_text


def start(model, d, threads):
    lib = library("lightgbm", "lib_lightgbm.so")
    return [Worker("scarce", driver("explain", "scarce", model, d["test_X"], threads), threads),
            Worker("LightGBM", driver("explain", "lightgbm", model, d["test_X"], threads, lib), threads)]


def run(a):
    rows = 2_000 if a.quick else 1_000_000 if a.full else 20_000  # LightGBM takes about a millisecond for each
    d = data_set("explain", rows, rows, positives=0.05)  # enough positives that every tree gets its 31 leaves
    model = DATA / f"explain_{rows}.txt"
    grow("LightGBM xlike+cap", model, d, a.threads)
    out = []
    for threads in range(1, a.threads + 1):
        workers = start(model, d, threads)
        take_turns(workers, a.rounds or (1 if a.full else 5))
        for w in workers:
            out.append({"setting": f"all contributions of {rows} rows, {threads_text(threads)}", "engine": w.name,
                        "n": len(w.runs), "median_s": round(w.median(), 3),
                        "us_per_row": round(1e6 * w.median() / rows, 2), "cpu_s": round(w.median("cpu"), 3),
                        "ratio": round(w.median() / workers[0].median(), 2),
                        "cpu_ratio": round(w.median("cpu") / workers[0].median("cpu"), 2),
                        "rss_mib": round(w.info.get("rss_mib", 0)),
                        "mean_contribution": w.info.get("mean_contribution")})
    workers = start(model, d, 1)
    take_turns(workers, a.rounds or 5, word="one")
    for w in workers:
        us = lambda key: round(1e6 * w.median(key), 2)
        out.append({"setting": "one row: the 5 strongest reasons (LightGBM: all contributions)", "engine": w.name,
                    "n": len(w.runs), "p50_us": us("seconds"), "p99_us": us("p99"), "min_us": us("least"),
                    "ratio": round(w.median() / workers[0].median(), 2)})
    return "explaining scores of trees", out, [
        "Aims: one row in less than 100 us, a batch 5 times as fast as LightGBM. LightGBM through its C interface "
        "(PredictForMat with C_API_PREDICT_CONTRIB). Ours gives contributions in blocks to a callback, LightGBM as one "
        "array of all rows: see rss_mib. mean_contribution (of its size) is alike, not equal: LightGBM counts rows where XGBoost and ours weigh them. --full takes 1 000 000 rows."]
