# SPDX-License-Identifier: Apache-2.0
"""Data in: pandas, polars, Arrow, NumPy, scipy.sparse, dicts, lists and files, all by the rules of the CSV reader.

A source says how many rows it has and what its columns are called; a column is fetched when it is needed, as
(kind, data, index, categories): a buffer with numbers or codes, or a column of a frame that C has read. pandas, polars
and pyarrow are never imported here: an object that comes from one brings it along.
"""

from __future__ import annotations

import datetime
import decimal
import numbers
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._core import DataError as DataError

LABEL, WEIGHT, TIME, GROUP, AMOUNT, IGNORE, COST = 16, 1, 2, 4, 8, 32, 64
ROLES = {"label": LABEL, "weight": WEIGHT, "time": TIME, "group": GROUP, "amount": AMOUNT, "cost": COST}
USUAL_LABELS = ("label", "class", "Class", "target", "y")
NUMBER, CATEGORY, SPARSE = 0, 1, 2


class Column:
    """One column as _core takes it."""

    __slots__ = ("categories", "data", "index", "is_time", "kind", "problem")

    def __init__(self, kind: int, data: Any, categories: list[str] | None = None, *, index: int = 0, is_time: bool = False,
                 problem: str | None = None) -> None:
        self.kind, self.data, self.categories, self.index, self.is_time, self.problem = kind, data, categories, index, is_time, problem


# ---- single columns


def text_of(value: Any) -> str | None:
    """The text of a category as a CSV would have it: 5 and 5.0 are "5"."""
    if value is None:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        x = float(value)
        if x != x:
            return None
        return str(int(x)) if x.is_integer() and abs(x) < 1e15 else repr(x)
    return str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (numbers.Real, decimal.Decimal, np.bool_)) or type(value).__name__ in ("NAType", "NaTType")


def _as_float(value: Any) -> float:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return float("nan")
    return float(value)


def _bad(name: str, row: int, value: Any) -> DataError:
    kind = type(value).__name__
    return DataError(f'column "{name}", row {row + 1}: a {kind} is neither a number nor a text; leave the column out (ignore=["{name}"]) or convert it')


def _objects(name: str, values: Sequence[Any]) -> Column:
    """A column of Python objects: numbers if all are, dates if all are, else texts."""
    kinds: set[str] = set()
    for row, v in enumerate(values):
        if v is None or (isinstance(v, float) and v != v):
            continue
        if isinstance(v, str):
            kinds.add("text")
        elif isinstance(v, (datetime.datetime, datetime.date, np.datetime64)):
            kinds.add("time")
        elif _is_number(v):
            kinds.add("number")
        else:
            raise _bad(name, row, v)
    if kinds == {"time"}:
        return _array(name, np.array([np.datetime64("NaT") if v is None else _naive(v) for v in values], dtype="datetime64[us]"))
    if "text" not in kinds:
        return Column(NUMBER, np.array([_as_float(v) for v in values], dtype=np.float64))
    seen: dict[str, int] = {}
    codes = np.fromiter((-1 if (t := text_of(v)) is None else seen.setdefault(t, len(seen)) for v in values), np.int64, len(values))
    return Column(CATEGORY, codes, list(seen))


def _naive(v: Any) -> Any:
    if isinstance(v, datetime.datetime) and v.tzinfo is not None:
        return v.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return v


def _seconds(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """datetime64 or timedelta64 as seconds; NaT is NaN."""
    unit, count = np.datetime_data(values.dtype)
    whole = values.view(np.int64) if values.flags.c_contiguous else np.ascontiguousarray(values).view(np.int64)
    per = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}.get(unit)
    if per is None:
        return _seconds(values.astype(values.dtype.str.split("[")[0] + "[s]"))
    out = whole * float(count) / per
    out[np.isnat(values)] = np.nan
    return out


