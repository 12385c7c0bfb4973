# SPDX-License-Identifier: Apache-2.0
"""Programs that take turns, and tables of what they needed.

A Worker is a process that prepares its data, says so by a line of JSON, and then answers "go" by the time of one run.
take_turns lets several run one after the other, round by round, so that whatever else the machine does hits all of
them alike; ratios of one run can be compared, seconds of different runs or machines can't."""
import csv
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
MINUTES = 1e9
DRIVERS = Path(os.environ.get("DRIVERS", HERE.parent / "build/bench/drivers"))


class Worker:
    """One engine with one setting. `cmd` starts a driver; what it said first is in .ready."""

    def __init__(self, name, cmd, threads=2):
        self.name, self.runs, self.info, self.failed = name, [], {}, ""
        env = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads))
        self.process = subprocess.Popen([str(c) for c in cmd], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=env)
        self.ready = self.answer()

    def answer(self):
        while True:
            line = self.process.stdout.readline()
            if not line:
                self.failed = f"ended with status {self.process.wait()}"
                print(f"bench: {self.name}: {self.failed}", file=sys.stderr)
                return {}
            if line.startswith("{"):
                return json.loads(line)

    def ask(self, word):
        if self.failed:
            return {}
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return self.answer()

    def go(self, word="go"):
        answer = self.ask(word)
        if answer:
            self.runs.append(answer)

    def used(self):
        return sum(r["seconds"] for r in self.runs)

    def end(self):
        if not self.failed:
            self.info = self.ask("info")
            self.process.stdin.close()
            self.process.wait()
        return self

    def column(self, key):
        return [r[key] for r in self.runs if key in r]

    def median(self, key="seconds"):
        values = self.column(key)
        return statistics.median(values) if values else None

    def row(self, setting, **more):
        """What goes into the table: medians over the runs, and what the driver says of the result."""
        short = lambda v: None if v is None else float(f"{v:.4g}")
        out = {"setting": setting, "engine": self.name, "n": len(self.runs), "median_s": short(self.median()),
               "min_s": short(min(self.column("seconds"), default=None)), "cpu_s": short(self.median("cpu"))}
        for key in ("ap", "rss_mib"):
            if self.info.get(key, -1) >= 0:
                out[key] = round(self.info[key], 4 if key == "ap" else 0)
        out.update(more)
        if self.failed:
            out["note"] = self.failed
        return out


def threads_text(n):
    return "1 thread" if n == 1 else f"{n} threads"


Alone = Worker  # also where --beside has put pairs in its place


def driver(name, *args):
    return [DRIVERS / name, *args]


def python(script, *args):
    return [sys.executable, HERE / script, *args]


def take_turns(workers, rounds, budget=1e9, least=3, word="go"):
    """Up to `rounds` runs of each; who has used `budget` seconds is done after `least` of them. No round begins after
    MINUTES."""
    start = time.monotonic()
    for r in range(rounds):
        if r and time.monotonic() - start > 60 * MINUTES:
            break
        for w in workers[r % len(workers):] + workers[: r % len(workers)]:
            if len(w.runs) < least or w.used() < budget:
                w.go(word)
    for w in workers:
        w.end()
        print(f"  {w.name:44s} n={len(w.runs):<3d} median {w.median() or 0:.6g} s  {w.info}", flush=True)


def ratios(rows, ours, key="median_s", name="ratio"):
    """How many times the row needs what ours needs."""
    base = next((r[key] for r in rows if r["engine"] == ours), None)
    for r in rows:
        if base and r.get(key):
            r[name] = round(r[key] / base, 2)
    return rows


def peak():
    """Highest resident memory of this process, MiB (getrusage would count the process that started it)."""
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024


def serve(run, info, ready=None):
    """The side of a worker that is written in Python: run() returns a dict to which the times are added."""
    say = lambda d: print(json.dumps(d), flush=True)
    first_peak = 0
    say(ready or {})
    for line in sys.stdin:
        if line.strip() == "go":
            wall, cpu = time.perf_counter(), time.process_time()
            took = run() or {}
            took = {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu, **took}
            first_peak = first_peak or peak()
            say(took)
        else:
            say({"rss_mib": first_peak, **info()})


# ---- data

def data_set(name, rows, test=0, csv_too=False, **how):
    """Paths of a data set, made when it isn't there yet: X, y, test_X, test_y, csv, coded."""
    import gen_data
    DATA.mkdir(exist_ok=True)
    stem = DATA / f"{name}_{rows}"
    path = {"X": f"{stem}_train_X.npy", "y": f"{stem}_train_y.npy", "test_X": f"{stem}_test_X.npy",
            "test_y": f"{stem}_test_y.npy", "csv": f"{stem}.csv", "coded": f"{stem}_coded.csv"}
    done = Path(f"{stem}.done")
    if not done.exists():
        print(f"bench: making {stem.name}", flush=True)
        gen_data.save(str(stem), rows, test, **how)
        Path(path["csv"]).unlink(missing_ok=True)
        done.touch()
    if csv_too and not Path(path["csv"]).exists():  # another part may have made the set without it
        texts = how.get("categories", 0)
        twin = [str(texts), path["coded"]] if texts else []
        half = path["csv"] + ".part"
        subprocess.run([str(c) for c in driver("tocsv", path["X"], path["y"], half, *twin)], check=True)
        os.replace(half, path["csv"])
    return path


# ---- results

def machine():
    cpu = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    memory = next((int(line.split()[1]) for line in open("/proc/meminfo") if line.startswith("MemTotal")), 0)
    return f"{cpu}, {os.cpu_count()} CPUs, {memory / 2**20:.0f} GiB, Linux {platform.release()}"


def commit():
    git = lambda *a: subprocess.run(["git", *a], capture_output=True, text=True, cwd=HERE).stdout.strip()
    changed = git("status", "--porcelain", "--", "../src", "../include")
    return git("rev-parse", "--short", "HEAD") + (" with changes" if changed else "")


def versions():
    """Of what is installed: a peer that isn't there must not lose what was measured."""
    from importlib.metadata import PackageNotFoundError, version
    names = ("lightgbm", "xgboost", "catboost", "scikit-learn", "imbalanced-learn", "pandas", "numpy", "scipy")
    compiler = subprocess.run([os.environ.get("CC", "gcc"), "-dumpfullversion"], capture_output=True, text=True)
    texts = []
    for n in names:
        try:
            texts.append(f"{n} {version(n)}")
        except PackageNotFoundError:
            texts.append(f"no {n}")
    return ", ".join([*texts, f"Python {platform.python_version()}", f"gcc {compiler.stdout.strip()}"])


def write(out, part, title, rows, notes, load):
    """DIR/part.csv: remarks in lines with '#', then one row per engine and setting."""
    out.mkdir(parents=True, exist_ok=True)
    columns = list(dict.fromkeys(k for r in rows for k in r))
    if "note" in columns:
        columns.remove("note")
        columns.append("note")
    loads = f"{load:.1f} before, {os.getloadavg()[0]:.1f} after (1-minute average; the run itself adds up to 2)"
    with open(out / f"{part}.csv", "w", newline="") as f:
        for key, text in (("title", title), ("date", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())),
                          ("commit", commit()), ("machine", machine()), ("versions", versions()),
                          ("load", loads), *(("note", n) for n in notes)):
            f.write(f"# {key}: {text}\n")
        table = csv.DictWriter(f, columns, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
