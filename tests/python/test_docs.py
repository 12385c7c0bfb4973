# SPDX-License-Identifier: Apache-2.0
"""Docstrings and the blocks of docs/python.md do what they say."""

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


def test_page(tmp_path, monkeypatch):
    for library in ("pandas", "polars", "sklearn", "shap", "onnxruntime", "imblearn"):
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    text = open(os.path.join(ROOT, "docs", "python.md")).read()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) > 8
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", "docs/python.md", 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test)
    assert runner.summarize().failed == 0
