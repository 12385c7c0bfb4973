# SPDX-License-Identifier: Apache-2.0
"""What the experiments share: `scarce compare` as a list of fits, tables, thinned sets. Standard library only.

Every finished fit is in a file of WORK (compare --results), so an experiment that was interrupted goes on where it
was; the table of all fits that comes out in the end is what is kept beside the scripts."""
import csv
import gzip
import json
import math
import os
import random
import subprocess

METRICS = ["ap", "precision_at_k", "pos_at_top", "auc_roc", "card_precision_at_k"]


def compare(scarce, data, methods, work, name, *options, threads=1):
    """One dict per fit: fold, method, seconds and the metrics by name."""
    os.makedirs(work, exist_ok=True)
    results = os.path.join(work, name + ".results")
    methods = methods if isinstance(methods, str) else ",".join(methods)
    out = subprocess.run([scarce, "compare", data, "--methods", methods, "--results", results, "--json", "--quiet",
                          "--threads", str(threads), *options], check=True, stdout=subprocess.PIPE, text=True)
    return [dict({k: math.nan if v is None else v for k, v in fold.items()}, fold=f, method=m["name"])
            for m in json.loads(out.stdout)["methods"] for f, fold in enumerate(m["folds"])]


def read_table(path):
    """(header, rows) of text."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", newline="") as f:
        lines = list(csv.reader(f))
    return lines[0], lines[1:]


def write_table(path, header, rows):
    with open(path, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(header)
        w.writerows(rows)


def thinned(source, share, out):
    """`source` with all its negatives and as many positives, drawn at random, as make up `share` of the rows."""
    if os.path.exists(out):
        return out
    header, rows = read_table(source)
    positives = [i for i, r in enumerate(rows) if r[-1] == "1"]
    wanted = round(share / (1 - share) * (len(rows) - len(positives)))
    kept = set(random.Random(1).sample(positives, wanted))
    write_table(out, header, [r for i, r in enumerate(rows) if r[-1] != "1" or i in kept])
    return out


def save(path, fits, columns):
    with open(path, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(columns)
        for fit in fits:
            w.writerow([f"{fit[c]:.6g}" if isinstance(fit.get(c), float) else fit.get(c, "") for c in columns])


def load(path):
    with open(path, newline="") as f:
        return [{k: number(v) for k, v in r.items()} for r in csv.DictReader(f)]


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def mean(values):
    values = [v for v in values if not math.isnan(v)]
    return sum(values) / len(values) if values else math.nan


def sd(values):
    m = mean(values)
    return math.sqrt(sum((v - m) ** 2 for v in values) / (len(values) - 1)) if len(values) > 1 else math.nan


def wilcoxon(differences):
    """Two-sided p of Wilcoxon's signed-rank test, exact up to 25 differences without ties, else normal."""
    d = sorted((abs(x), x > 0) for x in differences if x != 0)
    n = len(d)
    if n == 0:
        return 1.0
    ranks, i, ties = [0.0] * n, 0, 0.0
    while i < n:
        j = i
        while j < n and d[j][0] == d[i][0]:
            j += 1
        for k in range(i, j):
            ranks[k] = (i + j + 1) / 2
        ties += (j - i) ** 3 - (j - i)
        i = j
    up = sum(r for r, (_, positive) in zip(ranks, d) if positive)
    low = min(up, n * (n + 1) / 2 - up)
    if n <= 25 and ties == 0:
        ways = [1] + [0] * (n * (n + 1) // 2)
        for r in range(1, n + 1):
            for s in range(len(ways) - 1, r - 1, -1):
                ways[s] += ways[s - r]
        return min(1.0, 2 * sum(ways[: int(low) + 1]) / 2 ** n)
    z = (low - n * (n + 1) / 4 + 0.5) / math.sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties / 48)
    return min(1.0, math.erfc(abs(min(z, 0)) / math.sqrt(2)))


def holm(p_values):
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    out, highest = [0.0] * len(p_values), 0.0
    for place, i in enumerate(order):
        highest = max(highest, min(1.0, p_values[i] * (len(p_values) - place)))
        out[i] = highest
    return out
