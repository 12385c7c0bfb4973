# SPDX-License-Identifier: Apache-2.0
"""Rolling features: a table of payments beside pandas, polars and DuckDB, and one payment at a time."""
import importlib.util
import subprocess

from harness import DATA, DRIVERS, Worker, driver, python, ratios, take_turns, threads_text

TABLE = """field tx_id text id
field time time
field card key
field terminal key
field amount decimal(2)
field label label
over 1h 1d 7d 30d by card: count, sum(amount), mean(amount), max(amount)
over 1d 30d by terminal: count, mean(amount)
"""
FIELDS = TABLE.split("over")[0]
STREAM = FIELDS + """over 1h 1d 7d 30d by card: count, sum(amount), mean(amount), sd(amount), max(amount), min(amount)
over last 5 by card: mean(amount), max(amount)
by card: since
over 1h 1d 7d 30d by terminal: count, mean(amount), sd(amount)
feature ratio = amount / card_mean_amount_30d
"""
DISTINCT = STREAM + "over 1d 7d 30d by card: distinct(terminal)\n"


def define(name, text):
    DATA.mkdir(exist_ok=True)
    path = DATA / f"{name}.features"
    path.write_text(text)
    return path


def run(a):
    rows = 20_000 if a.quick else 1_000_000
    cards = 20_000 if a.quick else 440_000
    table = DATA / f"payments_{rows}.csv"
    plan = define("table", TABLE)
    if not table.exists():
        subprocess.run([DRIVERS.parent / "scarce", "simulate", "fraud", "--raw", "--transactions", str(rows), "-o", table,
                        "--quiet"], check=True)
    n = a.threads
    job = f"{rows} payments, 20 features, CSV to CSV; {threads_text(n)}"
    workers = [Worker("scarce", driver("features", "table", table, plan, DATA / "out_scarce.csv", n))]
    for peer in ("pandas", "polars", "duckdb"):
        if importlib.util.find_spec(peer):
            workers.append(Worker(peer, python("peers_features.py", peer, table, DATA / f"out_{peer}.csv", n), n))
    take_turns(workers, a.rounds or 3, budget=600, least=1)
    out = [w.row(job) for w in workers]
    ratios(out, "scarce")
    ratios(out, "scarce", "cpu_s", "cpu_ratio")
    for name, text in (("40 features", STREAM), ("and 3 distinct counts", DISTINCT)):
        w = Worker(f"scarce, {name}", driver("features", "stream", cards, 32, define("stream", text)))
        take_turns([w], a.rounds or 3)
        row = w.row(f"100,000 payments one by one; {cards} cards, 1.5 payments a card and day, 30 days of state")
        for key in ("p50_us", "p99_us", "p999_us"):
            if w.runs:
                row[key] = round(sorted(r[key] for r in w.runs)[len(w.runs) // 2], 2)
        for key in ("bytes_per_card", "features"):
            row[key] = w.info.get(key)
        out.append(row)
    return "rolling features", out, [
        "Aims: 20 times pandas, 10 times polars and DuckDB; one payment with 40 features p99 below 20 us; below 600 bytes a "
        "card (bytes_per_card: both kinds, cards and terminals, over the cards; the index of ids is told apart).",
        "All read the CSV and write it with the columns added. pandas rolls on one thread."]
