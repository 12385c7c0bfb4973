# SPDX-License-Identifier: Apache-2.0
"""The defaults that the study proposes, as a function of what is known before training (docs/defaults.md)."""

SMALL_ROWS = 10000  # training rows below which random thresholds are worth their many trees


def proposed(rows, positives, features):
    """Settings of `gb` that differ from 100 trees, learning rate 0.1, 31 leaves, lambda 1, leaf cap 2."""
    if rows < SMALL_ROWS:
        return {"splits": "random", "n_trees": 300, "learning_rate": 0.05, "min_child_weight": 0.1}
    return {"min_child_weight": 0.1}
