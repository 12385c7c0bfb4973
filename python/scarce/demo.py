# SPDX-License-Identifier: Apache-2.0
"""`python -m scarce.demo`: the main job on made-up payments, as a notebook would show it."""

from __future__ import annotations

from typing import Any

import scarce


def main() -> None:
    """Simulates, examines, trains, judges, lists."""
    print("200,000 card payments, made up")
    df = scarce.simulate("fraud", transactions=200_000)
    roles: dict[str, Any] = {"label": "label", "time": "time", "group": "card", "amount": "amount", "ignore": ["tx_id", "terminal", "label_time"]}
    print(f"\nscarce.doctor: {scarce.doctor(df, **roles).worst}")
    train, test = scarce.split_latest(df, 0.25, time="time", gap="7d")
    model = scarce.train(train, **roles, valid_fraction=0.2)
    print(f"\n{model}\n")
    print(model.evaluate(test, k=100, cost=5))
    print("\nwhat to look at:")
    alerts = model.alerts(test, budget="3/day", reasons=2)
    print(alerts[["rank", "tx_id", "card", "score", "probability", "reasons"]].head(10).to_string(index=False) if hasattr(alerts, "head") else alerts)


if __name__ == "__main__":
    main()