def _array(name: str, a: np.ndarray[Any, Any]) -> Column:
    """A one-dimensional NumPy array."""
    if isinstance(a, np.ma.MaskedArray):
        a = np.ma.filled(a.astype(np.float64), np.nan)
    kind = a.dtype.kind
    if kind == "M":
        return Column(NUMBER, _seconds(a), is_time=True)
    if kind == "m":
        return Column(NUMBER, _seconds(a))
    if kind in "US":
        texts, codes = np.unique(a, return_inverse=True)
        return Column(CATEGORY, codes.reshape(-1).astype(np.int64), [t.decode() if isinstance(t, bytes) else str(t) for t in texts])
    if kind in "biuf":
        if a.dtype == np.float16:
            a = a.astype(np.float32)
        elif a.dtype.itemsize > 8:
            a = a.astype(np.float64)
        if not a.dtype.isnative:
            a = a.astype(a.dtype.newbyteorder("="))
        return Column(NUMBER, a)
    if kind == "O":
        return _objects(name, a.tolist())
    raise DataError(f'column "{name}" has the dtype {a.dtype}, which is neither numbers nor texts: convert it, or ignore=["{name}"]')


def _pandas(name: str, s: Any) -> Column:
    """A pandas Series."""
    pd: Any = sys.modules["pandas"]
    dtype = s.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        texts = [text_of(v) or "" for v in s.cat.categories.tolist()]
        return Column(CATEGORY, np.asarray(s.cat.codes.to_numpy(), dtype=np.int64), texts)
    if isinstance(dtype, pd.SparseDtype):
        return _array(name, np.asarray(s.sparse.to_dense().to_numpy()))
    if getattr(dtype, "tz", None) is not None:
        s = s.dt.tz_convert("UTC").dt.tz_localize(None)
        dtype = s.dtype
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return _array(name, s.to_numpy())
    if isinstance(dtype, pd.api.extensions.ExtensionDtype) and not isinstance(dtype, pd.StringDtype):
        if dtype.kind in "biuf":
            return Column(NUMBER, s.to_numpy(dtype=np.float64, na_value=np.nan))
        if dtype.kind == "M":
            return _array(name, s.astype("datetime64[ns]").to_numpy())
        if dtype.kind == "m":
            return _array(name, s.astype("timedelta64[ns]").to_numpy())
    try:
        codes, uniques = pd.factorize(s, use_na_sentinel=True)
    except TypeError:
        return _objects(name, s.tolist())
    column = _objects(name, list(uniques))  # of the different values: numbers, dates or texts
    if column.kind == NUMBER:
        values = np.append(np.asarray(column.data, dtype=np.float64), np.nan)
        return Column(NUMBER, values[codes], is_time=column.is_time)
    renamed = np.append(np.asarray(column.data, dtype=np.int64), -1)
    return Column(CATEGORY, renamed[codes], column.categories)


# ---- sources


class Source:
    """Columns of some object: names, rows, and a function that fetches one."""

    def __init__(self, kind: str, names: list[str], n_rows: int, get: Callable[[int], Column], *, named: bool = True, origin: Any = None) -> None:
        self.kind, self.names, self.n_rows, self.get, self.named, self.origin = kind, names, n_rows, get, named, origin
        self.at: dict[str, int] = {}
        for i, name in enumerate(names):
            if name in self.at:
                raise DataError(f'two columns are named "{name}": rename one')
            self.at[name] = i


def _numbers_as_names(n: int) -> list[str]:
    return [str(i + 1) for i in range(n)]


def _frame_source(kind: str, frame: Any, origin: Any) -> Source:
    n_rows, columns = frame.columns()

    def get(i: int) -> Column:
        _, is_time, problem, what = columns[i]
        return Column(what, frame, index=i, is_time=bool(is_time), problem=problem)

    return Source(kind, [c[0] for c in columns], n_rows, get, origin=origin)


def _arrow(data: Any) -> Any:
    """A frame of whatever speaks Arrow."""
    if hasattr(data, "__arrow_c_stream__"):
        return _core.frame_arrow(data.__arrow_c_stream__())
    return _core.frame_arrow(data.__arrow_c_array__())


