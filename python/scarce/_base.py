# SPDX-License-Identifier: Apache-2.0
"""What all estimators and samplers share; the classes themselves are generated (tools/python-classes).

Only what differs from the library's default is handed on: what isn't said is the library's to decide, and a parameter that
means nothing with the others is refused only when somebody set it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from . import _core
from ._data import DataError, Roles, Source, Table, _is_pandas, _is_sparse, make_table, source_of, take_rows, text_of
from ._functions import fit as fit_tables, hold_out, spec_of, value_text
from ._model import Model
from ._talk import Talk

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.exceptions import NotFittedError
    from sklearn.utils import ClassifierTags
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.multiclass import type_of_target
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d, validate_data
except ImportError as e:
    raise ImportError("scarce's estimators need scikit-learn 1.6 or newer: pip install 'scarce[sklearn]' (scarce.train works without)") from e

Array = np.ndarray[Any, Any]
_F = TypeVar("_F", bound=Callable[..., Any])
PROBABILITY = 8
TIES_AS_COPIES = ("ranking", "linear")
STUMPS = ("st-grboost", "bal-st-grboost")  # 500 of them: the rounding of weight x gradient to float32 adds up to 1.5e-7 of a probability


def _resolve(cls: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters by their own names; aliases are understood, unknown names are told with the nearest."""
    own = {*cls._params, *cls._shared()}
    out: dict[str, Any] = {}
    said: dict[str, str] = {}
    for name, value in given.items():
        at = cls._aliases.get(name, name) if name not in own else name
        if at not in own and "__" not in name:
            near = _core.nearest(name, [*own, *cls._aliases])
            raise TypeError(f"{cls.__name__} has no parameter {name!r}" + (f", did you mean {near!r}?" if near else ""))
        if at in said and at in own:
            raise TypeError(f"{said[at]!r} and {name!r} are the same parameter")
        out[at] = value
        said[at] = name
    return out


def takes_aliases(init: _F) -> _F:
    """__init__ that understands aliases; the signature stays as it is, which scikit-learn reads."""

    @functools.wraps(init)
    def wrapped(self: Any, *args: Any, **given: Any) -> None:
        init(self, *args, **(_resolve(type(self), given) if given else given))

    return wrapped  # type: ignore[return-value]


class _Parameters(BaseEstimator):  # type: ignore[misc]
    _method: str = ""
    _params: dict[str, tuple[str, Any]] = {}
    _aliases: dict[str, str] = {}

    @classmethod
    def _shared(cls) -> list[str]:
        return [n for n in cls._get_param_names() if n not in cls._params]

    def set_params(self, **params: Any) -> Any:
        """Sets parameters, by their names or aliases."""
        try:
            params = _resolve(type(self), params)
        except TypeError as e:
            raise ValueError(str(e).replace("has no parameter", "Invalid parameter: it has no")) from None
        return super().set_params(**params)

    def _set(self) -> dict[str, str]:
        """What differs from the defaults, as the library reads it."""
        out = {}
        for name, (library, default) in self._params.items():
            value = getattr(self, name)
            if value is None or (type(value) is type(default) and value == default) or (not isinstance(value, (str, bool)) and not isinstance(default, (str, bool))
                                                                                         and np.isscalar(value) and value == default):
                continue
            if library == "ratio" and value == "auto":  # imbalanced-learn's word for "as many of each"
                value = 1.0
            out[library] = value_text(value)
        return out


def _is_frame(x: Any) -> bool:
    """Has named columns."""
    if isinstance(x, np.ndarray) or _is_sparse(x):
        return False
    return _is_pandas(x) and getattr(x, "ndim", 2) == 2 or hasattr(x, "__arrow_c_stream__") or isinstance(x, Mapping) or (
        isinstance(x, (list, tuple)) and len(x) > 0 and isinstance(x[0], Mapping))


