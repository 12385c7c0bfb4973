# SPDX-License-Identifier: Apache-2.0
"""The rows of a Spark DataFrame as partitions that answer questions (_far.py); scarce.spark is what users see.

    pack       each Spark partition's rows become a few blocks of Arrow bytes, which Spark keeps (memory, then disk)
    count      how many rows are where, so that they have numbers
    sketch     one per partition, joined on the way to the driver
    ask        one job per question: a worker process that still holds a partition answers at once; of the others the blocks are
               read again in a second job, which builds them anew

A worker that died, an executor that was lost or a task that ran twice therefore changes nothing but time. What goes wrong on an
executor comes back as a value, so that the driver can raise it as one line. Only this module's functions travel: executors need the
scarce package.
"""

from __future__ import annotations

import builtins
import logging
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._far import Partition, Plan, Sketch

BLOCK_ROWS, BLOCK_BYTES = 65_536, 64 << 20
VECTOR, ID = "scarce vector", "scarce number"  # columns on the way, with names that nobody has
PACKED = "rows long, problem string, block binary"
TREE_FROM = 8  # partitions: with more their sketches are joined on executors first

log = logging.getLogger("scarce")


class Layout(NamedTuple):
    """What is in the columns that were selected."""

    label: str
    weight: str | None
    vector: bool  # the features are one column of arrays
    names: list[str] | None  # of the vector's entries; None: numbers from 1
    positive: str | None

    @property
    def roles(self) -> dict[str, Any]:
        return {"label": self.label, "weight": self.weight, "positive": self.positive}


# ---- blocks, on executors


def spread(vectors: Any, names: Sequence[str] | None) -> dict[str, Any]:
    """A column of arrays of one length as a column per entry."""
    import pyarrow as pa

    lists = vectors.combine_chunks() if isinstance(vectors, pa.ChunkedArray) else vectors
    if lists.null_count:
        raise _core.DataError("some of the rows have no vector of features")
    lengths = np.unique(lists.value_lengths().to_numpy(zero_copy_only=False))
    if len(lengths) > 1:
        raise _core.DataError(f"vectors of features have {lengths[0]} numbers in some rows and {lengths[-1]} in others")
    width = int(lengths[0]) if len(lengths) else 0
    if width == 0:
        raise _core.DataError("the vectors of features are empty")
    if names is not None and len(names) != width:
        raise _core.DataError(f"vectors of features have {width} numbers, their column says {len(names)}")
    flat = lists.flatten().to_numpy(zero_copy_only=False).reshape(-1, width)
    return {name: narrow(flat[:, k]) for k, name in enumerate(names or [str(k + 1) for k in range(width)])}


