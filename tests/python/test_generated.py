# SPDX-License-Identifier: Apache-2.0
"""The generated classes are current, complete, and typed."""

import inspect
import os
import shutil
import subprocess
import sys

import pytest

import scarce
from scarce import _core
from scarce._names import CLASSES, OF_METHOD

pytest.importorskip("sklearn")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def test_current():
    """What is installed is what the generator writes."""
    tool = os.path.join(ROOT, "tools", "python-classes")
    done = subprocess.run([sys.executable, tool, "--check", os.path.dirname(scarce.__file__)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_check_notices(tmp_path):
    """A changed file is noticed: the test above can fail."""
    folder = tmp_path / "scarce"
    shutil.copytree(os.path.dirname(scarce.__file__), folder, ignore=shutil.ignore_patterns("bin", "__pycache__"))
    with open(folder / "_methods.py", "a") as f:
        f.write("# more\n")
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "python-classes"), "--check", str(folder)], capture_output=True)
    assert done.returncode == 1


@pytest.mark.parametrize("method", [m["name"] for m in _core.methods()])
def test_parameters(method):
    """Every parameter is in signature and docstring; every default is one that the library takes."""
    from scarce._names import python_name

    cls = getattr(scarce, OF_METHOD[method])
    signature = inspect.signature(cls).parameters
    for p in {m["name"]: m for m in _core.methods()}[method]["params"]:
        name = python_name(p["name"])
        assert name in signature and f"\n    {name} : " in cls.__doc__, name
    assert cls()._set() == {}


def test_every_class_is_public():
    for name in CLASSES:
        assert name in dir(scarce) and getattr(scarce, name).__name__ == name


def test_aliases(numbers):
    x, y = numbers
    a = scarce.GBClassifier(num_leaves=5, reg_lambda=2, n_estimators=7).fit(x, y)
    b = scarce.GBClassifier(max_leaves=5, reg_lambda=2.0, n_trees=7).fit(x, y)
    assert a.model_.to_bytes() == b.model_.to_bytes()
    assert a.get_params()["max_leaves"] == 5
    a.set_params(num_leaves=3)
    assert a.max_leaves == 3
    with pytest.raises(TypeError, match="did you mean 'n_estimators'"):
        scarce.GBClassifier(n_estimator=3)
    with pytest.raises(TypeError, match="same parameter"):
        scarce.GBClassifier(n_trees=3, n_estimators=3)


def test_typed(tmp_path):
    """Type checkers see the parameters through the aliases' decorator, and the package passes strict checks."""
    pytest.importorskip("mypy")
    good = tmp_path / "good.py"
    good.write_text("import scarce\nm = scarce.GBClassifier(n_trees=5, growth='level')\n")
    bad = tmp_path / "bad.py"
    bad.write_text("import scarce\nm = scarce.GBClassifier(n_trees='many', growth='wide')\n")
    for file, errors in ((good, 0), (bad, 2)):
        done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), str(file)], capture_output=True, text=True)
        assert done.stdout.count("error:") == errors, done.stdout
