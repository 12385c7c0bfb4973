# SPDX-License-Identifier: Apache-2.0
"""AP by class ratio, from results.csv and results-smote.csv: python figure.py OUT.svg

Differences to `gb` on all rows, fold by fold, so that both files can be drawn together; bars are standard errors."""
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from common import load, mean, sd  # noqa: E402
from plot import Chart, write  # noqa: E402

SHARE = 0.0018
WAYS = [("undersampled, gb", "random-under:ratio={}+gb:sample=all"), ("SMOTE, gb", "smote:ratio={}+gb:sample=all"),
        ("repeated, gb", "random-over:ratio={}+gb:sample=all"), ("random forest", "random-forest"),
        ("undersampled, forest", "random-under:ratio={}+random-forest"), ("SMOTE, forest", "smote:ratio={}+random-forest")]
RATIOS = (0.01, 0.1, 1)


def differences():
    """method -> differences of AP to gb:sample=all over the folds it has."""
    out = {}
    for name in ("results.csv", "results-smote.csv"):
        path = os.path.join(HERE, name)
        if not os.path.exists(path):
            continue
        lines = load(path)
        base = {(f["seed"], f["fold"]): f["ap"] for f in lines if f["method"] == "gb:sample=all"}
        for f in lines:
            method = f["method"].replace(" ", "=")
            if method.startswith("gb:sample=all+"):  # as written by the first version of this study
                method = method.split("+")[1] + "+gb:sample=all"
            key = (f["seed"], f["fold"])
            if key in base and isinstance(f["ap"], float):
                out.setdefault(method, {})[name, *key] = f["ap"] - base[key]
    return {m: list(d.values()) for m, d in out.items()}


def main():
    found = differences()
    chart = Chart("What another class ratio does to average precision", "positives per negative in training (0.0018: as they are)",
                  "AP less that of gb on all rows", log_x=True, marks=True)
    for name, spec in WAYS:
        points, errors = [], []
        for ratio in (SHARE, *RATIOS):
            if ratio == SHARE:
                d = [0.0, 0.0] if "gb" in name else found.get("random-forest", [])
            else:
                d = found.get(spec.format(f"{ratio:g}"), []) if "{}" in spec else []
            if d:
                points.append((ratio, mean(d)))
                errors.append(0 if math.isnan(sd(d)) else sd(d) / math.sqrt(len(d)))
        if len(points) > 1:
            chart.line(name, points, error=errors)
    write(sys.argv[1], [chart], columns=1)


if __name__ == "__main__":
    main()
