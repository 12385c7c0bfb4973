# SPDX-License-Identifier: Apache-2.0
"""Rows in several places give the model that they give in one, byte for byte; what goes wrong says so in a line."""

import threading

import numpy as np
import pytest

import scarce
from scarce._far import Partition, Plan, Sketch, train_far, valid_table

pd = pytest.importorskip("pandas")

PARAMS = {"sample": "importance", "n_trees": 30, "pool": 10, "min_child_weight": 0.1}
COLOURS = np.array(["red", "green", "blue", "grey", None], dtype=object)


def rows_of(n, seed=1, weights=False):
    r = np.random.default_rng(seed)
    x = r.normal(size=(n, 3)).astype(np.float32)
    colour = r.integers(0, 5, n)
    z = -7.5 + 2 * x[:, 0] + x[:, 1] ** 2 + 1.5 * (colour == 2)
    y = (r.random(n) < 1 / (1 + np.exp(-z))).astype(int)
    x[r.random(n) < 0.1, 2] = np.nan
    frame = pd.DataFrame({"amount": x[:, 0], "steps": np.floor(4 * x[:, 1]), "gap": x[:, 2], "colour": COLOURS[colour], "label": y})
    if weights:
        frame["weight"] = 0.5 + r.random(n)
    return frame


def cut(frame, parts):
    ends = np.linspace(0, len(frame), parts + 1).astype(int)
    return [(int(a), frame.iloc[a:b]) for a, b in zip(ends, ends[1:])]


def trained(blocks, params=PARAMS, folder=None, lose=False, options=None, valid=None, **roles):
    """blocks: (numbers or the first one, frame), each in a partition of its own."""
    sketches = []
    for number, frame in blocks:
        s = Sketch()
        s.add(frame, **numbers(number), **roles)
        sketches.append(s.to_bytes())
    plan = Plan.of(Sketch(*reversed(sketches)), "gb", params)
    sent = plan.to_bytes()

    def build(number, frame):
        p = Partition(Plan.read(sent), folder)
        p.add(frame, **numbers(number), **roles)
        assert len(p) == len(frame)
        return p

    held = [build(*b) for b in blocks]

    def ask(question):
        if lose:
            held[0] = build(*blocks[0])
        return (p.answer(question) for p in reversed(held))

    judged = None if valid is None else valid_table(valid, plan)
    return train_far(plan, ask, "gb", params, valid=judged, **(options or {}))


def numbers(n):
    return {"first": n} if isinstance(n, int) else {"ids": n}


def test_same_bytes(tmp_path):
    data = rows_of(8000)
    want = scarce.train(data, label="label", **PARAMS).to_bytes()
    assert trained(cut(data, 1), label="label").to_bytes() == want
    assert trained(cut(data, 3), folder=str(tmp_path), label="label").to_bytes() == want
    assert trained(cut(data, 5), lose=True, label="label").to_bytes() == want
    order = np.random.default_rng(5).permutation(len(data))
    shuffled = [(order[a : a + 2000].astype(np.int64), data.iloc[order[a : a + 2000]]) for a in range(0, 8000, 2000)]
    assert trained(shuffled, label="label").to_bytes() == want
    assert list(tmp_path.iterdir()) == []


def test_weights_and_validation():
    data, valid = rows_of(8000, weights=True), rows_of(3000, 2, weights=True)
    params = {**PARAMS, "n_trees": 60, "learning_rate": 0.3}
    want = scarce.train(data, label="label", weight="weight", valid=valid, early_stop=5, **params)
    got = trained(cut(data, 4), params, valid=valid, options={"early_stop": 5}, label="label", weight="weight")
    assert got.to_bytes() == want.to_bytes() and got.summary["best_iteration"] == want.summary["best_iteration"]


def test_blocks_of_one_label():
    data = rows_of(8000).sort_values("label", kind="stable", ignore_index=True)  # all positives in the last blocks
    want = scarce.train(data, label="label", **PARAMS).to_bytes()
    assert trained(cut(data, 8), label="label").to_bytes() == want


