#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rolling features beside PostgreSQL's window functions, on the handbook's stream. By hand: it needs a server.

    python3 tests/golden/check_postgres.py SCARCE [--transactions 100000] [--psql "psql -h /tmp -U postgres"]

Payments of `scarce simulate fraud preset=handbook --raw`, of which those that share a second with another one of their card or terminal are left
out (RANGE frames hold all rows of a moment, ours those that came before). Counts, sums and extremes must be equal; means and
deviations, which PostgreSQL computes in decimals (of 24 places, else it has but 15 digits), to one unit in the last place."""
import argparse
import csv
import math
import os
import shlex
import subprocess
import tempfile

WINDOWS = {"1h": 3600, "1d": 86400, "7d": 604800, "30d": 2592000}
FIELDS = "field tx_id text id\nfield time time\nfield card key\nfield terminal key\nfield amount decimal(2)\n"
AGGREGATES = {"count": "count(*)", "sum_amount": "coalesce(sum(amount), 0)", "mean_amount": "avg(amount)", "min_amount": "min(amount)",
              "max_amount": "max(amount)", "sd_amount": "stddev_samp(amount::numeric(40,24))"}


def payments(scarce, folder, n):
    raw = os.path.join(folder, "raw.csv")
    subprocess.run([scarce, "simulate", "fraud", "--preset", "handbook", "--raw", "--transactions", str(n), "-o", raw, "--quiet"], check=True)
    seen, kept = set(), []
    with open(raw, newline="") as f:
        for r in csv.DictReader(f):
            moments = {("card", r["card"], r["time"]), ("terminal", r["terminal"], r["time"])}
            if not moments & seen:
                kept.append([r[c] for c in ("tx_id", "time", "card", "terminal", "amount")])
            seen |= moments
    path = os.path.join(folder, "payments.csv")
    with open(path, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["tx_id", "time", "card", "terminal", "amount"])
        w.writerows(kept)
    return path


def ours(scarce, folder, path):
    define = os.path.join(folder, "define")
    with open(define, "w") as f:
        f.write(FIELDS)
        for key in ("card", "terminal"):
            f.write(f"over {' '.join(WINDOWS)} by {key}: count, sum(amount), mean(amount), min(amount), max(amount), sd(amount)\n")
    out = os.path.join(folder, "ours.csv")
    subprocess.run([scarce, "features", path, "--define", define, "-o", out, "--quiet"], check=True)
    with open(out, newline="") as f:
        return {r["tx_id"]: r for r in csv.DictReader(f)}


def theirs(psql, path):
    columns = [f"{sql} OVER (PARTITION BY {key} ORDER BY time RANGE BETWEEN {seconds - 1} PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) "
               f"AS {key}_{name}_{span}".replace("coalesce(sum(amount), 0) OVER (", "coalesce(sum(amount) OVER (").replace(") AS", "), 0) AS" if name == "sum_amount" else ") AS")
               for key in ("card", "terminal") for span, seconds in WINDOWS.items() for name, sql in AGGREGATES.items()]
    script = ("CREATE TEMP TABLE tx (tx_id bigint, time bigint, card bigint, terminal bigint, amount numeric(14,2));\n"
              f"\\copy tx FROM '{path}' CSV HEADER\n"
              f"COPY (SELECT tx_id, {', '.join(columns)} FROM tx ORDER BY tx_id) TO STDOUT CSV HEADER;\n")
    got = subprocess.run([*shlex.split(psql), "-q", "-v", "ON_ERROR_STOP=1"], input=script, check=True, stdout=subprocess.PIPE, text=True).stdout
    return csv.DictReader(got.splitlines())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("scarce"), p.add_argument("--transactions", type=int, default=100_000), p.add_argument("--psql", default="psql")
    o = p.parse_args()
    compared, rows, wrong = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = payments(o.scarce, folder, o.transactions)
        mine = ours(o.scarce, folder, path)
        for r in theirs(o.psql, path):
            rows += 1
            for name, text in r.items():
                if name == "tx_id":
                    continue
                here, compared = mine[r["tx_id"]][name], compared + 1
                if (text == "") != (here == ""):
                    wrong.append((r["tx_id"], name, text, here))
                elif text:
                    a, b = float(text), float(here)
                    if a != b and not (("mean" in name or "sd" in name) and abs(a - b) <= math.ulp(a)):
                        wrong.append((r["tx_id"], name, text, here))
    print(f"{rows} payments, {compared} values, {len(wrong)} differ")
    for line in wrong[:10]:
        print(*line)
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
