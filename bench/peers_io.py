# SPDX-License-Identifier: Apache-2.0
"""Workers for reading and judging with other programs: peers_io.py pandas|lightgbm|catboost FILE THREADS [bins], or
peers_io.py sklearn SCORES LABELS."""
import sys
import time

import harness

what, args = sys.argv[1], sys.argv[2:]


def read_pandas():
    import numpy as np
    import pandas as pd
    columns = pd.read_csv(args[0], nrows=100).dtypes
    kinds = {c: "category" if t.kind not in "if" else np.float32 for c, t in columns.items()}
    bins = len(args) > 2

    def run():
        t = time.perf_counter()
        table = pd.read_csv(args[0], engine="c", dtype=kinds)
        read = time.perf_counter() - t
        if bins:  # as scikit-learn's boosting does it
            from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper
            x = table.iloc[:, 1:].to_numpy(np.float32)
            _BinMapper(n_bins=256, n_threads=int(args[1]), random_state=1).fit_transform(x.astype(np.float64))
        return {"read": read}

    harness.serve(run, dict)


def read_lightgbm():
    import lightgbm as lgb
    how = {"header": True, "label_column": "name:label", "num_threads": int(args[1]), "verbose": -1, "max_bin": 255}
    if len(args) > 2 and args[2].startswith("name:"):
        how["categorical_feature"] = args[2]
    harness.serve(lambda: lgb.Dataset(args[0], params=how).construct() and None, dict)


def read_xgboost():
    import pandas as pd
    import xgboost as xgb

    def run():
        table = pd.read_csv(args[0], engine="c", dtype="float32")
        xgb.QuantileDMatrix(table.iloc[:, 1:], table.iloc[:, 0], max_bin=256, nthread=int(args[1]))

    harness.serve(run, dict)


def judge_sklearn():
    import numpy as np
    from sklearn.metrics import average_precision_score
    score, label = np.load(args[0]), np.load(args[1])
    if len(args) > 2:
        score = score.astype(args[2])
    last = []

    def run():
        last[:] = [average_precision_score(label, score)]

    harness.serve(run, lambda: {"ap": last[0]})


{"pandas": read_pandas, "lightgbm": read_lightgbm, "xgboost": read_xgboost, "sklearn": judge_sklearn}[what]()
