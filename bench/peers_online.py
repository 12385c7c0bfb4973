# SPDX-License-Identifier: Apache-2.0
"""Online learners of other programs: peers_online.py X.npy y.npy ROWS JOB, each of the first ROWS rows scored before it is learnt. JOB:
    river-boosting T    River's ADWINBoostingClassifier of T Hoeffding trees
    river-logistic      River's logistic regression behind a standard scaler
    vw T                Vowpal Wabbit with --boosting T, row by row from Python: a line of text for each, made before the clock starts
    vw-file T           the same over a file of such lines, by the loop of its own program; it writes its predictions into another
Rows are dicts and lines before the clock starts; what is judged, after it has stopped."""
import sys
import time

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


def vw_lines(X, y):
    return [f"{1 if label else -1} | " + " ".join(f"{j}:{v:.6g}" for j, v in enumerate(r) if v) for r, label in zip(X, y)]


def vw_options(job):
    return f"--boosting {job[1]} --alg logistic --loss_function logistic --quiet"


def vw_file(job, X, y):
    from vowpalwabbit import Workspace
    data = harness.DATA / f"online_{len(y)}.vw"
    out = data.with_suffix(".scores")
    with open(data, "w", encoding="ascii") as f:
        f.writelines(line + "\n" for line in vw_lines(X, y))

    def run():
        work = Workspace(f"{vw_options(job)} -d {data} -p {out}", enable_logging=False)
        work.run_parser()
        work.finish()
        return lambda: np.loadtxt(out, usecols=0)
    return run


def vw(job, X, y):
    from vowpalwabbit import Workspace
    lines, made = vw_lines(X, y), {}

    def run():
        if "vw" in made:
            made["vw"].finish()
        work = made["vw"] = Workspace(vw_options(job))
        score = np.zeros(len(lines))
        for i, line in enumerate(lines):
            example = work.example(line)
            work.learn(example)  # the prediction it holds is that before the update
            score[i] = example.get_prediction() if hasattr(example, "get_prediction") else example.get_updated_prediction()
            work.finish_example(example)
        return score
    return run


def main():
    X, y, rows, job = np.load(sys.argv[1], mmap_mode="r"), np.load(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    X, y = np.array(X[:rows]), y[:rows]
    learn, last = JOBS[job[0]](job, X, y), {}

    def run():
        wall, cpu = time.perf_counter(), time.process_time()
        last["score"] = learn()
        wall = time.perf_counter() - wall
        return {"rows_per_s": len(y) / wall, "seconds": wall, "cpu": time.process_time() - cpu}

    def info():
        score = last["score"]
        return {"ap": ap_of(score() if callable(score) else score, y)}

    harness.serve(run, info, {"rows": len(y)})


JOBS = {"river-boosting": river, "river-logistic": river, "vw": vw, "vw-file": vw_file}
main()
