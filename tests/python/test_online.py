# SPDX-License-Identifier: Apache-2.0
"""Learning from a stream: blocks and rows, partial_fit, River's protocol, checkpoints, classes."""

import pickle

import numpy as np
import pytest

import scarce

RNG = np.random.default_rng(7)
X = RNG.normal(size=(1500, 4))
Y = (X[:, 0] + X[:, 1] > 2).astype(int)
ONLINE = [m for m, v in scarce.methods().items() if v["family"] == "online"]


def estimator(method, **params):
    from scarce._names import OF_METHOD

    return getattr(scarce, OF_METHOD[method])(**params)


@pytest.mark.parametrize("method", ONLINE)
def test_chunks_are_one_stream(method):
    whole = estimator(method).partial_fit(X, Y)
    parts = estimator(method)
    for i in range(0, len(X), 37):
        parts.partial_fit(X[i : i + 37], Y[i : i + 37], classes=[0, 1])  # chunks of one class among them
    assert (whole.decision_function(X) == parts.decision_function(X)).all()


def test_a_chunk_may_hold_one_class():
    c = scarce.ONLBClassifier().partial_fit(X[:5], np.zeros(5, int), classes=[0, 1])
    c.partial_fit(X[:5], np.ones(5, int))
    with pytest.raises(ValueError, match="2 are needed"):
        scarce.ONLBClassifier().partial_fit(X[:5], np.zeros(5, int))
    with pytest.raises(ValueError, match="labels that classes doesn't"):
        c.partial_fit(X[:2], [0, 2])
    with pytest.raises(ValueError, match="not those of the first call"):
        c.partial_fit(X[:2], [0, 1], classes=[0, 1, 2])
    with pytest.raises(ValueError):
        c.partial_fit(X[:5, :3], np.ones(5, int))


def test_pickles_go_on():
    a = scarce.ONLBClassifier().partial_fit(X[:700], Y[:700])
    b = pickle.loads(pickle.dumps(a))
    for c in (a, b):
        c.partial_fit(X[700:], Y[700:])
    assert (a.decision_function(X) == b.decision_function(X)).all()


def test_goes_on_after_fit():
    a = scarce.StreamBoostClassifier().fit(X[:700], Y[:700])
    before = a.decision_function(X)
    assert (a.partial_fit(X[700:], Y[700:]).decision_function(X) != before).any()


def test_rows_as_river_has_them():
    c = scarce.ONLBClassifier()
    assert c.predict_proba_one({"a": 1}) == {} and c.predict_one({"a": 1}) is None
    for x, y in zip(X, Y):
        c.learn_one({"a": x[0], "b": x[1], "channel": "xyz"[int(abs(x[2]) * 10) % 3]}, bool(y))
    p = c.predict_proba_one({"a": 3.0, "b": 3.0, "channel": "never seen", "unheard of": 5})
    assert list(p) == [False, True] and p[True] > 0.9 and abs(sum(p.values()) - 1) < 1e-12
    assert c.predict_one({"a": 3.0, "b": 3.0}) is True and c.predict_one({"a": -3.0}) is False
    assert c.learner_.status["learnt"] == len(X)


def test_rows_and_blocks_agree():
    rows, block = scarce.Learner(), scarce.Learner()
    text = np.array(["x", "y", "z"])[RNG.integers(0, 3, len(X))]
    frame = {"a": X[:, 0], "b": X[:, 1], "t": text}
    scores = block.learn(frame, Y)
    for i in range(len(X)):
        row = {"a": X[i, 0], "b": X[i, 1], "t": str(text[i])}
        if i:
            assert rows.score_one(row) == scores[i]
        rows.learn_one(row, Y[i])
    assert rows.model().score_one({"a": 1.0, "b": 1.0, "t": "y"}) == block.model().score_one({"a": 1.0, "b": 1.0, "t": "y"})
    assert rows.status["new_categories"] == 2  # the first row had one


def test_categories_grow():
    learner = scarce.Learner()
    learner.learn({"t": ["a", "b"] * 50}, [0, 1] * 50)
    learner.learn({"t": ["c", "d"] * 200}, [0, 1] * 200)
    assert learner.status["new_categories"] == 2
    assert learner.probability_one({"t": "d"}) > 0.9 > 0.1 > learner.probability_one({"t": "c"})


def test_checkpoints(tmp_path):
    df = scarce.simulate("fraud", transactions=4000)
    roles = {"label": "label", "time": "time", "group": "card", "ignore": ["tx_id", "terminal", "label_time"], "delay": "7d"}
    whole, part = scarce.Learner(**roles), scarce.Learner(**roles)
    whole.learn(df)
    part.learn(df.iloc[:1500])
    part.checkpoint(tmp_path / "c")
    rest = scarce.Learner.go_on(tmp_path / "c", delay="7d", ignore=roles["ignore"])
    rest.learn(df.iloc[1500:])
    assert rest.status == pytest.approx(whole.status, nan_ok=True) and whole.status["pending"] > 0
    assert rest.model().to_bytes() == whole.model().to_bytes()


def test_classes():
    learner = scarce.Learner(classes=["a", "b", "c"], positive="b")
    truth = ["a" if x[0] > 0.5 else "b" if x[1] > 0 else "c" for x in X]
    for x, y in zip(X, truth):
        learner.learn_one({"x": x[0], "z": x[1]}, y)
    p = learner.classes_one({"x": -1.0, "z": 1.5})
    assert list(p) == ["a", "b", "c"] and p["b"] > 0.9 and abs(sum(p.values()) - 1) < 1e-9
    assert learner.probability_one({"x": -1.0, "z": 1.5}) == p["b"]
    with pytest.raises(scarce.DataError, match="none of the classes"):
        learner.learn_one({"x": 1.0}, "d")
    with pytest.raises(scarce.ParameterError, match="row by row"):
        learner.learn({"x": [1.0], "z": [2.0]}, ["a"])


def test_nothing_spoils_the_weights():
    learner = scarce.Learner()
    for x, y in zip(X, Y):
        learner.learn_one({"a": x[0], "b": x[1]}, y)
    before = learner.score_one({"a": 1.0, "b": 1.0})
    for bad in (float("nan"), float("inf"), -float("inf"), None, 1e300):
        learner.learn_one({"a": bad, "b": bad}, 0)
    learner.learn_one({"a": 1.0, "b": 1.0}, 1, float("nan"))
    assert learner.status["refused"] == 1
    after = learner.score_one({"a": 1.0, "b": 1.0})
    assert np.isfinite(after) and abs(after - before) < 2


@pytest.mark.parametrize("wrong, text", [
    (lambda: scarce.Learner("gb").learn_one({"a": 1}, 1), "does not learn row by row"), (lambda: scarce.Learner(n_lerners=3), "did you mean"),
    (lambda: scarce.Learner(adapt="perhaps"), "none of none, restart-weakest, decay"), (lambda: scarce.Learner(delay="soon"), "no span of time"),
    (lambda: scarce.Learner().score_one({"a": 1}), "nothing was learnt"), (lambda: scarce.Learner().learn_one({"a": 1}, 7), "neither 0 nor 1"),
    (lambda: scarce.Learner(delay="7d").learn({"a": [1.0, 2.0]}, [0, 1]), "need the time of the rows")])
def test_wrong_use(wrong, text):
    with pytest.raises(scarce.ScarceError, match=text):
        wrong()
