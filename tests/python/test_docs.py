# SPDX-License-Identifier: Apache-2.0
"""Docstrings and the blocks of docs/python.md and docs/tutorial.md do what they say."""

import doctest
import os
import re

import pytest

import scarce
import scarce._functions
import scarce._model
import scarce.metrics

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("module", [scarce, scarce._functions, scarce._model, scarce.metrics])
def test_docstrings(module):
    result = doctest.testmod(module, optionflags=FLAGS)
    assert result.attempted > 0 and result.failed == 0


@pytest.mark.parametrize("page, least", [("python.md", 8), ("tutorial.md", 10)])
def test_page(page, least, tmp_path, monkeypatch):
    for library in ("pandas", "polars", "sklearn", "shap", "onnxruntime", "imblearn"):
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    with open(os.path.join(ROOT, "docs", page)) as f:
        blocks = re.findall(r"```python\n(.*?)```", f.read(), re.S)
    assert len(blocks) >= least
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, f"docs/{page}", f"docs/{page}", 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test)
    assert runner.summarize().failed == 0
