# SPDX-License-Identifier: Apache-2.0
"""The functions that mirror the program: train, evaluate, compare, tune, doctor, resample, simulate, split."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from time import perf_counter as clock
from typing import Any

import numpy as np

from . import _core
from ._data import FORMATS, Roles, Table, _read_files, is_path, make_table, take_rows
from ._model import Model
from ._pages import in_notebook
from ._results import Backtest, Comparison, Diagnosis, Evaluation, Listing, RuleCheck, Tuned
from ._talk import Talk, TrainingInterrupted

Array = np.ndarray[Any, Any]


def value_text(value: Any) -> str:
    """A parameter's value as the library reads it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, np.integer):
        return str(int(value))
    if isinstance(value, Mapping):
        return ",".join(f"{k}:{value_text(v)}" for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(value_text(v) for v in value)
    return str(value)


def texts_of(params: Mapping[str, Any]) -> dict[str, str]:
    """Parameters as the library reads them; None leaves the default."""
    return {k: value_text(v) for k, v in params.items() if v is not None}


def spec_of(method: Any, settings: Mapping[str, Any] | None = None) -> str:
    """ "gb" and {"n_trees": 5} as "gb:n_trees=5"."""
    return str(method) + "".join(f":{k}={value_text(v)}" for k, v in (settings or {}).items())


# ---- training


def _loss(loss: Any, options: dict[str, Any]) -> Any:
    """A loss as _core takes it: the address of a C function, or a function of views."""
    if loss is None or isinstance(loss, int):
        return loss
    address = getattr(loss, "address", None)  # numba's @cfunc
    if isinstance(address, int):
        return address
    if type(loss).__module__ == "_ctypes" or hasattr(loss, "argtypes"):
        import ctypes

        return ctypes.cast(loss, ctypes.c_void_p).value
    if not callable(loss):
        raise TypeError("loss is a function (score, label, weight, row) -> (g, h), or the address of a C function")
    options["loss_name"] = getattr(loss, "__name__", "own")

    def gradients(score: Any, label: Any, weight: Any, row: Any, g: Any, h: Any, first: int) -> None:
        scores, labels = np.frombuffer(score, dtype=np.float32), np.frombuffer(label, dtype=np.uint8)
        weights = np.ones(len(scores), np.float32) if weight is None else np.frombuffer(weight, dtype=np.float32)
        rows = np.arange(first, first + len(scores)) if row is None else np.frombuffer(row, dtype=np.uint32)
        a, b = loss(scores, labels, weights, rows)
        for name, values, to in (("g", a, g), ("h", b, h)):
            values = np.broadcast_to(np.asarray(values, dtype=np.float64), scores.shape)
            if not np.isfinite(values).all():
                raise _core.DataError(f"the loss gave a {name} that isn't finite in row {int(rows[~np.isfinite(values)][0]) + 1}")
            np.frombuffer(to, dtype=np.float32)[:] = values * weights

    return gradients


def fit(table: Table, valid: Table | None, method: str, params: Mapping[str, Any], options: dict[str, Any], loss: Any, talk: Talk) -> Model:
    """Trains on tables; Ctrl-C gives TrainingInterrupted with the model so far, other exceptions come out as they are."""
    with talk as how:
        made = _core.train(table._core, None if valid is None else valid._core, method, texts_of(params), options, _loss(loss, options), how)
    return trained(*made)


def trained(core: Any, summary: dict[str, Any], raised: BaseException | None) -> Model:
    """The model of a training, or what was raised on the way."""
    model = Model(core, summary)
    if raised is None:
        return model
    if isinstance(raised, KeyboardInterrupt):
        stopped = TrainingInterrupted(*raised.args)
        stopped.model = model
        raise stopped from None
    raise raised


def hold_out(table: Table, fraction: float, seed: Any) -> tuple[Table, Table]:
    """(training rows, validation rows): the latest with a time, else a stratified draw."""
    if not 0 < fraction < 1:
        raise _core.ParameterError(f"valid_fraction={fraction}: it lies between 0 and 1")
    kind = "latest" if table._core.schema()["time"] else "holdout"
    train_rows, valid_rows = _core.split(table._core, kind, fraction, 0, Talk(seed=seed).how)
    how = Talk().how
    return Table._of(table._core.rows_of(np.frombuffer(train_rows, np.uint32), how)), Table._of(table._core.rows_of(np.frombuffer(valid_rows, np.uint32), how))


def check(method: str, params: Mapping[str, Any], options: dict[str, Any]) -> None:
    """What training would refuse, before any data are touched; of a name that is none the nearest, aliases among them."""
    try:
        _core.train_check(method, texts_of(params), options)
    except _core.ParameterError as e:
        if "has no parameter" not in str(e) or "did you mean" in str(e):
            raise
        known = [n for m in _core.methods() if m["name"] == method.rpartition("+")[2].partition(":")[0] for p in m["params"] for n in [p["name"], *p["aliases"].split(",")] if n]
        near = next((n for n in (_core.nearest(k, known) for k in params if k not in known) if n), None)
        said = str(e).partition(" (scarce methods")[0]
        raise _core.ParameterError(said + (f', did you mean "{near}"?' if near else f": scarce.methods({method!r}) lists them")) from None


def train(data: Any, method: str = "gb", *, label: Any = None, positive: Any = None, weight: Any = None, time: Any = None, group: Any = None,
          amount: Any = None, ignore: Any = (), categorical: Any = (), numeric: Any = (), valid: Any = None, valid_fraction: float | None = None,
          early_stop: int | None = None, metric: str | None = None, calibrate: str | None = None, threshold: str | None = None,
          resample: str | None = None, loss: Any = None, link: float | None = None, checkpoint: Any = None, checkpoint_every: int | None = None,
          resume: Any = None, report: Any = None, seed: Any = 1, threads: int | None = None, progress: Any = None, cost_column: Any = None, **params: Any) -> Model:
    """Learns a model from a frame, an array, a table or files.

    Roles (`label`, `weight`, `time`, `group`, `amount`, `cost_column`: what an error on the row costs) are columns by name or number,
    or arrays. Validation rows (`valid=`, or
    `valid_fraction=`: the latest of the rows where there are times) serve early stopping, calibration and the threshold.
    `params` are the method's own (scarce.methods("gb")); names of XGBoost, LightGBM and scikit-learn are understood. `report` writes
    the page of the training there, as `scarce train --report` does.

    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(500, 3)); y = x[:, 0] > 1.5
    >>> train(x, label=y, n_trees=20)
    <scarce.Model: gb, 3 features, trained on 500 rows>
    """
    begun = clock()
    options = {"early_stop": early_stop, "metric": metric, "calibrate": calibrate, "threshold": threshold, "resample": resample, "link": link,
               "checkpoint": None if checkpoint is None else os.fspath(checkpoint), "checkpoint_every": checkpoint_every,
               "resume": None if resume is None else (resume if isinstance(resume, Model) else load(resume))._core}
    wants = {k: v for k, v in options.items() if k in ("early_stop", "metric", "calibrate", "threshold", "resample") and v is not None}
    check(method, params, {**wants, "expects_valid": int(valid is not None or valid_fraction is not None)})
    roles = Roles(label, positive, weight, time, group, amount, ignore, categorical, numeric, cost_column)
    talk = Talk(seed=seed, threads=threads, progress=progress)
    table = make_table(data, roles, how=talk.how)
    judged: Table | None = None
    if valid is not None:
        judged = make_table(valid, Roles(), like=table._core, how=talk.how)
        if judged.label is None:
            raise _core.DataError("the validation rows have no label")
    elif valid_fraction is not None:
        table, judged = hold_out(table, valid_fraction, seed)
    begin = clock()
    model = fit(table, judged, method, params, options, loss, talk)
    if report is not None or in_notebook():
        model._made = _core.page_training(model._core, model.summary, metric, table._core, None if judged is None else judged._core,
                                          f"{model.method} on {table.n_rows:,} rows", (begin - begun, clock() - begun), talk.how)
    if report is not None:
        model.save_html(report)
    return model


def load(path: Any) -> Model:
    """Reads a .scarce file, of the program or of `Model.save`."""
    return Model(_core.model_load(os.fspath(path)))


def loads(data: bytes) -> Model:
    """The same from bytes (`Model.to_bytes`)."""
    return Model(_core.model_loads(data))


def import_model(model: Any) -> Model:
    """A model of XGBoost or LightGBM as one of ours: a file of it, a Booster, or a fitted classifier."""
    if isinstance(model, (str, os.PathLike)):
        return Model(_core.model_load(os.fspath(model), True))
    booster = model
    for name in ("get_booster", "booster_"):
        if hasattr(model, name):
            booster = getattr(model, name)
            booster = booster() if callable(booster) else booster
    if not hasattr(booster, "save_model"):
        raise TypeError(f"can't import a {type(model).__name__}: give a Booster of XGBoost or LightGBM, or the path of its file")
    lightgbm = type(booster).__module__.split(".")[0] == "lightgbm"
    with tempfile.TemporaryDirectory() as folder:
        at = os.path.join(folder, "model.txt" if lightgbm else "model.json")
        booster.save_model(at)
        return Model(_core.model_load(at, True))


# ---- data


def read(paths: Any, *, label: Any = None, positive: Any = None, weight: Any = None, time: Any = None, group: Any = None, amount: Any = None,
         ignore: Any = (), categorical: Any = (), numeric: Any = (), format: str | None = None, header: bool = True, missing: Any = None,
         like: Any = None, threads: int | None = None, progress: Any = None, cost_column: Any = None) -> Table:
    """Reads files (CSV, TSV, LIBSVM, ARFF, KEEL; also .gz) as one table, with the library's own reader."""
    if format not in FORMATS:
        raise _core.ParameterError(f"format={format!r}: csv, tsv, libsvm, arff or keel")
    roles = Roles(label, positive, weight, time, group, amount, ignore, categorical, numeric, cost_column)
    with Talk(threads=threads, progress=progress) as how:
        return _read_files(paths, roles, like=None if like is None else getattr(like, "_core", like), label_optional=False, how=how, format=format,
                           header=header, missing=missing)


def simulate(kind: str = "fraud", *, path: Any = None, seed: int = 1, threads: int | None = None, **settings: Any) -> Any:
    """Made-up data: a stream of card payments with fraud, thousands of dependent columns ("copula"), or a toy. A pandas frame where pandas is installed, else a dict of
    arrays; with `path` a CSV file, and what is in it as a dict."""
    known = {k["name"]: [p["name"] for p in k["params"]] for k in _core.simulations()}
    if kind not in known:
        raise _core.ParameterError(f'simulate has no kind "{kind}": {", ".join(known)}')
    texts = [f"{k}={value_text(v)}" for k, v in settings.items()]
    talk = Talk(seed=seed, threads=threads)
    if path is not None:
        return _core.simulate(kind, texts, os.fspath(path), talk.how)
    with tempfile.TemporaryDirectory() as folder:
        at = os.path.join(folder, "made.csv")
        _core.simulate(kind, texts, at, talk.how)
        try:
            import pandas as pd

            return pd.read_csv(at)
        except ImportError:
            import csv

            with open(at, newline="") as f:
                rows = csv.reader(f)
                names = next(rows)
                columns = list(zip(*rows))
            return {n: _numbers_if(c) for n, c in zip(names, columns)}


def _numbers_if(texts: Any) -> Any:
    try:
        return np.array([float(t) if t else np.nan for t in texts])
    except ValueError:
        return np.array([t or None for t in texts], dtype=object)


def split_latest(data: Any, fraction: float = 0.25, *, time: Any, gap: Any = None) -> tuple[Any, Any]:
    """(earlier rows, latest rows), each of the kind that came in. `fraction` of the rows are the latest; with `gap` ("7d", or a
    number in the units of the times) the rows right before them are in neither part: their labels aren't known yet."""
    table = make_table(data, Roles(time=time), label_optional=True)
    first, last = (np.frombuffer(raw, np.uint32) for raw in _core.split(table._core, "latest", fraction, 0, Talk().how))
    if gap is not None:
        when = table.time
        assert when is not None
        first = first[when[first] < when[last].min() - _span(gap)]
    return take_rows(data, first), take_rows(data, last)


def _span(gap: Any) -> float:
    if isinstance(gap, str):
        units = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
        if gap[-1:] in units:
            return float(gap[:-1]) * units[gap[-1]]
        return float(gap)
    return float(gap.total_seconds() if hasattr(gap, "total_seconds") else gap)


def split(data: Any, protocol: str = "holdout:0.3333", *, label: Any = None, positive: Any = None, time: Any = None, group: Any = None,
          repeats: int = 1, purge_known: bool = False, seed: int = 1) -> list[dict[str, Array]]:
    """The folds of a protocol ("cv:5", "temporal:train=30d,gap=7d,test=7d", "latest:test=30d", ...) as row numbers: train, valid, test."""
    table = data if isinstance(data, Table) else make_table(data, Roles(label, positive, None, time, group))
    talk = Talk(seed=seed)
    wanted = _fold_count(protocol, repeats)
    folds: list[dict[str, Array]] = []
    while wanted is None or len(folds) < wanted:
        f = _core.fold(table._core, protocol, len(folds), purge_known, talk.how)
        if f["folds"] is not None:
            wanted = int(f["folds"])
        folds.append({k: np.frombuffer(f[k], np.uint32) for k in ("train", "valid", "test")})
    return folds


def _fold_count(protocol: str, repeats: int) -> int | None:
    name, _, rest = protocol.partition(":")
    if name == "holdout":
        return repeats
    if name == "cv":
        return repeats * int(rest or 5)
    return None


def resample(data: Any, method: str, *, label: Any = None, positive: Any = None, seed: int = 1, threads: int | None = None, **settings: Any) -> Any:
    """Data with another class ratio, of the kind that came in where rows are chosen or repeated, else a Table. Only training data
    should be resampled; `train(resample=...)` does it inside and keeps probabilities right."""
    table = data if isinstance(data, Table) else make_table(data, Roles(label, positive))
    talk = Talk(seed=seed, threads=threads)
    spec = spec_of(method, settings)
    chosen = _core.resample_rows(table._core, spec, talk.how)
    if chosen is not None and not is_path(data):
        return take_rows(data, np.frombuffer(chosen[0], np.uint32))
    return Table._of(_core.resample(table._core, spec, talk.how)[0])


# ---- judging


def scored_of(table: Table, score: Array, probability: Array | None) -> dict[str, Any]:
    """The rows of a table with their scores, as _core judges them."""
    return {"score": score, "label": table.label, "weight": table.weight, "probability": probability, "time": table.time, "amount": table.amount,
            "group": table.group}


def _options(k: float | None, cost: float | None, beta: float | None, card_k: float | None, threshold: Any) -> dict[str, Any]:
    count = {"k_share": k} if k is not None and k < 1 else {"k": k}
    return {**count, "cost": cost, "beta": beta, "card_k": card_k, "threshold": threshold}


def _model_of(model: Any) -> Model:
    """A model, or that of an estimator."""
    inside = getattr(model, "model_", model)
    if not isinstance(inside, Model):
        raise TypeError(f"a model or a fitted estimator of scarce comes first, not {type(model).__name__} (for scores of any tool: evaluate_scores)")
    return inside


def evaluate(model: Any, data: Any, *, label: Any = None, weight: Any = None, time: Any = None, group: Any = None, amount: Any = None,
             k: float | None = None, cost: float | None = None, beta: float | None = None, card_k: float | None = None,
             threshold: float | None = None, budget: str | None = None, intervals: bool = True, seed: int = 1,
             threads: int | None = None) -> Evaluation:
    """How good a model is on labelled rows: AP, precision in the top k, cost, calibration, each with its interval.

    Alerts are the model's own (its threshold or cost rule), or those of `threshold` (a score) or `budget` ("100/day")."""
    model = _model_of(model)
    talk = Talk(seed=seed, threads=threads)
    table = make_table(data, Roles(label, None, weight, time, group, amount), like=model._core, how=talk.how)
    if table.label is None:
        raise _core.DataError(f'the data have no label: column "{model.roles["label"]}", or label=...')
    raw = model._core.score(table._core, talk.how)
    score, p = np.frombuffer(raw[0]), None if raw[1] is None else np.frombuffer(raw[1])
    options = _options(k, cost, beta, card_k, threshold)
    if budget is not None:
        flags = np.zeros(len(score), np.uint8)
        flags[model._choose(table, score, p, budget, None, False)] = 1
        options["alert"] = flags
        _, unit, alerts, span = _core.rule(budget if str(budget).startswith("budget:") else f"budget:{budget}")
        if unit == 2 and card_k is None and alerts >= 1:
            options |= {"card_k": alerts, "day_length": span}
    elif threshold is None and model.threshold == model.threshold:
        options |= {"threshold": model.threshold, "threshold_on": 1}
    elif threshold is None:  # a threshold for each row
        options["alert"] = np.frombuffer(model._core.alert(score, p, table.amount), np.uint8)
    return Evaluation(scored_of(table, score, p), options, intervals=intervals, seed=seed, threads=threads, title=f"{model.method} on {table.n_rows:,} rows",
                      behind=(model._core, table._core))


def distil(model: Any, data: Any, *, depth: int | None = None, rules: int | None = None, test: Any = None, test_fraction: float | None = None,
           k: float | None = None, label: Any = None, time: Any = None, group: Any = None, amount: Any = None, seed: int = 1,
           threads: int | None = None) -> Model:
    """A tree of `depth` levels (4), or at most so many `rules`, that puts rows in the order in which `model` does: for rule engines,
    SQL (`.show("sql")`) and auditors. It learns from what the model says of the rows, not from labels; some rows are held out
    (`test_fraction`, the latest where there is a time, or `test`), and `.summary` says what is kept on them: ap beside model_ap,
    precision beside model_precision in the top k, overlap of the two lists."""
    model = _model_of(model)
    if depth is not None and rules is not None:
        raise _core.ParameterError("depth= and rules= exclude each other: a tree of that depth, or so many rules")
    talk = Talk(seed=seed, threads=threads)
    roles = Roles(label, None, None, time, group, amount)
    table = make_table(data, roles, like=model._core, label_optional=True, how=talk.how)
    judges = None if test is None else make_table(test, roles, like=model._core, label_optional=True, how=talk.how)._core
    options = {"depth": depth, "rules": rules, "test": judges, "test_fraction": test_fraction, "k": k}
    return Model(*_core.distil(model._core, table._core, options, talk.how))


def evaluate_scores(y_true: Any, y_score: Any, *, probability: Any = None, weight: Any = None, time: Any = None, group: Any = None,
                    amount: Any = None, positive: Any = None, k: float | None = None, cost: float | None = None, beta: float | None = None,
                    card_k: float | None = None, threshold: float | None = None, intervals: bool = True, seed: int = 1,
                    threads: int | None = None) -> Evaluation:
    """The same for scores of any tool.

    >>> e = evaluate_scores([1, 0, 1, 0, 0], [.9, .8, .7, .3, .1], intervals=False)
    >>> round(e.ap, 4), e.precision_at_k
    (0.8333, 0.5)
    """
    score = np.ascontiguousarray(np.asarray(y_score, dtype=np.float64))
    given = {"label": y_true, "weight": weight, "time": time, "group": group, "amount": amount}
    table = make_table({"score": score}, Roles(positive=positive), arrays=given)
    p = None if probability is None else np.ascontiguousarray(np.asarray(probability, dtype=np.float64))
    if p is not None and p.ndim == 2:
        p = np.ascontiguousarray(p[:, 1])
    return Evaluation(scored_of(table, score, p), _options(k, cost, beta, card_k, threshold), intervals=intervals, seed=seed, threads=threads,
                      title=f"Scores of {table.n_rows:,} rows")


# ---- studies

USUAL = ("ap", "precision_at_k", "auc_roc", "f1_best")  # what a comparison draws, as the program does


def compare(data: Any, methods: Any = ("gb", "logistic"), *, label: Any = None, positive: Any = None, weight: Any = None, time: Any = None,
            group: Any = None, amount: Any = None, ignore: Any = (), categorical: Any = (), numeric: Any = (), protocol: str = "holdout:0.3333",
            repeats: int = 10, metric: str = "ap", tune: int = 0, purge_known: bool = False, results: Any = None,
            scores: Mapping[str, Any] | None = None, k: float | None = None, cost: float | None = None, card_k: float | None = None, seed: int = 1,
            threads: int | None = None, progress: Any = None, cost_column: Any = None) -> Comparison:
    """Several methods on the same folds. `methods` are specifications ("gb:n_trees=50", "random-under:ratio=0.1+gb"), and estimators of
    any library: those are cloned, fitted on the training rows of every fold and scored on its test rows. `scores` are scores that
    some other tool gave the rows already."""
    roles = Roles(label, positive, weight, time, group, amount, ignore, categorical, numeric, cost_column)
    talk = Talk(seed=seed, threads=threads, progress=progress)
    table = make_table(data, roles, how=talk.how)
    named = dict(methods) if isinstance(methods, Mapping) else {_name_of(m): m for m in ([methods] if isinstance(methods, str) else methods)}
    specs = [m for m in named.values() if isinstance(m, str)]
    foreign = {n: m for n, m in named.items() if not isinstance(m, str)}
    rankings: list[tuple[str, Array, Array | None, int]] = []
    for name, values in (scores or {}).items():
        rankings.append((name, np.ascontiguousarray(values, dtype=np.float64), None, 1))
    if foreign:
        folds = split(table, protocol, repeats=repeats, purge_known=purge_known, seed=seed)
        rankings += [_on_folds(name, estimator, data, table, folds) for name, estimator in foreign.items()]
    options = {"protocol": protocol, "repeats": repeats, "metric": metric, "tune": tune, "purge_known": int(purge_known),
               "results": None if results is None else os.fspath(results)}
    with talk as how:
        capsule = _core.compare(table._core, specs, options, {"k": k, "cost": cost, "card_k": card_k}, rankings, how)
        judged = _core.metric_find(metric) or metric
        page = _core.page_comparison(capsule, judged, list(USUAL) if judged in USUAL else [judged, *USUAL[:3]], table._core, options,
                                     f"{len(named) + len(scores or {})} methods on {table.n_rows:,} rows", how)
    return Comparison(capsule, judged, data, page)


def _name_of(method: Any) -> str:
    return method if isinstance(method, str) else type(method).__name__


def _features_for(estimator: Any, data: Any, table: Table) -> Any:
    """What a foreign estimator gets: the feature columns of the data in their own kind; of files, numbers."""
    names = table.features
    module = type(data).__module__.split(".")[0]
    if module in ("pandas", "polars"):
        return data[names]
    if isinstance(data, np.ndarray):
        return data[:, [int(n) - 1 for n in names]] if table._source is not None and not table._source.named else data
    columns = [table.column(n) for n in names]
    if any(c.dtype == object for c in columns):
        raise _core.DataError("an estimator of another library gets categories only from a pandas or polars frame")
    return np.column_stack(columns)


def _on_folds(name: str, estimator: Any, data: Any, table: Table, folds: list[dict[str, Array]]) -> tuple[str, Array, Array | None, int]:
    from copy import deepcopy

    x, y = _features_for(estimator, data, table), table.label
    assert y is not None
    n = table.n_rows
    score = np.full((len(folds), n), np.nan)
    probability: Array | None = np.full((len(folds), n), np.nan)
    for f, fold in enumerate(folds):
        try:
            from sklearn.base import clone

            one = clone(estimator)
        except (ImportError, TypeError):
            one = deepcopy(estimator)
        rows = np.sort(np.concatenate([fold["train"], fold["valid"]]))
        one.fit(take_rows(x, rows), y[rows])
        test = take_rows(x, fold["test"])
        if hasattr(one, "predict_proba"):
            p = np.asarray(one.predict_proba(test))[:, 1]
            score[f, fold["test"]] = p
            if probability is not None:
                probability[f, fold["test"]] = np.clip(p, 0, 1)
        else:
            probability = None
            score[f, fold["test"]] = np.asarray(one.decision_function(test) if hasattr(one, "decision_function") else one.predict(test)).ravel()
    return name, np.ascontiguousarray(score.ravel()), None if probability is None else np.ascontiguousarray(probability.ravel()), len(folds)


def tune(data: Any, method: str = "gb", *, label: Any = None, positive: Any = None, weight: Any = None, time: Any = None, group: Any = None,
         amount: Any = None, ignore: Any = (), categorical: Any = (), numeric: Any = (), valid: Any = None, trials: int = 30,
         seconds: float | None = None, metric: str = "ap", valid_fraction: float = 0.25, repeats: int = 0, results: Any = None, seed: int = 1,
         threads: int | None = None, progress: Any = None, cost_column: Any = None) -> Tuned:
    """Looks for good parameters; `method` may fix some ("gb:max_depth=3"). The default wins unless another is clearly better."""
    roles = Roles(label, positive, weight, time, group, amount, ignore, categorical, numeric, cost_column)
    talk = Talk(seed=seed, threads=threads, progress=progress)
    table = make_table(data, roles, how=talk.how)
    judges = None if valid is None else make_table(valid, Roles(), like=table._core, how=talk.how)._core
    options = {"metric": metric, "trials": trials, "seconds": seconds, "valid_fraction": valid_fraction, "repeats": repeats,
               "results": None if results is None else os.fspath(results)}
    with talk as how:
        return Tuned(_core.tune(table._core, judges, method, options, how), method, _core.metric_find(metric) or metric)


def doctor(data: Any, *, label: Any = None, positive: Any = None, weight: Any = None, time: Any = None, group: Any = None, amount: Any = None,
           ignore: Any = (), categorical: Any = (), numeric: Any = (), protocol: str | None = None, repeats: int = 1, purge_known: bool = False,
           threads: int | None = None, progress: Any = None) -> Diagnosis:
    """What will go wrong with the data: leaks, drift, labels that have not arrived, rows on both sides of a split, columns of no use."""
    roles = Roles(label, positive, weight, time, group, amount, ignore, categorical, numeric)
    talk = Talk(threads=threads, progress=progress)
    table = make_table(data, roles, how=talk.how)
    with talk as how:
        return Diagnosis(_core.doctor(table._core, {"protocol": protocol, "repeats": repeats, "purge_known": int(purge_known)}, how))


# ---- rules that people write


def _rule_text(rules: Any) -> tuple[str, str, str | None]:
    """Text, name and folder of rules: a path, or (with a line break, or the word stage in it) the text itself."""
    if isinstance(rules, str) and ("\n" in rules or " stage " in rules):
        return rules, "rules", None
    path = os.fspath(rules)
    with open(path, encoding="utf-8") as f:
        return f.read(), path, os.path.dirname(path) or "."


def rules_check(rules: Any, data: Any = None, *, label: Any = None, positive: Any = None, time: Any = None, group: Any = None, amount: Any = None,
                ignore: Any = (), categorical: Any = (), numeric: Any = ()) -> RuleCheck:
    """Every mistake of a file (or text) of rules, with line, column and the nearest name; with `data` names and types too."""
    text, name, folder = _rule_text(rules)
    roles = Roles(label, positive, None, time, group, amount, ignore, categorical, numeric)
    table = None if data is None else make_table(data, roles, label_optional=True)
    return RuleCheck(_core.rules_check(text, name, folder, None if table is None else table._core), name)


def rules_backtest(rules: Any, data: Any, *, label: Any = None, positive: Any = None, time: Any = None, group: Any = None, amount: Any = None,
                   ignore: Any = (), categorical: Any = (), numeric: Any = (), model: Model | None = None, alert: Any = None, level: float = 0.9,
                   threads: int | None = None, progress: Any = None) -> Backtest:
    """What rules would have done on rows with labels: figures of each, together, and beside `model` (or any list: `alert`, a truth per row)."""
    text, name, folder = _rule_text(rules)
    roles = Roles(label, positive, None, time, group, amount, ignore, categorical, numeric)
    talk = Talk(threads=threads, progress=progress)
    table = make_table(data, roles, how=talk.how)
    if model is not None and alert is not None:
        raise _core.ParameterError("give model or alert, not both")
    if model is not None:
        alert = model.alert(data, threads=threads)
    flags = None if alert is None else np.ascontiguousarray(alert, dtype=np.bool_).tobytes()
    with talk as how:
        return Backtest(_core.rules_backtest(table._core, text, name, folder, flags, level, how))


# ---- what there is


def methods(name: str | None = None) -> Any:
    """The methods by name; with a name, that method's summary, paper and parameters (type, default, range, help)."""
    return _listing(_core.methods(), name, "method")


def resamplers(name: str | None = None) -> Any:
    """The resampling methods by name, likewise."""
    return _listing(_core.resamplers(), name, "resampling method")


def _listing(entries: list[dict[str, Any]], name: str | None, what: str) -> Any:
    listed = Listing({m["name"]: {**m, "params": {p["name"]: p for p in m["params"]}} for m in entries})
    if name is None:
        return listed
    if name not in listed:
        near = _core.nearest(name, list(listed))
        raise _core.ParameterError(f'no {what} "{name}"' + (f', did you mean "{near}"?' if near else ""))
    return listed[name]
