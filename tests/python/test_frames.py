# SPDX-License-Identifier: Apache-2.0
"""What people do with frames: 20 things that work, 2 clear errors; the same bits from every kind of data."""

import datetime
import decimal

import numpy as np
import pytest

import scarce

pd = pytest.importorskip("pandas")
pytest.importorskip("sklearn")


@pytest.fixture(scope="module")
def frame():
    r = np.random.default_rng(0)
    n = 400
    f = pd.DataFrame({"a": r.normal(size=n), "b": r.integers(0, 9, n), "c": r.choice(["x", "y", "z"], n), "d": r.normal(size=n).astype(np.float32)})
    return f, ((f.a > 1) | (f.c == "z") & (f.b > 6)).astype(int).to_numpy()


def fit(x, y, **more):
    return scarce.GBClassifier(n_trees=8, **more).fit(x, y)


def same(c, d, x, z=None):
    assert (c.decision_function(x) == d.decision_function(x if z is None else z)).all()


def test_texts_and_categories(frame):
    x, y = frame
    plain, category = fit(x, y), fit(x.astype({"c": "category"}), y)
    same(plain, category, x, x.astype({"c": "category"}))
    other = x.assign(c=pd.Categorical(x.c, categories=["z", "unused", "y", "x"]))  # the same, with other codes
    same(plain, plain, x, other)
    assert np.isfinite(plain.decision_function(x.assign(c="never seen"))).all()
    gaps = x.assign(c=[None if i % 5 == 0 else v for i, v in enumerate(x.c)])
    assert np.isfinite(fit(gaps, y).decision_function(gaps)).all()


def test_columns_by_name(frame):
    x, y = frame
    c = fit(x, y)
    same(c, c, x, x[["d", "c", "b", "a"]])
    same(c, c, x, x.assign(extra="e", more=1))
    with pytest.raises(scarce.DataError, match='column "b" is missing'):
        c.predict(x.drop(columns="b"))
    with pytest.raises(scarce.DataError, match='"alpha" is missing|"a" is missing'):
        c.predict(x.rename(columns={"a": "alpha"}))


def test_nullable(frame):
    x, y = frame
    gaps = x.assign(b=x.b.astype("Int64").where(x.b != 3), e=(x.a > 0).astype("boolean").where(x.b != 4))
    plain = x.assign(b=x.b.astype(float).where(x.b != 3), e=(x.a > 0).astype(float).where(x.b != 4))
    same(fit(gaps, y), fit(plain, y), gaps, plain)


def test_dates(frame):
    x, y = frame
    dated = x.assign(t=pd.date_range("2024-01-01", periods=len(x), freq="h"))
    with pytest.raises(scarce.DataError, match='column "t" holds dates: say time="t", or ignore='):
        fit(dated, y)
    c = fit(dated, y, time="t", valid_fraction=0.2)
    same(c, fit(x.assign(t=dated.t.astype("int64").to_numpy() / {"ns": 1e9, "us": 1e6, "s": 1}[dated.t.dt.unit]), y, time="t", valid_fraction=0.2), x)
    zoned = dated.assign(t=dated.t.dt.tz_localize("Europe/Paris"))
    assert fit(zoned, y, time="t").model_.roles["time"] == "t"


def test_polars(frame):
    pl = pytest.importorskip("polars")
    x, y = frame
    p = pl.from_pandas(x)
    c = fit(x, y)
    for q in (p, p.with_columns(pl.col("c").cast(pl.Categorical)), p.with_columns(pl.col("c").cast(pl.Enum(["z", "y", "x"]))),
              pl.concat([p[:150], p[150:]], rechunk=False), p.lazy()):
        if not isinstance(q, pl.LazyFrame):
            same(c, fit(q, y), x, q)
        assert (c.model_.score(q) == c.model_.score(x)).all()
    m = scarce.train(p.with_columns(pl.Series("y", y)), label="y", n_trees=8)
    assert isinstance(m.alerts(p, top=3), pl.DataFrame)
    wide = p.with_columns(pl.col("b").cast(pl.UInt16), pl.col("a").cast(pl.Decimal(12, 4)), pl.lit(None).alias("nothing"), pl.col("a").cast(pl.Float32).alias("f"))
    assert np.isfinite(fit(wide, y).decision_function(wide)).all()
    with pytest.raises(scarce.DataError, match='column "l" holds lists'):
        fit(p.with_columns(pl.lit([[1, 2]]).alias("l")), y)
    with pytest.raises(scarce.DataError, match='column "t" holds dates'):
        fit(p.with_columns(pl.lit(datetime.date(2024, 1, 1)).alias("t")), y)


def test_pyarrow(frame):
    pa = pytest.importorskip("pyarrow")
    x, y = frame
    t = pa.Table.from_pandas(x)
    c = fit(x, y)
    same(c, fit(t, y), x, t)
    coded = t.set_column(2, "c", t["c"].dictionary_encode())
    parts = pa.concat_tables([coded.slice(300), coded.slice(0, 100), coded.slice(100, 200)])
    order = np.r_[300:400, 0:100, 100:300]
    np.testing.assert_array_equal(c.decision_function(parts), c.decision_function(x.iloc[order]))
    nulls = t.set_column(0, "a", pa.array([None if i % 7 == 0 else v for i, v in enumerate(x.a)]))
    np.testing.assert_array_equal(c.decision_function(nulls), c.decision_function(x.assign(a=x.a.where(np.arange(400) % 7 != 0))))
    assert (c.model_.score(t.slice(17, 50)) == c.model_.score(x[17:67])).all()
    for kind in ("large_string", "string_view"):
        if hasattr(pa, kind):
            same(c, c, x, t.set_column(2, "c", t["c"].cast(getattr(pa, kind)())))
    half = t.set_column(3, "d", pa.array(x.d.to_numpy().astype(np.float16)))
    assert np.isfinite(c.decision_function(half)).all()
    with pytest.raises(scarce.DataError, match='"s" holds structs'):
        fit(t.append_column("s", pa.array([{"u": 1}] * 400)), y)
    with pytest.raises(scarce.DataError, match='"s" holds bytes'):
        fit(t.append_column("s", pa.array([b"u"] * 400)), y)


