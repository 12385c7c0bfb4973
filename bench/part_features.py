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
CARD = FIELDS + "".join(line + "\n" for line in STREAM[len(FIELDS):].split("\n") if line and " by terminal" not in line)
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
    out = []
    for job, to, ours in ((f"{rows} payments, 20 features, columns to columns; {threads_text(n)}", None,
                           driver("features", "columns", table, plan, n)),
                          (f"{rows} payments, 20 features, CSV to CSV; {threads_text(n)}", True,
                           driver("features", "table", table, plan, DATA / "out_scarce.csv", n))):
        workers = [Worker("scarce", ours)]
        if not to:
            workers.append(Worker("scarce, memory kept", [*ours, "keep"]))
        for peer in ("pandas", "polars", "duckdb"):
            if importlib.util.find_spec(peer):
                file = DATA / f"out_{peer}.csv" if to else "-"
                workers.append(Worker(peer, python("peers_features.py", peer, table, file, n), n))
        take_turns(workers, a.rounds or 5, budget=600, least=1)
        block = [w.row(job) for w in workers]
        ratios(block, "scarce")
        ratios(block, "scarce", "cpu_s", "cpu_ratio")
        out += block
    for name, text in (("40 features", STREAM), ("and 3 distinct counts", DISTINCT), ("27 of the card alone", CARD)):
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
        "card (bytes_per_card: all kinds of the definitions over the cards, so look at those of the card alone; the index of ids, "
        "for labels and repeats, is not in it).",
        "memory kept: between runs freed memory stays with the process, as the allocators of polars and DuckDB have it; without, ours fetches and clears "
        "40 MB of fresh pages in every run.",
        "CSV to CSV: all read the file and write it with the columns added. pandas rolls on one thread."]