def _has_texts(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind in "OUS" and x.ndim == 2 and any(isinstance(v, str) for v in x.ravel().tolist())


def encode(y: Any, positive: Any) -> tuple[Array, Array, int]:
    """(classes in order, 0 or 1 per row by them, number of the positive class)."""
    if hasattr(y, "to_numpy") and not isinstance(y, np.ndarray):
        y = y.to_numpy()
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        raise DataError(f"Input y contains NaN or infinity (row {row + 1}): a row without a label can't be trained on, leave it out")
    if y.dtype == object and any(v is None or v != v for v in y.tolist()):
        raise DataError("Input y contains NaN: a row without a label can't be trained on, leave it out")
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind == "continuous":
        raise ValueError(f"Unknown label type: {kind}. Labels of two classes are needed")
    classes, codes = np.unique(y, return_inverse=True)
    codes = codes.reshape(-1)
    if len(classes) > 2:
        raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
    if len(classes) < 2:
        raise ValueError(f"the labels have 1 class ({classes[0]!r}), 2 are needed to train a classifier")
    return classes, codes, _positive_of(classes, codes, positive)


def _positive_of(classes: Array, codes: Array, positive: Any) -> int:
    texts = [(text_of(c.item() if hasattr(c, "item") else c) or "").lower() for c in classes]
    if positive is not None:
        for i, c in enumerate(classes):
            if c == positive or texts[i] == str(text_of(positive)).lower():
                return i
        raise _core.ParameterError(f"positive={positive!r} is none of the labels {classes.tolist()}")
    for i in (1, 0):
        if texts[i] in ("1", "+1", "true", "positive"):
            return i
    count = np.bincount(codes, minlength=2)
    return 0 if count[0] < count[1] else 1


def _has_probability(self: Any) -> bool:
    model = self.__dict__.get("model_")
    if model is not None:
        if model.has_probability:
            return True
        raise AttributeError(f"a {self._method} model only ranks: give validation rows (valid_fraction=, X_val=) for probabilities")
    if self.calibrate not in (None, "none", "own", "prior") or self.valid_fraction is not None:
        return True
    try:
        can = _core.params_can(self._method, self._set())
    except (_core.ScarceError, TypeError):
        return True  # fit says what is wrong
    if can & PROBABILITY:
        return True
    raise AttributeError(f"{self._method} only ranks: give validation rows (valid_fraction=) for probabilities")


class ScarceClassifier(ClassifierMixin, _Parameters):  # type: ignore[misc]
    """Base of the estimators."""

    _family: str = ""
    model_: Model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        if getattr(self, "_family", "") == "metric":
            from sklearn.utils import TransformerTags

            tags.transformer_tags = TransformerTags()
        return tags

    # ---- data

    def _numbers(self, x: Any, reset: bool) -> Any:
        return validate_data(self, x, reset=reset, accept_sparse=("csr", "csc"), ensure_all_finite=False, dtype="numeric", ensure_min_features=1)

    def _input(self, x: Any, reset: bool) -> Any:
        """What the data layer gets: frames as they are, matrices checked as scikit-learn does."""
        if isinstance(x, Table):
            return x
        if _is_frame(x):
            if reset:
                source = source_of(x)
                self.n_features_in_ = len(source.names)
                self.feature_names_in_ = np.array(source.names, dtype=object)
                return x
            if hasattr(self, "feature_names_in_"):
                return x
            if not isinstance(x, (Mapping, list, tuple)):
                return self._numbers(x, False)
        if _has_texts(x):
            if reset:
                self.n_features_in_ = x.shape[1]
                self.__dict__.pop("feature_names_in_", None)
            return x
        if reset:
            self.__dict__.pop("feature_names_in_", None)
        return self._numbers(x, reset)

    def _names(self, x: Any) -> Any:
        """A matrix gets the names of the fit, so that roles and features are found."""
        names = getattr(self, "feature_names_in_", None)
        if names is None or _is_frame(x) or isinstance(x, Table):
            return x
        source = source_of(x)
        if len(source.names) != len(names):
            return x
        return _Renamed(source, [str(n) for n in names])

    def _table(self, x: Any, *, how: dict[str, Any], like: Any = None, **arrays: Any) -> Table:
        roles = Roles(positive=arrays.pop("positive", None), weight=None, time=self.time if like is None else None, group=self.group if like is None else None,
                      amount=self.amount if like is None else None, ignore=self.ignore if like is None else (), categorical=self.categorical if like is None else (),
                      numeric=self.numeric)
        source = x.source if isinstance(x, _Renamed) else x
        given = {k: v for k, v in arrays.items() if v is not None}
        return make_table(source, roles, like=like, arrays=given, label_optional=True, how=how)

    # ---- fitting

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None, sample_weight_val: Any = None,
            eval_set: Any = None, times: Any = None, groups: Any = None, amounts: Any = None, costs: Any = None) -> Any:
        """Learns from X and labels y.

        X is a frame (pandas, polars, Arrow), an array, a sparse matrix or a dict of columns; texts and categories are taken as they
        are. X_val and y_val are validation rows. times, groups and amounts give these roles as arrays instead of as columns;
        costs is what an error on each row costs, which training weighs."""
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        x = self._input(X, True)
        classes, codes, at = encode(y, self.positive)
        n = _rows(x)
        if n != len(codes):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{n}, {len(codes)}]")
        weight = self._weights(x, sample_weight, n)
        arrays = {"times": times, "groups": groups, "amounts": amounts, "costs": costs}
        if weight is not None:
            x, codes, weight, arrays = self._spread(x, codes, weight, arrays)
        if len(np.unique(codes)) < 2:
            raise ValueError("the rows of weight above zero have 1 class, 2 are needed to train a classifier")
        talk = Talk(seed=self.random_state, threads=self.n_jobs, progress=bool(self.verbose), silent=not self.verbose)
        texts = [text_of(c.item() if hasattr(c, "item") else c) or "" for c in classes]
        table = self._table(x, how=talk.how, label=_Labels(codes, texts), weight=weight, positive=texts[at], time=arrays["times"], group=arrays["groups"],
                            amount=arrays["amounts"], cost=arrays["costs"])
        if eval_set is not None and X_val is None:
            pair = eval_set[0] if isinstance(eval_set, list) else eval_set
            X_val, y_val = pair[0], pair[1]
        valid = None
        self.classes_, self._positive_at = classes, at
        if X_val is not None:
            valid = self._valid(X_val, y_val, sample_weight_val, texts, table, talk)
        elif self.valid_fraction is not None:
            table, valid = hold_out(table, self.valid_fraction, talk.how["seed"])
        options = {"early_stop": self.early_stop, "metric": self.metric if valid is not None or self.metric != "ap" else None, "calibrate": self.calibrate,
                   "resample": self.resample, "threshold": None if self.threshold == "auto" else self.threshold}
        self.model_ = fit_tables(table, valid, self._method, self._set(), options, None, talk)
        self._decide(valid is not None)
        s = self.model_.summary
        self.n_iter_, self.best_iteration_, self.best_score_ = s["iterations"], s["best_iteration"], s["valid_metric"]
        self.history_ = self.model_.history
        return self

    def _weights(self, x: Any, sample_weight: Any, n: int) -> Array | None:
        if sample_weight is None and self.weight is not None:
            source = source_of(x)
            from ._data import name_in

            name = name_in(source, self.weight, "weight")
            c = source.get(source.at[name])
            sample_weight = np.asarray(c.data, dtype=np.float64) if not hasattr(c.data, "values") else np.frombuffer(c.data.values(c.index)[0])
        if sample_weight is None:
            return None
        w: Array = _check_sample_weight(sample_weight, np.empty((n, 1)), dtype=np.float64)
        if (w < 0).any():
            raise ValueError("Negative values in data passed to `sample_weight`")
        if not (w > 0).any():
            raise ValueError("every sample weight is zero: no row is left to learn from")
        return w

    def _spread(self, x: Any, codes: Array, weight: Array, arrays: dict[str, Any]) -> tuple[Any, Array, Array | None, dict[str, Any]]:
        """Rows of weight 0 go. Lists of rows can't tell a weight of 3 from three rows apart, so whole weights become copies there; and where
        only rounding tells them apart."""
        whole = (self._family in TIES_AS_COPIES or self._method in STUMPS) and (weight == np.rint(weight)).all() and weight.sum() <= 8 * len(weight)
        if whole:
            rows = np.repeat(np.arange(len(weight)), weight.astype(np.int64))
            new: Array | None = None
        else:
            rows = np.flatnonzero(weight > 0)
            new = weight[rows]
        if whole and (weight == 1).all():
            return x, codes, None, arrays
        if not whole and len(rows) == len(weight):
            return x, codes, weight, arrays
        return take_rows(x, rows), codes[rows], new, {k: None if v is None else take_rows(v, rows) for k, v in arrays.items()}

    def _valid(self, x: Any, y: Any, weight: Any, texts: list[str], table: Table, talk: Talk) -> Table:
        if y is None:
            raise ValueError("X_val without y_val")
        y = column_or_1d(y.to_numpy() if hasattr(y, "to_numpy") else y)
        unknown = [c for c in np.unique(y).tolist() if c not in self.classes_.tolist()]
        if unknown:
            raise ValueError(f"y_val has labels that y doesn't: {unknown[:3]}")
        codes = np.searchsorted(self.classes_, y)
        return self._table(self._names(self._input(x, False)), how=talk.how, like=table._core, label=_Labels(codes, texts),
                           weight=None if weight is None else np.asarray(weight, dtype=np.float64))

    def _decide(self, judged: bool) -> None:
        """The score from which on predict says positive; and how wide a plain matrix is that needs no look at its columns."""
        model = self.model_
        features = len(model.features)
        self._wide = features if features == self.n_features_in_ and not model.categories else -1
        own = model.threshold
        if self.threshold == "auto" and not judged and model.has_probability:
            own = _score_of_half(model)
        self.threshold_ = own
        self._below = float(np.nextafter(own, -np.inf)) if own == own else own

    # ---- predicting

    def _scores(self, X: Any) -> tuple[Array, Array | None]:
        if "model_" not in self.__dict__:
            check_is_fitted(self, "model_")
        if type(X) is np.ndarray and X.ndim == 2 and X.dtype.char in "fd" and "feature_names_in_" not in self.__dict__ and X.shape[1] == self._wide:
            raw = self.model_._core.score_matrix(X, None if len(X) < 2000 else Talk(threads=self.n_jobs, silent=True).how)
            return np.frombuffer(raw[0]), None if raw[1] is None else np.frombuffer(raw[1])
        return self._slow_scores(X)[:2]

    def _slow_scores(self, X: Any) -> tuple[Array, Array | None, Table]:
        talk = Talk(threads=self.n_jobs, silent=True)
        x = self._names(self._input(X, False))
        table = self._table(x, how=talk.how, like=self.model_._core)
        raw = self.model_._core.score(table._core, talk.how)
        return np.frombuffer(raw[0]), None if raw[1] is None else np.frombuffer(raw[1]), table

    def decision_function(self, X: Any) -> Array:
        """Above 0 exactly where predict gives the second of classes_."""
        check_is_fitted(self, "model_")
        if self.threshold_ != self.threshold_:  # a cost per row
            _, p, table = self._slow_scores(X)
            amount = table.amount
            assert p is not None
            alert = np.frombuffer(self.model_._core.alert(_[:], p, amount), np.uint8).astype(bool)
            worth = np.abs(p * (np.ones(len(p)) if amount is None else amount) - float(self.threshold.partition(":")[2] or 1)) + 1e-300
            d: Array = np.where(alert, worth, -worth)
        else:
            d = self._scores(X)[0] - self._below
        return d if self._positive_at == 1 else np.where(d > 0, -np.maximum(d, 0), np.maximum(-d, 5e-324))

    def predict(self, X: Any) -> Array:
        """The class of each row."""
        check_is_fitted(self, "model_")
        return np.asarray(self.classes_[(self.decision_function(X) > 0).astype(np.intp)])

    @available_if(_has_probability)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Probabilities of both classes, in the order of classes_; right also after sampling and with pos_weight."""
        p = self._scores(X)[1]
        if p is None:
            raise AttributeError(f"a {self._method} model only ranks")
        out = np.empty((len(p), 2))
        out[:, self._positive_at] = p
        out[:, 1 - self._positive_at] = 1 - p
        return out

    @available_if(_has_probability)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of predict_proba."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The metric (average precision by default), not accuracy."""
        check_is_fitted(self, "model_")
        y = column_or_1d(y.to_numpy() if hasattr(y, "to_numpy") else y)
        label = np.ascontiguousarray(y == self.classes_[self._positive_at], dtype=np.uint8)
        score, p = self._scores(X)
        w = None if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
        name = _core.metric_find(self.metric) or self.metric
        how = Talk(threads=self.n_jobs, silent=True).how
        if name == "ap":
            return float(_core.average_precision({"score": score, "label": label, "weight": w}, how))
        value = float(_core.metrics({"score": score, "label": label, "weight": w, "probability": p}, {}, how)[name])
        direction = {n: d for n, _, d, _ in _core.metric_table()}[name]
        return -value if direction < 0 else value

    def alerts(self, X: Any, **options: Any) -> Any:
        """The rows to look at, with reasons: see Model.alerts."""
        check_is_fitted(self, "model_")
        return self.model_.alerts(X, **options)

    @available_if(lambda self: self._family == "metric")  # type: ignore[untyped-decorator]
    def transform(self, X: Any) -> Array:
        """The rows in the space that the metric learner learnt."""
        check_is_fitted(self, "model_")
        return np.asarray(self.model_.transform(self._names(self._input(X, False)), threads=self.n_jobs), dtype=np.float64)

    @available_if(lambda self: self._family == "metric")  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Any, y: Any, **fit_params: Any) -> Array:
        """Learns the metric, and gives the rows in its space."""
        transformed: Array = self.fit(X, y, **fit_params).transform(X)
        return transformed

    def explain(self, X: Any, **options: Any) -> Any:
        """Contributions of the features to each score: see Model.explain."""
        check_is_fitted(self, "model_")
        return self.model_.explain(X, **options)

    @property
    def feature_importances_(self) -> Array:
        """Gain of the splits by each feature of the model, as shares of 1."""
        model = self.__dict__.get("model_")
        if model is None:
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet")
        try:
            gains = model.importance("gain")
        except _core.Unsupported as e:
            raise AttributeError(str(e)) from None
        values = np.array([gains[f] for f in model.features])
        return np.asarray(values / values.sum() if values.sum() > 0 else values)

    @classmethod
    def from_model(cls, model: Model) -> Any:
        """A fitted estimator of a model that was read from a file."""
        if model.method != cls._method:
            raise _core.ParameterError(f"the model is of method {model.method}, {cls.__name__} is {cls._method}")
        self = cls()
        self.model_ = model
        self.feature_names_in_ = np.array(model.features, dtype=object)
        self.n_features_in_ = len(model.features)
        schema = model._core.schema()
        positive, negative = schema["positive"] or "1", schema["negative"] or "0"
        if {positive, negative} <= {"0", "1", "-1"}:
            self.classes_, self._positive_at = np.array(sorted([int(positive), int(negative)])), int(int(positive) > int(negative))
        else:
            self.classes_, self._positive_at = np.array(sorted([positive, negative])), int(negative < positive)
        self._decide(True)
        return self


