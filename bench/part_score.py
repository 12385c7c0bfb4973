# SPDX-License-Identifier: Apache-2.0
"""One row at a time through a logistic model."""
from harness import Worker, data_set, driver, take_turns


def run(a):
    # few enough rows that they stay in the cache: the arithmetic is measured, not the memory
    d = data_set("score", 2_000, features=40, positives=0.05)
    names = {"scorer": "scarce scorer, score", "probability": "scarce scorer, score and probability",
             "dot": "plain C dot product, one sum", "dot4": "plain C dot product, four sums"}
    workers = [Worker(text, driver("scorer", d["X"], d["y"], key), 1) for key, text in names.items()]
    take_turns(workers, a.rounds or (50 if a.quick else 2000))
    base = workers[0].median()
    out = [{"setting": "logistic model, 40 features, one call for each of 2 000 rows", "engine": w.name,
            "n": len(w.runs),
            "median_ns": round(1e9 * w.median(), 1), "min_ns": round(1e9 * min(w.column("seconds")), 1),
            "ratio": round(w.median() / base, 2),
            "ratio_min": round(min(w.column("seconds")) / min(workers[0].column("seconds")), 2)} for w in workers]
    return "a single row through a linear model", out, [
        "The scorer also gives missing values a weight of their own and adds in an order that is the same on every "
        "machine; the dot products know no missing values. n is rounds of 2 000 calls."]