def _sparse(data: Any) -> Source:
    if data.format not in ("csr", "csc"):
        data = data.tocsc()
    if not data.has_canonical_format:
        data = data.copy()
        data.sum_duplicates()
    if data.ndim != 2:
        raise DataError(f"a sparse array of {data.ndim} dimension, expected 2")
    values = data.data
    if values.dtype.kind not in "biuf":
        raise DataError(f"a sparse matrix of dtype {values.dtype}; numbers are needed")
    if values.dtype.itemsize > 8 or values.dtype == np.float16:
        values = values.astype(np.float64)
    frame = _core.frame_sparse(data.shape[0], data.shape[1], data.format == "csr", np.ascontiguousarray(data.indptr),
                               np.ascontiguousarray(data.indices), np.ascontiguousarray(values), None)
    source = _frame_source("sparse", frame, data)
    source.named = False
    return source


def _matrix(a: np.ndarray[Any, Any], origin: Any = None) -> Source:
    if isinstance(a, np.matrix):
        a = np.asarray(a)
    if a.ndim == 1 and a.dtype.names:
        fields = list(a.dtype.names)
        return Source("numpy", fields, a.shape[0], lambda i: _array(fields[i], a[fields[i]]), origin=a)
    if a.ndim != 2:
        raise DataError(f"an array of {a.ndim} dimension{'s' * (a.ndim != 1)}, expected rows and columns (2); one column: reshape(-1, 1), one row: reshape(1, -1)")
    names = _numbers_as_names(a.shape[1])
    return Source("numpy", names, a.shape[0], lambda i: _array(names[i], a[:, i]), named=False, origin=a if origin is None else origin)


def _dict(data: Mapping[Any, Any]) -> Source:
    keys = list(data)
    columns: list[Any] = []
    for k in keys:
        v = data[k]
        if hasattr(v, "__arrow_c_stream__") or _is_pandas(v) or isinstance(v, np.ndarray):
            columns.append(v)
        elif isinstance(v, (str, bytes)) or not hasattr(v, "__len__"):
            raise DataError(f'column "{k}" is {type(v).__name__}, expected an array or list of values')
        else:
            columns.append(np.asarray(v) if not isinstance(v, (list, tuple)) else list(v))
    rows = {len(c) for c in columns}
    if len(rows) > 1:
        raise DataError("columns of different length: " + ", ".join(f'"{k}" has {len(c)}' for k, c in zip(keys[:4], columns)))
    names = [str(k) for k in keys]
    return Source("dict", names, rows.pop() if rows else 0, lambda i: column_of(names[i], columns[i]), origin=data)


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "pandas"


def _is_sparse(data: Any) -> bool:
    return hasattr(data, "tocsc") and hasattr(data, "format") and hasattr(data, "nnz")


def column_of(name: str, data: Any) -> Column:
    """Any one-dimensional object as a column."""
    if hasattr(data, "codes") and hasattr(data, "texts"):  # labels that were encoded already
        return Column(CATEGORY, data.codes, data.texts)
    if isinstance(data, np.ndarray):
        if data.ndim == 2 and data.shape[1] == 1:
            data = data[:, 0]
        if data.ndim != 1:
            raise DataError(f'"{name}" has {data.ndim} dimensions, expected one value per row')
        return _array(name, data)
    if _is_pandas(data):
        if data.ndim == 2 and data.shape[1] == 1:
            data = data.iloc[:, 0]
        return _pandas(name, data if hasattr(data, "iloc") else data.to_series())
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        frame = _arrow(data)
        _, columns = frame.columns()
        return Column(columns[0][3], frame, index=0, is_time=bool(columns[0][1]), problem=columns[0][2])
    if isinstance(data, (list, tuple)):
        return _objects(name, data)
    return _array(name, np.asarray(data))