def narrow(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Doubles as the floats that the library makes of them, unless one is too large for that."""
    with np.errstate(over="ignore"):
        small = np.ascontiguousarray(values, dtype=np.float32)
    return small if np.array_equal(np.isinf(small), np.isinf(values)) else np.ascontiguousarray(values)


def _block(batches: list[Any], layout: Layout) -> tuple[int, bytes]:
    import pyarrow as pa

    table = pa.Table.from_batches(batches).combine_chunks()
    columns: dict[str, Any] = {}
    for name in table.column_names:
        column = table.column(name)
        if name == VECTOR:
            columns |= spread(column, layout.names)
        elif name == ID and column.null_count:
            raise _core.DataError("some of the rows have no number (idCol)")
        elif name not in (layout.label, layout.weight) and pa.types.is_float64(column.type):
            columns[name] = narrow(column.to_numpy())
        else:
            columns[name] = column
    made = pa.table(columns)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, made.schema) as out:
        out.write_table(made)
    return made.num_rows, sink.getvalue().to_pybytes()


def _gathered(batches: Iterator[Any]) -> Iterator[list[Any]]:
    waiting: list[Any] = []
    rows = size = 0
    for batch in batches:
        if batch.num_rows == 0:
            continue
        waiting.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= BLOCK_ROWS or size >= BLOCK_BYTES:
            yield waiting
            waiting, rows, size = [], 0, 0
    if waiting:
        yield waiting


def _pack(layout: Layout, batches: Iterator[Any]) -> Iterator[Any]:
    """For mapInArrow."""
    import pyarrow as pa

    problem = None
    for some in _gathered(batches):
        if problem is not None:
            continue  # a worker that leaves rows unread isn't used again
        try:
            rows, block = _block(some, layout)
        except _core.DataError as e:
            rows, block, problem = 0, b"", str(e)
        yield pa.record_batch([pa.array([rows], pa.int64()), pa.array([problem], pa.string()), pa.array([block], pa.binary())],
                              names=["rows", "problem", "block"])


def unpack(block: bytes) -> tuple[Any, Any]:
    """(rows as an Arrow table, their numbers or None)"""
    import pyarrow as pa

    table = pa.ipc.open_stream(block).read_all()
    if ID not in table.column_names:
        return table, None
    return table.drop_columns([ID]), table.column(ID).to_numpy()


# ---- tasks: (partition, name of an exception or "", its text or the result)
#
# Functions of this module with arguments bound, never functions inside functions: those would travel with copies of what they see,
# and find in _held what the driver holds.


def _said(index: int, work: Callable[[], Any]) -> tuple[int, str, Any]:
    try:
        return index, "", work()
    except (_core.ScarceError, OSError, MemoryError) as e:
        return index, type(e).__name__, str(e)


def raise_said(index: int, name: str, text: str) -> None:
    kind = getattr(_core, name, None) or getattr(builtins, name, None) or _core.ScarceError
    raise kind(f"partition {index}: {text}" if index >= 0 else text)


def _place(index: int, blocks: Iterator[Any]) -> Iterator[Any]:
    rows, first = 0, None
    for n, problem, _ in blocks:
        rows += n
        first = first if first is not None else problem
    yield index, rows, first


def _fill(to: Any, blocks: Iterator[Any], first: int, layout: Layout) -> None:
    done = 0
    for rows, _, block in blocks:
        table, ids = unpack(block)
        try:
            to.add(table, ids=ids, first=first + done, **layout.roles)
        except _core.DataError as e:  # its row is that of the block
            raise _core.DataError(f"after {done:,} rows: {e}" if done else str(e)) from None
        done += rows


def _sketched(layout: Layout, firsts: list[int], expected: int, index: int, blocks: Iterator[Any]) -> Iterator[Any]:
    def work() -> bytes:
        sketch = Sketch()
        sketch.expect(expected)
        _fill(sketch, blocks, firsts[index], layout)
        return sketch.to_bytes()

    yield _said(index, work)


def _joined(a: tuple[int, str, Any], b: tuple[int, str, Any]) -> tuple[int, str, Any]:
    """Two sketches as one; what went wrong goes on."""
    for x in (a, b):
        if x[1]:
            return x
    return _said(-1, lambda: Sketch(a[2], b[2]).to_bytes())


# What this process holds: partitions of trainings, their bytes and when they were last asked; the latest at the end.
_held: OrderedDict[tuple[str, int], tuple[Partition, int, float]] = OrderedDict()
_FORGET = 1800.0  # seconds without a question


def _hold(key: tuple[str, int], partition: Partition, size: int, limit: int) -> None:
    now = time.monotonic()
    _held[key] = (partition, size, now)
    _held.move_to_end(key)
    for old in [k for k, (_, _, at) in _held.items() if now - at > _FORGET]:
        del _held[old]
    while len(_held) > 1 and sum(s for _, s, _ in _held.values()) > limit:
        _held.popitem(last=False)


def _known(training: str, question: Any, limit: int, index: int, nothing: Iterator[Any]) -> Iterator[Any]:
    """The answer where this process holds the partition, None elsewhere."""
    list(nothing)
    found = _held.get((training, index))
    if found is None:
        yield index, "", None
        return
    _hold((training, index), found[0], found[1], limit)
    yield _said(index, lambda: found[0].answer(question.value))


def _built(training: str, layout: Layout, firsts: list[int], plan: Any, question: Any, limit: int, index: int, blocks: Iterator[Any]) -> Iterator[Any]:
    """Builds the partition, keeps it, answers."""

    def work() -> bytes:
        bins = Plan.read(plan.value)
        partition = Partition(bins)
        _fill(partition, blocks, firsts[index], layout)
        answer = partition.answer(question.value)
        _hold((training, index), partition, len(partition) * bins.row_bytes, limit)
        return answer

    yield _said(index, work)


def _forget(training: str, index: int, nothing: Iterator[Any]) -> Iterator[Any]:
    list(nothing)
    for key in [k for k in _held if k[0] == training]:
        del _held[key]
    return iter(())


# ---- the driver


def pack_frame(frame: Any, layout: Layout) -> Any:
    """An RDD of (rows, problem, block)."""
    return frame.mapInArrow(partial(_pack, layout), PACKED).rdd


class Cluster:
    """Training rows on the executors; a `with` block, at whose end Spark drops them."""

    def __init__(self, frame: Any, layout: Layout, *, numbered: bool, worker_bytes: int) -> None:
        from pyspark import StorageLevel

        self._layout, self._limit = layout, worker_bytes
        self._training = uuid.uuid4().hex
        self._sc = frame.sparkSession.sparkContext
        self._blocks = pack_frame(frame, layout).persist(StorageLevel.MEMORY_AND_DISK)
        # Small and cached beside the blocks, so that questions go where these are without their being read.
        self._places = self._blocks.mapPartitionsWithIndex(_place).persist(StorageLevel.MEMORY_AND_DISK)
        self._numbered = numbered
        self._plan: Any = None
        self.figures = {"rows": 0, "partitions": 0, "questions": 0, "jobs": 0, "built": 0, "bytes_sketched": 0, "bytes_asked": 0, "bytes_answered": 0}

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, kind: Any, *unused: object) -> None:
        if kind is None:
            self._places.mapPartitionsWithIndex(partial(_forget, self._training)).collect()
        self._places.unpersist()
        self._blocks.unpersist()
        if self._plan is not None:
            self._plan.destroy()

    def _count(self) -> list[int]:
        """The number of each partition's first row."""
        self.figures["jobs"] += 1
        firsts, first = [], 0
        for index, rows, problem in self._places.collect():
            if problem is not None:
                raise_said(index, "DataError", problem)
            firsts.append(first)
            first += 0 if self._numbered else rows
            self.figures["rows"] += rows
        self.figures["partitions"] = len(firsts)
        return firsts

    def sketch(self) -> Sketch:
        self._firsts = self._count()
        if not self.figures["rows"]:
            raise _core.DataError("there are no training rows")
        sketch = self._sketch(self.figures["rows"])
        return sketch if sketch.enough else self._sketch(0)  # many positives

    def _sketch(self, expected: int) -> Sketch:
        said = self._blocks.mapPartitionsWithIndex(partial(_sketched, self._layout, self._firsts, expected))
        self.figures["jobs"] += 1
        sketch = Sketch()
        for index, name, result in [said.treeReduce(_joined)] if len(self._firsts) > TREE_FROM else said.collect():
            if name:
                raise_said(index, name, result)
            sketch.join(result)
            self.figures["bytes_sketched"] += len(result)
        return sketch

    def use(self, plan: Plan) -> None:
        self._plan = self._sc.broadcast(plan.to_bytes())

    def ask(self, question: bytes) -> list[bytes]:
        sent = self._sc.broadcast(question)
        try:
            answers: list[bytes] = []
            missing = list(range(len(self._firsts)))
            if self.figures["questions"]:
                answers, missing = self._heard(self._places.mapPartitionsWithIndex(partial(_known, self._training, sent, self._limit)).collect())
                self.figures["jobs"] += 1
            if missing:
                build = partial(_built, self._training, self._layout, self._firsts, self._plan, sent, self._limit)
                more, missing = self._heard(self._sc.runJob(self._blocks.mapPartitionsWithIndex(build), list, missing))
                answers += more
                self.figures["jobs"] += 1
                self.figures["built"] += len(more)
        finally:
            sent.destroy()
        f = self.figures
        f["questions"] += 1
        f["bytes_asked"] += len(question)
        f["bytes_answered"] += sum(len(a) for a in answers)
        return answers

    def _heard(self, said: list[Any]) -> tuple[list[bytes], list[int]]:
        answers, missing = [], []
        for index, name, result in said:
            if name:
                raise_said(index, name, result)
            if result is None:
                missing.append(index)
            else:
                answers.append(result)
        return answers, missing

    def tell(self) -> None:
        f = self.figures
        log.info("spark: %s rows in %d partitions; %d questions in %d jobs, %.1f MB asked, %.1f MB answered, partitions built %d times", f"{f['rows']:,}",
                 f["partitions"], f["questions"], f["jobs"], f["bytes_asked"] / 1e6, f["bytes_answered"] / 1e6, f["built"])
