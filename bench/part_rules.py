# SPDX-License-Identifier: Apache-2.0
"""One record through a set of rules."""
from harness import Worker, driver, take_turns


def run(a):
    out = []
    for n in (50,) if a.quick else (50, 1000):
        names = {"run": "scarce rules", "say": "scarce rules, with the sentences of those that fire",
                 "plain": "the same in plain C, without missing values"}
        workers = [Worker(text, driver("rules", n, key), 1) for key, text in names.items()]
        take_turns(workers, a.rounds or (20 if a.quick else 500))
        base = workers[0].median()
        out += [{"setting": f"{n} rules of some 25 steps, one record", "engine": w.name, "n": len(w.runs),
                 "median_us": round(1e6 * w.median(), 3), "min_us": round(1e6 * min(w.column("seconds")), 3),
                 "ratio": round(w.median() / base, 2)} for w in workers]
    return "one record through rules", out, [
        "Aim: 50 rules below 5 us. n is rounds of 1,000 records, every tenth with a missing value."]
