# SPDX-License-Identifier: Apache-2.0
"""Models as ONNX, written byte by byte: neither onnx nor onnxruntime is needed to make one.

The graph takes X, float32, one column per feature in the model's order (a category as its code: the position of its text in
model.categories[name]; their number for an unknown one; NaN: missing), and gives `score` and, where the model's probability is
a sigmoid of its score, `probability`, both double. Trees are one TreeEnsemble (ai.onnx.ml 5) in double precision, so scores are
those of the library to the rounding of one sum.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable
from typing import Any

from . import _core

FLOAT, DOUBLE, INT64, UINT8, BOOL = 1, 11, 7, 2, 9


# ---- protocol buffers


def _varint(n: int) -> bytes:
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def _number(field: int, n: int) -> bytes:
    return _varint(field << 3) + _varint(n)


def _bytes(field: int, data: bytes | str) -> bytes:
    raw = data.encode() if isinstance(data, str) else data
    return _varint(field << 3 | 2) + _varint(len(raw)) + raw


def _tensor(name: str, kind: int, values: list[Any], shape: list[int] | None = None) -> bytes:
    code = {FLOAT: "f", DOUBLE: "d", INT64: "q", UINT8: "B"}[kind]
    raw = struct.pack(f"<{len(values)}{code}", *values)
    dims = b"".join(_number(1, d) for d in (shape if shape is not None else [len(values)]))
    return dims + _number(2, kind) + _bytes(8, name) + _bytes(9, raw)


def _attribute(name: str, value: Any) -> bytes:
    head = _bytes(1, name)
    if isinstance(value, bytes):
        return head + _bytes(5, value) + _number(20, 4)
    if isinstance(value, list):
        return head + b"".join(_number(8, v) for v in value) + _number(20, 7)
    return head + _number(3, value) + _number(20, 2)


def _node(op: str, inputs: Iterable[str], output: str, domain: str = "", **attributes: Any) -> bytes:
    out = b"".join(_bytes(1, i) for i in inputs) + _bytes(2, output) + _bytes(3, output + "_node") + _bytes(4, op)
    out += b"".join(_bytes(5, _attribute(k, v)) for k, v in attributes.items())
    return out + (_bytes(7, domain) if domain else b"")


def _value(name: str, kind: int, columns: int) -> bytes:
    shape = _bytes(1, _bytes(2, "rows")) + _bytes(1, _number(1, columns))
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape)))


class _Graph:
    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.constants: list[bytes] = []

    def constant(self, name: str, kind: int, values: list[Any], shape: list[int] | None = None) -> str:
        self.constants.append(_tensor(name, kind, values, shape))
        return name

    def add(self, op: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(_node(op, inputs, output, domain, **attributes))
        return output

    def model(self, width: int, outputs: list[str]) -> bytes:
        graph = b"".join(_bytes(1, n) for n in self.nodes) + _bytes(2, "scarce") + b"".join(_bytes(5, c) for c in self.constants)
        graph += _bytes(11, _value("X", FLOAT, width)) + b"".join(_bytes(12, _value(o, DOUBLE, 1)) for o in outputs)
        sets = _bytes(8, _bytes(1, "") + _number(2, 18)) + _bytes(8, _bytes(1, "ai.onnx.ml") + _number(2, 5))
        return _number(1, 10) + _bytes(2, "scarce") + _bytes(3, _core.version) + _bytes(7, graph) + sets


# ---- trees

LEQ, MEMBER = 0, 6


class _Trees:
    """The arrays of a TreeEnsemble: inner nodes and leaves are numbered apart."""

    def __init__(self, features: dict[str, int], categories: dict[str, list[str]]) -> None:
        self.features, self.categories = features, categories
        self.base = 0.0
        self.roots: list[int] = []
        self.feature: list[int] = []
        self.mode: list[int] = []
        self.split: list[float] = []
        self.true: list[int] = []
        self.true_leaf: list[int] = []
        self.false: list[int] = []
        self.false_leaf: list[int] = []
        self.missing_true: list[int] = []
        self.members: list[float] = []
        self.weights: list[float] = []

    def left_codes(self, node: dict[str, Any]) -> list[int]:
        """Codes that go left, the one of unknown categories (their number) among them."""
        texts = self.categories.get(node["feature"], [])
        named = set(node["categories"])
        codes = [c for c, t in enumerate(texts) if t in named]
        if not texts:
            codes = [int(t) for t in node["categories"]]
        if node["other"] == "left":
            codes += range(min(node["codes"], len(texts)), len(texts) + 1)
        return sorted(set(codes))

    def add(self, nodes: list[dict[str, Any]]) -> None:
        if "leaf" in nodes[0]:
            self.base += nodes[0]["leaf"]
            return
        inner = {n["id"]: len(self.feature) + i for i, n in enumerate(m for m in nodes if "leaf" not in m)}
        leaf = {n["id"]: len(self.weights) + i for i, n in enumerate(m for m in nodes if "leaf" in m)}
        self.weights += [n["leaf"] for n in nodes if "leaf" in n]
        self.roots.append(inner[nodes[0]["id"]])
        for n in nodes:
            if "leaf" in n:
                continue
            self.feature.append(self.features[n["feature"]])
            if "categories" in n:
                codes = self.left_codes(n)
                self.mode.append(MEMBER)
                self.split.append(0.0)
                self.members += [float(c) for c in codes or [-1]] + [math.nan]
            else:
                self.mode.append(LEQ)
                self.split.append(_float32(n["threshold"]))
            for child, at, is_leaf in ((n["left"], self.true, self.true_leaf), (n["right"], self.false, self.false_leaf)):
                at.append(leaf[child] if child in leaf else inner[child])
                is_leaf.append(int(child in leaf))
            self.missing_true.append(int(n["missing"] == "left"))

    def put(self, g: _Graph, x: str) -> str:
        return g.add("TreeEnsemble", [x], "trees", "ai.onnx.ml", n_targets=1, aggregate_function=1, post_transform=0, tree_roots=self.roots,
                     nodes_featureids=self.feature, nodes_modes=_tensor("", UINT8, self.mode), nodes_splits=_tensor("", DOUBLE, self.split),
                     nodes_truenodeids=self.true, nodes_trueleafs=self.true_leaf, nodes_falsenodeids=self.false, nodes_falseleafs=self.false_leaf,
                     nodes_missing_value_tracks_true=self.missing_true, leaf_targetids=[0] * len(self.weights), leaf_weights=_tensor("", DOUBLE, self.weights),
                     **({"membership_values": _tensor("", DOUBLE, self.members)} if self.members else {}))


def _float32(x: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", x))[0])


def _trees(g: _Graph, shown: dict[str, Any], features: dict[str, int], categories: dict[str, list[str]]) -> str:
    trees = _Trees(features, categories)
    trees.base = shown["forest"]["base"]
    for t in shown["forest"]["trees"]:
        trees.add([{**n, "leaf": _float32(n["leaf"])} if "leaf" in n else n for n in t["nodes"]])
    if not trees.feature:
        raise _core.Unsupported("the model has no splits: its score is the same for every row")
    total = trees.put(g, g.add("Cast", ["X"], "wide", to=DOUBLE))
    return g.add("Add", [total, g.constant("base", DOUBLE, [trees.base])], "score")


# ---- linear models


def _linear(g: _Graph, shown: dict[str, Any], features: dict[str, int], categories: dict[str, list[str]]) -> str:
    """Sum of weight * value, of the weight of a category, or of that of a missing value."""
    width = len(features)
    weight, missing, parts = [0.0] * width, [0.0] * width, []
    g.add("Cast", ["X"], "wide", to=DOUBLE)
    g.add("IsNaN", ["X"], "none")
    g.add("Cast", ["none"], "none_wide", to=DOUBLE)
    g.constant("zero", DOUBLE, [0.0])
    g.add("Where", ["none", "zero", "wide"], "filled")
    for entry in shown["weights"]:
        f = features[entry["feature"]]
        if "categories" not in entry:
            weight[f], missing[f] = entry["weight"], entry["missing"]
            continue
        slots = [entry["categories"][t] for t in categories[entry["feature"]]] + [entry["unknown"], entry["missing"]]
        n = len(slots)
        at = g.add("Gather", ["filled", g.constant(f"at{f}", INT64, [f])], f"code{f}", axis=1)
        whole = g.add("Cast", [at], f"whole{f}", to=INT64)
        known = g.add("Min", [whole, g.constant(f"most{f}", INT64, [n - 2])], f"known{f}")
        gone = g.add("Gather", ["none", f"at{f}"], f"gone{f}", axis=1)
        slot = g.add("Where", [gone, g.constant(f"last{f}", INT64, [n - 1]), known], f"slot{f}")
        parts.append(g.add("Gather", [g.constant(f"slots{f}", DOUBLE, slots), slot], f"part{f}", axis=0))
    total = g.add("MatMul", ["filled", g.constant("weights", DOUBLE, weight, [width, 1])], "by_value")
    total = g.add("Add", [total, g.add("MatMul", ["none_wide", g.constant("missing", DOUBLE, missing, [width, 1])], "by_gap")], "both")
    for i, part in enumerate(parts):
        total = g.add("Add", [total, part], f"sum{i}")
    return g.add("Add", [total, g.constant("bias", DOUBLE, [shown["bias"]])], "score")


# ---- all


def _sigmoid_of(model: Any) -> tuple[float, float] | None:
    """a and b of p = 1 / (1 + exp(-(a score + b))), if that is what the model does."""
    if not model.has_probability:
        return None

    def logit(score: float) -> float:
        p = model._core.probability(score)
        return math.log(p) - math.log1p(-p) if 0 < p < 1 else math.nan

    at = [-2.0, -1.0, 0.0, 1.0, 2.0]
    values = [logit(s) for s in at]
    if any(v != v for v in values):
        return None
    b, a = values[2], (values[4] - values[0]) / 4
    return (a, b) if all(abs(a * s + b - v) < 1e-9 * (1 + abs(v)) for s, v in zip(at, values, strict=True)) else None


def convert(model: Any) -> bytes:
    """The bytes of an ONNX model."""
    shown = json.loads(model.to_json())
    names = model.features
    features = {n: i for i, n in enumerate(names)}
    g = _Graph()
    if shown.get("kind") == "encoded":
        raise _core.Unsupported('the model turns columns of many categories into numbers, which this export can\'t: train with categories="sets"')
    if "forest" in shown:
        _trees(g, shown, features, model.categories)
    elif "weights" in shown:
        _linear(g, shown, features, model.categories)
    else:
        raise _core.Unsupported(f"a model of kind {shown.get('kind')} has no form in ONNX here: trees and linear models have")
    outputs = ["score"]
    link = _sigmoid_of(model)
    if link is not None:
        g.add("Mul", ["score", g.constant("slope", DOUBLE, [link[0]])], "scaled")
        g.add("Add", ["scaled", g.constant("shift", DOUBLE, [link[1]])], "odds")
        g.add("Sigmoid", ["odds"], "probability")
        outputs.append("probability")
    return g.model(len(names), outputs)


def encode(model: Any, data: Any) -> Any:
    """Rows as the graph takes them: float32, categories as codes."""
    import numpy as np

    from ._talk import Talk

    _, _, values = model._core.explain(model._table(data, Talk())._core, None, Talk().how)
    return np.frombuffer(values, np.float32).reshape(-1, len(model.features))
