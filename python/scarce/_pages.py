# SPDX-License-Identifier: Apache-2.0
"""What is on the pages that notebooks show; the library draws them (report.h), as it draws the program's."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from . import _core

SEVERITY = {"good": 0, "note": 1, "warning": 2, "bad": 3}


def in_frame(page: str) -> str:
    """A page inside a frame of its own: its styles and script can't touch the notebook."""
    height = "this.style.height=(this.contentWindow.document.documentElement.scrollHeight+8)+'px'"
    return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:420px;border:0" onload="{height}"></iframe>'


def _doubles(values: Any) -> Any:
    return np.ascontiguousarray(values, dtype=np.float64)


def _line(name: str | None, x: Any, y: Any) -> tuple[Any, ...]:
    return ("line", name, _doubles(x), _doubles(y))


def _bars(kind: str, name: str, labels: list[str], values: Any, lo: Any = None, hi: Any = None) -> tuple[Any, ...]:
    return (kind, name, labels, _doubles(values), None if lo is None else _doubles(lo), None if hi is None else _doubles(hi))


def _importances(model: Any) -> dict[str, float]:
    try:
        return {k: v for k, v in list(model.importance().items())[:20] if v > 0}
    except _core.Unsupported:
        return {}


def model_page(model: Any) -> str:
    s = model.summary
    items: list[Any] = []
    for name, key in (("training rows", "rows"), ("positives", "positives"), ("iterations kept", "best_iteration")):
        if s.get(key):
            items.append(("tile", name, float(s[key]), 4, None))
    if s.get("valid_metric", float("nan")) == s.get("valid_metric"):
        items.append(("tile", "on validation rows", float(s["valid_metric"]), 4, model.params.get("metric", "ap")))
    items.append(("tile", "features", float(len(model.features)), 4, None))
    if model.history is not None and np.isfinite(model.history).any():
        y = model.history
        at = np.isfinite(y)
        series: list[Any] = [_line("metric", np.flatnonzero(at) + 1, y[at])]
        if s.get("best_iteration"):
            series.append(("mark", "kept", float(s["best_iteration"])))
        items += [("section", "Learning"), ("chart", {"title": "On the validation rows", "x_label": "iteration", "wide": 1}, series)]
    gains = _importances(model)
    if gains:
        items += [("section", "What it relies on"), ("chart", {"title": "Gain of the splits", "wide": 1}, [_bars("bars", "gain", list(gains), list(gains.values()))])]
    items.append(("section", "Settings"))
    items.append(("fact", "method", model.method))
    items += [("fact", k, v) for k, v in model.params.items() if v]
    return str(_core.page("Model", f"{model.method}, {len(model.features)} features", items))


def _detail(e: Any, name: str) -> str | None:
    if name not in e._intervals:
        return None
    low, high = e.interval(name)
    return f"95 %: {low:.4g} to {high:.4g}"


def evaluation_page(e: Any) -> str:
    m = e.metrics
    items: list[Any] = [("tile", "average precision", m["ap"], 4, _detail(e, "ap")),
                        ("tile", f"precision in the top {m['k']:.0f}", m["precision_at_k"], 4, _detail(e, "precision_at_k")),
                        ("tile", "AUC", m["auc_roc"], 4, _detail(e, "auc_roc")),
                        ("tile", "rows", m["rows"], 4, f"{m['positives']:,.0f} positives")]
    if m["cost"] == m["cost"]:
        items.append(("tile", "cost", m["cost"], 4, _detail(e, "cost")))
    if m["positives"] > 0 and m["positives"] < m["rows"]:
        pr, roc = e.curve("pr"), e.curve("roc")
        items += [("section", "Ranking"),
                  ("chart", {"title": "Precision and recall", "x_label": "recall", "y_label": "precision", "x_lo": 0.0, "x_hi": 1.0, "y_lo": 0.0, "y_hi": 1.0},
                   [_line("model", pr["recall"], pr["precision"]), ("level", "share of positives", m["positives"] / m["rows"])]),
                  ("chart", {"title": "ROC", "x_label": "false positive rate", "y_label": "true positive rate", "x_lo": 0.0, "x_hi": 1.0, "y_lo": 0.0, "y_hi": 1.0},
                   [_line("model", roc["fpr"], roc["tpr"])])]
        gains = e.curve("gains", 200)
        items.append(("chart", {"title": "What alerts recover", "x_label": "alerts", "y_label": "amount" if e._scored.get("amount") is not None else "positives"},
                      [_line("recovered", gains["alerts"], gains["recovered"])]))
    if e._scored.get("probability") is not None and m["positives"] > 0:
        c = e.curve("calibration")
        items.append(("chart", {"title": "Calibration", "x_label": "probability", "y_label": "share of positives", "note": "Ten groups of equal size; on the diagonal is right."},
                      [("points", "groups", _doubles(c["probability"]), _doubles(c["share"])), _line(None, [0, np.nanmax(c["probability"])], [0, np.nanmax(c["probability"])])]))
    rows = [(name, float(m[name]), *[float(v) for v in (e._intervals[name][1:3] if name in e._intervals else (float("nan"),) * 2)], text)
            for name, text, _, _ in _core.metric_table() if m[name] == m[name]]
    items += [("section", "All metrics"), ("table", None, ["metric", "value", "95 % from", "to", "what it is"], "lrrrl", rows)]
    return str(_core.page("Evaluation", e._title, items))


