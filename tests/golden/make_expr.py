# SPDX-License-Identifier: Apache-2.0
"""Writes expr.txt, read by tests/unit/test_expr_golden.c.

Needs cel-python (made with 0.5). Run in this folder: python make_expr.py
Random expressions of what CEL and our language have in common, on records with missing fields; a case is three lines:
  the expression
  the record: name=value separated by tabs; a field that isn't there is missing
  what CEL makes of it: true, false, a number, a text in quotes, or "unknown" (CEL's error)
Numbers are doubles on both sides ("5.0"), because CEL knows integers too.
"""
import random

import celpy
from celpy import celtypes

FIELDS = {
    "amount": "double", "mean": "double", "count": "double", "country": "string", "home": "string",
    "is_ecom": "bool", "pin": "bool", "time": "timestamp", "last": "timestamp", "wait": "duration",
}
CASES = 1500
NUMBERS = ["0.0", "1.0", "2.5", "5.0", "12.5", "100.0", "0.1"]
TEXTS = ['"DE"', '"FR"', '"D"', '""', '"été"', "'x\"y'"]
TIMES = ["2026-11-16T08:30:00Z", "2026-11-15T23:59:59Z", "2024-02-29T00:00:00Z", "1969-12-31T12:00:00Z"]
SPANS = ["1h30m", "45s", "90m", "0s", "2h"]


def leaf(r, kind):
    names = [n for n, k in FIELDS.items() if k == kind]
    if r.random() < 0.6 and names:
        return r.choice(names)
    return {
        "double": lambda: r.choice(NUMBERS),
        "string": lambda: r.choice(TEXTS),
        "bool": lambda: r.choice(["true", "false"]),
        "timestamp": lambda: f'timestamp("{r.choice(TIMES)}")',
        "duration": lambda: f'duration("{r.choice(SPANS)}")',
    }[kind]()


def boolean(r, d):
    pick = r.randrange(12)
    if pick < 3:
        return f"({make(r, 'bool', d)} && {make(r, 'bool', d)})"
    if pick < 6:
        return f"({make(r, 'bool', d)} || {make(r, 'bool', d)})"
    if pick == 6:
        return f"!({make(r, 'bool', d)})"
    if pick == 7:
        kind = r.choice(["double", "string", "bool", "timestamp", "duration"])
        return f"({make(r, kind, d)} {r.choice(['==', '!='])} {make(r, kind, d)})"
    if pick == 8:
        kind = r.choice(["double", "string", "timestamp", "duration"])
        return f"({make(r, kind, d)} {r.choice(['<', '<=', '>', '>='])} {make(r, kind, d)})"
    if pick == 9:
        kind, items = r.choice([("double", NUMBERS), ("string", TEXTS)])
        return f"({make(r, kind, d)} in [{', '.join(r.sample(items, 3))}])"
    name = r.choice(["startsWith", "endsWith", "contains"])
    return f"{make(r, 'string', 0)}.{name}({make(r, 'string', d)})"


def make(r, kind, d):
    if d <= 0 or r.random() < 0.15:
        return leaf(r, kind)
    d -= 1
    if r.random() < 0.08:
        return f"({make(r, 'bool', d)} ? {make(r, kind, d)} : {make(r, kind, d)})"
    if kind == "bool":
        return boolean(r, d)
    if kind == "double":
        if r.random() < 0.2:
            return f"-({make(r, 'double', d)})"
        if r.random() < 0.2:  # what CEL makes infinite is missing here
            return f"({make(r, 'double', d)} / {r.choice(NUMBERS[1:])})"
        return f"({make(r, 'double', d)} {r.choice('+-*')} {make(r, 'double', d)})"
    if kind == "timestamp":
        return f"({make(r, 'timestamp', d)} {r.choice('+-')} {make(r, 'duration', d)})"
    if kind == "duration" and r.random() < 0.5:
        return f"({make(r, 'timestamp', d)} - {make(r, 'timestamp', d)})"
    return leaf(r, kind)


CONVERT = {
    "double": lambda v: celtypes.DoubleType(float(v)),
    "string": lambda v: celtypes.StringType(v),
    "bool": lambda v: celtypes.BoolType(v == "true"),
    "timestamp": lambda v: celtypes.TimestampType(v),
    "duration": lambda v: celtypes.DurationType(v),
}


def record(r):
    out = {}
    for name, kind in FIELDS.items():
        if r.random() < 0.25:
            continue
        out[name] = {
            "double": lambda: r.choice(NUMBERS), "string": lambda: r.choice(["DE", "FR", "D", "été"]),
            "bool": lambda: r.choice(["true", "false"]), "timestamp": lambda: r.choice(TIMES),
            "duration": lambda: r.choice(SPANS),
        }[kind]()
    return out


def evaluate(env, text, rec):
    program = env.program(env.compile(text))
    try:
        v = program.evaluate({n: CONVERT[FIELDS[n]](x) for n, x in rec.items()})
    except celpy.CELEvalError:
        return "unknown"
    if isinstance(v, celtypes.BoolType):
        return "true" if v else "false"
    if isinstance(v, celtypes.StringType):
        return '"' + str(v) + '"'
    v = float(v)
    if v != v or v in (float("inf"), float("-inf")):
        return "unknown"  # ours are finite or missing
    return repr(v)


def main():
    kinds = ["bool", "bool", "bool", "double", "string"]
    env = celpy.Environment()
    unknown = known = 0
    with open("expr.txt", "w", encoding="utf-8") as f:
        for c in range(CASES):
            r = random.Random(c)
            text = make(r, r.choice(kinds), 1 + r.randrange(4))
            rec = record(r)
            result = evaluate(env, text, rec)
            unknown += result == "unknown"
            known += result != "unknown"
            print(text, "\t".join(f"{n}={v}" for n, v in rec.items()), result, sep="\n", file=f)
    print(f"{known} known, {unknown} unknown")


if __name__ == "__main__":
    main()
