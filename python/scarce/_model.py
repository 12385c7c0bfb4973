# SPDX-License-Identifier: Apache-2.0
"""A trained model: the same .scarce file as the program's, scores, reasons, decisions."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core
from ._data import NoRows, Roles, Table, like_input, make_table, take_rows
from ._talk import Talk

Array = np.ndarray[Any, Any]


class Explanation:
    """What each feature contributed to each row's score, in the fields of shap.Explanation: base + sum of values = score."""

    def __init__(self, values: Array, base_values: Array, data: Array, feature_names: list[str]) -> None:
        self.values, self.base_values, self.data, self.feature_names = values, base_values, data, feature_names

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<scarce.Explanation: {self.values.shape[0]:,} rows, {self.values.shape[1]} features>"


def _numbers(raw: Any, dtype: Any = np.float64) -> Array:
    return np.frombuffer(raw, dtype=dtype)


class Model:
    """A model as `train` makes it and `load` reads it."""

    def __init__(self, core: Any, summary: dict[str, Any] | None = None) -> None:
        self._core = core
        #: rows, positives, iterations, best_iteration, valid_metric, seconds_train ... of the training; {} for a model that was read
        self.summary: dict[str, Any] = dict(summary or {})
        self._made = ""  # the page, when it was made with the rows at hand
        if self.summary.get("curve") is not None:
            self.summary["curve"] = _numbers(self.summary["curve"])
        self._bind()

    def _bind(self) -> None:
        # Bound once: no Python frame between the caller and C.
        self.score_one = self._core.score_one
        self.probability_one = self._core.probability_one

    # ---- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the .scarce file that the program and `scarce.load` read; it appears whole or not at all."""
        self._core.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        """The bytes of that file."""
        return bytes(self._core.to_bytes())

    def show(self, format: str = "text") -> str:
        """What `scarce show` prints: "text", "json" or "dot"; of trees that can be read also "rules", "sql" or "svg"."""
        return str(self._core.show(format))

    def to_json(self) -> str:
        """Everything that is in it, trees included, as JSON."""
        return str(self._core.show("json"))

    def to_dot(self) -> str:
        """The trees as a Graphviz drawing."""
        return str(self._core.show("dot"))

    def to_xgboost(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Writes trees as XGBoost's JSON; without a path, gives an xgboost.Booster."""
        if path is not None:
            self._core.save(os.fspath(path), True)
            return None
        import tempfile

        import xgboost

        with tempfile.TemporaryDirectory() as folder:
            at = os.path.join(folder, "model.json")
            self._core.save(at, True)
            return xgboost.Booster(model_file=at)

    def to_onnx(self, path: str | os.PathLike[str] | None = None) -> bytes:
        """The model as ONNX: trees (ai.onnx.ml TreeEnsembleRegressor) and linear models of numeric features."""
        from .onnx import convert

        made = convert(self)
        if path is not None:
            with open(path, "wb") as f:
                f.write(made)
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {"bytes": self.to_bytes(), "summary": self.summary, "page": self._made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._core = _core.model_loads(state["bytes"])
        self.summary, self._made = state["summary"], state.get("page", "")
        self._bind()

    # ---- what it is

    @property
    def method(self) -> str:
        """The method that learnt it."""
        return str(self._core.info()[0])

    @property
    def has_probability(self) -> bool:
        """Whether scores have probabilities."""
        return bool(self._core.info()[1])

    @property
    def threshold(self) -> float:
        """Score from which on a row is an alert; NaN when alerts depend on each row's amount."""
        return float(self._core.info()[2])

    @property
    def prevalence(self) -> float:
        """The share of positives that its probabilities are made for; NaN when it isn't known."""
        return float(self._core.info()[3])

    @property
    def features(self) -> list[str]:
        """Names of the features, in the order of a row."""
        return list(self._core.schema()["features"])

    @property
    def categories(self) -> dict[str, list[str]]:
        """The categories of the features that have some."""
        return dict(self._core.schema()["categories"])

    @property
    def roles(self) -> dict[str, str | None]:
        """Columns that were label, weight, time, group, amount (costs matter in training alone: their column is not remembered)."""
        schema = self._core.schema()
        return {k: schema[k] for k in ("label", "weight", "time", "group", "amount")}

    @property
    def positive(self) -> str | None:
        """The label's positive value, as text."""
        value = self._core.schema()["positive"]
        return None if value is None else str(value)

    @property
    def notes(self) -> dict[str, str]:
        """What was stored with it: seed, rows, positives, parameters, ..."""
        return dict(json.loads(self.to_json())["notes"])

    @property
    def params(self) -> dict[str, str]:
        """Every parameter that said something, with the value it had."""
        return {k.removeprefix("param."): v for k, v in self.notes.items() if k.startswith("param.")}

    @property
    def history(self) -> Array | None:
        """The watched metric after each iteration; None when nothing was watched, or the model was read."""
        return self.summary.get("curve")

    def describe(self) -> str:
        """What is in it, in words and tables."""
        return str(self._core.show("summary")).replace(" (--verbose)", " (see params)")

    # ---- scores

    def _table(self, data: Any, talk: Talk, **arrays: Any) -> Table:
        return make_table(data, Roles(), like=self._core, label_optional=True, arrays=arrays, how=talk.how)

    def _scores(self, data: Any, threads: int | None) -> tuple[Array, Array | None]:
        talk = Talk(threads=threads)
        none = np.empty(0), np.empty(0) if self.has_probability else None
        if type(data) is np.ndarray and data.ndim == 2 and len(data) == 0:
            return none
        if type(data) is np.ndarray and data.ndim == 2 and data.dtype.kind in "fiub" and data.dtype.itemsize <= 8 and data.dtype != np.float16 \
                and data.dtype.isnative and data.shape[1] == len(self._core.schema()["features"]):
            raw = self._core.score_matrix(data, talk.how)
        else:
            try:
                raw = self._core.score(self._table(data, talk)._core, talk.how)
            except NoRows:  # a day without rows is a day without scores
                return none
        return _numbers(raw[0]), None if raw[1] is None else _numbers(raw[1])

    def score(self, data: Any, *, threads: int | None = None) -> Array:
        """A score per row: higher is more suspicious. Columns are found by name, in any order."""
        return self._scores(data, threads)[0]

    def probability(self, data: Any, *, prevalence: float | None = None, threads: int | None = None) -> Array:
        """A probability per row, `prevalence`: for another share of positives than the model's."""
        if not self.has_probability:
            raise _core.Unsupported(f"a {self.method} model only ranks: train with validation rows (valid= or valid_fraction=) for probabilities")
        if prevalence is not None:
            other = _core.model_loads(self.to_bytes())
            other.set_prevalence(prevalence)
            return Model(other).probability(data, threads=threads)
        p = self._scores(data, threads)[1]
        assert p is not None
        return p

    def alert(self, data: Any, *, threads: int | None = None) -> Array:
        """True for rows that are alerts by the model's own threshold (or cost rule, which looks at amounts)."""
        talk = Talk(threads=threads)
        try:
            table = self._table(data, talk)
        except NoRows:
            return np.empty(0, np.bool_)
        score, p = self._core.score(table._core, talk.how)
        amount = table.amount
        return _numbers(self._core.alert(_numbers(score), None if p is None else _numbers(p), amount), np.bool_)

    def alert_one(self, row: Any, amount: float | None = None) -> bool:
        """Whether one row is an alert; `amount` matters where the threshold depends on it (a dict's own is found)."""
        score, p = self._core.one(row)
        if amount is None and isinstance(row, Mapping) and self.roles["amount"]:
            amount = row.get(self.roles["amount"])
        a = np.array([np.nan if amount is None else amount], dtype=np.float64)
        return bool(self._core.alert(np.array([score]), np.array([p]), a)[0])

    def explain_one(self, row: Any, reasons: int | None = None) -> list[tuple[str, float]]:
        """(feature, contribution) of one row, the strongest first."""
        values = _numbers(self._core.contributions_one(row))
        order = np.argsort(-np.abs(values), kind="stable")
        names = self.features
        return [(names[i], float(values[i])) for i in order[:reasons] if values[i] != 0]

    # ---- lists to work on

    def alerts(self, data: Any, *, budget: str | float | None = None, top: int | None = None, reasons: int = 3, keep: Any = None,
               live: bool = False, threads: int | None = None) -> Any:
        """The rows to look at, most suspicious first: rank, row, score, probability, what was kept, reasons in words.

        Which rows: the `top` k; or a `budget` such as "100/day" (the best of each day; `live=True`: as they would be decided
        one by one) or 100 or "0.5%"; else those above the model's threshold. `keep` are columns that go along (default: those
        that are no features: ids, time, group, label). The result is of the kind of `data`; pandas' index is kept.
        """
        talk = Talk(threads=threads)
        score, chosen = np.empty(0), np.empty(0, np.intp)
        p = np.empty(0) if self.has_probability else None
        try:
            table = self._table(data, talk)
            raw = self._core.score(table._core, talk.how)
            score = _numbers(raw[0])
            p = None if raw[1] is None else _numbers(raw[1])
            chosen = self._choose(table, score, p, budget, top, live)
        except NoRows:  # a day without rows is a list without rows
            pass
        order = chosen[np.lexsort((chosen, -score[chosen]))]
        columns: dict[str, Any] = {"rank": np.arange(1, len(order) + 1), "row": order, "score": score[order]}
        if p is not None:
            columns["probability"] = p[order]
        columns |= self._kept(data, order, keep, columns)
        kind = self._core.reasons()
        if reasons > 0 and len(order) and kind == "additive":
            columns["reasons"] = self._reasons(table.rows(order), reasons, talk)
        elif reasons > 0 and len(order) and kind == "rule":
            try:
                columns["reasons"] = np.array(self._core.fired(table.rows(order)._core), dtype=object)
            except _core.Unsupported:  # the mean of many trees: a list without reasons
                pass
        elif reasons > 0 and kind in ("additive", "rule"):  # models of other kinds have no reasons in words
            columns["reasons"] = np.array([], dtype=object)
        index = data.index[order] if type(data).__module__.split(".")[0] == "pandas" else None
        return like_input(data, columns, index)

    def _choose(self, table: Table, score: Array, p: Array | None, budget: Any, top: int | None, live: bool) -> Array:
        if top is not None:
            return np.argsort(-score, kind="stable")[: max(0, int(top))]
        if budget is None:
            flags = _numbers(self._core.alert(score, p, table.amount), np.uint8)
            return np.flatnonzero(flags)
        text = str(budget)
        text = text if text.startswith("budget:") else "budget:" + text
        _, unit, alerts, span = _core.rule(text)
        if unit == 2:  # per span of time
            raw = _core.budget_alerts({"score": score, "time": self._need(table.time)}, alerts, span, live)[0]
            return np.flatnonzero(_numbers(raw, np.uint8))
        k = int(alerts * len(score)) if unit == 1 else int(alerts)
        return np.argsort(-score, kind="stable")[:k]

    def _need(self, time: Array | None) -> Array:
        if time is None:
            raise _core.DataError("a budget per day needs times: train with time=, and have that column in the data")
        return time

    def _kept(self, data: Any, order: Array, keep: Any, taken: Any) -> dict[str, Any]:
        module = type(data).__module__.split(".")[0]
        if module not in ("pandas", "polars", "pyarrow") and not isinstance(data, Mapping):
            return {}
        names = list(data.columns) if module in ("pandas", "polars") else data.column_names if module == "pyarrow" else list(data)
        if keep is None:
            features = set(self.features)
            keep = [n for n in names if str(n) not in features]
        out = {}
        for name in [keep] if isinstance(keep, str) else keep:
            if name not in names:
                raise _core.DataError(f'no column "{name}" to keep')
            values = take_rows(data[name], order)
            out[name if name not in taken else f"{name}_"] = values.to_numpy() if hasattr(values, "to_numpy") else values
        return out

    def _reasons(self, rows: Table, n: int, talk: Talk) -> Array:
        _, raw, values = self._core.explain(rows._core, None, talk.how)
        width = len(self.features)
        contributions = _numbers(raw).reshape(-1, width)
        at = _numbers(values, np.float32).reshape(-1, width)
        strongest = np.argsort(-np.abs(contributions), axis=1, kind="stable")[:, :n]
        words = [
            "; ".join(self._core.reason(int(f), float(at[i, f]), float(contributions[i, f])) for f in strongest[i] if contributions[i, f] != 0)
            for i in range(len(at))
        ]
        return np.array(words, dtype=object)

    # ---- why

    def contributions(self, data: Any, *, background: Any = None, threads: int | None = None) -> tuple[float, Array]:
        """(base, contributions): base + the sum over a row's features is its score. Exact Shapley values for trees."""
        base, values, _ = self._explained(data, background, threads)
        return base, values

    def _explained(self, data: Any, background: Any, threads: int | None) -> tuple[float, Array, Array]:
        talk = Talk(threads=threads)
        table = self._table(data, talk)
        behind = None if background is None else self._table(background, talk)._core
        base, raw, values = self._core.explain(table._core, behind, talk.how)
        width = len(self.features)
        return float(base), _numbers(raw).reshape(-1, width), _numbers(values, np.float32).reshape(-1, width)

    def explain(self, data: Any, *, background: Any = None, threads: int | None = None) -> Any:
        """Contributions as a shap.Explanation where shap is installed (its plots take it), else as a scarce.Explanation."""
        kind = self._core.reasons()
        if kind == "rule":
            raise _core.Unsupported(f"a score of {self.method} is no sum over features, but a rule: see rules(), and the reasons of alerts()")
        if kind != "additive":
            raise _core.Unsupported(f"a score of {self.method} is no sum over features: methods with contributions are trees and linear models")
        base, values, at = self._explained(data, background, threads)
        names = self.features
        bases = np.full(len(values), base)
        shown: Array = at.astype(np.float64)
        if self.categories:
            shown = shown.astype(object)
            for f, name in enumerate(names):
                if name in self.categories:
                    texts = [*self.categories[name], "(unknown)"]
                    shown[:, f] = [None if v != v else texts[int(v)] for v in at[:, f]]
        if importlib.util.find_spec("shap") is not None:
            import shap

            return shap.Explanation(values=values, base_values=bases, data=shown, feature_names=names)
        return Explanation(values, bases, shown, names)

    def rules(self) -> Any:
        """The rules of a ranking tree from the most suspicious down (text, rows, positives, precision, recall); of other models an error."""
        if self._core.reasons() != "rule":
            raise _core.Unsupported(f"a {self.method} model has no rules: ranking trees have (scarce.methods() lists them)")
        return self._core.rules()

    def transform(self, data: Any, *, threads: int | None = None) -> Array:
        """The rows in the space that a metric learner learnt: Euclidean distances there are those of the metric; of other models an error."""
        if not hasattr(self._core, "transform"):
            raise _core.Unsupported(f"a {self.method} model learnt no space to put rows into: metric learners do")
        talk = Talk(threads=threads)
        made = Table._of(self._core.transform(self._table(data, talk)._core, talk.how))
        return np.column_stack([made.column(name) for name in made.features])

    def importance(self, kind: str = "gain", data: Any = None, *, repeats: int = 5, seed: int = 1, threads: int | None = None) -> dict[str, float]:
        """What the model relies on, the most important first: "gain" or "count" of its splits; on data "shap" or "permutation"."""
        talk = Talk(seed=seed, threads=threads)
        table = None if data is None else self._table(data, talk)._core
        values, _ = self._core.importance(kind, table, repeats, talk.how)
        pairs = zip(self.features, _numbers(values).tolist(), strict=True)
        return dict(sorted(pairs, key=lambda p: -p[1]))

    def partial(self, data: Any, feature: str, *, points: int = 20, threads: int | None = None) -> dict[str, Any]:
        """Mean score of the rows as one feature takes its values: value, share of the rows, score."""
        talk = Talk(threads=threads)
        names = self.features
        if feature not in names:
            raise _core.ParameterError(f'the model has no feature "{feature}"')
        values, shares, means, category = self._core.partial(self._table(data, talk)._core, names.index(feature), points, talk.how)
        at: Any = _numbers(values, np.float32)
        if category:
            texts = [*self.categories[feature], "(unknown)"]
            at = [None if v != v else texts[int(v)] for v in at]
        return {"value": at, "share": _numbers(shares), "score": _numbers(means)}

    def evaluate(self, data: Any, **options: Any) -> Any:
        """How good it is on labelled rows: see scarce.evaluate."""
        from ._functions import evaluate

        return evaluate(self, data, **options)

    def predict_proba_one(self, row: Any) -> dict[bool, float]:
        """River's way of asking for one row."""
        p = float(self.probability_one(row))
        return {False: 1 - p, True: p}

    # ---- shown

    def __repr__(self) -> str:
        rows = self._core.note("rows")
        return f"<scarce.Model: {self.method}, {len(self.features)} features" + (f", trained on {int(rows):,} rows>" if rows else ">")

    def _page(self) -> str:
        if self._made:
            return self._made
        title = f"{self.method}, {len(self.features)} features"
        nothing = float("nan")
        return str(_core.page_training(self._core, self.summary or None, self.params.get("metric"), None, None, title, (nothing, nothing), Talk().how))

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """One page: learning curve, importances, settings; with the validation rows when trained with report= or in a notebook."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(self._page())

    def _repr_html_(self) -> str:
        from ._pages import in_frame

        return in_frame(self._page())


class Budget:
    """So many alerts a day while the day is still going on: asked row by row, it knows only what came before.

    >>> b = Budget("2/day")
    >>> [b.offer(t, s) for t, s in [(0, 0.9), (1, 0.1), (2, 0.8)]]
    [True, False, False]
    """

    def __init__(self, per: str = "100/day", start: float | None = None) -> None:
        text = per if per.startswith("budget:") else "budget:" + per
        _, unit, alerts, span = _core.rule(text)
        if unit != 2:
            raise _core.ParameterError(f'a budget on a stream is per time: "100/day", not "{per}"')
        self.per = per
        self._core = _core.budget(alerts, span, float("nan") if start is None else start)
        self.offer = self._core.offer
