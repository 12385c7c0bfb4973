# SPDX-License-Identifier: Apache-2.0
"""Threads, forks, interpreters, Ctrl-C, progress, logs, imports."""

import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pytest

import scarce


def tasks():
    return len(os.listdir("/proc/self/task"))


def test_imports_nothing_heavy():
    code = "import sys, scarce; print([m for m in ('numpy', 'sklearn', 'pandas', 'logging', 'json') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_no_thread_stays(numbers):
    x, y = numbers
    big = np.repeat(x, 20, axis=0)
    before = tasks()
    m = scarce.train(big, label=np.repeat(y, 20), n_trees=10, threads=4)
    assert tasks() == before
    m.score(big, threads=4)
    m.explain(big[:2000], threads=4)
    assert tasks() == before


def child(queue, x, y, before):
    m = scarce.train(x, label=y, n_trees=10, threads=2)
    queue.put(m.to_bytes() == before and (m.score(x, threads=2) == scarce.loads(before).score(x)).all())


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_processes(numbers, way):
    x, y = np.repeat(numbers[0], 10, axis=0), np.repeat(numbers[1], 10)
    before = scarce.train(x, label=y, n_trees=10, threads=2).to_bytes()
    context = multiprocessing.get_context(way)
    queue = context.Queue()
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # "this process is multi-threaded" must not come
        p = context.Process(target=child, args=(queue, x, y, before))
        p.start()
    assert queue.get(timeout=60)
    p.join(60)
    assert p.exitcode == 0


def test_fork_during_a_fit(numbers):
    """A child that is forked while another thread trains can train too."""
    x, y = np.repeat(numbers[0], 100, axis=0), np.repeat(numbers[1], 100)
    thread = threading.Thread(target=lambda: scarce.train(x, label=y, n_trees=60, threads=2))
    thread.start()
    time.sleep(0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pid = os.fork()
    if pid == 0:
        try:
            signal.alarm(60)
            scarce.train(x[::100], label=y[::100], n_trees=5, threads=2)
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    thread.join()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="interpreters with a GIL of their own came with 3.12")
def test_subinterpreters():
    code = "import _interpreters as i; n = i.create(); i.run_string(n, 'import scarce; assert scarce.methods')" if sys.version_info >= (3, 13) else \
        "import _xxsubinterpreters as i; n = i.create(isolated=True); i.run_string(n, 'import scarce._core')"
    subprocess.run([sys.executable, "-c", code], check=True)


LONG = textwrap.dedent("""
    import sys, time, os, signal, threading
    import numpy as np, scarce
    x = np.random.default_rng(0).normal(size=(60000, 20)).astype(np.float32); y = x[:, 0] > 2
    def work():
        {what}
    begin = [0.0]
    def stop():
        begin[0] = time.monotonic(); os.kill(os.getpid(), signal.SIGINT)
    threading.Timer(0.7, stop).start()
    try:
        work()
    except KeyboardInterrupt as e:
        print(round(time.monotonic() - begin[0], 3), type(e).__name__, getattr(e, "model", None) is not None)
    else:
        print("ended")
""")


@pytest.mark.parametrize("what", [
    "scarce.train(x, label=y, n_trees=100000)",
    "scarce.train(x, 'logistic', label=y, c=1e6, tolerance=1e-12, max_iterations=100000) and time.sleep(9)",
    "scarce.compare(x, ['gb:n_trees=500', 'gb:n_trees=501'], label=y, repeats=50)",
    "scarce.tune(x, label=y, trials=500)",
    "[scarce.train(x, 'sgbap-sig', label=y, n_trees=20000)]",
    "scarce.train(x, label=y, n_trees=20).explain(np.repeat(x, 30, axis=0))",
])
def test_interrupt(what):
    done = subprocess.run([sys.executable, "-c", LONG.format(what=what)], capture_output=True, text=True, timeout=120)
    out = done.stdout.split()
    if out[:1] == ["ended"] and "tune" in what:
        pytest.skip("the search hands over its best so far")
    assert len(out) == 3 and out[1] in ("KeyboardInterrupt", "TrainingInterrupted"), done.stdout + done.stderr
    assert float(out[0]) < 2.0  # 0.5 on a quiet machine; this one may be busy
    if "n_trees=100000" in what:
        assert out[1:] == ["TrainingInterrupted", "True"]


def test_progress(numbers):
    x, y = np.repeat(numbers[0], 200, axis=0), np.repeat(numbers[1], 200)
    seen = []
    scarce.train(x, label=y, n_trees=150, valid_fraction=0.2, progress=seen.append)
    assert any(p.stage == "train" and p.metric == "ap" and 0 <= p.value <= 1 for p in seen)

    class Mine(Exception):
        pass

    def raises(p):
        raise Mine("out")

    with pytest.raises(Mine, match="out"):
        scarce.train(x, label=y, n_trees=5000, progress=raises)
    stopped = scarce.train(x, label=y, n_trees=5000, progress=lambda p: p.done > 3)
    assert stopped.summary["cancelled"] and stopped.summary["iterations"] < 5000


def test_silence_and_logs(numbers, capfd, caplog):
    x, y = numbers
    pytest.importorskip("sklearn")
    scarce.GBClassifier(n_trees=3).fit(x, y).predict(x)
    scarce.train(x, label=y, n_trees=3)
    assert capfd.readouterr() == ("", "")
    with caplog.at_level(logging.DEBUG, logger="scarce"):
        scarce.train(x, label=y, n_trees=3)
    assert all("--" not in r.getMessage() for r in caplog.records)


def test_threads_follow_affinity():
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("no affinity here")
    code = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); from scarce._talk import threads_of; print(threads_of(None), threads_of(3))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == ["1", "3"]
    done = subprocess.run([sys.executable, "-c", "from scarce._talk import threads_of; print(threads_of(None))"], capture_output=True, text=True,
                          env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.stdout.strip() == "1"


def test_gil_is_released(numbers):
    """Another thread goes on while this one trains."""
    x, y = np.repeat(numbers[0], 100, axis=0), np.repeat(numbers[1], 100)
    count, stop = [0], threading.Event()

    def counts():
        while not stop.is_set():
            count[0] += 1
            time.sleep(0.001)

    t = threading.Thread(target=counts)
    t.start()
    scarce.train(x, label=y, n_trees=100, threads=1)
    stop.set()
    t.join()
    assert count[0] > 10
