# SPDX-License-Identifier: Apache-2.0
"""One large set from arrays: PREFIX_train_X.npy, _train_y.npy, _test_X.npy, _test_y.npy (float32).

    SCARCE_LIB=build/libscarce.so python large.py PREFIX [--rows N] "" "min_child_weight=0.1" ..."""
import argparse
import ctypes as C
import time

import numpy as np
from sklearn.metrics import average_precision_score

from scarcelib import Scarce
from study import parse, precision_at_k


def table(lib, x, y):
    out, x, label = C.c_void_p(), np.ascontiguousarray(x, np.float32), np.ascontiguousarray(y, np.uint8)
    lib.check(lib.lib.scarce_table_from_floats(C.byref(out), x.ctypes.data_as(C.c_void_p), C.c_size_t(x.shape[0]),
                                               C.c_size_t(x.shape[1]), None, label.ctypes.data_as(C.c_void_p),
                                               C.byref(lib.err)))
    return out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("prefix"), p.add_argument("setting", nargs="+"), p.add_argument("--rows", type=int)
    o = p.parse_args()
    lib = Scarce()
    x, y, tx, ty = (np.load(o.prefix + s) for s in ("_train_X.npy", "_train_y.npy", "_test_X.npy", "_test_y.npy"))
    a, b = table(lib, x[:o.rows], y[:o.rows]), table(lib, tx, ty)
    print("rows,positives,setting,ap,pk,seconds")
    for setting in o.setting:
        start = time.time()
        score = lib.fit_score(a, b, len(ty), parse(setting))
        print("%d,%d,%s,%.5f,%.5f,%.1f" % (len(y[:o.rows]), y[:o.rows].sum(), setting, average_precision_score(ty, score),
                                           precision_at_k(np.asarray(ty, int), score), time.time() - start), flush=True)


if __name__ == "__main__":
    main()
