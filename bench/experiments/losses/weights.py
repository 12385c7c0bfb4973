#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How each loss weighs the ranks: |gradient| of a row against its rank, on scores of a real set. Standard library only.

weights.py SCARCE DATA WORK OUT.svg

Boosted trees (gb) learn from two thirds of creditcard-subset and score the last third: log-odds. Each loss is then asked
how hard it would pull at each row of that list. All in "positive units": for each loss the pulls at the positives
are scaled to add up to their number, so that what differs is only how they are shared out. Formulas: docs/research/top-of-the-list.md."""
import csv
import math
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import plot  # noqa: E402
from common import read_table, write_table  # noqa: E402


def scores(scarce, data, work):
    """(score, label), highest first, of rows that the trees didn't see."""
    os.makedirs(work, exist_ok=True)
    header, rows = read_table(os.path.join(data, "creditcard-subset.csv.gz"))
    g = random.Random(1)
    rows = g.sample(rows, len(rows))
    cut = len(rows) * 2 // 3
    a, b, m, s = (os.path.join(work, "weights_" + n) for n in ("a.csv", "b.csv", "m.scarce", "s.csv"))
    write_table(a, header, rows[:cut]), write_table(b, header, rows[cut:])
    subprocess.run([scarce, "train", a, "-o", m, "--quiet", "--threads", "1"], check=True)
    subprocess.run([scarce, "score", m, b, "-o", s, "--quiet", "--threads", "1"], check=True)
    with open(s, newline="") as f:
        score = [float(r["score"]) for r in csv.DictReader(f)]
    return sorted(zip(score, (int(r[-1]) for r in rows[cut:])), reverse=True)


def lse(values):
    top = max(values)
    return top + math.log(sum(math.exp(v - top) for v in values))


def sigmoid(v):
    return 1 / (1 + math.exp(-v)) if v >= 0 else math.exp(v) / (1 + math.exp(v))


def logistic(f, y):
    return [sigmoid(v) - t for v, t in zip(f, y)]


def focal(f, y, gamma=2):
    out = []
    for v, t in zip(f, y):
        p = min(max(sigmoid(v if t else -v), 1e-12), 1 - 1e-12)  # of the true class; loss -(1-p)^gamma log p
        d = (1 - p) ** gamma * (gamma * p * math.log(p) - (1 - p))
        out.append(d if t else -d)
    return out


def ap_lb(f, y):
    total, k, w = lse([v for v, t in zip(f, y) if not t]), 0, []
    for v, t in zip(f, y):  # the list is sorted: k is the rank among the positives
        k += t
        p = sigmoid(v + math.log(k) - total) if t else 0.0
        w.append(p * (1 - p))
    return [-a if t else sum(w) * math.exp(v - total) for a, v, t in zip(w, f, y)]


def sgbap(f, y):
    every, positive = lse(f), lse([v for v, t in zip(f, y) if t])
    return [math.exp(v - every) - (math.exp(v - positive) if t else 0.0) for v, t in zip(f, y)]


def rankboost(f, y):
    negative, positive = lse([v for v, t in zip(f, y) if not t]), lse([-v for v, t in zip(f, y) if t])
    return [-math.exp(-v - positive) if t else math.exp(v - negative) for v, t in zip(f, y)]


def sgbap_sig(f, y, alpha=3):
    """AP with sigmoids for steps, by its definition; the derivative by all pairs."""
    n, pos = len(f), [i for i, t in enumerate(y) if t]
    g = [0.0] * n
    for i in pos:
        s = [sigmoid(alpha * (v - f[i])) for v in f]
        a, d = sum(s[j] for j in pos) + 0.5, sum(s) + 0.5
        own = 0.0
        for j in range(n):
            slope = alpha * s[j] * (1 - s[j])
            part = ((d - a) / d ** 2 if y[j] else -a / d ** 2) * slope  # of A/D by f_j
            if j != i:
                g[j] -= part
                own += part
        g[i] += own
    return g


def lambdamart(f, y):
    n = len(f)
    cum, q = [0] * (n + 1), [0.0] * (n + 1)
    for r in range(1, n + 1):
        cum[r], q[r] = cum[r - 1] + y[r - 1], q[r - 1] + (y[r - 1] / r)
    g = [0.0] * n
    for a in range(1, n + 1):
        if not y[a - 1]:
            continue
        for b in range(1, n + 1):
            if y[b - 1]:
                continue
            change = (cum[b] + 1) / b - cum[a] / a + q[a - 1] - q[b] if b < a else cum[a] / a - cum[b] / b + q[b] - q[a]
            pull = sigmoid(f[b - 1] - f[a - 1]) * abs(change)
            g[a - 1] -= pull
            g[b - 1] += pull
    return g


LOSSES = [("logistic", logistic), ("focal", focal), ("ap-lb", ap_lb), ("sgbap", sgbap), ("sgbap-sig", sgbap_sig),
          ("lambdamart-ap", lambdamart), ("rankboost", rankboost)]


def smooth(pulls):
    """Means over ranks in steps of a quarter octave: (middle rank, mean)."""
    out, begin = [], 0
    while begin < len(pulls):
        end = min(len(pulls), max(begin + 1, round((begin + 1) * 2 ** 0.25)))
        out.append(((begin + 1 + end) / 2, sum(pulls[begin:end]) / (end - begin)))
        begin = end
    return out


def main():
    scarce, data, work, out = sys.argv[1:5]
    ranked = scores(scarce, data, work)
    f, y = [a for a, _ in ranked], [t for _, t in ranked]
    positives = sum(y)
    left = plot.Chart(f"Negatives ({len(y) - positives})", "rank among the negatives (1: highest score)",
                      "pull downwards", log_x=True, log_y=True, least=1e-7)
    right = plot.Chart(f"Positives ({positives})", "rank among the positives (1: highest score)", "pull upwards",
                       log_x=True, log_y=True, least=1e-5)
    for name, loss in LOSSES:
        g = loss(f, y)
        unit = positives / sum(-v for v, t in zip(g, y) if t)
        down = sorted(range(len(y)), key=lambda i: -f[i])
        left.line(name, [(a, max(b, 1e-12)) for a, b in smooth([unit * abs(g[i]) for i in down if not y[i]])])
        right.line(name, [(a, max(b, 1e-12)) for a, b in smooth([unit * abs(g[i]) for i in down if y[i]])])
        top = sorted((unit * abs(g[i]) for i in down if not y[i]), reverse=True)
        best = sorted((unit * abs(g[i]) for i in down if y[i]), reverse=True)
        share = lambda v: next(k + 1 for k in range(len(v)) if sum(v[: k + 1]) >= 0.9 * sum(v))
        print(f"{name:14s} 90 % of the pull is on {share(top)} negatives and {share(best)} positives; "
              f"negatives in all {sum(top):.1f}, positives {sum(best):.1f}")
    plot.write(out, [left, right])


main()
