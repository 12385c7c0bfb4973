# SPDX-License-Identifier: Apache-2.0
"""Boosted trees on a million rows with 0.2 % positives: time of the boosting, memory, average precision; and from a
CSV file to bins."""
from engines import ALL, EXACT, FAST, OURS, PEERS, files, judge, ours, peer
from harness import Worker, data_set, driver, python, ratios, take_turns, threads_text


def run(a):
    rows, test = (20_000, 8_571) if a.quick else (1_000_000, 428_571)
    d = data_set("hard", rows, test, csv_too=True)
    t = a.threads
    threads = threads_text(t)
    workers = [ours(n, "boost", **dict(files(d), X=d["csv"]), threads=t) for n in OURS]
    workers += [peer(n, "boost", **files(d), threads=t) for n in PEERS]
    take_turns(workers, a.rounds or (3 if a.quick else 5))
    out = []
    for w in workers:
        bin_time = w.median("bin") if w.name.startswith("sklearn") else w.ready.get("bin")
        out.append(w.row(f"boosting, {rows} rows x 40, 100 trees, {threads}", bin_s=round(bin_time or 0, 3)))
    judge(out)
    readers = [Worker("scarce", driver("load", d["csv"], t, "bins")),
               Worker("LightGBM text loader", python("peers_io.py", "lightgbm", d["csv"], t), t),
               Worker("pandas + XGBoost QuantileDMatrix", python("peers_io.py", "xgboost", d["csv"], t), t),
               Worker("pandas + sklearn bins", python("peers_io.py", "pandas", d["csv"], t, "bins"), t)]
    take_turns(readers, a.rounds or (2 if a.quick else 3))
    more = [w.row(f"CSV file to bins, {rows} rows x 40, {threads}") for w in readers]
    ratios(more, "scarce")
    ratios(more, "scarce", "cpu_s", "cpu_ratio")
    return "boosted trees at 0.2 % positives", out + more, [
        f"ratio compares with '{ALL}', ratio_exact with '{EXACT}', ratio_fast with '{FAST}'. A ratio counts only at equal average precision "
        "on the held-out rows, within 0.01: ap_ratio, ap_ratio_exact and ap_ratio_fast tell whether the row's is equal, lower or "
        "higher than that of ours.",
        "bin_s: from the table in memory to bins, once (sklearn: median, it bins in every fit; that time is taken "
        "off). xlike: lambda_l2=1, min_sum_hessian_in_leaf=1, min_data_in_leaf=1, as XGBoost has by default; cap: "
        "max_delta_step=2, as ours has by default; bag10: all positives and 10 % of the negatives for each tree.",
        "'all rows' rounds gradients at random while it seeks splits, which adds 1/32 to their variance, and "
        "leaves out the rows that round to 0; leaf values are exact sums over all rows (src/tree/quantise.c). "
        "rounding=0 adds every row to every histogram, as the others do; LightGBM's quantised variants round too "
        "(to 5 levels), but visit every row.",
        "The gain in average precision is the cap's, which the others can be given too; the speed is that of rounding "
        "and sampling. Ours runs with the shipped hessian floor of 0.1 (min_child_weight), the others with 1: that is "
        "xlike and XGBoost's default."]
