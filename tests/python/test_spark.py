# SPDX-License-Identifier: Apache-2.0
"""Spark in local mode: the model of any number of partitions, also of lost ones, is that of one machine, byte for byte."""

import logging
import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

import scarce

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)

from pyspark.ml import Pipeline, PipelineModel  # noqa: E402
from pyspark.ml.feature import VectorAssembler  # noqa: E402
from pyspark.ml.functions import vector_to_array  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402
from pyspark.sql import SparkSession, functions as F  # noqa: E402
from test_far import PARAMS, rows_of  # noqa: E402

from scarce import _cluster  # noqa: E402
from scarce.spark import ScarceClassifier, ScarceClassifierModel  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")
FEATURES = ["amount", "steps", "gap", "colour"]
N = 6000


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    at = tmp_path_factory.mktemp("spark")
    builder = SparkSession.builder.master("local[2,4]").appName("scarce")  # a task that fails is tried four times
    for key, value in {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.host": "127.0.0.1",
                       "spark.sql.warehouse.dir": str(at / "warehouse"), "spark.local.dir": str(at), "spark.sql.execution.arrow.maxRecordsPerBatch": "700",
                       "spark.sql.parquet.compression.codec": "uncompressed"}.items():  # Spark's snappy does not load where musl is installed too
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def data():
    return rows_of(N, weights=True).assign(n=np.arange(N))


@pytest.fixture(scope="module")
def alone(data):
    return scarce.train(data[[*FEATURES, "label"]], label="label", **PARAMS)


def frame_of(spark, data, parts):
    """In the order of the rows, in so many partitions."""
    data = data.astype({"label": float})
    rows = [tuple(None if v is None or v != v else v for v in row) for row in data.astype(object).itertuples(index=False)]
    kinds = {"colour": "string", "label": "double", "n": "long", "held": "boolean"}
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, parts), ", ".join(f"{c} {kinds.get(c, 'double')}" for c in data.columns))


def learner(**more):
    return ScarceClassifier(**{"columns": FEATURES, "settings": PARAMS, **more})


@pytest.mark.parametrize("parts", [1, 2, 4, 8])
def test_any_number_of_partitions(spark, data, alone, parts):
    made = learner().fit(frame_of(spark, data, parts))
    assert made.model.to_bytes() == alone.to_bytes()
    assert made.training["partitions"] == parts and made.training["rows"] == N
    assert made.training["jobs"] <= 2 + 2 * made.training["questions"] and made.training["bytes_answered"] > 0


def test_shuffled_rows_with_numbers(spark, data, alone):
    shuffled = frame_of(spark, data, 2).repartition(_cluster.TREE_FROM + 3, "amount")
    assert learner(idCol="n").fit(shuffled).model.to_bytes() == alone.to_bytes()


def test_killed_workers_and_lost_partitions(spark, data, alone, monkeypatch):
    rows, ask, asked = frame_of(spark, data, 3), _cluster.Cluster.ask, []

    def pids():
        return set(spark.sparkContext.parallelize(range(8), 4).map(lambda _: os.getpid()).collect())

    def dying(self, question):
        asked.append(len(asked))
        if len(asked) in (3, 5):  # while they wait for work, and hold partitions
            for pid in pids():
                os.kill(pid, signal.SIGKILL)
        return ask(self, question)

    monkeypatch.setattr(_cluster.Cluster, "ask", dying)
    made = learner().fit(rows)
    assert made.model.to_bytes() == alone.to_bytes()
    assert len(asked) > 5 and made.training["built"] > 6


def test_a_worker_that_dies_in_a_task(spark, data, alone, monkeypatch, tmp_path):
    whole, flag = _cluster.pack_frame, str(tmp_path / "died")

    def dies_once(index, blocks):
        for block in blocks:
            if index == 1 and not os.path.exists(flag):
                open(flag, "w").close()
                os._exit(9)
            yield block

    monkeypatch.setattr(_cluster, "pack_frame", lambda frame, layout: whole(frame, layout).mapPartitionsWithIndex(dies_once))
    assert learner().fit(frame_of(spark, data, 3)).model.to_bytes() == alone.to_bytes()
    assert os.path.exists(flag)


