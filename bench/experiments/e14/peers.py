# SPDX-License-Identifier: Apache-2.0
"""E14 with other programs, on the same columns: River and Vowpal Wabbit row by row, the others trained anew."""
import csv
from collections import deque


def value(text):
    """A number, a text, or None."""
    if text == "":
        return None
    try:
        return float(text)
    except ValueError:
        return text


# ---- row by row: each has score(x) and learn(x, y)


class River:
    def __init__(self, name):
        from river import compose, ensemble, linear_model, preprocessing, tree
        if name == "river-logistic":
            numbers = compose.SelectType(float) | preprocessing.StandardScaler()
            texts = compose.SelectType(str) | preprocessing.OneHotEncoder()
            self.model = (numbers + texts) | linear_model.LogisticRegression()
        elif name == "river-hoeffding":
            self.model = tree.HoeffdingAdaptiveTreeClassifier(seed=1)
        else:
            self.model = ensemble.ADWINBoostingClassifier(tree.HoeffdingTreeClassifier(), n_models=10, seed=1)

    def score(self, x):
        return self.model.predict_proba_one({k: v for k, v in x.items() if v is not None}).get(True, 0.0)

    def learn(self, x, y):
        self.model.learn_one({k: v for k, v in x.items() if v is not None}, y)


class VowpalWabbit:
    def __init__(self, name):
        from vowpalwabbit import Workspace
        boosting = "--boosting 20 --alg logistic" if name == "vw-boosting" else ""
        self.vw = Workspace(f"--loss_function logistic --normalized --adaptive --quiet {boosting}")

    def line(self, x, y=None):
        label = "" if y is None else "1 " if y else "-1 "
        return label + "| " + " ".join(f"{k}:{v:.7g}" if isinstance(v, float) else f"{k}={v.replace(' ', '_')}" for k, v in x.items() if v is not None)

    def score(self, x):
        return self.vw.predict(self.line(x))

    def learn(self, x, y):
        self.vw.learn(self.line(x, y))


def prequential(name, rows, delay, left_out):
    """(score, row) of each row; its label is learnt when a row comes that is `delay` seconds later."""
    model = (River if name.startswith("river") else VowpalWabbit)(name)
    waiting = deque()
    for r in rows:
        now = float(r["time"])
        while waiting and waiting[0][0] + delay <= now:
            _, x, y = waiting.popleft()
            model.learn(x, y)
        x = {k: value(v) for k, v in r.items() if k not in left_out}
        yield model.score(x), r
        waiting.append((now, x, r["label"] == "1"))


# ---- trained anew


class Table:
    def __init__(self, head, lines, left_out):
        import pandas
        self.rows = list(csv.DictReader([head, *lines]))
        frame = pandas.DataFrame([{k: value(v) for k, v in r.items() if k not in left_out} for r in self.rows])
        for c in frame.columns:
            if frame[c].dtype == object or str(frame[c].dtype).startswith("str"):
                frame[c] = frame[c].astype("category")
        self.x, self.y = frame, [int(r["label"]) for r in self.rows]

    def texts(self):
        """Categories as texts, for CatBoost."""
        return self.x.assign(**{c: self.x[c].astype(object).fillna("").astype(str) for c in self.x.columns if str(self.x[c].dtype) == "category"})

    def numbers(self):
        """Categories as numbers and no missing values, for forests."""
        return self.x.assign(**{c: self.x[c].cat.codes for c in self.x.columns if str(self.x[c].dtype) == "category"}).astype("float32").fillna(-1)


def model_of(name, table):
    """A model at its program's defaults, and the rows as it takes them. catboost-100: 100 trees, which is what XGBoost and LightGBM have by default,
    instead of 1,000; CatBoost chooses its rate for them."""
    if name == "xgboost":
        import xgboost
        return xgboost.XGBClassifier(tree_method="hist", enable_categorical=True, n_jobs=1), table.x
    if name == "lightgbm":
        import lightgbm
        return lightgbm.LGBMClassifier(n_jobs=1, verbose=-1), table.x
    if name.startswith("catboost"):
        import catboost
        x = table.texts()
        trees = {"iterations": 100} if name == "catboost-100" else {}
        return catboost.CatBoostClassifier(**trees, thread_count=1, verbose=False, allow_writing_files=False, cat_features=list(x.select_dtypes("object"))), x
    if name == "sklearn-hist":
        from sklearn.ensemble import HistGradientBoostingClassifier
        return HistGradientBoostingClassifier(random_state=1), table.numbers()  # it takes categories of 255 values at most
    if name == "sklearn-forest":
        from sklearn.ensemble import RandomForestClassifier
        return RandomForestClassifier(n_jobs=1, random_state=1), table.numbers()
    from imblearn.ensemble import BalancedRandomForestClassifier
    return BalancedRandomForestClassifier(sampling_strategy="all", replacement=True, bootstrap=False, n_jobs=1, random_state=1), table.numbers()


def trained(name, table, spans):
    """(rows, their scores) for each span, by a model of the rows before it."""
    model, x = model_of(name, table)
    for train, test in spans:
        yield test, model.fit(x.iloc[train], [table.y[i] for i in train]).predict_proba(x.iloc[test])[:, 1].tolist()
