# SPDX-License-Identifier: Apache-2.0
"""The shared library through ctypes, as much of it as the studies of this folder need.

A set is read once; training and test rows are row numbers of it, so that a fit costs a fit and
not a process and a file. What is measured is what `scarce train` and `scarce score` do."""
import ctypes as C
import os

import numpy as np

import sets


class Names(C.Structure):
    _fields_ = [("items", C.POINTER(C.c_char_p)), ("count", C.c_size_t)]


class ReadOptions(C.Structure):
    _fields_ = [("struct_size", C.c_size_t), ("format", C.c_int), ("no_header", C.c_int), ("label", C.c_char_p),
                ("positive", C.c_char_p), ("weight", C.c_char_p), ("time", C.c_char_p), ("group", C.c_char_p),
                ("amount", C.c_char_p), ("ignore", Names), ("categorical", Names), ("numeric", Names),
                ("missing", Names), ("schema", C.c_void_p), ("label_optional", C.c_int), ("optional_roles", C.c_int),
                ("exact", Names)]


class ContextOptions(C.Structure):
    _fields_ = [("struct_size", C.c_size_t), ("threads", C.c_int), ("seed", C.c_uint64), ("log", C.c_void_p),
                ("progress", C.c_void_p), ("payload", C.c_void_p)]


class TrainOptions(C.Structure):
    _fields_ = [("struct_size", C.c_size_t), ("valid", C.c_void_p), ("early_stop", C.c_int), ("metric", C.c_char_p),
                ("calibrate", C.c_char_p), ("threshold", C.c_char_p), ("odds_factor", C.c_double),
                ("resume", C.c_void_p), ("checkpoint", C.c_char_p), ("checkpoint_every", C.c_int)]


class Error(C.Structure):
    _fields_ = [("code", C.c_int), ("text", C.c_char * 1024)]


class Scarce:
    """`path`: the shared library (default: the environment variable SCARCE_LIB)."""

    def __init__(self, path=None, threads=1, seed=1):
        self.lib = C.CDLL(path or os.environ["SCARCE_LIB"])
        self.err = Error()
        for name in ("scarce_table_free", "scarce_model_free", "scarce_params_free", "scarce_scorer_free"):
            getattr(self.lib, name).argtypes = [C.c_void_p]
            getattr(self.lib, name).restype = None
        self.threads, self.contexts = threads, {}
        self.ctx = self.context(seed)

    def context(self, seed):
        if seed not in self.contexts:
            ctx = self.contexts[seed] = C.c_void_p()
            options = ContextOptions(C.sizeof(ContextOptions), self.threads, seed, None, None, None)
            self.check(self.lib.scarce_context_new(C.byref(ctx), C.byref(options), C.byref(self.err)))
        return self.contexts[seed]

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.err.text.decode())

    def read(self, path, time=None, ignore=()):
        table, options = C.c_void_p(), ReadOptions()
        options.struct_size = C.sizeof(ReadOptions)
        options.time = time.encode() if time else None
        left_out = [name.encode() for name in ignore]
        options.ignore = Names((C.c_char_p * len(left_out))(*left_out), len(left_out))
        options.label = None if ".svm" in path else b"label"
        codes = [c.encode() for c in sets.codes_of(path)]
        options.categorical = Names((C.c_char_p * len(codes))(*codes), len(codes))
        paths = (C.c_char_p * 1)(path.encode())
        self.check(self.lib.scarce_table_read(C.byref(table), paths, C.c_size_t(1), C.byref(options), self.ctx,
                                              C.byref(self.err)))
        return table

    def rows_of(self, table, rows):
        rows, out = np.ascontiguousarray(rows, np.uint32), C.c_void_p()
        self.check(self.lib.scarce_table_rows_of(C.byref(out), table, rows.ctypes.data_as(C.c_void_p),
                                                 C.c_size_t(len(rows)), self.ctx, C.byref(self.err)))
        return out

    def label(self, table):
        self.lib.scarce_table_rows.restype = C.c_size_t
        self.lib.scarce_table_label.restype = C.POINTER(C.c_uint8)
        n = self.lib.scarce_table_rows(table)
        return np.ctypeslib.as_array(self.lib.scarce_table_label(table), (n,)).astype(int).copy()

    def free(self, *tables):
        for t in tables:
            self.lib.scarce_table_free(t)

    def fit_mean(self, train, test, n_test, settings, **more):
        """As fit_score, with settings of this folder: seeds=K is the mean of K seeds' scores, method=NAME another method."""
        settings = dict(settings)
        seeds, method = int(settings.pop("seeds", 1)), settings.pop("method", "gb")
        own, fits = self.ctx, []
        for seed in range(1, seeds + 1):
            self.ctx = self.context(seed)
            fits.append(self.fit_score(train, test, n_test, settings, method=method, **more))
        self.ctx = own
        score = np.mean([f[0] for f in fits], axis=0)
        return score, fits[0][1] if seeds == 1 else 1 / (1 + np.exp(-score))

    def train(self, train, settings, method="gb", valid=None, early_stop=0):
        """A model, to be given to self.lib.scarce_model_free."""
        params, model, err = C.c_void_p(), C.c_void_p(), C.byref(self.err)
        self.check(self.lib.scarce_params_new(C.byref(params), method.encode(), err))
        try:
            for k, v in settings.items():
                self.check(self.lib.scarce_params_set(params, k.encode(), str(v).encode(), err))
            o = TrainOptions(C.sizeof(TrainOptions), valid, early_stop, None, None, None, 1.0, None, None, 0)
            self.check(self.lib.scarce_train(C.byref(model), train, params, C.byref(o), None, self.ctx, err))
        finally:
            self.lib.scarce_params_free(params)
        return model

    def fit_score(self, train, test, n_test, settings, method="gb", valid=None, early_stop=0):
        """(scores, probabilities) of `test` by a model trained on `train`; settings: {name: value}."""
        scorer, err = C.c_void_p(), C.byref(self.err)
        score, probability = np.empty(n_test), np.empty(n_test)
        model = self.train(train, settings, method, valid, early_stop)
        try:
            self.check(self.lib.scarce_scorer_new(C.byref(scorer), model, err))
            self.check(self.lib.scarce_scorer_table(scorer, test, score.ctypes.data_as(C.c_void_p),
                                                    probability.ctypes.data_as(C.c_void_p), self.ctx, err))
        finally:
            self.lib.scarce_scorer_free(scorer)
            self.lib.scarce_model_free(model)
        return score, probability
