# SPDX-License-Identifier: Apache-2.0
"""Everything for scikit-learn: an estimator for every method, a sampler for every resampling method, splits and scorers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _core
from ._base import ScarceClassifier, ScarceSampler
from ._data import Roles, make_table
from ._functions import split
from ._methods import *  # noqa: F403
from ._methods import __all__ as _estimators
from ._samplers import *  # noqa: F403
from ._samplers import __all__ as _resampling
from ._talk import Talk

__all__ = ["PrequentialSplit", "ScarceClassifier", "ScarceSampler", "TemporalSplit", "scorer", *_estimators, *_resampling]


class _TimeSplit:
    """Folds by time for cross_val_score and GridSearchCV. `time` is a column of X (a name, or a number from 0)."""

    def __init__(self, protocol: str, time: Any, group: Any, purge_known: bool) -> None:
        self._protocol, self._time, self._group, self._purge = protocol, time, group, purge_known

    def _folds(self, X: Any, y: Any) -> list[dict[str, Any]]:
        label = y if y is not None else np.arange(len(X)) % 2
        table = make_table(X, Roles(time=self._time, group=self._group), arrays={"label": label})
        return split(table, self._protocol, purge_known=self._purge)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, Any]]:
        """(rows to train on, rows to test) of every fold."""
        for f in self._folds(X, y):
            yield np.concatenate([f["train"], f["valid"]]).astype(np.int64), f["test"].astype(np.int64)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of folds; needs X, whose times decide."""
        if X is None:
            raise ValueError("the number of folds depends on the times: give X")
        return len(self._folds(X, y))


class TemporalSplit(_TimeSplit):
    """Train on a span, leave a gap (labels take time to arrive), test on the next; roll on by `step`."""

    def __init__(self, train: str = "30d", gap: str = "7d", test: str = "7d", step: str | None = None, *, time: Any, group: Any = None, purge_known: bool = False) -> None:
        self.train, self.gap, self.test, self.step, self.time, self.group, self.purge_known = train, gap, test, step, time, group, purge_known
        super().__init__(f"temporal:train={train},gap={gap},test={test}" + (f",step={step}" if step else ""), time, group, purge_known)


class PrequentialSplit(_TimeSplit):
    """At time t learn from all that is older than t - delay, test on [t, t + test), go on by `test`."""

    def __init__(self, delay: str = "7d", train: str = "30d", test: str = "1d", *, time: Any, group: Any = None, purge_known: bool = False) -> None:
        self.delay, self.train, self.test, self.time, self.group, self.purge_known = delay, train, test, time, group, purge_known
        super().__init__(f"prequential:delay={delay},train={train},test={test}", time, group, purge_known)


def scorer(metric: str = "ap", *, k: float | None = None, cost: float | None = None, positive: Any = None) -> Callable[[Any, Any, Any], float]:
    """A scorer for `scoring=`: any metric of scarce for any estimator. What is better when lower comes out negative."""
    name = _core.metric_find(metric)
    if name is None:
        near = _core.nearest(metric, [m[0] for m in _core.metric_table()])
        raise _core.ParameterError(f'no metric "{metric}"' + (f', did you mean "{near}"?' if near else ""))
    direction = {n: d for n, _, d, _ in _core.metric_table()}[name]

    def score(estimator: Any, X: Any, y: Any) -> float:
        p = np.asarray(estimator.predict_proba(X))[:, 1] if hasattr(estimator, "predict_proba") else None
        s = np.asarray(estimator.decision_function(X)) if hasattr(estimator, "decision_function") else p
        at = estimator.classes_[1] if positive is None else positive
        rows = {"score": np.ascontiguousarray(s, dtype=np.float64), "label": np.ascontiguousarray(np.asarray(y) == at, dtype=np.uint8),
                "probability": None if p is None else np.ascontiguousarray(p)}
        value = float(_core.metrics(rows, {"k": k, "cost": cost}, Talk(silent=True).how)[name])
        return -value if direction < 0 else value

    score.__name__ = f"scorer({metric})"
    return score
