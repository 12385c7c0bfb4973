# SPDX-License-Identifier: Apache-2.0
"""The same values give the same model, byte for byte: from the program, a file, pandas, polars, Arrow, a dict, an array."""

import subprocess

import numpy as np
import pytest

import scarce

pd = pytest.importorskip("pandas")
N = 1500


def base():
    r = np.random.default_rng(0)
    d = pd.DataFrame({"a": r.normal(size=N), "b": r.integers(0, 9, N), "c": r.choice(["x", "y", "z"], N)})
    d["label"] = (d["a"] + r.normal(size=N) > 1.5).astype(int)
    return d


def missing(d):
    d.loc[::7, "a"] = np.nan
    d.loc[::11, "c"] = None
    return d


CASES = {
    "plain": lambda d: d,
    "whole numbers": lambda d: d.drop(columns="a"),
    "whole numbers as floats": lambda d: d.drop(columns="a").assign(b=d["b"].astype(float)),
    "missing values": missing,
    "seconds": lambda d: d.assign(t=1_500_000_000 + 60 * np.arange(N)),
    "milliseconds": lambda d: d.assign(t=1_500_000_000_000 + 60_000 * np.arange(N)),
    "days as numbers": lambda d: d.assign(t=20180401 + np.arange(N) % 25),
    "a counter": lambda d: d.assign(t=np.arange(N)),
    "dates": lambda d: d.assign(t=pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(N), unit="h")),
    "one column alone": lambda d: d[["b", "label"]],
}


def kinds(d):
    yield "pandas", d
    yield "dict", {c: d[c].to_numpy() for c in d}
    for name, module, make in (("polars", "polars", lambda m: m.from_pandas(d)), ("Arrow", "pyarrow", lambda m: m.Table.from_pandas(d))):
        try:
            yield name, make(__import__(module))
        except ImportError:
            pass


@pytest.mark.parametrize("case", CASES)
def test_frames_files_program(case, program, tmp_path):
    d = CASES[case](base())
    d.to_csv(tmp_path / "d.csv", index=False)
    roles = {"label": "label", **({"time": "t"} if "t" in d else {})}
    done = subprocess.run([program, "train", "d.csv", *[x for k, v in roles.items() for x in (f"--{k}", v)], "--n-trees", "5", "--valid-fraction", "0.2",
                           "-o", "m.scarce", "--quiet"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    want = (tmp_path / "m.scarce").read_bytes()
    settings = {**roles, "n_trees": 5, "valid_fraction": 0.2}
    assert scarce.train(str(tmp_path / "d.csv"), **settings).to_bytes() == want
    for name, frame in kinds(d):
        assert scarce.train(frame, **settings).to_bytes() == want, name


def test_arrays(program, tmp_path):
    d = base()[["a", "b", "label"]]
    d.to_csv(tmp_path / "d.csv", index=False, header=False)
    subprocess.run([program, "train", "d.csv", "--no-header", "--label", "3", "--n-trees", "5", "-o", "m.scarce", "--quiet"], cwd=tmp_path, check=True)
    x = d.to_numpy()
    want = (tmp_path / "m.scarce").read_bytes()
    for same in (x, np.asfortranarray(x), x[::-1][::-1], x.astype(object)):
        assert scarce.train(same, label=2, n_trees=5).to_bytes() == want


def test_times_are_understood(tmp_path):
    """Milliseconds of a frame are seconds, as in a file; so a budget per day is one."""
    d = CASES["milliseconds"](base())
    t = scarce.Table(d, label="label", time="t")
    np.testing.assert_allclose(t.time, d["t"] / 1000)
    m = scarce.train(d, label="label", time="t", n_trees=5)
    assert len(m.alerts(d, budget="1/day")) == 2  # a day and an hour
    days = scarce.train(CASES["days as numbers"](base()), label="label", time="t", n_trees=3)
    with pytest.raises(scarce.DataError, match="row 2: 77 is not a day like 20180401"):
        days.evaluate(CASES["days as numbers"](base()).head(50).assign(t=[20180401, 77] + [20180402] * 48))
