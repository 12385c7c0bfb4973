# SPDX-License-Identifier: Apache-2.0
"""Neighbours and resampling of other programs.

peers_near.py X.npy y.npy THREADS JOB   as bench/near.c; JOB:
    find K brute|kd_tree|ball_tree [float64]   scikit-learn's NearestNeighbors, all rows in themselves
    classify K brute|kd_tree|auto              scikit-learn's KNeighborsClassifier, probabilities of all rows by all rows
    lmnn, itml                                 metric-learn's, 3 neighbours, other options as they are
    sgemm                                      X X^T alone by numpy's BLAS, in blocks: what a distance matrix begins with
    a name of ours                             imbalanced-learn's method with its defaults"""
import sys

import numpy as np

import harness


def resampler(name, threads):
    from imblearn import combine, over_sampling, under_sampling as u
    jobs = {"n_jobs": threads}
    enn = u.EditedNearestNeighbours(sampling_strategy="all", **jobs)
    return {
        "tomek": lambda: u.TomekLinks(**jobs), "enn": lambda: u.EditedNearestNeighbours(**jobs),
        "renn": lambda: u.RepeatedEditedNearestNeighbours(**jobs), "all-knn": lambda: u.AllKNN(**jobs),
        "ncr": lambda: u.NeighbourhoodCleaningRule(**jobs),
        "nearmiss-1": lambda: u.NearMiss(version=1, **jobs), "nearmiss-2": lambda: u.NearMiss(version=2, **jobs),
        "nearmiss-3": lambda: u.NearMiss(version=3, **jobs), "smote": lambda: over_sampling.SMOTE(random_state=1),
        "borderline-smote-1": lambda: over_sampling.BorderlineSMOTE(random_state=1),
        "adasyn": lambda: over_sampling.ADASYN(random_state=1),
        "smote-enn": lambda: combine.SMOTEENN(random_state=1, enn=enn, n_jobs=threads),
    }[name]()


def main():
    X, y = np.load(sys.argv[1]), np.load(sys.argv[2])
    threads, job = int(sys.argv[3]), sys.argv[4:]
    last = {}
    if job[0] == "find":
        from sklearn.neighbors import NearestNeighbors
        X = X.astype(job[3] if len(job) > 3 else "float32")

        def run():
            found = NearestNeighbors(n_neighbors=int(job[1]), algorithm=job[2], n_jobs=threads).fit(X)
            distance, _ = found.kneighbors()
            last["mean"] = float(distance[:, -1].mean())
            return dict(last)
    elif job[0] == "classify":
        from sklearn.neighbors import KNeighborsClassifier
        model = KNeighborsClassifier(n_neighbors=int(job[1]), algorithm=job[2], n_jobs=threads).fit(X, y)

        def run():
            last["mean"] = float(model.predict_proba(X)[:, 1].mean())
            return dict(last)
    elif job[0] in ("lmnn", "itml"):
        import metric_learn
        import metric_learn._util as util
        # metric-learn 0.7 knows scikit-learn's argument by its old name
        renamed = lambda check: lambda *a, force_all_finite=True, **k: check(*a, ensure_all_finite=force_all_finite, **k)
        util.check_X_y, util.check_array = renamed(util.check_X_y), renamed(util.check_array)
        X = X.astype(float)

        def run():
            model = metric_learn.LMNN(n_neighbors=3) if job[0] == "lmnn" else metric_learn.ITML_Supervised(n_constraints=500)
            model.fit(X, y.astype(int))
    elif job[0] == "sgemm":
        def run():
            for i in range(0, len(X), 4096):
                X[i:i + 4096] @ X.T
    else:
        X = X.astype(float)

        def run():
            _, labels = resampler(job[0], threads).fit_resample(X, y)
            last.update(rows=len(labels), positives=int(labels.sum()))
            return dict(last)
    harness.serve(run, lambda: last)


main()
