# SPDX-License-Identifier: Apache-2.0
"""Writes drift.txt, read by tests/unit/test_online_drift.c.

Needs river (made with 0.26 or later). Run in this folder: python make_drift.py
The streams come from lcg.py; the test makes the same ones. A line per stream and detector: name, number of alarms,
the (0-based) places where the detector alarmed.
"""
from river import drift

from lcg import Lcg

LENGTH = 4000


def stream(c):
    """The same steps, in the same order, as make_stream in the test."""
    r = Lcg(c + 1)
    out = []
    for i in range(LENGTH):
        u = r.below(1000) / 1000
        level = 0.0
        if c == 1 and i >= 2000:
            level = 0.5
        if c == 2:
            level = i / LENGTH
        if c == 3 and i // 800 % 2:
            level = 2.0
        if c == 4:  # rare ones, which become less rare
            u = 1.0 if r.below(1000) < (10 if i < 2500 else 60) else 0.0
        out.append(u + level)
    return out


def alarms(detector, xs):
    out = []
    for i, x in enumerate(xs):
        detector.update(x)
        if detector.drift_detected:
            out.append(i)
    return out


with open("drift.txt", "w", encoding="ascii") as f:
    for c in range(5):
        xs = stream(c)
        for name, detector in (("adwin", drift.ADWIN()), ("page-hinkley", drift.PageHinkley())):
            places = alarms(detector, xs)
            f.write(" ".join([str(c), name, str(len(places))] + [str(i) for i in places]) + "\n")
