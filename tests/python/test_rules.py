# SPDX-License-Identifier: Apache-2.0
"""Rules from Python: the same remarks and figures as the program."""
import json
import os
import subprocess

import numpy as np
import pytest

import scarce

RULES = """list hot = live
rule large stage block
  when  amount > 3 * card_mean_30d && abroad
  say   "{amount / card_mean_30d:1} times the mean"
  limit false_alerts 99% over 14d min 5
rule terminal stage alert when terminal_risk_7d > 0.05 || category in hot say "risky"
"""
ROLES = dict(label="label", time="time", group="card", amount="amount")


@pytest.fixture(scope="module")
def pay():
    return scarce.simulate("fraud", transactions=4000, days=30, rate=0.05)


def test_check(pay, tmp_path):
    assert scarce.rules_check(RULES)
    checked = scarce.rules_check(RULES, pay, **ROLES)
    assert checked and [r["name"] for r in checked.rules] == ["large", "terminal"] and "live" in checked.remarks[0]["text"]
    wrong = scarce.rules_check(RULES.replace("abroad", "abrod").replace(" > 0.05", ' > "x"'), pay, **ROLES)
    assert not wrong and [(m["line"], m["nearest"]) for m in wrong.mistakes] == [(3, "abroad"), (6, None)]
    assert 'did you mean "abroad"' in repr(wrong)
    (tmp_path / "hot.txt").write_text("a\n")
    path = tmp_path / "x.rules"
    path.write_text('list hot = file "hot.txt"\nrule a stage alert when category in hot say "x"\n')
    assert scarce.rules_check(path, pay, **ROLES)
    assert json.dumps(checked.to_dict())


def test_backtest(pay):
    got = scarce.rules_backtest(RULES, pay, **ROLES)
    large = np.flatnonzero((pay["amount"].to_numpy() > 3 * pay["card_mean_30d"].to_numpy()) & (pay["abroad"].to_numpy() == 1))
    label = pay["label"].to_numpy()
    assert abs(got["large"]["fired"] - len(large)) <= 1  # amounts are floats in the frame
    assert got["large"]["rows"][0] == large[0] and got.positives == label.sum()
    assert got["large"]["precision"] == pytest.approx(label[got["large"]["rows"]].mean())
    assert len(got.limits) == 1 and got.model is None and len(got) == 2
    assert "Week by week" in got._page() and json.dumps(got.to_dict())
    again = scarce.rules_backtest(RULES, pay, **ROLES, alert=label == 1, threads=3)
    assert again.model["precision"] == 1 and again["large"]["alone"] == 0
    assert again["large"]["with_model"] == got["large"]["positive"]
    with pytest.raises(scarce.DataError, match="alert has 3 values"):
        scarce.rules_backtest(RULES, pay, **ROLES, alert=[1, 0, 1])
    with pytest.raises(scarce.ScarceError, match="no column"):
        scarce.rules_backtest("rule a stage alert when nothing > 5", pay, **ROLES)


def test_beside_a_model(pay):
    model = scarce.train(pay, **ROLES, ignore=["tx_id", "terminal", "label_time"], n_trees=10)
    got = scarce.rules_backtest(RULES, pay, **ROLES, model=model)
    assert got.model["fired"] == model.alert(pay).sum() and got.either["fired"] >= got.rules_together["fired"]


def test_as_the_program(pay, tmp_path):
    program = os.path.join(os.path.dirname(scarce.__file__), "bin", "scarce")
    if not os.path.exists(program):
        pytest.skip("no program in this wheel")
    pay.to_csv(tmp_path / "pay.csv", index=False)
    (tmp_path / "x.rules").write_text(RULES)
    said = subprocess.run([program, "rules", "backtest", "x.rules", "pay.csv", "--label", "label", "--time", "time", "--group", "card", "--amount", "amount", "--json", "--quiet"],
                          cwd=tmp_path, capture_output=True, check=True)
    want = json.loads(said.stdout)
    got = scarce.rules_backtest(tmp_path / "x.rules", tmp_path / "pay.csv", **ROLES)
    for a, b in zip(want["rules"], got.rules):
        for key in ("fired", "positive", "precision", "detection", "amount", "alone"):
            assert a[key] == b[key]
