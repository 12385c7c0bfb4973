# SPDX-License-Identifier: Apache-2.0
"""The settings that are compared: trees of 31 leaves, learning rate 0.1, 255 bins unless a part says otherwise."""
from harness import Worker, driver, python

XLIKE = ["lambda_l2=1", "min_sum_hessian_in_leaf=1", "min_data_in_leaf=1"]  # what XGBoost has by default
CAP = ["max_delta_step=2"]
BAG10 = ["pos_bagging_fraction=1", "neg_bagging_fraction=0.1", "bagging_freq=1"]
LOSSGUIDE = ["grow_policy=lossguide"]

PEERS = {
    "LightGBM base": ["lightgbm"],
    "LightGBM xlike": ["lightgbm", *XLIKE],
    "LightGBM xlike+cap": ["lightgbm", *XLIKE, *CAP],
    "LightGBM xlike+quantised": ["lightgbm", *XLIKE, "use_quantized_grad=true"],
    "LightGBM xlike+cap+quantised": ["lightgbm", *XLIKE, *CAP, "use_quantized_grad=true"],
    "LightGBM xlike+bag10": ["lightgbm", *XLIKE, *BAG10],
    "LightGBM xlike+bag10+cap": ["lightgbm", *XLIKE, *BAG10, *CAP],
    "XGBoost hist, depth 6": ["xgboost"],
    "XGBoost hist, depth 6+cap": ["xgboost", *CAP],
    "XGBoost lossguide": ["xgboost", *LOSSGUIDE],
    "XGBoost lossguide+cap": ["xgboost", *LOSSGUIDE, *CAP],
    "CatBoost, depth 6": ["catboost"],
    "sklearn HistGB": ["sklearn"],
}
OURS = {"scarce, all rows": ["sample=all"], "scarce, all rows, rounding=0": ["sample=all", "rounding=0"],
        "scarce, sample=importance": ["sample=importance"]}
FAST = "scarce, sample=importance"
ALL = "scarce, all rows"
EXACT = "scarce, all rows, rounding=0"


def ours(name, mode, **options):
    return Worker(name, driver("boost", f"mode={mode}", *OURS[name], *pairs(options)), options.get("threads", 2))


def peer(name, mode, worker=None, **options):
    engine, *extra = PEERS[name]
    return (worker or Worker)(name, python("peers.py", mode, engine, *extra, *pairs(options)), options.get("threads", 2))


def pairs(options):
    return [f"{k}={v}" for k, v in options.items()]


def files(d, test=True):
    return {k: d[k] for k in (("X", "y", "test_X", "test_y") if test else ("X", "y"))}


EQUAL = 0.01


def judge(rows):
    """Adds to each row the ratios against each of ours, and whether they count: at equal average precision."""
    for base, name in ((ALL, "ratio"), (EXACT, "ratio_exact"), (FAST, "ratio_fast")):
        our = next((r for r in rows if r["engine"] == base), None)
        for r in rows:
            if our and r.get("median_s") and our.get("median_s"):
                r[name] = round(r["median_s"] / our["median_s"], 2)
                if r.get("cpu_s") and our.get("cpu_s"):
                    r[name.replace("ratio", "cpu_ratio")] = round(r["cpu_s"] / our["cpu_s"], 2)
                if r.get("ap") is not None and our.get("ap") is not None:
                    gap = r["ap"] - our["ap"]
                    r["ap_" + name] = "equal" if abs(gap) <= EQUAL else "lower" if gap < 0 else "higher"
    return rows