def source_of(data: Any, wanted: set[str] | None = None) -> Source:
    """The columns of any data; of frames that can choose, only those that are wanted."""
    if isinstance(data, Source):
        return data
    if isinstance(data, np.ndarray):
        return _matrix(data)
    if _is_sparse(data):
        return _sparse(data)
    if _is_pandas(data):
        if data.ndim == 1:
            data = data.to_frame()
        names = [str(c) for c in data.columns]
        return Source("pandas", names, len(data), lambda i: _pandas(names[i], data.iloc[:, i]), origin=data)
    module = type(data).__module__.split(".")[0]
    if module == "polars" and hasattr(data, "collect"):
        data = data.collect()
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        chosen = data
        if wanted is not None and hasattr(data, "select") and module in ("polars", "pyarrow"):
            names = data.columns if module == "polars" else data.column_names
            keep = [n for n in names if n in wanted]
            if keep and len(set(names)) == len(names):
                chosen = data.select(keep)
        return _frame_source("polars" if module == "polars" else "arrow", _arrow(chosen), data)
    if isinstance(data, Mapping):
        return _dict(data)
    if isinstance(data, (list, tuple)) and data:
        if isinstance(data[0], Mapping):
            keys = dict.fromkeys(k for row in data for k in row)
            return _dict({k: [row.get(k) for row in data] for k in keys})
        rows = [list(r) for r in data]
        if len({len(r) for r in rows}) > 1:
            raise DataError("rows of different length")
        try:
            return _matrix(np.asarray(rows, dtype=np.float64))
        except (TypeError, ValueError):
            names = _numbers_as_names(len(rows[0]))
            return Source("list", names, len(rows), lambda i: _objects(names[i], [r[i] for r in rows]), named=False, origin=data)
    if hasattr(data, "__array_interface__") or hasattr(data, "__array__"):
        return _matrix(np.asarray(data), data)
    raise TypeError(f"can't take data from a {type(data).__name__}: give a DataFrame, an array, a sparse matrix, a dict of columns, rows, or a path")


def is_path(data: Any) -> bool:
    if isinstance(data, (str, os.PathLike)):
        return True
    return isinstance(data, (list, tuple)) and bool(data) and all(isinstance(p, (str, os.PathLike)) for p in data)


# ---- tables


