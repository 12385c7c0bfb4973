# SPDX-License-Identifier: Apache-2.0
"""python table.py OUT.csv: mean test AP (per cent) per set and method, and over all sets; beside the published means. In brackets: how many runs, where fewer."""
import collections
import csv
import sys

PUBLISHED = {"gini": 64.0, "entropy": 65.5, "treerank": 66.1, "metaap": 68.2, "metaap-forest": 74.8}


def main():
    cell = collections.defaultdict(list)
    with open(sys.argv[1], newline="") as f:
        for r in csv.DictReader(f):
            cell[r["set"], r["method"]].append(100 * float(r["ap"]))
    methods = list(dict.fromkeys(m for _, m in cell))
    sets = list(dict.fromkeys(s for s, _ in cell))
    print("| set | runs | " + " | ".join(methods) + " |")
    print("|---" * (len(methods) + 2) + "|")
    mean = {k: sum(v) / len(v) for k, v in cell.items()}
    for s in sets:
        runs = max(len(cell[s, m]) for m in methods if (s, m) in cell)
        few = lambda m: f" ({len(cell[s, m])})" if len(cell[s, m]) < runs else ""
        print(f"| {s} | {runs} | " + " | ".join(f"{mean[s, m]:.1f}{few(m)}" if (s, m) in mean else "" for m in methods) + " |")
    cells = []
    for m in methods:  # a variant that was not run on all sets: over those on which it was, in brackets
        have = [mean[s, m] for s in sets if (s, m) in mean]
        cells.append(f"{sum(have) / len(have):.2f}" if len(have) == len(sets) else f"({sum(have) / len(have):.2f}, {len(have)} sets)")
    print(f"| **mean** ({len(sets)} sets) | | " + " | ".join(cells) + " |")
    print("| published, 28 sets | 20 | " + " | ".join(str(PUBLISHED.get(m, "")) for m in methods) + " |")


if __name__ == "__main__":
    main()
