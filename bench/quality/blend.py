# SPDX-License-Identifier: Apache-2.0
"""Blends of the scores that kinds.py kept, against `gb` alone and against CatBoost; means over splits, then tests over sets.

    python blend.py OUT [--fourth ../results/quality-fourth.csv] [--csv RESULT.csv] [--sets NAME] [--splits 8] "gb+.3*et" "gb+.25*mon2+.25*et.l@100" ...

"gb+.3*et+.2*mlp" is .5 gb + .3 et + .2 mlp in log-odds. A name with .l (.l3, .ll) is the mean of the log-odds of leaves smoothed by 1 (.3, 3) rows of the prior. @100: the
weights of the others times 100 / (100 + positives to train on); @<100: only below so many.
Loss: log loss as it is; loss*: with the best slope and intercept on the test rows, for both (what a calibration could reach)."""
import argparse
import glob
import os

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.stats import wilcoxon
from sklearn.metrics import average_precision_score

from study import log_loss, precision_at_k


def parts(text, positives):
    text, _, fade = text.partition("@")
    first, *rest = text.split("+")
    factor = 1.0
    if fade.startswith("<"):
        factor = float(positives < float(fade[1:]))
    elif fade:
        factor = float(fade) / (float(fade) + positives)
    terms = [(factor * float(t.split("*")[0]), t.split("*")[1]) for t in rest]
    return [(1 - sum(w for w, _ in terms), first)] + terms


def load(out, name, split, model):
    model, _, form = model.partition(".")
    path = os.path.join(out, "%s.%d.%s.npz" % (name, split, model))
    if not os.path.exists(path):
        return None
    d = np.load(path)
    return d["y"], np.asarray(d[form or "z"], float), int(d["positives"]), float(d["seconds"])


def best_loss(y, z):
    f = lambda v: np.mean(np.logaddexp(0, np.where(y == 1, -1, 1) * (np.exp(v[0]) * z + v[1]))) + .01 * v[0] ** 2 / len(y)
    return minimize(f, [0, 0], method="Nelder-Mead", options=dict(maxiter=200)).fun


def evaluate(out, text, keys, best):
    rows = []
    for name, split in keys:
        z, positives = 0, load(out, name, split, "gb")[2]
        for w, model in parts(text, positives):
            got = load(out, name, split, model)
            if got is None:
                break
            z = z + w * got[1]
        else:
            y = got[0]
            rows.append((name, split, average_precision_score(y, z), precision_at_k(y, z), log_loss(y, 1 / (1 + np.exp(-z))),
                         best_loss(y, z) if best else np.nan))
    return pd.DataFrame(rows, columns=["set", "split", "ap", "pk", "loss", "best"])


def versus(a, b, column, sign=1):
    """Mean over sets of a - b, won/lost, p; only splits that both have."""
    m = a.merge(b, on=["set", "split"], suffixes=("", "_b"))
    d = (sign * (m[column] - m[column + "_b"])).groupby(m.set).mean()
    p = wilcoxon(d).pvalue if (d.abs() > 1e-12).sum() > 4 else np.nan
    return d, "%+.4f %2d/%-2d %.3f" % (d.mean(), (d > 1e-9).sum(), (d < -1e-9).sum(), p)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("out"), p.add_argument("blend", nargs="+"), p.add_argument("--splits", default="8")
    p.add_argument("--fourth"), p.add_argument("--csv"), p.add_argument("--sets", action="store_true"), p.add_argument("--best", action="store_true")
    p.add_argument("--skip", default="")
    o = p.parse_args()
    keys = sorted({(os.path.basename(f).split(".")[0], int(os.path.basename(f).split(".")[1])) for f in glob.glob(o.out + "/*.gb.npz")})
    first, last = (int(v) for v in (o.splits if ":" in o.splits else "0:" + o.splits).split(":"))
    keys = [k for k in keys if first <= k[1] < last and k[0] not in o.skip.split(",")]
    positives = {n: load(o.out, n, s, "gb")[2] for n, s in keys}
    gb = evaluate(o.out, "gb", keys, o.best)
    cat = evaluate(o.out, "catboost", keys, False)
    if o.fourth:
        d = pd.read_csv(o.fourth)
        d = d[(d.half == 0) & (d.engine == "catboost")][["set", "split", "ap", "pk", "loss"]].assign(best=np.nan)
        d = d[[k in set(keys) for k in zip(d.set, d.split)]]
        cat = pd.concat([cat, d]).drop_duplicates(["set", "split"])
    print("gb: AP %.4f P@k %.4f loss %.4f over %d sets, %d fits" % (*gb.groupby("set")[["ap", "pk", "loss"]].mean().mean(), gb.set.nunique(), len(gb)))
    if len(cat):
        print("gb - CatBoost: AP", versus(gb, cat, "ap")[1], "| P@k", versus(gb, cat, "pk")[1], "| loss", versus(gb, cat, "loss", -1)[1], "| %d fits" % len(cat))
    print("%-34s %-20s %-7s %-22s %-20s %-20s %-20s | %-20s %s" % ("blend minus gb", "AP", "worstLOO", "AP: <30, 30-100, >100", "P@k", "loss", "loss*", "AP - CatBoost", "P@k - CatBoost"))
    lines = []
    for text in o.blend:
        b = evaluate(o.out, text, keys, o.best)
        d, ap = versus(b, gb, "ap")
        n = d.index.map(positives)
        by = [d[m].mean() for m in (n < 30, (n >= 30) & (n <= 100), n > 100)]
        loo = min((d.sum() - v) / (len(d) - 1) for v in d)
        print("%-34s %-20s %+.4f %+.3f %+.3f %+.3f    %-20s %-20s %-20s | %-20s %s" % (
            text, ap, loo, *by, versus(b, gb, "pk")[1], versus(b, gb, "loss", -1)[1], versus(b, gb, "best", -1)[1] if o.best else "",
            versus(b, cat, "ap")[1] if len(cat) else "", versus(b, cat, "pk")[1] if len(cat) else ""), flush=True)
        if o.sets:
            print("     ", "  ".join("%s(%d) %+.3f" % (s, positives[s], v) for s, v in d.sort_values().items()))
        lines.append(b.assign(blend=text))
    if o.csv:
        r = pd.concat([gb.assign(blend="gb"), cat.assign(blend="catboost")] + lines)
        g = r.groupby(["set", "blend"], sort=True).agg(splits=("ap", "size"), ap=("ap", "mean"), pk=("pk", "mean"), loss=("loss", "mean"))
        g.round(5).reset_index().to_csv(o.csv, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
