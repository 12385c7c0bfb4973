# SPDX-License-Identifier: Apache-2.0
# Written by tools/python-classes from the library's tables; change those, then run it again.
"""A sampler for every resampling method."""

from __future__ import annotations

from typing import Any, Literal

from ._base import ScarceSampler, takes_aliases

__all__ = ["RandomUnder", "Tomek", "ENN", "RENN", "AllKNN", "CNN", "NearMiss1", "NearMiss2", "NearMiss3", "OSS", "NCR",
           "RandomOver", "SMOTE", "SMOTENC", "BorderlineSMOTE1", "BorderlineSMOTE2", "SVMSMOTE", "ADASYN", "SMOTEENN",
           "SMOTETomek"]


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


class Tomek(ScarceSampler):
    """The resampling method tomek.

    Removes negatives that are the nearest row of their nearest positive (Tomek links).

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    clean : Literal["negatives", "both"], default 'negatives'
        Which rows may be removed.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "tomek"
    _params = {"clean": ("clean", 'negatives'), "scale": ("scale", 'auto')}
    _aliases = {}

    @takes_aliases
    def __init__(
        self, *, clean: Literal["negatives", "both"] = 'negatives', scale: Literal["auto", "standard", "range", "none"] = 'auto', positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.clean = clean
        self.scale = scale
        self.positive = positive
        self.random_state = random_state


class ENN(ScarceSampler):
    """The resampling method enn.

    Removes negatives that have a positive among their k neighbours (edited nearest neighbours).

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    k : int, default 3
        1 to 1000. Neighbours that are asked. Also n_neighbors.
    kind : Literal["all", "mode"], default 'all'
        A row stays when all its neighbours are of its class, or most of them (mode). Also kind_sel.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    clean : Literal["negatives", "both"], default 'negatives'
        Which rows may be removed.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "enn"
    _params = {"k": ("k", 3), "kind": ("kind", 'all'), "scale": ("scale", 'auto'), "clean": ("clean", 'negatives')}
    _aliases = {"n_neighbors": "k", "kind_sel": "kind"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, kind: Literal["all", "mode"] = 'all', scale: Literal["auto", "standard", "range", "none"] = 'auto',
        clean: Literal["negatives", "both"] = 'negatives', positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.k = k
        self.kind = kind
        self.scale = scale
        self.clean = clean
        self.positive = positive
        self.random_state = random_state


class RENN(ScarceSampler):
    """The resampling method renn.

    Repeats enn until nothing is removed, or fewer negatives than positives are left.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    k : int, default 3
        1 to 1000. Neighbours that are asked. Also n_neighbors.
    kind : Literal["all", "mode"], default 'all'
        A row stays when all its neighbours are of its class, or most of them (mode). Also kind_sel.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    rounds : int, default 100
        1 to 1000000. At most so many times. Also max_iter.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "renn"
    _params = {"k": ("k", 3), "kind": ("kind", 'all'), "scale": ("scale", 'auto'), "rounds": ("rounds", 100)}
    _aliases = {"n_neighbors": "k", "kind_sel": "kind", "max_iter": "rounds"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, kind: Literal["all", "mode"] = 'all', scale: Literal["auto", "standard", "range", "none"] = 'auto',
        rounds: int = 100, positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.k = k
        self.kind = kind
        self.scale = scale
        self.rounds = rounds
        self.positive = positive
        self.random_state = random_state


class AllKNN(ScarceSampler):
    """The resampling method all-knn.

    Applies enn with 1, 2, ..., k neighbours, while there are as many negatives as positives.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    k : int, default 3
        1 to 1000. Neighbours that are asked. Also n_neighbors.
    kind : Literal["all", "mode"], default 'all'
        A row stays when all its neighbours are of its class, or most of them (mode). Also kind_sel.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "all-knn"
    _params = {"k": ("k", 3), "kind": ("kind", 'all'), "scale": ("scale", 'auto')}
    _aliases = {"n_neighbors": "k", "kind_sel": "kind"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, kind: Literal["all", "mode"] = 'all', scale: Literal["auto", "standard", "range", "none"] = 'auto', positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.k = k
        self.kind = kind
        self.scale = scale
        self.positive = positive
        self.random_state = random_state


class CNN(ScarceSampler):
    """The resampling method cnn.

    Keeps negatives that the rows kept before them would take for positives (condensed nearest neighbours).

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    start : int | Literal["auto"], default 'auto'
        0 to 4294967294. Number of the row, from 0, that is the first negative kept; auto: drawn.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "cnn"
    _params = {"start": ("start", 'auto'), "scale": ("scale", 'auto')}
    _aliases = {}

    @takes_aliases
    def __init__(
        self, *, start: int | Literal["auto"] = 'auto', scale: Literal["auto", "standard", "range", "none"] = 'auto', positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.start = start
        self.scale = scale
        self.positive = positive
        self.random_state = random_state


class NearMiss1(ScarceSampler):
    """The resampling method nearmiss-1.

    Keeps the negatives that are nearest to their k nearest positives, `ratio` positives per negative.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    ratio : float, default 1.0
        1e-09 to 1000000000. Positives per negative wanted in the result. Also sampling_strategy.
    k : int, default 3
        1 to 1000. Positives over which the distance is averaged. Also n_neighbors.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "nearmiss-1"
    _params = {"ratio": ("ratio", 1.0), "k": ("k", 3), "scale": ("scale", 'auto')}
    _aliases = {"sampling_strategy": "ratio", "n_neighbors": "k"}

    @takes_aliases
    def __init__(
        self, *, ratio: float = 1.0, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'auto', positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.ratio = ratio
        self.k = k
        self.scale = scale
        self.positive = positive
        self.random_state = random_state


class NearMiss2(ScarceSampler):
    """The resampling method nearmiss-2.

    Keeps the negatives that are nearest to their k farthest positives.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    ratio : float, default 1.0
        1e-09 to 1000000000. Positives per negative wanted in the result. Also sampling_strategy.
    k : int, default 3
        1 to 1000. Positives over which the distance is averaged. Also n_neighbors.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "nearmiss-2"
    _params = {"ratio": ("ratio", 1.0), "k": ("k", 3), "scale": ("scale", 'auto')}
    _aliases = {"sampling_strategy": "ratio", "n_neighbors": "k"}

    @takes_aliases
    def __init__(
        self, *, ratio: float = 1.0, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'auto', positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.ratio = ratio
        self.k = k
        self.scale = scale
        self.positive = positive
        self.random_state = random_state


class NearMiss3(ScarceSampler):
    """The resampling method nearmiss-3.

    Keeps, of the m nearest negatives of each positive, those farthest from their k nearest positives.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    ratio : float, default 1.0
        1e-09 to 1000000000. Positives per negative wanted in the result. Also sampling_strategy.
    k : int, default 3
        1 to 1000. Positives over which the distance is averaged. Also n_neighbors.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    m : int, default 3
        1 to 1000. Nearest negatives of each positive that may stay. Also n_neighbors_ver3.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "nearmiss-3"
    _params = {"ratio": ("ratio", 1.0), "k": ("k", 3), "scale": ("scale", 'auto'), "m": ("m", 3)}
    _aliases = {"sampling_strategy": "ratio", "n_neighbors": "k", "n_neighbors_ver3": "m"}

    @takes_aliases
    def __init__(
        self, *, ratio: float = 1.0, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'auto', m: int = 3, positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.ratio = ratio
        self.k = k
        self.scale = scale
        self.m = m
        self.positive = positive
        self.random_state = random_state


class OSS(ScarceSampler):
    """The resampling method oss.

    Keeps negatives that are nearer to a positive than to one negative, then removes Tomek links (one-sided selection).

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    start : int | Literal["auto"], default 'auto'
        0 to 4294967294. Number of the row, from 0, that is the first negative kept; auto: drawn.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "oss"
    _params = {"start": ("start", 'auto'), "scale": ("scale", 'auto')}
    _aliases = {}

    @takes_aliases
    def __init__(
        self, *, start: int | Literal["auto"] = 'auto', scale: Literal["auto", "standard", "range", "none"] = 'auto', positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.start = start
        self.scale = scale
        self.positive = positive
        self.random_state = random_state


class NCR(ScarceSampler):
    """The resampling method ncr.

    Removes negatives that most neighbours outvote, and negatives around positives that are outvoted (neighbourhood cleaning
    rule).

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    k : int, default 3
        1 to 1000. Neighbours that are asked. Also n_neighbors.
    threshold : float, default 0.5
        0 to 1000000000. Negatives around outvoted positives go only where there are more than so many negatives per
        positive. Also threshold_cleaning.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "ncr"
    _params = {"k": ("k", 3), "threshold": ("threshold", 0.5), "scale": ("scale", 'auto')}
    _aliases = {"n_neighbors": "k", "threshold_cleaning": "threshold"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, threshold: float = 0.5, scale: Literal["auto", "standard", "range", "none"] = 'auto', positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.k = k
        self.threshold = threshold
        self.scale = scale
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


class SMOTE(ScarceSampler):
    """The resampling method smote.

    Makes up positives between a positive and one of its k nearest positives.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    ratio : float, default 1.0
        1e-09 to 1000000000. Positives per negative wanted in the result. Also sampling_strategy.
    k : int, default 5
        1 to 1000. Nearest positives towards which new rows are made. Also k_neighbors, n_neighbors.
    per_feature : bool, default False
        Draw a step for each feature instead of one for the row.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "smote"
    _params = {"ratio": ("ratio", 1.0), "k": ("k", 5), "per_feature": ("per_feature", False), "scale": ("scale", 'auto')}
    _aliases = {"sampling_strategy": "ratio", "k_neighbors": "k", "n_neighbors": "k"}

    @takes_aliases
    def __init__(
        self, *, ratio: float = 1.0, k: int = 5, per_feature: bool = False, scale: Literal["auto", "standard", "range", "none"] = 'auto', positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.ratio = ratio
        self.k = k
        self.per_feature = per_feature
        self.scale = scale
        self.positive = positive
        self.random_state = random_state


class SMOTENC(ScarceSampler):
    """The resampling method smote-nc.

    SMOTE for categories: one that differs counts the median of the positives' standard deviations, and new rows get the
    category of most neighbours.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    ratio : float, default 1.0
        1e-09 to 1000000000. Positives per negative wanted in the result. Also sampling_strategy.
    k : int, default 5
        1 to 1000. Nearest positives towards which new rows are made. Also k_neighbors, n_neighbors.
    per_feature : bool, default False
        Draw a step for each feature instead of one for the row.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "smote-nc"
    _params = {"ratio": ("ratio", 1.0), "k": ("k", 5), "per_feature": ("per_feature", False), "scale": ("scale", 'auto')}
    _aliases = {"sampling_strategy": "ratio", "k_neighbors": "k", "n_neighbors": "k"}

    @takes_aliases
    def __init__(
        self, *, ratio: float = 1.0, k: int = 5, per_feature: bool = False, scale: Literal["auto", "standard", "range", "none"] = 'auto', positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.ratio = ratio
        self.k = k
        self.per_feature = per_feature
        self.scale = scale
        self.positive = positive
        self.random_state = random_state


class BorderlineSMOTE1(ScarceSampler):
    """The resampling method borderline-smote-1.

    SMOTE from positives that have about as many negatives as positives around them.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    ratio : float, default 1.0
        1e-09 to 1000000000. Positives per negative wanted in the result. Also sampling_strategy.
    k : int, default 5
        1 to 1000. Nearest positives towards which new rows are made. Also k_neighbors, n_neighbors.
    per_feature : bool, default False
        Draw a step for each feature instead of one for the row.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    m : int, default 10
        1 to 1000. Nearest rows that decide whether a positive is in danger: at least half of them negative, but not all.
        Also m_neighbors.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "borderline-smote-1"
    _params = {"ratio": ("ratio", 1.0), "k": ("k", 5), "per_feature": ("per_feature", False), "scale": ("scale", 'auto'), "m": ("m",
        10)}
    _aliases = {"sampling_strategy": "ratio", "k_neighbors": "k", "n_neighbors": "k", "m_neighbors": "m"}

    @takes_aliases
    def __init__(
        self, *, ratio: float = 1.0, k: int = 5, per_feature: bool = False, scale: Literal["auto", "standard", "range", "none"] = 'auto',
        m: int = 10, positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.ratio = ratio
        self.k = k
        self.per_feature = per_feature
        self.scale = scale
        self.m = m
        self.positive = positive
        self.random_state = random_state


class BorderlineSMOTE2(ScarceSampler):
    """The resampling method borderline-smote-2.

    The same as borderline-smote-1, but also towards negatives, half as far at most.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    ratio : float, default 1.0
        1e-09 to 1000000000. Positives per negative wanted in the result. Also sampling_strategy.
    k : int, default 5
        1 to 1000. Nearest positives towards which new rows are made. Also k_neighbors, n_neighbors.
    per_feature : bool, default False
        Draw a step for each feature instead of one for the row.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    m : int, default 10
        1 to 1000. Nearest rows that decide whether a positive is in danger: at least half of them negative, but not all.
        Also m_neighbors.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "borderline-smote-2"
    _params = {"ratio": ("ratio", 1.0), "k": ("k", 5), "per_feature": ("per_feature", False), "scale": ("scale", 'auto'), "m": ("m",
        10)}
    _aliases = {"sampling_strategy": "ratio", "k_neighbors": "k", "n_neighbors": "k", "m_neighbors": "m"}

    @takes_aliases
    def __init__(
        self, *, ratio: float = 1.0, k: int = 5, per_feature: bool = False, scale: Literal["auto", "standard", "range", "none"] = 'auto',
        m: int = 10, positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.ratio = ratio
        self.k = k
        self.per_feature = per_feature
        self.scale = scale
        self.m = m
        self.positive = positive
        self.random_state = random_state


class SVMSMOTE(ScarceSampler):
    """The resampling method svm-smote.

    SMOTE from positives that are support vectors of a linear or RBF SVM, outwards where they are safe.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    ratio : float, default 1.0
        1e-09 to 1000000000. Positives per negative wanted in the result. Also sampling_strategy.
    k : int, default 5
        1 to 1000. Nearest positives towards which new rows are made. Also k_neighbors, n_neighbors.
    per_feature : bool, default False
        Draw a step for each feature instead of one for the row.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    m : int, default 10
        1 to 1000. Nearest rows that decide whether a positive is in danger: at least half of them negative, but not all.
        Also m_neighbors.
    kernel : Literal["linear", "rbf"], default 'linear'
        The machine whose support vectors are used: linear, on all rows; rbf: exp(-gamma distance^2), on the positives and
        the negatives nearest to them, 4000 rows at most.
    c : float, default 1.0
        1e-06 to 1000000. What a row inside the margin costs. Only with kernel=rbf. Also C.
    gamma : float | Literal["auto"], default 'auto'
        1e-09 to 1000000000. How fast the kernel falls with distance. auto: 1 by the number of features. Only with
        kernel=rbf.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "svm-smote"
    _params = {"ratio": ("ratio", 1.0), "k": ("k", 5), "per_feature": ("per_feature", False), "scale": ("scale", 'auto'), "m": ("m",
        10), "kernel": ("kernel", 'linear'), "c": ("c", 1.0), "gamma": ("gamma", 'auto')}
    _aliases = {"sampling_strategy": "ratio", "k_neighbors": "k", "n_neighbors": "k", "m_neighbors": "m", "C": "c"}

    @takes_aliases
    def __init__(
        self, *, ratio: float = 1.0, k: int = 5, per_feature: bool = False, scale: Literal["auto", "standard", "range", "none"] = 'auto',
        m: int = 10, kernel: Literal["linear", "rbf"] = 'linear', c: float = 1.0, gamma: float | Literal["auto"] = 'auto', positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.ratio = ratio
        self.k = k
        self.per_feature = per_feature
        self.scale = scale
        self.m = m
        self.kernel = kernel
        self.c = c
        self.gamma = gamma
        self.positive = positive
        self.random_state = random_state


class ADASYN(ScarceSampler):
    """The resampling method adasyn.

    SMOTE that makes more rows where a positive has more negatives around it.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    ratio : float, default 1.0
        1e-09 to 1000000000. Positives per negative wanted in the result. Also sampling_strategy.
    k : int, default 5
        1 to 1000. Nearest positives towards which new rows are made. Also k_neighbors, n_neighbors.
    per_feature : bool, default False
        Draw a step for each feature instead of one for the row.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "adasyn"
    _params = {"ratio": ("ratio", 1.0), "k": ("k", 5), "per_feature": ("per_feature", False), "scale": ("scale", 'auto')}
    _aliases = {"sampling_strategy": "ratio", "k_neighbors": "k", "n_neighbors": "k"}

    @takes_aliases
    def __init__(
        self, *, ratio: float = 1.0, k: int = 5, per_feature: bool = False, scale: Literal["auto", "standard", "range", "none"] = 'auto', positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.ratio = ratio
        self.k = k
        self.per_feature = per_feature
        self.scale = scale
        self.positive = positive
        self.random_state = random_state


class SMOTEENN(ScarceSampler):
    """The resampling method smote-enn.

    SMOTE, then enn on both classes of the result.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    ratio : float, default 1.0
        1e-09 to 1000000000. Positives per negative wanted in the result. Also sampling_strategy.
    k : int, default 5
        1 to 1000. Nearest positives towards which new rows are made. Also k_neighbors, n_neighbors.
    per_feature : bool, default False
        Draw a step for each feature instead of one for the row.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    enn_k : int, default 3
        1 to 1000. Neighbours that are asked when cleaning.
    kind : Literal["all", "mode"], default 'all'
        A row stays when all its neighbours are of its class, or most of them (mode). Also kind_sel.
    clean : Literal["negatives", "both"], default 'both'
        Which rows may be removed.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "smote-enn"
    _params = {"ratio": ("ratio", 1.0), "k": ("k", 5), "per_feature": ("per_feature", False), "scale": ("scale", 'auto'), "enn_k":
        ("enn_k", 3), "kind": ("kind", 'all'), "clean": ("clean", 'both')}
    _aliases = {"sampling_strategy": "ratio", "k_neighbors": "k", "n_neighbors": "k", "kind_sel": "kind"}

    @takes_aliases
    def __init__(
        self, *, ratio: float = 1.0, k: int = 5, per_feature: bool = False, scale: Literal["auto", "standard", "range", "none"] = 'auto',
        enn_k: int = 3, kind: Literal["all", "mode"] = 'all', clean: Literal["negatives", "both"] = 'both', positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.ratio = ratio
        self.k = k
        self.per_feature = per_feature
        self.scale = scale
        self.enn_k = enn_k
        self.kind = kind
        self.clean = clean
        self.positive = positive
        self.random_state = random_state


class SMOTETomek(ScarceSampler):
    """The resampling method smote-tomek.

    SMOTE, then both rows of every Tomek link of the result are removed.

    `fit_resample(X, y)` gives the kinds of objects that came in. Only training rows should be resampled.

    Parameters
    ----------
    ratio : float, default 1.0
        1e-09 to 1000000000. Positives per negative wanted in the result. Also sampling_strategy.
    k : int, default 5
        1 to 1000. Nearest positives towards which new rows are made. Also k_neighbors, n_neighbors.
    per_feature : bool, default False
        Draw a step for each feature instead of one for the row.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        How numbers are made comparable in distances: by their standard deviation, by their range, not at all; auto:
        standard, or range where there are categories or missing values.
    clean : Literal["negatives", "both"], default 'both'
        Which rows may be removed.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    random_state : int, RandomState or None
        The seed. None: 1.
    """

    _method = "smote-tomek"
    _params = {"ratio": ("ratio", 1.0), "k": ("k", 5), "per_feature": ("per_feature", False), "scale": ("scale", 'auto'), "clean":
        ("clean", 'both')}
    _aliases = {"sampling_strategy": "ratio", "k_neighbors": "k", "n_neighbors": "k"}

    @takes_aliases
    def __init__(
        self, *, ratio: float = 1.0, k: int = 5, per_feature: bool = False, scale: Literal["auto", "standard", "range", "none"] = 'auto',
        clean: Literal["negatives", "both"] = 'both', positive: Any = None, random_state: Any = 1,
    ) -> None:
        self.ratio = ratio
        self.k = k
        self.per_feature = per_feature
        self.scale = scale
        self.clean = clean
        self.positive = positive
        self.random_state = random_state
