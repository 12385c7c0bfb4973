# SPDX-License-Identifier: Apache-2.0
"""The model: one row = many rows = the program, reasons, files, other libraries."""

import copy
import gc
import json
import pickle
import resource
import subprocess
import sys
import threading

import numpy as np
import pytest

import scarce

pytest.importorskip("pandas")


def test_one_row_is_many_rows(model, payments):
    want, p = model.score(payments), model.probability(payments)
    encoded = scarce.onnx.encode(model, payments[:40])
    for i in range(40):
        row = payments.iloc[i]
        named = row.to_dict()
        assert model.score_one(named) == want[i] == model.score_one(row)
        assert model.score_one(tuple(named[f] for f in model.features)) == want[i] == model.score_one([named[f] for f in model.features])
        assert model.probability_one(named) == p[i] and model.predict_proba_one(named)[True] == p[i]
        assert model.alert_one(named) == model.alert(payments[:40])[i]
        assert sum(v for _, v in model.explain_one(named)) + model.contributions(payments[:1])[0] == pytest.approx(want[i], abs=1e-9)

    class Sub(dict):
        pass

    import collections

    assert model.score_one(Sub(named)) == want[39] == model.score_one(collections.ChainMap(named))
    assert encoded.shape == (40, len(model.features))


def test_arrays(numbers):
    x, y = numbers
    m = scarce.train(x, label=y, n_trees=8)
    want = m.score(x)
    for a in (x[3], x[3].astype(np.float32), x.astype(np.float32)[:, ::1][3], np.repeat(x[3], 2)[::2], x[3].tolist(), memoryview(x[3])):
        assert m.score_one(a) == want[3]
    assert m.score_one(np.arange(5)) == m.score(np.arange(5.0)[None])[0] == m.score_one(np.arange(5, dtype=np.uint8))
    assert m.score_one((None, 1, True, np.float32(2), 3)) == m.score_one(np.array([np.nan, 1, 1, 2, 3]))
    # by now the short way to NumPy's memory is known for both floats: whatever lies otherwise must not be taken for it
    class Sub(np.ndarray):
        pass

    row = x[3].astype(np.float32)
    raw = np.zeros(row.nbytes + 1, np.uint8)
    raw[1:] = np.frombuffer(row.tobytes(), np.uint8)
    for a in (row[::-1].copy()[::-1], raw[1:].view(np.float32), row.astype(">f4"), row.astype(">f8"), row.view(Sub), np.broadcast_to(row, (2, 5))[1], x[3].astype(np.float16).astype(np.longdouble) * 0 + x[3]):
        try:
            assert m.score_one(a) == want[3]
        except TypeError as e:
            assert "a row of items of type" in str(e) and a.dtype.str not in ("<f4", "<f8")
    for bad in (row[:4], np.zeros(6, np.float32), np.zeros((5, 1), np.float32), np.float32(1), row.reshape(1, 5)):
        with pytest.raises((ValueError, TypeError)):
            m.score_one(bad)