def comparison_page(c: Any) -> str:
    sums = sorted(c.summary(), key=lambda r: -r["mean"] if r["mean"] == r["mean"] else 9e99)
    names = [r["name"] for r in sums]
    items: list[Any] = [("tile", "folds", float(len(c.folds)), 4, None), ("tile", f"best {c.metric}", float(sums[0]["mean"]), 4, names[0]),
                        ("chart", {"title": f"{c.metric}: mean over the folds", "note": "Whiskers: 95 % by bootstrap over the folds.", "wide": 1},
                         [_bars("dots", c.metric, names, [r["mean"] for r in sums], [r["lo"] for r in sums], [r["hi"] for r in sums])]),
                        ("table", None, ["method", "mean", "sd", "95 % from", "to", "seconds"], "lrrrrr",
                         [(r["name"], *[float(r[k]) for k in ("mean", "sd", "lo", "hi", "seconds")]) for r in sums])]
    if len(names) > 1:
        rows = []
        for other in names[1:]:
            p = c.pair(names[0], other)
            rows.append((f"{names[0]} - {other}", float(p["difference"]), float(p["lo"]), float(p["hi"]), float(p["p_corrected"])))
        items += [("section", "Differences"), ("table", "p allows for rows that folds share (Nadeau and Bengio)", ["pair", "difference", "95 % from", "to", "p"], "lrrrr", rows)]
    return str(_core.page("Comparison", f"{len(names)} methods on {len(c.folds)} folds", items))


def tuned_page(t: Any) -> str:
    order = sorted(t.trials, key=lambda r: (-r["share"], -r["value"] if r["value"] == r["value"] else 9e99))
    rows = [(" ".join(f"{k}={v}" for k, v in r["settings"].items()) or "(default)", float(r["value"]), float(r["share"]), float(r["seconds"])) for r in order[:30]]
    what = "the default: nothing is clearly better" if t.default_kept else " ".join(f"{k}={v}" for k, v in t.best.items())
    items: list[Any] = [("paragraph", f"Take {what}."), ("table", None, ["settings", t.metric, "share of the effort", "seconds"], "lrrr", rows)]
    return str(_core.page("Tuning", f"{t.method}, {len(t.trials)} settings", items))


def diagnosis_page(d: Any) -> str:
    items: list[Any] = [("finding", float(SEVERITY[f["severity"]]), f["what"], f["advice"]) for f in d.findings]
    if not items:
        items.append(("finding", 0.0, "Nothing found.", None))
    if d.periods:
        x = [p["begin"] for p in d.periods]
        axis = 2 if x and x[0] > 1e8 else 0
        items += [("section", "Over time"),
                  ("chart", {"title": f"Rows per {d._unit or 'period'}", "x_axis": axis}, [_line("rows", x, [p["rows"] for p in d.periods])]),
                  ("chart", {"title": "Share of positives", "x_axis": axis}, [_line("share", x, [p["positives"] / max(1, p["rows"]) for p in d.periods])])]
    rows = [(c["name"], float(c["missing"]), float(c["distinct"]), float(c["auc"]), float(c["ap"]), float(c["psi"])) for c in d.columns[:200]]
    items += [("section", "Columns"), ("table", None, ["column", "missing", "distinct", "AUC alone", "AP alone", "drift (PSI)"], "lrrrrr", rows)]
    return str(_core.page("Doctor", d.protocol, items))
