# SPDX-License-Identifier: Apache-2.0
# Written by tools/python-classes from the library's tables; change those, then run it again.
"""An estimator for every method."""

from __future__ import annotations

from typing import Any, Literal

from ._base import ScarceClassifier, takes_aliases
from ._base_online import OnlineClassifier

Column = str | int | None
Columns = Any

__all__ = ["GBClassifier", "FocalClassifier", "StGrBoostClassifier", "BalStGrBoostClassifier", "AdaBoostClassifier",
           "RUSBoostClassifier", "SMOTEBoostClassifier", "AdaC1Classifier", "AdaC2Classifier", "AdaC3Classifier",
           "AdaCostClassifier", "LogitBoostClassifier", "NLBClassifier", "APLBClassifier", "SGBAPClassifier",
           "SGBAPSigClassifier", "LambdaMARTAPClassifier", "RankBoostClassifier", "RandomForestClassifier",
           "BalancedRandomForestClassifier", "CARTClassifier", "TreeRankClassifier", "MetaAPClassifier",
           "TreeRankForestClassifier", "MetaAPForestClassifier", "DSStGrBoostClassifier", "StEnsembleClassifier",
           "EasyEnsembleClassifier", "BalanceCascadeClassifier", "BagClassifier", "LogisticClassifier", "LinearSVMClassifier",
           "KNNClassifier", "WKNNClassifier", "CWKNNClassifier", "DupKNNClassifier", "KRNNClassifier", "GammaKNNClassifier",
           "LocalGammaKNNClassifier", "MLFPClassifier", "GMMLClassifier", "ITMLClassifier", "LMNNClassifier", "ImbMLClassifier",
           "ONLBClassifier", "OnlineBBMClassifier", "AdaBoostOLClassifier", "AdaBoostOLWClassifier", "OGBClassifier",
           "StreamBoostClassifier", "MLPClassifier", "OnlineNetClassifier", "OnlineLinearClassifier", "OnlineTreeClassifier",
           "IMLClassifier"]


