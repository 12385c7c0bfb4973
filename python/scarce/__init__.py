# SPDX-License-Identifier: Apache-2.0
"""scarce: finds the few positives in a sea of negatives.

>>> import scarce
>>> df = scarce.simulate("fraud", transactions=5000)
>>> model = scarce.train(df, label="label", time="time", group="card", ignore=["tx_id", "terminal", "label_time"])
>>> alerts = model.alerts(df, top=10, reasons=3)

Importing it loads neither NumPy nor scikit-learn; both come when they are first needed. The page docs/python.md is the manual.
"""

from __future__ import annotations

from ._core import DataError, ModelFormatError, ParameterError, ScarceError, Unsupported, version as __version__
from ._names import CLASSES

TYPE_CHECKING = False  # importing typing would take longer than all the rest; type checkers know the name
if TYPE_CHECKING:
    from typing import Any

# What is where: a name is imported when it is first asked for.
_FUNCTIONS = "train load loads import_model read evaluate evaluate_scores compare tune doctor resample distil simulate split_latest split methods resamplers rules_check rules_backtest"
_WHERE: dict[str, str] = {name: "_functions" for name in _FUNCTIONS.split()}
_WHERE |= {"Model": "_model", "Budget": "_model", "Explanation": "_model", "TrainingInterrupted": "_talk", "Progress": "_talk", "Table": "_data"}
_WHERE |= {"Evaluation": "_results", "Comparison": "_results", "Tuned": "_results", "Diagnosis": "_results", "Listing": "_results", "Learner": "_learner", "features": "_rolling", "FeatureStream": "_rolling", "RuleCheck": "_results", "Backtest": "_results"}
_WHERE |= CLASSES
_MODULES = ("sklearn", "metrics", "shap", "onnx", "spark")

__all__ = ["DataError", "ModelFormatError", "ParameterError", "ScarceError", "Unsupported", "__version__", *_WHERE]


def __getattr__(name: str) -> Any:
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    where = _WHERE.get(name)
    if where is None:
        raise AttributeError(f"module 'scarce' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{where}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_WHERE, *_MODULES])


if TYPE_CHECKING:
    from ._data import Table as Table
    from ._functions import compare as compare, doctor as doctor, evaluate as evaluate, evaluate_scores as evaluate_scores
    from ._functions import import_model as import_model, load as load, loads as loads, methods as methods, read as read
    from ._functions import distil as distil, resample as resample, resamplers as resamplers, rules_backtest as rules_backtest, rules_check as rules_check
    from ._functions import simulate as simulate, split as split
    from ._functions import split_latest as split_latest, train as train, tune as tune
    from ._learner import Learner as Learner
    from ._methods import *  # noqa: F403
    from ._model import Budget as Budget, Explanation as Explanation, Model as Model
    from ._results import Backtest as Backtest, RuleCheck as RuleCheck
    from ._results import Comparison as Comparison, Diagnosis as Diagnosis, Evaluation as Evaluation, Tuned as Tuned
    from ._rolling import FeatureStream as FeatureStream, features as features
    from ._samplers import *  # noqa: F403
    from ._talk import Progress as Progress, TrainingInterrupted as TrainingInterrupted
