# SPDX-License-Identifier: Apache-2.0
"""How the time of 100 trees grows with rows, features, leaves, bins and threads, around 100 000 rows x 40."""
from engines import ALL, FAST, files, judge, ours, peer
from harness import data_set, take_turns, threads_text

BASE = {"rows": 100_000, "features": 40, "max_leaves": 31, "max_bins": 255, "threads": 2}
STEPS = {"rows": [10_000, 100_000, 1_000_000], "features": [10, 100, 1000], "max_leaves": [7, 63, 255],
         "max_bins": [15, 63], "threads": [1]}

QUICK = {"rows": [5_000, 20_000], "features": [10, 200], "max_leaves": [7, 63], "max_bins": [15], "threads": [1]}


def run(a):
    base = dict(BASE, threads=a.threads, **({"rows": 20_000} if a.quick else {}))
    steps = dict(QUICK if a.quick else STEPS)
    if a.threads == 1:
        del steps["threads"]
    if a.full:
        steps["rows"] = steps["rows"] + [10_000_000]
    out = []
    for key, values in steps.items():
        for v in values:
            p = dict(base, **{key: v})
            d = data_set(f"scale{p['features']}", p["rows"], 42_857, features=p["features"])
            how = dict(files(d), **{k: p[k] for k in ("max_leaves", "max_bins", "threads")})
            workers = [ours(ALL, "boost", **how), ours(FAST, "boost", **how),
                       peer("LightGBM xlike+cap", "boost", **how)]
            take_turns(workers, a.rounds or (2 if a.quick else 3))
            out += judge([w.row(f"{key}={v}", bin_s=round(w.ready.get("bin", 0), 3)) for w in workers])
    return "growth of the training time", out, [
        f"Around {base['rows']} rows x {base['features']}, 0.2 % positives, {base['max_leaves']} leaves, "
        f"{base['max_bins']} bins, {threads_text(base['threads'])}; 100 trees; bins in memory to trees. "
        f"ratio against '{ALL}', ratio_fast against '{FAST}'.",
        "The average precision rests on 86 positives of 42857 test rows: it tells that something was learnt, differences "
        "below 0.05 mean nothing here (part train has 857)."]
