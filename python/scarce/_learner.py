# SPDX-License-Identifier: Apache-2.0
"""Learning from rows that come one after the other: blocks of them, or row by row. docs/online.md tells what is learnt."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._data import DataError, Roles, make_table, text_of
from ._functions import load, value_text
from ._model import Model
from ._talk import Talk

Array = np.ndarray[Any, Any]
ADAPT = {"none": 0, "restart-weakest": 1, "decay": 2}
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def seconds_of(span: Any, what: str) -> float:
    """A span in seconds: a number, or "7d", "12h"."""
    if isinstance(span, str):
        m = re.fullmatch(r"\s*([0-9.]+)\s*([smhdw])\s*", span)
        if not m:
            raise _core.ParameterError(f"{what}={span!r} is no span of time: seconds, or 90s, 30m, 12h, 7d, 2w")
        return float(m[1]) * SECONDS[m[2]]
    return float(span)


class Learner:
    """Scores each row before it learns it, as `scarce learn` does.

    The first rows settle which columns there are; later ones are found by name, and their categories may be new. `classes` are the labels
    where there are more than two (onlb alone; then rows are learnt one by one). `delay` ("7d", or seconds; needs `time`) is how long
    after its row a label is known; `window` and `top` are for the figures of `status`; `adapt` is "none", "restart-weakest" or "decay".
    `params` are the method's own (scarce.methods("onlb")).

    >>> learner = Learner("online-linear")
    >>> for amount, fraud in [(5, 0), (900, 1), (7, 0), (800, 1)] * 50:
    ...     learner.learn_one({"amount": amount, "channel": "online"}, fraud)
    >>> learner.probability_one({"amount": 850}) > 0.5
    True
    """

    def __init__(self, method: str = "onlb", *, classes: Sequence[Any] | None = None, label: Any = None, positive: Any = None, weight: Any = None,
                 time: Any = None, group: Any = None, amount: Any = None, ignore: Any = (), categorical: Any = (), numeric: Any = (), delay: Any = 0,
                 max_pending: int = 1_000_000, window: int = 100_000, top: int = 100, adapt: str = "none", seed: Any = 1, **params: Any) -> None:
        if adapt not in ADAPT:
            raise _core.ParameterError(f"adapt={adapt!r} is none of {', '.join(ADAPT)}")
        self.method = method
        self._set = {k: value_text(v) for k, v in params.items() if v is not None}
        _core.params_can(method, self._set)  # says what is wrong with them
        self.classes = None if classes is None else list(classes)
        if self.classes is not None and positive is not None and positive not in self.classes:
            raise _core.ParameterError(f"positive={positive!r} is none of the classes {self.classes}")
        self._positive = len(self.classes) - 1 if self.classes and positive is None else self.classes.index(positive) if self.classes else 1
        self._given: dict[str, Any] = {"label": label, "positive": positive, "weight": weight, "time": time, "group": group, "amount": amount, "ignore": ignore}
        self._kinds: dict[str, Any] = {"categorical": categorical, "numeric": numeric}
        self._options = {"delay": seconds_of(delay, "delay"), "max_pending": max_pending, "window": window, "top": top, "adapt": ADAPT[adapt]}
        self._talk = Talk(seed=seed, silent=True)
        self._core: Any = None

    @classmethod
    def go_on(cls, model: Any, *, classes: Sequence[Any] | None = None, **options: Any) -> Learner:
        """A learner that goes on from a model of this family, or from a checkpoint (a path) with everything that waited there."""
        known = model if isinstance(model, Model) else load(model)
        self = cls(known.method, classes=classes, **options)
        schema = known._core.schema()
        for role in ("label", "positive", "weight", "time", "group", "amount"):
            if self._given[role] is None:
                self._given[role] = schema[role]
        self._core = _core.learner_go_on(known._core, self._options, self._talk.how)
        return self

    # ---- rows

    def _begin(self, table: Any) -> None:
        n = 2 if self.classes is None else len(self.classes)
        self._core = _core.learner_new(table._core, self.method, self._set, n, self._positive, self._options, self._talk.how)

    def _table(self, data: Any, arrays: dict[str, Any]) -> Any:
        schema = None if self._core is None else self._core.schema()
        given = {k: v for k, v in self._given.items() if k not in arrays}
        if schema is not None:  # a chunk may come without its labels, and then is scored alone
            names = getattr(data, "columns", data if isinstance(data, Mapping) else ())
            given = {k: v if k in ("positive", "ignore") or not isinstance(v, str) or v in names else None for k, v in given.items()}
        return make_table(data, Roles(**given, **(self._kinds if schema is None else {})), arrays=arrays, label_optional=schema is not None or "label" in arrays,
                          how=self._talk.how, like=self._core, part=True)

    def learn(self, data: Any, label: Any = None, *, weight: Any = None, time: Any = None) -> Array:
        """Rows in the order of time: labels that are due are learnt, and each row is scored before it is learnt or waits. Gives these scores."""
        if self.classes is not None and len(self.classes) > 2:
            raise _core.ParameterError("more than two classes are learnt row by row: learn_one")
        arrays = {k: v for k, v in (("label", label), ("weight", weight), ("time", time)) if v is not None}
        table = self._table(data, arrays)
        if self._core is None:
            self._begin(table)
        return np.frombuffer(self._core.block(table._core))

    def learn_one(self, row: Mapping[str, Any], label: Any, weight: float = 1.0) -> None:
        """Learns one row at once. Features that the first row didn't have are passed over, those that are missing are missing values."""
        if self._core is None:
            data = {k: [v] for k, v in row.items()}
            self._begin(make_table(data, Roles(ignore=self._given["ignore"], **self._kinds), label_optional=True, how=self._talk.how))
        self._core.learn_one(row, self._class_of(label), weight)

    def _class_of(self, label: Any) -> int:
        if self.classes is not None:
            if label not in self.classes:
                raise DataError(f"label {label!r} is none of the classes {self.classes}")
            return self.classes.index(label)
        positive = self._given["positive"]
        if positive is not None:
            return int(label == positive or text_of(label) == text_of(positive))
        if label in (0, 1):
            return int(label)
        raise DataError(f"label {label!r} is neither 0 nor 1: say positive=, or classes=")

    def _known(self) -> Any:
        if self._core is None:
            raise DataError("nothing was learnt yet")
        return self._core

    def score_one(self, row: Any) -> float:
        """The score of one row: a dict, or an array in the order of the features."""
        return float(self._known().score_one(row))

    def classes_one(self, row: Any) -> dict[Any, float]:
        """The probability of each class."""
        p = np.frombuffer(self._known().classes_one(row)).tolist()
        return dict(zip(self.classes or [0, 1], p))

    def probability_one(self, row: Any) -> float:
        """The probability of the positive class."""
        return float(np.frombuffer(self._known().classes_one(row))[self._positive])

    def flush(self) -> None:
        """Learns what still waits, as if all labels had come."""
        self._known().flush()

    # ---- how it goes, and what comes out

    @property
    def status(self) -> dict[str, Any]:
        """Counts, and the figures of the latest `window` rows whose labels came: ap, log_loss, card_precision."""
        return dict(self._known().status())

    def model(self) -> Model:
        """A model like any other: it scores, is saved, and can go on (Learner.go_on)."""
        return Model(self._known().model())

    def checkpoint(self, path: Any) -> None:
        """All of it as a file, with the rows that wait: Learner.go_on(path) gives the bytes of never having stopped."""
        self._known().checkpoint(os.fspath(path))
