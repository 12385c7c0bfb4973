# SPDX-License-Identifier: Apache-2.0
"""Runs the chosen parts and writes their tables (bench/run calls this)."""
import argparse
import csv
import importlib
import os
from pathlib import Path

import beside
import harness

PARTS = ["csv", "metrics", "score", "memory", "train", "losses", "sampling", "small", "predict", "explain", "near",
         "rank", "forest", "scale", "features", "rules", "online", "python"]


def readme(out):
    """All tables of the directory as one page."""
    page = ["# Measurements", "",
            "Made by `make bench` (`bench/run`). Engines took turns in one run; `ratio` is the median time of a row "
            "over that of ours (the row with ratio 1.0), so above 1 ours is faster. Ratios of one run can be compared, "
            "seconds of different runs can't. `cpu_s` is the time of all threads; where the machine had other work "
            "(see the load of each part) only `cpu_ratio` of one thread tells something. `rss_mib` is the highest "
            "resident memory of the engine's own process, with its interpreter where it has one.", ""]
    for part in PARTS:
        path = out / f"{part}.csv"
        if not path.exists():
            continue
        lines = path.read_text().splitlines()
        head = [line[2:].split(": ", 1) for line in lines if line.startswith("# ")]
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
        facts = dict(reversed(head))
        page += [f"## {part}: {facts['title']}", ""]
        settings = list(dict.fromkeys(r["setting"] for r in rows))
        for s in settings:
            group = [r for r in rows if r["setting"] == s]
            columns = [c for c in rows[0] if c != "setting" and any(r[c] for r in group)]
            page += [f"**{s}**", "", "| " + " | ".join(columns) + " |",
                     "|" + "|".join("---" if c in ("engine", "note") else "---:" for c in columns) + "|"]
            page += ["| " + " | ".join(r[c] for c in columns) + " |" for r in group] + [""]
        page += [f"- {text}" for key, text in head if key == "note"]
        page += [f"- {facts['date']}, commit {facts['commit']}, load {facts['load']}",
                 f"- {facts['machine']}", f"- {facts['versions']}", ""]
    (out / "README.md").write_text("\n".join(page))


def main():
    p = argparse.ArgumentParser(prog="bench/run")
    p.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART", help=" ".join(PARTS))
    p.add_argument("--quick", action="store_true", help="small sizes, to try the harness out")
    p.add_argument("--full", action="store_true", help="also what takes an hour (ten million rows)")
    p.add_argument("--threads", type=int, default=2, 
                   help="of every engine (2). On a machine with other work use 1, and look at cpu_ratio: waiting "
                   "OpenMP threads of the others would burn time")
    p.add_argument("--rounds", type=int, help="runs of each engine, instead of the part's own number")
    p.add_argument("--minutes", type=float, default=1e9, help="no further round of a comparison after so many")
    p.add_argument("--out", type=Path, help="where the tables go (bench/results; with --quick bench/data/quick)")
    p.add_argument("--beside", type=Path, metavar="DRIVERS", help="the drivers of another checkout: before and after, "
                   "without peers, nothing written (bench/beside.py)")
    a = p.parse_args()
    harness.MINUTES = a.minutes
    if a.beside:
        beside.begin(a.beside)
    out = a.out or (harness.DATA / "quick" if a.quick else harness.HERE / "results")
    for part in a.parts or PARTS:
        load = os.getloadavg()[0]
        print(f"bench: {part}", flush=True)
        module = importlib.import_module(f"part_{part}")
        if a.beside:
            beside.run(module, a)
            continue
        title, rows, notes = module.run(a)
        harness.write(out, part, title, rows, notes, load)
        readme(out)
    if not a.beside:
        print(f"bench: tables in {out}")


if __name__ == "__main__":
    main()
