#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What losses.csv (or the file given) says: each loss against gb, set by set and over the sets."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from common import holm, load, mean, wilcoxon  # noqa: E402


def main():
    fits = load(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "losses.csv"))
    sets, methods = list(dict.fromkeys(f["set"] for f in fits)), list(dict.fromkeys(f["method"] for f in fits))
    ap = {}
    for f in fits:
        ap.setdefault((f["set"], f["method"]), {})[f["fold"]] = f["ap"]
    others = [m for m in methods if m != "gb"]
    print("| set | gb | " + " | ".join(others) + " |\n|---|---:|" + "---:|" * len(others))
    for s in sets:
        base, cells = ap[s, "gb"], []
        for m in others:
            if (s, m) not in ap:
                cells.append("")
                continue
            d = [ap[s, m][k] - base[k] for k in base]
            mark = "*" if wilcoxon(d) < 0.05 else ""
            cells.append(f"{mean(d):+.3f}{mark}")
        print(f"| {s} | {mean(list(base.values())):.3f} | " + " | ".join(cells) + " |")
    gains = {m: [mean([ap[s, m][k] - ap[s, "gb"][k] for k in ap[s, "gb"]]) for s in sets if (s, m) in ap] for m in others}
    p = holm([wilcoxon(gains[m]) for m in others])
    print("| **mean** | | " + " | ".join(f"{mean(gains[m]):+.4f}" for m in others) + " |")
    print("| sets up / down | | " + " | ".join(f"{sum(d > 0 for d in gains[m])} / {sum(d < 0 for d in gains[m])}"
                                               for m in others) + " |")
    print("| p over sets (Wilcoxon, Holm) | | " + " | ".join(f"{v:.2g}" for v in p) + " |")
    full = [s for s in sets if all((s, m) in ap for m in methods)]
    ranks = {m: 0.0 for m in methods}
    for s in full:
        means = {m: mean(list(ap[s, m].values())) for m in methods}
        for m in methods:
            ranks[m] += 1 + sum(means[o] > means[m] for o in methods) + 0.5 * sum(
                means[o] == means[m] for o in methods if o != m)
    print(f"\nmean rank over the {len(full)} sets that all ran on: " +
          ", ".join(f"{m} {ranks[m] / max(1, len(full)):.2f}" for m in sorted(methods, key=ranks.get)))
    seconds = {m: mean([f["seconds"] for f in fits if f["method"] == m]) for m in methods}
    print("seconds per fit (busy machine): " + ", ".join(f"{m} {v:.2f}" for m, v in seconds.items()))


main()
