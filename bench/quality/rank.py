# SPDX-License-Identifier: Apache-2.0
"""Ranks and differences of compare.py's file.

    python rank.py WORK QUALITY.csv [--mode default] [--engines ours,xgboost,lightgbm,catboost] [--sets]

Per set the mean over the splits that every one of the engines has; ranks of these means (ties share)."""
import argparse
import os

import pandas as pd
from scipy.stats import wilcoxon


def main():
    p = argparse.ArgumentParser()
    p.add_argument("work"), p.add_argument("csv"), p.add_argument("--mode", default="default")
    p.add_argument("--engines", default="ours,xgboost,lightgbm,catboost"), p.add_argument("--sets", action="store_true")
    o = p.parse_args()
    engines = o.engines.split(",")
    index = pd.read_csv(os.path.join(o.work, "index.csv")).set_index("set")
    d = pd.read_csv(o.csv)
    d = d[(d["mode"] == o.mode) & d.engine.isin(engines)]
    out = {}
    for what in ("ap", "pk"):
        m = d.pivot_table(index=["set", "split"], columns="engine", values=what)[engines].dropna()
        count = m.groupby("set").size()
        out[what] = m.groupby("set").mean()
    ap = out["ap"]
    print("%s: %d sets, %d splits in all (%d to %d per set)" % (o.mode, len(ap), count.sum(), count.min(), count.max()))
    rank, rank_k = ap.round(5).rank(axis=1, ascending=False), out["pk"].round(5).rank(axis=1, ascending=False)
    print("%-10s %9s %9s %9s %9s   ours minus it: mean AP, won/lost, Wilcoxon p" % ("", "rank AP", "rank P@k", "mean AP", "mean P@k"))
    for e in engines:
        text = ""
        if e != engines[0]:
            diff = ap[engines[0]] - ap[e]
            text = "%+.4f  %d/%d  %.4f" % (diff.mean(), (diff > 1e-6).sum(), (diff < -1e-6).sum(), wilcoxon(diff).pvalue)
        print("%-10s %9.2f %9.2f %9.4f %9.4f   %s" % (e, rank[e].mean(), rank_k[e].mean(), ap[e].mean(), out["pk"][e].mean(), text))
    best = ap[[e for e in engines[1:] if e != "now"]].max(axis=1)
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
