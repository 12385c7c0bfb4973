# SPDX-License-Identifier: Apache-2.0
"""Forests of other programs.

peers_forest.py X.npy y.npy TEST_X.npy TEST_y.npy THREADS NAME[:key=value]... train|score   as bench/forest.c; NAME:
    random-forest, balanced-random-forest, easy-ensemble: scikit-learn's and imbalanced-learn's, with their defaults"""
import sys
import warnings

import numpy as np

import harness

warnings.filterwarnings("ignore")


def make(spec, threads, seed=1):
    name, *settings = spec.split(":")
    settings = {k: int(v) for k, v in (s.split("=") for s in settings)}
    if name == "random-forest":
        from sklearn.ensemble import RandomForestClassifier
        return RandomForestClassifier(n_jobs=threads, random_state=seed, **settings)
    from imblearn import ensemble
    if name == "balanced-random-forest":
        return ensemble.BalancedRandomForestClassifier(n_jobs=threads, random_state=seed, sampling_strategy="all",
                                                       replacement=True, bootstrap=False, **settings)
    return ensemble.EasyEnsembleClassifier(n_jobs=threads, random_state=seed, **settings)


def main():
    from sklearn.metrics import average_precision_score
    X, y, test_X, test_y = (np.load(p) for p in sys.argv[1:5])
    threads, spec, what = int(sys.argv[5]), sys.argv[6], sys.argv[7]
    model = []
    if what == "score":
        model.append(make(spec, threads).fit(X, y))

    def run():
        if what == "train":
            model[:] = [make(spec, threads).fit(X, y)]
        else:
            model[0].predict_proba(test_X)

    def info():
        if not model:
            run()
        return {"ap": average_precision_score(test_y, model[0].predict_proba(test_X)[:, 1])}

    harness.serve(run, info)


if __name__ == "__main__":
    main()
