# SPDX-License-Identifier: Apache-2.0
"""Workers that train boosted trees with other programs.

peers.py MODE ENGINE key=value ...   as bench/boost.c: X= y= test_X= test_y= threads= n_trees= max_leaves= max_bins=
    MODE boost: bins once, a run is from bins in memory to the trees; fit: a run is from the array to the trees
    ENGINE lightgbm, xgboost, catboost, sklearn; further keys go to it as they are
    save=FILE writes the last model"""
import sys
import time

import numpy as np

import harness

OURS = {"X": None, "y": None, "test_X": None, "test_y": None, "threads": 2, "n_trees": 100, "max_leaves": 31,
        "max_bins": 255, "save": None}


def value(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False}.get(text, text)


class LightGBM:
    def __init__(self, o, extra):
        import lightgbm
        self.lib, self.o = lightgbm, o
        self.how = {"objective": "binary", "num_leaves": o["max_leaves"], "learning_rate": 0.1,
                    "max_bin": o["max_bins"], "num_threads": o["threads"], "verbose": -1, "seed": 1, **extra}

    def bins(self, X, y):
        self.data = self.lib.Dataset(X, y, params=dict(self.how), free_raw_data=False).construct()

    def train(self):
        self.model = self.lib.train(self.how, self.data, self.o["n_trees"])

    def score(self, X):
        return self.model.predict(X, raw_score=True)

    def save(self, path):
        self.model.save_model(path)


class XGBoost:
    def __init__(self, o, extra):
        import xgboost
        self.lib, self.o = xgboost, o
        self.how = {"objective": "binary:logistic", "eta": 0.1, "max_bin": o["max_bins"] + 1, "tree_method": "hist",
                    "nthread": o["threads"], "seed": 1, "max_depth": 6, **extra}
        if extra.get("grow_policy") == "lossguide":
            self.how.update(max_leaves=o["max_leaves"], max_depth=0)

    def bins(self, X, y):
        self.data = self.lib.QuantileDMatrix(X, y, max_bin=self.how["max_bin"], nthread=self.o["threads"])

    def train(self):
        self.model = self.lib.train(self.how, self.data, self.o["n_trees"])

    def score(self, X):
        return self.model.inplace_predict(X, predict_type="margin")

    def save(self, path):
        self.model.save_model(path)


class CatBoost:
    def __init__(self, o, extra):
        import catboost
        self.lib, self.o = catboost, o
        self.how = {"iterations": o["n_trees"], "depth": 6, "learning_rate": 0.1, "loss_function": "Logloss",
                    "border_count": o["max_bins"] - 1, "thread_count": o["threads"], "random_seed": 1,
                    "allow_writing_files": False, "logging_level": "Silent", **extra}

    def bins(self, X, y):
        self.data = self.lib.Pool(X, y, thread_count=self.o["threads"])
        self.data.quantize(border_count=self.how["border_count"], task_type="CPU")

    def train(self):
        self.model = self.lib.CatBoost(self.how)
        self.model.fit(self.data)

    def score(self, X):
        return self.model.predict(X, prediction_type="RawFormulaVal")


class Sklearn:
    """Its bins can't be kept: they are made in every fit, and their time is taken off."""

    def __init__(self, o, extra):
        from sklearn.ensemble import HistGradientBoostingClassifier as Classifier
        self.spent = 0.0, 0.0
        bin_data = Classifier._bin_data

        def timed(*a, **k):
            t = time.perf_counter(), time.process_time()
            out = bin_data(*a, **k)
            self.spent = time.perf_counter() - t[0], time.process_time() - t[1]
            return out

        Classifier._bin_data = timed
        self.make = lambda: Classifier(max_iter=o["n_trees"], max_leaf_nodes=o["max_leaves"], learning_rate=0.1,
                                       max_bins=o["max_bins"], early_stopping=False, random_state=1, **extra)

    def bins(self, X, y):
        self.X, self.y = X, y

    def train(self):
        self.model = self.make().fit(self.X, self.y)

    def score(self, X):
        return self.model.decision_function(X)


def main():
    mode, engine = sys.argv[1:3]
    given = {k: value(v) for k, v in (a.split("=", 1) for a in sys.argv[3:])}
    o = {k: given.pop(k, v) for k, v in OURS.items()}
    peer = {"lightgbm": LightGBM, "xgboost": XGBoost, "catboost": CatBoost, "sklearn": Sklearn}[engine](o, given)
    X, y = np.load(o["X"]), np.load(o["y"]).astype(np.float32)
    bin_time = 0.0
    if mode == "boost":
        t = time.perf_counter()
        peer.bins(X, y)
        bin_time = time.perf_counter() - t

    def run():
        wall, cpu = time.perf_counter(), time.process_time()
        if mode != "boost":
            peer.bins(X, y)
        peer.train()
        took = {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
        if mode == "boost" and engine == "sklearn":
            took = {"seconds": took["seconds"] - peer.spent[0], "cpu": took["cpu"] - peer.spent[1],
                    "bin": peer.spent[0]}
        return took

    def info():
        out = {}
        if o["save"]:
            peer.save(o["save"])
        if o["test_X"]:
            from sklearn.metrics import average_precision_score
            out["ap"] = float(average_precision_score(np.load(o["test_y"]), peer.score(np.load(o["test_X"]))))
        return out

    harness.serve(run, info, {"bin": bin_time})


main()