def test_sparse(frame):
    sp = pytest.importorskip("scipy.sparse")
    _, y = frame
    r = np.random.default_rng(1)
    dense = r.normal(size=(400, 6)) * (r.random((400, 6)) < 0.3)
    dense[:, 0] += 3 * y
    c = fit(sp.csr_matrix(dense), y)
    for x in (sp.csr_matrix(dense), sp.csr_array(dense), sp.csc_array(dense), sp.coo_array(dense), sp.csr_matrix(dense.astype(np.float32).astype(float))):
        np.testing.assert_array_equal(c.decision_function(x), c.decision_function(sp.csr_matrix(dense)))
    np.testing.assert_array_equal(c.decision_function(dense), c.decision_function(sp.csr_matrix(dense)))
    twice = sp.csr_matrix((np.array([1.0, 2.0]), np.array([0, 0], np.int32), np.array([0, 2], np.int32)), shape=(1, 6))
    np.testing.assert_array_equal(c.decision_function(twice), c.decision_function(np.array([[3.0, 0, 0, 0, 0, 0]])))


def test_labels(frame):
    x, y = frame
    c = fit(x, y)
    for labels in (np.array(["ok", "fraud"])[y], 2 * y - 1, y.astype(bool), pd.Series(y).astype("Int64"), y.astype(float)):
        np.testing.assert_array_equal(np.abs(fit(x, labels).decision_function(x)), np.abs(c.decision_function(x)))


def test_odd_numbers(frame):
    x, y = frame
    odd = x.assign(a=np.where(x.b == 2, np.inf, np.where(x.b == 3, -np.inf, x.a)), d=np.nan, e=1e300, f=7)
    assert np.isfinite(fit(odd, y).decision_function(odd)).all()
    objects = x.assign(a=[decimal.Decimal(str(round(v, 6))) for v in x.a], b=x.b.astype(object))
    assert np.isfinite(fit(objects, y).decision_function(objects)).all()


def test_same_bits_from_everything(frame, tmp_path):
    """Models from pandas, polars, Arrow, NumPy structures, dicts, rows and a CSV are the same bytes."""
    x, y = frame
    x = x.assign(a=x.a.round(4), d=x.d.round(3).astype(float))
    full = x.assign(y=y)
    full.to_csv(tmp_path / "f.csv", index=False)
    kinds = [full, {k: full[k].to_numpy() for k in full}, full.to_dict("records"), str(tmp_path / "f.csv"), tmp_path / "f.csv", full.to_records(index=False),
             scarce.Table(full, label="y"), scarce.read(tmp_path / "f.csv", label="y")]
    for library in ("polars", "pyarrow"):
        try:
            module = __import__(library)
        except ImportError:
            continue
        kinds.append(module.from_pandas(full) if library == "polars" else module.Table.from_pandas(full))
    models = [scarce.train(k, label="y", n_trees=6, threads=1 + i % 2) for i, k in enumerate(kinds)]
    assert len({m.to_json() for m in models}) == 1 and len({m.score(x).tobytes() for m in models}) == 1
    from_files = (3, 4, 7)  # these also remember how numbers were written
    assert len({m.to_bytes() for i, m in enumerate(models) if i not in from_files}) == 1 == len({models[i].to_bytes() for i in from_files})
    numbers = full[["a", "b", "d", "y"]].to_numpy()
    ways = [numbers, np.asfortranarray(numbers), numbers[::-1][::-1], np.repeat(numbers, 2, axis=1)[:, ::2], numbers.tolist()]
    assert len({scarce.train(w[:, :3] if isinstance(w, np.ndarray) else [r[:3] for r in w], label=y, n_trees=6).to_bytes() for w in ways}) == 1


def test_matrix_scores(numbers):
    x, y = numbers
    m = scarce.train(x, label=y, n_trees=8)
    want = m.score(x.astype(np.float32))
    assert (want == m.score(x)).all() and (want == m.score(np.asfortranarray(x))).all()
    assert (want[::-1] == m.score(x[::-1])).all() and (want == m.score(np.repeat(x, 2, axis=1)[:, ::2])).all()
    big = (x * 100).astype(np.int64)
    assert (m.score(big) == m.score(big.astype(float))).all()
    assert (m.score(np.repeat(x, 20, axis=0), threads=2)[::20] == want).all()


def test_number_categories(numbers):
    """Categories that are numbers are found by value: 5 and 5.0 are the same one."""
    x, y = numbers
    x = np.rint(x * 2)
    m = scarce.train(x, label=y, n_trees=8, categorical=[0, 1])
    assert sorted(map(float, m.categories["1"])) == sorted(set(x[:, 0].tolist()))
    frame = pd.DataFrame(x, columns=m.features)
    assert (m.score(x) == m.score(frame)).all()
    assert (m.score(frame.astype({"1": int, "2": int})) == m.score(x)).all()
    assert m.score_one(x[3]) == m.score(x)[3] == m.score_one(tuple(x[3])) == m.score_one(dict(zip(m.features, x[3])))