class Table:
    """Columns as the library keeps them. Every function takes frames and arrays directly; a table saves repeating the work.

    Packed float32 columns are used where they lie, without a copy: leave them as they are while the table lives."""

    def __init__(self, data: Any, *, label: Any = None, positive: Any = None, weight: Any = None, time: Any = None, group: Any = None,
                 amount: Any = None, ignore: Any = (), categorical: Any = (), numeric: Any = (), like: Any = None, threads: int | None = None,
                 cost_column: Any = None) -> None:
        roles = Roles(label, positive, weight, time, group, amount, ignore, categorical, numeric, cost_column)
        made = make_table(data, roles, like=like, threads=threads)
        self._core, self._source = made._core, made._source

    @classmethod
    def _of(cls, core: Any, source: Source | None = None) -> Table:
        self = cls.__new__(cls)
        self._core, self._source = core, source
        return self

    _core: Any
    _source: Source | None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._core.size()[0])

    @property
    def positives(self) -> int:
        """Number of positive rows; 0 without label."""
        return int(self._core.size()[2])

    @property
    def n_bytes(self) -> int:
        """Memory it holds."""
        return int(self._core.size()[3])

    @property
    def features(self) -> list[str]:
        """Names of the features, in order."""
        return list(self._core.schema()["features"])

    @property
    def roles(self) -> dict[str, str | None]:
        """Columns that are label, weight, time, group, amount, cost."""
        schema = self._core.schema()
        return {k: schema[k] for k in ROLES}

    @property
    def categories(self) -> dict[str, list[str]]:
        """The categories of the features that have some."""
        return dict(self._core.schema()["categories"])

    def _role(self, name: str, dtype: Any) -> np.ndarray[Any, Any] | None:
        raw = self._core.role(name)
        return None if raw is None else np.frombuffer(raw, dtype=dtype)

    @property
    def label(self) -> np.ndarray[Any, Any] | None:
        """1 for positive rows, else 0; None without a label."""
        return self._role("label", np.uint8)

    @property
    def weight(self) -> np.ndarray[Any, Any] | None:
        """Weights of the rows, or None."""
        return self._role("weight", np.float64)

    @property
    def time(self) -> np.ndarray[Any, Any] | None:
        """Times of the rows (seconds since 1970 where the column held dates), or None."""
        return self._role("time", np.float64)

    @property
    def amount(self) -> np.ndarray[Any, Any] | None:
        """Amounts of the rows, or None."""
        return self._role("amount", np.float64)

    @property
    def cost(self) -> np.ndarray[Any, Any] | None:
        """What an error on each row costs, or None."""
        return self._role("cost", np.float64)

    @property
    def group(self) -> np.ndarray[Any, Any] | None:
        """Numbers of the groups, from 0, or None."""
        return self._role("group", np.int32)

    def column(self, name: str) -> np.ndarray[Any, Any]:
        """The values of a feature: numbers (NaN: missing), or the texts of categories (None: missing)."""
        schema = self._core.schema()
        if name not in schema["features"]:
            raise KeyError(name)
        f = schema["features"].index(name)
        numbers_, codes = self._core.column(f)
        if numbers_ is not None:
            return np.frombuffer(numbers_, dtype=np.float32)
        if codes is None:
            raise DataError(f'column "{name}" is sparse')
        texts = np.array([*schema["categories"][name], "(unknown)", None], dtype=object)
        return np.asarray(texts[np.frombuffer(codes, dtype=np.int32)])

    def rows(self, numbers_: Any) -> Table:
        """A table of these rows (numbers from 0, repeats allowed)."""
        from ._talk import Talk

        at = np.asarray(numbers_)
        if at.dtype == bool:
            at = np.flatnonzero(at)
        if at.size and (at.min() < 0 or at.max() >= self.n_rows):
            raise IndexError(f"rows from 0 to {self.n_rows - 1}")
        return Table._of(self._core.rows_of(np.ascontiguousarray(at, dtype=np.uint32), Talk().how))

    def write(self, path: Any) -> None:
        """Writes the table as CSV."""
        from ._talk import Talk

        self._core.write(os.fspath(path), Talk().how)

    def describe(self) -> str:
        """What was understood, in words."""
        return str(self._core.describe())

    def __len__(self) -> int:
        return int(self.n_rows)

    def __repr__(self) -> str:
        return f"<scarce.Table: {self.n_rows:,} rows, {len(self.features)} features, {self.positives:,} positives>"


class Roles:
    """What columns are for: by name, by number from 0, or as an array with a value per row."""

    def __init__(self, label: Any = None, positive: Any = None, weight: Any = None, time: Any = None, group: Any = None, amount: Any = None,
                 ignore: Any = (), categorical: Any = (), numeric: Any = (), cost: Any = None) -> None:
        self.given = {"label": label, "weight": weight, "time": time, "group": group, "amount": amount, "cost": cost}
        self.positive = text_of(positive) if not isinstance(positive, str) else positive
        self.lists = {"ignore": ignore, "categorical": categorical, "numeric": numeric}
        for name, value in self.lists.items():
            if isinstance(value, str) and not (name == "categorical" and value == "auto"):
                self.lists[name] = [value]
        if self.lists["categorical"] == "auto" or self.lists["categorical"] is None:
            self.lists["categorical"] = ()


def _is_reference(value: Any) -> bool:
    return isinstance(value, (str, numbers.Integral)) and not isinstance(value, bool)


def name_in(source: Source, value: Any, what: str) -> str:
    """The name of the column that a role or list means."""
    if isinstance(value, str):
        if value not in source.at:
            near = _core.nearest(value, source.names)
            raise DataError(f'no column "{value}" for {what}' + (f', did you mean "{near}"?' if near else f": there are {', '.join(source.names[:8])}{', ...' if len(source.names) > 8 else ''}"))
        return value
    if not isinstance(value, numbers.Integral):
        raise TypeError(f"{what} is named by a str or a number from 0, not {value!r}")
    at = int(value)
    if not -len(source.names) <= at < len(source.names):
        raise DataError(f"{what}={at}: there are {len(source.names)} columns")
    return source.names[at]


