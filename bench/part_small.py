# SPDX-License-Identifier: Apache-2.0
"""Small tables, where what a program does beside the work counts: a whole fit, from an array to the trees."""
from engines import ALL, PEERS, files, ours, peer
from harness import Worker, data_set, driver, ratios, take_turns

SIZES = {"10000 rows x 20": (10_000, 20, 0.05), "1000 rows x 8": (1_000, 8, 0.05), "100 rows x 10000": (100, 10_000, 0.05)}
WHO = ["LightGBM base", "LightGBM xlike+cap", "XGBoost hist, depth 6", "XGBoost lossguide+cap", "CatBoost, depth 6",
       "sklearn HistGB"]


def run(a):
    out = []
    for size, (rows, features, positives) in SIZES.items():
        d = data_set(f"small{features}", rows, 10_000 if features < 100 else 1_000, features=features, positives=positives)
        for threads in range(1, a.threads + 1):
            how = dict(files(d), threads=threads)
            workers = [ours(ALL, "fit", **how),
                       Worker("scarce, scarce_train", driver("boost", "mode=train", f"X={d['X']}", f"y={d['y']}", f"threads={threads}"))]
            workers += [peer(n, "fit", **how) for n in WHO]
            take_turns(workers, a.rounds or (3 if a.quick else 25), budget=2 if a.quick else 6)
            group = [w.row(f"{size}, 5 % positives, 100 trees, {threads} thread{'s' * (threads > 1)}") for w in workers]
            ratios(group, ALL)
            ratios(group, ALL, "cpu_s", "cpu_ratio")
            out += group
    assert all(n in PEERS for n in WHO)
    return "small tables", out, ["scarce_train also scores the training rows and sets an alert threshold."]