def test_threads_and_references(model, payments):
    """Eight threads on one model give the same bits; a hundred thousand calls leave nothing behind."""
    row = payments.iloc[0].to_dict()
    want = model.score(payments)
    found = []

    def work():
        found.append((model.score(payments) == want).all() and model.score_one(row) == want[0])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [True] * 8
    keys = [sys.getrefcount(k) for k in row]
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    array = np.zeros(len(model.features), np.float32)
    plain = scarce.train(np.random.default_rng(0).normal(size=(100, len(array))), label=np.arange(100) % 2, n_trees=2)
    for _ in range(100_000):
        model.score_one(row)
        plain.score_one(array)
    for _ in range(2000):
        try:
            model.score_one({**row, "amount": "x"})
        except scarce.DataError:
            pass
    assert [sys.getrefcount(k) for k in row] == keys and sys.getrefcount(array) == 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_files(model, payments, tmp_path):
    model.save(tmp_path / "m.scarce")
    again = scarce.load(tmp_path / "m.scarce")
    assert again.to_bytes() == model.to_bytes() == (tmp_path / "m.scarce").read_bytes() == scarce.loads(model.to_bytes()).to_bytes()
    for m in (again, pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert (m.score(payments) == model.score(payments)).all() and m.score_one({}) == model.score_one({})
    joblib = pytest.importorskip("joblib")
    joblib.dump(model, tmp_path / "m.joblib")
    assert joblib.load(tmp_path / "m.joblib").to_bytes() == model.to_bytes()


def test_program(model, payments, roles, program, tmp_path):
    """The same model from the program, the same scores there, the same figures of an evaluation."""
    payments.to_csv(tmp_path / "p.csv", index=False)
    here = {"cwd": tmp_path, "check": True, "capture_output": True, "text": True}
    args = ["--label", "label", "--time", "time", "--group", "card", "--amount", "amount", "--ignore", "tx_id,terminal,label_time"]
    subprocess.run([program, "train", "p.csv", *args, "--set", "n_trees=30", "--valid-fraction", "0.2", "-o", "m.scarce"], **here)
    theirs = scarce.load(tmp_path / "m.scarce")  # which also remembers how the file's numbers were written
    assert theirs.to_json() == model.to_json() and (theirs.probability(payments) == model.probability(payments)).all()
    assert scarce.train(tmp_path / "p.csv", **roles, n_trees=30, valid_fraction=0.2).to_bytes() == (tmp_path / "m.scarce").read_bytes()
    model.save(tmp_path / "py.scarce")
    subprocess.run([program, "score", "py.scarce", "p.csv", "--full", "-o", "s.csv"], **here)
    scores = np.array([line.split(",")[1:3] for line in (tmp_path / "s.csv").read_text().splitlines()[1:]], dtype=float)
    assert (scores[:, 0] == model.score(payments)).all() and (scores[:, 1] == model.probability(payments)).all()
    shown = json.loads(subprocess.run([program, "eval", "py.scarce", "p.csv", "--json"], **here).stdout)
    figures = model.evaluate(payments).to_dict()
    flat = json.dumps(shown)
    for name in ("ap", "auc_roc", "f1", "recall"):
        assert f'"{name}"' in flat
        theirs = _find(shown, name)
        assert figures[name] == pytest.approx(theirs, rel=1e-8), name


def _find(tree, name):
    if isinstance(tree, dict):
        if isinstance(tree.get(name), (int, float)):
            return tree[name]
        if isinstance(tree.get(name), dict) and "value" in tree[name]:
            return tree[name]["value"]
        for v in tree.values():
            found = _find(v, name)
            if found is not None:
                return found
    if isinstance(tree, list):
        for v in tree:
            if isinstance(v, dict) and v.get("name") == name:
                return v.get("value")
            found = _find(v, name)
            if found is not None:
                return found
    return None


def test_python_m(program):
    done = subprocess.run([sys.executable, "-m", "scarce", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and scarce.__version__ in done.stdout + done.stderr


def test_alerts(model, payments):
    a = model.alerts(payments, budget="3/day", reasons=2)
    per_day = (payments["time"].to_numpy()[a["row"]] // 86400)
    assert np.unique(per_day, return_counts=True)[1].max() <= 3
    assert (a["tx_id"].to_numpy() == payments["tx_id"].to_numpy()[a["row"]]).all() and (a.index == payments.index[a["row"]]).all()
    assert (np.diff(a["score"]) <= 0).all() and list(a["rank"]) == list(range(1, len(a) + 1))
    assert a["reasons"].str.contains(r": [+-]\d").all() and (a["reasons"].str.count(";") <= 1).all()
    assert len(model.alerts(payments, top=7)) == 7 and len(model.alerts(payments, budget=11)) == 11
    assert set(model.alerts(payments)["row"]) == set(np.flatnonzero(model.alert(payments)))
    live = model.alerts(payments, budget="3/day", live=True, reasons=0)
    assert 0 < len(live) <= len(a) + 20
    assert list(model.alerts(payments, top=2, keep=["card"], reasons=0).columns) == ["rank", "row", "score", "probability", "card"]
    with pytest.raises(scarce.DataError, match="no column"):
        model.alerts(payments, top=2, keep=["nothing"])


def test_reasons_are_the_program_s(model, payments, program, tmp_path):
    payments[:300].to_csv(tmp_path / "p.csv", index=False)
    model.save(tmp_path / "m.scarce")
    out = subprocess.run([program, "score", "m.scarce", "p.csv", "--explain", "3", "--words"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    import csv
    import io

    theirs = {int(r["row"]) - 1: r["reasons"] for r in csv.DictReader(io.StringIO(out))}
    ours = model.alerts(payments[:300], top=300)
    for row, text in zip(ours["row"], ours["reasons"]):
        assert theirs[row] == text


def test_explanations(model, payments):
    base, values = model.contributions(payments[:200])
    np.testing.assert_allclose(base + values.sum(1), model.score(payments[:200]), atol=1e-9)
    e = model.explain(payments[:50])
    assert e.values.shape == (50, len(model.features)) and list(e.feature_names) == model.features
    shap = pytest.importorskip("shap")
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    assert isinstance(e, shap.Explanation)
    x = scarce.train(np.random.default_rng(0).normal(size=(200, 4)), label=np.arange(200) % 5 == 0, n_trees=5)
    n = x.explain(np.random.default_rng(1).normal(size=(60, 4)))
    for plot in (shap.plots.beeswarm, shap.plots.bar, shap.plots.heatmap, lambda v, show: shap.plots.waterfall(v[0], show=show),
                 lambda v, show: shap.plots.scatter(v[:, 0], show=show), lambda v, show: shap.plots.force(v[0], matplotlib=True, show=show),
                 lambda v, show: shap.plots.decision(v.base_values[0], v.values, show=show)):
        plot(n, show=False)
        plt.close("all")
    explainer = scarce.shap.Explainer(model, background=payments[:20])
    np.testing.assert_allclose(explainer.expected_value + explainer.shap_values(payments[:5]).sum(1), model.score(payments[:5]), atol=1e-9)


def test_contributions_are_xgboost_s(numbers):
    xgboost = pytest.importorskip("xgboost")
    x, y = numbers
    m = scarce.train(x.astype(np.float32), label=y, n_trees=12)
    theirs = m.to_xgboost().predict(xgboost.DMatrix(x.astype(np.float32), feature_names=m.features), pred_contribs=True)
    base, ours = m.contributions(x.astype(np.float32))
    np.testing.assert_allclose(theirs[:, :-1], ours, atol=2e-5)
    np.testing.assert_allclose(theirs[:, -1], base, atol=2e-5)


def test_live_boosters(numbers):
    x, y = numbers
    x = x.astype(np.float32)
    xgboost = pytest.importorskip("xgboost")
    b = xgboost.XGBClassifier(n_estimators=15).fit(x, y)
    np.testing.assert_allclose(scarce.import_model(b).score(x), b.predict(x, output_margin=True), atol=1e-5)
    np.testing.assert_allclose(scarce.import_model(b.get_booster()).probability(x), b.predict_proba(x)[:, 1], atol=1e-5)
    lightgbm = pytest.importorskip("lightgbm")
    b = lightgbm.LGBMClassifier(n_estimators=15, verbose=-1).fit(x, y)
    np.testing.assert_allclose(scarce.import_model(b).score(x), b.predict(x, raw_score=True), atol=1e-5)
    assert isinstance(scarce.import_model(b.booster_), scarce.Model)
    with pytest.raises(TypeError, match="can't import"):
        scarce.import_model(5)


@pytest.mark.parametrize("method", ["gb", "logistic", "ap-lb", "linear-svm", "focal"])
def test_onnx(payments, roles, method):
    onnxruntime = pytest.importorskip("onnxruntime")
    m = scarce.train(payments, method, **roles, **({} if method in ("logistic", "linear-svm") else {"n_trees": 20, "categories": "sets"}))
    rows = payments[:2000].copy()
    rows.loc[rows.index[3], "country"] = "nowhere"
    rows.loc[rows.index[4], ["channel", "hour"]] = None
    x = scarce.onnx.encode(m, rows)
    thresholds = {}
    if "forest" in (shown := json.loads(m.to_json())):
        for t in shown["forest"]["trees"]:
            for n in t["nodes"]:
                if "threshold" in n:
                    thresholds.setdefault(m.features.index(n["feature"]), []).append(n["threshold"])
        at = np.tile(x[0], (max(map(len, thresholds.values())), 1))
        for f, values in thresholds.items():
            at[: len(values), f] = values
        x = np.vstack([x, at])
    session = onnxruntime.InferenceSession(m.to_onnx())
    out = dict(zip([o.name for o in session.get_outputs()], session.run(None, {"X": x})))
    want = m._core.score_matrix(x, None)[0] if not m.categories else None
    ours = np.frombuffer(want) if want is not None else np.r_[m.score(rows)]
    np.testing.assert_allclose(out["score"][: len(ours), 0], ours, atol=1e-12)
    assert ("probability" in out) == m.has_probability
    if method == "gb":
        numbers = scarce.train(payments, **roles, n_trees=3, categories="numbers")
        with pytest.raises(scarce.Unsupported, match='categories="sets"'):
            numbers.to_onnx()
    if m.has_probability:
        np.testing.assert_allclose(out["probability"][:2000, 0], m.probability(rows), atol=1e-12)


def test_own_loss(payments, roles):
    def logistic(score, label, weight, row):
        p = 1 / (1 + np.exp(-score.astype(float)))
        return p - label, p * (1 - p)

    m = scarce.train(payments, **roles, loss=logistic, n_trees=10, link=1.0)
    assert m.has_probability and scarce.metrics.average_precision(payments["label"], m.score(payments)) > 0.05

    class Stop(Exception):
        pass

    def raises(score, label, weight, row):
        raise Stop("mine")

    with pytest.raises(Stop, match="mine"):
        scarce.train(payments, **roles, loss=raises, n_trees=10)
    with pytest.raises(scarce.DataError, match="finite"):
        scarce.train(payments, **roles, loss=lambda s, y, w, r: (s * np.nan, s), n_trees=2)
    with pytest.raises(ValueError):
        scarce.train(payments, **roles, loss=lambda s, y, w, r: (s[:3], s), n_trees=2)
    with pytest.raises(TypeError, match="loss is a function"):
        scarce.train(payments, **roles, loss="logistic2")


def test_loss_by_address(payments, roles, tmp_path):
    import ctypes
    import shutil

    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    (tmp_path / "l.c").write_text("""#include <math.h>
#include <stddef.h>
#include <stdint.h>
typedef struct { size_t n; const float *score; const uint8_t *label; const float *weight; const uint32_t *row; size_t first; } rows;
int gradients(void *p, const rows *r, float *g, float *h)
{
    (void)p;
    for (size_t i = 0; i < r->n; ++i) { const float q = 1 / (1 + expf(-r->score[i])); g[i] = q - r->label[i]; h[i] = q * (1 - q); }
    return 0;
}
""")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", tmp_path / "l.so", tmp_path / "l.c", "-lm"], check=True)
    function = ctypes.CDLL(str(tmp_path / "l.so")).gradients
    a = scarce.train(payments, **roles, loss=function, n_trees=10)
    b = scarce.train(payments, **roles, loss=ctypes.cast(function, ctypes.c_void_p).value, n_trees=10)
    assert a.to_bytes() == b.to_bytes()


def test_properties(model):
    assert model.method == "gb" and model.has_probability and model.positive == "1" and np.isfinite(model.threshold)
    assert model.params["n_trees"] == "30" and model.notes["seed"] == "1" and len(model.history) == 30
    assert "gb" in model.describe() and model.to_dot().startswith("digraph") and 0 < model.prevalence < 1
    assert list(model.importance()) and model.roles["time"] == "time" and "country" in model.categories


def test_prevalence(model, payments):
    p, q = model.probability(payments), model.probability(payments, prevalence=2 * model.prevalence)
    assert (q >= p).all() and (model.probability(payments) == p).all()


def test_partial(model, payments):
    d = model.partial(payments[:500], "hour", points=5)
    by_hand = [model.score(payments[:500].assign(hour=h)).mean() for h in d["value"]]
    np.testing.assert_allclose(d["score"], by_hand, atol=1e-9)
    assert set(model.partial(payments[:500], "channel")["value"]) <= {*model.categories["channel"], None}
    shuffled = model.importance("permutation", payments, repeats=1)
    assert set(shuffled) == set(model.features)
    assert set(model.importance("shap", payments[:300])) == set(model.features)


def test_no_rows(payments, model):
    """A day without rows gives lists without rows, as the program does; a missing column is told all the same."""
    none = payments.head(0)
    assert len(model.score(none)) == len(model.probability(none)) == len(model.alert(none)) == 0
    alerts = model.alerts(none, top=20)
    assert len(alerts) == 0 and "reasons" in alerts.columns and "tx_id" in alerts.columns
    assert len(model.alerts(none, budget="10/day")) == 0
    with pytest.raises(scarce.DataError, match='"amount" is missing'):
        model.score(none.drop(columns="amount"))
    with pytest.raises(scarce.DataError, match="no rows"):
        scarce.train(none, label="label")


def test_onnx_of_encoded_models():
    """Columns that became numbers have no form in ONNX here: said so, with what to do; and that works."""
    r = np.random.default_rng(0)
    pd = pytest.importorskip("pandas")
    d = pd.DataFrame({"shop": [f"s{i}" for i in r.integers(0, 900, 4000)], "a": r.normal(size=4000)})
    d["y"] = (d["a"] + r.normal(size=4000) > 2.2).astype(int)
    with pytest.raises(scarce.Unsupported, match='train with categories="sets"'):
        scarce.train(d, label="y", n_trees=5, categories="numbers").to_onnx()
    m = scarce.train(d, label="y", n_trees=5, categories="sets")
    onnxruntime = pytest.importorskip("onnxruntime")
    got = onnxruntime.InferenceSession(m.to_onnx()).run(["score"], {"X": scarce.onnx.encode(m, d)})[0][:, 0]
    np.testing.assert_allclose(got, m.score(d), atol=1e-9)


def test_other_kinds_say_so(numbers):
    """What a kind of model can't is told with what can."""
    x, y = numbers
    m = scarce.train(x, label=y, n_trees=3)
    with pytest.raises(scarce.Unsupported, match="has no rules"):
        m.rules()
    with pytest.raises(scarce.Unsupported, match="space|metric"):
        m.transform(x)
    c = scarce.GBClassifier(n_trees=3)
    assert not hasattr(c, "transform") and not hasattr(c, "fit_transform")
