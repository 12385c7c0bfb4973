# SPDX-License-Identifier: Apache-2.0
"""Ranking trees on a million rows x 40 with 0.2 % positives: metaap of depth 5 and its memory; one AP tree of depth 10 beside
LightGBM growing one tree of as many leaves."""
from engines import files, pairs
from harness import Worker, data_set, driver, python, ratios, take_turns, threads_text


def run(a):
    rows = 20_000 if a.quick else 1_000_000
    d = data_set("hard", rows, rows // 10)
    t = a.threads
    threads, rounds = threads_text(t), a.rounds or 3
    how = [f"X={files(d)['X']}", f"y={files(d)['y']}", f"threads={t}"]
    learners = [Worker(name, driver("rank", "mode=train", f"spec={name}", *how), t)
                for name in ("metaap:max_depth=5:thresholds=bins", "treerank:max_depth=5:thresholds=bins", "cart:max_depth=10:thresholds=bins")]
    take_turns(learners, rounds)
    out = []
    for w in learners:
        info = w.info
        out.append(w.row(f"from a table in memory to the model, {rows} rows x 40, {threads}", more_mib=info["more_mib"],
                         memory_ratio=round(info["more_mib"] / info["binned_mib"], 2)))
    trees = [Worker(f"scarce {c}, depth 10", driver("rank", "mode=tree", f"criterion={c}", "depth=10", *how), t) for c in ("ap", "gini", "entropy")]
    take_turns(trees, rounds)
    for w in trees:
        n = max(2, int(w.info["leaves"]))
        setting = f"one tree of {n} leaves from bins, {threads}"
        beside = Worker("LightGBM", python("peers.py", "boost", "lightgbm", *pairs(files(d)), f"threads={t}", "n_trees=1", f"max_leaves={n}",
                                           "max_depth=10", "min_data_in_leaf=1"), t)
        take_turns([beside], rounds)
        out += ratios(ratios([w.row(setting), beside.row(setting)], w.name), w.name, "cpu_s", "cpu_ratio")
    return "ranking trees at 0.2 % positives", out, [
        "memory_ratio: highest memory beside the table, as a multiple of the binned table (two layouts of one byte per value).",
        "A tree of depth 10 by AP has few leaves: the criterion stops where nothing is gained at the top of the list. LightGBM's tree is a booster of one "
        "round with as many leaves, which also computes gradients and scores."]