def test_weights_validation_early_stop(spark, data):
    params = {**PARAMS, "n_trees": 60, "learning_rate": 0.3}
    held = np.arange(N) % 4 == 1
    want = scarce.train(data[~held].drop(columns="n"), label="label", weight="weight", valid=data[held].drop(columns="n"), early_stop=5, **params)
    numbers = np.empty(N, np.int64)  # of the training rows 0, 1, 2, ...
    numbers[~held], numbers[held] = np.arange((~held).sum()), np.arange((~held).sum(), N)
    rows = frame_of(spark, data.assign(held=held, n=numbers), 3)
    made = learner(settings=params, weightCol="weight", validationIndicatorCol="held", earlyStop=5)
    assert made.fit(rows).model.to_bytes() == want.to_bytes()
    assert made.fit(rows.repartition(4, "gap"), {made.idCol: "n"}).model.to_bytes() == want.to_bytes()


def test_many_validation_rows_are_thinned(spark, data, caplog):
    rows = frame_of(spark, data.assign(held=np.arange(N) % 2 == 1), 2)
    with caplog.at_level(logging.INFO, "scarce"):
        made = learner(validationIndicatorCol="held", validationRows=800, earlyStop=5).fit(rows)
    assert "validation rows with label=0.0" in caplog.text and "questions in" in caplog.text
    assert made.model.prevalence == pytest.approx(data["label"].mean(), rel=0.5)


def test_partitions_of_one_label_and_empty_ones(spark, data):
    order = data.sort_values("label", kind="stable", ignore_index=True).assign(n=np.arange(N))
    rows = frame_of(spark, order, 6).filter("n < 2000 or n >= 3000")  # the third is empty
    want = scarce.train(order.drop(index=range(2000, 3000))[[*FEATURES, "label"]], label="label", **PARAMS)
    assert learner().fit(rows).model.to_bytes() == want.to_bytes()


def test_pipeline_persistence_probabilities(spark, data, tmp_path):
    numbers = data[["amount", "steps", "gap", "label"]].fillna({"gap": 0.0})
    want = scarce.train(numbers, label="label", **PARAMS)
    rows = frame_of(spark, numbers, 2)
    pipeline = Pipeline(stages=[VectorAssembler(inputCols=["amount", "steps", "gap"], outputCol="features"), ScarceClassifier(settings=PARAMS)])
    made = pipeline.fit(rows)
    assert made.stages[1].model.to_bytes() == want.to_bytes()
    made.write().overwrite().save(str(tmp_path / "fitted"))
    pipeline.save(str(tmp_path / "unfitted"))
    read = PipelineModel.load(str(tmp_path / "fitted"))
    assert isinstance(read.stages[1], ScarceClassifierModel) and read.stages[1].model.to_bytes() == want.to_bytes()
    assert read.stages[1].training == made.stages[1].training and read.stages[1].numFeatures == 3
    again = Pipeline.load(str(tmp_path / "unfitted"))
    assert again.getStages()[1].getOrDefault("settings") == PARAMS
    scored = read.transform(rows).select("label", "prediction", vector_to_array("probability").alias("p"), vector_to_array("rawPrediction").alias("r")).toPandas()
    assert np.array_equal(np.stack(scored["p"])[:, 1], want.probability(numbers)) and np.array_equal(np.stack(scored["r"])[:, 1], want.score(numbers))
    assert np.array_equal(scored["prediction"] == 1, want.alert(numbers))


def test_vectors_without_names(spark, data):
    x = data[["amount", "steps", "gap"]].to_numpy(dtype=np.float64)
    want = scarce.train(x, label=data["label"].to_numpy(), **PARAMS)
    for rows in (spark.createDataFrame([(v.tolist(), float(y)) for v, y in zip(x, data["label"])], "features array<double>, label double"),
                 spark.createDataFrame([(Vectors.dense(v), float(y)) for v, y in zip(x, data["label"])], ["features", "label"])):
        assert ScarceClassifier(settings=PARAMS).fit(rows).model.to_bytes() == want.to_bytes()


