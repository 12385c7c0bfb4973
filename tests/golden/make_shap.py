#!/usr/bin/env python3
"""Writes the golden files of test_explain_shap: what XGBoost's pred_contribs says of the models of make_import.py.

Needs numpy and xgboost (made with 3.x). Run inside tests/golden, after make_import.py:
    python3 make_shap.py
shap_<model>.txt has a line for each row of import_rows.txt: a contribution per feature, then the base."""
import numpy as np
import xgboost as xgb

FEATURES, CATEGORY = 6, 5
rows = np.loadtxt("import_rows.txt", dtype=np.float32)
for name, categories in [("xgb_binary", False), ("xgb_cat", True), ("xgb_onehot", True), ("xgb_reg", False)]:
    model = xgb.Booster(model_file=f"import_{name}.json")
    types = ["c" if f == CATEGORY else "float" for f in range(FEATURES)] if categories else None
    data = xgb.DMatrix(rows, feature_names=model.feature_names, feature_types=types, enable_categorical=categories)
    np.savetxt(f"shap_{name}.txt", model.predict(data, pred_contribs=True), fmt="%.9g")