def test_exceptions_come_out_as_they_are():
    data = rows_of(4000)
    s = Sketch()
    s.add(data, label="label")
    plan = Plan.of(s, "gb", PARAMS)
    assert (plan.n_rows, plan.positives) == (4000, int(data["label"].sum())) and plan.row_bytes >= 4

    class Lost(Exception):
        pass

    def fails(question):
        raise Lost("the cluster is gone")

    def yields_then_fails(question):
        yield from ()
        raise Lost("in the middle")

    for ask in (fails, yields_then_fails):
        with pytest.raises(Lost):
            train_far(plan, ask, "gb", PARAMS)
    for ask, error, text in [
        (lambda q: [], scarce.DataError, "0 rows answered, the plan was made of 4000"),
        (lambda q: [b"no answer"], scarce.DataError, "damaged"),
        (lambda q: [7], TypeError, "bytes-like"),
        (lambda q: 7, TypeError, "not iterable"),
    ]:
        with pytest.raises(error, match=text):
            train_far(plan, ask, "gb", PARAMS)
    with pytest.raises(KeyboardInterrupt):
        train_far(plan, lambda q: (_ for _ in ()).throw(KeyboardInterrupt), "gb", PARAMS)


def test_refusals():
    data = rows_of(4000)
    s = Sketch()
    s.add(data.iloc[:2000], label="label")
    for other, text in [
        (data.drop(columns="gap"), 'column "gap" is missing in some of the rows'),
        (data.assign(gap="much"), 'column "gap"'),
        (data.assign(weight=1.0), None),
        (data.assign(label=np.where(np.arange(4000) == 7, np.nan, data["label"])), "label"),
    ]:
        if text is None:
            continue
        with pytest.raises(scarce.DataError, match=text) as raised:
            s.add(other, first=2000, label="label")
        assert "\n" not in str(raised.value)
    with pytest.raises(scarce.DataError, match="some of the rows have weights"):
        s.add(data.assign(weight=1.0), first=2000, label="label", weight="weight")
    with pytest.raises(scarce.DataError, match="row numbers"):
        s.add(data, ids=np.zeros(4000), label="label")
    with pytest.raises(ValueError, match="ids"):
        s.add(data, ids=np.arange(3), label="label")
    with pytest.raises(scarce.DataError, match="damaged"):
        s.join(s.to_bytes()[:-3])
    s.add(data.iloc[:10], first=0, label="label")  # numbers that were there before
    with pytest.raises(scarce.DataError, match="two rows have the number"):
        Plan.of(s, "gb", PARAMS)
    with pytest.raises(scarce.Unsupported):
        Plan.of(s, "logistic")
    with pytest.raises(scarce.DataError, match="no training rows"):
        Plan.of(Sketch(), "gb")
    with pytest.raises(scarce.ParameterError, match="has no parameter"):
        Plan.of(s, "gb", {"n_treees": 3})
    with pytest.raises(scarce.DataError, match="damaged"):
        Plan.read(b"x" * 100)


def test_a_plan_that_was_read_serves_partitions_alone():
    s = Sketch()
    s.add(rows_of(2000), label="label")
    plan = Plan.read(Plan.of(s, "gb", PARAMS).to_bytes())
    with pytest.raises(scarce.ParameterError, match="serves partitions"):
        train_far(plan, lambda q: [], "gb", PARAMS)
    with pytest.raises(scarce.DataError, match="damaged"):
        Partition(plan).answer(b"what?")
    with pytest.raises(OSError, match="temporary file"):
        Partition(plan, "/nowhere/at/all")


def test_threads_in_one_sketch():
    data, s, refused = rows_of(20000), Sketch(), []

    def add(first):
        while True:
            try:
                return s.add(data, first=first, label="label")
            except RuntimeError as e:
                if isinstance(e, scarce.ScarceError):
                    raise
                refused.append(e)

    threads = [threading.Thread(target=add, args=(k * 20000,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert Plan.of(s, "gb", PARAMS).n_rows == 80000