def test_scores_by_columns_and_reasons(spark, data, alone):
    rows = frame_of(spark, data, 2).withColumn("steps", F.col("steps").cast("decimal(8,2)"))
    made = learner(reasonsCol="why", reasons=2, probabilityCol="p").fit(rows)
    assert made.model.to_bytes() == alone.to_bytes()
    scored = made.transform(rows.select("n", *reversed(FEATURES))).orderBy("n").withColumn("p", vector_to_array("p")[1]).toPandas()
    assert np.array_equal(scored["p"], alone.probability(data)) and list(scored.columns) == ["n", *reversed(FEATURES), "rawPrediction", "p", "prediction", "why"]
    best = alone.alerts(data, top=1, reasons=2)
    assert scored["why"][int(best["row"].iloc[0])] == best["reasons"].iloc[0]
    assert made.transform(rows.limit(0)).count() == 0
    assert "why" not in made.copy({made.reasonsCol: ""}).transform(rows).columns


def test_a_stream(spark, data, alone, tmp_path):
    made = ScarceClassifierModel(alone).setParams(columns=FEATURES)
    rows = frame_of(spark, data.iloc[:500], 2)
    rows.write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema(rows.schema).parquet(str(tmp_path / "in"))
    query = made.transform(stream).select("n", vector_to_array("probability")[1].alias("p")).writeStream.format("memory").queryName("scored").trigger(availableNow=True).start()
    assert query.awaitTermination(60) and query.exception() is None
    got = spark.table("scored").orderBy("n").toPandas()
    assert np.array_equal(got["p"], alone.probability(data.iloc[:500]))


def test_clear_lines(spark, data):
    rows = frame_of(spark, data, 2).cache()
    uneven = spark.createDataFrame([([1.0, 2.0], 0.0), ([1.0], 1.0)], "features array<double>, label double").coalesce(1)
    across = spark.createDataFrame(spark.sparkContext.parallelize([([1.0, 2.0], 0.0), ([1.0], 1.0)], 2), "features array<double>, label double")
    for wrong, how, text in [
        (rows.withColumn("n", F.lit(7).cast("long")), {"idCol": "n"}, "two rows have the number 7"),
        (rows.withColumn("n", F.when(F.col("n") > 5, F.col("n"))), {"idCol": "n"}, "have no number"),
        (rows, {"idCol": "weight"}, "row numbers are whole numbers"),
        (rows.withColumn("label", F.when(F.col("n") == 4000, float("nan")).otherwise(F.col("label"))), {}, "label"),
        (rows.withColumn("label", F.lit(0.0)), {}, "both classes|only one|all .* rows are negative|positive"),
        (rows.withColumn("label", F.when(F.col("n") == 4000, 2.0).otherwise(F.col("label"))), {}, "label"),
        (rows.withColumn("gap", F.current_timestamp()), {}, 'column "gap" holds dates: make numbers'),
        (rows.withColumn("gap", F.array("gap")), {}, "make numbers or texts of it, or leave it out"),
        (rows, {"columns": ["amount", "stepps"]}, 'did you mean "steps"'),
        (rows, {"columns": ["amount", "label"]}, "the one of the label"),
        (rows.withColumn("weight", -F.col("weight")), {"weightCol": "weight"}, "weight"),
        (rows.limit(0), {}, "no training rows"),
        (rows, {"settings": {"n_treees": 3}}, "n_trees"),
        (rows, {"method": "logistic"}, "logistic"),
        (rows, {"settings": {"sample": "all"}}, "would not be sampled"),
        (rows, {"featuresCol": "colour", "columns": None}, "not vectors"),
        (uneven, {"columns": None}, "1 numbers in some rows and 2 in others"),
        (across, {"columns": None}, "columns"),
    ]:
        with pytest.raises(scarce.ScarceError, match=text) as raised:
            learner(**how).fit(wrong)
        assert "\n" not in str(raised.value) and len(str(raised.value)) < 300, raised.value
    rows.unpersist()


def test_importing_scarce_leaves_spark_alone():
    done = subprocess.run([sys.executable, "-c", "import scarce, sys; scarce.train; assert 'pyspark' not in sys.modules"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_workers_keep_is_bounded():
    held = _cluster._held
    held.clear()
    for k in range(5):
        _cluster._hold(("t", k), object(), 40, 100)
    assert [k for _, k in held] == [3, 4]
    _cluster._hold(("t", 9), object(), 1000, 100)  # one is always kept
    assert [k for _, k in held] == [9]
    held.clear()
