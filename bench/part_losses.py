# SPDX-License-Identifier: Apache-2.0
"""What an iteration of each loss costs beside one of the logistic loss, on all rows; what watching validation rows
costs; and the ways of sampling rows."""
from engines import files
from harness import Worker, data_set, driver, ratios, take_turns, threads_text

LOSSES = ["logistic", "exponential", "focal", "ap-lb", "sgbap", "rankboost", "sgbap-sig", "lambdamart-ap"]
METRICS = ["ap", "precision_at_k", "card_precision_at_k"]
SAMPLES = {"importance": [], "importance, 10 negatives": ["neg_per_pos=10"], "mvs": ["subsample=0.1"]}


def share(w, key):
    """Share of the CPU time of a run that went into the gradients or the metric, in percent."""
    return round(100 * w.median(key) / w.median("cpu"), 2) if w.median("cpu") else None


def per_tree(w, key, trees):
    return round(1000 * (w.median(key) or 0) / trees, 3)


def run(a):
    rows, test, trees = (20_000, 8_571, 20) if a.quick else (1_000_000, 428_571, 100)
    d = data_set("hard", rows, test, csv_too=True)
    t, rounds = a.threads, a.rounds or (3 if a.quick else 5)
    common = [f"{k}={v}" for k, v in dict(files(d), threads=t, n_trees=trees).items()]
    boost = lambda name, *keys: Worker(name, driver("boost", "mode=boost", *common, *keys), t)
    losses = [boost(name, "sample=all", f"loss={name}") for name in LOSSES]
    take_turns(losses, rounds)
    setting = f"{rows} rows x 40, {trees} trees, {threads_text(t)}"
    plain = per_tree(losses[0], "gradient", trees)
    whole = per_tree(losses[0], "cpu", trees)
    out = []
    for w in losses:
        extra = per_tree(w, "gradient", trees) - plain
        out.append(w.row(f"losses, all rows, {setting}", gradient_ms=per_tree(w, "gradient", trees),
                         gradient_only_ratio=round(1 + extra / whole, 3) if whole else None))
    ratios(out, "logistic")
    ratios(out, "logistic", "cpu_s", "cpu_ratio")
    watched = [boost(f"metric {m}", "sample=all", f"metric={m}") for m in METRICS]
    take_turns(watched, rounds)
    more = [w.row(f"{test} validation rows looked at after each tree, {setting}",
                  metric_ms=per_tree(w, "metric", trees), metric_percent=share(w, "metric")) for w in watched]
    sampled = [boost(f"sample={n}", f"sample={n.split(',')[0]}", *keys) for n, keys in SAMPLES.items()]
    take_turns(sampled, rounds)
    last = [w.row(f"samples, {setting}") for w in sampled]
    ratios(last, "sample=importance")
    ratios(last, "sample=importance", "cpu_s", "cpu_ratio")
    return "losses, metrics and samples", out + more + last, [
        "ratio and cpu_ratio compare whole runs, in which trees of different losses also have different shapes; "
        "gradient_ms is the CPU time of the gradients per tree, and gradient_only_ratio the cost of an iteration if "
        "only the gradients differed from those of the logistic loss.",
        "metric_percent: share of the CPU time of the run; bringing the validation rows' scores up to date is not in "
        "it. Cards: 30 days, one card for ten rows, the best 100 of a day."]
