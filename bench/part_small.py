# SPDX-License-Identifier: Apache-2.0
"""Small tables, where what a program does beside the work counts: a whole fit, from an array to the trees."""
from engines import ALL, files, ours, pairs, peer
from harness import Worker, data_set, driver, ratios, take_turns, threads_text

SIZES = [(10_000, 20), (1_000, 8), (100, 10_000)]  # rows, features
WHO = ["LightGBM base", "LightGBM xlike+cap", "XGBoost hist, depth 6", "XGBoost lossguide+cap", "CatBoost, depth 6",
       "sklearn HistGB"]


def run(a):
    out = []
    for rows, features in SIZES:
        wide = features > 1000
        d = data_set(f"small{features}", rows, 1_000 if wide else 10_000, features=features, positives=0.05)
        for threads in range(1, a.threads + 1):
            how = dict(files(d), threads=threads)
            workers = [ours(ALL, "fit", **how),
                       Worker("scarce, scarce_train", driver("boost", "mode=train", *pairs(how)))]
            workers += [peer(n, "fit", **how) for n in WHO]
            take_turns(workers, a.rounds or (3 if a.quick else 25), budget=2 if a.quick else 6, least=1 if wide else 3)
            setting = f"{rows} rows x {features}, 5 % positives, 100 trees, {threads_text(threads)}"
            group = [w.row(setting) for w in workers]
            ratios(group, ALL)
            ratios(group, ALL, "cpu_s", "cpu_ratio")
            out += group
    return "small tables", out, ["scarce_train also scores the training rows and sets an alert threshold."]
