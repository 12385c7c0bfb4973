# SPDX-License-Identifier: Apache-2.0
"""Trials of the search, the same for every engine in its own words. Standard library only."""
import math
import random


def log_between(g, a, b):
    return math.exp(g.uniform(math.log(a), math.log(b)))


def draw(engine, trial):
    g = random.Random(1000 + trial)
    rate, trees, leaves = log_between(g, 0.02, 0.3), int(log_between(g, 25, 400)), int(log_between(g, 4, 64))
    l2, weight = log_between(g, 0.1, 30), log_between(g, 0.01, 10)
    rows, columns, cap = g.uniform(0.5, 1), g.uniform(0.3, 1), g.choice([0, 1, 2, 4])
    coin, least = g.random(), int(log_between(g, 1, 60))
    rate, l2, weight, rows, columns = (float(f"{v:.4g}") for v in (rate, l2, weight, rows, columns))
    if engine == "scarce":
        return {"learning_rate": rate, "n_trees": trees, "max_leaves": leaves, "lambda": l2, "min_child_weight": weight,
                "min_child_rows": least, "subsample": rows, "colsample": columns, "max_delta_step": cap,
                "splits": "random" if coin < 0.5 else "best"}
    if engine == "xgboost":
        return {"learning_rate": rate, "n_estimators": trees, "max_leaves": leaves, "max_depth": 0,
                "grow_policy": "lossguide", "reg_lambda": l2, "min_child_weight": weight, "subsample": rows,
                "colsample_bytree": columns, "max_delta_step": cap}
    if engine == "lightgbm":
        return {"learning_rate": rate, "n_estimators": trees, "num_leaves": leaves, "reg_lambda": l2,
                "min_child_weight": weight, "min_child_samples": least, "subsample": rows, "subsample_freq": 1,
                "colsample_bytree": columns, "max_delta_step": cap, "extra_trees": coin < 0.5}
    return {"learning_rate": rate, "iterations": trees, "depth": min(6, max(2, round(math.log2(leaves)))),
            "l2_leaf_reg": l2, "rsm": columns, "subsample": rows, "bootstrap_type": "Bernoulli",
            "random_strength": round(2 * coin, 4)}
