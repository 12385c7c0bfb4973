# SPDX-License-Identifier: Apache-2.0
"""Estimators that go on learning: scikit-learn's partial_fit, and River's learn_one and predict_proba_one.

`learner_` is what learns; `model_` is made of it when it is next asked for. A copy or a pickle takes the model, from which
learning goes on to the same weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ._base import ScarceClassifier, _Labels, _positive_of, _rows
from ._data import DataError, text_of
from ._learner import Learner
from ._model import Model


class OnlineClassifier(ScarceClassifier):
    """Base of the estimators of the family online."""

    learner_: Learner

    @property
    def model_(self) -> Model:
        """The model as it is now."""
        if "model_" not in self.__dict__:
            learner = self.__dict__.get("learner_")
            if learner is None:
                raise AttributeError(f"'{type(self).__name__}' object has no attribute 'model_'")
            self.__dict__["model_"] = learner.model()
            self._decide(False)
        model: Model = self.__dict__["model_"]
        return model

    @model_.setter
    def model_(self, model: Model) -> None:
        self.__dict__["model_"] = model
        self.__dict__.pop("learner_", None)  # fit begins anew

    def __getstate__(self) -> dict[str, Any]:
        if "learner_" in self.__dict__:
            _ = self.model_
        state = super().__getstate__() if hasattr(super(), "__getstate__") else self.__dict__
        return {k: v for k, v in dict(state).items() if k != "learner_"}

    # ---- learning

    def _begin(self) -> Learner:
        """The learner; after fit, or out of a pickle, one that goes on from the model."""
        learner = self.__dict__.get("learner_")
        if learner is None:
            model = self.__dict__.get("model_")
            params: dict[str, Any] = self._set()
            learner = Learner.go_on(model, seed=self.random_state) if model is not None else Learner(
                self._method, ignore=self.ignore, categorical=self.categorical, numeric=self.numeric, seed=self.random_state, **params)
            self.__dict__["learner_"] = learner
        return learner

    def _settle(self, classes: Any) -> None:
        found = np.unique(np.asarray(classes))
        if len(found) != 2:
            raise ValueError(f"{len(found)} classes ({found[:3].tolist()}), 2 are needed: Only binary classification is supported (scarce.Learner(classes=...) learns more)")
        self.classes_ = found
        self._positive_at = _positive_of(found, np.array([0, 1]), self.positive)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Goes on learning, once through the rows in their order. The first call needs both `classes`, unless y has them."""
        y = column_or_1d(y.to_numpy() if hasattr(y, "to_numpy") else y, warn=True)
        first = "model_" not in self.__dict__ and "learner_" not in self.__dict__
        x = self._input(X, first)
        n = _rows(x)
        if n != len(y):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{n}, {len(y)}]")
        if first:
            self._settle(y if classes is None else classes)
        elif classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            raise ValueError(f"classes {np.unique(np.asarray(classes)).tolist()} are not those of the first call, {self.classes_.tolist()}")
        unknown = [c for c in np.unique(y).tolist() if c not in self.classes_.tolist()]
        if unknown:
            raise ValueError(f"y has labels that classes doesn't: {unknown[:3]}")
        weight = self._weights(x, sample_weight, n)
        texts = [text_of(c.item() if hasattr(c, "item") else c) or "" for c in self.classes_]
        learner = self._begin()
        learner._given["positive"] = texts[self._positive_at]
        x = x if first else self._names(x)
        learner.learn(getattr(x, "source", x), _Labels(np.searchsorted(self.classes_, y), texts), weight=weight)
        self.__dict__.pop("model_", None)
        return self

    # ---- as River's users know it

    def learn_one(self, x: Mapping[str, Any], y: Any, w: float = 1.0) -> Any:
        """Learns one row, a dict. The first settles which features there are."""
        if "classes_" not in self.__dict__:
            self._settle(_usual_classes(y, self.positive))
            self.feature_names_in_ = np.array(list(x), dtype=object)
            self.n_features_in_ = len(x)
        at = np.flatnonzero(self.classes_ == y)
        if not len(at):
            raise ValueError(f"label {y!r} is none of {self.classes_.tolist()}")
        learner = self._begin()
        learner._given["positive"] = None
        learner.learn_one(x, int(at[0] == self._positive_at), w)
        self.__dict__.pop("model_", None)
        return self

    def learn_many(self, X: Any, y: Any, w: Any = None) -> Any:
        """partial_fit, by River's name."""
        return self.partial_fit(X, y, sample_weight=w)

    def score_one(self, x: Any) -> float:
        """The score of one row, a dict."""
        check_is_fitted(self, "classes_")
        return self._begin().score_one(x)

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each class; {} before anything was learnt."""
        if "classes_" not in self.__dict__:
            return {}
        p = self._begin().probability_one(x)
        both = self.classes_.tolist()
        return {both[1 - self._positive_at]: 1 - p, both[self._positive_at]: p}

    def predict_one(self, x: Any) -> Any:
        """The class of one row; None before anything was learnt."""
        if "classes_" not in self.__dict__:
            return None
        _ = self.model_  # knows the threshold
        at = self._positive_at if self._begin().score_one(x) > self._below else 1 - self._positive_at
        return self.classes_.tolist()[at]


def _usual_classes(y: Any, positive: Any) -> list[Any]:
    """Both classes of a first label that says one."""
    if isinstance(y, (bool, np.bool_)):
        return [False, True]
    if y in (0, 1):
        return [0, 1]
    if y == -1:
        return [-1, 1]
    raise DataError(f"the first label is {y!r}: which is the other class? Begin with partial_fit(X, y, classes=[...])"
                    + ("" if positive is None else f" (positive={positive!r} says one of them)"))
