# SPDX-License-Identifier: Apache-2.0
"""Features over rolling windows, by a file of definitions (docs/features.md): of a table, and record by record."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core
from ._data import DataError, is_path, like_input
from ._learner import seconds_of
from ._talk import Talk


def _definitions(define: Any) -> tuple[str, str]:
    """Text and name of definitions: a path, or (with a line break in it) the text itself."""
    if isinstance(define, str) and "\n" in define:
        return define, "definitions"
    path = os.fspath(define)
    with open(path, encoding="utf-8") as f:
        return f.read(), path


class FeatureStream:
    """One record in, its features out, as a service would ask; labels by id; snapshots.

    >>> stream = FeatureStream('''
    ... field time time
    ... field card key
    ... field amount decimal(2)
    ... over 1d by card: count, mean(amount)
    ... ''')
    >>> stream.put({"time": 1000, "card": "4711", "amount": 12.5})
    {'card_count_1d': 0.0, 'card_mean_amount_1d': nan}
    >>> stream.put({"time": 2000, "card": "4711", "amount": 20})
    {'card_count_1d': 1.0, 'card_mean_amount_1d': 12.5}
    """

    def __init__(self, define: Any, *, snapshot: Any = None) -> None:
        text, name = _definitions(define)
        self._core = _core.features_define(text, name, None if snapshot is None else os.fspath(snapshot))
        info = self._core.info()
        #: what a record consists of, and what comes out
        self.fields: list[str] = list(info["fields"])
        self.features: list[str] = list(info["features"])
        #: one line a feature, and 32 digits of them: the same for definitions that mean the same
        self.text: str = info["text"]
        self.digest: str = info["digest"]

    def put(self, record: Mapping[str, Any], *, at: int | None = None) -> dict[str, float]:
        """The features of a record (missing: nan); from then on it is part of the past of others. `at`: when it came, in seconds since 1970."""
        return self._core.put(dict(record), at)[0]

    def label(self, id: Any, label: bool, *, at: int | None = None) -> bool:
        """What a record turned out to be. False: no record of that id is within the horizon."""
        return self._core.label(str(id), bool(label), at)

    def save(self, path: Any) -> None:
        """The state as a file; FeatureStream(define, snapshot=path) goes on from it to the same bytes."""
        self._core.save(os.fspath(path))

    @property
    def position(self) -> int:
        """Records and labels taken so far."""
        return self._core.position()


def _cells(values: Any) -> list[Any]:
    """A column as a CSV would have it: missing is empty, dates as ISO texts."""
    values = np.asarray(values)
    if values.dtype.kind == "M":
        return ["" if v == "NaT" else v for v in np.datetime_as_string(values, unit="s").tolist()]
    return ["" if v is None or v != v else int(v) if isinstance(v, bool) else v for v in values.tolist()]


def _columns(data: Any) -> dict[str, Any]:
    if isinstance(data, Mapping):
        return {str(k): v for k, v in data.items()}
    names = getattr(data, "column_names", None) or getattr(data, "columns", None)
    if names is None:
        raise TypeError(f"can't take records from a {type(data).__name__}: give a frame, a dict of columns, or a path")
    return {str(n): data[n] for n in names}


def features(data: Any, define: Any, *, out: Any = None, label_time: str | None = None, label_delay: Any = 0, threads: int | None = None,
             progress: Any = None) -> Any:
    """The rows with the features of `define` (a path, or the text itself) behind them, as `scarce features` adds them.

    A frame or a dict of columns comes back in its own kind; files (a path, or several in the order of time) are written to `out`, and
    what was found is told. Labels count from `label_time` (a column; "label_time" where there is one), else `label_delay` ("7d") after the row.

    >>> rows = {"time": [10, 20, 30], "card": ["a", "b", "a"], "amount": [1.0, 2.0, 3.0]}
    >>> features(rows, "field time time\\nfield card key\\nfield amount decimal(2)\\nover 1h by card: sum(amount)\\n")["card_sum_amount_1h"]
    array([0., 0., 1.])
    """
    stream = FeatureStream(define)
    talk = Talk(threads=threads, progress=progress)
    options = {"label_time": label_time, "label_delay": seconds_of(label_delay, "label_delay")}
    if is_path(data) or out is not None:
        if out is None:
            raise _core.ParameterError("where to? Files are written to a file: out=")
        if is_path(data):
            with talk as how:
                return stream._core.table([os.fspath(p) for p in ([data] if isinstance(data, (str, os.PathLike)) else data)], os.fspath(out), options, how)
        raise _core.ParameterError("out= is for files; a frame comes back with its features")
    columns = _columns(data)
    wanted = [n for n in columns if n in stream.fields or n == (label_time or "label_time")]
    absent = [n for n in stream.fields if n not in columns]
    if absent:
        near = _core.nearest(absent[0], list(columns))
        raise DataError(f'no column "{absent[0]}", which the definitions declare as a field' + (f' ("{near}" is there)' if near else ""))
    with tempfile.TemporaryDirectory() as folder:
        rows, made = os.path.join(folder, "rows.csv"), os.path.join(folder, "features.csv")
        with open(rows, "w", newline="", encoding="utf-8") as f:
            w = csv.writer(f, lineterminator="\n")
            w.writerow(wanted)
            w.writerows(zip(*(_cells(columns[n]) for n in wanted)))
        with talk as how:
            try:
                stream._core.table([rows], made, options, how)
            except DataError as e:
                raise DataError(str(e).replace(rows, "data")) from None
        with open(made, newline="", encoding="utf-8") as f:
            lines = csv.reader(f)
            head = next(lines)
            got = list(zip(*lines)) or [() for _ in head]
    result = dict(columns)
    for name, cells in list(zip(head, got))[len(wanted):]:
        result[name] = np.array([float(c) if c else np.nan for c in cells])
    return like_input(data, result, index=getattr(data, "index", None))