class GBClassifier(ScarceClassifier):
    """The method gb (boosting).

    Gradient-boosted trees with logistic loss, safe at rare positives: leaf values are capped, so that from a low prior no
    leaf jumps by tens of logits. The first choice for tables. Gives probabilities.

    From: Friedman: Greedy function approximation, Annals of Statistics 29 (2001); Chen and Guestrin: XGBoost, KDD 2016.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float | Literal["auto"], default 'auto'
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int | Literal["auto"], default 'auto'
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 0.1
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    reg_lambda : float, default 1.0
        0 to 1000000000000. L2 penalty on leaf values. Also lambda, lambda_l2, l2_regularization.
    alpha : float, default 0.0
        0 to 1000000000000. L1 penalty on leaf values. Also reg_alpha, lambda_l1.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    max_delta_step : float, default 2.0
        0 to 1000000000000. Largest leaf value before the learning rate (0: no limit). At rare positives the most
        important of all: see docs/research/defaults.md. Also max_leaf_output.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'auto'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    loss : Literal["logistic", "exponential", "squared", "focal", "ap-lb", "sgbap", "sgbap-sig", "lambdamart-ap", "rankboost", "adaboost", "adac1", "adac2", "adac3", "adacost", "logitboost"], default 'logistic'
        What is minimised; ap-lb to rankboost look at the whole list and rank only (no probabilities); with adaboost to
        adacost trees vote. Also objective.
    loss_gamma : float, default 1.0
        0.01 to 100. The score is 1/loss_gamma of the log-odds. Only with loss=logistic.
    list_alpha : float | Literal["auto"], default 'auto'
        0.001 to 100. Factor on the scores inside the loss. auto: 1, with sgbap-sig 3. Only with
        loss=ap-lb|sgbap|sgbap-sig. Also list_scale.
    beta : float, default 1.0
        0 to 1. 1 is the paper, 0 the cross-entropy of a softmax over the list. Only with loss=sgbap.
    leaf : Literal["newton", "mean"], default 'newton'
        Leaf values by Newton's step (bounded by 1), or the mean of the gradients as in the paper. Only with loss=sgbap.
    exact : bool, default False
        All pairs of a positive and another row, however many. Only with loss=sgbap-sig|lambdamart-ap.
    classic : bool, default False
        The algorithm as published. rankboost: stumps, each with its own step 1/2 log((1+r)/(1-r)). adac1 to adac3: trees
        are grown on weights without the costs. adacost: steps from its bound. The last four then end at the first tree
        whose votes cost more than they save. Only with loss=rankboost|adac1|adac2|adac3|adacost.
    focal_gamma : float, default 2.0
        0 to 20. How little easy rows count (0: logistic). Only with loss=focal.
    votes : Literal["sign", "shares"], default 'sign'
        A leaf votes for the class that weighs more, or by how much more (AdaBoost.M2). Only with loss=adaboost.
    z_max : float | Literal["auto"], default 'auto'
        0 to 1000000000. Bound on the working response (0: none, then there are probabilities). auto: 4, the paper's, or
        rows per positive where that is more. Only with loss=logitboost.
    sample : Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"], default 'auto'
        Which rows a tree sees: all of them; the share `subsample`, also by class (uniform, stratified); all positives and
        as many negatives (balanced), or negatives so that positives are the share `ratio`; the largest gradients and some
        of the others (goss); the share `subsample` by the size of their gradients (mvs); all positives and neg_per_pos
        negatives for each, drawn by how much they matter (importance); all rows and made_per_pos positives made up
        between each and its neighbours (smote). auto: importance from 50,000 rows on with 200 positives or more, when
        that takes at most a tenth of the negatives; with subsample below 1 stratified below 5 % positives, else uniform;
        else all.
    subsample : float, default 1.0
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    draw : Literal["number", "coin"], default 'number'
        Take exactly that share of the rows, or each row by a coin of its own. Only with sample=uniform|stratified.
    ratio : float, default 0.5
        1e-06 to 0.999999. Share of positives wanted. Only with sample=ratio.
    reweigh : bool, default True
        Weigh the negatives so that sums stay those of all rows (keeps probabilities right). Only with
        sample=balanced|ratio.
    top_rate : float, default 0.2
        0 to 1. Share of the rows kept for their gradient. Only with sample=goss.
    other_rate : float, default 0.1
        0 to 1. Share of the rows drawn from the rest. Only with sample=goss.
    mvs_lambda : float, default 0.1
        0 to 1000000000000. Rows are drawn by sqrt(g^2 + mvs_lambda h^2). Only with sample=mvs. Also mvs_reg.
    neg_per_pos : float, default 5.0
        0.1 to 1000000. Negatives per positive. Only with sample=auto|importance.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    pool : float, default 50.0
        0 to 1000000. Negatives per positive that are drawn first, kept together, and drawn anew now and then (0: none).
        Only with sample=auto|importance.
    max_probability : float | Literal["auto"], default 'auto'
        1e-09 to 1. No negative is surer to be drawn than this. auto: 0.2, or 1 below 1000 positives. Only with
        sample=auto|importance.
    made_per_pos : float, default 1.0
        1e-06 to 1000000. Positives made up for each positive and sample, between it and one of its k_neighbors nearest
        positives. Only with sample=smote.
    k_neighbors : int, default 5
        1 to 1000. Nearest positives towards which rows are made up. Only with sample=smote. Also k, n_neighbors.
    scale : float | Literal["auto"], default 'auto'
        0.001 to 1000. What the trees together are multiplied by at the end. auto: 1; where rows held out choose the
        number of trees and there are no validation rows, what makes the probabilities of held-out rows right, as far as
        few positives can tell. Only with loss=logistic.
    shift : float | Literal["auto"], default 'auto'
        -100 to 100. What is added to all scores at the end. auto: 0, or as `scale`. Only with loss=logistic.
    voices : Literal["one", "auto", "several"], default 'auto'
        Several: the model is a sum of several kinds (trees with random thresholds, large trees with random and with the
        best ones, very small trees, a linear model), with the weights that held-out rows give them, or those that suit
        most tables where rows can't tell or n_trees is given. With a time column, spans of time are held out. one: one
        kind. auto: several below 10,000 rows, and below 200,000 with at most 800 rows of the rarer class, unless a
        setting of the trees is given or rows are sampled; else one. Only with loss=logistic.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "gb"
    _family = "boosting"
    _params = {"n_trees": ("n_trees", 'auto'), "learning_rate": ("learning_rate", 'auto'), "max_leaves": ("max_leaves", 'auto'),
        "max_depth": ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight":
        ("min_child_weight", 0.1), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0),
        "reg_lambda": ("lambda", 1.0), "alpha": ("alpha", 0.0), "gamma": ("gamma", 0.0), "max_delta_step": ("max_delta_step",
        2.0), "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'auto'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "loss": ("loss", 'logistic'), "loss_gamma": ("loss_gamma", 1.0), "list_alpha": ("list_alpha",
        'auto'), "beta": ("beta", 1.0), "leaf": ("leaf", 'newton'), "exact": ("exact", False), "classic": ("classic", False),
        "focal_gamma": ("focal_gamma", 2.0), "votes": ("votes", 'sign'), "z_max": ("z_max", 'auto'), "sample": ("sample", 'auto'),
        "subsample": ("subsample", 1.0), "draw": ("draw", 'number'), "ratio": ("ratio", 0.5), "reweigh": ("reweigh", True),
        "top_rate": ("top_rate", 0.2), "other_rate": ("other_rate", 0.1), "mvs_lambda": ("mvs_lambda", 0.1), "neg_per_pos":
        ("neg_per_pos", 5.0), "refresh": ("refresh", 'auto'), "pool": ("pool", 50.0), "max_probability": ("max_probability",
        'auto'), "made_per_pos": ("made_per_pos", 1.0), "k_neighbors": ("k_neighbors", 5), "scale": ("scale", 'auto'), "shift":
        ("shift", 'auto'), "voices": ("voices", 'auto')}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "lambda": "reg_lambda", "lambda_l2": "reg_lambda",
        "l2_regularization": "reg_lambda", "reg_alpha": "alpha", "lambda_l1": "alpha", "min_split_loss": "gamma",
        "min_gain_to_split": "gamma", "max_leaf_output": "max_delta_step", "colsample_bytree": "colsample", "feature_fraction":
        "colsample", "colsample_bynode": "colsample_node", "feature_fraction_bynode": "colsample_node", "scale_pos_weight":
        "pos_weight", "cost_fn": "miss_cost", "cost_fp": "alarm_cost", "min_data_per_group": "min_category_rows",
        "monotone_constraints": "monotone", "interaction_constraints": "interactions", "metric_freq": "eval_every", "objective":
        "loss", "list_scale": "list_alpha", "bagging_fraction": "subsample", "mvs_reg": "mvs_lambda", "k": "k_neighbors",
        "n_neighbors": "k_neighbors"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int | Literal["auto"] = 'auto', learning_rate: float | Literal["auto"] = 'auto',
        max_leaves: int | Literal["auto"] = 'auto', max_depth: int = 0, growth: Literal["best", "level"] = 'best',
        max_bins: int = 255, min_child_weight: float = 0.1, min_child_rows: int = 1, min_child_positives: int = 0,
        reg_lambda: float = 1.0, alpha: float = 0.0, gamma: float = 0.0, max_delta_step: float = 2.0, colsample: float = 1.0,
        colsample_node: float | Literal["auto"] = 'auto', pos_weight: float = 1.0, miss_cost: float = 1.0,
        alarm_cost: float = 1.0, splits: Literal["auto", "best", "random"] = 'auto', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto',
        loss: Literal["logistic", "exponential", "squared", "focal", "ap-lb", "sgbap", "sgbap-sig", "lambdamart-ap", "rankboost", "adaboost", "adac1", "adac2", "adac3", "adacost", "logitboost"] = 'logistic',
        loss_gamma: float = 1.0, list_alpha: float | Literal["auto"] = 'auto', beta: float = 1.0,
        leaf: Literal["newton", "mean"] = 'newton', exact: bool = False, classic: bool = False, focal_gamma: float = 2.0,
        votes: Literal["sign", "shares"] = 'sign', z_max: float | Literal["auto"] = 'auto',
        sample: Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"] = 'auto',
        subsample: float = 1.0, draw: Literal["number", "coin"] = 'number', ratio: float = 0.5, reweigh: bool = True,
        top_rate: float = 0.2, other_rate: float = 0.1, mvs_lambda: float = 0.1, neg_per_pos: float = 5.0,
        refresh: int | Literal["auto"] = 'auto', pool: float = 50.0, max_probability: float | Literal["auto"] = 'auto',
        made_per_pos: float = 1.0, k_neighbors: int = 5, scale: float | Literal["auto"] = 'auto',
        shift: float | Literal["auto"] = 'auto', voices: Literal["one", "auto", "several"] = 'auto',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.reg_lambda = reg_lambda
        self.alpha = alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.loss = loss
        self.loss_gamma = loss_gamma
        self.list_alpha = list_alpha
        self.beta = beta
        self.leaf = leaf
        self.exact = exact
        self.classic = classic
        self.focal_gamma = focal_gamma
        self.votes = votes
        self.z_max = z_max
        self.sample = sample
        self.subsample = subsample
        self.draw = draw
        self.ratio = ratio
        self.reweigh = reweigh
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.mvs_lambda = mvs_lambda
        self.neg_per_pos = neg_per_pos
        self.refresh = refresh
        self.pool = pool
        self.max_probability = max_probability
        self.made_per_pos = made_per_pos
        self.k_neighbors = k_neighbors
        self.scale = scale
        self.shift = shift
        self.voices = voices
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class FocalClassifier(ScarceClassifier):
    """The method focal (boosting).

    Boosted trees with focal loss: rows that are already right count less. Not ahead of gb in our measurements. Ranks only:
    for probabilities add calibrate='platt' with validation rows.

    From: Lin, Goyal, Girshick, He and Dollar: Focal loss for dense object detection, ICCV 2017.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float | Literal["auto"], default 'auto'
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int | Literal["auto"], default 'auto'
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 0.1
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    reg_lambda : float, default 1.0
        0 to 1000000000000. L2 penalty on leaf values. Also lambda, lambda_l2, l2_regularization.
    alpha : float, default 0.0
        0 to 1000000000000. L1 penalty on leaf values. Also reg_alpha, lambda_l1.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    max_delta_step : float, default 2.0
        0 to 1000000000000. Largest leaf value before the learning rate (0: no limit). At rare positives the most
        important of all: see docs/research/defaults.md. Also max_leaf_output.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'auto'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    focal_gamma : float, default 2.0
        0 to 20. How little easy rows count (0: logistic). Only with loss=focal.
    sample : Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"], default 'auto'
        Which rows a tree sees: all of them; the share `subsample`, also by class (uniform, stratified); all positives and
        as many negatives (balanced), or negatives so that positives are the share `ratio`; the largest gradients and some
        of the others (goss); the share `subsample` by the size of their gradients (mvs); all positives and neg_per_pos
        negatives for each, drawn by how much they matter (importance); all rows and made_per_pos positives made up
        between each and its neighbours (smote). auto: importance from 50,000 rows on with 200 positives or more, when
        that takes at most a tenth of the negatives; with subsample below 1 stratified below 5 % positives, else uniform;
        else all.
    subsample : float, default 1.0
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    draw : Literal["number", "coin"], default 'number'
        Take exactly that share of the rows, or each row by a coin of its own. Only with sample=uniform|stratified.
    ratio : float, default 0.5
        1e-06 to 0.999999. Share of positives wanted. Only with sample=ratio.
    reweigh : bool, default True
        Weigh the negatives so that sums stay those of all rows (keeps probabilities right). Only with
        sample=balanced|ratio.
    top_rate : float, default 0.2
        0 to 1. Share of the rows kept for their gradient. Only with sample=goss.
    other_rate : float, default 0.1
        0 to 1. Share of the rows drawn from the rest. Only with sample=goss.
    mvs_lambda : float, default 0.1
        0 to 1000000000000. Rows are drawn by sqrt(g^2 + mvs_lambda h^2). Only with sample=mvs. Also mvs_reg.
    neg_per_pos : float, default 5.0
        0.1 to 1000000. Negatives per positive. Only with sample=auto|importance.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    pool : float, default 50.0
        0 to 1000000. Negatives per positive that are drawn first, kept together, and drawn anew now and then (0: none).
        Only with sample=auto|importance.
    max_probability : float | Literal["auto"], default 'auto'
        1e-09 to 1. No negative is surer to be drawn than this. auto: 0.2, or 1 below 1000 positives. Only with
        sample=auto|importance.
    made_per_pos : float, default 1.0
        1e-06 to 1000000. Positives made up for each positive and sample, between it and one of its k_neighbors nearest
        positives. Only with sample=smote.
    k_neighbors : int, default 5
        1 to 1000. Nearest positives towards which rows are made up. Only with sample=smote. Also k, n_neighbors.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "focal"
    _family = "boosting"
    _params = {"n_trees": ("n_trees", 'auto'), "learning_rate": ("learning_rate", 'auto'), "max_leaves": ("max_leaves", 'auto'),
        "max_depth": ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight":
        ("min_child_weight", 0.1), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0),
        "reg_lambda": ("lambda", 1.0), "alpha": ("alpha", 0.0), "gamma": ("gamma", 0.0), "max_delta_step": ("max_delta_step",
        2.0), "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'auto'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "focal_gamma": ("focal_gamma", 2.0), "sample": ("sample", 'auto'), "subsample": ("subsample",
        1.0), "draw": ("draw", 'number'), "ratio": ("ratio", 0.5), "reweigh": ("reweigh", True), "top_rate": ("top_rate", 0.2),
        "other_rate": ("other_rate", 0.1), "mvs_lambda": ("mvs_lambda", 0.1), "neg_per_pos": ("neg_per_pos", 5.0), "refresh":
        ("refresh", 'auto'), "pool": ("pool", 50.0), "max_probability": ("max_probability", 'auto'), "made_per_pos":
        ("made_per_pos", 1.0), "k_neighbors": ("k_neighbors", 5)}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "lambda": "reg_lambda", "lambda_l2": "reg_lambda",
        "l2_regularization": "reg_lambda", "reg_alpha": "alpha", "lambda_l1": "alpha", "min_split_loss": "gamma",
        "min_gain_to_split": "gamma", "max_leaf_output": "max_delta_step", "colsample_bytree": "colsample", "feature_fraction":
        "colsample", "colsample_bynode": "colsample_node", "feature_fraction_bynode": "colsample_node", "scale_pos_weight":
        "pos_weight", "cost_fn": "miss_cost", "cost_fp": "alarm_cost", "min_data_per_group": "min_category_rows",
        "monotone_constraints": "monotone", "interaction_constraints": "interactions", "metric_freq": "eval_every",
        "bagging_fraction": "subsample", "mvs_reg": "mvs_lambda", "k": "k_neighbors", "n_neighbors": "k_neighbors"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int | Literal["auto"] = 'auto', learning_rate: float | Literal["auto"] = 'auto',
        max_leaves: int | Literal["auto"] = 'auto', max_depth: int = 0, growth: Literal["best", "level"] = 'best',
        max_bins: int = 255, min_child_weight: float = 0.1, min_child_rows: int = 1, min_child_positives: int = 0,
        reg_lambda: float = 1.0, alpha: float = 0.0, gamma: float = 0.0, max_delta_step: float = 2.0, colsample: float = 1.0,
        colsample_node: float | Literal["auto"] = 'auto', pos_weight: float = 1.0, miss_cost: float = 1.0,
        alarm_cost: float = 1.0, splits: Literal["auto", "best", "random"] = 'auto', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', focal_gamma: float = 2.0,
        sample: Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"] = 'auto',
        subsample: float = 1.0, draw: Literal["number", "coin"] = 'number', ratio: float = 0.5, reweigh: bool = True,
        top_rate: float = 0.2, other_rate: float = 0.1, mvs_lambda: float = 0.1, neg_per_pos: float = 5.0,
        refresh: int | Literal["auto"] = 'auto', pool: float = 50.0, max_probability: float | Literal["auto"] = 'auto',
        made_per_pos: float = 1.0, k_neighbors: int = 5,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.reg_lambda = reg_lambda
        self.alpha = alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.focal_gamma = focal_gamma
        self.sample = sample
        self.subsample = subsample
        self.draw = draw
        self.ratio = ratio
        self.reweigh = reweigh
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.mvs_lambda = mvs_lambda
        self.neg_per_pos = neg_per_pos
        self.refresh = refresh
        self.pool = pool
        self.max_probability = max_probability
        self.made_per_pos = made_per_pos
        self.k_neighbors = k_neighbors
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class StGrBoostClassifier(ScarceClassifier):
    """The method st-grboost (boosting).

    Stochastic gradient boosting of stumps as in studies of tax fraud: every tree sees each row with probability 1/2, the
    score is half the log-odds. The baseline of balanced boosting. Gives probabilities.

    From: Friedman: Stochastic gradient boosting, Computational Statistics & Data Analysis 38 (2002).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 500
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float, default 0.1
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int | Literal["auto"], default 'auto'
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 1
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 1.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    reg_lambda : float, default 1e-16
        0 to 1000000000000. L2 penalty on leaf values. Also lambda, lambda_l2, l2_regularization.
    alpha : float, default 0.0
        0 to 1000000000000. L1 penalty on leaf values. Also reg_alpha, lambda_l1.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    max_delta_step : float, default 1.0
        0 to 1000000000000. Largest leaf value before the learning rate (0: no limit). At rare positives the most
        important of all: see docs/research/defaults.md. Also max_leaf_output.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'best'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    subsample : float, default 0.5
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    scale : float | Literal["auto"], default 'auto'
        0.001 to 1000. What the trees together are multiplied by at the end. auto: 1; where rows held out choose the
        number of trees and there are no validation rows, what makes the probabilities of held-out rows right, as far as
        few positives can tell. Only with loss=logistic.
    shift : float | Literal["auto"], default 'auto'
        -100 to 100. What is added to all scores at the end. auto: 0, or as `scale`. Only with loss=logistic.
    voices : Literal["one", "auto", "several"], default 'auto'
        Several: the model is a sum of several kinds (trees with random thresholds, large trees with random and with the
        best ones, very small trees, a linear model), with the weights that held-out rows give them, or those that suit
        most tables where rows can't tell or n_trees is given. With a time column, spans of time are held out. one: one
        kind. auto: several below 10,000 rows, and below 200,000 with at most 800 rows of the rarer class, unless a
        setting of the trees is given or rows are sampled; else one. Only with loss=logistic.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "st-grboost"
    _family = "boosting"
    _params = {"n_trees": ("n_trees", 500), "learning_rate": ("learning_rate", 0.1), "max_leaves": ("max_leaves", 'auto'), "max_depth":
        ("max_depth", 1), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight": ("min_child_weight",
        1.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0), "reg_lambda": ("lambda",
        1e-16), "alpha": ("alpha", 0.0), "gamma": ("gamma", 0.0), "max_delta_step": ("max_delta_step", 1.0), "colsample":
        ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0), "miss_cost":
        ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'best'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "subsample": ("subsample", 0.5), "refresh": ("refresh", 'auto'), "scale": ("scale", 'auto'),
        "shift": ("shift", 'auto'), "voices": ("voices", 'auto')}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "lambda": "reg_lambda", "lambda_l2": "reg_lambda",
        "l2_regularization": "reg_lambda", "reg_alpha": "alpha", "lambda_l1": "alpha", "min_split_loss": "gamma",
        "min_gain_to_split": "gamma", "max_leaf_output": "max_delta_step", "colsample_bytree": "colsample", "feature_fraction":
        "colsample", "colsample_bynode": "colsample_node", "feature_fraction_bynode": "colsample_node", "scale_pos_weight":
        "pos_weight", "cost_fn": "miss_cost", "cost_fp": "alarm_cost", "min_data_per_group": "min_category_rows",
        "monotone_constraints": "monotone", "interaction_constraints": "interactions", "metric_freq": "eval_every",
        "bagging_fraction": "subsample"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 500, learning_rate: float = 0.1, max_leaves: int | Literal["auto"] = 'auto', max_depth: int = 1,
        growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 1.0, min_child_rows: int = 1,
        min_child_positives: int = 0, reg_lambda: float = 1e-16, alpha: float = 0.0, gamma: float = 0.0,
        max_delta_step: float = 1.0, colsample: float = 1.0, colsample_node: float | Literal["auto"] = 'auto',
        pos_weight: float = 1.0, miss_cost: float = 1.0, alarm_cost: float = 1.0,
        splits: Literal["auto", "best", "random"] = 'best', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', subsample: float = 0.5, refresh: int | Literal["auto"] = 'auto',
        scale: float | Literal["auto"] = 'auto', shift: float | Literal["auto"] = 'auto',
        voices: Literal["one", "auto", "several"] = 'auto',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.reg_lambda = reg_lambda
        self.alpha = alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.subsample = subsample
        self.refresh = refresh
        self.scale = scale
        self.shift = shift
        self.voices = voices
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class BalStGrBoostClassifier(ScarceClassifier):
    """The method bal-st-grboost (boosting).

    St-grboost on balanced samples: every tree sees all positives and as many negatives, drawn anew. Finds more positives at
    the threshold 0 than st-grboost, ranks no better. Its odds are changed by no known factor: for probabilities add
    calibrate='platt' with validation rows.

    From: after Friedman: Stochastic gradient boosting, Computational Statistics & Data Analysis 38 (2002), with undersampling
    at each tree.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 500
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float, default 0.1
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int | Literal["auto"], default 'auto'
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 1
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 1.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    reg_lambda : float, default 1e-16
        0 to 1000000000000. L2 penalty on leaf values. Also lambda, lambda_l2, l2_regularization.
    alpha : float, default 0.0
        0 to 1000000000000. L1 penalty on leaf values. Also reg_alpha, lambda_l1.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    max_delta_step : float, default 1.0
        0 to 1000000000000. Largest leaf value before the learning rate (0: no limit). At rare positives the most
        important of all: see docs/research/defaults.md. Also max_leaf_output.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'best'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    scale : float | Literal["auto"], default 'auto'
        0.001 to 1000. What the trees together are multiplied by at the end. auto: 1; where rows held out choose the
        number of trees and there are no validation rows, what makes the probabilities of held-out rows right, as far as
        few positives can tell. Only with loss=logistic.
    shift : float | Literal["auto"], default 'auto'
        -100 to 100. What is added to all scores at the end. auto: 0, or as `scale`. Only with loss=logistic.
    voices : Literal["one", "auto", "several"], default 'auto'
        Several: the model is a sum of several kinds (trees with random thresholds, large trees with random and with the
        best ones, very small trees, a linear model), with the weights that held-out rows give them, or those that suit
        most tables where rows can't tell or n_trees is given. With a time column, spans of time are held out. one: one
        kind. auto: several below 10,000 rows, and below 200,000 with at most 800 rows of the rarer class, unless a
        setting of the trees is given or rows are sampled; else one. Only with loss=logistic.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "bal-st-grboost"
    _family = "boosting"
    _params = {"n_trees": ("n_trees", 500), "learning_rate": ("learning_rate", 0.1), "max_leaves": ("max_leaves", 'auto'), "max_depth":
        ("max_depth", 1), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight": ("min_child_weight",
        1.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0), "reg_lambda": ("lambda",
        1e-16), "alpha": ("alpha", 0.0), "gamma": ("gamma", 0.0), "max_delta_step": ("max_delta_step", 1.0), "colsample":
        ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0), "miss_cost":
        ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'best'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "refresh": ("refresh", 'auto'), "scale": ("scale", 'auto'), "shift": ("shift", 'auto'), "voices":
        ("voices", 'auto')}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "lambda": "reg_lambda", "lambda_l2": "reg_lambda",
        "l2_regularization": "reg_lambda", "reg_alpha": "alpha", "lambda_l1": "alpha", "min_split_loss": "gamma",
        "min_gain_to_split": "gamma", "max_leaf_output": "max_delta_step", "colsample_bytree": "colsample", "feature_fraction":
        "colsample", "colsample_bynode": "colsample_node", "feature_fraction_bynode": "colsample_node", "scale_pos_weight":
        "pos_weight", "cost_fn": "miss_cost", "cost_fp": "alarm_cost", "min_data_per_group": "min_category_rows",
        "monotone_constraints": "monotone", "interaction_constraints": "interactions", "metric_freq": "eval_every"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 500, learning_rate: float = 0.1, max_leaves: int | Literal["auto"] = 'auto', max_depth: int = 1,
        growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 1.0, min_child_rows: int = 1,
        min_child_positives: int = 0, reg_lambda: float = 1e-16, alpha: float = 0.0, gamma: float = 0.0,
        max_delta_step: float = 1.0, colsample: float = 1.0, colsample_node: float | Literal["auto"] = 'auto',
        pos_weight: float = 1.0, miss_cost: float = 1.0, alarm_cost: float = 1.0,
        splits: Literal["auto", "best", "random"] = 'best', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', refresh: int | Literal["auto"] = 'auto',
        scale: float | Literal["auto"] = 'auto', shift: float | Literal["auto"] = 'auto',
        voices: Literal["one", "auto", "several"] = 'auto',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.reg_lambda = reg_lambda
        self.alpha = alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.refresh = refresh
        self.scale = scale
        self.shift = shift
        self.voices = voices
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AdaBoostClassifier(ScarceClassifier):
    """The method adaboost (boosting).

    Discrete AdaBoost: trees (by default stumps) vote, and rows that were outvoted count more in the next. The ancestor of gb,
    and the inner learner of easy-ensemble; gb ranks better in our measurements. Gives probabilities, too extreme ones after
    many trees.

    From: Freund and Schapire: A decision-theoretic generalization of on-line learning and an application to boosting, JCSS 55
    (1997).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 100
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float, default 1.0
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int, default 2
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 0.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'best'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    votes : Literal["sign", "shares"], default 'sign'
        A leaf votes for the class that weighs more, or by how much more (AdaBoost.M2). Only with loss=adaboost.
    sample : Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"], default 'auto'
        Which rows a tree sees: all of them; the share `subsample`, also by class (uniform, stratified); all positives and
        as many negatives (balanced), or negatives so that positives are the share `ratio`; the largest gradients and some
        of the others (goss); the share `subsample` by the size of their gradients (mvs); all positives and neg_per_pos
        negatives for each, drawn by how much they matter (importance); all rows and made_per_pos positives made up
        between each and its neighbours (smote). auto: importance from 50,000 rows on with 200 positives or more, when
        that takes at most a tenth of the negatives; with subsample below 1 stratified below 5 % positives, else uniform;
        else all.
    subsample : float, default 1.0
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    draw : Literal["number", "coin"], default 'number'
        Take exactly that share of the rows, or each row by a coin of its own. Only with sample=uniform|stratified.
    ratio : float, default 0.5
        1e-06 to 0.999999. Share of positives wanted. Only with sample=ratio.
    reweigh : bool, default True
        Weigh the negatives so that sums stay those of all rows (keeps probabilities right). Only with
        sample=balanced|ratio.
    top_rate : float, default 0.2
        0 to 1. Share of the rows kept for their gradient. Only with sample=goss.
    other_rate : float, default 0.1
        0 to 1. Share of the rows drawn from the rest. Only with sample=goss.
    mvs_lambda : float, default 0.1
        0 to 1000000000000. Rows are drawn by sqrt(g^2 + mvs_lambda h^2). Only with sample=mvs. Also mvs_reg.
    neg_per_pos : float, default 5.0
        0.1 to 1000000. Negatives per positive. Only with sample=auto|importance.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    pool : float, default 50.0
        0 to 1000000. Negatives per positive that are drawn first, kept together, and drawn anew now and then (0: none).
        Only with sample=auto|importance.
    max_probability : float | Literal["auto"], default 'auto'
        1e-09 to 1. No negative is surer to be drawn than this. auto: 0.2, or 1 below 1000 positives. Only with
        sample=auto|importance.
    made_per_pos : float, default 1.0
        1e-06 to 1000000. Positives made up for each positive and sample, between it and one of its k_neighbors nearest
        positives. Only with sample=smote.
    k_neighbors : int, default 5
        1 to 1000. Nearest positives towards which rows are made up. Only with sample=smote. Also k, n_neighbors.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "adaboost"
    _family = "boosting"
    _params = {"n_trees": ("n_trees", 100), "learning_rate": ("learning_rate", 1.0), "max_leaves": ("max_leaves", 2), "max_depth":
        ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight": ("min_child_weight",
        0.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0), "gamma": ("gamma", 0.0),
        "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'best'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "votes": ("votes", 'sign'), "sample": ("sample", 'auto'), "subsample": ("subsample", 1.0), "draw":
        ("draw", 'number'), "ratio": ("ratio", 0.5), "reweigh": ("reweigh", True), "top_rate": ("top_rate", 0.2), "other_rate":
        ("other_rate", 0.1), "mvs_lambda": ("mvs_lambda", 0.1), "neg_per_pos": ("neg_per_pos", 5.0), "refresh": ("refresh",
        'auto'), "pool": ("pool", 50.0), "max_probability": ("max_probability", 'auto'), "made_per_pos": ("made_per_pos", 1.0),
        "k_neighbors": ("k_neighbors", 5)}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "min_split_loss": "gamma", "min_gain_to_split": "gamma",
        "colsample_bytree": "colsample", "feature_fraction": "colsample", "colsample_bynode": "colsample_node",
        "feature_fraction_bynode": "colsample_node", "scale_pos_weight": "pos_weight", "cost_fn": "miss_cost", "cost_fp":
        "alarm_cost", "min_data_per_group": "min_category_rows", "monotone_constraints": "monotone", "interaction_constraints":
        "interactions", "metric_freq": "eval_every", "bagging_fraction": "subsample", "mvs_reg": "mvs_lambda", "k": "k_neighbors",
        "n_neighbors": "k_neighbors"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 100, learning_rate: float = 1.0, max_leaves: int = 2, max_depth: int = 0,
        growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 0.0, min_child_rows: int = 1,
        min_child_positives: int = 0, gamma: float = 0.0, colsample: float = 1.0,
        colsample_node: float | Literal["auto"] = 'auto', pos_weight: float = 1.0, miss_cost: float = 1.0,
        alarm_cost: float = 1.0, splits: Literal["auto", "best", "random"] = 'best', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', votes: Literal["sign", "shares"] = 'sign',
        sample: Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"] = 'auto',
        subsample: float = 1.0, draw: Literal["number", "coin"] = 'number', ratio: float = 0.5, reweigh: bool = True,
        top_rate: float = 0.2, other_rate: float = 0.1, mvs_lambda: float = 0.1, neg_per_pos: float = 5.0,
        refresh: int | Literal["auto"] = 'auto', pool: float = 50.0, max_probability: float | Literal["auto"] = 'auto',
        made_per_pos: float = 1.0, k_neighbors: int = 5,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.gamma = gamma
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.votes = votes
        self.sample = sample
        self.subsample = subsample
        self.draw = draw
        self.ratio = ratio
        self.reweigh = reweigh
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.mvs_lambda = mvs_lambda
        self.neg_per_pos = neg_per_pos
        self.refresh = refresh
        self.pool = pool
        self.max_probability = max_probability
        self.made_per_pos = made_per_pos
        self.k_neighbors = k_neighbors
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class RUSBoostClassifier(ScarceClassifier):
    """The method rusboost (boosting).

    AdaBoost.M2 in which every tree sees all positives and as many negatives as make them the share `ratio`, drawn anew: cheap
    on large tables, since a tree costs what its sample does. Its odds are changed by no known factor.

    From: Seiffert, Khoshgoftaar, Van Hulse and Napolitano: RUSBoost: a hybrid approach to alleviating class imbalance, IEEE
    Transactions on Systems, Man, and Cybernetics A 40 (2010).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 100
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float, default 1.0
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int, default 2
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 0.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'best'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    votes : Literal["sign", "shares"], default 'shares'
        A leaf votes for the class that weighs more, or by how much more (AdaBoost.M2). Only with loss=adaboost.
    ratio : float, default 0.5
        1e-06 to 0.999999. Share of positives wanted. Only with sample=ratio.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "rusboost"
    _family = "boosting"
    _params = {"n_trees": ("n_trees", 100), "learning_rate": ("learning_rate", 1.0), "max_leaves": ("max_leaves", 2), "max_depth":
        ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight": ("min_child_weight",
        0.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0), "gamma": ("gamma", 0.0),
        "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'best'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "votes": ("votes", 'shares'), "ratio": ("ratio", 0.5), "refresh": ("refresh", 'auto')}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "min_split_loss": "gamma", "min_gain_to_split": "gamma",
        "colsample_bytree": "colsample", "feature_fraction": "colsample", "colsample_bynode": "colsample_node",
        "feature_fraction_bynode": "colsample_node", "scale_pos_weight": "pos_weight", "cost_fn": "miss_cost", "cost_fp":
        "alarm_cost", "min_data_per_group": "min_category_rows", "monotone_constraints": "monotone", "interaction_constraints":
        "interactions", "metric_freq": "eval_every"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 100, learning_rate: float = 1.0, max_leaves: int = 2, max_depth: int = 0,
        growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 0.0, min_child_rows: int = 1,
        min_child_positives: int = 0, gamma: float = 0.0, colsample: float = 1.0,
        colsample_node: float | Literal["auto"] = 'auto', pos_weight: float = 1.0, miss_cost: float = 1.0,
        alarm_cost: float = 1.0, splits: Literal["auto", "best", "random"] = 'best', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', votes: Literal["sign", "shares"] = 'shares', ratio: float = 0.5,
        refresh: int | Literal["auto"] = 'auto',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.gamma = gamma
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.votes = votes
        self.ratio = ratio
        self.refresh = refresh
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SMOTEBoostClassifier(ScarceClassifier):
    """The method smoteboost (boosting).

    AdaBoost.M2 in which every tree sees all rows and positives made up for it by SMOTE. Slower than adaboost; its odds can't
    be put right by a formula.

    From: Chawla, Lazarevic, Hall and Bowyer: SMOTEBoost: improving prediction of the minority class in boosting, PKDD 2003.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 100
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float, default 1.0
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int, default 2
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 0.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'best'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    votes : Literal["sign", "shares"], default 'shares'
        A leaf votes for the class that weighs more, or by how much more (AdaBoost.M2). Only with loss=adaboost.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    made_per_pos : float, default 1.0
        1e-06 to 1000000. Positives made up for each positive and sample, between it and one of its k_neighbors nearest
        positives. Only with sample=smote.
    k_neighbors : int, default 5
        1 to 1000. Nearest positives towards which rows are made up. Only with sample=smote. Also k, n_neighbors.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "smoteboost"
    _family = "boosting"
    _params = {"n_trees": ("n_trees", 100), "learning_rate": ("learning_rate", 1.0), "max_leaves": ("max_leaves", 2), "max_depth":
        ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight": ("min_child_weight",
        0.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0), "gamma": ("gamma", 0.0),
        "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'best'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "votes": ("votes", 'shares'), "refresh": ("refresh", 'auto'), "made_per_pos": ("made_per_pos",
        1.0), "k_neighbors": ("k_neighbors", 5)}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "min_split_loss": "gamma", "min_gain_to_split": "gamma",
        "colsample_bytree": "colsample", "feature_fraction": "colsample", "colsample_bynode": "colsample_node",
        "feature_fraction_bynode": "colsample_node", "scale_pos_weight": "pos_weight", "cost_fn": "miss_cost", "cost_fp":
        "alarm_cost", "min_data_per_group": "min_category_rows", "monotone_constraints": "monotone", "interaction_constraints":
        "interactions", "metric_freq": "eval_every", "k": "k_neighbors", "n_neighbors": "k_neighbors"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 100, learning_rate: float = 1.0, max_leaves: int = 2, max_depth: int = 0,
        growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 0.0, min_child_rows: int = 1,
        min_child_positives: int = 0, gamma: float = 0.0, colsample: float = 1.0,
        colsample_node: float | Literal["auto"] = 'auto', pos_weight: float = 1.0, miss_cost: float = 1.0,
        alarm_cost: float = 1.0, splits: Literal["auto", "best", "random"] = 'best', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', votes: Literal["sign", "shares"] = 'shares',
        refresh: int | Literal["auto"] = 'auto', made_per_pos: float = 1.0, k_neighbors: int = 5,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.gamma = gamma
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.votes = votes
        self.refresh = refresh
        self.made_per_pos = made_per_pos
        self.k_neighbors = k_neighbors
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AdaC1Classifier(ScarceClassifier):
    """The method adac1 (boosting).

    AdaBoost with the cost of an error inside the exponent: a dear row gains weight faster when it is wrong. The gentlest of
    the three. Ranks only.

    From: Sun, Kamel, Wong and Wang: Cost-sensitive boosting for classification of imbalanced data, Pattern Recognition 40
    (2007).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 100
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float, default 1.0
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int, default 2
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 0.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 0.5
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'best'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    classic : bool, default False
        The algorithm as published. rankboost: stumps, each with its own step 1/2 log((1+r)/(1-r)). adac1 to adac3: trees
        are grown on weights without the costs. adacost: steps from its bound. The last four then end at the first tree
        whose votes cost more than they save. Only with loss=rankboost|adac1|adac2|adac3|adacost.
    sample : Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"], default 'auto'
        Which rows a tree sees: all of them; the share `subsample`, also by class (uniform, stratified); all positives and
        as many negatives (balanced), or negatives so that positives are the share `ratio`; the largest gradients and some
        of the others (goss); the share `subsample` by the size of their gradients (mvs); all positives and neg_per_pos
        negatives for each, drawn by how much they matter (importance); all rows and made_per_pos positives made up
        between each and its neighbours (smote). auto: importance from 50,000 rows on with 200 positives or more, when
        that takes at most a tenth of the negatives; with subsample below 1 stratified below 5 % positives, else uniform;
        else all.
    subsample : float, default 1.0
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    draw : Literal["number", "coin"], default 'number'
        Take exactly that share of the rows, or each row by a coin of its own. Only with sample=uniform|stratified.
    ratio : float, default 0.5
        1e-06 to 0.999999. Share of positives wanted. Only with sample=ratio.
    reweigh : bool, default True
        Weigh the negatives so that sums stay those of all rows (keeps probabilities right). Only with
        sample=balanced|ratio.
    top_rate : float, default 0.2
        0 to 1. Share of the rows kept for their gradient. Only with sample=goss.
    other_rate : float, default 0.1
        0 to 1. Share of the rows drawn from the rest. Only with sample=goss.
    mvs_lambda : float, default 0.1
        0 to 1000000000000. Rows are drawn by sqrt(g^2 + mvs_lambda h^2). Only with sample=mvs. Also mvs_reg.
    neg_per_pos : float, default 5.0
        0.1 to 1000000. Negatives per positive. Only with sample=auto|importance.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    pool : float, default 50.0
        0 to 1000000. Negatives per positive that are drawn first, kept together, and drawn anew now and then (0: none).
        Only with sample=auto|importance.
    max_probability : float | Literal["auto"], default 'auto'
        1e-09 to 1. No negative is surer to be drawn than this. auto: 0.2, or 1 below 1000 positives. Only with
        sample=auto|importance.
    made_per_pos : float, default 1.0
        1e-06 to 1000000. Positives made up for each positive and sample, between it and one of its k_neighbors nearest
        positives. Only with sample=smote.
    k_neighbors : int, default 5
        1 to 1000. Nearest positives towards which rows are made up. Only with sample=smote. Also k, n_neighbors.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "adac1"
    _family = "boosting"
    _params = {"n_trees": ("n_trees", 100), "learning_rate": ("learning_rate", 1.0), "max_leaves": ("max_leaves", 2), "max_depth":
        ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight": ("min_child_weight",
        0.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0), "gamma": ("gamma", 0.0),
        "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 0.5), "splits": ("splits", 'best'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "classic": ("classic", False), "sample": ("sample", 'auto'), "subsample": ("subsample", 1.0),
        "draw": ("draw", 'number'), "ratio": ("ratio", 0.5), "reweigh": ("reweigh", True), "top_rate": ("top_rate", 0.2),
        "other_rate": ("other_rate", 0.1), "mvs_lambda": ("mvs_lambda", 0.1), "neg_per_pos": ("neg_per_pos", 5.0), "refresh":
        ("refresh", 'auto'), "pool": ("pool", 50.0), "max_probability": ("max_probability", 'auto'), "made_per_pos":
        ("made_per_pos", 1.0), "k_neighbors": ("k_neighbors", 5)}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "min_split_loss": "gamma", "min_gain_to_split": "gamma",
        "colsample_bytree": "colsample", "feature_fraction": "colsample", "colsample_bynode": "colsample_node",
        "feature_fraction_bynode": "colsample_node", "scale_pos_weight": "pos_weight", "cost_fn": "miss_cost", "cost_fp":
        "alarm_cost", "min_data_per_group": "min_category_rows", "monotone_constraints": "monotone", "interaction_constraints":
        "interactions", "metric_freq": "eval_every", "bagging_fraction": "subsample", "mvs_reg": "mvs_lambda", "k": "k_neighbors",
        "n_neighbors": "k_neighbors"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 100, learning_rate: float = 1.0, max_leaves: int = 2, max_depth: int = 0,
        growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 0.0, min_child_rows: int = 1,
        min_child_positives: int = 0, gamma: float = 0.0, colsample: float = 1.0,
        colsample_node: float | Literal["auto"] = 'auto', pos_weight: float = 1.0, miss_cost: float = 1.0,
        alarm_cost: float = 0.5, splits: Literal["auto", "best", "random"] = 'best', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', classic: bool = False,
        sample: Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"] = 'auto',
        subsample: float = 1.0, draw: Literal["number", "coin"] = 'number', ratio: float = 0.5, reweigh: bool = True,
        top_rate: float = 0.2, other_rate: float = 0.1, mvs_lambda: float = 0.1, neg_per_pos: float = 5.0,
        refresh: int | Literal["auto"] = 'auto', pool: float = 50.0, max_probability: float | Literal["auto"] = 'auto',
        made_per_pos: float = 1.0, k_neighbors: int = 5,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.gamma = gamma
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.classic = classic
        self.sample = sample
        self.subsample = subsample
        self.draw = draw
        self.ratio = ratio
        self.reweigh = reweigh
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.mvs_lambda = mvs_lambda
        self.neg_per_pos = neg_per_pos
        self.refresh = refresh
        self.pool = pool
        self.max_probability = max_probability
        self.made_per_pos = made_per_pos
        self.k_neighbors = k_neighbors
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AdaC2Classifier(ScarceClassifier):
    """The method adac2 (boosting).

    AdaBoost with the cost of an error as a factor in every round: after t trees a row has C^t of its weight, so costs must be
    near each other or trees few. Ranks only.

    From: Sun, Kamel, Wong and Wang: Cost-sensitive boosting for classification of imbalanced data, Pattern Recognition 40
    (2007).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 100
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float, default 1.0
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int, default 2
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 0.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 0.9
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'best'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    classic : bool, default False
        The algorithm as published. rankboost: stumps, each with its own step 1/2 log((1+r)/(1-r)). adac1 to adac3: trees
        are grown on weights without the costs. adacost: steps from its bound. The last four then end at the first tree
        whose votes cost more than they save. Only with loss=rankboost|adac1|adac2|adac3|adacost.
    sample : Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"], default 'auto'
        Which rows a tree sees: all of them; the share `subsample`, also by class (uniform, stratified); all positives and
        as many negatives (balanced), or negatives so that positives are the share `ratio`; the largest gradients and some
        of the others (goss); the share `subsample` by the size of their gradients (mvs); all positives and neg_per_pos
        negatives for each, drawn by how much they matter (importance); all rows and made_per_pos positives made up
        between each and its neighbours (smote). auto: importance from 50,000 rows on with 200 positives or more, when
        that takes at most a tenth of the negatives; with subsample below 1 stratified below 5 % positives, else uniform;
        else all.
    subsample : float, default 1.0
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    draw : Literal["number", "coin"], default 'number'
        Take exactly that share of the rows, or each row by a coin of its own. Only with sample=uniform|stratified.
    ratio : float, default 0.5
        1e-06 to 0.999999. Share of positives wanted. Only with sample=ratio.
    reweigh : bool, default True
        Weigh the negatives so that sums stay those of all rows (keeps probabilities right). Only with
        sample=balanced|ratio.
    top_rate : float, default 0.2
        0 to 1. Share of the rows kept for their gradient. Only with sample=goss.
    other_rate : float, default 0.1
        0 to 1. Share of the rows drawn from the rest. Only with sample=goss.
    mvs_lambda : float, default 0.1
        0 to 1000000000000. Rows are drawn by sqrt(g^2 + mvs_lambda h^2). Only with sample=mvs. Also mvs_reg.
    neg_per_pos : float, default 5.0
        0.1 to 1000000. Negatives per positive. Only with sample=auto|importance.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    pool : float, default 50.0
        0 to 1000000. Negatives per positive that are drawn first, kept together, and drawn anew now and then (0: none).
        Only with sample=auto|importance.
    max_probability : float | Literal["auto"], default 'auto'
        1e-09 to 1. No negative is surer to be drawn than this. auto: 0.2, or 1 below 1000 positives. Only with
        sample=auto|importance.
    made_per_pos : float, default 1.0
        1e-06 to 1000000. Positives made up for each positive and sample, between it and one of its k_neighbors nearest
        positives. Only with sample=smote.
    k_neighbors : int, default 5
        1 to 1000. Nearest positives towards which rows are made up. Only with sample=smote. Also k, n_neighbors.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "adac2"
    _family = "boosting"
    _params = {"n_trees": ("n_trees", 100), "learning_rate": ("learning_rate", 1.0), "max_leaves": ("max_leaves", 2), "max_depth":
        ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight": ("min_child_weight",
        0.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0), "gamma": ("gamma", 0.0),
        "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 0.9), "splits": ("splits", 'best'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "classic": ("classic", False), "sample": ("sample", 'auto'), "subsample": ("subsample", 1.0),
        "draw": ("draw", 'number'), "ratio": ("ratio", 0.5), "reweigh": ("reweigh", True), "top_rate": ("top_rate", 0.2),
        "other_rate": ("other_rate", 0.1), "mvs_lambda": ("mvs_lambda", 0.1), "neg_per_pos": ("neg_per_pos", 5.0), "refresh":
        ("refresh", 'auto'), "pool": ("pool", 50.0), "max_probability": ("max_probability", 'auto'), "made_per_pos":
        ("made_per_pos", 1.0), "k_neighbors": ("k_neighbors", 5)}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "min_split_loss": "gamma", "min_gain_to_split": "gamma",
        "colsample_bytree": "colsample", "feature_fraction": "colsample", "colsample_bynode": "colsample_node",
        "feature_fraction_bynode": "colsample_node", "scale_pos_weight": "pos_weight", "cost_fn": "miss_cost", "cost_fp":
        "alarm_cost", "min_data_per_group": "min_category_rows", "monotone_constraints": "monotone", "interaction_constraints":
        "interactions", "metric_freq": "eval_every", "bagging_fraction": "subsample", "mvs_reg": "mvs_lambda", "k": "k_neighbors",
        "n_neighbors": "k_neighbors"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 100, learning_rate: float = 1.0, max_leaves: int = 2, max_depth: int = 0,
        growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 0.0, min_child_rows: int = 1,
        min_child_positives: int = 0, gamma: float = 0.0, colsample: float = 1.0,
        colsample_node: float | Literal["auto"] = 'auto', pos_weight: float = 1.0, miss_cost: float = 1.0,
        alarm_cost: float = 0.9, splits: Literal["auto", "best", "random"] = 'best', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', classic: bool = False,
        sample: Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"] = 'auto',
        subsample: float = 1.0, draw: Literal["number", "coin"] = 'number', ratio: float = 0.5, reweigh: bool = True,
        top_rate: float = 0.2, other_rate: float = 0.1, mvs_lambda: float = 0.1, neg_per_pos: float = 5.0,
        refresh: int | Literal["auto"] = 'auto', pool: float = 50.0, max_probability: float | Literal["auto"] = 'auto',
        made_per_pos: float = 1.0, k_neighbors: int = 5,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.gamma = gamma
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.classic = classic
        self.sample = sample
        self.subsample = subsample
        self.draw = draw
        self.ratio = ratio
        self.reweigh = reweigh
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.mvs_lambda = mvs_lambda
        self.neg_per_pos = neg_per_pos
        self.refresh = refresh
        self.pool = pool
        self.max_probability = max_probability
        self.made_per_pos = made_per_pos
        self.k_neighbors = k_neighbors
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AdaC3Classifier(ScarceClassifier):
    """The method adac3 (boosting).

    AdaBoost with the cost of an error in both places, inside the exponent and as a factor in every round. Ranks only.

    From: Sun, Kamel, Wong and Wang: Cost-sensitive boosting for classification of imbalanced data, Pattern Recognition 40
    (2007).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 100
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float, default 1.0
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int, default 2
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 0.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 0.9
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'best'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    classic : bool, default False
        The algorithm as published. rankboost: stumps, each with its own step 1/2 log((1+r)/(1-r)). adac1 to adac3: trees
        are grown on weights without the costs. adacost: steps from its bound. The last four then end at the first tree
        whose votes cost more than they save. Only with loss=rankboost|adac1|adac2|adac3|adacost.
    sample : Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"], default 'auto'
        Which rows a tree sees: all of them; the share `subsample`, also by class (uniform, stratified); all positives and
        as many negatives (balanced), or negatives so that positives are the share `ratio`; the largest gradients and some
        of the others (goss); the share `subsample` by the size of their gradients (mvs); all positives and neg_per_pos
        negatives for each, drawn by how much they matter (importance); all rows and made_per_pos positives made up
        between each and its neighbours (smote). auto: importance from 50,000 rows on with 200 positives or more, when
        that takes at most a tenth of the negatives; with subsample below 1 stratified below 5 % positives, else uniform;
        else all.
    subsample : float, default 1.0
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    draw : Literal["number", "coin"], default 'number'
        Take exactly that share of the rows, or each row by a coin of its own. Only with sample=uniform|stratified.
    ratio : float, default 0.5
        1e-06 to 0.999999. Share of positives wanted. Only with sample=ratio.
    reweigh : bool, default True
        Weigh the negatives so that sums stay those of all rows (keeps probabilities right). Only with
        sample=balanced|ratio.
    top_rate : float, default 0.2
        0 to 1. Share of the rows kept for their gradient. Only with sample=goss.
    other_rate : float, default 0.1
        0 to 1. Share of the rows drawn from the rest. Only with sample=goss.
    mvs_lambda : float, default 0.1
        0 to 1000000000000. Rows are drawn by sqrt(g^2 + mvs_lambda h^2). Only with sample=mvs. Also mvs_reg.
    neg_per_pos : float, default 5.0
        0.1 to 1000000. Negatives per positive. Only with sample=auto|importance.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    pool : float, default 50.0
        0 to 1000000. Negatives per positive that are drawn first, kept together, and drawn anew now and then (0: none).
        Only with sample=auto|importance.
    max_probability : float | Literal["auto"], default 'auto'
        1e-09 to 1. No negative is surer to be drawn than this. auto: 0.2, or 1 below 1000 positives. Only with
        sample=auto|importance.
    made_per_pos : float, default 1.0
        1e-06 to 1000000. Positives made up for each positive and sample, between it and one of its k_neighbors nearest
        positives. Only with sample=smote.
    k_neighbors : int, default 5
        1 to 1000. Nearest positives towards which rows are made up. Only with sample=smote. Also k, n_neighbors.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "adac3"
    _family = "boosting"
    _params = {"n_trees": ("n_trees", 100), "learning_rate": ("learning_rate", 1.0), "max_leaves": ("max_leaves", 2), "max_depth":
        ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight": ("min_child_weight",
        0.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0), "gamma": ("gamma", 0.0),
        "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 0.9), "splits": ("splits", 'best'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "classic": ("classic", False), "sample": ("sample", 'auto'), "subsample": ("subsample", 1.0),
        "draw": ("draw", 'number'), "ratio": ("ratio", 0.5), "reweigh": ("reweigh", True), "top_rate": ("top_rate", 0.2),
        "other_rate": ("other_rate", 0.1), "mvs_lambda": ("mvs_lambda", 0.1), "neg_per_pos": ("neg_per_pos", 5.0), "refresh":
        ("refresh", 'auto'), "pool": ("pool", 50.0), "max_probability": ("max_probability", 'auto'), "made_per_pos":
        ("made_per_pos", 1.0), "k_neighbors": ("k_neighbors", 5)}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "min_split_loss": "gamma", "min_gain_to_split": "gamma",
        "colsample_bytree": "colsample", "feature_fraction": "colsample", "colsample_bynode": "colsample_node",
        "feature_fraction_bynode": "colsample_node", "scale_pos_weight": "pos_weight", "cost_fn": "miss_cost", "cost_fp":
        "alarm_cost", "min_data_per_group": "min_category_rows", "monotone_constraints": "monotone", "interaction_constraints":
        "interactions", "metric_freq": "eval_every", "bagging_fraction": "subsample", "mvs_reg": "mvs_lambda", "k": "k_neighbors",
        "n_neighbors": "k_neighbors"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 100, learning_rate: float = 1.0, max_leaves: int = 2, max_depth: int = 0,
        growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 0.0, min_child_rows: int = 1,
        min_child_positives: int = 0, gamma: float = 0.0, colsample: float = 1.0,
        colsample_node: float | Literal["auto"] = 'auto', pos_weight: float = 1.0, miss_cost: float = 1.0,
        alarm_cost: float = 0.9, splits: Literal["auto", "best", "random"] = 'best', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', classic: bool = False,
        sample: Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"] = 'auto',
        subsample: float = 1.0, draw: Literal["number", "coin"] = 'number', ratio: float = 0.5, reweigh: bool = True,
        top_rate: float = 0.2, other_rate: float = 0.1, mvs_lambda: float = 0.1, neg_per_pos: float = 5.0,
        refresh: int | Literal["auto"] = 'auto', pool: float = 50.0, max_probability: float | Literal["auto"] = 'auto',
        made_per_pos: float = 1.0, k_neighbors: int = 5,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.gamma = gamma
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.classic = classic
        self.sample = sample
        self.subsample = subsample
        self.draw = draw
        self.ratio = ratio
        self.reweigh = reweigh
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.mvs_lambda = mvs_lambda
        self.neg_per_pos = neg_per_pos
        self.refresh = refresh
        self.pool = pool
        self.max_probability = max_probability
        self.made_per_pos = made_per_pos
        self.k_neighbors = k_neighbors
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AdaCostClassifier(ScarceClassifier):
    """The method adacost (boosting).

    AdaBoost whose weights rise more for dear rows that are wrong and fall less for dear rows that are right. Ranks only.

    From: Fan, Stolfo, Zhang and Chan: AdaCost: misclassification cost-sensitive boosting, ICML 1999.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 100
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float, default 1.0
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int, default 2
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 0.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 0.5
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'best'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    classic : bool, default False
        The algorithm as published. rankboost: stumps, each with its own step 1/2 log((1+r)/(1-r)). adac1 to adac3: trees
        are grown on weights without the costs. adacost: steps from its bound. The last four then end at the first tree
        whose votes cost more than they save. Only with loss=rankboost|adac1|adac2|adac3|adacost.
    sample : Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"], default 'auto'
        Which rows a tree sees: all of them; the share `subsample`, also by class (uniform, stratified); all positives and
        as many negatives (balanced), or negatives so that positives are the share `ratio`; the largest gradients and some
        of the others (goss); the share `subsample` by the size of their gradients (mvs); all positives and neg_per_pos
        negatives for each, drawn by how much they matter (importance); all rows and made_per_pos positives made up
        between each and its neighbours (smote). auto: importance from 50,000 rows on with 200 positives or more, when
        that takes at most a tenth of the negatives; with subsample below 1 stratified below 5 % positives, else uniform;
        else all.
    subsample : float, default 1.0
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    draw : Literal["number", "coin"], default 'number'
        Take exactly that share of the rows, or each row by a coin of its own. Only with sample=uniform|stratified.
    ratio : float, default 0.5
        1e-06 to 0.999999. Share of positives wanted. Only with sample=ratio.
    reweigh : bool, default True
        Weigh the negatives so that sums stay those of all rows (keeps probabilities right). Only with
        sample=balanced|ratio.
    top_rate : float, default 0.2
        0 to 1. Share of the rows kept for their gradient. Only with sample=goss.
    other_rate : float, default 0.1
        0 to 1. Share of the rows drawn from the rest. Only with sample=goss.
    mvs_lambda : float, default 0.1
        0 to 1000000000000. Rows are drawn by sqrt(g^2 + mvs_lambda h^2). Only with sample=mvs. Also mvs_reg.
    neg_per_pos : float, default 5.0
        0.1 to 1000000. Negatives per positive. Only with sample=auto|importance.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    pool : float, default 50.0
        0 to 1000000. Negatives per positive that are drawn first, kept together, and drawn anew now and then (0: none).
        Only with sample=auto|importance.
    max_probability : float | Literal["auto"], default 'auto'
        1e-09 to 1. No negative is surer to be drawn than this. auto: 0.2, or 1 below 1000 positives. Only with
        sample=auto|importance.
    made_per_pos : float, default 1.0
        1e-06 to 1000000. Positives made up for each positive and sample, between it and one of its k_neighbors nearest
        positives. Only with sample=smote.
    k_neighbors : int, default 5
        1 to 1000. Nearest positives towards which rows are made up. Only with sample=smote. Also k, n_neighbors.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "adacost"
    _family = "boosting"
    _params = {"n_trees": ("n_trees", 100), "learning_rate": ("learning_rate", 1.0), "max_leaves": ("max_leaves", 2), "max_depth":
        ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight": ("min_child_weight",
        0.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0), "gamma": ("gamma", 0.0),
        "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 0.5), "splits": ("splits", 'best'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "classic": ("classic", False), "sample": ("sample", 'auto'), "subsample": ("subsample", 1.0),
        "draw": ("draw", 'number'), "ratio": ("ratio", 0.5), "reweigh": ("reweigh", True), "top_rate": ("top_rate", 0.2),
        "other_rate": ("other_rate", 0.1), "mvs_lambda": ("mvs_lambda", 0.1), "neg_per_pos": ("neg_per_pos", 5.0), "refresh":
        ("refresh", 'auto'), "pool": ("pool", 50.0), "max_probability": ("max_probability", 'auto'), "made_per_pos":
        ("made_per_pos", 1.0), "k_neighbors": ("k_neighbors", 5)}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "min_split_loss": "gamma", "min_gain_to_split": "gamma",
        "colsample_bytree": "colsample", "feature_fraction": "colsample", "colsample_bynode": "colsample_node",
        "feature_fraction_bynode": "colsample_node", "scale_pos_weight": "pos_weight", "cost_fn": "miss_cost", "cost_fp":
        "alarm_cost", "min_data_per_group": "min_category_rows", "monotone_constraints": "monotone", "interaction_constraints":
        "interactions", "metric_freq": "eval_every", "bagging_fraction": "subsample", "mvs_reg": "mvs_lambda", "k": "k_neighbors",
        "n_neighbors": "k_neighbors"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 100, learning_rate: float = 1.0, max_leaves: int = 2, max_depth: int = 0,
        growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 0.0, min_child_rows: int = 1,
        min_child_positives: int = 0, gamma: float = 0.0, colsample: float = 1.0,
        colsample_node: float | Literal["auto"] = 'auto', pos_weight: float = 1.0, miss_cost: float = 1.0,
        alarm_cost: float = 0.5, splits: Literal["auto", "best", "random"] = 'best', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', classic: bool = False,
        sample: Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"] = 'auto',
        subsample: float = 1.0, draw: Literal["number", "coin"] = 'number', ratio: float = 0.5, reweigh: bool = True,
        top_rate: float = 0.2, other_rate: float = 0.1, mvs_lambda: float = 0.1, neg_per_pos: float = 5.0,
        refresh: int | Literal["auto"] = 'auto', pool: float = 50.0, max_probability: float | Literal["auto"] = 'auto',
        made_per_pos: float = 1.0, k_neighbors: int = 5,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.gamma = gamma
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.classic = classic
        self.sample = sample
        self.subsample = subsample
        self.draw = draw
        self.ratio = ratio
        self.reweigh = reweigh
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.mvs_lambda = mvs_lambda
        self.neg_per_pos = neg_per_pos
        self.refresh = refresh
        self.pool = pool
        self.max_probability = max_probability
        self.made_per_pos = made_per_pos
        self.k_neighbors = k_neighbors
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LogitBoostClassifier(ScarceClassifier):
    """The method logitboost (boosting).

    LogitBoost: stumps fitted to the log-likelihood by weighted least squares, with responses cut at z_max. At rare positives
    the published cut of 4 spoils ranking and odds, so here it grows with rarity; still it only ranks. gb is the form of it
    that is made for rare positives.

    From: Friedman, Hastie and Tibshirani: Additive logistic regression, Annals of Statistics 28 (2000).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 100
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float, default 0.3
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int, default 2
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 0.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'best'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    z_max : float | Literal["auto"], default 'auto'
        0 to 1000000000. Bound on the working response (0: none, then there are probabilities). auto: 4, the paper's, or
        rows per positive where that is more. Only with loss=logitboost.
    sample : Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"], default 'auto'
        Which rows a tree sees: all of them; the share `subsample`, also by class (uniform, stratified); all positives and
        as many negatives (balanced), or negatives so that positives are the share `ratio`; the largest gradients and some
        of the others (goss); the share `subsample` by the size of their gradients (mvs); all positives and neg_per_pos
        negatives for each, drawn by how much they matter (importance); all rows and made_per_pos positives made up
        between each and its neighbours (smote). auto: importance from 50,000 rows on with 200 positives or more, when
        that takes at most a tenth of the negatives; with subsample below 1 stratified below 5 % positives, else uniform;
        else all.
    subsample : float, default 1.0
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    draw : Literal["number", "coin"], default 'number'
        Take exactly that share of the rows, or each row by a coin of its own. Only with sample=uniform|stratified.
    ratio : float, default 0.5
        1e-06 to 0.999999. Share of positives wanted. Only with sample=ratio.
    reweigh : bool, default True
        Weigh the negatives so that sums stay those of all rows (keeps probabilities right). Only with
        sample=balanced|ratio.
    top_rate : float, default 0.2
        0 to 1. Share of the rows kept for their gradient. Only with sample=goss.
    other_rate : float, default 0.1
        0 to 1. Share of the rows drawn from the rest. Only with sample=goss.
    mvs_lambda : float, default 0.1
        0 to 1000000000000. Rows are drawn by sqrt(g^2 + mvs_lambda h^2). Only with sample=mvs. Also mvs_reg.
    neg_per_pos : float, default 5.0
        0.1 to 1000000. Negatives per positive. Only with sample=auto|importance.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    pool : float, default 50.0
        0 to 1000000. Negatives per positive that are drawn first, kept together, and drawn anew now and then (0: none).
        Only with sample=auto|importance.
    max_probability : float | Literal["auto"], default 'auto'
        1e-09 to 1. No negative is surer to be drawn than this. auto: 0.2, or 1 below 1000 positives. Only with
        sample=auto|importance.
    made_per_pos : float, default 1.0
        1e-06 to 1000000. Positives made up for each positive and sample, between it and one of its k_neighbors nearest
        positives. Only with sample=smote.
    k_neighbors : int, default 5
        1 to 1000. Nearest positives towards which rows are made up. Only with sample=smote. Also k, n_neighbors.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "logitboost"
    _family = "boosting"
    _params = {"n_trees": ("n_trees", 100), "learning_rate": ("learning_rate", 0.3), "max_leaves": ("max_leaves", 2), "max_depth":
        ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight": ("min_child_weight",
        0.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0), "gamma": ("gamma", 0.0),
        "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'best'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "z_max": ("z_max", 'auto'), "sample": ("sample", 'auto'), "subsample": ("subsample", 1.0), "draw":
        ("draw", 'number'), "ratio": ("ratio", 0.5), "reweigh": ("reweigh", True), "top_rate": ("top_rate", 0.2), "other_rate":
        ("other_rate", 0.1), "mvs_lambda": ("mvs_lambda", 0.1), "neg_per_pos": ("neg_per_pos", 5.0), "refresh": ("refresh",
        'auto'), "pool": ("pool", 50.0), "max_probability": ("max_probability", 'auto'), "made_per_pos": ("made_per_pos", 1.0),
        "k_neighbors": ("k_neighbors", 5)}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "min_split_loss": "gamma", "min_gain_to_split": "gamma",
        "colsample_bytree": "colsample", "feature_fraction": "colsample", "colsample_bynode": "colsample_node",
        "feature_fraction_bynode": "colsample_node", "scale_pos_weight": "pos_weight", "cost_fn": "miss_cost", "cost_fp":
        "alarm_cost", "min_data_per_group": "min_category_rows", "monotone_constraints": "monotone", "interaction_constraints":
        "interactions", "metric_freq": "eval_every", "bagging_fraction": "subsample", "mvs_reg": "mvs_lambda", "k": "k_neighbors",
        "n_neighbors": "k_neighbors"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 100, learning_rate: float = 0.3, max_leaves: int = 2, max_depth: int = 0,
        growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 0.0, min_child_rows: int = 1,
        min_child_positives: int = 0, gamma: float = 0.0, colsample: float = 1.0,
        colsample_node: float | Literal["auto"] = 'auto', pos_weight: float = 1.0, miss_cost: float = 1.0,
        alarm_cost: float = 1.0, splits: Literal["auto", "best", "random"] = 'best', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', z_max: float | Literal["auto"] = 'auto',
        sample: Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"] = 'auto',
        subsample: float = 1.0, draw: Literal["number", "coin"] = 'number', ratio: float = 0.5, reweigh: bool = True,
        top_rate: float = 0.2, other_rate: float = 0.1, mvs_lambda: float = 0.1, neg_per_pos: float = 5.0,
        refresh: int | Literal["auto"] = 'auto', pool: float = 50.0, max_probability: float | Literal["auto"] = 'auto',
        made_per_pos: float = 1.0, k_neighbors: int = 5,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.gamma = gamma
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.z_max = z_max
        self.sample = sample
        self.subsample = subsample
        self.draw = draw
        self.ratio = ratio
        self.reweigh = reweigh
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.mvs_lambda = mvs_lambda
        self.neg_per_pos = neg_per_pos
        self.refresh = refresh
        self.pool = pool
        self.max_probability = max_probability
        self.made_per_pos = made_per_pos
        self.k_neighbors = k_neighbors
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class NLBClassifier(ScarceClassifier):
    """The method nlb (boosting).

    Non-linear boosting: trees feed some weighted sums, whose positive parts are weighed and added up. Says with few small
    trees what a sum of them can't (strips that cross, and a corner that doesn't count); with many trees gb is as good. Gives
    probabilities.

    From: Frery, Habrard, Sebban and He-Guelton: Non-linear gradient boosting for class-imbalance learning, PMLR 94 (2018).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    scheme : Literal["skip", "paper"], default 'skip'
        Skip: the sum of the trees, as in gb with learning_rate, and representations beside it, all of whose weights learn
        on after each tree. paper: representations alone, as published: least-squares trees, and Newton steps for the
        newest tree (learning_rate is their damping).
    representations : int | Literal["auto"], default 'auto'
        1 to 1000. Weighted sums of the trees whose positive parts are weighed and added up. auto: 20; paper: 50. Also
        n_representations.
    latent_rate : float, default 0.002
        0 to 1. Size of a step on the weights of the representations (Adam). 0: there are none, as in gb. Only with
        scheme=skip.
    latent_steps : int, default 4
        0 to 1000. Such steps after each tree. Only with scheme=skip.
    latent_decay : float, default 0.001
        0 to 1. How strongly these weights are drawn to 0. Only with scheme=skip.
    latent_batch : int, default 4096
        256 to 1000000000. Rows that the steps after a tree look at, drawn by how wrong they are; all where there are no
        more. Only with scheme=skip.
    passes : int, default 10
        1 to 1000. Times that all representations are gone over after each tree (the paper: 1). Only with scheme=paper.
    ridge : float, default 1.0
        0 to 1000000000. Added to the curvature in these Newton steps. Only with scheme=paper.
    n_trees : int, default 100
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float | Literal["auto"], default 'auto'
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int, default 4
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 0.1
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    reg_lambda : float, default 0.001
        0 to 1000000000000. L2 penalty on leaf values. Also lambda, lambda_l2, l2_regularization.
    alpha : float, default 0.0
        0 to 1000000000000. L1 penalty on leaf values. Also reg_alpha, lambda_l1.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    max_delta_step : float, default 4.0
        0 to 1000000000000. Largest leaf value before the learning rate (0: no limit). At rare positives the most
        important of all: see docs/research/defaults.md. Also max_leaf_output.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "nlb"
    _family = "boosting"
    _params = {"scheme": ("scheme", 'skip'), "representations": ("representations", 'auto'), "latent_rate": ("latent_rate", 0.002),
        "latent_steps": ("latent_steps", 4), "latent_decay": ("latent_decay", 0.001), "latent_batch": ("latent_batch", 4096),
        "passes": ("passes", 10), "ridge": ("ridge", 1.0), "n_trees": ("n_trees", 100), "learning_rate": ("learning_rate",
        'auto'), "max_leaves": ("max_leaves", 4), "max_depth": ("max_depth", 0), "growth": ("growth", 'best'), "max_bins":
        ("max_bins", 255), "min_child_weight": ("min_child_weight", 0.1), "min_child_rows": ("min_child_rows", 1),
        "min_child_positives": ("min_child_positives", 0), "reg_lambda": ("lambda", 0.001), "alpha": ("alpha", 0.0), "gamma":
        ("gamma", 0.0), "max_delta_step": ("max_delta_step", 4.0), "colsample": ("colsample", 1.0), "colsample_node":
        ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0), "miss_cost": ("miss_cost", 1.0), "alarm_cost":
        ("alarm_cost", 1.0), "min_category_rows": ("min_category_rows", 1), "label_delay": ("label_delay", 0.0),
        "category_splits": ("category_splits", 'auto'), "histogram": ("histogram", 'integer'), "positive_bins": ("positive_bins",
        0.3), "rounding": ("rounding", 0.03125), "eval_every": ("eval_every", 'auto')}
    _aliases = {"n_representations": "representations", "n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations":
        "n_trees", "num_trees": "n_trees", "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate",
        "num_leaves": "max_leaves", "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins",
        "min_sum_hessian_in_leaf": "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf":
        "min_child_rows", "min_child_samples": "min_child_rows", "min_samples_leaf": "min_child_rows", "lambda": "reg_lambda",
        "lambda_l2": "reg_lambda", "l2_regularization": "reg_lambda", "reg_alpha": "alpha", "lambda_l1": "alpha",
        "min_split_loss": "gamma", "min_gain_to_split": "gamma", "max_leaf_output": "max_delta_step", "colsample_bytree":
        "colsample", "feature_fraction": "colsample", "colsample_bynode": "colsample_node", "feature_fraction_bynode":
        "colsample_node", "scale_pos_weight": "pos_weight", "cost_fn": "miss_cost", "cost_fp": "alarm_cost", "min_data_per_group":
        "min_category_rows", "metric_freq": "eval_every"}

    @takes_aliases
    def __init__(
        self, *, scheme: Literal["skip", "paper"] = 'skip', representations: int | Literal["auto"] = 'auto', latent_rate: float = 0.002,
        latent_steps: int = 4, latent_decay: float = 0.001, latent_batch: int = 4096, passes: int = 10, ridge: float = 1.0,
        n_trees: int = 100, learning_rate: float | Literal["auto"] = 'auto', max_leaves: int = 4, max_depth: int = 0,
        growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 0.1, min_child_rows: int = 1,
        min_child_positives: int = 0, reg_lambda: float = 0.001, alpha: float = 0.0, gamma: float = 0.0,
        max_delta_step: float = 4.0, colsample: float = 1.0, colsample_node: float | Literal["auto"] = 'auto',
        pos_weight: float = 1.0, miss_cost: float = 1.0, alarm_cost: float = 1.0, min_category_rows: int = 1,
        label_delay: float = 0.0, category_splits: Literal["auto", "sorted", "all"] = 'auto',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.scheme = scheme
        self.representations = representations
        self.latent_rate = latent_rate
        self.latent_steps = latent_steps
        self.latent_decay = latent_decay
        self.latent_batch = latent_batch
        self.passes = passes
        self.ridge = ridge
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.reg_lambda = reg_lambda
        self.alpha = alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.min_category_rows = min_category_rows
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class APLBClassifier(ScarceClassifier):
    """The method ap-lb (ranking).

    Boosted trees that raise a lower bound of average precision, in linear time. Worth a try beside gb where positives are
    very rare; choose by validation AP. Slow steps: 500 trees, with early stopping. Ranks only.

    From: scarce's own; on the problem of Frery et al.: Efficient top rank optimization, ECML PKDD 2017.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 500
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float | Literal["auto"], default 'auto'
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int | Literal["auto"], default 'auto'
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 1.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    reg_lambda : float, default 1.0
        0 to 1000000000000. L2 penalty on leaf values. Also lambda, lambda_l2, l2_regularization.
    alpha : float, default 0.0
        0 to 1000000000000. L1 penalty on leaf values. Also reg_alpha, lambda_l1.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    max_delta_step : float, default 2.0
        0 to 1000000000000. Largest leaf value before the learning rate (0: no limit). At rare positives the most
        important of all: see docs/research/defaults.md. Also max_leaf_output.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'auto'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    list_alpha : float | Literal["auto"], default 'auto'
        0.001 to 100. Factor on the scores inside the loss. auto: 1, with sgbap-sig 3. Only with
        loss=ap-lb|sgbap|sgbap-sig. Also list_scale.
    sample : Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"], default 'auto'
        Which rows a tree sees: all of them; the share `subsample`, also by class (uniform, stratified); all positives and
        as many negatives (balanced), or negatives so that positives are the share `ratio`; the largest gradients and some
        of the others (goss); the share `subsample` by the size of their gradients (mvs); all positives and neg_per_pos
        negatives for each, drawn by how much they matter (importance); all rows and made_per_pos positives made up
        between each and its neighbours (smote). auto: importance from 50,000 rows on with 200 positives or more, when
        that takes at most a tenth of the negatives; with subsample below 1 stratified below 5 % positives, else uniform;
        else all.
    subsample : float, default 1.0
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    draw : Literal["number", "coin"], default 'number'
        Take exactly that share of the rows, or each row by a coin of its own. Only with sample=uniform|stratified.
    ratio : float, default 0.5
        1e-06 to 0.999999. Share of positives wanted. Only with sample=ratio.
    reweigh : bool, default True
        Weigh the negatives so that sums stay those of all rows (keeps probabilities right). Only with
        sample=balanced|ratio.
    top_rate : float, default 0.2
        0 to 1. Share of the rows kept for their gradient. Only with sample=goss.
    other_rate : float, default 0.1
        0 to 1. Share of the rows drawn from the rest. Only with sample=goss.
    mvs_lambda : float, default 0.1
        0 to 1000000000000. Rows are drawn by sqrt(g^2 + mvs_lambda h^2). Only with sample=mvs. Also mvs_reg.
    neg_per_pos : float, default 5.0
        0.1 to 1000000. Negatives per positive. Only with sample=auto|importance.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    pool : float, default 50.0
        0 to 1000000. Negatives per positive that are drawn first, kept together, and drawn anew now and then (0: none).
        Only with sample=auto|importance.
    max_probability : float | Literal["auto"], default 'auto'
        1e-09 to 1. No negative is surer to be drawn than this. auto: 0.2, or 1 below 1000 positives. Only with
        sample=auto|importance.
    made_per_pos : float, default 1.0
        1e-06 to 1000000. Positives made up for each positive and sample, between it and one of its k_neighbors nearest
        positives. Only with sample=smote.
    k_neighbors : int, default 5
        1 to 1000. Nearest positives towards which rows are made up. Only with sample=smote. Also k, n_neighbors.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "ap-lb"
    _family = "ranking"
    _params = {"n_trees": ("n_trees", 500), "learning_rate": ("learning_rate", 'auto'), "max_leaves": ("max_leaves", 'auto'),
        "max_depth": ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight":
        ("min_child_weight", 1.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0),
        "reg_lambda": ("lambda", 1.0), "alpha": ("alpha", 0.0), "gamma": ("gamma", 0.0), "max_delta_step": ("max_delta_step",
        2.0), "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'auto'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "list_alpha": ("list_alpha", 'auto'), "sample": ("sample", 'auto'), "subsample": ("subsample",
        1.0), "draw": ("draw", 'number'), "ratio": ("ratio", 0.5), "reweigh": ("reweigh", True), "top_rate": ("top_rate", 0.2),
        "other_rate": ("other_rate", 0.1), "mvs_lambda": ("mvs_lambda", 0.1), "neg_per_pos": ("neg_per_pos", 5.0), "refresh":
        ("refresh", 'auto'), "pool": ("pool", 50.0), "max_probability": ("max_probability", 'auto'), "made_per_pos":
        ("made_per_pos", 1.0), "k_neighbors": ("k_neighbors", 5)}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "lambda": "reg_lambda", "lambda_l2": "reg_lambda",
        "l2_regularization": "reg_lambda", "reg_alpha": "alpha", "lambda_l1": "alpha", "min_split_loss": "gamma",
        "min_gain_to_split": "gamma", "max_leaf_output": "max_delta_step", "colsample_bytree": "colsample", "feature_fraction":
        "colsample", "colsample_bynode": "colsample_node", "feature_fraction_bynode": "colsample_node", "scale_pos_weight":
        "pos_weight", "cost_fn": "miss_cost", "cost_fp": "alarm_cost", "min_data_per_group": "min_category_rows",
        "monotone_constraints": "monotone", "interaction_constraints": "interactions", "metric_freq": "eval_every", "list_scale":
        "list_alpha", "bagging_fraction": "subsample", "mvs_reg": "mvs_lambda", "k": "k_neighbors", "n_neighbors": "k_neighbors"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 500, learning_rate: float | Literal["auto"] = 'auto', max_leaves: int | Literal["auto"] = 'auto',
        max_depth: int = 0, growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 1.0,
        min_child_rows: int = 1, min_child_positives: int = 0, reg_lambda: float = 1.0, alpha: float = 0.0, gamma: float = 0.0,
        max_delta_step: float = 2.0, colsample: float = 1.0, colsample_node: float | Literal["auto"] = 'auto',
        pos_weight: float = 1.0, miss_cost: float = 1.0, alarm_cost: float = 1.0,
        splits: Literal["auto", "best", "random"] = 'auto', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', list_alpha: float | Literal["auto"] = 'auto',
        sample: Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"] = 'auto',
        subsample: float = 1.0, draw: Literal["number", "coin"] = 'number', ratio: float = 0.5, reweigh: bool = True,
        top_rate: float = 0.2, other_rate: float = 0.1, mvs_lambda: float = 0.1, neg_per_pos: float = 5.0,
        refresh: int | Literal["auto"] = 'auto', pool: float = 50.0, max_probability: float | Literal["auto"] = 'auto',
        made_per_pos: float = 1.0, k_neighbors: int = 5,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.reg_lambda = reg_lambda
        self.alpha = alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.list_alpha = list_alpha
        self.sample = sample
        self.subsample = subsample
        self.draw = draw
        self.ratio = ratio
        self.reweigh = reweigh
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.mvs_lambda = mvs_lambda
        self.neg_per_pos = neg_per_pos
        self.refresh = refresh
        self.pool = pool
        self.max_probability = max_probability
        self.made_per_pos = made_per_pos
        self.k_neighbors = k_neighbors
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SGBAPClassifier(ScarceClassifier):
    """The method sgbap (ranking).

    Stochastic gradient boosting of AP_exp, the precision of one draw from a softmax over the list. Its gradient soon rests on
    a few leading positives: helps on some small noisy sets, loses elsewhere (gb is the first choice). Ranks only.

    From: Frery, Habrard, Sebban, Caelen and He-Guelton: Efficient top rank optimization with gradient boosting for supervised
    anomaly detection, ECML PKDD 2017.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 500
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float | Literal["auto"], default 'auto'
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int | Literal["auto"], default 'auto'
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 1.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 10
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    reg_lambda : float, default 1.0
        0 to 1000000000000. L2 penalty on leaf values. Also lambda, lambda_l2, l2_regularization.
    alpha : float, default 0.0
        0 to 1000000000000. L1 penalty on leaf values. Also reg_alpha, lambda_l1.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    max_delta_step : float, default 2.0
        0 to 1000000000000. Largest leaf value before the learning rate (0: no limit). At rare positives the most
        important of all: see docs/research/defaults.md. Also max_leaf_output.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'auto'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    list_alpha : float | Literal["auto"], default 'auto'
        0.001 to 100. Factor on the scores inside the loss. auto: 1, with sgbap-sig 3. Only with
        loss=ap-lb|sgbap|sgbap-sig. Also list_scale.
    beta : float, default 1.0
        0 to 1. 1 is the paper, 0 the cross-entropy of a softmax over the list. Only with loss=sgbap.
    leaf : Literal["newton", "mean"], default 'newton'
        Leaf values by Newton's step (bounded by 1), or the mean of the gradients as in the paper. Only with loss=sgbap.
    sample : Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"], default 'stratified'
        Which rows a tree sees: all of them; the share `subsample`, also by class (uniform, stratified); all positives and
        as many negatives (balanced), or negatives so that positives are the share `ratio`; the largest gradients and some
        of the others (goss); the share `subsample` by the size of their gradients (mvs); all positives and neg_per_pos
        negatives for each, drawn by how much they matter (importance); all rows and made_per_pos positives made up
        between each and its neighbours (smote). auto: importance from 50,000 rows on with 200 positives or more, when
        that takes at most a tenth of the negatives; with subsample below 1 stratified below 5 % positives, else uniform;
        else all.
    subsample : float, default 0.5
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    draw : Literal["number", "coin"], default 'number'
        Take exactly that share of the rows, or each row by a coin of its own. Only with sample=uniform|stratified.
    ratio : float, default 0.5
        1e-06 to 0.999999. Share of positives wanted. Only with sample=ratio.
    reweigh : bool, default True
        Weigh the negatives so that sums stay those of all rows (keeps probabilities right). Only with
        sample=balanced|ratio.
    top_rate : float, default 0.2
        0 to 1. Share of the rows kept for their gradient. Only with sample=goss.
    other_rate : float, default 0.1
        0 to 1. Share of the rows drawn from the rest. Only with sample=goss.
    mvs_lambda : float, default 0.1
        0 to 1000000000000. Rows are drawn by sqrt(g^2 + mvs_lambda h^2). Only with sample=mvs. Also mvs_reg.
    neg_per_pos : float, default 5.0
        0.1 to 1000000. Negatives per positive. Only with sample=auto|importance.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    pool : float, default 50.0
        0 to 1000000. Negatives per positive that are drawn first, kept together, and drawn anew now and then (0: none).
        Only with sample=auto|importance.
    max_probability : float | Literal["auto"], default 'auto'
        1e-09 to 1. No negative is surer to be drawn than this. auto: 0.2, or 1 below 1000 positives. Only with
        sample=auto|importance.
    made_per_pos : float, default 1.0
        1e-06 to 1000000. Positives made up for each positive and sample, between it and one of its k_neighbors nearest
        positives. Only with sample=smote.
    k_neighbors : int, default 5
        1 to 1000. Nearest positives towards which rows are made up. Only with sample=smote. Also k, n_neighbors.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "sgbap"
    _family = "ranking"
    _params = {"n_trees": ("n_trees", 500), "learning_rate": ("learning_rate", 'auto'), "max_leaves": ("max_leaves", 'auto'),
        "max_depth": ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight":
        ("min_child_weight", 1.0), "min_child_rows": ("min_child_rows", 10), "min_child_positives": ("min_child_positives", 0),
        "reg_lambda": ("lambda", 1.0), "alpha": ("alpha", 0.0), "gamma": ("gamma", 0.0), "max_delta_step": ("max_delta_step",
        2.0), "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'auto'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "list_alpha": ("list_alpha", 'auto'), "beta": ("beta", 1.0), "leaf": ("leaf", 'newton'), "sample":
        ("sample", 'stratified'), "subsample": ("subsample", 0.5), "draw": ("draw", 'number'), "ratio": ("ratio", 0.5), "reweigh":
        ("reweigh", True), "top_rate": ("top_rate", 0.2), "other_rate": ("other_rate", 0.1), "mvs_lambda": ("mvs_lambda", 0.1),
        "neg_per_pos": ("neg_per_pos", 5.0), "refresh": ("refresh", 'auto'), "pool": ("pool", 50.0), "max_probability":
        ("max_probability", 'auto'), "made_per_pos": ("made_per_pos", 1.0), "k_neighbors": ("k_neighbors", 5)}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "lambda": "reg_lambda", "lambda_l2": "reg_lambda",
        "l2_regularization": "reg_lambda", "reg_alpha": "alpha", "lambda_l1": "alpha", "min_split_loss": "gamma",
        "min_gain_to_split": "gamma", "max_leaf_output": "max_delta_step", "colsample_bytree": "colsample", "feature_fraction":
        "colsample", "colsample_bynode": "colsample_node", "feature_fraction_bynode": "colsample_node", "scale_pos_weight":
        "pos_weight", "cost_fn": "miss_cost", "cost_fp": "alarm_cost", "min_data_per_group": "min_category_rows",
        "monotone_constraints": "monotone", "interaction_constraints": "interactions", "metric_freq": "eval_every", "list_scale":
        "list_alpha", "bagging_fraction": "subsample", "mvs_reg": "mvs_lambda", "k": "k_neighbors", "n_neighbors": "k_neighbors"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 500, learning_rate: float | Literal["auto"] = 'auto', max_leaves: int | Literal["auto"] = 'auto',
        max_depth: int = 0, growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 1.0,
        min_child_rows: int = 10, min_child_positives: int = 0, reg_lambda: float = 1.0, alpha: float = 0.0, gamma: float = 0.0,
        max_delta_step: float = 2.0, colsample: float = 1.0, colsample_node: float | Literal["auto"] = 'auto',
        pos_weight: float = 1.0, miss_cost: float = 1.0, alarm_cost: float = 1.0,
        splits: Literal["auto", "best", "random"] = 'auto', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', list_alpha: float | Literal["auto"] = 'auto', beta: float = 1.0,
        leaf: Literal["newton", "mean"] = 'newton',
        sample: Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"] = 'stratified',
        subsample: float = 0.5, draw: Literal["number", "coin"] = 'number', ratio: float = 0.5, reweigh: bool = True,
        top_rate: float = 0.2, other_rate: float = 0.1, mvs_lambda: float = 0.1, neg_per_pos: float = 5.0,
        refresh: int | Literal["auto"] = 'auto', pool: float = 50.0, max_probability: float | Literal["auto"] = 'auto',
        made_per_pos: float = 1.0, k_neighbors: int = 5,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.reg_lambda = reg_lambda
        self.alpha = alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.list_alpha = list_alpha
        self.beta = beta
        self.leaf = leaf
        self.sample = sample
        self.subsample = subsample
        self.draw = draw
        self.ratio = ratio
        self.reweigh = reweigh
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.mvs_lambda = mvs_lambda
        self.neg_per_pos = neg_per_pos
        self.refresh = refresh
        self.pool = pool
        self.max_probability = max_probability
        self.made_per_pos = made_per_pos
        self.k_neighbors = k_neighbors
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class SGBAPSigClassifier(ScarceClassifier):
    """The method sgbap-sig (ranking).

    Stochastic gradient boosting of AP_sig, average precision with sigmoids for its steps; by a histogram of scores in linear
    time (exact=true: by all pairs). Ranks only.

    From: Frery, Habrard, Sebban, Caelen and He-Guelton: Efficient top rank optimization with gradient boosting for supervised
    anomaly detection, ECML PKDD 2017.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 500
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float | Literal["auto"], default 'auto'
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int | Literal["auto"], default 'auto'
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 1.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 10
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    reg_lambda : float, default 1.0
        0 to 1000000000000. L2 penalty on leaf values. Also lambda, lambda_l2, l2_regularization.
    alpha : float, default 0.0
        0 to 1000000000000. L1 penalty on leaf values. Also reg_alpha, lambda_l1.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    max_delta_step : float, default 2.0
        0 to 1000000000000. Largest leaf value before the learning rate (0: no limit). At rare positives the most
        important of all: see docs/research/defaults.md. Also max_leaf_output.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'auto'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    list_alpha : float | Literal["auto"], default 'auto'
        0.001 to 100. Factor on the scores inside the loss. auto: 1, with sgbap-sig 3. Only with
        loss=ap-lb|sgbap|sgbap-sig. Also list_scale.
    exact : bool, default False
        All pairs of a positive and another row, however many. Only with loss=sgbap-sig|lambdamart-ap.
    sample : Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"], default 'stratified'
        Which rows a tree sees: all of them; the share `subsample`, also by class (uniform, stratified); all positives and
        as many negatives (balanced), or negatives so that positives are the share `ratio`; the largest gradients and some
        of the others (goss); the share `subsample` by the size of their gradients (mvs); all positives and neg_per_pos
        negatives for each, drawn by how much they matter (importance); all rows and made_per_pos positives made up
        between each and its neighbours (smote). auto: importance from 50,000 rows on with 200 positives or more, when
        that takes at most a tenth of the negatives; with subsample below 1 stratified below 5 % positives, else uniform;
        else all.
    subsample : float, default 0.5
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    draw : Literal["number", "coin"], default 'number'
        Take exactly that share of the rows, or each row by a coin of its own. Only with sample=uniform|stratified.
    ratio : float, default 0.5
        1e-06 to 0.999999. Share of positives wanted. Only with sample=ratio.
    reweigh : bool, default True
        Weigh the negatives so that sums stay those of all rows (keeps probabilities right). Only with
        sample=balanced|ratio.
    top_rate : float, default 0.2
        0 to 1. Share of the rows kept for their gradient. Only with sample=goss.
    other_rate : float, default 0.1
        0 to 1. Share of the rows drawn from the rest. Only with sample=goss.
    mvs_lambda : float, default 0.1
        0 to 1000000000000. Rows are drawn by sqrt(g^2 + mvs_lambda h^2). Only with sample=mvs. Also mvs_reg.
    neg_per_pos : float, default 5.0
        0.1 to 1000000. Negatives per positive. Only with sample=auto|importance.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    pool : float, default 50.0
        0 to 1000000. Negatives per positive that are drawn first, kept together, and drawn anew now and then (0: none).
        Only with sample=auto|importance.
    max_probability : float | Literal["auto"], default 'auto'
        1e-09 to 1. No negative is surer to be drawn than this. auto: 0.2, or 1 below 1000 positives. Only with
        sample=auto|importance.
    made_per_pos : float, default 1.0
        1e-06 to 1000000. Positives made up for each positive and sample, between it and one of its k_neighbors nearest
        positives. Only with sample=smote.
    k_neighbors : int, default 5
        1 to 1000. Nearest positives towards which rows are made up. Only with sample=smote. Also k, n_neighbors.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "sgbap-sig"
    _family = "ranking"
    _params = {"n_trees": ("n_trees", 500), "learning_rate": ("learning_rate", 'auto'), "max_leaves": ("max_leaves", 'auto'),
        "max_depth": ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight":
        ("min_child_weight", 1.0), "min_child_rows": ("min_child_rows", 10), "min_child_positives": ("min_child_positives", 0),
        "reg_lambda": ("lambda", 1.0), "alpha": ("alpha", 0.0), "gamma": ("gamma", 0.0), "max_delta_step": ("max_delta_step",
        2.0), "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'auto'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "list_alpha": ("list_alpha", 'auto'), "exact": ("exact", False), "sample": ("sample",
        'stratified'), "subsample": ("subsample", 0.5), "draw": ("draw", 'number'), "ratio": ("ratio", 0.5), "reweigh":
        ("reweigh", True), "top_rate": ("top_rate", 0.2), "other_rate": ("other_rate", 0.1), "mvs_lambda": ("mvs_lambda", 0.1),
        "neg_per_pos": ("neg_per_pos", 5.0), "refresh": ("refresh", 'auto'), "pool": ("pool", 50.0), "max_probability":
        ("max_probability", 'auto'), "made_per_pos": ("made_per_pos", 1.0), "k_neighbors": ("k_neighbors", 5)}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "lambda": "reg_lambda", "lambda_l2": "reg_lambda",
        "l2_regularization": "reg_lambda", "reg_alpha": "alpha", "lambda_l1": "alpha", "min_split_loss": "gamma",
        "min_gain_to_split": "gamma", "max_leaf_output": "max_delta_step", "colsample_bytree": "colsample", "feature_fraction":
        "colsample", "colsample_bynode": "colsample_node", "feature_fraction_bynode": "colsample_node", "scale_pos_weight":
        "pos_weight", "cost_fn": "miss_cost", "cost_fp": "alarm_cost", "min_data_per_group": "min_category_rows",
        "monotone_constraints": "monotone", "interaction_constraints": "interactions", "metric_freq": "eval_every", "list_scale":
        "list_alpha", "bagging_fraction": "subsample", "mvs_reg": "mvs_lambda", "k": "k_neighbors", "n_neighbors": "k_neighbors"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 500, learning_rate: float | Literal["auto"] = 'auto', max_leaves: int | Literal["auto"] = 'auto',
        max_depth: int = 0, growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 1.0,
        min_child_rows: int = 10, min_child_positives: int = 0, reg_lambda: float = 1.0, alpha: float = 0.0, gamma: float = 0.0,
        max_delta_step: float = 2.0, colsample: float = 1.0, colsample_node: float | Literal["auto"] = 'auto',
        pos_weight: float = 1.0, miss_cost: float = 1.0, alarm_cost: float = 1.0,
        splits: Literal["auto", "best", "random"] = 'auto', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', list_alpha: float | Literal["auto"] = 'auto', exact: bool = False,
        sample: Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"] = 'stratified',
        subsample: float = 0.5, draw: Literal["number", "coin"] = 'number', ratio: float = 0.5, reweigh: bool = True,
        top_rate: float = 0.2, other_rate: float = 0.1, mvs_lambda: float = 0.1, neg_per_pos: float = 5.0,
        refresh: int | Literal["auto"] = 'auto', pool: float = 50.0, max_probability: float | Literal["auto"] = 'auto',
        made_per_pos: float = 1.0, k_neighbors: int = 5,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.reg_lambda = reg_lambda
        self.alpha = alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.list_alpha = list_alpha
        self.exact = exact
        self.sample = sample
        self.subsample = subsample
        self.draw = draw
        self.ratio = ratio
        self.reweigh = reweigh
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.mvs_lambda = mvs_lambda
        self.neg_per_pos = neg_per_pos
        self.refresh = refresh
        self.pool = pool
        self.max_probability = max_probability
        self.made_per_pos = made_per_pos
        self.k_neighbors = k_neighbors
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LambdaMARTAPClassifier(ScarceClassifier):
    """The method lambdamart-ap (ranking).

    LambdaMART on one list of all rows: each pair of a positive and a negative pulls by what swapping them would change of
    average precision. Ranks only.

    From: Burges: From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82; Donmez, Svore and Burges: On the local optimality
    of LambdaRank, SIGIR 2009.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 300
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float | Literal["auto"], default 'auto'
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int | Literal["auto"], default 'auto'
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 1.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    reg_lambda : float, default 1.0
        0 to 1000000000000. L2 penalty on leaf values. Also lambda, lambda_l2, l2_regularization.
    alpha : float, default 0.0
        0 to 1000000000000. L1 penalty on leaf values. Also reg_alpha, lambda_l1.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    max_delta_step : float, default 2.0
        0 to 1000000000000. Largest leaf value before the learning rate (0: no limit). At rare positives the most
        important of all: see docs/research/defaults.md. Also max_leaf_output.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'auto'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    exact : bool, default False
        All pairs of a positive and another row, however many. Only with loss=sgbap-sig|lambdamart-ap.
    sample : Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"], default 'auto'
        Which rows a tree sees: all of them; the share `subsample`, also by class (uniform, stratified); all positives and
        as many negatives (balanced), or negatives so that positives are the share `ratio`; the largest gradients and some
        of the others (goss); the share `subsample` by the size of their gradients (mvs); all positives and neg_per_pos
        negatives for each, drawn by how much they matter (importance); all rows and made_per_pos positives made up
        between each and its neighbours (smote). auto: importance from 50,000 rows on with 200 positives or more, when
        that takes at most a tenth of the negatives; with subsample below 1 stratified below 5 % positives, else uniform;
        else all.
    subsample : float, default 1.0
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    draw : Literal["number", "coin"], default 'number'
        Take exactly that share of the rows, or each row by a coin of its own. Only with sample=uniform|stratified.
    ratio : float, default 0.5
        1e-06 to 0.999999. Share of positives wanted. Only with sample=ratio.
    reweigh : bool, default True
        Weigh the negatives so that sums stay those of all rows (keeps probabilities right). Only with
        sample=balanced|ratio.
    top_rate : float, default 0.2
        0 to 1. Share of the rows kept for their gradient. Only with sample=goss.
    other_rate : float, default 0.1
        0 to 1. Share of the rows drawn from the rest. Only with sample=goss.
    mvs_lambda : float, default 0.1
        0 to 1000000000000. Rows are drawn by sqrt(g^2 + mvs_lambda h^2). Only with sample=mvs. Also mvs_reg.
    neg_per_pos : float, default 5.0
        0.1 to 1000000. Negatives per positive. Only with sample=auto|importance.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    pool : float, default 50.0
        0 to 1000000. Negatives per positive that are drawn first, kept together, and drawn anew now and then (0: none).
        Only with sample=auto|importance.
    max_probability : float | Literal["auto"], default 'auto'
        1e-09 to 1. No negative is surer to be drawn than this. auto: 0.2, or 1 below 1000 positives. Only with
        sample=auto|importance.
    made_per_pos : float, default 1.0
        1e-06 to 1000000. Positives made up for each positive and sample, between it and one of its k_neighbors nearest
        positives. Only with sample=smote.
    k_neighbors : int, default 5
        1 to 1000. Nearest positives towards which rows are made up. Only with sample=smote. Also k, n_neighbors.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "lambdamart-ap"
    _family = "ranking"
    _params = {"n_trees": ("n_trees", 300), "learning_rate": ("learning_rate", 'auto'), "max_leaves": ("max_leaves", 'auto'),
        "max_depth": ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight":
        ("min_child_weight", 1.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0),
        "reg_lambda": ("lambda", 1.0), "alpha": ("alpha", 0.0), "gamma": ("gamma", 0.0), "max_delta_step": ("max_delta_step",
        2.0), "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'auto'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "exact": ("exact", False), "sample": ("sample", 'auto'), "subsample": ("subsample", 1.0), "draw":
        ("draw", 'number'), "ratio": ("ratio", 0.5), "reweigh": ("reweigh", True), "top_rate": ("top_rate", 0.2), "other_rate":
        ("other_rate", 0.1), "mvs_lambda": ("mvs_lambda", 0.1), "neg_per_pos": ("neg_per_pos", 5.0), "refresh": ("refresh",
        'auto'), "pool": ("pool", 50.0), "max_probability": ("max_probability", 'auto'), "made_per_pos": ("made_per_pos", 1.0),
        "k_neighbors": ("k_neighbors", 5)}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "lambda": "reg_lambda", "lambda_l2": "reg_lambda",
        "l2_regularization": "reg_lambda", "reg_alpha": "alpha", "lambda_l1": "alpha", "min_split_loss": "gamma",
        "min_gain_to_split": "gamma", "max_leaf_output": "max_delta_step", "colsample_bytree": "colsample", "feature_fraction":
        "colsample", "colsample_bynode": "colsample_node", "feature_fraction_bynode": "colsample_node", "scale_pos_weight":
        "pos_weight", "cost_fn": "miss_cost", "cost_fp": "alarm_cost", "min_data_per_group": "min_category_rows",
        "monotone_constraints": "monotone", "interaction_constraints": "interactions", "metric_freq": "eval_every",
        "bagging_fraction": "subsample", "mvs_reg": "mvs_lambda", "k": "k_neighbors", "n_neighbors": "k_neighbors"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 300, learning_rate: float | Literal["auto"] = 'auto', max_leaves: int | Literal["auto"] = 'auto',
        max_depth: int = 0, growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 1.0,
        min_child_rows: int = 1, min_child_positives: int = 0, reg_lambda: float = 1.0, alpha: float = 0.0, gamma: float = 0.0,
        max_delta_step: float = 2.0, colsample: float = 1.0, colsample_node: float | Literal["auto"] = 'auto',
        pos_weight: float = 1.0, miss_cost: float = 1.0, alarm_cost: float = 1.0,
        splits: Literal["auto", "best", "random"] = 'auto', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', exact: bool = False,
        sample: Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"] = 'auto',
        subsample: float = 1.0, draw: Literal["number", "coin"] = 'number', ratio: float = 0.5, reweigh: bool = True,
        top_rate: float = 0.2, other_rate: float = 0.1, mvs_lambda: float = 0.1, neg_per_pos: float = 5.0,
        refresh: int | Literal["auto"] = 'auto', pool: float = 50.0, max_probability: float | Literal["auto"] = 'auto',
        made_per_pos: float = 1.0, k_neighbors: int = 5,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.reg_lambda = reg_lambda
        self.alpha = alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.exact = exact
        self.sample = sample
        self.subsample = subsample
        self.draw = draw
        self.ratio = ratio
        self.reweigh = reweigh
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.mvs_lambda = mvs_lambda
        self.neg_per_pos = neg_per_pos
        self.refresh = refresh
        self.pool = pool
        self.max_probability = max_probability
        self.made_per_pos = made_per_pos
        self.k_neighbors = k_neighbors
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class RankBoostClassifier(ScarceClassifier):
    """The method rankboost (ranking).

    Boosted trees with RankBoost's loss over all pairs of a positive and a negative, in linear time: optimises the whole
    ranking (AUC) rather than its top. Ranks only.

    From: Freund, Iyer, Schapire and Singer: An efficient boosting algorithm for combining preferences, JMLR 4 (2003).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 500
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float | Literal["auto"], default 'auto'
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int | Literal["auto"], default 'auto'
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 0
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 1.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    reg_lambda : float, default 1.0
        0 to 1000000000000. L2 penalty on leaf values. Also lambda, lambda_l2, l2_regularization.
    alpha : float, default 0.0
        0 to 1000000000000. L1 penalty on leaf values. Also reg_alpha, lambda_l1.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    max_delta_step : float, default 2.0
        0 to 1000000000000. Largest leaf value before the learning rate (0: no limit). At rare positives the most
        important of all: see docs/research/defaults.md. Also max_leaf_output.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'auto'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    categories : Literal["auto", "sets", "numbers", "pairs"], default 'auto'
        Columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows with the same
        value, their count, and the order of texts that are numbers), or also as numbers of pairs of columns. auto:
        numbers where one column has more than 508 and each class 200 rows, and the best pairs where held-out rows want
        them; else sets.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    classic : bool, default False
        The algorithm as published. rankboost: stumps, each with its own step 1/2 log((1+r)/(1-r)). adac1 to adac3: trees
        are grown on weights without the costs. adacost: steps from its bound. The last four then end at the first tree
        whose votes cost more than they save. Only with loss=rankboost|adac1|adac2|adac3|adacost.
    sample : Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"], default 'auto'
        Which rows a tree sees: all of them; the share `subsample`, also by class (uniform, stratified); all positives and
        as many negatives (balanced), or negatives so that positives are the share `ratio`; the largest gradients and some
        of the others (goss); the share `subsample` by the size of their gradients (mvs); all positives and neg_per_pos
        negatives for each, drawn by how much they matter (importance); all rows and made_per_pos positives made up
        between each and its neighbours (smote). auto: importance from 50,000 rows on with 200 positives or more, when
        that takes at most a tenth of the negatives; with subsample below 1 stratified below 5 % positives, else uniform;
        else all.
    subsample : float, default 1.0
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    draw : Literal["number", "coin"], default 'number'
        Take exactly that share of the rows, or each row by a coin of its own. Only with sample=uniform|stratified.
    ratio : float, default 0.5
        1e-06 to 0.999999. Share of positives wanted. Only with sample=ratio.
    reweigh : bool, default True
        Weigh the negatives so that sums stay those of all rows (keeps probabilities right). Only with
        sample=balanced|ratio.
    top_rate : float, default 0.2
        0 to 1. Share of the rows kept for their gradient. Only with sample=goss.
    other_rate : float, default 0.1
        0 to 1. Share of the rows drawn from the rest. Only with sample=goss.
    mvs_lambda : float, default 0.1
        0 to 1000000000000. Rows are drawn by sqrt(g^2 + mvs_lambda h^2). Only with sample=mvs. Also mvs_reg.
    neg_per_pos : float, default 5.0
        0.1 to 1000000. Negatives per positive. Only with sample=auto|importance.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    pool : float, default 50.0
        0 to 1000000. Negatives per positive that are drawn first, kept together, and drawn anew now and then (0: none).
        Only with sample=auto|importance.
    max_probability : float | Literal["auto"], default 'auto'
        1e-09 to 1. No negative is surer to be drawn than this. auto: 0.2, or 1 below 1000 positives. Only with
        sample=auto|importance.
    made_per_pos : float, default 1.0
        1e-06 to 1000000. Positives made up for each positive and sample, between it and one of its k_neighbors nearest
        positives. Only with sample=smote.
    k_neighbors : int, default 5
        1 to 1000. Nearest positives towards which rows are made up. Only with sample=smote. Also k, n_neighbors.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "rankboost"
    _family = "ranking"
    _params = {"n_trees": ("n_trees", 500), "learning_rate": ("learning_rate", 'auto'), "max_leaves": ("max_leaves", 'auto'),
        "max_depth": ("max_depth", 0), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight":
        ("min_child_weight", 1.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0),
        "reg_lambda": ("lambda", 1.0), "alpha": ("alpha", 0.0), "gamma": ("gamma", 0.0), "max_delta_step": ("max_delta_step",
        2.0), "colsample": ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0),
        "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'auto'), "min_category_rows":
        ("min_category_rows", 1), "categories": ("categories", 'auto'), "label_delay": ("label_delay", 0.0), "category_splits":
        ("category_splits", 'auto'), "monotone": ("monotone", ''), "interactions": ("interactions", ''), "histogram":
        ("histogram", 'integer'), "positive_bins": ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every":
        ("eval_every", 'auto'), "classic": ("classic", False), "sample": ("sample", 'auto'), "subsample": ("subsample", 1.0),
        "draw": ("draw", 'number'), "ratio": ("ratio", 0.5), "reweigh": ("reweigh", True), "top_rate": ("top_rate", 0.2),
        "other_rate": ("other_rate", 0.1), "mvs_lambda": ("mvs_lambda", 0.1), "neg_per_pos": ("neg_per_pos", 5.0), "refresh":
        ("refresh", 'auto'), "pool": ("pool", 50.0), "max_probability": ("max_probability", 'auto'), "made_per_pos":
        ("made_per_pos", 1.0), "k_neighbors": ("k_neighbors", 5)}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "lambda": "reg_lambda", "lambda_l2": "reg_lambda",
        "l2_regularization": "reg_lambda", "reg_alpha": "alpha", "lambda_l1": "alpha", "min_split_loss": "gamma",
        "min_gain_to_split": "gamma", "max_leaf_output": "max_delta_step", "colsample_bytree": "colsample", "feature_fraction":
        "colsample", "colsample_bynode": "colsample_node", "feature_fraction_bynode": "colsample_node", "scale_pos_weight":
        "pos_weight", "cost_fn": "miss_cost", "cost_fp": "alarm_cost", "min_data_per_group": "min_category_rows",
        "monotone_constraints": "monotone", "interaction_constraints": "interactions", "metric_freq": "eval_every",
        "bagging_fraction": "subsample", "mvs_reg": "mvs_lambda", "k": "k_neighbors", "n_neighbors": "k_neighbors"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 500, learning_rate: float | Literal["auto"] = 'auto', max_leaves: int | Literal["auto"] = 'auto',
        max_depth: int = 0, growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 1.0,
        min_child_rows: int = 1, min_child_positives: int = 0, reg_lambda: float = 1.0, alpha: float = 0.0, gamma: float = 0.0,
        max_delta_step: float = 2.0, colsample: float = 1.0, colsample_node: float | Literal["auto"] = 'auto',
        pos_weight: float = 1.0, miss_cost: float = 1.0, alarm_cost: float = 1.0,
        splits: Literal["auto", "best", "random"] = 'auto', min_category_rows: int = 1,
        categories: Literal["auto", "sets", "numbers", "pairs"] = 'auto', label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', classic: bool = False,
        sample: Literal["auto", "all", "uniform", "stratified", "balanced", "ratio", "goss", "mvs", "importance", "smote"] = 'auto',
        subsample: float = 1.0, draw: Literal["number", "coin"] = 'number', ratio: float = 0.5, reweigh: bool = True,
        top_rate: float = 0.2, other_rate: float = 0.1, mvs_lambda: float = 0.1, neg_per_pos: float = 5.0,
        refresh: int | Literal["auto"] = 'auto', pool: float = 50.0, max_probability: float | Literal["auto"] = 'auto',
        made_per_pos: float = 1.0, k_neighbors: int = 5,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.reg_lambda = reg_lambda
        self.alpha = alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.categories = categories
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.classic = classic
        self.sample = sample
        self.subsample = subsample
        self.draw = draw
        self.ratio = ratio
        self.reweigh = reweigh
        self.top_rate = top_rate
        self.other_rate = other_rate
        self.mvs_lambda = mvs_lambda
        self.neg_per_pos = neg_per_pos
        self.refresh = refresh
        self.pool = pool
        self.max_probability = max_probability
        self.made_per_pos = made_per_pos
        self.k_neighbors = k_neighbors
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class RandomForestClassifier(ScarceClassifier):
    """The method random-forest (forest).

    The mean of deep trees, each on rows drawn with replacement and a few features per node. Nothing to tune, strong on small
    and noisy data, and an honest second opinion beside gb. Gives probabilities.

    From: Breiman: Random forests, Machine Learning 45 (2001).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 100
        1 to 1000000. Trees; more are never worse, only slower. Also n_estimators, num_trees.
    criterion : Literal["gini", "entropy"], default 'gini'
        What a split lowers.
    max_features : float | Literal["auto"], default 'auto'
        1e-09 to 1000000000. Features that a node looks at: a share of them below 1, a number from 1 on. auto: the square
        root of their number. Also colsample_node, colsample_bynode.
    max_depth : int, default 0
        0 to 1000000. Depth of a tree (0: no limit).
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf, as often as they were drawn. Also min_samples_leaf, min_data_in_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    min_child_weight : float, default 0.0
        0 to 1000000000000. Least sum of weights in a leaf. Also min_weight_leaf.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split, in rows times impurity. Also min_impurity_decrease.
    bootstrap : bool, default True
        Each tree learns from rows drawn with replacement; false: from all rows (balanced: drawn without replacement).
    max_samples : float, default 1.0
        1e-06 to 1. Draws of a tree, as a share of the rows (balanced: of the rarer class, from each class). Also
        subsample, sample_fraction.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows where splits are chosen; leaves hold the shares as they
        are. Also scale_pos_weight.
    smoothing : float, default 0.5
        0 to 1000000000. Rows without positives that join every leaf, so that a leaf of a few rows is believed less:
        positives / (rows + smoothing). 0: shares as they are.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    positive_bins : float, default 0.3
        0 to 0.9. Share of the bins that is cut where the positives lie, on large data with rare positives.
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "random-forest"
    _family = "forest"
    _params = {"n_trees": ("n_trees", 100), "criterion": ("criterion", 'gini'), "max_features": ("max_features", 'auto'), "max_depth":
        ("max_depth", 0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0),
        "min_child_weight": ("min_child_weight", 0.0), "gamma": ("gamma", 0.0), "bootstrap": ("bootstrap", True), "max_samples":
        ("max_samples", 1.0), "pos_weight": ("pos_weight", 1.0), "smoothing": ("smoothing", 0.5), "max_bins": ("max_bins", 255),
        "positive_bins": ("positive_bins", 0.3), "min_category_rows": ("min_category_rows", 1)}
    _aliases = {"n_estimators": "n_trees", "num_trees": "n_trees", "colsample_node": "max_features", "colsample_bynode": "max_features",
        "min_samples_leaf": "min_child_rows", "min_data_in_leaf": "min_child_rows", "min_weight_leaf": "min_child_weight",
        "min_impurity_decrease": "gamma", "subsample": "max_samples", "sample_fraction": "max_samples", "scale_pos_weight":
        "pos_weight", "max_bin": "max_bins", "min_data_per_group": "min_category_rows"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 100, criterion: Literal["gini", "entropy"] = 'gini', max_features: float | Literal["auto"] = 'auto',
        max_depth: int = 0, min_child_rows: int = 1, min_child_positives: int = 0, min_child_weight: float = 0.0,
        gamma: float = 0.0, bootstrap: bool = True, max_samples: float = 1.0, pos_weight: float = 1.0, smoothing: float = 0.5,
        max_bins: int = 255, positive_bins: float = 0.3, min_category_rows: int = 1,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.criterion = criterion
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.min_child_weight = min_child_weight
        self.gamma = gamma
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.pos_weight = pos_weight
        self.smoothing = smoothing
        self.max_bins = max_bins
        self.positive_bins = positive_bins
        self.min_category_rows = min_category_rows
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class BalancedRandomForestClassifier(ScarceClassifier):
    """The method balanced-random-forest (forest).

    A random forest whose trees see as many positives as negatives. Quick on large data, since a tree learns from twice the
    positives alone; probabilities are put right by the known change of the odds.

    From: Chen, Liaw and Breiman: Using random forest to learn imbalanced data, Report 666, Berkeley (2004).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 100
        1 to 1000000. Trees; more are never worse, only slower. Also n_estimators, num_trees.
    criterion : Literal["gini", "entropy"], default 'gini'
        What a split lowers.
    max_features : float | Literal["auto"], default 'auto'
        1e-09 to 1000000000. Features that a node looks at: a share of them below 1, a number from 1 on. auto: the square
        root of their number. Also colsample_node, colsample_bynode.
    max_depth : int, default 0
        0 to 1000000. Depth of a tree (0: no limit).
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf, as often as they were drawn. Also min_samples_leaf, min_data_in_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    min_child_weight : float, default 0.0
        0 to 1000000000000. Least sum of weights in a leaf. Also min_weight_leaf.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split, in rows times impurity. Also min_impurity_decrease.
    bootstrap : bool, default True
        Each tree learns from rows drawn with replacement; false: from all rows (balanced: drawn without replacement).
    max_samples : float, default 1.0
        1e-06 to 1. Draws of a tree, as a share of the rows (balanced: of the rarer class, from each class). Also
        subsample, sample_fraction.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows where splits are chosen; leaves hold the shares as they
        are. Also scale_pos_weight.
    smoothing : float, default 0.5
        0 to 1000000000. Rows without positives that join every leaf, so that a leaf of a few rows is believed less:
        positives / (rows + smoothing). 0: shares as they are.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    positive_bins : float, default 0.3
        0 to 0.9. Share of the bins that is cut where the positives lie, on large data with rare positives.
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "balanced-random-forest"
    _family = "forest"
    _params = {"n_trees": ("n_trees", 100), "criterion": ("criterion", 'gini'), "max_features": ("max_features", 'auto'), "max_depth":
        ("max_depth", 0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0),
        "min_child_weight": ("min_child_weight", 0.0), "gamma": ("gamma", 0.0), "bootstrap": ("bootstrap", True), "max_samples":
        ("max_samples", 1.0), "pos_weight": ("pos_weight", 1.0), "smoothing": ("smoothing", 0.5), "max_bins": ("max_bins", 255),
        "positive_bins": ("positive_bins", 0.3), "min_category_rows": ("min_category_rows", 1)}
    _aliases = {"n_estimators": "n_trees", "num_trees": "n_trees", "colsample_node": "max_features", "colsample_bynode": "max_features",
        "min_samples_leaf": "min_child_rows", "min_data_in_leaf": "min_child_rows", "min_weight_leaf": "min_child_weight",
        "min_impurity_decrease": "gamma", "subsample": "max_samples", "sample_fraction": "max_samples", "scale_pos_weight":
        "pos_weight", "max_bin": "max_bins", "min_data_per_group": "min_category_rows"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 100, criterion: Literal["gini", "entropy"] = 'gini', max_features: float | Literal["auto"] = 'auto',
        max_depth: int = 0, min_child_rows: int = 1, min_child_positives: int = 0, min_child_weight: float = 0.0,
        gamma: float = 0.0, bootstrap: bool = True, max_samples: float = 1.0, pos_weight: float = 1.0, smoothing: float = 0.5,
        max_bins: int = 255, positive_bins: float = 0.3, min_category_rows: int = 1,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.criterion = criterion
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.min_child_weight = min_child_weight
        self.gamma = gamma
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.pos_weight = pos_weight
        self.smoothing = smoothing
        self.max_bins = max_bins
        self.positive_bins = positive_bins
        self.min_category_rows = min_category_rows
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class CARTClassifier(ScarceClassifier):
    """The method cart (ranking trees).

    One decision tree, as few rules as its leaves, by gini, entropy or average precision. scarce show prints it, its rules,
    SQL or a drawing. Ranks; with scores=leaf it gives probabilities.

    From: Breiman, Friedman, Olshen and Stone: Classification and Regression Trees, 1984; Alvarez and Bernard: Ranking cases
    with decision trees, 2005.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    max_depth : int, default 6
        0 to 30. Levels of the tree; 0: until every leaf is pure. Also depth.
    criterion : Literal["gini", "entropy", "ap"], default 'entropy'
        What a split is worth: impurity, bits, or the average precision of its two sides (weights there as they are;
        classes are not costed).
    scores : Literal["leaf", "distance", "leaf+distance"], default 'leaf+distance'
        Leaf: its share of positives, a probability; distance: how far from the nearest threshold, with the sign of the
        leaf's majority; leaf+distance: the leaf, and the distance among its rows.
    max_leaves : int, default 0
        0 to 1048576. Leaves at most, the best splits first; 0: no limit. Also max_leaf_nodes.
    min_gain : float, default 0.0
        0 to 1. A split must take off this share of the impurity of all rows (gini and entropy). Also
        min_impurity_decrease.
    min_child_rows : int, default 1
        1 to 1000000000. Rows in a leaf at least. Also min_samples_leaf.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    thresholds : Literal["auto", "exact", "bins"], default 'auto'
        Every midpoint between two values (exact: auto up to 50,000 rows) or up to max_bins quantiles.
    max_bins : int, default 255
        2 to 255. Of a column. Only with thresholds=auto|bins.
    max_categories : int, default 64
        0 to 16777216. Columns of more categories are not looked at: nobody reads such lists, and they fit anything; 0: no
        limit.
    round : bool, default True
        Thresholds become the shortest number that parts the training rows alike; false: midpoints or edges of bins.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "cart"
    _family = "ranking trees"
    _params = {"max_depth": ("max_depth", 6), "criterion": ("criterion", 'entropy'), "scores": ("scores", 'leaf+distance'),
        "max_leaves": ("max_leaves", 0), "min_gain": ("min_gain", 0.0), "min_child_rows": ("min_child_rows", 1), "pos_weight":
        ("pos_weight", 1.0), "thresholds": ("thresholds", 'auto'), "max_bins": ("max_bins", 255), "max_categories":
        ("max_categories", 64), "round": ("round", True)}
    _aliases = {"depth": "max_depth", "max_leaf_nodes": "max_leaves", "min_impurity_decrease": "min_gain", "min_samples_leaf":
        "min_child_rows", "scale_pos_weight": "pos_weight"}

    @takes_aliases
    def __init__(
        self, *, max_depth: int = 6, criterion: Literal["gini", "entropy", "ap"] = 'entropy',
        scores: Literal["leaf", "distance", "leaf+distance"] = 'leaf+distance', max_leaves: int = 0, min_gain: float = 0.0,
        min_child_rows: int = 1, pos_weight: float = 1.0, thresholds: Literal["auto", "exact", "bins"] = 'auto',
        max_bins: int = 255, max_categories: int = 64, round: bool = True,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_depth = max_depth
        self.criterion = criterion
        self.scores = scores
        self.max_leaves = max_leaves
        self.min_gain = min_gain
        self.min_child_rows = min_child_rows
        self.pos_weight = pos_weight
        self.thresholds = thresholds
        self.max_bins = max_bins
        self.max_categories = max_categories
        self.round = round
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class TreeRankClassifier(ScarceClassifier):
    """The method treerank (ranking trees).

    A tree of trees that raises the area under the ROC curve: the leaves of each inner tree are merged into an enriched side
    and the rest. Few leaves, read as rules. Ranks only.

    From: Clemencon and Vayatis: Tree-based ranking methods, IEEE Transactions on Information Theory 55 (2009).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    max_depth : int, default 5
        1 to 30. Levels of the meta-tree, and of the tree inside each of its nodes. Also depth.
    inner_depth : int, default 0
        0 to 30. Levels of the inner trees where they differ; 0: max_depth.
    tie_break : bool, default True
        Tell the rows of a leaf apart by their distance to the nearest threshold; never changes the order of leaves.
    min_child_rows : int, default 1
        1 to 1000000000. Rows in a leaf at least. Also min_samples_leaf.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    thresholds : Literal["auto", "exact", "bins"], default 'auto'
        Every midpoint between two values (exact: auto up to 50,000 rows) or up to max_bins quantiles.
    max_bins : int, default 255
        2 to 255. Of a column. Only with thresholds=auto|bins.
    max_categories : int, default 64
        0 to 16777216. Columns of more categories are not looked at: nobody reads such lists, and they fit anything; 0: no
        limit.
    round : bool, default True
        Thresholds become the shortest number that parts the training rows alike; false: midpoints or edges of bins.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "treerank"
    _family = "ranking trees"
    _params = {"max_depth": ("max_depth", 5), "inner_depth": ("inner_depth", 0), "tie_break": ("tie_break", True), "min_child_rows":
        ("min_child_rows", 1), "pos_weight": ("pos_weight", 1.0), "thresholds": ("thresholds", 'auto'), "max_bins": ("max_bins",
        255), "max_categories": ("max_categories", 64), "round": ("round", True)}
    _aliases = {"depth": "max_depth", "min_samples_leaf": "min_child_rows", "scale_pos_weight": "pos_weight"}

    @takes_aliases
    def __init__(
        self, *, max_depth: int = 5, inner_depth: int = 0, tie_break: bool = True, min_child_rows: int = 1, pos_weight: float = 1.0,
        thresholds: Literal["auto", "exact", "bins"] = 'auto', max_bins: int = 255, max_categories: int = 64, round: bool = True,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_depth = max_depth
        self.inner_depth = inner_depth
        self.tie_break = tie_break
        self.min_child_rows = min_child_rows
        self.pos_weight = pos_weight
        self.thresholds = thresholds
        self.max_bins = max_bins
        self.max_categories = max_categories
        self.round = round
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MetaAPClassifier(ScarceClassifier):
    """The method metaap (ranking trees).

    A tree of trees that raises average precision, so the top of the list: for auditors who must say why a row was chosen.
    Ahead of other single trees where positives are rare. Ranks only.

    From: Viola, Gautheron, Habrard and Sebban: MetaAP, Pattern Recognition Letters 161 (2022).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    max_depth : int, default 5
        1 to 30. Levels of the meta-tree, and of the tree inside each of its nodes. Also depth.
    inner_depth : int, default 0
        0 to 30. Levels of the inner trees where they differ; 0: max_depth.
    tie_break : bool, default True
        Tell the rows of a leaf apart by their distance to the nearest threshold; never changes the order of leaves.
    min_child_rows : int, default 1
        1 to 1000000000. Rows in a leaf at least. Also min_samples_leaf.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    thresholds : Literal["auto", "exact", "bins"], default 'auto'
        Every midpoint between two values (exact: auto up to 50,000 rows) or up to max_bins quantiles.
    max_bins : int, default 255
        2 to 255. Of a column. Only with thresholds=auto|bins.
    max_categories : int, default 64
        0 to 16777216. Columns of more categories are not looked at: nobody reads such lists, and they fit anything; 0: no
        limit.
    round : bool, default True
        Thresholds become the shortest number that parts the training rows alike; false: midpoints or edges of bins.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "metaap"
    _family = "ranking trees"
    _params = {"max_depth": ("max_depth", 5), "inner_depth": ("inner_depth", 0), "tie_break": ("tie_break", True), "min_child_rows":
        ("min_child_rows", 1), "pos_weight": ("pos_weight", 1.0), "thresholds": ("thresholds", 'auto'), "max_bins": ("max_bins",
        255), "max_categories": ("max_categories", 64), "round": ("round", True)}
    _aliases = {"depth": "max_depth", "min_samples_leaf": "min_child_rows", "scale_pos_weight": "pos_weight"}

    @takes_aliases
    def __init__(
        self, *, max_depth: int = 5, inner_depth: int = 0, tie_break: bool = True, min_child_rows: int = 1, pos_weight: float = 1.0,
        thresholds: Literal["auto", "exact", "bins"] = 'auto', max_bins: int = 255, max_categories: int = 64, round: bool = True,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_depth = max_depth
        self.inner_depth = inner_depth
        self.tie_break = tie_break
        self.min_child_rows = min_child_rows
        self.pos_weight = pos_weight
        self.thresholds = thresholds
        self.max_bins = max_bins
        self.max_categories = max_categories
        self.round = round
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class TreeRankForestClassifier(ScarceClassifier):
    """The method treerank-forest (ranking trees).

    The mean of many treeranks, each on a bootstrap of the rows: ranks better than one, and no longer reads as rules. Ranks
    only.

    From: Clemencon, Depecker and Vayatis: Ranking forests, JMLR 14 (2013).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 100
        1 to 100000. Ranking trees, each on a bootstrap of the rows; the score is the mean of theirs. Also n_estimators,
        members.
    colsample_node : float, default 1.0
        1e-06 to 1. Share of the features that a split may look at. Also max_features.
    max_depth : int, default 5
        1 to 30. Levels of the meta-tree, and of the tree inside each of its nodes. Also depth.
    inner_depth : int, default 0
        0 to 30. Levels of the inner trees where they differ; 0: max_depth.
    tie_break : bool, default True
        Tell the rows of a leaf apart by their distance to the nearest threshold; never changes the order of leaves.
    min_child_rows : int, default 1
        1 to 1000000000. Rows in a leaf at least. Also min_samples_leaf.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    thresholds : Literal["auto", "exact", "bins"], default 'auto'
        Every midpoint between two values (exact: auto up to 50,000 rows) or up to max_bins quantiles.
    max_bins : int, default 255
        2 to 255. Of a column. Only with thresholds=auto|bins.
    max_categories : int, default 64
        0 to 16777216. Columns of more categories are not looked at: nobody reads such lists, and they fit anything; 0: no
        limit.
    round : bool, default True
        Thresholds become the shortest number that parts the training rows alike; false: midpoints or edges of bins.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "treerank-forest"
    _family = "ranking trees"
    _params = {"n_trees": ("n_trees", 100), "colsample_node": ("colsample_node", 1.0), "max_depth": ("max_depth", 5), "inner_depth":
        ("inner_depth", 0), "tie_break": ("tie_break", True), "min_child_rows": ("min_child_rows", 1), "pos_weight":
        ("pos_weight", 1.0), "thresholds": ("thresholds", 'auto'), "max_bins": ("max_bins", 255), "max_categories":
        ("max_categories", 64), "round": ("round", True)}
    _aliases = {"n_estimators": "n_trees", "members": "n_trees", "max_features": "colsample_node", "depth": "max_depth",
        "min_samples_leaf": "min_child_rows", "scale_pos_weight": "pos_weight"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 100, colsample_node: float = 1.0, max_depth: int = 5, inner_depth: int = 0, tie_break: bool = True,
        min_child_rows: int = 1, pos_weight: float = 1.0, thresholds: Literal["auto", "exact", "bins"] = 'auto',
        max_bins: int = 255, max_categories: int = 64, round: bool = True,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.colsample_node = colsample_node
        self.max_depth = max_depth
        self.inner_depth = inner_depth
        self.tie_break = tie_break
        self.min_child_rows = min_child_rows
        self.pos_weight = pos_weight
        self.thresholds = thresholds
        self.max_bins = max_bins
        self.max_categories = max_categories
        self.round = round
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MetaAPForestClassifier(ScarceClassifier):
    """The method metaap-forest (ranking trees).

    The mean of many metaaps, each on a bootstrap of the rows: ranks better than one, and no longer reads as rules. Ranks
    only.

    From: Viola, Gautheron, Habrard and Sebban: MetaAP, Pattern Recognition Letters 161 (2022).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 100
        1 to 100000. Ranking trees, each on a bootstrap of the rows; the score is the mean of theirs. Also n_estimators,
        members.
    colsample_node : float, default 1.0
        1e-06 to 1. Share of the features that a split may look at. Also max_features.
    max_depth : int, default 5
        1 to 30. Levels of the meta-tree, and of the tree inside each of its nodes. Also depth.
    inner_depth : int, default 0
        0 to 30. Levels of the inner trees where they differ; 0: max_depth.
    tie_break : bool, default True
        Tell the rows of a leaf apart by their distance to the nearest threshold; never changes the order of leaves.
    min_child_rows : int, default 1
        1 to 1000000000. Rows in a leaf at least. Also min_samples_leaf.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    thresholds : Literal["auto", "exact", "bins"], default 'auto'
        Every midpoint between two values (exact: auto up to 50,000 rows) or up to max_bins quantiles.
    max_bins : int, default 255
        2 to 255. Of a column. Only with thresholds=auto|bins.
    max_categories : int, default 64
        0 to 16777216. Columns of more categories are not looked at: nobody reads such lists, and they fit anything; 0: no
        limit.
    round : bool, default True
        Thresholds become the shortest number that parts the training rows alike; false: midpoints or edges of bins.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "metaap-forest"
    _family = "ranking trees"
    _params = {"n_trees": ("n_trees", 100), "colsample_node": ("colsample_node", 1.0), "max_depth": ("max_depth", 5), "inner_depth":
        ("inner_depth", 0), "tie_break": ("tie_break", True), "min_child_rows": ("min_child_rows", 1), "pos_weight":
        ("pos_weight", 1.0), "thresholds": ("thresholds", 'auto'), "max_bins": ("max_bins", 255), "max_categories":
        ("max_categories", 64), "round": ("round", True)}
    _aliases = {"n_estimators": "n_trees", "members": "n_trees", "max_features": "colsample_node", "depth": "max_depth",
        "min_samples_leaf": "min_child_rows", "scale_pos_weight": "pos_weight"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 100, colsample_node: float = 1.0, max_depth: int = 5, inner_depth: int = 0, tie_break: bool = True,
        min_child_rows: int = 1, pos_weight: float = 1.0, thresholds: Literal["auto", "exact", "bins"] = 'auto',
        max_bins: int = 255, max_categories: int = 64, round: bool = True,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.colsample_node = colsample_node
        self.max_depth = max_depth
        self.inner_depth = inner_depth
        self.tie_break = tie_break
        self.min_child_rows = min_child_rows
        self.pos_weight = pos_weight
        self.thresholds = thresholds
        self.max_bins = max_bins
        self.max_categories = max_categories
        self.round = round
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class DSStGrBoostClassifier(ScarceClassifier):
    """The method ds-st-grboost (ensemble).

    Stochastic boosting of stumps on one balanced sample: all positives and as many negatives, drawn once. Quick on large
    data; throws most negatives away. Probabilities are put right by the known change of the odds.

    From: Friedman: Stochastic gradient boosting, Computational Statistics & Data Analysis 38 (2002), on a balanced sample.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 500
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float, default 0.1
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int | Literal["auto"], default 'auto'
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 1
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 1.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    reg_lambda : float, default 1e-16
        0 to 1000000000000. L2 penalty on leaf values. Also lambda, lambda_l2, l2_regularization.
    alpha : float, default 0.0
        0 to 1000000000000. L1 penalty on leaf values. Also reg_alpha, lambda_l1.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    max_delta_step : float, default 1.0
        0 to 1000000000000. Largest leaf value before the learning rate (0: no limit). At rare positives the most
        important of all: see docs/research/defaults.md. Also max_leaf_output.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'best'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    subsample : float, default 0.5
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    f0 : Literal["bag", "full"], default 'bag'
        What members begin with: the log-odds of a balanced sample (0), or of all rows (with few positives members may
        then never split).
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "ds-st-grboost"
    _family = "ensemble"
    _params = {"n_trees": ("n_trees", 500), "learning_rate": ("learning_rate", 0.1), "max_leaves": ("max_leaves", 'auto'), "max_depth":
        ("max_depth", 1), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight": ("min_child_weight",
        1.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0), "reg_lambda": ("lambda",
        1e-16), "alpha": ("alpha", 0.0), "gamma": ("gamma", 0.0), "max_delta_step": ("max_delta_step", 1.0), "colsample":
        ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0), "miss_cost":
        ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'best'), "min_category_rows":
        ("min_category_rows", 1), "label_delay": ("label_delay", 0.0), "category_splits": ("category_splits", 'auto'), "monotone":
        ("monotone", ''), "interactions": ("interactions", ''), "histogram": ("histogram", 'integer'), "positive_bins":
        ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every": ("eval_every", 'auto'), "subsample":
        ("subsample", 0.5), "refresh": ("refresh", 'auto'), "f0": ("f0", 'bag')}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "lambda": "reg_lambda", "lambda_l2": "reg_lambda",
        "l2_regularization": "reg_lambda", "reg_alpha": "alpha", "lambda_l1": "alpha", "min_split_loss": "gamma",
        "min_gain_to_split": "gamma", "max_leaf_output": "max_delta_step", "colsample_bytree": "colsample", "feature_fraction":
        "colsample", "colsample_bynode": "colsample_node", "feature_fraction_bynode": "colsample_node", "scale_pos_weight":
        "pos_weight", "cost_fn": "miss_cost", "cost_fp": "alarm_cost", "min_data_per_group": "min_category_rows",
        "monotone_constraints": "monotone", "interaction_constraints": "interactions", "metric_freq": "eval_every",
        "bagging_fraction": "subsample"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 500, learning_rate: float = 0.1, max_leaves: int | Literal["auto"] = 'auto', max_depth: int = 1,
        growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 1.0, min_child_rows: int = 1,
        min_child_positives: int = 0, reg_lambda: float = 1e-16, alpha: float = 0.0, gamma: float = 0.0,
        max_delta_step: float = 1.0, colsample: float = 1.0, colsample_node: float | Literal["auto"] = 'auto',
        pos_weight: float = 1.0, miss_cost: float = 1.0, alarm_cost: float = 1.0,
        splits: Literal["auto", "best", "random"] = 'best', min_category_rows: int = 1, label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', subsample: float = 0.5, refresh: int | Literal["auto"] = 'auto',
        f0: Literal["bag", "full"] = 'bag',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.reg_lambda = reg_lambda
        self.alpha = alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.subsample = subsample
        self.refresh = refresh
        self.f0 = f0
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class StEnsembleClassifier(ScarceClassifier):
    """The method st-ensemble (ensemble).

    Boosters of stumps, each on a balanced sample of its own, summed up: what one sample throws away another one sees. The sum
    ranks; aggregate=avg gives probabilities.

    From: Liu, Wu and Zhou: Exploratory undersampling for class-imbalance learning, IEEE SMC B 39 (2009).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    n_trees : int, default 500
        1 to 1000000. Trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class
        and neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on small
        data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the best
        thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on half of the
        features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer than 10,000 rows
        with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, rate 0.05 and half of the
        features per node. Also n_estimators, num_boost_round, num_iterations, num_trees, num_round.
    learning_rate : float, default 0.1
        1e-06 to 1. What each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see
        n_trees). Also eta, shrinkage_rate.
    max_leaves : int | Literal["auto"], default 'auto'
        0 to 65536. Leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63
        (see n_trees). Also num_leaves, max_leaf_nodes.
    max_depth : int, default 1
        0 to 64. Depth of a tree (0: no limit; 1: stumps).
    growth : Literal["best", "level"], default 'best'
        Split the leaf with the highest gain next, or level by level. Also grow_policy.
    max_bins : int, default 255
        2 to 255. Bins of a numeric feature, beside one for missing. Also max_bin.
    min_child_weight : float, default 1.0
        0 to 1000000000000. Least sum of hessians in a leaf. Also min_sum_hessian_in_leaf, min_sum_hessian.
    min_child_rows : int, default 1
        1 to 1000000000. Least rows in a leaf. Also min_data_in_leaf, min_child_samples, min_samples_leaf.
    min_child_positives : int, default 0
        0 to 1000000000. Least positives in a leaf.
    reg_lambda : float, default 1e-16
        0 to 1000000000000. L2 penalty on leaf values. Also lambda, lambda_l2, l2_regularization.
    alpha : float, default 0.0
        0 to 1000000000000. L1 penalty on leaf values. Also reg_alpha, lambda_l1.
    gamma : float, default 0.0
        0 to 1000000000000. Least gain of a split. Also min_split_loss, min_gain_to_split.
    max_delta_step : float, default 1.0
        0 to 1000000000000. Largest leaf value before the learning rate (0: no limit). At rare positives the most
        important of all: see docs/research/defaults.md. Also max_leaf_output.
    colsample : float, default 1.0
        1e-06 to 1. Share of the features each tree sees. Also colsample_bytree, feature_fraction.
    colsample_node : float | Literal["auto"], default 'auto'
        1e-06 to 1. Share of those each node sees. auto: 1, or 0.5 (see n_trees). Also colsample_bynode,
        feature_fraction_bynode.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it where there are
        any. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    splits : Literal["auto", "best", "random"], default 'best'
        The best threshold of each feature, or one drawn at random (for small data, with many trees). auto: best; on small
        data random, or best where held-out rows want that (see n_trees).
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories are pooled with unknown ones. Also min_data_per_group.
    label_delay : float, default 0.0
        0 to 1e+18. Where rows have times: how long their labels take to come, in units of the time column (seconds where
        it holds dates). A share of positives then counts rows at least so much older: 604800 for a week.
    category_splits : Literal["auto", "sorted", "all"], default 'auto'
        How categories are split: sorted by their gradients, the best or a random place in that order; or also one against
        the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, else the alphabet).
        auto: sorted; on small data both where held-out rows want that (see n_trees).
    monotone : str, default ''
        The score may only rise (1) or fall (-1) with a feature: amount:1,age:-1. Also monotone_constraints.
    interactions : str, default ''
        Features that may meet in one tree path, in groups: amount+hour,country+channel. Also interaction_constraints.
    histogram : Literal["integer", "double"], default 'integer'
        Sums of gradients as scaled integers (exact, fast) or doubles.
    positive_bins : float, default 0.3
        0 to 0.9. From 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when
        they are rarer (0: none).
    rounding : float, default 0.03125
        0 to 0.5. From 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to
        their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding).
    eval_every : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as
        many as `refresh` says. Also metric_freq.
    subsample : float, default 0.5
        1e-06 to 1. Share of the rows each tree sees. Only with sample=auto|uniform|stratified|mvs. Also bagging_fraction.
    refresh : int | Literal["auto"], default 'auto'
        1 to 1000000. Trees a sample is kept. auto: 1, with importance 2. Only with
        sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote.
    members : int, default 10
        1 to 10000. Boosters, each on a balanced sample of its own. Also n_members, bags.
    aggregate : Literal["sum", "avg"], default 'sum'
        The score is the sum of the members' scores, or their mean: the same order of rows, but only the mean gives
        probabilities.
    f0 : Literal["bag", "full"], default 'bag'
        What members begin with: the log-odds of a balanced sample (0), or of all rows (with few positives members may
        then never split).
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "st-ensemble"
    _family = "ensemble"
    _params = {"n_trees": ("n_trees", 500), "learning_rate": ("learning_rate", 0.1), "max_leaves": ("max_leaves", 'auto'), "max_depth":
        ("max_depth", 1), "growth": ("growth", 'best'), "max_bins": ("max_bins", 255), "min_child_weight": ("min_child_weight",
        1.0), "min_child_rows": ("min_child_rows", 1), "min_child_positives": ("min_child_positives", 0), "reg_lambda": ("lambda",
        1e-16), "alpha": ("alpha", 0.0), "gamma": ("gamma", 0.0), "max_delta_step": ("max_delta_step", 1.0), "colsample":
        ("colsample", 1.0), "colsample_node": ("colsample_node", 'auto'), "pos_weight": ("pos_weight", 1.0), "miss_cost":
        ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0), "splits": ("splits", 'best'), "min_category_rows":
        ("min_category_rows", 1), "label_delay": ("label_delay", 0.0), "category_splits": ("category_splits", 'auto'), "monotone":
        ("monotone", ''), "interactions": ("interactions", ''), "histogram": ("histogram", 'integer'), "positive_bins":
        ("positive_bins", 0.3), "rounding": ("rounding", 0.03125), "eval_every": ("eval_every", 'auto'), "subsample":
        ("subsample", 0.5), "refresh": ("refresh", 'auto'), "members": ("members", 10), "aggregate": ("aggregate", 'sum'), "f0":
        ("f0", 'bag')}
    _aliases = {"n_estimators": "n_trees", "num_boost_round": "n_trees", "num_iterations": "n_trees", "num_trees": "n_trees",
        "num_round": "n_trees", "eta": "learning_rate", "shrinkage_rate": "learning_rate", "num_leaves": "max_leaves",
        "max_leaf_nodes": "max_leaves", "grow_policy": "growth", "max_bin": "max_bins", "min_sum_hessian_in_leaf":
        "min_child_weight", "min_sum_hessian": "min_child_weight", "min_data_in_leaf": "min_child_rows", "min_child_samples":
        "min_child_rows", "min_samples_leaf": "min_child_rows", "lambda": "reg_lambda", "lambda_l2": "reg_lambda",
        "l2_regularization": "reg_lambda", "reg_alpha": "alpha", "lambda_l1": "alpha", "min_split_loss": "gamma",
        "min_gain_to_split": "gamma", "max_leaf_output": "max_delta_step", "colsample_bytree": "colsample", "feature_fraction":
        "colsample", "colsample_bynode": "colsample_node", "feature_fraction_bynode": "colsample_node", "scale_pos_weight":
        "pos_weight", "cost_fn": "miss_cost", "cost_fp": "alarm_cost", "min_data_per_group": "min_category_rows",
        "monotone_constraints": "monotone", "interaction_constraints": "interactions", "metric_freq": "eval_every",
        "bagging_fraction": "subsample", "n_members": "members", "bags": "members"}

    @takes_aliases
    def __init__(
        self, *, n_trees: int = 500, learning_rate: float = 0.1, max_leaves: int | Literal["auto"] = 'auto', max_depth: int = 1,
        growth: Literal["best", "level"] = 'best', max_bins: int = 255, min_child_weight: float = 1.0, min_child_rows: int = 1,
        min_child_positives: int = 0, reg_lambda: float = 1e-16, alpha: float = 0.0, gamma: float = 0.0,
        max_delta_step: float = 1.0, colsample: float = 1.0, colsample_node: float | Literal["auto"] = 'auto',
        pos_weight: float = 1.0, miss_cost: float = 1.0, alarm_cost: float = 1.0,
        splits: Literal["auto", "best", "random"] = 'best', min_category_rows: int = 1, label_delay: float = 0.0,
        category_splits: Literal["auto", "sorted", "all"] = 'auto', monotone: str = '', interactions: str = '',
        histogram: Literal["integer", "double"] = 'integer', positive_bins: float = 0.3, rounding: float = 0.03125,
        eval_every: int | Literal["auto"] = 'auto', subsample: float = 0.5, refresh: int | Literal["auto"] = 'auto',
        members: int = 10, aggregate: Literal["sum", "avg"] = 'sum', f0: Literal["bag", "full"] = 'bag',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.growth = growth
        self.max_bins = max_bins
        self.min_child_weight = min_child_weight
        self.min_child_rows = min_child_rows
        self.min_child_positives = min_child_positives
        self.reg_lambda = reg_lambda
        self.alpha = alpha
        self.gamma = gamma
        self.max_delta_step = max_delta_step
        self.colsample = colsample
        self.colsample_node = colsample_node
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.splits = splits
        self.min_category_rows = min_category_rows
        self.label_delay = label_delay
        self.category_splits = category_splits
        self.monotone = monotone
        self.interactions = interactions
        self.histogram = histogram
        self.positive_bins = positive_bins
        self.rounding = rounding
        self.eval_every = eval_every
        self.subsample = subsample
        self.refresh = refresh
        self.members = members
        self.aggregate = aggregate
        self.f0 = f0
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class EasyEnsembleClassifier(ScarceClassifier):
    """The method easy-ensemble (ensemble).

    Any method (AdaBoost in the paper) on balanced samples, all positives and as many negatives each, summed up. Ranks only:
    for probabilities add calibrate='platt' with validation rows.

    From: Liu, Wu and Zhou: Exploratory undersampling for class-imbalance learning, IEEE SMC B 39 (2009).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    inner : str, default 'auto'
        The method of the members, also with its settings (gb:n_trees=50) and a resampler before it (smote+gb). Also
        base_estimator, estimator.
    inner_settings : str, default ''
        Settings of the inner method: n_trees=50:max_depth=2. One by one: inner.n_trees=50. Also inner..
    members : int, default 10
        1 to 10000. Models, each on a sample of its own. Also n_members, n_estimators, bags.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "easy-ensemble"
    _family = "ensemble"
    _params = {"inner": ("inner", 'auto'), "inner_settings": ("inner_settings", ''), "members": ("members", 10)}
    _aliases = {"base_estimator": "inner", "estimator": "inner", "inner.": "inner_settings", "n_members": "members", "n_estimators":
        "members", "bags": "members"}

    @takes_aliases
    def __init__(
        self, *, inner: str = 'auto', inner_settings: str = '', members: int = 10,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.inner = inner
        self.inner_settings = inner_settings
        self.members = members
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class BalanceCascadeClassifier(ScarceClassifier):
    """The method balance-cascade (ensemble).

    Like easy-ensemble, but one after the other: negatives that a member is sure of are dropped, so later ones see those that
    look like positives. Sensitive to wrong labels. Ranks only.

    From: Liu, Wu and Zhou: Exploratory undersampling for class-imbalance learning, IEEE SMC B 39 (2009).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    inner : str, default 'auto'
        The method of the members, also with its settings (gb:n_trees=50) and a resampler before it (smote+gb). Also
        base_estimator, estimator.
    inner_settings : str, default ''
        Settings of the inner method: n_trees=50:max_depth=2. One by one: inner.n_trees=50. Also inner..
    members : int, default 10
        1 to 10000. Models, each on a sample of its own. Also n_members, n_estimators, bags.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "balance-cascade"
    _family = "ensemble"
    _params = {"inner": ("inner", 'auto'), "inner_settings": ("inner_settings", ''), "members": ("members", 10)}
    _aliases = {"base_estimator": "inner", "estimator": "inner", "inner.": "inner_settings", "n_members": "members", "n_estimators":
        "members", "bags": "members"}

    @takes_aliases
    def __init__(
        self, *, inner: str = 'auto', inner_settings: str = '', members: int = 10,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.inner = inner
        self.inner_settings = inner_settings
        self.members = members
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class BagClassifier(ScarceClassifier):
    """The method bag (ensemble).

    The mean of any method over samples drawn with replacement (bag:inner=logistic), of both classes alike with balanced=true:
    steadier than one model. Gives probabilities where the inner method does.

    From: Breiman: Bagging predictors, Machine Learning 24 (1996).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    inner : str, default 'gb'
        The method of the members, also with its settings (gb:n_trees=50) and a resampler before it (smote+gb). Also
        base_estimator, estimator.
    inner_settings : str, default ''
        Settings of the inner method: n_trees=50:max_depth=2. One by one: inner.n_trees=50. Also inner..
    members : int, default 10
        1 to 10000. Models, each on a sample of its own. Also n_members, n_estimators, bags.
    balanced : bool, default False
        As many draws from each class; probabilities are corrected for it.
    replace : bool, default True
        Draw with replacement; false: without (balanced: all rows of the rarer class, as many of the other). Also
        bootstrap, replacement.
    share : float, default 1.0
        1e-06 to 1. Draws of a member, as a share of the rows (balanced: of the rarer class, from each class). Also
        max_samples, subsample.
    aggregate : Literal["sum", "avg"], default 'avg'
        The score is the sum of the members' scores, or their mean: the same order of rows, but only the mean gives
        probabilities.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "bag"
    _family = "ensemble"
    _params = {"inner": ("inner", 'gb'), "inner_settings": ("inner_settings", ''), "members": ("members", 10), "balanced": ("balanced",
        False), "replace": ("replace", True), "share": ("share", 1.0), "aggregate": ("aggregate", 'avg')}
    _aliases = {"base_estimator": "inner", "estimator": "inner", "inner.": "inner_settings", "n_members": "members", "n_estimators":
        "members", "bags": "members", "bootstrap": "replace", "replacement": "replace", "max_samples": "share", "subsample":
        "share"}

    @takes_aliases
    def __init__(
        self, *, inner: str = 'gb', inner_settings: str = '', members: int = 10, balanced: bool = False, replace: bool = True,
        share: float = 1.0, aggregate: Literal["sum", "avg"] = 'avg',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.inner = inner
        self.inner_settings = inner_settings
        self.members = members
        self.balanced = balanced
        self.replace = replace
        self.share = share
        self.aggregate = aggregate
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LogisticClassifier(ScarceClassifier):
    """The method logistic (linear).

    Logistic regression with class costs: the honest baseline. Numbers are standardised, categories one-hot, missing values
    have a weight of their own. Gives probabilities.

    From: Lin, Weng and Keerthi: Trust region Newton method for large-scale logistic regression, JMLR 9 (2008).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    c : float, default 1.0
        1e-09 to 1000000000. Weight of the data against the penalty 1/2 |w|^2; smaller is smoother. Also C, cost.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    tolerance : float, default 1e-05
        1e-12 to 1. Stop when the gradient is this small against that of the constant model. Also tol.
    max_iterations : int, default 100
        1 to 100000. Newton steps at most. Also max_iter.
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories share a weight with unknown ones. Also min_frequency.
    standardize : bool, default True
        Scale columns to standard deviation 1 before learning (weights are folded back).
    solver : Literal["newton", "liblinear"], default 'newton'
        Newton: ours, in parallel, with case weights; liblinear: the library, one thread.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "logistic"
    _family = "linear"
    _params = {"c": ("c", 1.0), "pos_weight": ("pos_weight", 1.0), "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0),
        "tolerance": ("tolerance", 1e-05), "max_iterations": ("max_iterations", 100), "min_category_rows": ("min_category_rows",
        1), "standardize": ("standardize", True), "solver": ("solver", 'newton')}
    _aliases = {"C": "c", "cost": "c", "scale_pos_weight": "pos_weight", "cost_fn": "miss_cost", "cost_fp": "alarm_cost", "tol":
        "tolerance", "max_iter": "max_iterations", "min_frequency": "min_category_rows"}

    @takes_aliases
    def __init__(
        self, *, c: float = 1.0, pos_weight: float = 1.0, miss_cost: float = 1.0, alarm_cost: float = 1.0, tolerance: float = 1e-05,
        max_iterations: int = 100, min_category_rows: int = 1, standardize: bool = True,
        solver: Literal["newton", "liblinear"] = 'newton',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.c = c
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.min_category_rows = min_category_rows
        self.standardize = standardize
        self.solver = solver
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LinearSVMClassifier(ScarceClassifier):
    """The method linear-svm (linear).

    Linear support vector machine (squared hinge) with class costs. Ranks only: for probabilities add calibrate='platt' with
    validation rows.

    From: Fan, Chang, Hsieh, Wang and Lin: LIBLINEAR, JMLR 9 (2008).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    c : float, default 1.0
        1e-09 to 1000000000. Weight of the data against the penalty 1/2 |w|^2; smaller is smoother. Also C, cost.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows; probabilities are corrected for it. Also
        scale_pos_weight.
    miss_cost : float, default 1.0
        1e-09 to 1000000000. What a missed positive costs: its weight; probabilities are corrected for it. Also cost_fn.
    alarm_cost : float, default 1.0
        1e-09 to 1000000000. What a false alarm costs: the weight of a negative; probabilities likewise. Also cost_fp.
    tolerance : float, default 1e-09
        1e-12 to 1. Stop when the gradient is this small against that of the constant model. Also tol.
    max_iterations : int, default 100
        1 to 100000. Newton steps at most. Also max_iter.
    min_category_rows : int, default 1
        1 to 1000000000. Rarer categories share a weight with unknown ones. Also min_frequency.
    standardize : bool, default True
        Scale columns to standard deviation 1 before learning (weights are folded back).
    solver : Literal["newton", "liblinear"], default 'newton'
        Newton: ours, in parallel, with case weights; liblinear: the library, one thread.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "linear-svm"
    _family = "linear"
    _params = {"c": ("c", 1.0), "pos_weight": ("pos_weight", 1.0), "miss_cost": ("miss_cost", 1.0), "alarm_cost": ("alarm_cost", 1.0),
        "tolerance": ("tolerance", 1e-09), "max_iterations": ("max_iterations", 100), "min_category_rows": ("min_category_rows",
        1), "standardize": ("standardize", True), "solver": ("solver", 'newton')}
    _aliases = {"C": "c", "cost": "c", "scale_pos_weight": "pos_weight", "cost_fn": "miss_cost", "cost_fp": "alarm_cost", "tol":
        "tolerance", "max_iter": "max_iterations", "min_frequency": "min_category_rows"}

    @takes_aliases
    def __init__(
        self, *, c: float = 1.0, pos_weight: float = 1.0, miss_cost: float = 1.0, alarm_cost: float = 1.0, tolerance: float = 1e-09,
        max_iterations: int = 100, min_category_rows: int = 1, standardize: bool = True,
        solver: Literal["newton", "liblinear"] = 'newton',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.c = c
        self.pos_weight = pos_weight
        self.miss_cost = miss_cost
        self.alarm_cost = alarm_cost
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.min_category_rows = min_category_rows
        self.standardize = standardize
        self.solver = solver
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class KNNClassifier(ScarceClassifier):
    """The method knn (neighbours).

    The k nearest training rows vote. Exact search; scores rank by the distances of the rows that decide the vote. Reasons are
    the rows themselves. Ranks only, with votes=share gives probabilities in steps of 1/k.

    From: Cover and Hart: Nearest neighbor pattern classification, IEEE Trans. Information Theory 13 (1967).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    k : int, default 3
        1 to 10000. Neighbours that vote; with krnn, positives that a neighbourhood holds. Also n_neighbors, neighbours.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        What a difference is divided by: standard deviation, max - min, 1. auto: standard, range where there are
        categories or missing values.
    votes : Literal["margin", "share"], default 'margin'
        What the score says of the votes: margin: D-/(D- + D+) of the neighbours that decide, which ranks finely; share:
        of the positives among the k (with knn a probability, in steps of 1/k). Only with rule=knn|cwknn|dupknn|gamma.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "knn"
    _family = "neighbours"
    _params = {"k": ("k", 3), "scale": ("scale", 'auto'), "votes": ("votes", 'margin')}
    _aliases = {"n_neighbors": "k", "neighbours": "k"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'auto', votes: Literal["margin", "share"] = 'margin',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.scale = scale
        self.votes = votes
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class WKNNClassifier(ScarceClassifier):
    """The method wknn (neighbours).

    The k nearest training rows vote, each by 1 / distance. Ranks only.

    From: Dudani: The distance-weighted k-nearest-neighbor rule, IEEE Trans. Systems, Man, and Cybernetics 6 (1976).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    k : int, default 3
        1 to 10000. Neighbours that vote; with krnn, positives that a neighbourhood holds. Also n_neighbors, neighbours.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        What a difference is divided by: standard deviation, max - min, 1. auto: standard, range where there are
        categories or missing values.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "wknn"
    _family = "neighbours"
    _params = {"k": ("k", 3), "scale": ("scale", 'auto')}
    _aliases = {"n_neighbors": "k", "neighbours": "k"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'auto',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.scale = scale
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class CWKNNClassifier(ScarceClassifier):
    """The method cwknn (neighbours).

    The k nearest vote, distances to a class times (share of the class)^(1/d): positives reach farther the rarer they are. The
    ranking is that of knn, the alerts are not. Ranks only.

    From: Barandela, Sanchez, Garcia and Rangel: Strategies for learning in class imbalance problems, Pattern Recognition 36
    (2003).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    k : int, default 3
        1 to 10000. Neighbours that vote; with krnn, positives that a neighbourhood holds. Also n_neighbors, neighbours.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        What a difference is divided by: standard deviation, max - min, 1. auto: standard, range where there are
        categories or missing values.
    votes : Literal["margin", "share"], default 'margin'
        What the score says of the votes: margin: D-/(D- + D+) of the neighbours that decide, which ranks finely; share:
        of the positives among the k (with knn a probability, in steps of 1/k). Only with rule=knn|cwknn|dupknn|gamma.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "cwknn"
    _family = "neighbours"
    _params = {"k": ("k", 3), "scale": ("scale", 'auto'), "votes": ("votes", 'margin')}
    _aliases = {"n_neighbors": "k", "neighbours": "k"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'auto', votes: Literal["margin", "share"] = 'margin',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.scale = scale
        self.votes = votes
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class DupKNNClassifier(ScarceClassifier):
    """The method dupknn (neighbours).

    The k nearest vote, every positive as often as there are negatives for it. With k = 1 the same as knn. Ranks only.

    From: Viola, Emonet, Habrard, Metzler, Riou and Sebban: An adjusted nearest neighbor algorithm maximizing the F-measure
    from imbalanced data, ICTAI 2019.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    k : int, default 3
        1 to 10000. Neighbours that vote; with krnn, positives that a neighbourhood holds. Also n_neighbors, neighbours.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        What a difference is divided by: standard deviation, max - min, 1. auto: standard, range where there are
        categories or missing values.
    votes : Literal["margin", "share"], default 'margin'
        What the score says of the votes: margin: D-/(D- + D+) of the neighbours that decide, which ranks finely; share:
        of the positives among the k (with knn a probability, in steps of 1/k). Only with rule=knn|cwknn|dupknn|gamma.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "dupknn"
    _family = "neighbours"
    _params = {"k": ("k", 3), "scale": ("scale", 'auto'), "votes": ("votes", 'margin')}
    _aliases = {"n_neighbors": "k", "neighbours": "k"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'auto', votes: Literal["margin", "share"] = 'margin',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.scale = scale
        self.votes = votes
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class KRNNClassifier(ScarceClassifier):
    """The method krnn (neighbours).

    Neighbourhoods grow until they hold k positives; where positives are denser there than by chance, negatives count less. An
    approximation of the paper's rule. Gives probabilities.

    From: Zhang and Li: A positive-biased nearest neighbour algorithm for imbalanced classification, PAKDD 2013.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    k : int, default 3
        1 to 10000. Neighbours that vote; with krnn, positives that a neighbourhood holds. Also n_neighbors, neighbours.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        What a difference is divided by: standard deviation, max - min, 1. auto: standard, range where there are
        categories or missing values.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "krnn"
    _family = "neighbours"
    _params = {"k": ("k", 3), "scale": ("scale", 'auto')}
    _aliases = {"n_neighbors": "k", "neighbours": "k"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'auto',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.scale = scale
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class GammaKNNClassifier(ScarceClassifier):
    """The method gamma-knn (neighbours).

    K-NN with distances to positives times gamma, chosen by folds for F1 or another measure, exactly: a positive reaches
    1/gamma times as far. Synthetic positives of resample= get a gamma of their own. Ranks only.

    From: Viola, Emonet, Habrard, Metzler, Riou and Sebban: An adjusted nearest neighbor algorithm maximizing the F-measure
    from imbalanced data, ICTAI 2019.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    k : int, default 3
        1 to 10000. Neighbours that vote; with krnn, positives that a neighbourhood holds. Also n_neighbors, neighbours.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        What a difference is divided by: standard deviation, max - min, 1. auto: standard, range where there are
        categories or missing values.
    votes : Literal["margin", "share"], default 'margin'
        What the score says of the votes: margin: D-/(D- + D+) of the neighbours that decide, which ranks finely; share:
        of the positives among the k (with knn a probability, in steps of 1/k). Only with rule=knn|cwknn|dupknn|gamma.
    gamma : float | Literal["auto"], default 'auto'
        0 to 100. What distances to positives are multiplied by. auto: what folds of the training rows want, up to 1. Only
        with rule=gamma.
    synthetic_gamma : float | Literal["auto"], default 'auto'
        0 to 100. The same for positives made up by resample=. auto: as gamma. Only with rule=gamma.
    measure : Literal["f1", "balanced_accuracy", "g_mean", "g_measure", "mcc"], default 'f1'
        What gamma is chosen for. Only with rule=gamma|local.
    folds : int, default 10
        0 to 100. Folds by which gamma is chosen (0: each row is left out alone). Only with rule=gamma|local.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "gamma-knn"
    _family = "neighbours"
    _params = {"k": ("k", 3), "scale": ("scale", 'auto'), "votes": ("votes", 'margin'), "gamma": ("gamma", 'auto'), "synthetic_gamma":
        ("synthetic_gamma", 'auto'), "measure": ("measure", 'f1'), "folds": ("folds", 10)}
    _aliases = {"n_neighbors": "k", "neighbours": "k"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'auto', votes: Literal["margin", "share"] = 'margin',
        gamma: float | Literal["auto"] = 'auto', synthetic_gamma: float | Literal["auto"] = 'auto',
        measure: Literal["f1", "balanced_accuracy", "g_mean", "g_measure", "mcc"] = 'f1', folds: int = 10,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.scale = scale
        self.votes = votes
        self.gamma = gamma
        self.synthetic_gamma = synthetic_gamma
        self.measure = measure
        self.folds = folds
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LocalGammaKNNClassifier(ScarceClassifier):
    """The method local-gamma-knn (neighbours).

    Gamma-knn with a gamma for each of some clusters of rows. Not ahead of one gamma in our measurements. Ranks only.

    From: Viola, Emonet, Habrard, Metzler and Sebban: Learning from few positives: a provably accurate metric learning
    algorithm to deal with imbalanced data, IJCAI 2020; thesis of R. Viola, chapter 2.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    k : int, default 3
        1 to 10000. Neighbours that vote; with krnn, positives that a neighbourhood holds. Also n_neighbors, neighbours.
    scale : Literal["auto", "standard", "range", "none"], default 'auto'
        What a difference is divided by: standard deviation, max - min, 1. auto: standard, range where there are
        categories or missing values.
    measure : Literal["f1", "balanced_accuracy", "g_mean", "g_measure", "mcc"], default 'f1'
        What gamma is chosen for. Only with rule=gamma|local.
    folds : int, default 10
        0 to 100. Folds by which gamma is chosen (0: each row is left out alone). Only with rule=gamma|local.
    clusters : int, default 5
        1 to 1000. Parts of the space with a gamma of their own. Only with rule=local. Also n_clusters, q.
    variant : Literal["v1", "v2"], default 'v2'
        V1: gamma of a cluster by its rows; v2: averaged over clusterings without each fold. Only with rule=local.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "local-gamma-knn"
    _family = "neighbours"
    _params = {"k": ("k", 3), "scale": ("scale", 'auto'), "measure": ("measure", 'f1'), "folds": ("folds", 10), "clusters": ("clusters",
        5), "variant": ("variant", 'v2')}
    _aliases = {"n_neighbors": "k", "neighbours": "k", "n_clusters": "clusters", "q": "clusters"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'auto',
        measure: Literal["f1", "balanced_accuracy", "g_mean", "g_measure", "mcc"] = 'f1', folds: int = 10, clusters: int = 5,
        variant: Literal["v1", "v2"] = 'v2',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.scale = scale
        self.measure = measure
        self.folds = folds
        self.clusters = clusters
        self.variant = variant
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MLFPClassifier(ScarceClassifier):
    """The method mlfp (metric).

    Learns a factor for each feature (full=true: a matrix) of distances to positives alone, so that they reach where few false
    alarms follow; then k-NN, with gamma besides. Ranks only.

    From: Viola, Emonet, Habrard, Metzler and Sebban: Learning from few positives: a provably accurate metric learning
    algorithm to deal with imbalanced data, IJCAI 2020.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    k : int, default 3
        1 to 64. Neighbours that vote, and of which the learner looks at pairs and triplets. Also n_neighbors, neighbours.
    scale : Literal["auto", "standard", "range", "none"], default 'standard'
        What numbers are divided by first: standard deviation, max - min, 1.
    mu : float | Literal["auto"], default 'auto'
        0 to 1000000000. Weight of |M - I|^2: the larger, the more like k-NN (with gamma=auto, like gamma-knn). auto: the
        best by three folds of 0.001, 0.01, 0.1, 1 and 1e9, which is gamma-knn. Only with rule=mlfp.
    c : float, default 0.5
        0 to 1. The margin between the classes is 1 - c. Only with rule=mlfp.
    full : bool, default False
        A full matrix (rotations too, up to 400 dimensions) instead of a factor for each feature. Only with rule=mlfp.
    triplets : Literal["near", "all"], default 'near'
        Of the k nearest of each class, or of all rows (up to 3,000). Only with rule=mlfp.
    gamma : float | Literal["auto"], default 'auto'
        0 to 100. What distances to positives are multiplied by besides. auto: what folds of the training rows want, up to
        1. Only with rule=mlfp.
    measure : Literal["f1", "balanced_accuracy", "g_mean", "g_measure", "mcc"], default 'f1'
        What gamma is chosen for. Only with rule=mlfp.
    folds : int, default 10
        0 to 100. Folds by which gamma is chosen (0: each row is left out alone). Only with rule=mlfp.
    tolerance : float, default 1e-05
        1e-15 to 1. Stop when the matrix moves less, or what is minimised falls by less than this share (itml: when its
        multipliers do). Also tol.
    max_iterations : int, default 200
        1 to 1000000. Steps at most. Only with rule=mlfp|itml|lmnn|imbml. Also max_iter.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "mlfp"
    _family = "metric"
    _params = {"k": ("k", 3), "scale": ("scale", 'standard'), "mu": ("mu", 'auto'), "c": ("c", 0.5), "full": ("full", False),
        "triplets": ("triplets", 'near'), "gamma": ("gamma", 'auto'), "measure": ("measure", 'f1'), "folds": ("folds", 10),
        "tolerance": ("tolerance", 1e-05), "max_iterations": ("max_iterations", 200)}
    _aliases = {"n_neighbors": "k", "neighbours": "k", "tol": "tolerance", "max_iter": "max_iterations"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'standard', mu: float | Literal["auto"] = 'auto',
        c: float = 0.5, full: bool = False, triplets: Literal["near", "all"] = 'near', gamma: float | Literal["auto"] = 'auto',
        measure: Literal["f1", "balanced_accuracy", "g_mean", "g_measure", "mcc"] = 'f1', folds: int = 10,
        tolerance: float = 1e-05, max_iterations: int = 200,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.scale = scale
        self.mu = mu
        self.c = c
        self.full = full
        self.triplets = triplets
        self.gamma = gamma
        self.measure = measure
        self.folds = folds
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class GMMLClassifier(ScarceClassifier):
    """The method gmml (metric).

    The geometric mean of the scatters of dissimilar and similar pairs as a metric, in closed form; then k-NN. The fastest of
    the metric learners. Ranks only.

    From: Zadeh, Hosseini and Sra: Geometric mean metric learning, ICML 2016.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    k : int, default 3
        1 to 64. Neighbours that vote, and of which the learner looks at pairs and triplets. Also n_neighbors, neighbours.
    scale : Literal["auto", "standard", "range", "none"], default 'standard'
        What numbers are divided by first: standard deviation, max - min, 1.
    t : float, default 0.5
        0 to 1. Where between the inverse of the similar and the dissimilar scatter the mean lies. Only with rule=gmml.
    regular : float, default 0.001
        1e-12 to 1000000. Share of their mean eigenvalue that the scatters get on the diagonal. Only with rule=gmml. Also
        reg.
    tolerance : float, default 1e-05
        1e-15 to 1. Stop when the matrix moves less, or what is minimised falls by less than this share (itml: when its
        multipliers do). Also tol.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "gmml"
    _family = "metric"
    _params = {"k": ("k", 3), "scale": ("scale", 'standard'), "t": ("t", 0.5), "regular": ("regular", 0.001), "tolerance": ("tolerance",
        1e-05)}
    _aliases = {"n_neighbors": "k", "neighbours": "k", "reg": "regular", "tol": "tolerance"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'standard', t: float = 0.5, regular: float = 0.001,
        tolerance: float = 1e-05,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.scale = scale
        self.t = t
        self.regular = regular
        self.tolerance = tolerance
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ITMLClassifier(ScarceClassifier):
    """The method itml (metric).

    The metric nearest to the Euclidean one (LogDet) that keeps drawn pairs within bounds; then k-NN. Ranks only.

    From: Davis, Kulis, Jain, Sra and Dhillon: Information-theoretic metric learning, ICML 2007.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    k : int, default 3
        1 to 64. Neighbours that vote, and of which the learner looks at pairs and triplets. Also n_neighbors, neighbours.
    scale : Literal["auto", "standard", "range", "none"], default 'standard'
        What numbers are divided by first: standard deviation, max - min, 1.
    slack : float, default 0.03
        1e-09 to 1000000000. How strictly pairs keep to their bounds: larger is stricter. Only with rule=itml.
    pairs : int, default 500
        1 to 1000000. Pairs of each sort, drawn at random. Only with rule=itml. Also n_constraints.
    tolerance : float, default 1e-05
        1e-15 to 1. Stop when the matrix moves less, or what is minimised falls by less than this share (itml: when its
        multipliers do). Also tol.
    max_iterations : int, default 200
        1 to 1000000. Steps at most. Only with rule=mlfp|itml|lmnn|imbml. Also max_iter.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "itml"
    _family = "metric"
    _params = {"k": ("k", 3), "scale": ("scale", 'standard'), "slack": ("slack", 0.03), "pairs": ("pairs", 500), "tolerance":
        ("tolerance", 1e-05), "max_iterations": ("max_iterations", 200)}
    _aliases = {"n_neighbors": "k", "neighbours": "k", "n_constraints": "pairs", "tol": "tolerance", "max_iter": "max_iterations"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'standard', slack: float = 0.03, pairs: int = 500,
        tolerance: float = 1e-05, max_iterations: int = 200,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.scale = scale
        self.slack = slack
        self.pairs = pairs
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class LMNNClassifier(ScarceClassifier):
    """The method lmnn (metric).

    A metric that pulls the k nearest of the same class near and pushes others out of their margin; then k-NN. Ranks only.

    From: Weinberger and Saul: Distance metric learning for large margin nearest neighbor classification, JMLR 10 (2009).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    k : int, default 3
        1 to 64. Neighbours that vote, and of which the learner looks at pairs and triplets. Also n_neighbors, neighbours.
    scale : Literal["auto", "standard", "range", "none"], default 'standard'
        What numbers are divided by first: standard deviation, max - min, 1.
    push : float, default 0.5
        0 to 1. Weight of impostors that are pushed away against targets that are pulled near. Only with rule=lmnn|iml.
    tolerance : float, default 1e-05
        1e-15 to 1. Stop when the matrix moves less, or what is minimised falls by less than this share (itml: when its
        multipliers do). Also tol.
    max_iterations : int, default 100
        1 to 1000000. Steps at most. Only with rule=mlfp|itml|lmnn|imbml. Also max_iter.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "lmnn"
    _family = "metric"
    _params = {"k": ("k", 3), "scale": ("scale", 'standard'), "push": ("push", 0.5), "tolerance": ("tolerance", 1e-05),
        "max_iterations": ("max_iterations", 100)}
    _aliases = {"n_neighbors": "k", "neighbours": "k", "tol": "tolerance", "max_iter": "max_iterations"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'standard', push: float = 0.5,
        tolerance: float = 1e-05, max_iterations: int = 100,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.scale = scale
        self.push = push
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ImbMLClassifier(ScarceClassifier):
    """The method imbml (metric).

    A metric from similar and dissimilar pairs of which every sort counts alike, however few positives there are; then k-NN.
    Ranks only.

    From: Gautheron, Habrard, Morvant and Sebban: Metric learning from imbalanced data, ICTAI 2019.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    k : int, default 3
        1 to 64. Neighbours that vote, and of which the learner looks at pairs and triplets. Also n_neighbors, neighbours.
    scale : Literal["auto", "standard", "range", "none"], default 'standard'
        What numbers are divided by first: standard deviation, max - min, 1.
    margin : float, default 1.0
        0 to 1000000. Dissimilar pairs should be 1 + margin apart (squared), similar ones 1. Only with rule=imbml. Also m.
    reg_lambda : float, default 0.01
        0 to 1000000000. Weight of |M - I|^2. Only with rule=imbml. Also lambda.
    share : float, default 0.5
        0 to 1. What pairs of positives count against those of negatives. Only with rule=imbml. Also a.
    tolerance : float, default 1e-05
        1e-15 to 1. Stop when the matrix moves less, or what is minimised falls by less than this share (itml: when its
        multipliers do). Also tol.
    max_iterations : int, default 200
        1 to 1000000. Steps at most. Only with rule=mlfp|itml|lmnn|imbml. Also max_iter.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "imbml"
    _family = "metric"
    _params = {"k": ("k", 3), "scale": ("scale", 'standard'), "margin": ("margin", 1.0), "reg_lambda": ("lambda", 0.01), "share":
        ("share", 0.5), "tolerance": ("tolerance", 1e-05), "max_iterations": ("max_iterations", 200)}
    _aliases = {"n_neighbors": "k", "neighbours": "k", "m": "margin", "lambda": "reg_lambda", "a": "share", "tol": "tolerance",
        "max_iter": "max_iterations"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'standard', margin: float = 1.0,
        reg_lambda: float = 0.01, share: float = 0.5, tolerance: float = 1e-05, max_iterations: int = 200,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.scale = scale
        self.margin = margin
        self.reg_lambda = reg_lambda
        self.share = share
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class ONLBClassifier(OnlineClassifier):
    """The method onlb (online).

    Learns row by row: small nets combined in many latent spaces at once, one gradient through all of it. For streams (scarce
    learn) that change and do not fit in memory; on a table gb is the first choice. Gives probabilities.

    From: Frery, Habrard, Sebban, Caelen and He-Guelton: Online non-linear gradient boosting in multi-latent spaces, IDA 2018;
    the end-to-end scheme is scarce's own.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    weak : Literal["net", "linear", "tree"], default 'net'
        The weak learners: nets of a few tanh units, linear models, or trees that grow by Hoeffding's bound. Also
        base_learner.
    scheme : Literal["end-to-end", "paper"], default 'end-to-end'
        End-to-end: one gradient through all of it; paper: learner after learner, on residuals. Only with algorithm=onlb.
    n_learners : int, default 20
        1 to 256. Weak learners. Only with algorithm=onlb|online-bbm|adaboost-ol|adaboost-ol-w|ogb|streamboost. Also
        n_estimators, learners.
    spaces : int, default 30
        1 to 256. Latent spaces in which the learners are combined. Only with algorithm=onlb. Also n_spaces.
    units : int, default 2
        1 to 1024. Tanh units of a net. Only with weak=net. Also hidden_units.
    learning_rate : float, default 0.1
        1e-06 to 10. First step of every weight of a weak learner; AdaGrad shortens it. Also eta, lr.
    combine_rate : float, default 0.02
        1e-06 to 10. Onlb: step of the combination; ogb and streamboost: what a learner adds. Only with
        algorithm=onlb|ogb|streamboost.
    leak : float, default 0.1
        0 to 1. Slope of a latent space below 0 (end-to-end). Only with algorithm=onlb.
    kappa : float, default 4.0
        0.001 to 1000. How far a tree is moved where a net takes a gradient step. Only with weak=tree.
    grace : int, default 200
        1 to 1000000000. Rows between looks at a leaf. Only with weak=tree. Also grace_period.
    max_leaves : int, default 32
        1 to 1048576. Leaves of a tree at most. Only with weak=tree.
    split_confidence : float, default 0.001
        1e-12 to 0.5. Chance of a wrong split that Hoeffding's bound allows. Only with weak=tree. Also delta.
    tie : float, default 0.1
        0 to 10. Splits that are this near are equal: the first is taken. Only with weak=tree.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows (at most 1000, with its weight); probabilities are
        corrected for it. Also scale_pos_weight.
    max_categories : int, default 10000
        1 to 16777216. Categories of a column that have weights of their own; those that come later share one.
    passes : int | Literal["auto"], default 'auto'
        1 to 1000. Times the rows of a table are gone over (a stream is gone over once); auto: one, of fewer than 10,000
        rows as many as make so many, 20 at most. Also epochs.
    order : Literal["time", "rows", "random"], default 'time'
        Of the rows of a table: by time where they have one, else at random; as they are; at random: drawn anew each pass,
        by what rows hold.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "onlb"
    _family = "online"
    _params = {"weak": ("weak", 'net'), "scheme": ("scheme", 'end-to-end'), "n_learners": ("n_learners", 20), "spaces": ("spaces", 30),
        "units": ("units", 2), "learning_rate": ("learning_rate", 0.1), "combine_rate": ("combine_rate", 0.02), "leak": ("leak",
        0.1), "kappa": ("kappa", 4.0), "grace": ("grace", 200), "max_leaves": ("max_leaves", 32), "split_confidence":
        ("split_confidence", 0.001), "tie": ("tie", 0.1), "pos_weight": ("pos_weight", 1.0), "max_categories": ("max_categories",
        10000), "passes": ("passes", 'auto'), "order": ("order", 'time')}
    _aliases = {"base_learner": "weak", "n_estimators": "n_learners", "learners": "n_learners", "n_spaces": "spaces", "hidden_units":
        "units", "eta": "learning_rate", "lr": "learning_rate", "grace_period": "grace", "delta": "split_confidence",
        "scale_pos_weight": "pos_weight", "epochs": "passes"}

    @takes_aliases
    def __init__(
        self, *, weak: Literal["net", "linear", "tree"] = 'net', scheme: Literal["end-to-end", "paper"] = 'end-to-end',
        n_learners: int = 20, spaces: int = 30, units: int = 2, learning_rate: float = 0.1, combine_rate: float = 0.02,
        leak: float = 0.1, kappa: float = 4.0, grace: int = 200, max_leaves: int = 32, split_confidence: float = 0.001,
        tie: float = 0.1, pos_weight: float = 1.0, max_categories: int = 10000, passes: int | Literal["auto"] = 'auto',
        order: Literal["time", "rows", "random"] = 'time',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.weak = weak
        self.scheme = scheme
        self.n_learners = n_learners
        self.spaces = spaces
        self.units = units
        self.learning_rate = learning_rate
        self.combine_rate = combine_rate
        self.leak = leak
        self.kappa = kappa
        self.grace = grace
        self.max_leaves = max_leaves
        self.split_confidence = split_confidence
        self.tie = tie
        self.pos_weight = pos_weight
        self.max_categories = max_categories
        self.passes = passes
        self.order = order
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class OnlineBBMClassifier(OnlineClassifier):
    """The method online-bbm (online).

    Online boosting by majority: each weak learner sees a row by how much its vote would still matter. Ranks only.

    From: Beygelzimer, Kale and Luo: Optimal and adaptive algorithms for online boosting, ICML 2015.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    weak : Literal["net", "linear", "tree"], default 'net'
        The weak learners: nets of a few tanh units, linear models, or trees that grow by Hoeffding's bound. Also
        base_learner.
    n_learners : int, default 20
        1 to 256. Weak learners. Only with algorithm=onlb|online-bbm|adaboost-ol|adaboost-ol-w|ogb|streamboost. Also
        n_estimators, learners.
    units : int, default 2
        1 to 1024. Tanh units of a net. Only with weak=net. Also hidden_units.
    learning_rate : float, default 0.1
        1e-06 to 10. First step of every weight of a weak learner; AdaGrad shortens it. Also eta, lr.
    edge : float, default 0.1
        0.001 to 0.49. How much better than chance the weak learners are taken to be. Only with algorithm=online-bbm. Also
        gamma.
    kappa : float, default 4.0
        0.001 to 1000. How far a tree is moved where a net takes a gradient step. Only with weak=tree.
    grace : int, default 200
        1 to 1000000000. Rows between looks at a leaf. Only with weak=tree. Also grace_period.
    max_leaves : int, default 32
        1 to 1048576. Leaves of a tree at most. Only with weak=tree.
    split_confidence : float, default 0.001
        1e-12 to 0.5. Chance of a wrong split that Hoeffding's bound allows. Only with weak=tree. Also delta.
    tie : float, default 0.1
        0 to 10. Splits that are this near are equal: the first is taken. Only with weak=tree.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows (at most 1000, with its weight); probabilities are
        corrected for it. Also scale_pos_weight.
    max_categories : int, default 10000
        1 to 16777216. Categories of a column that have weights of their own; those that come later share one.
    passes : int | Literal["auto"], default 'auto'
        1 to 1000. Times the rows of a table are gone over (a stream is gone over once); auto: one, of fewer than 10,000
        rows as many as make so many, 20 at most. Also epochs.
    order : Literal["time", "rows", "random"], default 'time'
        Of the rows of a table: by time where they have one, else at random; as they are; at random: drawn anew each pass,
        by what rows hold.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "online-bbm"
    _family = "online"
    _params = {"weak": ("weak", 'net'), "n_learners": ("n_learners", 20), "units": ("units", 2), "learning_rate": ("learning_rate",
        0.1), "edge": ("edge", 0.1), "kappa": ("kappa", 4.0), "grace": ("grace", 200), "max_leaves": ("max_leaves", 32),
        "split_confidence": ("split_confidence", 0.001), "tie": ("tie", 0.1), "pos_weight": ("pos_weight", 1.0), "max_categories":
        ("max_categories", 10000), "passes": ("passes", 'auto'), "order": ("order", 'time')}
    _aliases = {"base_learner": "weak", "n_estimators": "n_learners", "learners": "n_learners", "hidden_units": "units", "eta":
        "learning_rate", "lr": "learning_rate", "gamma": "edge", "grace_period": "grace", "delta": "split_confidence",
        "scale_pos_weight": "pos_weight", "epochs": "passes"}

    @takes_aliases
    def __init__(
        self, *, weak: Literal["net", "linear", "tree"] = 'net', n_learners: int = 20, units: int = 2, learning_rate: float = 0.1,
        edge: float = 0.1, kappa: float = 4.0, grace: int = 200, max_leaves: int = 32, split_confidence: float = 0.001,
        tie: float = 0.1, pos_weight: float = 1.0, max_categories: int = 10000, passes: int | Literal["auto"] = 'auto',
        order: Literal["time", "rows", "random"] = 'time',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.weak = weak
        self.n_learners = n_learners
        self.units = units
        self.learning_rate = learning_rate
        self.edge = edge
        self.kappa = kappa
        self.grace = grace
        self.max_leaves = max_leaves
        self.split_confidence = split_confidence
        self.tie = tie
        self.pos_weight = pos_weight
        self.max_categories = max_categories
        self.passes = passes
        self.order = order
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AdaBoostOLClassifier(OnlineClassifier):
    """The method adaboost-ol (online).

    AdaBoost row by row: rows are drawn for a weak learner the more likely, the worse those before it did. Ranks only.

    From: Beygelzimer, Kale and Luo: Optimal and adaptive algorithms for online boosting, ICML 2015.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    weak : Literal["net", "linear", "tree"], default 'net'
        The weak learners: nets of a few tanh units, linear models, or trees that grow by Hoeffding's bound. Also
        base_learner.
    n_learners : int, default 20
        1 to 256. Weak learners. Only with algorithm=onlb|online-bbm|adaboost-ol|adaboost-ol-w|ogb|streamboost. Also
        n_estimators, learners.
    units : int, default 2
        1 to 1024. Tanh units of a net. Only with weak=net. Also hidden_units.
    learning_rate : float, default 0.1
        1e-06 to 10. First step of every weight of a weak learner; AdaGrad shortens it. Also eta, lr.
    kappa : float, default 4.0
        0.001 to 1000. How far a tree is moved where a net takes a gradient step. Only with weak=tree.
    grace : int, default 200
        1 to 1000000000. Rows between looks at a leaf. Only with weak=tree. Also grace_period.
    max_leaves : int, default 32
        1 to 1048576. Leaves of a tree at most. Only with weak=tree.
    split_confidence : float, default 0.001
        1e-12 to 0.5. Chance of a wrong split that Hoeffding's bound allows. Only with weak=tree. Also delta.
    tie : float, default 0.1
        0 to 10. Splits that are this near are equal: the first is taken. Only with weak=tree.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows (at most 1000, with its weight); probabilities are
        corrected for it. Also scale_pos_weight.
    max_categories : int, default 10000
        1 to 16777216. Categories of a column that have weights of their own; those that come later share one.
    passes : int | Literal["auto"], default 'auto'
        1 to 1000. Times the rows of a table are gone over (a stream is gone over once); auto: one, of fewer than 10,000
        rows as many as make so many, 20 at most. Also epochs.
    order : Literal["time", "rows", "random"], default 'time'
        Of the rows of a table: by time where they have one, else at random; as they are; at random: drawn anew each pass,
        by what rows hold.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "adaboost-ol"
    _family = "online"
    _params = {"weak": ("weak", 'net'), "n_learners": ("n_learners", 20), "units": ("units", 2), "learning_rate": ("learning_rate",
        0.1), "kappa": ("kappa", 4.0), "grace": ("grace", 200), "max_leaves": ("max_leaves", 32), "split_confidence":
        ("split_confidence", 0.001), "tie": ("tie", 0.1), "pos_weight": ("pos_weight", 1.0), "max_categories": ("max_categories",
        10000), "passes": ("passes", 'auto'), "order": ("order", 'time')}
    _aliases = {"base_learner": "weak", "n_estimators": "n_learners", "learners": "n_learners", "hidden_units": "units", "eta":
        "learning_rate", "lr": "learning_rate", "grace_period": "grace", "delta": "split_confidence", "scale_pos_weight":
        "pos_weight", "epochs": "passes"}

    @takes_aliases
    def __init__(
        self, *, weak: Literal["net", "linear", "tree"] = 'net', n_learners: int = 20, units: int = 2, learning_rate: float = 0.1,
        kappa: float = 4.0, grace: int = 200, max_leaves: int = 32, split_confidence: float = 0.001, tie: float = 0.1,
        pos_weight: float = 1.0, max_categories: int = 10000, passes: int | Literal["auto"] = 'auto',
        order: Literal["time", "rows", "random"] = 'time',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.weak = weak
        self.n_learners = n_learners
        self.units = units
        self.learning_rate = learning_rate
        self.kappa = kappa
        self.grace = grace
        self.max_leaves = max_leaves
        self.split_confidence = split_confidence
        self.tie = tie
        self.pos_weight = pos_weight
        self.max_categories = max_categories
        self.passes = passes
        self.order = order
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AdaBoostOLWClassifier(OnlineClassifier):
    """The method adaboost-ol-w (online).

    AdaBoost row by row, with the weights of rows passed on to the weak learners instead of drawing. Ranks only.

    From: Beygelzimer, Kale and Luo: Optimal and adaptive algorithms for online boosting, ICML 2015.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    weak : Literal["net", "linear", "tree"], default 'net'
        The weak learners: nets of a few tanh units, linear models, or trees that grow by Hoeffding's bound. Also
        base_learner.
    n_learners : int, default 20
        1 to 256. Weak learners. Only with algorithm=onlb|online-bbm|adaboost-ol|adaboost-ol-w|ogb|streamboost. Also
        n_estimators, learners.
    units : int, default 2
        1 to 1024. Tanh units of a net. Only with weak=net. Also hidden_units.
    learning_rate : float, default 0.1
        1e-06 to 10. First step of every weight of a weak learner; AdaGrad shortens it. Also eta, lr.
    kappa : float, default 4.0
        0.001 to 1000. How far a tree is moved where a net takes a gradient step. Only with weak=tree.
    grace : int, default 200
        1 to 1000000000. Rows between looks at a leaf. Only with weak=tree. Also grace_period.
    max_leaves : int, default 32
        1 to 1048576. Leaves of a tree at most. Only with weak=tree.
    split_confidence : float, default 0.001
        1e-12 to 0.5. Chance of a wrong split that Hoeffding's bound allows. Only with weak=tree. Also delta.
    tie : float, default 0.1
        0 to 10. Splits that are this near are equal: the first is taken. Only with weak=tree.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows (at most 1000, with its weight); probabilities are
        corrected for it. Also scale_pos_weight.
    max_categories : int, default 10000
        1 to 16777216. Categories of a column that have weights of their own; those that come later share one.
    passes : int | Literal["auto"], default 'auto'
        1 to 1000. Times the rows of a table are gone over (a stream is gone over once); auto: one, of fewer than 10,000
        rows as many as make so many, 20 at most. Also epochs.
    order : Literal["time", "rows", "random"], default 'time'
        Of the rows of a table: by time where they have one, else at random; as they are; at random: drawn anew each pass,
        by what rows hold.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "adaboost-ol-w"
    _family = "online"
    _params = {"weak": ("weak", 'net'), "n_learners": ("n_learners", 20), "units": ("units", 2), "learning_rate": ("learning_rate",
        0.1), "kappa": ("kappa", 4.0), "grace": ("grace", 200), "max_leaves": ("max_leaves", 32), "split_confidence":
        ("split_confidence", 0.001), "tie": ("tie", 0.1), "pos_weight": ("pos_weight", 1.0), "max_categories": ("max_categories",
        10000), "passes": ("passes", 'auto'), "order": ("order", 'time')}
    _aliases = {"base_learner": "weak", "n_estimators": "n_learners", "learners": "n_learners", "hidden_units": "units", "eta":
        "learning_rate", "lr": "learning_rate", "grace_period": "grace", "delta": "split_confidence", "scale_pos_weight":
        "pos_weight", "epochs": "passes"}

    @takes_aliases
    def __init__(
        self, *, weak: Literal["net", "linear", "tree"] = 'net', n_learners: int = 20, units: int = 2, learning_rate: float = 0.1,
        kappa: float = 4.0, grace: int = 200, max_leaves: int = 32, split_confidence: float = 0.001, tie: float = 0.1,
        pos_weight: float = 1.0, max_categories: int = 10000, passes: int | Literal["auto"] = 'auto',
        order: Literal["time", "rows", "random"] = 'time',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.weak = weak
        self.n_learners = n_learners
        self.units = units
        self.learning_rate = learning_rate
        self.kappa = kappa
        self.grace = grace
        self.max_leaves = max_leaves
        self.split_confidence = split_confidence
        self.tie = tie
        self.pos_weight = pos_weight
        self.max_categories = max_categories
        self.passes = passes
        self.order = order
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class OGBClassifier(OnlineClassifier):
    """The method ogb (online).

    Online gradient boosting with shrinkage that is learnt: weak learners regress on the residuals of those before them. Gives
    probabilities.

    From: Beygelzimer, Hazan, Kale and Luo: Online gradient boosting, NIPS 2015.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    weak : Literal["net", "linear", "tree"], default 'net'
        The weak learners: nets of a few tanh units, linear models, or trees that grow by Hoeffding's bound. Also
        base_learner.
    n_learners : int, default 20
        1 to 256. Weak learners. Only with algorithm=onlb|online-bbm|adaboost-ol|adaboost-ol-w|ogb|streamboost. Also
        n_estimators, learners.
    units : int, default 2
        1 to 1024. Tanh units of a net. Only with weak=net. Also hidden_units.
    learning_rate : float, default 0.1
        1e-06 to 10. First step of every weight of a weak learner; AdaGrad shortens it. Also eta, lr.
    combine_rate : float, default 1.0
        1e-06 to 10. Onlb: step of the combination; ogb and streamboost: what a learner adds. Only with
        algorithm=onlb|ogb|streamboost.
    bound : float, default 10.0
        0.1 to 1000000. Scores are cut at this. Only with algorithm=ogb.
    kappa : float, default 4.0
        0.001 to 1000. How far a tree is moved where a net takes a gradient step. Only with weak=tree.
    grace : int, default 200
        1 to 1000000000. Rows between looks at a leaf. Only with weak=tree. Also grace_period.
    max_leaves : int, default 32
        1 to 1048576. Leaves of a tree at most. Only with weak=tree.
    split_confidence : float, default 0.001
        1e-12 to 0.5. Chance of a wrong split that Hoeffding's bound allows. Only with weak=tree. Also delta.
    tie : float, default 0.1
        0 to 10. Splits that are this near are equal: the first is taken. Only with weak=tree.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows (at most 1000, with its weight); probabilities are
        corrected for it. Also scale_pos_weight.
    max_categories : int, default 10000
        1 to 16777216. Categories of a column that have weights of their own; those that come later share one.
    passes : int | Literal["auto"], default 'auto'
        1 to 1000. Times the rows of a table are gone over (a stream is gone over once); auto: one, of fewer than 10,000
        rows as many as make so many, 20 at most. Also epochs.
    order : Literal["time", "rows", "random"], default 'time'
        Of the rows of a table: by time where they have one, else at random; as they are; at random: drawn anew each pass,
        by what rows hold.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "ogb"
    _family = "online"
    _params = {"weak": ("weak", 'net'), "n_learners": ("n_learners", 20), "units": ("units", 2), "learning_rate": ("learning_rate",
        0.1), "combine_rate": ("combine_rate", 1.0), "bound": ("bound", 10.0), "kappa": ("kappa", 4.0), "grace": ("grace", 200),
        "max_leaves": ("max_leaves", 32), "split_confidence": ("split_confidence", 0.001), "tie": ("tie", 0.1), "pos_weight":
        ("pos_weight", 1.0), "max_categories": ("max_categories", 10000), "passes": ("passes", 'auto'), "order": ("order",
        'time')}
    _aliases = {"base_learner": "weak", "n_estimators": "n_learners", "learners": "n_learners", "hidden_units": "units", "eta":
        "learning_rate", "lr": "learning_rate", "grace_period": "grace", "delta": "split_confidence", "scale_pos_weight":
        "pos_weight", "epochs": "passes"}

    @takes_aliases
    def __init__(
        self, *, weak: Literal["net", "linear", "tree"] = 'net', n_learners: int = 20, units: int = 2, learning_rate: float = 0.1,
        combine_rate: float = 1.0, bound: float = 10.0, kappa: float = 4.0, grace: int = 200, max_leaves: int = 32,
        split_confidence: float = 0.001, tie: float = 0.1, pos_weight: float = 1.0, max_categories: int = 10000,
        passes: int | Literal["auto"] = 'auto', order: Literal["time", "rows", "random"] = 'time',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.weak = weak
        self.n_learners = n_learners
        self.units = units
        self.learning_rate = learning_rate
        self.combine_rate = combine_rate
        self.bound = bound
        self.kappa = kappa
        self.grace = grace
        self.max_leaves = max_leaves
        self.split_confidence = split_confidence
        self.tie = tie
        self.pos_weight = pos_weight
        self.max_categories = max_categories
        self.passes = passes
        self.order = order
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class StreamBoostClassifier(OnlineClassifier):
    """The method streamboost (online).

    Streaming gradient boosting: weak learners regress on the residuals of those before them, and are added up. Gives
    probabilities.

    From: Hu, Sun, Venkatraman, Hebert and Bagnell: Gradient boosting on stochastic data streams, AISTATS 2017.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    weak : Literal["net", "linear", "tree"], default 'net'
        The weak learners: nets of a few tanh units, linear models, or trees that grow by Hoeffding's bound. Also
        base_learner.
    n_learners : int, default 20
        1 to 256. Weak learners. Only with algorithm=onlb|online-bbm|adaboost-ol|adaboost-ol-w|ogb|streamboost. Also
        n_estimators, learners.
    units : int, default 2
        1 to 1024. Tanh units of a net. Only with weak=net. Also hidden_units.
    learning_rate : float, default 0.1
        1e-06 to 10. First step of every weight of a weak learner; AdaGrad shortens it. Also eta, lr.
    combine_rate : float, default 1.0
        1e-06 to 10. Onlb: step of the combination; ogb and streamboost: what a learner adds. Only with
        algorithm=onlb|ogb|streamboost.
    kappa : float, default 4.0
        0.001 to 1000. How far a tree is moved where a net takes a gradient step. Only with weak=tree.
    grace : int, default 200
        1 to 1000000000. Rows between looks at a leaf. Only with weak=tree. Also grace_period.
    max_leaves : int, default 32
        1 to 1048576. Leaves of a tree at most. Only with weak=tree.
    split_confidence : float, default 0.001
        1e-12 to 0.5. Chance of a wrong split that Hoeffding's bound allows. Only with weak=tree. Also delta.
    tie : float, default 0.1
        0 to 10. Splits that are this near are equal: the first is taken. Only with weak=tree.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows (at most 1000, with its weight); probabilities are
        corrected for it. Also scale_pos_weight.
    max_categories : int, default 10000
        1 to 16777216. Categories of a column that have weights of their own; those that come later share one.
    passes : int | Literal["auto"], default 'auto'
        1 to 1000. Times the rows of a table are gone over (a stream is gone over once); auto: one, of fewer than 10,000
        rows as many as make so many, 20 at most. Also epochs.
    order : Literal["time", "rows", "random"], default 'time'
        Of the rows of a table: by time where they have one, else at random; as they are; at random: drawn anew each pass,
        by what rows hold.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "streamboost"
    _family = "online"
    _params = {"weak": ("weak", 'net'), "n_learners": ("n_learners", 20), "units": ("units", 2), "learning_rate": ("learning_rate",
        0.1), "combine_rate": ("combine_rate", 1.0), "kappa": ("kappa", 4.0), "grace": ("grace", 200), "max_leaves":
        ("max_leaves", 32), "split_confidence": ("split_confidence", 0.001), "tie": ("tie", 0.1), "pos_weight": ("pos_weight",
        1.0), "max_categories": ("max_categories", 10000), "passes": ("passes", 'auto'), "order": ("order", 'time')}
    _aliases = {"base_learner": "weak", "n_estimators": "n_learners", "learners": "n_learners", "hidden_units": "units", "eta":
        "learning_rate", "lr": "learning_rate", "grace_period": "grace", "delta": "split_confidence", "scale_pos_weight":
        "pos_weight", "epochs": "passes"}

    @takes_aliases
    def __init__(
        self, *, weak: Literal["net", "linear", "tree"] = 'net', n_learners: int = 20, units: int = 2, learning_rate: float = 0.1,
        combine_rate: float = 1.0, kappa: float = 4.0, grace: int = 200, max_leaves: int = 32, split_confidence: float = 0.001,
        tie: float = 0.1, pos_weight: float = 1.0, max_categories: int = 10000, passes: int | Literal["auto"] = 'auto',
        order: Literal["time", "rows", "random"] = 'time',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.weak = weak
        self.n_learners = n_learners
        self.units = units
        self.learning_rate = learning_rate
        self.combine_rate = combine_rate
        self.kappa = kappa
        self.grace = grace
        self.max_leaves = max_leaves
        self.split_confidence = split_confidence
        self.tie = tie
        self.pos_weight = pos_weight
        self.max_categories = max_categories
        self.passes = passes
        self.order = order
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class MLPClassifier(OnlineClassifier):
    """The method mlp (online).

    One net of 20 tanh units, learnt row by row with a step for each weight: the honest baseline beside onlb, and as good on
    most streams. Gives probabilities.

    From: Duchi, Hazan and Singer: Adaptive subgradient methods for online learning and stochastic optimization, JMLR 12
    (2011).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    units : int, default 20
        1 to 1024. Tanh units of a net. Only with weak=net. Also hidden_units.
    learning_rate : float, default 0.1
        1e-06 to 10. First step of every weight of a weak learner; AdaGrad shortens it. Also eta, lr.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows (at most 1000, with its weight); probabilities are
        corrected for it. Also scale_pos_weight.
    max_categories : int, default 10000
        1 to 16777216. Categories of a column that have weights of their own; those that come later share one.
    passes : int | Literal["auto"], default 'auto'
        1 to 1000. Times the rows of a table are gone over (a stream is gone over once); auto: one, of fewer than 10,000
        rows as many as make so many, 20 at most. Also epochs.
    order : Literal["time", "rows", "random"], default 'time'
        Of the rows of a table: by time where they have one, else at random; as they are; at random: drawn anew each pass,
        by what rows hold.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "mlp"
    _family = "online"
    _params = {"units": ("units", 20), "learning_rate": ("learning_rate", 0.1), "pos_weight": ("pos_weight", 1.0), "max_categories":
        ("max_categories", 10000), "passes": ("passes", 'auto'), "order": ("order", 'time')}
    _aliases = {"hidden_units": "units", "eta": "learning_rate", "lr": "learning_rate", "scale_pos_weight": "pos_weight", "epochs":
        "passes"}

    @takes_aliases
    def __init__(
        self, *, units: int = 20, learning_rate: float = 0.1, pos_weight: float = 1.0, max_categories: int = 10000,
        passes: int | Literal["auto"] = 'auto', order: Literal["time", "rows", "random"] = 'time',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.units = units
        self.learning_rate = learning_rate
        self.pos_weight = pos_weight
        self.max_categories = max_categories
        self.passes = passes
        self.order = order
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class OnlineNetClassifier(OnlineClassifier):
    """The method online-net (online).

    One net of two tanh units: the weak learner of the online boosters alone. Gives probabilities.

    From: Duchi, Hazan and Singer: Adaptive subgradient methods for online learning and stochastic optimization, JMLR 12
    (2011).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    units : int, default 2
        1 to 1024. Tanh units of a net. Only with weak=net. Also hidden_units.
    learning_rate : float, default 0.1
        1e-06 to 10. First step of every weight of a weak learner; AdaGrad shortens it. Also eta, lr.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows (at most 1000, with its weight); probabilities are
        corrected for it. Also scale_pos_weight.
    max_categories : int, default 10000
        1 to 16777216. Categories of a column that have weights of their own; those that come later share one.
    passes : int | Literal["auto"], default 'auto'
        1 to 1000. Times the rows of a table are gone over (a stream is gone over once); auto: one, of fewer than 10,000
        rows as many as make so many, 20 at most. Also epochs.
    order : Literal["time", "rows", "random"], default 'time'
        Of the rows of a table: by time where they have one, else at random; as they are; at random: drawn anew each pass,
        by what rows hold.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "online-net"
    _family = "online"
    _params = {"units": ("units", 2), "learning_rate": ("learning_rate", 0.1), "pos_weight": ("pos_weight", 1.0), "max_categories":
        ("max_categories", 10000), "passes": ("passes", 'auto'), "order": ("order", 'time')}
    _aliases = {"hidden_units": "units", "eta": "learning_rate", "lr": "learning_rate", "scale_pos_weight": "pos_weight", "epochs":
        "passes"}

    @takes_aliases
    def __init__(
        self, *, units: int = 2, learning_rate: float = 0.1, pos_weight: float = 1.0, max_categories: int = 10000,
        passes: int | Literal["auto"] = 'auto', order: Literal["time", "rows", "random"] = 'time',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.units = units
        self.learning_rate = learning_rate
        self.pos_weight = pos_weight
        self.max_categories = max_categories
        self.passes = passes
        self.order = order
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class OnlineLinearClassifier(OnlineClassifier):
    """The method online-linear (online).

    Logistic regression learnt row by row, with a step for each weight. Gives probabilities.

    From: Duchi, Hazan and Singer: Adaptive subgradient methods for online learning and stochastic optimization, JMLR 12
    (2011).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    learning_rate : float, default 0.1
        1e-06 to 10. First step of every weight of a weak learner; AdaGrad shortens it. Also eta, lr.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows (at most 1000, with its weight); probabilities are
        corrected for it. Also scale_pos_weight.
    max_categories : int, default 10000
        1 to 16777216. Categories of a column that have weights of their own; those that come later share one.
    passes : int | Literal["auto"], default 'auto'
        1 to 1000. Times the rows of a table are gone over (a stream is gone over once); auto: one, of fewer than 10,000
        rows as many as make so many, 20 at most. Also epochs.
    order : Literal["time", "rows", "random"], default 'time'
        Of the rows of a table: by time where they have one, else at random; as they are; at random: drawn anew each pass,
        by what rows hold.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "online-linear"
    _family = "online"
    _params = {"learning_rate": ("learning_rate", 0.1), "pos_weight": ("pos_weight", 1.0), "max_categories": ("max_categories", 10000),
        "passes": ("passes", 'auto'), "order": ("order", 'time')}
    _aliases = {"eta": "learning_rate", "lr": "learning_rate", "scale_pos_weight": "pos_weight", "epochs": "passes"}

    @takes_aliases
    def __init__(
        self, *, learning_rate: float = 0.1, pos_weight: float = 1.0, max_categories: int = 10000, passes: int | Literal["auto"] = 'auto',
        order: Literal["time", "rows", "random"] = 'time',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.learning_rate = learning_rate
        self.pos_weight = pos_weight
        self.max_categories = max_categories
        self.passes = passes
        self.order = order
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class OnlineTreeClassifier(OnlineClassifier):
    """The method online-tree (online).

    One tree that grows row by row, where Hoeffding's bound says that a split is worth it. Gives probabilities.

    From: Ikonomovska, Gama and Dzeroski: Learning model trees from evolving data streams, Data Mining and Knowledge Discovery
    23 (2011).

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    learning_rate : float, default 0.1
        1e-06 to 10. First step of every weight of a weak learner; AdaGrad shortens it. Also eta, lr.
    kappa : float, default 4.0
        0.001 to 1000. How far a tree is moved where a net takes a gradient step. Only with weak=tree.
    grace : int, default 200
        1 to 1000000000. Rows between looks at a leaf. Only with weak=tree. Also grace_period.
    max_leaves : int, default 32
        1 to 1048576. Leaves of a tree at most. Only with weak=tree.
    split_confidence : float, default 0.001
        1e-12 to 0.5. Chance of a wrong split that Hoeffding's bound allows. Only with weak=tree. Also delta.
    tie : float, default 0.1
        0 to 10. Splits that are this near are equal: the first is taken. Only with weak=tree.
    pos_weight : float, default 1.0
        1e-09 to 1000000000. A positive counts as this many rows (at most 1000, with its weight); probabilities are
        corrected for it. Also scale_pos_weight.
    max_categories : int, default 10000
        1 to 16777216. Categories of a column that have weights of their own; those that come later share one.
    passes : int | Literal["auto"], default 'auto'
        1 to 1000. Times the rows of a table are gone over (a stream is gone over once); auto: one, of fewer than 10,000
        rows as many as make so many, 20 at most. Also epochs.
    order : Literal["time", "rows", "random"], default 'time'
        Of the rows of a table: by time where they have one, else at random; as they are; at random: drawn anew each pass,
        by what rows hold.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "online-tree"
    _family = "online"
    _params = {"learning_rate": ("learning_rate", 0.1), "kappa": ("kappa", 4.0), "grace": ("grace", 200), "max_leaves": ("max_leaves",
        32), "split_confidence": ("split_confidence", 0.001), "tie": ("tie", 0.1), "pos_weight": ("pos_weight", 1.0),
        "max_categories": ("max_categories", 10000), "passes": ("passes", 'auto'), "order": ("order", 'time')}
    _aliases = {"eta": "learning_rate", "lr": "learning_rate", "grace_period": "grace", "delta": "split_confidence", "scale_pos_weight":
        "pos_weight", "epochs": "passes"}

    @takes_aliases
    def __init__(
        self, *, learning_rate: float = 0.1, kappa: float = 4.0, grace: int = 200, max_leaves: int = 32, split_confidence: float = 0.001,
        tie: float = 0.1, pos_weight: float = 1.0, max_categories: int = 10000, passes: int | Literal["auto"] = 'auto',
        order: Literal["time", "rows", "random"] = 'time',
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.learning_rate = learning_rate
        self.kappa = kappa
        self.grace = grace
        self.max_leaves = max_leaves
        self.split_confidence = split_confidence
        self.tie = tie
        self.pos_weight = pos_weight
        self.max_categories = max_categories
        self.passes = passes
        self.order = order
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class IMLClassifier(ScarceClassifier):
    """The method iml (metric).

    A metric for each row that is scored, learnt by lmnn from its own neighbourhood until that is stable; then k-NN. Nothing
    is learnt beforehand, so scoring is slow: some milliseconds a row. Ranks only.

    From: Wang, Zhao, Sun, Zhang and Zhang: Iterative metric learning for imbalance data classification, IJCAI 2018.

    `score` gives the metric (average precision), not accuracy, which at one positive in a thousand is 0.999 for a model that finds none.

    Parameters
    ----------
    k : int, default 3
        1 to 64. Neighbours that vote, and of which the learner looks at pairs and triplets. Also n_neighbors, neighbours.
    scale : Literal["auto", "standard", "range", "none"], default 'standard'
        What numbers are divided by first: standard deviation, max - min, 1.
    push : float, default 0.5
        0 to 1. Weight of impostors that are pushed away against targets that are pulled near. Only with rule=lmnn|iml.
    points : int | Literal["auto"], default 'auto'
        1 to 500. Rows of each class in the neighbourhood of a query from which its metric is learnt. auto: 5 k. Only with
        rule=iml.
    stable : float, default 0.8
        0 to 1. Share of the neighbourhood that must stay for the metric to be final. Only with rule=iml. Also
        matching_ratio.
    tolerance : float, default 1e-05
        1e-15 to 1. Stop when the matrix moves less, or what is minimised falls by less than this share (itml: when its
        multipliers do). Also tol.
    time, group, amount, weight : str, int or None
        Columns of X, by name or by number from 0, that are the time of a row, the entity it belongs to (card, firm), the
        money at stake (which stays a feature) and its weight.
    ignore, categorical, numeric : sequence of str or int
        Columns to leave out; numbers that are categories; texts that are numbers.
    positive : label or None
        The positive class. None: 1, True, 'true', 'positive', else the rarer one.
    valid_fraction : float or None
        This share of the rows validates (early stopping, calibration, threshold): the latest with `time`, else a
        stratified draw.
    early_stop : int or None
        Stop after so many iterations without a better metric on the validation rows.
    metric : str
        What is watched, and what score() gives.
    calibrate : str or None
        'platt', 'shift', 'isotonic' or 'beta' on the validation rows, 'prior', 'own' or 'none'. None: the library's
        choice.
    threshold : str
        Which rows predict() calls positive: 'auto' (F1 on validation rows; without them probability 1/2, or as many as
        training positives), 'f1', 'budget:100/day', 'cost:5', 'value:0.3', ...
    resample : str or None
        Training rows are resampled first: 'random-under:ratio=0.1'. Probabilities stay right where they can.
    random_state : int, RandomState or None
        The seed. None: 1.
    n_jobs : int or None
        Threads. None: what affinity, the container's quota and OMP_NUM_THREADS leave. Results never depend on it.
    verbose : int
        1: progress on stderr.
    """

    _method = "iml"
    _family = "metric"
    _params = {"k": ("k", 3), "scale": ("scale", 'standard'), "push": ("push", 0.5), "points": ("points", 'auto'), "stable": ("stable",
        0.8), "tolerance": ("tolerance", 1e-05)}
    _aliases = {"n_neighbors": "k", "neighbours": "k", "matching_ratio": "stable", "tol": "tolerance"}

    @takes_aliases
    def __init__(
        self, *, k: int = 3, scale: Literal["auto", "standard", "range", "none"] = 'standard', push: float = 0.5,
        points: int | Literal["auto"] = 'auto', stable: float = 0.8, tolerance: float = 1e-05,
        time: Column = None, group: Column = None, amount: Column = None, weight: Column = None, ignore: Columns = (), categorical: Columns = (),
        numeric: Columns = (), positive: Any = None, valid_fraction: float | None = None, early_stop: int | None = None, metric: str = "ap",
        calibrate: str | None = None, threshold: str = "auto", resample: str | None = None, random_state: Any = 1, n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.scale = scale
        self.push = push
        self.points = points
        self.stable = stable
        self.tolerance = tolerance
        self.time = time
        self.group = group
        self.amount = amount
        self.weight = weight
        self.ignore = ignore
        self.categorical = categorical
        self.numeric = numeric
        self.positive = positive
        self.valid_fraction = valid_fraction
        self.early_stop = early_stop
        self.metric = metric
        self.calibrate = calibrate
        self.threshold = threshold
        self.resample = resample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