def _unused(name: str, names: Any) -> str:
    while name in names:
        name += "_"
    return name


def _needs_numbers(name: str, c: Column) -> Column:
    """A text column that is to be numbers."""
    if c.kind != CATEGORY:
        return c
    if c.categories is None:  # of a frame
        raw, texts = c.data.values(c.index)
        codes = np.frombuffer(raw, dtype=np.int32)
    else:
        codes, texts = np.asarray(c.data), c.categories
    values = []
    for t in texts:
        try:
            values.append(float(t))
        except ValueError:
            raise DataError(f'column "{name}": "{t}" is no number, and numeric= says that it must be') from None
    return Column(NUMBER, np.append(np.array(values, dtype=np.float64), np.nan)[codes])


def _check_usable(name: str, role: int, c: Column) -> None:
    if c.problem and role != IGNORE:
        raise DataError(f'column "{name}" {c.problem}: convert it, or leave it out (ignore=["{name}"])')
    if c.is_time and not role & TIME and role != IGNORE:
        raise DataError(f'column "{name}" holds dates: say time="{name}", or ignore=["{name}"]')
    if c.kind == CATEGORY and role & (WEIGHT | TIME | AMOUNT | COST):
        what = {WEIGHT: "weight", TIME: "time", AMOUNT: "amount", COST: "cost"}[role & (WEIGHT | TIME | AMOUNT | COST)]
        raise DataError(f'column "{name}" holds texts; the {what} must be numbers' + (" or dates" if what == "time" else ""))


def _model_schema(like: Any) -> dict[str, Any]:
    return dict(like.schema())


def _schema_of(like: Any) -> Any:
    return getattr(like, "_core", like)


def _names_for_model(source: Source, schema: dict[str, Any]) -> None:
    """A matrix without names: by position when it is as wide as the model, else by number."""
    if not source.named and len(source.names) == len(schema["features"]):
        source.names = list(schema["features"])
        source.at = {n: i for i, n in enumerate(source.names)}


def _missing_feature(source: Source, name: str) -> DataError:
    near = _core.nearest(name, source.names)
    if not source.named:
        return DataError(f'a matrix of {len(source.names)} columns; the model needs column "{name}"')
    return DataError(f'column "{name}" is missing, the model needs it' + (f' ("{near}" is there)' if near else ""))


class NoRows(DataError):
    """A frame without rows: nothing to learn from, but a list of alerts can be empty."""


