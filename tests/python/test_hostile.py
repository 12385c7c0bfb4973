# SPDX-License-Identifier: Apache-2.0
"""Input that is wrong: an exception that names the column and what to do, never a crash."""

import ctypes
import threading

import numpy as np
import pytest

import scarce
from scarce import _core

pd = pytest.importorskip("pandas")


def frame(**more):
    f = {"a": np.arange(20.0), "b": np.arange(20) % 3, "y": np.arange(20) % 2}
    return pd.DataFrame(f).assign(**more)


CASES = [
    (lambda: frame(c=[{"k": 1}] * 20), {}, 'column "c", row 1: a dict is neither'),
    (lambda: frame(c=[[1, 2]] * 20), {}, 'column "c", row 1: a list is neither'),
    (lambda: frame(c=[b"x"] * 20), {}, 'column "c", row 1: a bytes is neither'),
    (lambda: frame(c=np.arange(20) * 1j), {}, 'column "c" has the dtype complex128'),
    (lambda: frame(c=pd.date_range("2020", periods=20)), {}, 'column "c" holds dates: say time="c"'),
    (lambda: frame(y=[np.nan, 1.0] * 10), {}, 'y.*missing|missing.*label'),
    (lambda: frame(y=1), {}, "class|positive|label"),
    (lambda: frame(y=np.arange(20)), {}, 'positive|label'),
    (lambda: frame().rename(columns={"b": "a"}), {}, 'two columns are named "a"'),
    (lambda: frame(), {"time": "when"}, 'no column "when" for time'),
    (lambda: frame(tx_time=1), {"time": "tx_tim"}, 'did you mean "tx_time"'),
    (lambda: frame(), {"time": "a", "group": "a"}, "two roles"),
    (lambda: frame(c="x"), {"amount": "c"}, 'column "c" holds texts; the amount must be numbers'),
    (lambda: frame(c="x"), {"numeric": ["c"]}, 'column "c": "x" is no number'),
    (lambda: frame(w=-1.0), {"weight": "w"}, '"w".*weight|weight.*-1'),
    (lambda: frame(w=np.inf), {"time": "w"}, '"w".*not finite'),
    (lambda: frame().drop(columns="y"), {"label": None}, "which column is the label"),
    (lambda: frame()[:0], {}, "no rows"),
    (lambda: frame()[["y"]], {}, "features|columns"),
    (lambda: frame(), {"label": np.zeros(7)}, "label has 7 values, the data have 20 rows"),
    (lambda: np.zeros((3, 2, 2)), {"label": [0, 1, 0]}, "3 dimensions"),
    (lambda: np.zeros(5), {"label": [0, 1, 0, 1, 0]}, "reshape"),
    (lambda: {"a": [1, 2], "y": [1, 0, 1]}, {}, "different length"),
    (lambda: {"a": "text", "y": [1]}, {}, 'column "a" is str'),
    (lambda: [[1, 2], [1]], {"label": [0, 1]}, "different length"),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_says_what_is_wrong(number):
    make, more, expected = CASES[number]
    with pytest.raises((scarce.DataError, scarce.ParameterError, ValueError), match=expected) as caught:
        scarce.train(make(), **{"label": "y", "n_trees": 2, **more})
    assert "--" not in str(caught.value)


def test_not_data():
    for x in (object(), 5, None, iter([1])):
        with pytest.raises(TypeError, match="can't take data"):
            scarce.train(x, label="y")
    with pytest.raises(OSError, match="no-such-file"):
        scarce.train("no-such-file.csv", label="y")
    with pytest.raises(ValueError):
        scarce.loads(b"not a model")
    with pytest.raises(OSError):
        scarce.load("/no/such/model")


def test_parameters():
    f = frame()
    for more, expected in (({"n_trees": -3}, "n_trees"), ({"growth": "wide"}, "best"), ({"n_treez": 3}, "did you mean"), ({"metric": "apx"}, "no metric"),
                           ({"threshold": "often"}, "threshold|rule|f1"), ({"calibrate": "platt"}, "valid= or valid_fraction="), ({"early_stop": -1}, "negative"),
                           ({"resample": "random-up"}, "did you mean|resampling"), ({"seed": -1}, "seed"), ({"valid_fraction": 2.0}, "between 0 and 1")):
        with pytest.raises(scarce.ParameterError, match=expected) as caught:
            scarce.train(f, label="y", **more)
        assert "--" not in str(caught.value), caught.value
    with pytest.raises(scarce.ParameterError, match='did you mean "gb"|no method'):
        scarce.train(f, "gbb", label="y")


def test_rows(model, payments):
    row = payments.iloc[0].to_dict()
    width = len(model.features)
    for bad, error in ((np.zeros(width - 1), scarce.DataError), (np.zeros((1, width)), ValueError), (np.zeros(width, complex), TypeError), ((1,) * 3, scarce.DataError),
                       (5, TypeError), (None, TypeError), ("row", TypeError), ({**row, "amount": "dear"}, scarce.DataError), ({**row, "amount": [1]}, TypeError),
                       (np.array(["a"] * width), TypeError), ([object()] * width, TypeError)):
        with pytest.raises(error):
            model.score_one(bad)
    assert np.isfinite(model.score_one({}))
    assert np.isfinite(model.score_one({"amount": None, "country": "", "nonsense": object()}))


def test_core_checks_its_arguments():
    for call in (lambda: _core.frame_arrow(5), lambda: _core.frame_arrow((1, 2)), lambda: _core.table_columns([], 0, None, None, False, None),
                 lambda: _core.table_columns([("a", 0, 0, np.zeros(3), 0, None)], 5, None, None, False, None),
                 lambda: _core.table_columns([("a", 77, 0, np.zeros(3), 0, None)], 3, None, None, False, None),
                 lambda: _core.table_columns([("a", 0, 9, np.zeros(3), 0, None)], 3, None, None, False, None),
                 lambda: _core.table_columns([("a", 0, 1, np.zeros(3, int), 0, [])], 3, None, None, False, None),
                 lambda: _core.table_columns([("a", 0, 1, np.array([0, 5, 1]), 0, ["x"])], 3, None, None, False, None),
                 lambda: _core.table_columns([5], 3, None, None, False, None), lambda: _core.metrics({}, {}, None),
                 lambda: _core.metrics({"score": np.zeros(3), "label": np.zeros(2, np.uint8)}, {}, None), lambda: _core.metrics({"score": np.zeros(3, np.float32)}, {}, None),
                 lambda: _core.page_training(5, None, None, None, None, None, (0, 0), None), lambda: _core.page_training(None, None, None, None, None, None, (0, 0), None),
                 lambda: _core.page_evaluation({}, {}, None, None, None, None), lambda: _core.page_evaluation({"score": np.zeros(3)}, {}, None, None, None, None),
                 lambda: _core.page_comparison(5, "ap", [], None, None, None, None), lambda: _core.compare_verdicts(5, "ap"), lambda: _core.compare_info(5), lambda: _core.model_loads(b""),
                 lambda: _core.frame_sparse(2, 2, True, np.zeros(3, np.int32), np.zeros(1, np.int64), np.zeros(1), None),
                 lambda: _core.frame_sparse(2, 2, True, np.array([0, 5, 9], np.int32), np.zeros(1, np.int32), np.zeros(1), None),
                 lambda: _core.frame_sparse(2, 2, False, np.array([0, 1, 1], np.int32), np.array([-1], np.int32), np.zeros(1), None)):
        with pytest.raises((TypeError, ValueError, scarce.ScarceError, IndexError)):
            call()


class Broken:
    """A stream that says something is wrong."""

    def __init__(self, error):
        self.error = error

    def __arrow_c_stream__(self, requested_schema=None):
        raise self.error


def test_broken_streams():
    pa = pytest.importorskip("pyarrow")
    frame = _core.frame_arrow(pa.table({"a": [1.0, 2.0, 3.0]}).__arrow_c_stream__())
    with pytest.raises(scarce.DataError, match="has 3 rows, the others have 9"):
        _core.table_columns([("a", 0, 0, frame, 0, None)], 9, None, None, False, None)
    with pytest.raises(IndexError):
        _core.table_columns([("a", 0, 0, frame, 5, None)], 3, None, None, False, None)
    with pytest.raises(scarce.DataError, match="label has 2 values"):
        scarce.train({"a": [1.0, 2.0, 3.0]}, label=pa.array([0, 1]))
    with pytest.raises(RuntimeError, match="the cable"):
        scarce.train(Broken(RuntimeError("the cable")), label="y")

    def batches():
        yield pa.record_batch({"a": [1.0, 2.0], "y": [0, 1]})
        raise OSError("the disk is gone")

    schema = pa.schema({"a": pa.float64(), "y": pa.int64()})
    with pytest.raises(OSError, match="the disk is gone"):
        scarce.train(pa.RecordBatchReader.from_batches(schema, batches()), label="y")
    reader = pa.RecordBatchReader.from_batches(schema, [pa.record_batch({"a": [1.0, 2.0] * 20, "y": [0, 1] * 20})])
    assert scarce.train(reader, label="y", n_trees=2).features == ["a"]
    with pytest.raises(scarce.DataError, match="zero byte"):
        scarce.train(pa.table({"a": ["x\0y", "z"], "y": [0, 1]}), label="y")


def test_changed_by_another_thread():
    """Arrays that change while they are learnt from: some model or an error, no crash."""
    x = np.asfortranarray(np.random.default_rng(0).normal(size=(20000, 6)).astype(np.float32))
    y = (x[:, 0] > 1).astype(np.int32)
    stop = threading.Event()

    def scribble():
        r = np.random.default_rng(1)
        while not stop.is_set():
            x[:] = r.normal(size=x.shape) * r.choice([1, np.nan, np.inf, 1e30])
            y[:] = r.integers(0, 2, len(y))

    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        for seed in range(3):
            try:
                scarce.train(x, label=y, n_trees=5, seed=seed, valid_fraction=0.2)
            except scarce.ScarceError:
                pass
    finally:
        stop.set()
        thread.join()


def test_views_that_are_odd(numbers):
    x, y = numbers
    m = scarce.train(x, label=y, n_trees=5)
    want = m.score(x)
    packed = np.zeros(600, dtype=[("pad", "i1"), ("v", "f8", (5,))])
    packed["v"] = x
    assert (m.score(packed["v"]) == want).all()  # items that aren't aligned
    assert (m.score(x.astype(">f8")) == want).all()
    assert (m.score(np.broadcast_to(x[:1], (4, 5))) == want[0]).all()
    assert (m.score(np.matrix(x)) == want).all()
    assert (m.score(np.ma.masked_array(x, False)) == want).all()
    frozen = x.copy()
    frozen.setflags(write=False)
    assert (m.score(frozen) == want).all() and scarce.train(frozen, label=y, n_trees=5).to_bytes() == m.to_bytes()
    assert m.score_one(x[:, ::-1][3][::-1]) == want[3]
    assert (m.score(memoryview(x)) == want).all() if hasattr(memoryview(x), "__array__") else True
    assert ctypes.sizeof(ctypes.c_double) == 8


def test_names_what_is_no_text(numbers):
    """Lone surrogates, zero bytes and numbers beyond doubles: told with the column."""
    half = "\ud800"
    plain = {"a": [1.0, 2.0] * 10, "y": [0, 1] * 10}
    for bad, told in (({**plain, "c": [half, "x"] * 10}, r"column 'c': '\\ud800' can't be written"), ({**plain, half: plain["a"]}, r"column '\\ud800'"),
                      ({**plain, "c\0": plain["a"]}, r"column 'c\\x00'.*zero byte")):
        with pytest.raises(scarce.DataError, match=told):
            scarce.train(bad, label="y", n_trees=2)
    m = scarce.train(frame(c=["u", "v"] * 10), label="y", n_trees=2)
    for value, told in ((10**400, '"a": the number is too large'), (half, '"a".*UTF-8')):
        with pytest.raises(scarce.DataError, match=told):
            m.score_one({"a": value})


def test_settings_of_a_wrong_type(numbers):
    x, y = numbers
    for bad, told in (({"random_state": "x"}, "seed='x': a whole number"), ({"random_state": 1.5}, "seed=1.5"), ({"n_jobs": "two"}, "n_jobs='two': a whole number")):
        with pytest.raises(scarce.ParameterError, match=told):
            scarce.GBClassifier(n_trees=2, **bad).fit(x, y)
    with pytest.raises(TypeError, match="not ndarray .*evaluate_scores"):
        scarce.evaluate(y, x[:, 0])


def test_arrow_types_by_their_names():
    pa = pytest.importorskip("pyarrow")
    import pyarrow.compute as pc

    for array, told in ((pa.array([[("k", 1)]] * 4, pa.map_(pa.string(), pa.int64())), "holds maps"), (pc.run_end_encode(pa.array([1, 1, 2, 2])), "is run-end encoded")):
        with pytest.raises(scarce.DataError, match=f'column "a" {told}'):
            scarce.train(pa.table({"a": array, "y": [0, 1, 0, 1]}), label="y")
