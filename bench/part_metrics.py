# SPDX-License-Identifier: Apache-2.0
"""Average precision of many scores."""
import numpy as np

from harness import DATA, Worker, driver, python, ratios, take_turns, threads_text


def run(a):
    n = 200_000 if a.quick else 10_000_000
    score, label = DATA / f"score_{n}.npy", DATA / f"label_{n}.npy"
    if not label.exists():
        DATA.mkdir(exist_ok=True)
        draw = np.random.default_rng(1)
        y = (draw.random(n) < 0.002).astype(np.uint8)
        np.save(score, draw.normal(size=n) + 2 * y)
        np.save(label, y)
    t = a.threads
    workers = [Worker("scarce ap", driver("ap", score, label, t, "ap")),
               Worker("scarce ap of floats", driver("ap", score, label, t, "ap32")),
               Worker("scarce, all metrics", driver("ap", score, label, t, "all")),
               Worker("scikit-learn average_precision_score", python("peers_io.py", "sklearn", score, label), 1)]
    if t > 1:
        workers.append(Worker("scarce ap, 1 thread", driver("ap", score, label, 1, "ap")))
    take_turns(workers, a.rounds or 7, budget=60)
    setting = f"{n / 1e6:g} million scores, 0.2 % positives, all different; {threads_text(t)}"
    out = [w.row(setting) for w in workers]
    ratios(out, "scarce ap")
    ratios(out, "scarce ap", "cpu_s", "cpu_ratio")
    return "average precision", out, ["Aim: 10 times scikit-learn, which uses one thread."]