def _score_of_half(model: Model) -> float:
    """The lowest score whose probability is above 1/2, by bisection: probabilities rise with the score."""
    at = model._core.probability
    low, high = -1e6, 1e6
    if not at(high) > 0.5:
        return np.inf
    if at(low) > 0.5:
        return -np.inf
    while True:
        middle = low / 2 + high / 2
        if middle <= low or middle >= high:
            return high
        if at(middle) > 0.5:
            high = middle
        else:
            low = middle


class _Labels:
    """Labels as codes into texts, for the data layer."""

    def __init__(self, codes: Array, texts: list[str]) -> None:
        self.codes, self.texts, self.name = np.ascontiguousarray(codes, dtype=np.int64), texts, "label"


class _Renamed:
    """A matrix with names from elsewhere."""

    def __init__(self, source: Source, names: list[str]) -> None:
        source.names = names
        source.at = {n: i for i, n in enumerate(names)}
        source.named = True
        self.source = source


def _rows(x: Any) -> int:
    if isinstance(x, Table):
        return int(x.n_rows)
    if hasattr(x, "shape"):
        return int(x.shape[0])
    return source_of(x).n_rows


class ScarceSampler(_Parameters):
    """Base of the samplers: fit_resample, as imbalanced-learn's pipelines ask for it."""

    _estimator_type = "sampler"
    _sampling_type = "bypass"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "sampler"
        tags.classifier_tags = ClassifierTags(multi_class=False)  # two classes
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Any:
        """Checks the data; fit_resample does the work."""
        self._prepare(X, y)
        return self

    def _prepare(self, X: Any, y: Any) -> tuple[Any, Array, Array, int]:
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        if _is_frame(X):
            names = source_of(X).names
            self.n_features_in_, self.feature_names_in_ = len(names), np.array(names, dtype=object)
            x = X
        elif _has_texts(X):
            self.n_features_in_, x = X.shape[1], X
        else:
            x = validate_data(self, X, reset=True, accept_sparse=("csr", "csc"), ensure_all_finite=False, dtype="numeric")
        classes, codes, at = encode(y, self.positive)
        if _rows(x) != len(codes):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{_rows(x)}, {len(codes)}]")
        return x, classes, codes, at

    def fit_resample(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """(X, y) with another class ratio, of the kinds that came in; with sample_weight, (X, y, sample_weight)."""
        x, classes, codes, at = self._prepare(X, y)
        talk = Talk(seed=self.random_state, silent=True)
        texts = ["0", "1"] if at == 1 else ["1", "0"]
        table = make_table(x, Roles(positive="1"), arrays={"label": _Labels(codes, texts)}, label_optional=True, how=talk.how)
        spec = spec_of(self._method, self._set())
        chosen = _core.resample_rows(table._core, spec, talk.how)
        if chosen is not None:
            rows = np.frombuffer(chosen[0], np.uint32).astype(np.int64)
            self.sample_indices_, self.odds_factor_, self.exact_ = rows, chosen[1], bool(chosen[2])
            out = (take_rows(x, rows), take_rows(y, rows))
            return out if sample_weight is None else (*out, take_rows(sample_weight, rows))
        if sample_weight is not None:
            raise ValueError(f"{type(self).__name__} makes rows up, which have no weights")
        made, _, self.odds_factor_, exact = _core.resample(table._core, spec, talk.how)
        self.exact_ = bool(exact)
        return _made(Table._of(made), x), _labels(y, classes, at, made)


def _labels(y: Any, classes: Array, at: int, made: Any) -> Any:
    label = np.frombuffer(made.role("label"), np.uint8)
    values = classes[np.where(label == 1, at, 1 - at)]
    if _is_pandas(y):
        import sys

        return sys.modules["pandas"].Series(values, name=getattr(y, "name", None))
    return values


def _made(table: Table, x: Any) -> Any:
    """The features of a table in the kind of x."""
    columns = {name: table.column(name) for name in table.features}
    if _is_pandas(x):
        import sys

        return sys.modules["pandas"].DataFrame({n: np.asarray(c, dtype=x[n].dtype if c.dtype != object and x[n].dtype.kind == "f" else c.dtype) for n, c in columns.items()})
    if _is_frame(x):
        from ._data import like_input

        return like_input(x, columns)
    stacked = np.column_stack(list(columns.values()))
    if _is_sparse(x):
        return type(x)(stacked)
    return stacked.astype(x.dtype) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else stacked

