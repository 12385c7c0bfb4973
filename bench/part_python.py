# SPDX-License-Identifier: Apache-2.0
"""The Python package beside the peers' own: single rows, import, data in, contributions, quick start, Ctrl-C, fork.

Each measurement is a process of its own (python_job.py), the engines of a table take turns round by round."""
import json
import os
import statistics
import subprocess
import sys

from harness import HERE

ROOT = HERE.parent
JOB = HERE / "python_job.py"
PEERS = {"lightgbm": "lightgbm", "xgboost": "xgboost-cpu", "catboost": "catboost", "ydf": "ydf"}


def install():
    """The package as users get it, and what isn't there of the peers."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, str(ROOT)], check=True)
    for module, package in {**PEERS, "sklearn": "scikit-learn", "polars": "polars", "pyarrow": "pyarrow", "shap": "shap", "matplotlib": "matplotlib", "scipy": "scipy"}.items():
        if subprocess.run([sys.executable, "-c", f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)"]).returncode:
            subprocess.run([*pip, package])


def job(*args, timeout=900):
    """One answer of python_job.py: a dict, or {"note": why not}."""
    env = dict(os.environ, OMP_NUM_THREADS=os.environ.get("BENCH_THREADS", "1"), PYTHONWARNINGS="ignore")
    try:
        done = subprocess.run([sys.executable, str(JOB), *map(str, args)], capture_output=True, text=True, timeout=timeout, env=env, cwd=HERE)
    except subprocess.TimeoutExpired:
        return {"note": "hangs"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if lines:
        return json.loads(lines[-1])
    if done.returncode < 0:
        return {"note": f"the process died (signal {-done.returncode})"}
    return {"note": (done.stderr.strip().splitlines() or ["nothing"])[-1][:80]}


def table(setting, jobs, rounds, key):
    """Jobs {engine: arguments} in turns; the median of `key`."""
    answers = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, args in jobs.items():
            if not answers[name] or "note" not in answers[name][-1]:
                answers[name].append(job(*args))
    out = []
    for name, found in answers.items():
        values = [a[key] for a in found if key in a]
        row = {"setting": setting, "engine": name, "n": len(values), key: float(f"{statistics.median(values):.4g}") if values else None}
        row.update({k: v for k, v in found[-1].items() if k not in row})
        out.append(row)
    ours = next((r[key] for r in out if r["engine"].startswith("scarce") and r[key]), None)
    for r in out:
        r["ratio"] = round(r[key] / ours, 2) if ours and r[key] else None
        print("  " + ", ".join(f"{k} {v}" for k, v in r.items() if v is not None), flush=True)
    return out


def run(a):
    os.environ["BENCH_THREADS"] = str(a.threads)
    install()
    rounds = a.rounds or (1 if a.quick else 5)
    rows = 50_000 if a.quick else 1_000_000
    few = 20_000 if a.quick else 200_000
    out = []
    ways = {f"scarce, {w}": ("row", "scarce", w) for w in ("C alone", "array", "float64", "tuple", "dict", "json", "predict_proba")}
    peers = {"lightgbm Booster": ("row", "lightgbm", "booster"), "lightgbm predict_proba": ("row", "lightgbm", "predict_proba"),
             "catboost predict": ("row", "catboost", "booster"), "catboost predict_proba": ("row", "catboost", "predict_proba"),
             "xgboost inplace_predict": ("row", "xgboost", "booster"), "xgboost predict_proba": ("row", "xgboost", "predict_proba"),
             "sklearn predict_proba": ("row", "sklearn", "predict_proba")}
    out += table("one row, 100 trees x 31 leaves, 30 features, one thread; microseconds", {**ways, **peers}, rounds, "us")
    out += table("import, whole process; CPU milliseconds", {n: ("import", n) for n in ("scarce", "lightgbm", "xgboost", "catboost", "ydf", "numpy", "nothing")}, rounds, "ms")
    out += table(f"{rows} x 40 float64 in memory to the library's own form; CPU seconds",
                 {"scarce": ("load", "scarce", rows), "scarce with bins": ("load", "scarce-bins", rows), "scarce, float32 by columns": ("load", "scarce-f32", rows),
                  "scarce from pandas": ("load", "pandas", rows), "scarce from polars": ("load", "polars", rows),
                  "lightgbm Dataset": ("load", "lightgbm", rows), "xgboost QuantileDMatrix": ("load", "xgboost", rows)}, rounds, "cpu_s")
    out += table("contributions, 5000 rows, 50 trees; CPU seconds", {n: ("contributions", n) for n in ("scarce", "xgboost", "lightgbm")}, rounds, "cpu_s")
    out += table(f"quick start: {few} simulated payments, train on the earlier, AP on the latest quarter; seconds",
                 {n: ("quick", n, few) for n in ("scarce", "lightgbm", "xgboost", "catboost", "ydf")}, min(rounds, 3), "seconds")
    out += table("Ctrl-C during a long fit; milliseconds to KeyboardInterrupt", {n: ("interrupt", n) for n in ("scarce", "lightgbm", "xgboost", "catboost", "sklearn", "ydf")}, rounds, "ms")
    out += table("fit, fork, predict and fit in the child; seconds", {n: ("fork", n) for n in ("scarce", "lightgbm", "xgboost", "catboost", "sklearn")}, 1, "seconds")
    out += table("a notebook cell of an evaluation; kilobytes", {"scarce": ("page", "scarce")}, 1, "kb")
    out += table("wheel; megabytes", {"scarce": ("wheel", "scarce"), **{n: ("wheel", PEERS[n]) for n in PEERS}}, 1, "mb")
    out += table("check_estimator; failures", {n: ("checks", n) for n in ("scarce", "sklearn", "lightgbm", "xgboost", "catboost")}, 1, "failed")
    out += table("22 things people do with frames; how many work", {n: ("frames", n) for n in ("scarce", "lightgbm", "xgboost", "catboost", "sklearn")}, 1, "works")
    out += table("1,000,000 x 40 float32 columns to a table; megabytes more", {"scarce": ("copy", "scarce")}, 1, "mb")
    out += table("shap's plots of our explanations; how many of 7 work", {"scarce": ("plots", "scarce")}, 1, "works")
    return "the Python package", out, [
        "Aims: one row at most C alone + 0.1 us from an array, 1 us from a dict of 30, 6 us by predict_proba; import at most 20 ms; 0.15 s to a table and 0.4 s "
        "with bins; contributions at least 10 times as fast; Ctrl-C at most 200 ms; the wheel at most 2 MB (tests/python/test_wheel.py).",
        "C alone is scarce_scorer_score called in a loop in C, on the same row of the same model. json: a dict whose keys are new objects each "
        "time, without the decoding.",
        "check_estimator: ours over all classes together. frames: ours should be 20 and two errors that name the column (named_errors).",
        "lines: of code that the job takes in bench/python_job.py, from the frame in memory to the scores."]