def make_table(data: Any, roles: Roles, *, like: Any = None, threads: int | None = None, arrays: dict[str, Any] | None = None,
               label_optional: bool = False, borrow: bool = True, how: dict[str, Any] | None = None, part: bool = False) -> Table:
    """A table of any data. `like` is a model, table, learner or plan whose features are to be found by name; `arrays` are roles given beside the
    data; `part`: the rows are some of more (a stream, a partition), so all may have the same label, and categories may be new."""
    from ._talk import Talk

    how = how if how is not None else Talk(threads=threads).how
    if isinstance(data, Table):
        return data
    if is_path(data):
        return _read_files(data, roles, like=like, label_optional=label_optional, how=how)
    core_like = _schema_of(like) if like is not None else None
    schema = _model_schema(core_like) if core_like is not None else None
    wanted = None
    if schema is not None:
        wanted = set(schema["features"]) | {schema[r] for r in ROLES if schema[r]} | {v for v in roles.given.values() if isinstance(v, str)}
    source = source_of(data, wanted)
    if source.n_rows == 0 and schema is not None:
        for name in schema["features"] if source.named else ():
            if name not in source.at:
                raise _missing_feature(source, name)
    if source.n_rows == 0:
        raise NoRows("the data have no rows (0 samples)")
    if not source.names:
        raise DataError("the data have no columns (0 features)")
    if schema is not None:
        _names_for_model(source, schema)
    role_of, extra = _settle(source, roles, schema, arrays or {}, label_optional)
    columns = []
    dates = False  # the time column held dates, not numbers
    categorical = {name_in(source, v, "categorical") for v in roles.lists["categorical"]}
    numeric = {name_in(source, v, "numeric") for v in roles.lists["numeric"]}
    features = None if schema is None else set(schema["features"])
    if features is not None and schema is not None:
        for name in schema["features"]:
            if name not in source.at:
                raise _missing_feature(source, name)
    for i, name in enumerate(source.names):
        role = role_of.get(name, 0)
        if role == IGNORE or (features is not None and name not in features and not role):
            continue
        c = source.get(i)
        _check_usable(name, role, c)
        if name in numeric:
            c = _needs_numbers(name, c)
        if features is not None and schema is not None and name in features and c.kind == CATEGORY and name not in schema["categories"]:
            if _all_missing(c):
                c = Column(NUMBER, np.full(source.n_rows, np.nan, dtype=np.float32))
            else:
                raise DataError(f'column "{name}" holds texts, in the model it is a number')
        dates = dates or (bool(role & TIME) and c.is_time)
        kind = CATEGORY if name in categorical else c.kind
        columns.append((name, role, kind, c.data, c.index, c.categories))
    for name, (role, c) in extra.items():
        _check_usable(name, role, c)
        dates = dates or (bool(role & TIME) and c.is_time)
        columns.append((name, role, c.kind, c.data, c.index, c.categories))
    if not columns:
        raise DataError("no columns are left: all are ignored")
    try:
        core = _core.table_columns(columns, source.n_rows, roles.positive, core_like, borrow, how, dates, part)
    except ValueError as error:
        raise _no_text(columns) or error from None
    return Table._of(core, source)


def _no_text(columns: list[Any]) -> DataError | None:
    """Which name or category C can't take, where that is what went wrong."""
    for name, _, _, _, _, categories in columns:
        if "\0" in name:
            return DataError(f"column {name!a}: a name can't hold a zero byte, rename it")
        for text in (name, *(categories or ())):
            try:
                str(text).encode()
            except UnicodeEncodeError:
                return DataError(f"column {name!a}: {text!a} can't be written as UTF-8 (half a character); replace it, or leave the column out (ignore=...)")
    return None


def _all_missing(c: Column) -> bool:
    if c.categories is not None:
        return not c.categories
    return not c.data.values(c.index)[1]


def _settle(source: Source, roles: Roles, schema: dict[str, Any] | None, arrays: dict[str, Any],
            label_optional: bool) -> tuple[dict[str, int], dict[str, tuple[int, Column]]]:
    """Which column has which role, and the columns that come beside the data."""
    role_of: dict[str, int] = {}
    extra: dict[str, tuple[int, Column]] = {}
    for value in roles.lists["ignore"]:
        if isinstance(value, str) and value not in source.at and schema is not None:
            continue
        role_of[name_in(source, value, "ignore")] = IGNORE
    given = {**roles.given, **{k: v for k, v in arrays.items() if v is not None}}
    if given["label"] is None and schema is None and not label_optional:
        found = [n for n in USUAL_LABELS if n in source.at]
        if not found:
            raise DataError("which column is the label? Say label=... (a column's name, or an array)")
        given["label"] = found[0]
    for what, value in given.items():
        role = ROLES[what]
        if value is None:
            name = schema[what] if schema is not None else None
            if name and name in source.at and name not in role_of:
                role_of[name] = role
            continue
        if _is_reference(value):
            name = name_in(source, value, what)
            if what == "cost" and role_of.get(name, 0) & AMOUNT:  # the amounts are what an error costs: they stay a feature
                extra[_unused(name + "_cost", {*source.at, *extra})] = (role, source.get(source.at[name]))
                continue
            if role_of.get(name, IGNORE) != IGNORE:
                raise DataError(f'column "{name}" has two roles')
            role_of[name] = role | (IGNORE if what == "amount" and role_of.get(name) == IGNORE else 0)
            continue
        own = getattr(value, "name", None)
        name = _unused(own if isinstance(own, str) and own else (schema[what] if schema is not None and schema[what] else what), {*source.at, *extra})
        c = column_of(name, value)
        n = _length(c)
        if n is not None and n != source.n_rows:
            raise DataError(f"{what} has {n} values, the data have {source.n_rows} rows (inconsistent numbers of samples)")
        extra[name] = (role, c)
    return role_of, extra


