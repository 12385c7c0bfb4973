# SPDX-License-Identifier: Apache-2.0
"""`python -m scarce` and the command `scarce`: the program itself, which the package brings along."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Becomes the program."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "scarce")
    if not os.path.exists(program):
        sys.stderr.write("scarce: this installation has no program in it\n")
        return 1
    os.execv(program, ["scarce", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
