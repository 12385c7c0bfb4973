# SPDX-License-Identifier: Apache-2.0
"""The 20 columns of part_features with other programs: peers_features.py pandas|polars|duckdb CSV OUT THREADS; from a CSV
to a CSV, or with OUT "-" from columns in memory to columns. Windows of pandas and polars are closed on the left (rows of the
same moment are left out), those of DuckDB are RANGE frames without the current row; ours are (t - W, t] without it. The
work is the same, values differ where rows are of one second or exactly W apart."""
import os
import sys

import harness

what, path, out, threads = sys.argv[1:5]
os.environ["POLARS_MAX_THREADS"] = threads
JOBS = (("card", (("1h", 3600), ("1d", 86400), ("7d", 604800), ("30d", 2592000)), ("count", "sum", "mean", "max")),
        ("terminal", (("1d", 86400), ("30d", 2592000)), ("count", "mean")))


def with_pandas():
    import pandas as pd

    def load():
        t = pd.read_csv(path)
        t["when"] = pd.to_datetime(t.time, unit="s")
        return t

    def compute(t):
        new = {}
        for key, windows, how in JOBS:
            order = t.sort_values([key, "when"], kind="stable")
            for name, seconds in windows:
                r = order.groupby(key, sort=True).rolling(f"{seconds}s", on="when", closed="left").amount.agg(list(how))
                for w in how:
                    new[f"{key}_{w}_{name}"] = pd.Series(r[w].to_numpy(), index=order.index)
        return t.assign(**new)

    table = load() if out == "-" else None

    def run():
        if out == "-":
            compute(table)
        else:
            compute(load()).drop(columns="when").to_csv(out, index=False)

    harness.serve(run, dict)


def with_polars():
    import polars as pl

    def load():
        return pl.read_csv(path).with_columns(pl.from_epoch("time", time_unit="s").alias("when"), pl.lit(1).alias("one"))

    amount, columns = pl.col("amount"), []
    rolling = {"sum": amount.rolling_sum_by, "mean": amount.rolling_mean_by, "max": amount.rolling_max_by,
               "count": pl.col("one").rolling_sum_by}
    for key, windows, how in JOBS:
        for name, seconds in windows:
            for w in how:
                x = rolling[w]("when", window_size=f"{seconds}s", closed="left")
                columns.append(x.over(key).alias(f"{key}_{w}_{name}"))
    table = load() if out == "-" else None

    def run():
        if out == "-":
            table.with_columns(columns)
        else:
            load().with_columns(columns).drop("when", "one").write_csv(out)

    harness.serve(run, dict)


def with_duckdb():
    import duckdb

    db = duckdb.connect()
    db.execute(f"SET threads = {threads}")
    columns = []
    for key, windows, how in JOBS:
        for name, seconds in windows:
            for w in how:
                w = "avg" if w == "mean" else w
                columns.append(f"{w}(amount) OVER (PARTITION BY {key} ORDER BY time RANGE BETWEEN {seconds - 1} PRECEDING "
                               f"AND CURRENT ROW EXCLUDE CURRENT ROW) AS {key}_{w}_{name}")
    if out == "-":
        db.execute(f"CREATE TABLE tx AS SELECT * FROM read_csv('{path}')")
        sql = f"CREATE OR REPLACE TABLE made AS SELECT *, {', '.join(columns)} FROM tx"
    else:
        sql = f"COPY (SELECT *, {', '.join(columns)} FROM read_csv('{path}') ORDER BY tx_id) TO '{out}' (HEADER)"
    harness.serve(lambda: db.execute(sql) and None, dict)


{"pandas": with_pandas, "polars": with_polars, "duckdb": with_duckdb}[what]()
