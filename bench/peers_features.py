# SPDX-License-Identifier: Apache-2.0
"""The 20 columns of part_features with other programs: peers_features.py pandas|polars|duckdb CSV OUT THREADS. From a
CSV to a CSV. Windows of pandas and polars are closed on the left (rows of the same moment are left out), those of DuckDB
are RANGE frames without the current row; ours are (t - W, t] without it. The work is the same, values differ where
rows are of one second or exactly W apart."""
import os
import sys

import harness

what, path, out, threads = sys.argv[1:5]
os.environ["POLARS_MAX_THREADS"] = threads
CARD = [("1h", 3600), ("1d", 86400), ("7d", 604800), ("30d", 2592000)]
TERMINAL = [("1d", 86400), ("30d", 2592000)]


def with_pandas():
    import pandas as pd

    def run():
        t = pd.read_csv(path)
        t["when"] = pd.to_datetime(t.time, unit="s")
        for key, windows, what in (("card", CARD, ["count", "sum", "mean", "max"]), ("terminal", TERMINAL, ["count", "mean"])):
            order = t.sort_values([key, "when"], kind="stable")
            for name, seconds in windows:
                r = order.groupby(key, sort=True).rolling(f"{seconds}s", on="when", closed="left").amount.agg(what)
                for w in what:
                    t.loc[order.index, f"{key}_{w}_{name}"] = r[w].to_numpy()
        t.drop(columns="when").to_csv(out, index=False)

    harness.serve(run, dict)


def with_polars():
    import polars as pl

    def run():
        t = pl.read_csv(path).with_columns(pl.from_epoch("time", time_unit="s").alias("when"))
        columns = []
        for key, windows, what in (("card", CARD, ["count", "sum", "mean", "max"]), ("terminal", TERMINAL, ["count", "mean"])):
            for name, seconds in windows:
                for w in what:
                    a = pl.col("amount")
                    x = {"sum": a.rolling_sum_by, "mean": a.rolling_mean_by, "max": a.rolling_max_by,
                         "count": pl.col("one").rolling_sum_by}[w]("when", window_size=f"{seconds}s", closed="left")
                    columns.append(x.over(key).alias(f"{key}_{w}_{name}"))
        t = t.with_columns(pl.lit(1).alias("one")).with_columns(columns)
        t.drop("when", "one").write_csv(out)

    harness.serve(run, dict)


def with_duckdb():
    import duckdb

    db = duckdb.connect()
    db.execute(f"SET threads = {threads}")
    columns = []
    for key, windows, what in (("card", CARD, ["count", "sum", "avg", "max"]), ("terminal", TERMINAL, ["count", "avg"])):
        for name, seconds in windows:
            for w in what:
                columns.append(f"{w}(amount) OVER (PARTITION BY {key} ORDER BY time RANGE BETWEEN {seconds - 1} PRECEDING "
                               f"AND CURRENT ROW EXCLUDE CURRENT ROW) AS {key}_{w}_{name}")
    sql = f"COPY (SELECT *, {', '.join(columns)} FROM read_csv('{path}') ORDER BY tx_id) TO '{out}' (HEADER)"
    harness.serve(lambda: db.execute(sql) and None, dict)


{"pandas": with_pandas, "polars": with_polars, "duckdb": with_duckdb}[what]()
