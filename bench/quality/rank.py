# SPDX-License-Identifier: Apache-2.0
"""Ranks and differences of compare.py's file.

    python rank.py WORK QUALITY.csv [--mode default] [--engines ours,xgboost,lightgbm,catboost] [--sets]
        [--rare 0.15] [--careful DEFAULT.csv]

Per set the mean over the splits that every one of the engines has; ranks of these means (ties share). --rare: only
sets with at most this share of positives. --careful: of tuned models only those count whose trial was judged better
than the default by more than one standard error, sqrt(AP (1 - AP) / held-out positives); for the others
the engine's line in DEFAULT.csv stands, so that no model is fitted anew."""
import argparse
import os

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon


def careful(d, defaults, positives):
    """The tuned lines of d, put back to the default where the gain was within one standard error."""
    known = pd.read_csv(defaults).set_index(["set", "split", "engine"])
    out = []
    for r in d.itertuples():
        judged = np.array(r.trials.split(), float)
        train = positives[r.set] - round(positives[r.set] / 3)
        held = max(1, round(train / 4)) * (3 if train < 4 * 34 else 1)
        se = np.sqrt(max(judged[0] * (1 - judged[0]), 0.02) / held)
        if judged.max() - judged[0] > se:
            out.append((r.ap, r.pk))
        else:
            line = known.loc[(r.set, r.split, r.engine)]
            out.append((line.ap, line.pk))
    return d.assign(ap=[a for a, _ in out], pk=[k for _, k in out])


def differences(m, mine, other):
    diff = m[mine] - m[other]
    p = wilcoxon(diff).pvalue if (diff.abs() > 1e-9).sum() > 4 else float("nan")
    return "%+.4f  %d/%d  %.4f" % (diff.mean(), (diff > 1e-6).sum(), (diff < -1e-6).sum(), p)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("work"), p.add_argument("csv"), p.add_argument("--mode", default="default")
    p.add_argument("--engines", default="ours,xgboost,lightgbm,catboost"), p.add_argument("--sets", action="store_true")
    p.add_argument("--rare", type=float, default=1), p.add_argument("--careful")
    o = p.parse_args()
    engines = o.engines.split(",")
    index = pd.read_csv(os.path.join(o.work, "index.csv")).set_index("set")
    d = pd.read_csv(o.csv)
    d = d[(d["mode"] == o.mode) & d.engine.isin(engines)]
    d = d[(index.positives / index.rows)[d.set].to_numpy() <= o.rare]
    if o.careful:
        d = careful(d, o.careful, index.positives)
    out = {}
    for what in ("ap", "pk"):
        m = d.pivot_table(index=["set", "split"], columns="engine", values=what)[engines].dropna()
        count = m.groupby("set").size()
        out[what] = m.groupby("set").mean()
    ap, pk = out["ap"], out["pk"]
    print("%s: %d sets, %d splits in all (%d to %d per set)" % (o.mode, len(ap), count.sum(), count.min(), count.max()))
    rank, rank_k = ap.round(5).rank(axis=1, ascending=False), pk.round(5).rank(axis=1, ascending=False)
    print("%-10s %8s %9s %8s %9s   ours minus it: mean AP, won/lost, p; mean P@k, won/lost, p (Wilcoxon)" % (
        "", "rank AP", "rank P@k", "mean AP", "mean P@k"))
    for e in engines:
        text = ""
        if e != engines[0]:
            text = differences(ap, engines[0], e) + "   " + differences(pk, engines[0], e)
        print("%-10s %8.2f %9.2f %8.4f %9.4f   %s" % (e, rank[e].mean(), rank_k[e].mean(), ap[e].mean(), pk[e].mean(), text))
    best = ap[engines[1:]].max(axis=1)
    behind = (ap[engines[0]] - best)[index.loc[ap.index].positives > 200]
    print("sets with more than 200 positives, ours minus the best of the others:")
    for s in behind.sort_values().index:
        print("  %-26s %7d rows %6d pos. %2d splits %+.4f" % (s, index.rows[s], index.positives[s], count[s], behind[s]))
    if o.sets:
        t = ap.copy()
        t.insert(0, "positives", index.loc[t.index].positives)
        t.insert(0, "rows", index.loc[t.index].rows)
        t["splits"] = count
        print(t.sort_values("positives").round(4).to_string())


if __name__ == "__main__":
    main()
