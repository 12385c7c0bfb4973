# SPDX-License-Identifier: Apache-2.0
"""E10: ranking trees as in Viola's thesis, section 4.5: 70/30 splits, depth by 5-fold cross-validation of AP on the training part.

    python run.py SCARCE DATA WORK OUT.csv [--runs 20] [--methods gini,entropy,...] [--sets a,b] [--forest-depths 2,3,...] [--splits thesis]

DATA: folder of NAME.csv.gz with the column `label` last; WORK: any folder for splits (what is in OUT.csv already is not
computed again). Then python table.py OUT.csv prints the table. --splits thesis: the splits of the published figures, seeds
1 to 20 of NumPy and scikit-learn's train_test_split (the authors' scripts say so); needs both. Else the standard library only."""
import argparse
import csv
import gzip
import json
import os
import subprocess
import sys

SETS = ["abalone20-onehot", "abalone17-onehot", "yeast6", "redwinequality4", "libras", "satimage", "pageblocks", "yeast3", "bankmarketing-onehot", "abalone8-onehot",
        "segmentation", "hayes", "vehicle", "german", "newthyroid", "glass", "wine", "pima", "ionosphere", "autompg", "wdbc", "spambase",
        "bupa", "heart", "australian", "balance", "sonar", "splice"]
DEEP = [2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30]  # a tree of more than 30 levels is that of 30 on these sets
META = [2, 3, 4, 5, 6, 7, 8, 9, 10]
METHODS = {  # as in the thesis, then with ties broken alike
    "gini": ("cart:criterion=gini:scores=distance", DEEP),
    "entropy": ("cart:criterion=entropy:scores=distance", DEEP),
    "treerank": ("treerank:tie_break=false", META),
    "metaap": ("metaap", META),
    "entropy+ties": ("cart:criterion=entropy:scores=leaf+distance", DEEP),
    "treerank+ties": ("treerank", META),
    "metaap-forest": ("metaap-forest", META),
}


def run(scarce, *args):
    out = subprocess.run([scarce, *args, "--quiet", "--threads", "1"], check=True, stdout=subprocess.PIPE, text=True)
    return out.stdout


def split_as_thesis(path, fold, parts):
    import numpy
    from sklearn.model_selection import train_test_split
    with open(path) as f:
        head, *rows = f.readlines()
    label = [r.rstrip("\n").rsplit(",", 1)[1] for r in rows]
    numpy.random.seed(fold)
    chosen = train_test_split(range(len(rows)), shuffle=True, stratify=label, test_size=0.3)
    for part, at in zip(parts, chosen):
        with open(part, "w") as f:
            f.write(head)
            f.writelines(rows[i] for i in at)


def split(scarce, data, work, name, fold, how):
    plain = os.path.join(work, name + ".csv")
    if not os.path.exists(plain):
        with gzip.open(os.path.join(data, name + ".csv.gz"), "rb") as f, open(plain, "wb") as g:
            g.write(f.read())
    parts = [os.path.join(work, f"{name}.{fold}.{p}.csv") for p in ("train", "test")]
    if how == "thesis":
        split_as_thesis(plain, fold, parts)
        return parts
    run(scarce, "split", plain, "--label", "label", "--protocol", "holdout:0.3", "--fold", str(fold), "-o", ",".join(parts))
    return parts


def spec(method, depth):
    name, *rest = method.split(":")
    return ":".join([name, f"max_depth={depth}", *rest])


def best_depth(scarce, train, method, depths):
    """The first depth of the highest mean AP over five folds."""
    if len(depths) == 1:
        return depths[0]
    out = run(scarce, "compare", train, "--label", "label", "--protocol", "cv:5", "--repeats", "1", "--json", "--methods",
              ",".join(spec(method, d) for d in depths))
    means = []
    for m in json.loads(out)["methods"]:
        values = [f["ap"] for f in m["folds"] if f["ap"] is not None]
        means.append(sum(values) / len(values) if values else -1)
    return depths[means.index(max(means))]


def fit(scarce, train, test, method, depth, work):
    name, *settings = spec(method, depth).split(":")
    model = os.path.join(work, "model.%d" % os.getpid())
    run(scarce, "train", train, "--label", "label", "--method", name, "-o", model, *[x for s in settings for x in ("--set", s)])
    return json.loads(run(scarce, "eval", model, test, "--json"))


def main():
    p = argparse.ArgumentParser(description=__doc__)
    for name in ("scarce", "data", "work", "out"):
        p.add_argument(name)
    p.add_argument("--runs", type=int, default=20)
    p.add_argument("--methods", default=",".join(METHODS))
    p.add_argument("--sets", default=",".join(SETS))
    p.add_argument("--forest-depths", default="2,3,4,5,6,7,8,9,10")
    p.add_argument("--forest-trees", default="100")
    p.add_argument("--splits", choices=("own", "thesis"), default="own")
    a = p.parse_args()
    os.makedirs(a.work, exist_ok=True)
    done = set()
    if os.path.exists(a.out):
        with open(a.out, newline="") as f:
            done = {(r["set"], r["run"], r["method"]) for r in csv.DictReader(f)}
    else:
        with open(a.out, "w") as f:
            f.write("set,run,method,depth,ap,precision_at_k\n")
    for fold in range(1, a.runs + 1):
        for name in a.sets.split(","):
            todo = [m for m in a.methods.split(",") if (name, str(fold), m) not in done]
            if not todo:
                continue
            train, test = split(a.scarce, a.data, a.work, name, fold, a.splits)
            for m in todo:
                method, depths = METHODS[m]
                if "forest" in m:
                    method, depths = method + ":n_trees=" + a.forest_trees, [int(d) for d in a.forest_depths.split(",")]
                depth = best_depth(a.scarce, train, method, depths)
                got = fit(a.scarce, train, test, method, depth, a.work)
                got = got.get("metrics", got)
                with open(a.out, "a") as f:
                    f.write(f"{name},{fold},{m},{depth},{got['ap']:.6f},{got['precision_at_k']:.6f}\n")
            for path in (train, test):
                os.remove(path)
    print("python table.py", a.out, file=sys.stderr)


if __name__ == "__main__":
    main()
