# SPDX-License-Identifier: Apache-2.0
"""Online learners of other programs: peers_online.py X.npy y.npy JOB, each row scored before it is learnt. JOB:
    river-boosting T    River's ADWINBoostingClassifier of T Hoeffding trees (a tenth of the rows: it takes so long)
    river-logistic      River's logistic regression behind a standard scaler (a tenth of the rows)
    vw T                Vowpal Wabbit with --boosting T, examples made before the clock starts (vowpalwabbit of pip)"""
import sys

import harness
import numpy as np


def ap_of(score, y):
    from sklearn.metrics import average_precision_score
    return float(average_precision_score(y, score))


def river(job, X, y):
    from river import ensemble, linear_model, preprocessing, tree
    names = [f"x{i}" for i in range(X.shape[1])]
    rows = [dict(zip(names, map(float, r))) for r in X]

    def run():
        if job[0] == "river-logistic":
            model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
        else:
            model = ensemble.ADWINBoostingClassifier(tree.HoeffdingTreeClassifier(), n_models=int(job[1]), seed=1)
        score = np.zeros(len(rows))
        for i, x in enumerate(rows):
            score[i] = model.predict_proba_one(x).get(1, 0.0)
            model.learn_one(x, int(y[i]))
        return score
    return run


def vw(job, X, y):
    from vowpalwabbit import Workspace
    lines = [f"{1 if label else -1} | " + " ".join(f"{j}:{v:.6g}" for j, v in enumerate(r) if v) for r, label in zip(X, y)]
    made = {}

    def run():
        if "vw" in made:
            made["vw"].finish()
        work = made["vw"] = Workspace(f"--boosting {job[1]} --alg logistic --loss_function logistic --quiet")
        score = np.zeros(len(lines))
        for i, line in enumerate(lines):
            example = work.example(line)
            work.learn(example)  # the prediction it holds is that before the update
            score[i] = example.get_prediction() if hasattr(example, "get_prediction") else example.get_updated_prediction()
            work.finish_example(example)
        return score
    return run


def main():
    X, y, job = np.load(sys.argv[1]), np.load(sys.argv[2]), sys.argv[3:]
    if job[0].startswith("river"):
        X, y = X[: len(X) // 10], y[: len(y) // 10]
    learn, last = (river if job[0].startswith("river") else vw)(job, X, y), {}

    def run():
        import time
        start = time.perf_counter()
        last["ap"] = ap_of(learn(), y)
        return {"rows_per_s": len(y) / (time.perf_counter() - start)}

    harness.serve(run, lambda: dict(last), {"rows": len(y)})


main()
