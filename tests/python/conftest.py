# SPDX-License-Identifier: Apache-2.0
"""Small made-up payments for all tests; the program built beside the package, where SCARCE_PROGRAM names it."""

import os

import numpy as np
import pytest

import scarce

ROLES = {"label": "label", "time": "time", "group": "card", "amount": "amount", "ignore": ["tx_id", "terminal", "label_time"]}


@pytest.fixture(scope="session")
def roles():
    return dict(ROLES)


@pytest.fixture(scope="session")
def payments():
    pytest.importorskip("pandas")
    return scarce.simulate("fraud", transactions=20_000)


@pytest.fixture(scope="session")
def model(payments, roles):
    return scarce.train(payments, **roles, n_trees=30, valid_fraction=0.2)


@pytest.fixture(scope="session")
def numbers():
    r = np.random.default_rng(3)
    x = r.normal(size=(600, 5))
    return x, (x[:, 0] + 0.5 * r.normal(size=600) > 1.6).astype(int)


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("SCARCE_PROGRAM") or os.path.join(os.path.dirname(scarce.__file__), "bin", "scarce")
    if not os.path.exists(path):
        pytest.skip("no program")
    return path
