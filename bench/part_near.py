# SPDX-License-Identifier: Apache-2.0
"""Nearest neighbours against scikit-learn and against the product of matrices alone, resampling against
imbalanced-learn, and SMOTE of ten million rows in place (--full)."""
import numpy as np
from harness import DATA, Worker, data_set, driver, python, ratios, take_turns, threads_text

RULES = ["tomek", "enn", "nearmiss-1", "nearmiss-2", "nearmiss-3", "smote", "smote-enn", "renn", "all-knn", "ncr",
         "borderline-smote-1", "adasyn"]
SLOW = ["smote-enn", "renn", "all-knn"]  # of these one run each is enough
OURS = "scarce"


class Job(Worker):
    """bench/near.c: a run is a line that says what to do."""

    def __init__(self, name, job, X, y, threads):
        self.job = job
        super().__init__(name, driver("near", X, y, str(threads)), threads)

    def go(self, word="go"):
        super().go(self.job)


def table(rows, positives, features=30):
    """Numbers without gaps in units of their deviation: distances mean something, and `scale=none` is fair to all."""
    d = data_set("near", rows, features=features, positives=positives)
    X, y = DATA / f"near_{rows}_{features}_filled.npy", d["y"]
    if not X.exists():
        filled = np.nan_to_num(np.load(d["X"]))
        filled -= filled.mean(axis=0)
        filled /= filled.std(axis=0)
        np.save(X, filled)
    return X, y


def row(w, setting):
    last = (w.runs or [{}])[-1]
    more = {k: round(last[k], 5) for k in ("mean", "rows", "positives") if k in last}
    return w.row(setting, **more)


def judged(workers, setting):
    rows = [row(w, setting) for w in workers]
    return ratios(ratios(rows, OURS), OURS, "cpu_s", "cpu_ratio")


def neighbours(a):
    n = 5_000 if a.quick else 50_000
    X, y = table(n, 0.01)
    other = lambda name, *job: Worker(name, python("peers_near.py", X, y, str(a.threads), *job), a.threads)
    workers = [Job(OURS, "find 5", X, y, a.threads), Job("scarce, AVX2", "find 5 1 0", X, y, a.threads),
               Job("scarce, plain", "find 5 0 0", X, y, a.threads), other("numpy, product alone (sgemm)", "sgemm"),
               other("scikit-learn, brute", "find", "5", "brute"),
               other("scikit-learn, brute, float64", "find", "5", "brute", "float64"),
               other("scikit-learn, kd_tree", "find", "5", "kd_tree")]
    take_turns(workers, a.rounds or 5, budget=20, least=1)
    return judged(workers, f"5 nearest of {n} x 30 in themselves, {threads_text(a.threads)}")


def resampling(a):
    n, out = 10_000 if a.quick else 100_000, []
    X, y = table(n, 0.01)
    for rule in RULES[:7] if a.quick else RULES:
        ours = Job(OURS, f"{rule}:scale=none", X, y, a.threads)
        other = Worker("imbalanced-learn", python("peers_near.py", X, y, str(a.threads), rule), a.threads)
        take_turns([ours, other], a.rounds or (1 if rule in SLOW else 3), least=1)
        out += judged([ours, other], f"{rule}, {n} x 30, 1 % positives, {threads_text(a.threads)}")
    return out


class Model(Worker):
    """bench/nearest.c: a model of neighbours, and what is asked of it."""

    def __init__(self, name, job, spec, X, y, threads):
        self.job = job
        super().__init__(name, driver("nearest", X, y, str(threads), spec), threads)

    def go(self, word="go"):
        super().go(self.job)


def models(a):
    """gamma-knn tuned by 10 folds on 6,435 x 36; one query, and all rows as queries, against 100,000 x 30; metric learners."""
    out = []
    X, y = table(6_435, 0.1, 36)
    w = Model(OURS, "train", "gamma-knn:k=3:scale=none:folds=10", X, y, a.threads)
    take_turns([w], a.rounds or 5, least=1)
    out += judged([w], f"gamma-knn tuned by 10 folds, 6,435 x 36, {threads_text(a.threads)}")
    n = 10_000 if a.quick else 100_000
    X, y = table(n, 0.01)
    spec = "knn:k=5:scale=none:votes=share"
    one = Model(OURS, "one 1000", spec, X, y, 1)
    take_turns([one], a.rounds or 5, least=1)
    out += judged([one], f"1,000 queries one at a time against {n} x 30, 1 thread")
    workers = [Model(OURS, "table", spec, X, y, a.threads)]
    workers += [Worker(f"scikit-learn, {how}", python("peers_near.py", X, y, str(a.threads), "classify", "5", how), a.threads)
                for how in ("brute", "auto")]  # kd_tree takes five minutes
    take_turns(workers, a.rounds or 3, budget=60, least=1)
    out += judged(workers, f"k-NN of {n} queries against {n} x 30, {threads_text(a.threads)}")
    X, y = table(9_000, 0.1, 27)
    for name in ("lmnn", "itml", "gmml"):
        workers = [Model(OURS, "train", f"{name}:scale=none", X, y, a.threads)]
        if name != "gmml":
            workers.append(Worker("metric-learn", python("peers_near.py", X, y, str(a.threads), name), a.threads))
        take_turns(workers, 1 if a.quick else a.rounds or 2, budget=60, least=1)
        out += judged(workers, f"{name}, 9,000 x 27, {threads_text(a.threads)}")
    return out


def large(a):
    """In place, to ratios 0.1 and 1: a table of ten million rows becomes one of eleven, of twenty."""
    X, y = table(10_000_000, 0.001)
    out = []
    for ratio in ("0.1", "1"):
        w = Job(OURS, f"take smote:ratio={ratio}", X, y, a.threads)
        ready = dict(w.ready)
        take_turns([w], 1, least=1)
        made = w.runs[0]
        result = ready["table_mib"] * made["rows"] / ready["rows"]
        out.append(row(w, f"smote to ratio {ratio} of 10,000,000 x 30, 0.1 % positives, {threads_text(a.threads)}"))
        out[-1]["rss_of_result"] = round(made["rss_mib"] / result, 3)
    return out


def run(a):
    rows = neighbours(a) + models(a) + resampling(a) + (large(a) if a.full else [])
    return "neighbours and resampling", rows, [
        "All work on the same numbers (scale=none). mean is that of the fifth distance; rows and positives are those of "
        "the result: equal where the rule leaves nothing to chance but ties.",
        "sgemm is the product of the matrix with itself alone, without norms, selection or memory for the result.",
        "rss_of_result: the most the process held while the rows were made, in tables of the result's size; reading is not counted."]
