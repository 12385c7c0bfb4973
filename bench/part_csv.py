# SPDX-License-Identifier: Apache-2.0
"""Reading a CSV file from the page cache."""
import os

from harness import Worker, data_set, driver, python, ratios, take_turns, threads_text


def run(a):
    rows = 50_000 if a.quick else 1_000_000
    d = data_set("mixed", rows, features=40, categories=2, csv_too=True)
    size = os.path.getsize(d["csv"]) / 1e6
    for name in ("csv", "coded"):  # into the page cache
        with open(d[name], "rb") as f:
            while f.read(1 << 24):
                pass
    n = a.threads
    workers = [Worker("scarce", driver("load", d["csv"], n)),
               Worker("pandas C engine, float32", python("peers_io.py", "pandas", d["csv"], 1)),
               Worker("LightGBM text loader", python("peers_io.py", "lightgbm", d["coded"], n, "name:f38,f39"), n),
               Worker("scarce to bins", driver("load", d["csv"], n, "bins"))]
    if n > 1:
        workers.append(Worker("scarce, 1 thread", driver("load", d["csv"], 1)))
    take_turns(workers, a.rounds or 5)
    out = []
    for w in workers:
        out.append(w.row(f"{rows} rows x (label + 38 numbers + 2 categories); {size:.0f} MB; {threads_text(n)}"))
        if w.median():
            out[-1]["mb_per_s"] = round(size / w.median())
        if "table_mib" in w.info:
            out[-1]["table_mib"] = round(w.info["table_mib"])
            out[-1]["peak_of_table"] = round(w.info["peak_of_table"], 2)
    ratios(out, "scarce")
    ratios(out, "scarce", "cpu_s", "cpu_ratio")
    return "a CSV file into memory", out, [
        "Aims: 8 times pandas, 4 times LightGBM's loader, peak memory at most 1.6 times the table. peak_of_table "
        "counts what the process grew by while it read, so it holds everything but the empty program.",
        "LightGBM can't read texts: it reads a twin file with the categories as whole numbers, and it also makes its "
        "bins while reading; compare it with both rows of ours. pandas reads on one thread."]
