#!/usr/bin/env python3
"""Writes the golden files of test_tree_import: small XGBoost and LightGBM models and the margins they give.

Needs numpy, xgboost (made with 3.x) and lightgbm (made with 4.x). Run inside tests/golden:
    python3 make_import.py
Rows hold NaN, zeros of both signs, values equal to thresholds, their float neighbours, and categories
nobody has seen. import_rows.txt has a row per line, import_<model>.txt a margin per line.
To check the export by hand: python3 make_import.py check MODEL.json compares, for an XGBoost model
written by scarce__export_xgboost from import_<name>, the margins with those of import_<name>."""
import re
import sys

import lightgbm as lgb
import numpy as np
import xgboost as xgb

FEATURES, CATEGORY = 6, 5
rng = np.random.default_rng(20)


def make(n):
    X = np.round(rng.normal(size=(n, FEATURES)), 2).astype(np.float32)
    X[:, 1] = np.round(X[:, 1] * 3)
    X[:, CATEGORY] = rng.integers(0, 40, n)
    odd = np.isin(X[:, CATEGORY], [1, 4, 7, 33, 38])
    s = X[:, 0] + 0.7 * X[:, 1] * (X[:, 2] > 0) + 1.5 * odd + rng.normal(size=n) * 0.5
    y = (s > 1.2).astype(np.float32)
    X[rng.random(n) < 0.1, 2] = np.nan
    X[rng.random(n) < 0.1, 3] = 0
    X[rng.random(n) < 0.05, CATEGORY] = np.nan
    return X, y, s.astype(np.float32)


def margins(model, X, kind):
    if kind == "lgb":
        raw = model.predict(X, raw_score=True)  # of a random forest the sum; the average is what is linked
        return raw / model.num_trees() if "average_output" in model.model_to_string() else raw
    types = ["c" if f == CATEGORY else "float" for f in range(FEATURES)] if kind == "xgbc" else None
    d = xgb.DMatrix(X, feature_names=model.feature_names, feature_types=types, enable_categorical=kind == "xgbc")
    return model.predict(d, output_margin=True)


def check(path, name):
    X = np.loadtxt("import_rows.txt", dtype=np.float32)
    want = np.loadtxt(f"import_{name}.txt")
    got = margins(xgb.Booster(model_file=path), X, "xgbc" if "cat" in name or "onehot" in name else "xgb")
    print(name, "largest difference", np.abs(got - want).max())


if len(sys.argv) > 2 and sys.argv[1] == "check":
    for path in sys.argv[2:]:
        check(path, re.sub(r".*export_|\.json$", "", path))
    sys.exit(0)

X, y, s = make(3000)
common = dict(max_depth=3, eta=0.4, nthread=1, tree_method="hist", seed=1)
models = {}
plain = xgb.DMatrix(X, y)
types = ["c" if f == CATEGORY else "float" for f in range(FEATURES)]
cat = xgb.DMatrix(X, y, feature_types=types, enable_categorical=True)
named = xgb.DMatrix(X, s, feature_names=["alpha", "beta \u00e9", "gamma", "delta", "epsilon", "country"])
models["xgb_binary"] = (xgb.train(dict(common, objective="binary:logistic"), plain, 4), "xgb")
models["xgb_cat"] = (xgb.train(dict(common, objective="binary:logistic", max_cat_to_onehot=1), cat, 4), "xgbc")
models["xgb_onehot"] = (xgb.train(dict(common, objective="binary:logistic", max_cat_to_onehot=99), cat, 3), "xgbc")
models["xgb_dart"] = (xgb.train(dict(common, objective="binary:logistic", booster="dart", rate_drop=0.5), plain, 4), "xgb")
models["xgb_reg"] = (xgb.train(dict(common, objective="reg:squarederror"), named, 3), "xgbn")
models["xgb_poisson"] = (xgb.train(dict(common, objective="count:poisson"), plain, 3), "xgb")
rank = xgb.DMatrix(X, y)
rank.set_group([100] * 30)
models["xgb_rank"] = (xgb.train(dict(common, objective="rank:ndcg"), rank, 3), "xgb")

light = dict(num_leaves=8, learning_rate=0.4, num_threads=1, verbose=-1, min_data_in_leaf=20, seed=1)


def train(n, label=y, categories=None, **more):
    data = lgb.Dataset(X, label, categorical_feature=categories or [], free_raw_data=False)
    return lgb.train(dict(light, **more), data, n)


models["lgb_binary"] = (train(4, objective="binary", sigmoid=1.5), "lgb")
models["lgb_none"] = (train(4, objective="binary", use_missing=False), "lgb")
models["lgb_cat"] = (train(4, categories=[CATEGORY], objective="binary", min_data_per_group=10, cat_smooth=1), "lgb")
models["lgb_rf"] = (train(3, objective="binary", boosting="rf", bagging_freq=1, bagging_fraction=0.6), "lgb")
models["lgb_reg"] = (train(3, label=s, objective="regression"), "lgb")
models["lgb_stump"] = (train(1, objective="binary", min_data_in_leaf=3000), "lgb")

# rows around the thresholds of all models
text = "".join(m.save_raw("json").decode() if k.startswith("xgb") else m.model_to_string()
               for k, (m, _) in models.items())
numbers = re.findall(r'(?:"split_conditions":\[|threshold=)([^\]\n]*)', text)
t = np.unique(np.array([float(v) for line in numbers for v in re.split("[, ]", line) if v], np.float32))
N = 140
rows, _, _ = make(N)
rows[:, CATEGORY] = rng.integers(0, 45, N)
rows[N - 10:, CATEGORY] = [np.nan, 0, 40, 41, 63, 64, 100, 1000, 39, 33]
for i in range(20, N - 10):
    for f in range(FEATURES - 1):
        v = np.float32(rng.choice(t))
        rows[i, f] = [v, np.nextafter(v, np.float32(-np.inf)), np.nextafter(v, np.float32(np.inf))][rng.integers(3)]
rows[0, :5], rows[1, :5], rows[2, :] = 0.0, -0.0, np.nan
rows[3, :5], rows[4, :5] = 1e-35, -1e-35
rows[5, :5], rows[6, :5] = np.float32(1e-36), np.float32(-1e-36)
rows[7, :5], rows[8, :5] = np.float32(3e38), np.float32(-3e38)
rows = rows.astype(np.float32)
with open("import_rows.txt", "w") as f:
    for r in rows:
        f.write(" ".join("nan" if np.isnan(v) else "%.9g" % v for v in r) + "\n")
rows = np.loadtxt("import_rows.txt", dtype=np.float32)
for name, (model, kind) in models.items():
    if kind == "lgb":
        with open(f"import_{name}.model", "w") as f:  # without the list of parameters
            f.write(model.model_to_string().split("end of trees")[0] + "end of trees\n")
        got = margins(model, rows, kind)
    elif kind == "xgbn":
        model.save_model(f"import_{name}.json")
        got = model.predict(xgb.DMatrix(rows, feature_names=named.feature_names), output_margin=True)
    else:
        model.save_model(f"import_{name}.json")
        got = margins(model, rows, kind)
    np.savetxt(f"import_{name}.txt", got, fmt="%.9g")
models["xgb_binary"][0].save_model("import_xgb_binary.ubj")
models["xgb_cat"][0].save_model("import_xgb_cat.ubj")
