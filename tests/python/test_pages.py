# SPDX-License-Identifier: Apache-2.0
"""Pages: the same as the program's, small enough for a notebook cell, made again after pickling."""

import html
import pickle
import re
import subprocess
import sys

import pytest

import scarce

SIZE = 100_000


def body(page):
    """A page without what names files, models, counts seconds, or speaks of options."""
    page = re.sub(r'<p class="sub">.*?</p>', "", page)
    page = re.sub(r"<dt>(model|protocol)</dt><dd>.*?</dd>\n", "", page)
    return re.sub(r"--([a-z][a-z-]*)", lambda m: m[1].replace("-", "_") + "=", page.partition("<body>")[2].partition("<script>")[0])


@pytest.fixture(scope="module")
def files(tmp_path_factory, payments, model):
    folder = tmp_path_factory.mktemp("pages")
    payments.to_csv(folder / "pay.csv", index=False)
    model.save(folder / "m.scarce")
    return folder


def report(program, folder, *args):
    out = folder / "page.html"
    done = subprocess.run([program, *map(str, args), "--report", str(out)], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return out.read_text()


def test_same_as_the_programs(program, files, roles, payments, model):
    data = [files / "pay.csv", "--label", "label", "--time", "time", "--group", "card", "--amount", "amount", "--ignore", "tx_id,terminal,label_time"]
    theirs = report(program, files, "eval", files / "m.scarce", files / "pay.csv", "--cost", "5", "--k", "100")
    ours = model.evaluate(str(files / "pay.csv"), k=100, cost=5)._page()
    assert body(ours) == body(theirs)
    assert body(scarce.doctor(str(files / "pay.csv"), **roles)._page()) == body(report(program, files, "doctor", *data))
    trained = scarce.train(str(files / "pay.csv"), **roles, n_trees=8, valid_fraction=0.2, report=files / "t.html")
    theirs = report(program, files, "train", *data, "--n-trees", "8", "--valid-fraction", "0.2", "-o", files / "m2.scarce")
    seconds = re.compile(r"<b>Seconds</b>.*?</figure>", re.S)
    assert seconds.sub("", body((files / "t.html").read_text())) == seconds.sub("", body(theirs))
    assert trained._page() == (files / "t.html").read_text()


def test_sizes_and_forms(payments, roles, model):
    data = payments[["amount", "hour", "seen", "label"]]
    results = [model, scarce.loads(model.to_bytes()), model.evaluate(payments, k=100, cost=5), scarce.doctor(payments, **roles),
               scarce.compare(data, ["gb:n_trees=3", "logistic", "focal:n_trees=3"], label="label", repeats=3),
               scarce.tune(data, "gb:n_trees=3", label="label", trials=2, repeats=1),
               scarce.evaluate_scores(payments["label"], model.score(payments))]
    for r in results:
        shown = r._repr_html_()
        assert shown.startswith("<iframe srcdoc='") and len(shown.encode()) <= SIZE, type(r)
        inside = html.unescape(re.match(r"<iframe srcdoc='([^']*)'", shown)[1])
        assert inside == r._page() and inside.endswith("</html>\n")
        assert "--" not in re.sub(r"<(style|script)>.*?</\1>|<!--.*?-->", "", inside, flags=re.S), type(r)


def test_pickled(payments, model, roles):
    e = model.evaluate(payments, k=50)
    again = pickle.loads(pickle.dumps(e))
    assert again.to_dict() == e.to_dict() and "Precision and recall" in again._page()
    assert "what raised the score" in e._page() and "what raised the score" not in again._page()
    assert pickle.loads(pickle.dumps(model))._page() == model._page()


def test_no_positives_and_few_rows(payments, model):
    none = payments[payments["label"] == 0].head(50)
    assert "There are no positives" in model.evaluate(none)._page()
    assert "Precision" in scarce.evaluate_scores([0, 1, 0], [0.1, 0.1, 0.1])._page()


def test_verdicts(payments):
    data = payments[["amount", "hour", "seen", "label"]]
    c = scarce.compare(data, ["gb:n_trees=3", "logistic"], label="label", repeats=3)
    (pair,) = c.verdicts()
    assert {pair["a"], pair["b"]} == set(c.names) and pair["difference"] == c.pair(0, 1)["difference"] and "few folds" in pair["verdict"]
    cheap = scarce.compare(data, ["gb:n_trees=3", "logistic"], label="label", repeats=3, metric="brier")
    means = {r["name"]: r["mean"] for r in cheap.summary()}
    assert cheap.best == min(means, key=means.get)


NOTEBOOK = """
import sys, types
# what a notebook's kernel looks like to a library: both modules are there, display() gives a handle
shown = []
class Handle:
    def update(self, data, raw): shown.append(data["text/plain"])
def display(data, raw, display_id):
    shown.append(data["text/plain"])
    return Handle()
ipython = types.ModuleType("IPython"); ipython.display = types.ModuleType("IPython.display"); ipython.display.display = display
sys.modules.update({"ipykernel": types.ModuleType("ipykernel"), "IPython": ipython, "IPython.display": ipython.display})
import numpy as np, scarce
x = np.random.default_rng(0).normal(size=(40_000, 20)); y = x[:, 0] + x[:, 1] > 3
m = scarce.train(x, label=y, n_trees=300, progress=True, threads=1, valid_fraction=0.2)
assert m._made and "Validation rows" in m._made
assert shown and any("trees" in s or "train" in s for s in shown), shown
print(len(shown), shown[-1])
"""


def test_in_a_notebook():
    done = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""  # the line goes to the cell's display, not to stderr
