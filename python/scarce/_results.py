# SPDX-License-Identifier: Apache-2.0
"""Results: objects with plain figures inside, shown as tables in terminals and as pages in notebooks."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from . import _core
from ._data import like_input
from ._talk import Talk, pythonic

Array = np.ndarray[Any, Any]


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return "n/a" if value != value else f"{value:,.0f}" if value.is_integer() and abs(value) >= 1000 else f"{value:.4g}"
    return str(value)


def _aligned(header: list[str], rows: list[list[Any]]) -> str:
    cells = [header, *[[_shown(v) for v in r] for r in rows]]
    width = [max(len(r[i]) for r in cells) for i in range(len(header))]
    return "\n".join("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(r, width, strict=True))).rstrip() for r in cells)


def _plain(value: Any) -> Any:
    """What JSON can hold: NaN is None."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return value


class Result:
    """What all results can: to_dict, a page, a file of it."""

    def to_dict(self) -> dict[str, Any]:
        """Plain figures, fit for JSON."""
        raise NotImplementedError

    def _page(self) -> str:
        raise NotImplementedError

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Writes the page: one file that needs no other."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(self._page())

    def _repr_html_(self) -> str:
        from ._pages import in_frame

        return in_frame(self._page())


class Evaluation(Result):
    """How good scores are. Every metric is an attribute: `.ap`, `.precision_at_k`, `.cost`, ..."""

    def __init__(self, scored: dict[str, Any], options: dict[str, Any], *, intervals: bool = True, seed: int = 1, threads: int | None = None,
                 title: str = "Evaluation", replicates: int = 1000, behind: tuple[Any, Any] | None = None) -> None:
        self._scored, self._options, self._title = scored, options, title
        self._behind = behind  # model and rows, for importances and the head of the list on the page
        self._how = Talk(seed=seed, threads=threads).how
        self.metrics: dict[str, float] = _core.metrics(scored, options, self._how)
        self._intervals: dict[str, tuple[float, float, float, float]] = {}
        if intervals and self.metrics["positives"] > 0:
            wanted = ["ap", "auc_roc", "precision_at_k", "recall_at_k", "precision", "recall", "f1"]
            if options.get("cost") is not None:
                wanted.append("cost")
            if scored.get("probability") is not None:
                wanted += ["brier", "log_loss"]
            self._intervals = _core.bootstrap(scored, options, wanted, replicates, 0.95, self._how)

    def __getattr__(self, name: str) -> float:
        metrics = self.__dict__.get("metrics", {})
        if name in metrics:
            return float(metrics[name])
        raise AttributeError(f"no metric {name!r}; there are {', '.join(metrics)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.metrics]

    def __getitem__(self, name: str) -> float:
        found = _core.metric_find(name)
        if found is None:
            raise KeyError(name)
        return self.metrics[found]

    def interval(self, name: str) -> tuple[float, float]:
        """(low, high): 95 % of the bootstrap's replicates lie between."""
        found = _core.metric_find(name)
        if found is None:
            raise KeyError(name)
        if found not in self._intervals:
            self._intervals |= _core.bootstrap(self._scored, self._options, [found], 1000, 0.95, self._how)
        return self._intervals[found][1], self._intervals[found][2]

    def curve(self, kind: str, points: int = 500) -> dict[str, Any]:
        """The points of a curve: "pr", "roc", "calibration", "gains", "cards"."""
        if kind not in ("pr", "roc", "calibration", "gains", "cards"):
            raise _core.ParameterError(f'no curve "{kind}": pr, roc, calibration, gains, cards')
        most = 10 if kind == "calibration" and points == 500 else points
        raw = _core.curve(kind, self._scored, self._options, most, self._how)
        c = {k: np.frombuffer(v) if isinstance(v, bytearray) else v for k, v in raw.items()}
        names = {"pr": ("recall", "precision"), "roc": ("fpr", "tpr"), "cards": ("time", "precision")}.get(kind)
        return {names[0]: c["x"], names[1]: c["y"], "threshold": c["threshold"]} if names else c

    def to_dict(self) -> dict[str, Any]:
        """Plain figures, fit for JSON: every metric, and `intervals`."""
        return dict(_plain({**self.metrics, "intervals": {k: [v[1], v[2]] for k, v in self._intervals.items()}}))

    def __repr__(self) -> str:
        rows = []
        for name, _help, direction, _ in _core.metric_table():
            value = self.metrics[name]
            if value != value or (direction == 0 and name not in ("rows", "positives", "k", "threshold")):
                continue
            low, high = (self._intervals[name][1], self._intervals[name][2]) if name in self._intervals else ("", "")
            rows.append([name, value, low, high])
        return _aligned(["metric", "value", "95 % from", "to"], rows)

    def __getstate__(self) -> dict[str, Any]:
        how = {k: v for k, v in self._how.items() if k in ("seed", "threads")}
        return {**self.__dict__, "_behind": None, "_how": how}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _page(self) -> str:
        model, table = self._behind or (None, None)
        return str(_core.page_evaluation(self._scored, self._options, model, table, self._title, self._how))


class Comparison(Result):
    """Several methods on the same folds."""

    def __init__(self, capsule: Any, metric: str, origin: Any = None, page: str = "") -> None:
        self._capsule, self.metric, self._origin, self._made = capsule, metric, origin, page
        #: names of the contestants
        self.names: list[str]
        #: rows, positives and times of each fold
        self.folds: list[dict[str, Any]]
        self.names, self.folds, self.skipped = _core.compare_info(capsule)

    def values(self, metric: str | None = None) -> Array:
        """One row per contestant, one column per fold."""
        raw, _, _ = _core.compare_values(self._capsule, metric or self.metric)
        return np.frombuffer(raw).reshape(len(self.names), -1)

    def summary(self, metric: str | None = None) -> list[dict[str, Any]]:
        """Mean, spread and interval of each contestant over the folds."""
        _, raw, sums = _core.compare_values(self._capsule, metric or self.metric)
        seconds = np.frombuffer(raw).reshape(len(self.names), -1)
        return [{"name": n, **s, "seconds": float(np.nansum(t)) if np.isfinite(t).any() else float("nan")} for n, s, t in zip(self.names, sums, seconds, strict=True)]

    def table(self, metric: str | None = None) -> Any:
        """The summary as a frame of the kind that came in, the best first."""
        rows = sorted(self.summary(metric), key=lambda r: -r["mean"] if r["mean"] == r["mean"] else math.inf)
        return like_input(self._origin, {k: np.array([r[k] for r in rows], dtype=object if k == "name" else np.float64) for k in rows[0]})

    def pair(self, a: str | int, b: str | int, metric: str | None = None) -> dict[str, Any]:
        """a - b, fold by fold: mean difference with its interval, p values, how many positives it would take."""
        at = [self.names.index(x) if isinstance(x, str) else int(x) for x in (a, b)]
        return dict(_core.compare_pair(self._capsule, at[0], at[1], metric or self.metric))

    def verdicts(self, metric: str | None = None) -> list[dict[str, Any]]:
        """Every pair of contestants with its p values after Holm's correction and a verdict in words, as the program tells them."""
        return list(_core.compare_verdicts(self._capsule, metric or self.metric)[2])

    @property
    def best(self) -> str:
        """The contestant with the best mean: the lowest of a metric that counts what is lost."""
        sign = next((d for n, _, d, _ in _core.metric_table() if n == self.metric), 1) or 1
        rows = self.summary()
        return str(max(rows, key=lambda r: sign * r["mean"] if r["mean"] == r["mean"] else -math.inf)["name"])

    def to_dict(self) -> dict[str, Any]:
        """Plain figures, fit for JSON."""
        return dict(_plain({"metric": self.metric, "methods": self.summary(), "folds": self.folds, "values": self.values()}))

    def __repr__(self) -> str:
        rows = [[r["name"], r["mean"], r["sd"], r["lo"], r["hi"], r["seconds"]] for r in sorted(self.summary(), key=lambda r: -r["mean"] if r["mean"] == r["mean"] else math.inf)]
        return _aligned([f"{self.metric} over {len(self.folds)} folds", "mean", "sd", "95 % from", "to", "seconds"], rows)

    def _page(self) -> str:
        return self._made


class Tuned(Result):
    """What a search found. `best` are the parameters to take: the default's, unless another setting is clearly better."""

    def __init__(self, result: dict[str, Any], method: str, metric: str) -> None:
        self.method, self.metric = method, metric
        self.trials: list[dict[str, Any]] = [{**t, "settings": _settings(t["settings"])} for t in result["trials"]]
        self._result = result
        self.difference: float = result["difference"]
        self.error: float = result["error"]
        self.cancelled = bool(result["cancelled"])

    @property
    def best(self) -> dict[str, str]:
        """Parameters to train with."""
        return dict(self.trials[self._result["best"]]["settings"])

    @property
    def default_kept(self) -> bool:
        """True when no setting beat the default by more than twice the standard error of the difference."""
        return bool(self._result["best"] == 0)

    def estimator(self, **more: Any) -> Any:
        """An unfitted estimator with these parameters."""
        from ._names import OF_METHOD
        from . import sklearn

        return getattr(sklearn, OF_METHOD[self.method.split(":")[0]])(**{**_typed(self.method.split(":")[0], self.best), **more})

    def to_dict(self) -> dict[str, Any]:
        """Plain figures, fit for JSON."""
        return dict(_plain({"method": self.method, "metric": self.metric, "best": self.best, "default_kept": self.default_kept, "trials": self.trials,
                       "difference": self.difference, "error": self.error}))

    def __repr__(self) -> str:
        order = sorted(range(len(self.trials)), key=lambda i: (-self.trials[i]["share"], -self.trials[i]["value"] if self.trials[i]["value"] == self.trials[i]["value"] else math.inf))
        rows = [[" ".join(f"{k}={v}" for k, v in self.trials[i]["settings"].items()) or "(default)", self.trials[i]["value"], self.trials[i]["seconds"]] for i in order[:8]]
        return _aligned([f"{self.method}, {len(self.trials)} settings", self.metric, "seconds"], rows) + f"\ntake: {self.best or 'the default'}"

    def _page(self) -> str:
        return str(self._result["page"])


def _settings(text: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in text.split() if "=" in part)


def _typed(method: str, texts: dict[str, str]) -> dict[str, Any]:
    """Texts of parameters as an estimator takes them."""
    from ._names import python_name

    types = {p["name"]: p["type"] for m in _core.methods() if m["name"] == method for p in m["params"]}
    out: dict[str, Any] = {}
    for name, text in texts.items():
        kind = types.get(name, "text")
        value: Any = text
        if kind == "integer" and text != "auto":
            value = int(float(text))
        elif kind == "number" and text != "auto":
            value = float(text)
        elif kind == "true|false":
            value = text == "true"
        out[python_name(name)] = value
    return out


class Diagnosis(Result):
    """What will go wrong with the data: `findings`, the gravest first."""

    def __init__(self, result: dict[str, Any]) -> None:
        self.findings: list[dict[str, Any]] = [{**f, "what": pythonic(f["what"]), "advice": pythonic(f["advice"])} for f in result["findings"]]
        self.columns: list[dict[str, Any]] = result["columns"]
        self.periods: list[dict[str, Any]] = result["periods"]
        self.folds: list[dict[str, Any]] = result["folds"]
        self.protocol: str = result["protocol"]
        self._made: str = result["page"]

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Any:
        return iter(self.findings)

    @property
    def worst(self) -> str:
        """The gravest severity: "bad", "warning", "note" or "good"."""
        return str(self.findings[0]["severity"]) if self.findings else "good"

    def to_dict(self) -> dict[str, Any]:
        """Plain figures, fit for JSON."""
        return dict(_plain({"findings": self.findings, "columns": self.columns, "periods": self.periods, "folds": self.folds, "protocol": self.protocol}))

    def __repr__(self) -> str:
        if not self.findings:
            return "nothing found"
        return "\n".join(f"{f['severity']}: {f['what']}\n    {f['advice']}" for f in self.findings)

    def _page(self) -> str:
        return self._made


class RuleCheck(Result):
    """What is wrong with rules (`mistakes`), what is odd (`remarks`), and the `rules` where nothing is wrong."""

    def __init__(self, result: dict[str, Any], name: str) -> None:
        self.name = name
        self.mistakes: list[dict[str, Any]] = [r for r in result["remarks"] if r["wrong"]]
        self.remarks: list[dict[str, Any]] = [r for r in result["remarks"] if not r["wrong"]]
        self.rules: list[dict[str, Any]] = result["rules"]

    def __bool__(self) -> bool:
        return not self.mistakes

    def to_dict(self) -> dict[str, Any]:
        """Plain figures, fit for JSON."""
        return dict(_plain({"mistakes": self.mistakes, "remarks": self.remarks, "rules": self.rules}))

    def __repr__(self) -> str:
        lines = [f"{self.name}:{r['line']}:{r['column']}: {r['text']}" for r in self.mistakes + self.remarks]
        return "\n".join([*lines, f"{len(self.rules)} rules: good"] if self else lines)

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(repr(self))}</pre>"

    def _page(self) -> str:
        return f"<!doctype html><meta charset=utf-8><title>{self.name.replace('<', '')}</title>{self._repr_html_()}"


