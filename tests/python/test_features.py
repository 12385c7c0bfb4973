# SPDX-License-Identifier: Apache-2.0
"""Rolling features: frames, files and records give the same values; snapshots; messages."""

import os

import numpy as np
import pytest

import scarce

DEFINE = """field tx_id text id
field time time
field card key
field amount decimal(2)
over 1d 7d by card: count, sum(amount), mean(amount)
by card: since
"""
COLUMNS = ["tx_id", "time", "card", "amount"]


@pytest.fixture(scope="module")
def rows():
    return scarce.simulate("fraud", transactions=3000)[COLUMNS]


def test_frames_files_and_records(rows, tmp_path):
    frame = scarce.features(rows, DEFINE)
    stream = scarce.FeatureStream(DEFINE)
    assert stream.features == [c for c in frame.columns if c not in COLUMNS]
    records = [stream.put(r) for r in rows.to_dict("records")]
    for name in stream.features:
        np.testing.assert_array_equal(frame[name].to_numpy(), [r[name] for r in records])
    rows.to_csv(tmp_path / "rows.csv", index=False)
    told = scarce.features(tmp_path / "rows.csv", DEFINE, out=tmp_path / "out.csv")
    assert told["rows"] == len(rows) and told["features"] == 7
    import pandas

    again = pandas.read_csv(tmp_path / "out.csv")
    np.testing.assert_array_equal(again[stream.features].to_numpy(), frame[stream.features].to_numpy())
    columns = scarce.features({c: rows[c].to_numpy() for c in COLUMNS}, DEFINE)
    np.testing.assert_array_equal(columns["card_count_7d"], frame["card_count_7d"].to_numpy())


def test_snapshots(rows, tmp_path):
    whole = scarce.FeatureStream(DEFINE)
    part = scarce.FeatureStream(DEFINE)
    records = rows.to_dict("records")
    for r in records[:900]:
        whole.put(r), part.put(r)
    part.save(tmp_path / "s")
    rest = scarce.FeatureStream(DEFINE, snapshot=tmp_path / "s")
    assert rest.position == whole.position == 900
    for r in records[900:1200]:
        assert str(rest.put(r)) == str(whole.put(r))
    data = bytearray((tmp_path / "s").read_bytes())
    for at in (0, 9, len(data) // 2, len(data) - 1):
        data[at] ^= 1
        (tmp_path / "s").write_bytes(data)
        with pytest.raises(scarce.ScarceError):
            scarce.FeatureStream(DEFINE, snapshot=tmp_path / "s")
        data[at] ^= 1
    (tmp_path / "s").write_bytes(data)
    with pytest.raises(scarce.DataError):
        scarce.FeatureStream(DEFINE.replace("7d", "8d"), snapshot=tmp_path / "s")


def test_labels():
    stream = scarce.FeatureStream(DEFINE.replace("by card: since", "field fraud label\nover 7d by card: sum(fraud)"))
    stream.put({"tx_id": 1, "time": 1000, "card": "a", "amount": 1})
    assert stream.label(1, True) and not stream.label(2, True)
    assert stream.put({"tx_id": 3, "time": 2000, "card": "a", "amount": 1})["card_sum_fraud_7d"] == 1


def test_dates_and_missing_values():
    got = scarce.features({"time": np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[s]"), "card": ["a", "a"], "amount": [np.nan, 2.0]},
                          "field time time\nfield card key\nfield amount number optional\nover 2d by card: count, mean(amount)\n")
    np.testing.assert_array_equal(got["card_count_2d"], [0, 1])
    assert np.isnan(got["card_mean_amount_2d"]).all()


@pytest.mark.parametrize("wrong, text", [
    (lambda: scarce.FeatureStream("field a key\nover 1d by a: cuont\n"), "definitions:2:"), (lambda: scarce.FeatureStream(DEFINE).put({"time": 5}), "is missing"),
    (lambda: scarce.features({"time": [1], "card": ["a"], "amonut": [1]}, "field time time\nfield card key\nfield amount number\nover 1d by card: count\n"), '"amonut" is there'),
    (lambda: scarce.features({"time": ["x"], "card": ["a"]}, "field time time\nfield card key\nover 1d by card: count\n"), "data:2"),
    (lambda: scarce.features("rows.csv", DEFINE), "out=")])
def test_wrong_use(wrong, text):
    with pytest.raises(scarce.ScarceError, match=text):
        wrong()


def test_a_missing_file():
    with pytest.raises(OSError):
        scarce.FeatureStream(os.path.join("no", "such.features"))
