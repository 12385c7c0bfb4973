# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's own checks for every class, and life in its pipelines."""

import pickle
import warnings

import numpy as np
import pytest

import scarce
from scarce._names import CLASSES

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.metrics import average_precision_score  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402


@pytest.mark.parametrize("name", list(CLASSES))
def test_check_estimator(name):
    """Of every class all checks pass: none is declared as expected to fail."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(getattr(scarce, name)(), on_fail=None)
    failed = [(r["check_name"], str(r["exception"])[:200]) for r in results if r["status"] == "failed"]
    assert len(results) > 35 and not failed, failed
    assert not [r["check_name"] for r in results if r["status"] == "xfail"]


def test_score_is_average_precision(numbers):
    x, y = numbers
    c = scarce.GBClassifier(n_trees=10).fit(x[:400], y[:400])
    assert c.score(x[400:], y[400:]) == pytest.approx(average_precision_score(y[400:], c.decision_function(x[400:])), abs=1e-12)
    w = np.linspace(0.1, 2, 200)
    assert c.score(x[400:], y[400:], w) == pytest.approx(average_precision_score(y[400:], c.decision_function(x[400:]), sample_weight=w), abs=1e-12)


@pytest.mark.parametrize("settings", [{}, {"valid_fraction": 0.3}, {"threshold": "budget:20", "valid_fraction": 0.3}, {"threshold": "value:-1"}])
@pytest.mark.parametrize("labels", [(0, 1), ("ok", "fraud"), (-1, 1), (False, True)])
def test_predict_agrees(numbers, settings, labels):
    """decision_function > 0 where, and only where, predict gives the second class; probabilities in the order of classes_."""
    x, y = numbers
    named = np.array(labels)[y]
    c = scarce.GBClassifier(n_trees=8, **settings).fit(x, named)
    assert ((c.decision_function(x) > 0) == (c.predict(x) == c.classes_[1])).all()
    p = c.predict_proba(x)
    positive = list(c.classes_).index(labels[1])
    np.testing.assert_array_equal(p[:, positive], c.model_.probability(x))
    assert c.model_.positive == {True: "1"}.get(labels[1], str(labels[1]))
    if not settings:
        assert (c.predict(x) == c.classes_[(p[:, 1] > 0.5).astype(int)]).all()


def test_pipelines(numbers):
    x, y = numbers
    g = GridSearchCV(make_pipeline(StandardScaler(), scarce.GBClassifier(n_trees=5)), {"gbclassifier__num_leaves": [3, 5]}, cv=3).fit(x, y)
    assert g.best_score_ > 0.2
    assert CalibratedClassifierCV(scarce.RankBoostClassifier(n_trees=5), cv=3).fit(x, y).predict_proba(x).shape == (600, 2)
    c = scarce.GBClassifier(n_trees=5).fit(x, y)
    assert (pickle.loads(pickle.dumps(c)).predict_proba(x) == c.predict_proba(x)).all()
    assert clone(c).get_params() == c.get_params()
    assert not hasattr(scarce.RankBoostClassifier().fit(x, y), "predict_proba")
    assert not hasattr(scarce.GBClassifier(loss="ap-lb"), "predict_proba") and hasattr(scarce.GBClassifier(), "predict_proba")


def test_loky(numbers):
    x, y = numbers
    one = cross_val_score(scarce.GBClassifier(n_trees=5), x, y, cv=3)
    assert (one == cross_val_score(scarce.GBClassifier(n_trees=5), x, y, cv=3, n_jobs=2)).all()


def test_validation_rows(numbers):
    x, y = numbers
    c = scarce.GBClassifier(n_trees=200, early_stop=10).fit(x[:400], y[:400], X_val=x[400:], y_val=y[400:])
    assert c.n_iter_ < 200 and len(c.history_) == c.n_iter_ and 0 < c.best_score_ <= 1
    d = scarce.GBClassifier(n_trees=200, early_stop=10).fit(x[:400], y[:400], eval_set=[(x[400:], y[400:])])
    assert d.model_.to_bytes() == c.model_.to_bytes()
    with pytest.raises(ValueError, match="labels that y doesn't"):
        scarce.GBClassifier().fit(x, y, X_val=x, y_val=y + 5)


def test_weights_are_copies(numbers):
    x, y = numbers
    w = np.random.default_rng(0).integers(0, 4, 600)
    rows = np.repeat(np.arange(600), w)
    for name in ("APLBClassifier", "LambdaMARTAPClassifier", "LinearSVMClassifier"):
        a = getattr(scarce, name)().fit(x, y, sample_weight=w)
        b = getattr(scarce, name)().fit(x[rows], y[rows])
        np.testing.assert_allclose(a.decision_function(x), b.decision_function(x), rtol=1e-7, atol=1e-9)
    # each row by its own coins: those of its copies, wherever they stand
    a = scarce.StGrBoostClassifier(n_trees=60).fit(x, y, sample_weight=w)
    mixed = np.random.default_rng(1).permutation(rows)
    b = scarce.StGrBoostClassifier(n_trees=60).fit(x[mixed], y[mixed])
    np.testing.assert_allclose(a.decision_function(x), b.decision_function(x), rtol=2e-6, atol=2e-6)


def test_roles_as_columns(payments, roles):
    x = payments.drop(columns=["label", "tx_id", "terminal", "label_time"])
    c = scarce.GBClassifier(time="time", group="card", amount="amount", n_trees=10, valid_fraction=0.2).fit(x, payments["label"])
    m = scarce.train(payments, **roles, n_trees=10, valid_fraction=0.2)
    assert (c.model_.score(payments) == m.score(payments)).all()
    assert (c.decision_function(x[x.columns[::-1]]) == c.decision_function(x)).all()
    by_array = scarce.GBClassifier(amount="amount", n_trees=10, valid_fraction=0.2, ignore=["time", "card"]).fit(
        x, payments["label"], times=payments["time"], groups=payments["card"])
    assert (by_array.decision_function(x) == c.decision_function(x)).all()
    cost = scarce.GBClassifier(time="time", group="card", amount="amount", threshold="cost:5", n_trees=10, valid_fraction=0.2).fit(x, payments["label"])
    assert np.isnan(cost.threshold_) and ((cost.decision_function(x) > 0) == (cost.predict(x) == 1)).all()


def test_splits_and_scorers(payments):
    from scarce.sklearn import PrequentialSplit, TemporalSplit, scorer

    x = payments[["time", "amount", "hour"]]
    folds = list(TemporalSplit("60d", "7d", "30d", time="time").split(x, payments["label"]))
    t = payments["time"].to_numpy()
    for train, test in folds:
        assert t[train].max() + 7 * 86400 <= t[test].min()
    assert len(folds) == TemporalSplit("60d", "7d", "30d", time="time").get_n_splits(x, payments["label"]) > 1
    assert PrequentialSplit("7d", "120d", "30d", time="time").get_n_splits(x, payments["label"]) > 0
    c = scarce.GBClassifier(n_trees=5, ignore=["time"])
    assert np.isfinite(cross_val_score(c, x, payments["label"], cv=3, scoring=scorer("ap"))).all()
    with pytest.raises(scarce.ParameterError, match="did you mean"):
        scorer("precison")


def test_samplers(payments):
    imblearn = pytest.importorskip("imblearn.pipeline")
    from imblearn.under_sampling import RandomUnderSampler

    x, y = payments[["amount", "hour", "country"]], payments["label"]
    s = scarce.RandomUnder(sampling_strategy=0.25)
    a, b = s.fit_resample(x, y)
    assert type(a) is type(x) and list(a.columns) == list(x.columns) and (a.dtypes == x.dtypes).all()
    assert b.sum() == y.sum() and (a["amount"].to_numpy() == x["amount"].to_numpy()[s.sample_indices_]).all()
    theirs = RandomUnderSampler(sampling_strategy=0.25, random_state=0).fit_resample(x, y)[1]
    assert len(b) == len(theirs) and b.sum() == theirs.sum()
    assert len(scarce.RandomOver().fit_resample(x, y)[1]) == 2 * (y == 0).sum()
    w = np.arange(len(y), dtype=float)
    assert (s.fit_resample(x, y, w)[2] == w[s.sample_indices_]).all()
    p = imblearn.make_pipeline(scarce.RandomUnder(), scarce.LogisticClassifier()).fit(x, y)
    assert p.predict_proba(x).shape == (len(y), 2)


@pytest.mark.parametrize("name", [n for n, where in CLASSES.items() if where == "_samplers"])
def test_every_sampler(name, payments, numbers):
    """Frames stay frames, arrays arrays; what isn't made up is a choice of rows."""
    pd = pytest.importorskip("pandas")
    x, y = numbers
    s = getattr(scarce, name)()
    try:
        a, b = s.fit_resample(x, y)
    except scarce.DataError as e:  # smote-nc wants a category, and says so
        assert "categor" in str(e)
    else:
        assert isinstance(a, np.ndarray) and a.shape == (len(b), 5) and a.dtype == x.dtype and set(np.unique(b)) == {0, 1}
        again = getattr(scarce, name)().fit_resample(x, y)
        assert (again[0] == a).all() and (again[1] == b).all()
        if hasattr(s, "sample_indices_"):
            assert (a == x[s.sample_indices_]).all() and (b == y[s.sample_indices_]).all()
    frame = pd.concat([payments[payments["label"] == 1], payments[:800]])[["amount", "hour", "country", "label"]]
    try:
        f, g = getattr(scarce, name)().fit_resample(frame[["amount", "hour", "country"]], frame["label"])
    except scarce.DataError as e:
        assert len(str(e)) > 20
        return
    assert isinstance(f, pd.DataFrame) and list(f.columns) == ["amount", "hour", "country"] and len(f) == len(g) and set(f["country"].dropna()) <= set(frame["country"].dropna())
