# SPDX-License-Identifier: Apache-2.0
"""Mean difference in AP of each setting of a study's file from a base, by groups of sets.

    python table.py WORK STUDY.csv [BASE] [--sets] [--match TEXT]"""
import os
import sys

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon

GROUPS = (("all", lambda i: i.rows > 0), ("<1k", lambda i: i.rows < 1000),
          ("1k-10k", lambda i: (i.rows >= 1000) & (i.rows < 10000)), (">=10k", lambda i: i.rows >= 10000),
          ("rare", lambda i: i.positives < 0.05 * i.rows), ("p<100", lambda i: i.positives < 100))


def means(path):
    d = pd.read_csv(path, keep_default_na=False)
    return d.pivot_table(index="set", columns="setting", values="ap"), d


def main():
    args = [a for a in sys.argv[1:] if not a.startswith("--")]
    work, path, base = args[0], args[1], args[2] if len(args) > 2 else ""
    index = pd.read_csv(os.path.join(work, "index.csv")).set_index("set")
    m, d = means(path)
    seconds = d.groupby("setting").seconds.mean()
    print("%-62s" % "difference in AP x 1000 from: %r" % base, *("%8s" % g for g, _ in GROUPS), "  won/lost     p   sec")
    for c in m:
        if c == base:
            continue
        diff = (m[c] - m[base]).dropna()
        i = index.loc[diff.index]
        cells = ["%+8.1f" % (1000 * diff[f(i)].mean()) if f(i).any() else "       -" for _, f in GROUPS]
        p = wilcoxon(diff).pvalue if (diff != 0).sum() > 4 else np.nan
        print("%-62s" % c, *cells, "%5d/%-3d %6.4f %5.2f" % ((diff > 1e-9).sum(), (diff < -1e-9).sum(), p, seconds[c]))
        if "--sets" in sys.argv:
            for s in diff.sort_values().index:
                print("      %-28s %7d %6d  %.4f  %+.4f" % (s, index.rows[s], index.positives[s], m[base][s], diff[s]))


if __name__ == "__main__":
    main()
