# SPDX-License-Identifier: Apache-2.0
"""Writes metrics.txt and card_precision.txt, read by tests/unit/test_eval_golden.c.

Needs numpy and scikit-learn (made with 1.9). Run in this folder: python make_metrics.py
The inputs come from lcg.py; the test makes the same ones. One line per case:
  ap auc_roc f1 precision recall balanced_accuracy mcc brier log_loss
"""
import math
import warnings

import numpy as np
from sklearn import metrics as sk

from lcg import Lcg

CASES = 2000
CARD_CASES = 200


def case(c):
    """The same steps, in the same order, as make_case in the test."""
    r = Lcg(c)
    n = 3000 if c % 100 == 0 else 2 + r.below(60)
    levels = (1, 3, 10, 1000, 2**31)[r.below(5)]
    prevalence = r.below(4)  # one positive; 1 in 10; half; all but one
    weighted = r.below(2)
    score = np.array([r.below(levels) / levels - 0.25 for _ in range(n)])
    one = r.below(n)
    label = np.zeros(n, dtype=int)
    for i in range(n):
        d = r.below(10)
        label[i] = (i == one, d == 0, d < 5, i != one)[prevalence]
    probability = np.array([r.below(1001) / 1000 for _ in range(n)])
    weight = np.array([r.below(5) / 4 if weighted else 1.0 for _ in range(n)])
    threshold = score[r.below(n)]
    return score, label, probability, weight, threshold


def results(c):
    score, label, probability, w, threshold = case(c)
    alert = (score >= threshold).astype(int)
    pos, neg = w[label == 1].sum(), w[label == 0].sum()
    nan = math.nan
    p = nan
    if w[alert == 1].sum() > 0:
        p = sk.precision_score(label, alert, sample_weight=w, zero_division=nan)
    both = pos > 0 and neg > 0
    out = [nan] * 3 if not both else [
        sk.average_precision_score(label, score, sample_weight=w),
        sk.roc_auc_score(label, score, sample_weight=w),
        sk.f1_score(label, alert, sample_weight=w, zero_division=0),
    ]
    if pos > 0 and not both:
        out[2] = sk.f1_score(label, alert, sample_weight=w, zero_division=0)
    out += [p, sk.recall_score(label, alert, sample_weight=w) if pos > 0 else nan]
    out += [sk.balanced_accuracy_score(label, alert, sample_weight=w) if both else nan]
    out += [sk.matthews_corrcoef(label, alert, sample_weight=w) if both else nan]
    if pos + neg > 0:
        out += [
            np.average((probability - label) ** 2, weights=w) if not both
            else sk.brier_score_loss(label, probability, sample_weight=w),
            sk.log_loss(label, probability, sample_weight=w, labels=[0, 1]),
        ]
    else:
        out += [nan, nan]
    return out


def card_case(c):
    r = Lcg(1_000_000 + c)
    n = 5 + r.below(200)
    days, cards, k = 1 + r.below(6), 1 + r.below(40), 1 + r.below(12)
    levels = (5, 2**31)[r.below(2)]
    rows = []
    for _ in range(n):
        day, card, score, fraud = r.below(days), r.below(cards), r.below(levels) / levels, r.below(6) == 0
        rows.append((day, card, score, fraud))
    return rows, k


def card_precision(rows, k):
    """The definition, word for word."""
    if not 0 < sum(fraud for _, _, _, fraud in rows) < len(rows):
        return math.nan
    found, daily = set(), []
    for day in sorted({row[0] for row in rows}):
        highest, fraudulent = {}, set()
        for d, card, score, fraud in rows:
            if d != day or card in found:
                continue
            highest[card] = max(score, highest.get(card, -math.inf))
            if fraud:
                fraudulent.add(card)
        top = sorted(highest, key=lambda card: (-highest[card], card))[:k]
        hits = fraudulent & set(top)
        daily.append(len(hits) / k)
        found |= hits
    return sum(daily) / len(daily)


def main():
    warnings.simplefilter("ignore")
    with open("metrics.txt", "w") as f:
        for c in range(CASES):
            f.write(" ".join(f"{x:.13g}" for x in results(c)) + "\n")
    with open("card_precision.txt", "w") as f:
        for c in range(CARD_CASES):
            f.write(f"{card_precision(*card_case(c)):.17g}\n")


if __name__ == "__main__":
    main()
