# SPDX-License-Identifier: Apache-2.0
"""Rows that lie elsewhere, on other machines or in blocks: <scarce/scale.h> for what is built on it here (scarce.spark).

    sketch = Sketch(); sketch.add(block, first=0, label="y"); ...     where the rows are; sketches are joined
    plan = Plan.of(sketch, "gb", {"n_trees": 100})                    where trees are grown
    partition = Partition(plan); partition.add(block, first=0, label="y")
    model = train_far(plan, lambda question: [partition.answer(question)], "gb", {"n_trees": 100})

Rows have numbers, those of `ids` or `first`, first + 1, ...; the model is that of scarce.train on all of them in the order of their
numbers, whoever holds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from . import _core
from ._data import Roles, Table, make_table
from ._functions import check, texts_of, trained
from ._model import Model
from ._talk import Talk


def _block(rows: Any, roles: dict[str, Any], talk: Talk) -> Any:
    return make_table(rows, Roles(**roles), how=talk.how, part=True)._core


def _numbers(ids: Any) -> Any:
    """Row numbers as the library takes them; negative ones count as 2**64 more."""
    if ids is None:
        return None
    a = np.asarray(ids)
    if a.dtype.kind not in "iu":
        raise _core.DataError(f"row numbers are whole numbers of 64 bits, not {a.dtype}")
    return np.ascontiguousarray(a).astype(np.int64 if a.dtype.kind == "i" else np.uint64).view(np.uint64)


class Sketch:
    """What is to be known of all rows before the first tree: an even sample, categories, counts."""

    def __init__(self, *parts: bytes) -> None:
        self._core = _core.sketch_new()
        for part in parts:
            self.join(part)

    def add(self, rows: Any, *, ids: Any = None, first: int = 0, threads: int | None = 1, **roles: Any) -> None:
        """Rows with a label, as `scarce.train` takes them."""
        talk = Talk(threads=threads)
        self._core.add(_block(rows, roles, talk), _numbers(ids), first, talk.how)

    def expect(self, rows: int) -> None:
        """How many rows there are in all places, before the first is added: all sketches together are then about as large as one."""
        self._core.expect(rows)

    @property
    def enough(self) -> bool:
        """Whether the joined sketches hold the sample; without expect() they do."""
        return self._core.enough()

    def to_bytes(self) -> bytes:
        return self._core.to_bytes()

    def join(self, part: bytes) -> None:
        """A sketch of other rows, in any order."""
        self._core.join(part)


class Plan:
    """How columns become bytes. One that was read serves partitions, not a training."""

    def __init__(self, core: _core.Plan) -> None:
        self._core = core

    @classmethod
    def of(cls, sketch: Sketch, method: str = "gb", params: Mapping[str, Any] | None = None, threads: int | None = None) -> Plan:
        return cls(_core.plan_make(sketch._core, method, texts_of(params or {}), Talk(threads=threads).how))

    @classmethod
    def read(cls, data: bytes) -> Plan:
        return cls(_core.plan_read(data))

    def to_bytes(self) -> bytes:
        return self._core.to_bytes()

    @property
    def n_rows(self) -> int:
        return self._core.size()[0]

    @property
    def positives(self) -> int:
        return self._core.size()[1]

    @property
    def row_bytes(self) -> int:
        """Of a row in a partition, about."""
        return self._core.size()[2]


class Partition:
    """The rows of one place; `folder`: in a temporary file there instead of in memory."""

    def __init__(self, plan: Plan, folder: str | None = None) -> None:
        self._core = _core.partition_new(plan._core, folder)

    def add(self, rows: Any, *, ids: Any = None, first: int = 0, threads: int | None = 1, **roles: Any) -> None:
        talk = Talk(threads=threads)
        self._core.add(_block(rows, roles, talk), _numbers(ids), first, talk.how)

    def __len__(self) -> int:
        return self._core.rows()

    def answer(self, question: bytes, threads: int | None = 1) -> bytes:
        return self._core.answer(question, Talk(threads=threads, silent=True).how)


def valid_table(rows: Any, plan: Plan, **arrays: Any) -> Table:
    """Validation rows, with the columns of the plan; `arrays` are roles beside them (weight=)."""
    table = make_table(rows, Roles(), like=plan._core, arrays=arrays)
    if table.label is None:
        raise _core.DataError("the validation rows have no label")
    return table


def train_far(plan: Plan, ask: Callable[[bytes], Iterable[bytes]], method: str = "gb", params: Mapping[str, Any] | None = None, *,
              valid: Table | None = None, early_stop: int | None = None, metric: str | None = None, calibrate: str | None = None,
              threshold: str | None = None, seed: Any = 1, threads: int | None = None, progress: Any = None) -> Model:
    """Trains on rows that `ask` reaches: it shows a question to every partition once and gives their answers in any order."""
    options = {"early_stop": early_stop, "metric": metric, "calibrate": calibrate, "threshold": threshold}
    check(method, params or {}, {**{k: v for k, v in options.items() if v is not None}, "expects_valid": int(valid is not None)})
    talk = Talk(seed=seed, threads=threads, progress=progress)
    with talk as how:
        made = _core.train_far(plan._core, None if valid is None else valid._core, method, texts_of(params or {}), options, ask, how)
    return trained(*made)
