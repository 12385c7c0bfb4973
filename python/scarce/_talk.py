# SPDX-License-Identifier: Apache-2.0
"""How long calls talk: threads, seed, progress, log lines, and what Ctrl-C leaves behind."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from . import _core
from ._pages import in_notebook


class Progress(NamedTuple):
    """Where a long call is; `total` is 0 when that isn't known, `value` None when nothing is watched."""

    stage: str
    done: float
    total: float
    unit: str
    metric: str | None
    value: float | None


ProgressFunction = Callable[[Progress], object]


class TrainingInterrupted(KeyboardInterrupt):
    """Ctrl-C during training. `model` is what was learnt so far, or None."""

    model: Any = None


def threads_of(n: int | None) -> int:
    """Threads of a call: None or 0 takes what affinity, container quota and OMP_NUM_THREADS leave; -1 all of it."""
    most: int = _core.default_threads()
    if n is not None and not hasattr(n, "__index__"):
        raise _core.ParameterError(f"n_jobs={n!r}: a whole number of threads is wanted, -1 or None for all")
    if n is None or n == 0:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return min(most, int(limit)) if limit.isdigit() and int(limit) > 0 else most
    if n < 0:
        return max(1, most + 1 + n)
    return min(int(n), 1024)


def seed_of(seed: Any) -> int:
    """A seed as the library takes it: a whole number, a NumPy generator or RandomState (one draw of it), None (1)."""
    if seed is None:
        return 1
    if hasattr(seed, "integers"):
        return int(seed.integers(0, 2**31 - 1))
    if hasattr(seed, "randint"):
        return int(seed.randint(0, 2**31 - 1))
    if not hasattr(seed, "__index__"):
        raise _core.ParameterError(f"seed={seed!r}: a whole number, a NumPy generator or None is wanted")
    value = int(seed)
    if value < 0 or value >= 2**64:
        raise _core.ParameterError(f"seed={value}: allowed are 0 to 2**64 - 1")
    return value


class _Line:
    """Progress as one line that is written over: on a terminal, or in a notebook by a display that is updated."""

    def __init__(self, always: bool) -> None:
        self.begin = time.monotonic()
        self.always = always
        self.shown = 0
        self.display: Any = None

    def text(self, p: Progress) -> str:
        seconds = time.monotonic() - self.begin
        line = f"{p.stage} {p.done:,.0f}" + (f"/{p.total:,.0f}" if p.total else "") + f" {p.unit}"
        if p.total and p.done:
            line += f", {seconds * (p.total - p.done) / p.done:.0f} s left"
        if p.metric is not None and p.value is not None:
            line += f", {p.metric} {p.value:.4f}"
        return line

    def __call__(self, p: Progress) -> None:
        if not self.always and time.monotonic() - self.begin < 2:
            return
        line = self.text(p)
        if in_notebook():
            data = {"text/plain": line}
            if self.display is None:
                from IPython.display import display

                self.display = display(data, raw=True, display_id=True)
            else:
                self.display.update(data, raw=True)
        else:
            sys.stderr.write("\r\033[K" + line)
            sys.stderr.flush()
        self.shown = len(line)

    def close(self) -> None:
        if self.shown and self.display is None:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def pythonic(text: str | None) -> str | None:
    """The library's sentences name options of the command line; here they are keyword arguments."""
    if text is None or "--" not in text:
        return text
    import re

    return re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda m: m[1].replace("-", "_") + "=", text)


def _log(level: int, line: str) -> None:
    import logging

    logging.getLogger("scarce").log({1: logging.WARNING, 2: logging.INFO}.get(level, logging.DEBUG), "%s", pythonic(line))


class Talk:
    """A `with` block around a long call; `how` is what _core wants."""

    def __init__(self, *, seed: Any = 1, threads: int | None = None, progress: Any = False, silent: bool = False) -> None:
        line: _Line | None = None
        if progress is True or (progress is None and (in_notebook() or (sys.stderr is not None and sys.stderr.isatty()))):
            line = _Line(progress is True)
            progress = line
        self.line = line
        self.how: dict[str, Any] = {"seed": seed_of(seed), "threads": threads_of(threads)}
        if callable(progress):
            told = progress
            self.how["progress"] = lambda *values: told(Progress(*values)) is True
        if not silent:
            self.how["log"] = _log

    def __enter__(self) -> dict[str, Any]:
        return self.how

    def __exit__(self, *unused: object) -> None:
        if self.line is not None:
            self.line.close()
