#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The very stream on which the Fraud Detection Handbook's figures were made, row by row.

handbook_stream.py OUT.csv        (needs numpy; about a minute)

`scarce simulate fraud --preset handbook` draws from the same distribution with our own random numbers. The Handbook's
stream comes from NumPy's old generator (which is frozen) and Python's, so it can be made again: profiles of 5,000
customers from seed 0, of 10,000 terminals from seed 1, each customer's payments from a seed that is the customer's
number, each day's victims from a seed that is the day's number. The Handbook tells 1,754,155 payments, of which
14,681 frauds (978, 9,099 and 4,604 by its three scenarios); this script checks that it gets these.
The features are those of METHODS' section on simulation; the columns are named as `scarce simulate` names them."""
import random
import sys

import numpy as np

CUSTOMERS, TERMINALS, DAYS, RADIUS, DAY = 5000, 10000, 183, 5.0, 86400
START = 1522540800  # 2018-04-01
WINDOWS, DELAY = (1, 7, 30), 7


def payments():
    """time (seconds from the start), customer, terminal, amount; in the order of time."""
    np.random.seed(0)
    profile = np.array([[np.random.uniform(lo, hi) for lo, hi in ((0, 100), (0, 100), (5, 100), (0, 4))]
                        for _ in range(CUSTOMERS)])
    np.random.seed(1)
    place = np.array([[np.random.uniform(0, 100), np.random.uniform(0, 100)] for _ in range(TERMINALS)])
    rows = []
    for customer, (x, y, mean, per_day) in enumerate(profile):
        near = np.flatnonzero(np.sqrt(((place - (x, y)) ** 2).sum(axis=1)) < RADIUS).tolist()
        random.seed(customer)
        np.random.seed(customer)
        normal, poisson = np.random.normal, np.random.poisson
        for day in range(DAYS):
            for _ in range(poisson(per_day)):
                second = int(normal(DAY / 2, 20000))
                if not 0 < second < DAY:
                    continue
                amount = normal(mean, mean / 2)
                if amount < 0:
                    amount = np.random.uniform(0, mean * 2)
                if near:
                    rows.append((day * DAY + second, customer, random.choice(near), np.round(amount, 2)))
    time, customer, terminal, amount = (np.array(c) for c in zip(*rows))
    order = np.argsort(time, kind="stable")
    return time[order], customer[order], terminal[order], amount[order]


def spoil(time, customer, terminal, amount):
    """The scenario of each payment (0: genuine); amounts of stolen cards change in place."""
    scenario = np.where(amount > 220, 1, 0)
    day = time // DAY
    for d in range(day.max()):
        bad = np.random.RandomState(d).choice(TERMINALS, 2, replace=False)
        scenario[np.isin(terminal, bad) & (day >= d) & (day < d + 28)] = 2
    for d in range(day.max()):
        bad = np.random.RandomState(d).choice(CUSTOMERS, 3, replace=False)
        rows = np.flatnonzero(np.isin(customer, bad) & (day >= d) & (day < d + 14))
        random.seed(d)
        rows = random.sample(rows.tolist(), len(rows) // 3)
        amount[rows] *= 5
        scenario[rows] = 3
    return scenario


def by_group(group):
    order = np.argsort(group, kind="stable")
    ends = np.r_[np.flatnonzero(np.diff(group[order])) + 1, len(order)]
    begin = 0
    for end in ends:
        yield order[begin:end]
        begin = end


def features(time, customer, terminal, amount, fraud):
    n, out = len(time), {}
    out["weekend"] = ((time // DAY + 6) % 7 >= 5).astype(int)  # the first day is a Sunday
    out["night"] = (time % DAY // 3600 <= 6).astype(int)
    for w in WINDOWS:
        out[f"card_count_{w}d"], out[f"card_mean_{w}d"] = np.zeros(n, int), np.zeros(n)
        out[f"terminal_count_{w}d"], out[f"terminal_risk_{w}d"] = np.zeros(n, int), np.zeros(n)
    for rows in by_group(customer):
        t, total = time[rows], np.r_[0, np.cumsum(amount[rows])]
        upto = np.arange(1, len(rows) + 1)
        for w in WINDOWS:
            first = np.searchsorted(t, t - w * DAY, side="right")
            out[f"card_count_{w}d"][rows] = upto - first
            out[f"card_mean_{w}d"][rows] = (total[upto] - total[first]) / (upto - first)
    for rows in by_group(terminal):
        t, total = time[rows], np.r_[0, np.cumsum(fraud[rows])]
        last = np.searchsorted(t, t - DELAY * DAY, side="right")
        for w in WINDOWS:
            first = np.searchsorted(t, t - (DELAY + w) * DAY, side="right")
            count = last - first
            out[f"terminal_count_{w}d"][rows] = count
            out[f"terminal_risk_{w}d"][rows] = (total[last] - total[first]) / np.maximum(count, 1)
    return out


def main():
    time, customer, terminal, amount = payments()
    scenario = spoil(time, customer, terminal, amount)
    counts = len(time), *(int((scenario == s).sum()) for s in (1, 2, 3))
    print("payments, frauds by scenario (the Handbook counts 978, 9099, 4604 as they were added):", *counts,
          "frauds:", sum(counts[1:]))
    if counts[0] != 1754155 or sum(counts[1:]) != 14681:
        sys.exit("this is not the Handbook's stream: 1754155 payments with 14681 frauds were expected")
    label = (scenario > 0).astype(int)
    f = features(time, customer, terminal, amount, label)
    names = ["weekend", "night", *(f"card_{k}_{w}d" for w in WINDOWS for k in ("count", "mean")),
             *(f"terminal_{k}_{w}d" for w in WINDOWS for k in ("count", "risk"))]
    with open(sys.argv[1], "w") as out:
        out.write(",".join(["tx_id", "time", "card", "terminal", "amount", *names, "label", "label_time"]) + "\n")
        columns = [c.tolist() for c in (np.arange(len(time)), time + START, customer, terminal, np.round(amount, 2),
                                        *(np.round(f[k], 6) for k in names), label, time + START + DELAY * DAY)]
        for row in zip(*columns):
            out.write(",".join(map(repr, row)) + "\n")


main()
