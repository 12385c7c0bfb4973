# SPDX-License-Identifier: Apache-2.0
# Written by tools/python-classes from the library's tables; change those, then run it again.
"""A sampler for every resampling method."""

from __future__ import annotations

from typing import Any

from ._base import ScarceSampler, takes_aliases

__all__ = ["RandomUnder", "RandomOver"]


class RandomUnder(ScarceSampler):
    """The resampling method random-under.

    Removes negatives at random until there are `ratio` positives per negative.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    ratio : float, default 1.0
        1e-09 to 1000000000. Positives per negative wanted in the result. Also sampling_strategy.
    replacement : bool, default False
        Draw the negatives with replacement.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "random-under"
    _params = {"ratio": ("ratio", 1.0), "replacement": ("replacement", False)}
    _aliases = {"sampling_strategy": "ratio"}

    @takes_aliases
    def __init__(
        self, *, ratio: float = 1.0, replacement: bool = False, positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.ratio = ratio
        self.replacement = replacement
        self.positive = positive
        self.random_state = random_state


class RandomOver(ScarceSampler):
    """The resampling method random-over.

    Repeats positives at random until there are `ratio` positives per negative.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    ratio : float, default 1.0
        1e-09 to 1000000000. Positives per negative wanted in the result. Also sampling_strategy.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "random-over"
    _params = {"ratio": ("ratio", 1.0)}
    _aliases = {"sampling_strategy": "ratio"}

    @takes_aliases
    def __init__(
        self, *, ratio: float = 1.0, positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.ratio = ratio
        self.positive = positive
        self.random_state = random_state
