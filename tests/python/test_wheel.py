# SPDX-License-Identifier: Apache-2.0
"""The wheel, where SCARCE_WHEEL names it: stable ABI, size, what it needs."""

import glob
import os
import subprocess
import sys
import zipfile

import pytest

import scarce


@pytest.fixture(scope="module")
def wheel():
    path = os.environ.get("SCARCE_WHEEL")
    if not path:
        pytest.skip("SCARCE_WHEEL is not set")
    return path


def test_size_and_content(wheel):
    assert "-cp311-abi3-" in wheel and os.path.getsize(wheel) < 2_000_000
    names = zipfile.ZipFile(wheel).namelist()
    for needed in ("scarce/_core.abi3.so", "scarce/libscarce_package.so", "scarce/bin/scarce", "scarce/py.typed", "scarce/_methods.py", "scarce/_core.pyi"):
        assert needed in names, needed
    assert not [n for n in names if n.startswith(("scarce/src", "tests", "bench"))]


def test_stable_abi(wheel):
    pytest.importorskip("abi3audit")
    done = subprocess.run([sys.executable, "-m", "abi3audit", "--strict", wheel], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def parts():
    """The extension and the library beside it, which the program uses too."""
    folder = os.path.dirname(scarce.__file__)
    return [*glob.glob(os.path.join(folder, "_core*.so")), os.path.join(folder, "libscarce_package.so")]


def told(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        pytest.skip(f"no {command[0]}")


def test_needs_little():
    for part in [*parts(), os.path.join(os.path.dirname(scarce.__file__), "bin", "scarce")]:
        out = told("readelf", "-d", part)
        needed = {line.split("[")[1].split("]")[0].split(".so")[0] for line in out.splitlines() if "NEEDED" in line}
        assert needed <= {"libscarce_package", "libc", "libm", "libz", "libpthread", "ld-linux-x86-64", "ld-linux-aarch64"}, needed


def test_only_what_is_public_is_visible():
    core, library = parts()
    names = [line.split()[-1] for line in told("nm", "-D", "--defined-only", core).splitlines()]
    assert names == ["PyInit__core"]
    names = [line.split()[-1] for line in told("nm", "-D", "--defined-only", library).splitlines()]
    assert len(names) > 100 and not [n for n in names if not n.startswith("scarce_")]