def _length(c: Column) -> int | None:
    if hasattr(c.data, "shape"):
        return int(c.data.shape[0])
    if hasattr(c.data, "columns"):
        return int(c.data.columns()[0])
    return None


FORMATS = {None: 0, "csv": 1, "tsv": 2, "libsvm": 3, "arff": 4, "keel": 5}


def _read_files(paths: Any, roles: Roles, *, like: Any, label_optional: bool, how: dict[str, Any], format: str | None = None, header: bool = True,
                missing: Any = None) -> Table:
    many = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    options: dict[str, Any] = {"positive": roles.positive, "label_optional": int(label_optional), "format": FORMATS[format], "no_header": int(not header)}
    for what, value in roles.given.items():
        if value is not None and not _is_reference(value):
            raise TypeError(f"{what} is an array; beside a file it must be a column's name")
        options[what] = None if value is None else value if isinstance(value, str) else str(int(value) + 1)
    for what, names in roles.lists.items():
        options[what] = [v if isinstance(v, str) else str(int(v) + 1) for v in names]
    if missing is not None:
        options["missing"] = list(missing)
    if like is not None:
        options["optional_roles"] = WEIGHT | TIME | GROUP | AMOUNT | COST
        schema = _model_schema(_schema_of(like))
        for what in ROLES:
            if options.get(what) is None and what != "label":
                options[what] = schema[what]
    else:
        options["leave_out"] = 1
    core = _core.table_read([os.fspath(p) for p in many], None, None, options, _schema_of(like) if like is not None else None, how)
    return Table._of(core)


# ---- results in the kind that came in


def like_input(origin: Any, columns: dict[str, Any], index: Any = None) -> Any:
    """Columns as a pandas or polars frame if `origin` is one (or holds one), else as a dict of arrays."""
    if isinstance(origin, Table):
        origin = origin._source.origin if origin._source is not None else None
    module = type(origin).__module__.split(".")[0]
    if module == "pandas":
        return sys.modules["pandas"].DataFrame(columns, index=index)
    if module == "polars":
        pl: Any = sys.modules["polars"]
        return pl.DataFrame({k: list(v) if getattr(v, "dtype", None) == object else v for k, v in columns.items()})
    if module == "pyarrow":
        pa: Any = sys.modules["pyarrow"]
        return pa.table({k: list(v) if getattr(v, "dtype", None) == object else v for k, v in columns.items()})
    return columns


def take_rows(data: Any, rows: np.ndarray[Any, Any]) -> Any:
    """Rows of any object, in its own kind."""
    if data is None:
        return None
    if _is_pandas(data):
        return data.iloc[rows]
    if isinstance(data, Table):
        return data.rows(rows)
    if isinstance(data, np.ndarray) or _is_sparse(data):
        if _is_sparse(data) and data.format not in ("csr", "csc", "lil"):
            data = data.tocsr()
        return data[rows]
    module = type(data).__module__.split(".")[0]
    if module == "polars":
        return data[rows]
    if module == "pyarrow":
        return data.take(sys.modules["pyarrow"].array(rows))
    if isinstance(data, Mapping):
        return {k: take_rows(v, rows) for k, v in data.items()}
    if isinstance(data, (list, tuple)):
        return [data[int(i)] for i in rows]
    return np.asarray(data)[rows]
