# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
# (pyspark's own types are not there where it isn't installed, and change where it is)
"""scarce on Spark: an Estimator and its Transformer for pyspark.ml. docs/spark.md is the manual.

>>> from scarce.spark import ScarceClassifier                                                       # doctest: +SKIP
>>> model = ScarceClassifier(labelCol="fraud", columns=["amount", "country"], settings={"n_trees": 200}).fit(payments)   # doctest: +SKIP
>>> model.transform(payments).select("prediction", "probability")                                   # doctest: +SKIP

Rows stay on the executors, where they draw the interesting ones themselves; the driver grows the trees. The model is the same, byte for
byte, for any number of partitions, and that of `scarce.train` on the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

try:
    from pyspark import keyword_only
    from pyspark.ml import Estimator, Model
    from pyspark.ml.functions import array_to_vector, vector_to_array
    from pyspark.ml.linalg import VectorUDT
    from pyspark.ml.param import Param, Params, TypeConverters
    from pyspark.ml.param.shared import (HasFeaturesCol, HasLabelCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol, HasSeed,
                                         HasValidationIndicatorCol, HasWeightCol)
    from pyspark.ml.util import DefaultParamsReadable, DefaultParamsReader, DefaultParamsWritable, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
    from pyspark.sql import functions as F
except ImportError as e:
    raise ImportError(f"scarce.spark needs pyspark, pyarrow and pandas: pip install 'scarce[spark]' ({e})") from e

from . import _core
from ._cluster import ID, VECTOR, Cluster, Layout, log, pack_frame, raise_said, unpack
from ._far import Plan, train_far, valid_table
from ._functions import check
from ._model import Model as Trained
from ._talk import Talk

__all__ = ["ScarceClassifier", "ScarceClassifierModel"]

_HASH_PARTS = 1 << 24


class _Columns(HasFeaturesCol, HasLabelCol, HasWeightCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol, HasValidationIndicatorCol, HasSeed):
    """What estimator and model are told."""

    columns: Any = Param(Params._dummy(), "columns", "the features, numbers or texts, instead of the vector in featuresCol", TypeConverters.toListString)
    idCol: Any = Param(Params._dummy(), "idCol", "a whole number that no other row has: the model then doesn't depend on the order of rows", TypeConverters.toString)
    positive: Any = Param(Params._dummy(), "positive", "the positive value of labelCol, as text, where it isn't 1, yes, true ...", TypeConverters.toString)
    method: Any = Param(Params._dummy(), "method", "gb or another method of boosted trees", TypeConverters.toString)
    settings: Any = Param(Params._dummy(), "settings", "a dict of the method's parameters, such as n_trees (scarce.methods lists them)")
    earlyStop: Any = Param(Params._dummy(), "earlyStop", "stop after so many trees without a better metric on the validation rows", TypeConverters.toInt)
    metric: Any = Param(Params._dummy(), "metric", "what the validation rows are judged by", TypeConverters.toString)
    calibrate: Any = Param(Params._dummy(), "calibrate", "how scores become probabilities on the validation rows", TypeConverters.toString)
    threshold: Any = Param(Params._dummy(), "threshold", "from which score on the prediction is 1: f1, budget:K, value:X, ...", TypeConverters.toString)
    validationRows: Any = Param(Params._dummy(), "validationRows", "how many validation rows the driver takes; of more, some of the frequent class", TypeConverters.toInt)
    workerMemory: Any = Param(Params._dummy(), "workerMemory", "megabytes of partitions that a Python worker keeps between questions", TypeConverters.toInt)
    reasonsCol: Any = Param(Params._dummy(), "reasonsCol", "name of a column with the reasons for each score in words; costs time", TypeConverters.toString)
    reasons: Any = Param(Params._dummy(), "reasons", "how many reasons", TypeConverters.toInt)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._setDefault(method="gb", settings={}, seed=1, validationRows=1_000_000, workerMemory=1024, reasons=3)

    def _given(self, name: str) -> Any:
        param = self.getParam(name)
        return self.getOrDefault(param) if self.isDefined(param) else None


def _column(frame: Any, name: str, what: str) -> Any:
    if name not in frame.columns:
        near = _core.nearest(name, list(frame.columns))
        raise _core.DataError(f'no column "{name}" for {what}' + (f', did you mean "{near}"?' if near else f": there are {', '.join(frame.columns[:8])}"))
    return F.col("`" + name.replace("`", "``") + "`")


_KINDS = ("byte", "short", "integer", "long", "float", "double", "decimal", "boolean", "string", "char", "varchar")


def _feature(frame: Any, name: str) -> Any:
    column, kind = _column(frame, name, "columns"), frame.schema[name].dataType
    if not kind.typeName().startswith(_KINDS):
        what = "dates: make numbers of them (unix_timestamp, hour, ...)" if kind.typeName() in ("date", "timestamp", "timestamp_ntz") else f"{kind.simpleString()}: make numbers or texts of it"
        raise _core.DataError(f'column "{name}" holds {what}, or leave it out of columns')
    return column.cast("double").alias(name) if kind.typeName() == "decimal" else column


def _entry_names(field: Any) -> list[str] | None:
    """What VectorAssembler remembers of the columns it took."""
    lists = field.metadata.get("ml_attr", {}).get("attrs", {})
    entries = sorted((a["idx"], a.get("name")) for kind in lists.values() for a in kind)
    names = [n for _, n in entries]
    whole = bool(names) and [i for i, _ in entries] == list(range(len(names))) and all(names) and len(set(names)) == len(names)
    return names if whole else None


def _vector_of(frame: Any, name: str) -> Any:
    """The column of vectors (or of arrays of numbers) as arrays."""
    column = _column(frame, name, "featuresCol")
    kind = frame.schema[name].dataType
    if isinstance(kind, VectorUDT):
        return vector_to_array(column)
    if kind.typeName() != "array":
        raise _core.DataError(f'featuresCol "{name}" holds {kind.simpleString()}, not vectors: say columns=[...] to learn from columns')
    return column.cast("array<double>")


class ScarceClassifier(_Columns, Estimator, DefaultParamsReadable, DefaultParamsWritable):
    """Boosted trees for few positives among many negatives, learnt where the rows are."""

    @keyword_only
    def __init__(self, *, featuresCol: str = "features", columns: list[str] | None = None, labelCol: str = "label", weightCol: str | None = None,
                 validationIndicatorCol: str | None = None, predictionCol: str = "prediction", probabilityCol: str = "probability",
                 rawPredictionCol: str = "rawPrediction", idCol: str | None = None, positive: str | None = None, method: str = "gb",
                 settings: dict[str, Any] | None = None, earlyStop: int | None = None, metric: str | None = None, calibrate: str | None = None,
                 threshold: str | None = None, seed: int = 1, validationRows: int = 1_000_000, workerMemory: int = 1024,
                 reasonsCol: str | None = None, reasons: int = 3) -> None:
        super().__init__()
        self.setParams(**self._input_kwargs)

    def setParams(self, **params: Any) -> ScarceClassifier:
        """Several parameters at once; None leaves one as it is."""
        self._set(**{k: v for k, v in params.items() if v is not None})
        return self

    # ---- which rows

    def _selected(self, frame: Any) -> tuple[Any, Layout]:
        """The columns that matter, under names that blocks know."""
        label, weight, number, columns = self.getLabelCol(), self._given("weightCol"), self._given("idCol"), self._given("columns")
        chosen, names = [], None
        if columns is None:
            name = self.getFeaturesCol()
            chosen.append(_vector_of(frame, name).alias(VECTOR))
            names = _entry_names(frame.schema[name])
            if names is not None and {label, weight} & set(names):
                names = None
        else:
            if {label, weight, number} & set(columns) or len(set(columns)) < len(columns):
                raise _core.DataError("columns names a column twice, or the one of the label, weight or number of rows")
            chosen += [_feature(frame, c) for c in columns]
        chosen.append(_column(frame, label, "labelCol"))
        if weight is not None:
            chosen.append(_column(frame, weight, "weightCol").cast("double").alias(weight))
        if number is not None:
            column = _column(frame, number, "idCol")
            if frame.schema[number].dataType.typeName() not in ("byte", "short", "integer", "long"):
                raise _core.DataError(f'idCol "{number}" holds {frame.schema[number].dataType.simpleString()}; row numbers are whole numbers')
            chosen.append(column.cast("long").alias(ID))
        return frame.select(*chosen), Layout(label, weight, columns is None, names, self._given("positive"))

    def _parts(self, frame: Any) -> tuple[Any, Any]:
        name = self._given("validationIndicatorCol")
        if name is None:
            return frame, None
        held_out = F.coalesce(_column(frame, name, "validationIndicatorCol").cast("boolean"), F.lit(False))
        return frame.filter(~held_out), frame.filter(held_out)

    def _validation(self, frame: Any, plan: Plan) -> Any:
        """Validation rows as a table at the driver; of too many, rows of the frequent class are drawn and weigh more."""
        rows, layout = self._selected(frame)
        most = self.getOrDefault(self.validationRows)
        counts = sorted(((r["count"], r[0]) for r in rows.groupBy(_column(rows, layout.label, "labelCol")).count().collect()), key=lambda c: -c[0])
        total = sum(n for n, _ in counts)
        if total == 0:
            raise _core.DataError("there are no validation rows")
        thinned = None
        if total > most:
            n, thinned = counts[0]
            share = max(most - (total - n), 1) / n
            coin = F.pmod(F.xxhash64(F.lit(self.getSeed()), *[_column(rows, c, "a row") for c in rows.columns]), F.lit(_HASH_PARTS))
            rows = rows.filter((_column(rows, layout.label, "labelCol") != F.lit(thinned)) | (coin < F.lit(int(share * _HASH_PARTS))))
        table, ids = _collected(rows, layout)
        if ids is not None:
            order = np.argsort(ids.view(np.uint64), kind="stable")
            table = table.take(order)
        if thinned is None:
            return valid_table(table, plan)
        frequent = np.array([v == thinned for v in table.column(layout.label).to_pylist()])
        kept = int(frequent.sum())
        if not kept:
            raise _core.DataError(f"validationRows={most}: none of the {counts[0][0]:,} frequent validation rows are left")
        weight = np.ones(len(table)) if layout.weight is None else table.column(layout.weight).to_numpy().astype(np.float64)
        weight[frequent] *= counts[0][0] / kept
        log.info("spark: of %s validation rows with %s=%s, %s were drawn (validationRows=%s), each with the weight of %.3g", f"{counts[0][0]:,}", layout.label,
                 thinned, f"{kept:,}", f"{most:,}", counts[0][0] / kept)
        if layout.weight is not None:
            table = table.drop_columns([layout.weight])
        return valid_table(table, plan, weight=weight)

    # ---- training

    def _fit(self, dataset: Any) -> ScarceClassifierModel:
        method, settings = self.getOrDefault(self.method), self.getOrDefault(self.settings)
        options = {"early_stop": self._given("earlyStop"), "metric": self._given("metric"), "calibrate": self._given("calibrate"), "threshold": self._given("threshold")}
        train, valid = self._parts(dataset)
        check(method, settings, {**{k: v for k, v in options.items() if v is not None}, "expects_valid": int(valid is not None)})
        rows, layout = self._selected(train)
        with Cluster(rows, layout, numbered=self._given("idCol") is not None, worker_bytes=self.getOrDefault(self.workerMemory) << 20) as cluster:
            plan = Plan.of(cluster.sketch(), method, settings)
            judged = None if valid is None else self._validation(valid, plan)
            cluster.use(plan)
            model = train_far(plan, cluster.ask, method, settings, valid=judged, seed=self.getSeed(), progress=False, **options)
            cluster.tell()
        made = ScarceClassifierModel(model)
        made.training = cluster.figures
        return self._copyValues(made)


def _collected(rows: Any, layout: Layout) -> tuple[Any, Any]:
    import pyarrow as pa

    parts = []
    for _, problem, block in pack_frame(rows, layout).collect():
        if problem is not None:
            raise_said(-1, "DataError", problem)
        parts.append(unpack(block))
    return pa.concat_tables([t for t, _ in parts]), None if parts[0][1] is None else np.concatenate([i for _, i in parts])


# ---- the model


@lru_cache(4)
def _read(data: bytes) -> Trained:
    return Trained(_core.model_loads(data))


def _scorer(data: bytes, vector: bool, reasons: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Of frames or series of arrays: score, probability, prediction, reasons."""

    def score(batches: Iterator[Any]) -> Iterator[Any]:
        import pandas as pd

        model = _read(data)
        for batch in batches:
            rows = (np.stack(batch.to_list()) if len(batch) else np.empty((0, len(model.features)))) if vector else batch
            if vector and rows.shape[1] != len(model.features):
                raise _core.DataError(f"vectors of {rows.shape[1]} features; the model has {len(model.features)}")
            scores, p = model._scores(rows, 1)
            out = {"score": scores, "probability": np.full(len(scores), np.nan) if p is None else p,
                   "prediction": np.frombuffer(model._core.alert(scores, p, None), np.uint8).astype(np.float64) if len(scores) else scores}
            if reasons:
                talk = Talk(threads=1)
                out["reasons"] = model._reasons(model._table(rows, talk), reasons, talk) if len(scores) else np.empty(0, object)
            yield pd.DataFrame(out)

    return score


