# SPDX-License-Identifier: Apache-2.0
"""A support vector machine as a forest, for kinds.py: trees of random cuts (Mondrian trees: Balog, Lakshminarayanan, Ghahramani, Roy, Teh:
The Mondrian kernel, UAI 2016), two rows are as alike as the share of trees in which they are in one leaf (about exp(-life |x - x'|_1)), and the
values of the leaves are the weights of the machine, by dual coordinate descent (Hsieh et al.: A dual coordinate descent method for large-scale
linear SVM, ICML 2008). The score is a plain sum of leaves."""
import numpy as np
from extra import part
from numba import njit


@njit(cache=True)
def cut(x, life, feature, threshold, left):
    """One tree over all rows of x: a cut after a time of rate (sum of ranges), of a feature by its range, anywhere in it; until `life`."""
    n, p = x.shape
    rows, buf = np.arange(n), np.empty(n, np.int64)
    stack, clock = np.empty((2 * n + 8, 3), np.int64), np.empty(2 * n + 8)
    stack[0] = (0, n, 0)
    clock[0] = 0.0
    top, nodes = 1, 1
    low, high = np.empty(p), np.empty(p)
    while top > 0:
        top -= 1
        a, b, node = stack[top]
        feature[node] = -1
        if b - a < 2:
            continue
        total = 0.0
        for f in range(p):
            low[f] = high[f] = x[rows[a], f]
        for i in range(a + 1, b):
            for f in range(p):
                v = x[rows[i], f]
                if v < low[f]: low[f] = v
                if v > high[f]: high[f] = v
        for f in range(p):
            total += high[f] - low[f]
        if not total > 0:
            continue
        t = clock[top] - np.log(1 - np.random.random()) / total
        if t > life:
            continue
        at, f = np.random.random() * total, 0
        while f < p - 1 and at >= high[f] - low[f]:
            at -= high[f] - low[f]
            f += 1
        c = low[f] + (high[f] - low[f]) * np.random.random()
        if c >= high[f]: c = low[f]
        m = part(x, rows, buf, a, b, f, c)
        if m == a or m == b:
            continue
        feature[node], threshold[node], left[node] = f, c, nodes
        stack[top] = (a, m, nodes)
        stack[top + 1] = (m, b, nodes + 1)
        clock[top], clock[top + 1] = t, t
        top += 2
        nodes += 2
    return nodes


@njit(cache=True)
def leaves(x, xb, trees, life, seed):
    """Leaf numbers of the rows of x and xb in each tree, numbered through all trees."""
    np.random.seed(seed)
    n = len(x)
    la, lb = np.empty((n, trees), np.int64), np.empty((len(xb), trees), np.int64)
    feature, threshold, left = np.empty(2 * n + 8, np.int64), np.empty(2 * n + 8), np.empty(2 * n + 8, np.int64)
    base = 0
    for t in range(trees):
        m = cut(x, life, feature, threshold, left)
        for which in range(2):
            data = x if which == 0 else xb
            for r in range(len(data)):
                at = 0
                while feature[at] >= 0:
                    at = left[at] + (0 if data[r, feature[at]] <= threshold[at] else 1)
                if which == 0: la[r, t] = base + at
                else: lb[r, t] = base + at
        base += m
    return la, lb, base


@njit(cache=True)
def hinge(la, y, size, cost, epochs, seed):
    """Leaf values of the machine with hinge loss, a bias of its own (as a leaf that all rows share)."""
    n, trees = la.shape
    np.random.seed(seed)
    w, bias, alpha = np.zeros(size), 0.0, np.zeros(n)
    order = np.arange(n)
    share, own = 1.0 / trees, 1.0
    for e in range(epochs):
        np.random.shuffle(order)
        worst = 0.0
        for k in range(n):
            i = order[k]
            s = 1.0 if y[i] else -1.0
            f = bias
            for t in range(trees):
                f += w[la[i, t]]
            g = s * f - 1.0
            new = alpha[i] - g / (1.0 + own)
            new = 0.0 if new < 0 else cost if new > cost else new
            d = new - alpha[i]
            if d != 0:
                alpha[i] = new
                bias += s * d * own
                for t in range(trees):
                    w[la[i, t]] += s * d * share
                if abs(d) > worst: worst = abs(d)
        if worst < 0.01 * cost:
            break
    return w, bias


@njit(cache=True)
def total(lb, w, bias):
    out = np.full(len(lb), bias)
    for r in range(len(lb)):
        for t in range(lb.shape[1]):
            out[r] += w[lb[r, t]]
    return out
