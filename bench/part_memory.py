# SPDX-License-Identifier: Apache-2.0
"""Tables and rows that never were a file: columns of a million rows, a record of forty names."""
from harness import Worker, driver, take_turns


def run(a):
    names = {"columns": "scarce_table_from_columns, borrowed", "matrix": "scarce_table_from_columns, C order, copied",
             "floats": "scarce_table_from_floats", "row": "a record of 40 names and values to its score"}
    out = []
    for key, text in names.items():
        w = Worker(text, driver("memory", key), 1)
        take_turns([w], a.rounds or (5 if a.quick else 20))
        out.append({"setting": "100 trees of 31 leaves" if key == "row" else "1 000 000 rows x 40 float32", "engine": text,
                    "n": len(w.runs), "median_us": round(1e6 * w.median(), 2),
                    "min_us": round(1e6 * min(w.column("seconds")), 2), **w.info})
    return "tables and rows from memory", out, [
        "rss_above_mib is the highest memory above the caller's own columns: a copy of them takes 153 MiB."]
