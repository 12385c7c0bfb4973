# SPDX-License-Identifier: Apache-2.0
"""A drop-in for code that expects one of shap's explainers; the values are the library's own, exact for trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._model import Model

__all__ = ["Explainer"]


class Explainer:
    """Explainer(model)(X) is a shap.Explanation; .shap_values(X) the plain array; .expected_value the base."""

    def __init__(self, model: Any, background: Any = None) -> None:
        self.model: Model = getattr(model, "model_", model)
        self.background = background

    @property
    def expected_value(self) -> float:
        """What the score is when nothing is known of a row."""
        if self.background is None:
            return float(self.model._core.base())
        return self.model.contributions(self.background, background=self.background)[0]

    def shap_values(self, X: Any) -> np.ndarray[Any, Any]:
        """One contribution per row and feature."""
        return self.model.contributions(X, background=self.background)[1]

    def __call__(self, X: Any) -> Any:
        return self.model.explain(X, background=self.background)