class ScarceClassifierModel(_Columns, Model, MLReadable, MLWritable):
    """Adds rawPredictionCol, probabilityCol, predictionCol and, where asked for, reasonsCol; works on streams."""

    def __init__(self, model: Trained) -> None:
        super().__init__()
        #: the scarce.Model: save(), show(), explain() ... as on one machine
        self.model = model
        #: rows, partitions, questions, jobs, bytes_asked, bytes_answered ... of the training
        self.training: dict[str, int] = {}

    numClasses = 2

    @property
    def numFeatures(self) -> int:
        return len(self.model.features)

    def setParams(self, **params: Any) -> ScarceClassifierModel:
        """Several parameters at once, such as reasonsCol."""
        self._set(**{k: v for k, v in params.items() if v is not None})
        return self

    def _transform(self, dataset: Any) -> Any:
        import pandas as pd

        reasons_col, columns = self._given("reasonsCol"), self._given("columns")
        vector = columns is None
        score = _scorer(self.model.to_bytes(), vector, self.getOrDefault(self.reasons) if reasons_col else 0)
        score.__annotations__ = {"batches": Iterator[pd.Series if vector else pd.DataFrame], "return": Iterator[pd.DataFrame]}
        udf = F.pandas_udf(score, "score double, probability double, prediction double" + (", reasons string" if reasons_col else ""))
        features = _vector_of(dataset, self.getFeaturesCol()) if vector else F.struct(*[_feature(dataset, c) for c in columns])
        made = "scarce made"
        out = dataset.withColumn(made, udf(features))
        field = {k: F.col(f"`{made}`.{k}") for k in ("score", "probability", "prediction", "reasons")}
        wanted = [(self.getRawPredictionCol(), array_to_vector(F.array(-field["score"], field["score"])))]
        if self.model.has_probability:
            wanted.append((self.getProbabilityCol(), array_to_vector(F.array(1 - field["probability"], field["probability"]))))
        wanted.append((self.getPredictionCol(), field["prediction"]))
        if reasons_col:
            wanted.append((reasons_col, field["reasons"]))
        for name, column in wanted:
            if name:
                out = out.withColumn(name, column)
        return out.drop(made)

    def copy(self, extra: Any = None) -> ScarceClassifierModel:
        made: ScarceClassifierModel = super().copy(extra)
        made.model, made.training = self.model, self.training
        return made

    def write(self) -> MLWriter:
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[Any]:
        return _Reader(cls)


class _Writer(MLWriter):
    """Spark's metadata, and the bytes of the .scarce file as the only row of a Parquet file: any file system will do."""

    def __init__(self, instance: ScarceClassifierModel) -> None:
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:
        DefaultParamsWriter.saveMetadata(self.instance, path, self.sc, extraMetadata={"training": self.instance.training})
        self.sparkSession.createDataFrame([(bytearray(self.instance.model.to_bytes()),)], "model binary").coalesce(1).write.parquet(path + "/model")


class _Reader(MLReader):
    def __init__(self, cls: type[ScarceClassifierModel]) -> None:
        super().__init__()
        self.cls = cls

    def load(self, path: str) -> ScarceClassifierModel:
        metadata = DefaultParamsReader.loadMetadata(path, self.sc, f"{self.cls.__module__}.{self.cls.__name__}")
        row = self.sparkSession.read.parquet(path + "/model").first()
        made = self.cls(Trained(_core.model_loads(bytes(row["model"]))))
        made._resetUid(metadata["uid"])
        made.training = metadata.get("training", {})
        DefaultParamsReader.getAndSetParams(made, metadata)
        return made