class Backtest(Result):
    """What rules would have done: `rules` (a dict of figures each), sums, `limits`."""

    def __init__(self, result: dict[str, Any]) -> None:
        self._made: str = result.pop("page")
        self.n_rows: int = result["n_rows"]
        self.positives: int = result["positives"]
        self.rules: list[dict[str, Any]] = result["rules"]
        self.limits: list[dict[str, Any]] = result["limits"]
        self.rules_together: dict[str, Any] = result["rules_together"]
        self.blocks_together: dict[str, Any] = result["blocks_together"]
        self.model: dict[str, Any] | None = result.get("model")
        self.either: dict[str, Any] | None = result.get("either")
        self._all = result

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, name: str) -> dict[str, Any]:
        for r in self.rules:
            if r["name"] == name:
                return r
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Plain figures, fit for JSON."""
        return dict(_plain(self._all))

    def __repr__(self) -> str:
        lines = [f"{self.n_rows} rows, {self.positives} positives"]
        for r in self.rules:
            lines.append(f"{r['name']:<24} fired {r['fired']}, positive {r['positive']}, precision {r['precision']:.3g}, "
                         f"detection {r['detection']:.3g}, alone {r['alone']}")
        lines += [f"{x['rule']}, {x['limit']}: {x['text']}" for x in self.limits]
        return "\n".join(lines)

    def _page(self) -> str:
        return self._made


class Listing(dict[str, Any]):
    """Methods or resamplers by name, shown as a table."""

    def __repr__(self) -> str:
        return "\n".join(f"{name:<16} {entry['summary']}" for name, entry in self.items())

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(f"<tr><th style='text-align:left'>{escape(n)}</th><td style='text-align:left'>{escape(e['summary'])}</td></tr>" for n, e in self.items())
        return f"<table>{rows}</table>"
