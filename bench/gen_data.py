#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes up a table with rare positives that are hard, but not impossible, to tell.

gen_data.py OUT --rows N [--test N] [--features 40] [--positives 0.002] [--seed 1] [--categories 0] [--drift 0]
    -> OUT_train_X.npy (float32), OUT_train_y.npy (0 or 1), the same for test

Behind each row are 12 hidden normal factors. Of the features five eighths are mixtures of the factors with noise, one
eighth are whole numbers, one eighth have heavy tails, one eighth have 5 % missing values. A positive belongs to one
of 5 clusters, each of which shifts 4 factors, multiplies two fifths of the tails, raises two fifths of the whole
numbers and shifts two fifths of the rest. 12 % of the positives look like negatives, 0.04 % of the negatives look
like positives. The last --categories columns are codes of categories, which know a little about two factors.
With --drift D the clusters wander: over all rows, training and then test, each goes the share D of the way from its
shifts of the factors to other ones, and half of the normal factors' means move by D.
The structure is the same for every seed, the rows are not. Rows are made in blocks, so memory stays small."""
import argparse

import numpy as np

FACTORS, CLUSTERS, BLOCK = 12, 5, 100_000
UNSEEN, LOOKALIKE, MISSING = 0.12, 0.0004, 0.05


class World:
    """What all rows have in common."""

    def __init__(self, features, categories=0):
        draw = np.random.default_rng(20_261)
        numeric = features - categories
        eighth = max(1, numeric // 8)
        self.n_int = self.n_tail = self.n_miss = eighth
        self.n_mix = numeric - 3 * eighth
        self.categories = categories
        # a wide table has more features, not more to know: the mixtures get weaker loadings beyond the first 25
        self.mix = draw.normal(size=(FACTORS, self.n_mix)) * 0.6
        self.mix[:, 25:] *= 0.5
        self.side = draw.normal(size=(FACTORS, eighth)) * 0.35
        self.levels = np.sort(draw.normal(size=(max(categories, 1), 40)), axis=1)
        touched = max(1, 2 * eighth // 5) if eighth < 20 else 4
        self.shift = np.zeros((CLUSTERS, FACTORS))
        self.factor = np.ones((CLUSTERS, eighth))
        self.raise_ = np.zeros((CLUSTERS, eighth))
        self.move = np.zeros((CLUSTERS, eighth))
        for c in range(CLUSTERS):
            self.shift[c, draw.permutation(FACTORS)[:4]] = draw.normal(size=4) * 1.5
            self.factor[c, draw.permutation(eighth)[:touched]] = draw.uniform(1.5, 5)
            self.raise_[c, draw.permutation(eighth)[:touched]] = round(draw.uniform(1, 4))
            self.move[c, draw.permutation(eighth)[:touched]] = draw.normal(size=touched) * 1.5
        other = np.random.default_rng(20_262)
        self.goal = np.zeros((CLUSTERS, FACTORS))
        for c in range(CLUSTERS):
            self.goal[c, other.permutation(FACTORS)[:4]] = other.normal(size=4) * 1.5
        self.wind = other.normal(size=FACTORS) * (np.arange(FACTORS) % 2)

    def rows(self, n, n_positive, draw, gone=0.0):
        """`gone`: the share of the way that the clusters have gone."""
        y = np.zeros(n, np.uint8)
        y[draw.permutation(n)[:n_positive]] = 1
        seen = np.where(y == 1, draw.random(n) >= UNSEEN, draw.random(n) < LOOKALIKE)
        cluster = draw.integers(0, CLUSTERS, n)[seen]
        z = draw.standard_normal((n, FACTORS), np.float32)
        z[seen] = 0.8 * z[seen] + ((1 - gone) * self.shift + gone * self.goal if gone else self.shift)[cluster]
        if gone:
            z += (gone * self.wind).astype(np.float32)
        side = z @ self.side
        parts = [z @ self.mix + 0.5 * draw.standard_normal((n, self.n_mix), np.float32),
                 self.whole_numbers(side, draw), self.tails(side, draw),
                 draw.standard_normal((n, self.n_miss), np.float32) + 0.3 * side]
        parts[1][seen] += self.raise_[cluster]
        parts[2][seen] *= self.factor[cluster]
        parts[3][seen] += self.move[cluster]
        parts[3][draw.random((n, self.n_miss)) < MISSING] = np.nan
        for c in range(self.categories):
            noisy = z[:, c % FACTORS] + draw.standard_normal(n, np.float32)
            parts.append(np.searchsorted(self.levels[c], noisy)[:, None])
        return np.concatenate([p.astype(np.float32) for p in parts], axis=1), y

    @staticmethod
    def whole_numbers(side, draw):
        n, columns = side.shape
        out = np.empty((n, columns))
        for j in range(columns):
            s = side[:, j].clip(-4, 4)
            out[:, j] = (draw.poisson(np.exp(0.5 + 0.5 * s)) if j % 5 == 0 else           # a count
                         np.rint(14 + 5 * draw.normal(size=n) + s) % 24 if j % 5 == 1 else  # an hour
                         np.minimum(draw.geometric(0.02, n), 2000) if j % 5 == 2 else      # a waiting time
                         draw.integers(0, 200, n) if j % 5 == 3 else                       # a number of no use
                         draw.binomial(20, 1 / (1 + np.exp(-s))))                          # a share
        return out

    @staticmethod
    def tails(side, draw):
        n, columns = side.shape
        out = np.empty((n, columns))
        for j in range(columns):
            out[:, j] = (np.exp(3 + 1.5 * draw.normal(size=n)) if j % 5 == 0 else
                         10 * draw.pareto(1.5, n) if j % 5 == 1 else
                         draw.standard_t(1.5, n) if j % 5 == 2 else
                         np.exp(2 * side[:, j].clip(-6, 6) + draw.normal(size=n)) if j % 5 == 3 else
                         draw.exponential(100, n) ** 1.5)
        return out


def make(rows, features=40, positives=0.002, seed=1, part=0, categories=0, way=(0.0, 0.0)):
    """(X, y) with exactly round(rows * positives) positives; `way`: what is gone of the drift at both ends."""
    world = World(features, categories)
    X, y = np.empty((rows, features), np.float32), np.empty(rows, np.uint8)
    for block, begin in enumerate(range(0, rows, BLOCK)):
        end = min(begin + BLOCK, rows)
        k = round(end * positives) - round(begin * positives)
        gone = way[0] + (way[1] - way[0]) * begin / rows
        X[begin:end], y[begin:end] = world.rows(end - begin, k, np.random.default_rng([seed, part, block]), gone)
    return X, y


def save(out, rows, test=0, drift=0.0, **how):
    middle = drift * rows / (rows + test)
    for part, (name, n, way) in enumerate((("train", rows, (0.0, middle)), ("test", test, (middle, drift)))):
        if n:
            X, y = make(n, part=part, way=way, **how)
            np.save(f"{out}_{name}_X.npy", X)
            np.save(f"{out}_{name}_y.npy", y)


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("--rows", type=int, required=True)
    p.add_argument("--test", type=int, default=0)
    p.add_argument("--features", type=int, default=40)
    p.add_argument("--positives", type=float, default=0.002)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--categories", type=int, default=0)
    p.add_argument("--drift", type=float, default=0)
    a = p.parse_args()
    save(a.out, a.rows, a.test, a.drift, features=a.features, positives=a.positives, seed=a.seed,
         categories=a.categories)
