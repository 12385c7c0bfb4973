# SPDX-License-Identifier: Apache-2.0
"""Many threads on the same objects, with or without a GIL: the bits of one thread, and errors that are exceptions."""

import sys
import sysconfig
import threading

import numpy as np
import pytest

import scarce

THREADS = 8


def together(work):
    """work(i) in as many threads, begun at once; what they gave, or the first exception."""
    gate, found, wrong = threading.Barrier(THREADS), [None] * THREADS, []

    def run(i):
        gate.wait()
        try:
            found[i] = work(i)
        except BaseException as e:  # noqa: BLE001
            wrong.append(e)

    all_of_them = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
    for t in all_of_them:
        t.start()
    for t in all_of_them:
        t.join()
    if wrong:
        raise wrong[0]
    return found


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a GIL")
def test_import_keeps_the_gil_off():
    import scarce._core  # noqa: F401

    assert not sys._is_gil_enabled()


def test_scores(numbers):
    x, y = numbers
    m = scarce.train(x, label=y, n_trees=20, threads=1)
    table, one = m.score(x), [m.score_one(row) for row in x[:50]]
    names = m.features
    rows = [dict(zip(names, map(float, row))) for row in x[:50]]

    def work(i):
        assert (m.score(x) == table).all()
        for _ in range(20):
            assert [m.score_one(row) for row in x[:50]] == one
            assert [m.score_one(row) for row in rows] == [m.score_one(tuple(r.values())) for r in rows]
        return True

    assert all(together(work))


def test_trainings(numbers):
    x, y = numbers
    alone = scarce.train(x, label=y, n_trees=10, threads=1).to_bytes()
    assert all(b == alone for b in together(lambda i: scarce.train(x, label=y, n_trees=10, threads=1 + i % 2).to_bytes()))


def test_first_explanation(numbers):
    """What a model makes when it is first asked for reasons is made once."""
    x, y = numbers
    for _ in range(5):
        m = scarce.train(x, label=y, n_trees=5, threads=1)
        found = together(lambda i: np.asarray(m.contributions(x[:20], threads=1)[0]))
        assert all((f == found[0]).all() for f in found)


def test_changed_meanwhile(numbers):
    """A dict, and an array, that another thread changes: some score of values that were there, never a crash."""
    x, y = numbers
    m = scarce.train(x, label=y, n_trees=5, threads=1)
    row, copy, ends = dict(zip(m.features, map(float, x[0]))), x.copy(), threading.Event()

    def change():
        i = 0
        while not ends.is_set():
            i += 1
            row[m.features[i % 5]] = float(i)
            row.pop(m.features[(i + 1) % 5], None)
            copy[i % len(copy)] = i

    t = threading.Thread(target=change)
    t.start()
    try:
        for _ in range(300):
            assert np.isfinite(m.score_one(row))
            assert np.isfinite(m.score(copy)).all()
    finally:
        ends.set()
        t.join()


def test_budget():
    """Threads wait for each other: no more is let through than one thread would."""
    b = scarce.Budget("50/day")
    alerts = together(lambda i: sum(bool(b.offer(1000.0, float(s))) for s in range(100)))
    assert 0 < sum(alerts) <= 50
