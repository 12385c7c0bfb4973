# SPDX-License-Identifier: Apache-2.0
"""Metrics with scikit-learn's order of arguments (y_true, y_score); ties and weights are treated as there.

>>> average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
0.8333333333333333
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._talk import Talk

__all__ = ["average_precision", "bootstrap", "holm", "metric", "metrics", "names", "threshold", "wilcoxon"]


def _rows(y_true: Any, y_score: Any, sample_weight: Any, positive: Any, **more: Any) -> dict[str, Any]:
    y = np.asarray(y_true)
    if y.dtype.kind not in "biuf":
        label = y == positive if positive is not None else None
        if label is None:
            raise _core.ParameterError("labels that are no numbers need positive=...")
    else:
        label = y == (1 if positive is None else positive)
        odd = set(np.unique(y).tolist()) - {0, 1, -1, True, False} if positive is None else set()
        if odd:
            raise _core.DataError(f"a label {sorted(odd)[0]!r}: 0 and 1 (or -1 and 1) are expected, or positive=...")
    rows: dict[str, Any] = {"score": np.ascontiguousarray(y_score, dtype=np.float64), "label": np.ascontiguousarray(label, dtype=np.uint8)}
    for name, values in {"weight": sample_weight, **more}.items():
        if values is not None:
            rows[name] = np.ascontiguousarray(values, dtype=np.int32 if name == "group" else np.float64)
    return rows


def average_precision(y_true: Any, y_score: Any, *, sample_weight: Any = None, positive: Any = None, threads: int | None = None) -> float:
    """Average precision, as sklearn.metrics.average_precision_score; NaN where a class is missing."""
    return float(_core.average_precision(_rows(y_true, y_score, sample_weight, positive), Talk(threads=threads, silent=True).how))


def metrics(y_true: Any, y_score: Any, *, probability: Any = None, sample_weight: Any = None, time: Any = None, amount: Any = None, group: Any = None,
            positive: Any = None, threads: int | None = None, **options: Any) -> dict[str, float]:
    """Every metric from one sort. Options: k, k_share, threshold, beta, cost, card_k, day_length, ece_bins."""
    rows = _rows(y_true, y_score, sample_weight, positive, probability=probability, time=time, amount=amount, group=group)
    return dict(_core.metrics(rows, options, Talk(threads=threads, silent=True).how))


def metric(name: str, y_true: Any, y_score: Any, **more: Any) -> float:
    """One metric by name or alias ("p@k", "auc", ...)."""
    found = _core.metric_find(name)
    if found is None:
        near = _core.nearest(name, list(names()))
        raise _core.ParameterError(f'no metric "{name}"' + (f', did you mean "{near}"?' if near else ""))
    return metrics(y_true, y_score, **more)[found]


def names() -> dict[str, str]:
    """The metrics, with a few words each."""
    return {name: text for name, text, _, _ in _core.metric_table()}


def bootstrap(y_true: Any, y_score: Any, name: str = "ap", *, sample_weight: Any = None, group: Any = None, positive: Any = None, replicates: int = 1000,
              level: float = 0.95, seed: int = 1, threads: int | None = None, **options: Any) -> tuple[float, float, float]:
    """(value, low, high): the interval of a metric by bootstrap, of whole groups where there are groups."""
    rows = _rows(y_true, y_score, sample_weight, positive, group=group)
    how = Talk(seed=seed, threads=threads, silent=True).how
    (value, low, high, _), = _core.bootstrap(rows, options, [name], replicates, level, how).values()
    return value, low, high


def threshold(rule: str, y_true: Any, y_score: Any, *, sample_weight: Any = None, time: Any = None, amount: Any = None, positive: Any = None) -> float:
    """The score from which on a row is an alert, by a rule: "f1", "gmean", "cost:5", "budget:100/day", ..."""
    return float(_core.threshold(rule, _rows(y_true, y_score, sample_weight, positive, time=time, amount=amount))[0])


def wilcoxon(a: Any, b: Any) -> dict[str, Any]:
    """Wilcoxon's signed-rank test of pairs (zeros by Pratt): n, statistic, z, p, exact."""
    return dict(_core.wilcoxon(np.ascontiguousarray(a, dtype=np.float64), np.ascontiguousarray(b, dtype=np.float64)))


def holm(p: Any) -> np.ndarray[Any, Any]:
    """Holm's step-down correction of p values."""
    return np.frombuffer(_core.holm(np.ascontiguousarray(p, dtype=np.float64)))
