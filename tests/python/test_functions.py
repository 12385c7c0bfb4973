# SPDX-License-Identifier: Apache-2.0
"""The functions that mirror the program, against scikit-learn and against the obvious."""

import json

import numpy as np
import pytest

import scarce

pytest.importorskip("pandas")
sm = pytest.importorskip("sklearn.metrics")


def test_metrics_are_sklearn_s():
    r = np.random.default_rng(5)
    for _ in range(5):
        y, s, w = r.random(400) < 0.1, r.integers(0, 40, 400) / 40, r.random(400)
        assert scarce.metrics.average_precision(y, s) == pytest.approx(sm.average_precision_score(y, s), abs=1e-12)
        assert scarce.metrics.average_precision(y, s, sample_weight=w) == pytest.approx(sm.average_precision_score(y, s, sample_weight=w), abs=1e-12)
        m = scarce.metrics.metrics(y, s, probability=s, sample_weight=w, threshold=0.5)
        assert m["auc_roc"] == pytest.approx(sm.roc_auc_score(y, s, sample_weight=w), abs=1e-12)
        assert m["brier"] == pytest.approx(sm.brier_score_loss(y, s, sample_weight=w), abs=1e-12)
        assert m["f1"] == pytest.approx(sm.f1_score(y, s >= 0.5, sample_weight=w), abs=1e-12)
        assert m["mcc"] == pytest.approx(sm.matthews_corrcoef(y, s >= 0.5, sample_weight=w), abs=1e-12)
    assert scarce.metrics.metric("p@k", [1, 0, 1], [3, 2, 1], k=2) == 0.5
    assert np.isnan(scarce.metrics.average_precision([0, 0], [1, 2]))
    with pytest.raises(scarce.DataError):
        scarce.metrics.average_precision([0, 1], [np.nan, 1])
    with pytest.raises(scarce.DataError, match="a label 2"):
        scarce.metrics.average_precision([0, 2], [0, 1])
    value, low, high = scarce.metrics.bootstrap(y, s)
    assert low < value < high
    stats = pytest.importorskip("scipy.stats")
    a, b = r.random(12), r.random(12)
    assert scarce.metrics.wilcoxon(a, b)["p"] == pytest.approx(stats.wilcoxon(a, b).pvalue, abs=1e-9)
    np.testing.assert_allclose(scarce.metrics.holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
    assert scarce.metrics.threshold("budget:3", y, np.arange(400.0)) == 397


def test_evaluate(model, payments):
    e = model.evaluate(payments, k=50, cost=5)
    assert e.ap == pytest.approx(sm.average_precision_score(payments["label"], model.score(payments)), abs=1e-12)
    assert e["average_precision"] == e.ap and e.interval("ap")[0] <= e.ap <= e.interval("ap")[1]
    alert = model.alert(payments)
    assert e.tp == (alert & (payments["label"] == 1)).sum() and e.fp == (alert & (payments["label"] == 0)).sum()
    c = e.curve("pr", 0)
    p, r, _ = sm.precision_recall_curve(payments["label"], model.score(payments))
    assert c["recall"][-1] == 1 and np.isin(np.round(c["precision"], 9), np.round(p, 9)).all()
    for kind in ("roc", "gains", "calibration", "cards"):
        assert len(e.curve(kind)) >= 3
    with pytest.raises(scarce.ParameterError, match="no curve"):
        e.curve("rock")
    with pytest.raises(AttributeError, match="no metric"):
        e.nonsense
    assert json.loads(json.dumps(e.to_dict()))["ap"] == e.ap
    b = model.evaluate(payments, budget="2/day", intervals=False)
    assert b.tp + b.fp == len(model.alerts(payments, budget="2/day", reasons=0))
    s = scarce.evaluate_scores(payments["label"], model.score(payments), probability=model.probability(payments), amount=payments["amount"], intervals=False)
    assert s.ap == e.ap and s.brier == e.brier


def test_pages(model, payments, roles, tmp_path):
    """What a notebook shows is one page in a frame, below 100 KB."""
    results = [model, model.evaluate(payments, k=50, cost=5), scarce.doctor(payments, **roles),
               scarce.compare(payments, ["gb:n_trees=5", "logistic"], **roles, protocol="cv:2", repeats=1), scarce.tune(payments, **roles, trials=2, repeats=1)]
    for r in results:
        shown = r._repr_html_()
        assert shown.startswith("<iframe srcdoc=") and 3000 < len(shown) < 100_000 and "NaN" not in repr(r)
        r.save_html(tmp_path / "page.html")
        text = (tmp_path / "page.html").read_text()
        assert "<svg" in text or "<table" in text
        assert len(repr(r)) > 20 and "--" not in repr(r).replace("----", "")
        if hasattr(r, "to_dict"):
            json.dumps(r.to_dict(), allow_nan=False)
    assert "<table>" in scarce.methods()._repr_html_()


def test_compare(payments, roles):
    import pandas as pd
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    cols = ["amount", "hour", "seen", "night"]
    data = payments[[*cols, "label"]]
    c = scarce.compare(data, ["gb:n_trees=10", LogisticRegression(max_iter=300), HistGradientBoostingClassifier(max_iter=10)], label="label", protocol="cv:3", repeats=1)
    assert c.names == ["gb:n_trees=10", "LogisticRegression", "HistGradientBoostingClassifier"] and len(c.folds) == 3
    folds = scarce.split(data, "cv:3", label="label")
    for f, fold in enumerate(folds):
        m = LogisticRegression(max_iter=300).fit(data[cols].iloc[fold["train"]], data.label.iloc[fold["train"]])
        want = sm.average_precision_score(data.label.iloc[fold["test"]], m.predict_proba(data[cols].iloc[fold["test"]])[:, 1])
        assert c.values()[1, f] == pytest.approx(want, abs=1e-9)
        ours = scarce.train(data.iloc[fold["train"]], label="label", n_trees=10)
        assert c.values()[0, f] == pytest.approx(sm.average_precision_score(data.label.iloc[fold["test"]], ours.score(data.iloc[fold["test"]])), abs=1e-12)
    assert sorted(np.concatenate([f["test"] for f in folds])) == list(range(len(data)))
    assert isinstance(c.table(), pd.DataFrame) and c.best in c.names
    p = c.pair(0, "LogisticRegression")
    assert p["difference"] == pytest.approx((c.values()[0] - c.values()[1]).mean())
    again = scarce.compare(data, "gb:n_trees=10", label="label", protocol="cv:3", repeats=1, scores={"amount": payments["amount"]})
    assert (again.values()[0] == c.values()[0]).all()


def test_split(payments):
    earlier, latest = scarce.split_latest(payments, 0.25, time="time", gap="7d")
    assert type(earlier) is type(payments) and earlier["time"].max() + 7 * 86400 <= latest["time"].min()
    assert len(latest) == pytest.approx(len(payments) / 4, rel=0.01)
    folds = scarce.split(payments, "temporal:train=60d,gap=7d,test=30d", label="label", time="time")
    assert len(folds) > 1
    with pytest.raises(scarce.ParameterError):
        scarce.split(payments, "sometimes", label="label")
    with pytest.raises(scarce.ScarceError, match="time"):
        scarce.split(payments, "latest:test=3d", label="label")


def test_tune(payments, roles):
    t = scarce.tune(payments, "gb", **roles, trials=3, repeats=1)
    assert len(t.trials) >= 3 and isinstance(t.best, dict)
    e = t.estimator(n_jobs=1)
    assert isinstance(e, scarce.GBClassifier) and e.n_jobs == 1


def test_doctor(payments, roles):
    d = scarce.doctor(payments.assign(leak=payments["label"] + 0.1), **roles)
    assert any(f["subject"] == "leak" and f["severity"] == "bad" for f in d) and d.worst == "bad"
    assert all("--" not in (f["what"] + (f["advice"] or "")) for f in d)


def test_resample(payments):
    r = scarce.resample(payments, "random-under", label="label", ratio=0.5)
    assert type(r) is type(payments) and r["label"].mean() == pytest.approx(1 / 3, abs=0.01)
    assert len(scarce.resample(payments, "random-over", label="label")) == 2 * (payments["label"] == 0).sum()
    with pytest.raises(scarce.ParameterError, match="did you mean|random"):
        scarce.resample(payments, "random-undr", label="label")


def test_distil(payments, tmp_path):
    model = scarce.train(payments, label="label", n_trees=30)
    rules = scarce.distil(model, payments, rules=8)
    kept = rules.summary
    assert 2 <= kept["leaves"] <= 8 and 0 < kept["ap"] <= 1.1 * kept["model_ap"] and 0 <= kept["overlap"] <= 1
    assert kept["rows"] + kept["test_rows"] == len(payments)
    assert "CASE" in rules.show("sql")
    tree = scarce.distil(model, payments, depth=3, test=payments.head(2000))
    assert tree.summary["test_rows"] == 2000 and len(np.unique(tree.score(payments))) <= 8
    with pytest.raises(scarce.ParameterError, match="exclude each other"):
        scarce.distil(model, payments, depth=3, rules=8)


def test_simulate(tmp_path):
    info = scarce.simulate("fraud", transactions=2000, path=tmp_path / "x.csv")
    assert info["rows"] == len((tmp_path / "x.csv").read_text().splitlines()) - 1
    assert scarce.simulate("toy", variant="line").shape[0] == 14
    with pytest.raises(scarce.ParameterError, match="no kind"):
        scarce.simulate("weather")


def test_methods():
    assert scarce.methods("gb")["params"]["n_trees"]["type"] == "integer" and "gb" in repr(scarce.methods())
    assert "random-under" in scarce.resamplers()
    with pytest.raises(scarce.ParameterError, match="did you mean"):
        scarce.methods("logistik")


def test_table(payments, roles, tmp_path):
    t = scarce.Table(payments, **roles)
    assert t.n_rows == len(t) == len(payments) and t.positives == payments["label"].sum() and t.roles["group"] == "card"
    assert (t.time == payments["time"]).all() and (t.amount == payments["amount"]).all() and (t.label == payments["label"]).all()
    np.testing.assert_array_equal(t.column("amount"), payments["amount"].astype(np.float32))
    assert (t.column("country") == payments["country"]).all()
    assert (t.rows([5, 5, 2]).column("amount") == payments["amount"].to_numpy(np.float32)[[5, 5, 2]]).all()
    t.write(tmp_path / "t.csv")
    assert scarce.read(tmp_path / "t.csv", label="label", time="time", group="card", amount="amount").features == t.features
    with pytest.raises(IndexError):
        t.rows([10**9])
    assert scarce.train(t, n_trees=3).features == t.features


def test_budget():
    b = scarce.Budget("2/day")
    assert [b.offer(t, s) for t, s in [(0, 0.9), (1, 0.1), (2, 0.8)]].count(True) <= 2
    with pytest.raises(scarce.ParameterError, match="per time"):
        scarce.Budget("100")
    with pytest.raises(scarce.DataError):
        b.offer(float("nan"), 1)


def test_costs_of_rows() -> None:
    """A cost column is no feature and is weighed; as an array it gives the same; the amounts may be the costs."""
    r = np.random.default_rng(0)
    x = r.normal(size=(1500, 3))
    y = (x[:, 0] + r.normal(size=1500) > 1.5).astype(int)
    price = 1 + 9 * r.random(1500)
    columns = {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "label": y}
    named = scarce.train({**columns, "price": price}, label="label", cost_column="price", n_trees=10)
    array = scarce.train(columns, label="label", cost_column=price, n_trees=10)
    plain = scarce.train(columns, label="label", n_trees=10)
    assert named.features == ["a", "b", "c"]
    assert np.array_equal(named.score(columns), array.score(columns))
    assert not np.array_equal(named.score(columns), plain.score(columns))
    with pytest.raises(scarce.Unsupported):
        named.probability(columns)
    by_class = scarce.train(columns, label="label", cost_column=np.where(y == 1, 10.0, 2.0), n_trees=10)
    assert abs(by_class.probability(columns).mean() - y.mean()) < 0.05
    both = scarce.Table({**columns, "price": price}, label="label", amount="price", cost_column="price")
    assert both.features == ["a", "b", "c", "price"] and np.array_equal(both.cost, price)
    with pytest.raises(scarce.DataError, match="cost -1 of row 1"):
        scarce.train(columns, label="label", cost_column=np.full(1500, -1.0))
    e = scarce.AdaC2Classifier(n_trees=5).fit(x, y, costs=price)
    assert e.decision_function(x).shape == (1500,)
