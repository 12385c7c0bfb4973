#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rolling features as SQL computes them, and pandas where it can: tests/golden/features.csv and features_want.csv.

    python3 tests/golden/make_features.py [--check SCARCE]

Each aggregate is one self-join in SQLite (the SQL twins of docs/features.md); what pandas can express (windows in time
of one key, closed on the right) is compared with it here, to 1e-12. With --check the program's values are compared
too: counts, sums, extremes equal, means and deviations to a few ulp."""
import csv, math, os, sqlite3, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DAY = 86400

# feature: (what, of, window in seconds, delay, by, where, with current)
FEATURES = {}
for name, window in (("1h", 3600), ("1d", DAY), ("7d", 7 * DAY)):
    for what in ("count", "sum", "mean", "min", "max", "sd"):
        FEATURES["card_" + what + ("" if what == "count" else "_amount") + "_" + name] = (what, window, 0, "card", "1", 0)
    FEATURES["card_distinct_terminal_" + name] = ("distinct", window, 0, "card", "1", 0)
for name, window in (("1d", DAY), ("7d", 7 * DAY)):
    FEATURES["terminal_count_" + name + "_d2d"] = ("count", window, 2 * DAY, "terminal", "1", 0)
    FEATURES["terminal_share_label_" + name + "_d2d"] = ("share", window, 2 * DAY, "terminal", "1", 0)
    FEATURES["card_count_now_" + name] = ("count", window, 0, "card", "1", 1)
    FEATURES["card_mean_now_" + name] = ("mean", window, 0, "card", "1", 1)
FEATURES["large_1d"] = ("count", DAY, 0, "card", "b.amount > 50", 0)
FEATURES["card_since"] = ("since", 9 * DAY, 0, "card", "1", 0)

DEFINITIONS = """field tx_id text id
field time time
field card key
field terminal key
field amount decimal(2)
field label label
over 1h 1d 7d by card: count, sum(amount), mean(amount), min(amount), max(amount), sd(amount), distinct(terminal)
over 1d 7d delay 2d by terminal: count, share(label)
over 1d 7d by card with current: count as card_count_now, mean(amount) as card_mean_now
over 1d by card where amount > 50: count as large_1d
by card: since
"""


def payments():
    """A small generator of its own, so that the file depends on nothing but this script."""
    state = 12345

    def draw(n):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % n

    rows, t = [], 1522540800
    for i in range(700):
        t += draw(2500) if draw(5) else 0
        rows.append((i, t, draw(7), draw(4), draw(12000), int(draw(6) == 0), t + 1 + draw(4 * DAY)))
    return rows


def one(db, feature):
    what, window, delay, by, where, current = feature
    if what in ("mean", "sum", "min", "max", "sd"):
        inner = "b.cents"
    text = {
        "count": "count(b.seq)", "sum": "coalesce(sum(b.cents), 0)", "mean": "sum(b.cents) * 1.0 / count(b.seq)",
        "min": "min(b.cents)", "max": "max(b.cents)", "sd": "sd(b.cents)", "distinct": "count(DISTINCT b.terminal)",
        "share": "sum(b.label = 1 AND b.known <= a.time AND b.time < a.time) * 1.0 / count(b.seq)",
        "since": "a.time - max(b.time)"}[what]
    order = "b.seq <= a.seq" if current else "b.seq < a.seq"
    sql = (f"SELECT a.seq, {text} FROM tx a LEFT JOIN tx b ON b.{by} = a.{by} AND {order} AND "
           f"b.time > a.time - {delay} - {window} AND b.time <= a.time - {delay} AND {where} GROUP BY a.seq ORDER BY a.seq")
    return [v for _, v in db.execute(sql)]


class Deviation:
    def __init__(self):
        self.values = []

    def step(self, v):
        if v is not None:
            self.values.append(v)

    def finalize(self):
        n = len(self.values)
        if n < 2:
            return None
        s, q = sum(self.values), sum(v * v for v in self.values)  # whole numbers: exact
        return math.sqrt((n * q - s * s) / (n * (n - 1)))


def golden(rows):
    db = sqlite3.connect(":memory:")
    db.create_aggregate("sd", 1, Deviation)
    db.execute("CREATE TABLE tx (seq INT, time INT, card INT, terminal INT, cents INT, label INT, known INT, amount REAL)")
    db.executemany("INSERT INTO tx VALUES (?,?,?,?,?,?,?,?)", [r + (r[4] / 100,) for r in rows])
    want = {}
    for name, feature in FEATURES.items():
        values = one(db, feature)
        if feature[0] in ("sum", "mean", "min", "max", "sd"):
            values = [None if v is None else v / 100 for v in values]
        want[name] = values
    return want


def against_pandas(rows, want):
    try:
        import pandas
    except ImportError:
        return "pandas is not here"
    t = pandas.DataFrame(rows, columns=["seq", "time", "card", "terminal", "cents", "label", "known"])
    t.index = pandas.to_datetime(t.time, unit="s")
    worst = 0
    for name, (what, window, delay, by, where, current) in FEATURES.items():
        if not current:
            continue  # pandas has no "before this row": rows of one moment are in it or not
        r = t.groupby("card").cents.rolling(f"{window}s")
        got = r.count() if what == "count" else r.mean() / 100
        got = pandas.DataFrame({"v": got.values, "seq": t.groupby("card").seq.rolling(f"{window}s").max().values})
        # the last row of a moment: those before it see fewer
        for v, w in zip(got.v, [want[name][int(s)] for s in got.seq]):
            worst = max(worst, abs(v - w) / max(1, abs(w)))
    assert worst < 1e-12, worst
    return f"pandas {pandas.__version__} agrees to {worst:.1e}"


def text(v):
    return "" if v is None else repr(v)


def check(scarce, rows, want):
    with tempfile.TemporaryDirectory() as folder:
        open(folder + "/f", "w").write(DEFINITIONS)
        subprocess.run([scarce, "features", HERE + "/features.csv", "--define", folder + "/f", "-o", folder + "/out.csv",
                        "--quiet"], check=True)
        got = list(csv.DictReader(open(folder + "/out.csv")))
    worst = 0
    for name, values in want.items():
        for g, w in zip(got, values):
            g = g[name]
            if w is None:
                assert g == "", (name, g)
                continue
            g = float(g)
            if FEATURES[name][0] in ("mean", "sd", "share"):
                ulp = abs(g - w) / (math.ulp(w) if w else 1)
                worst = max(worst, ulp)
                assert ulp <= 2, (name, g, w)
            else:
                assert g == w, (name, g, w)
    return f"scarce: {sum(map(len, want.values()))} values; means, shares and deviations to {worst:.0f} ulp, all others equal"


def main():
    rows = payments()
    want = golden(rows)
    with open(HERE + "/features.csv", "w") as f:
        f.write("tx_id,time,card,terminal,amount,label,label_time\n")
        for r in rows:
            f.write("%d,%d,%d,%d,%d.%02d,%d,%d\n" % (r[0], r[1], r[2], r[3], r[4] // 100, r[4] % 100, r[5], r[6]))
    with open(HERE + "/features_want.csv", "w") as f:
        f.write(",".join(want) + "\n")
        for i in range(len(rows)):
            f.write(",".join(text(want[name][i]) for name in want) + "\n")
    open(HERE + "/features.features", "w").write(DEFINITIONS)
    print(against_pandas(rows, want))
    if "--check" in sys.argv:
        print(check(sys.argv[sys.argv.index("--check") + 1], rows, want))


if __name__ == "__main__":
    main()
