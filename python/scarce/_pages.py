# SPDX-License-Identifier: Apache-2.0
"""Pages in notebooks. What is on them is the library's (pages.h): the program's --report shows the same."""

from __future__ import annotations

import sys


def in_frame(page: str) -> str:
    """A page inside a frame of its own: its styles and script can't touch the notebook."""
    height = "this.style.height=(this.contentWindow.document.documentElement.scrollHeight+8)+'px'"
    quoted = page.replace("&", "&amp;").replace("'", "&#39;")  # pages quote with ", so this adds next to nothing
    return f"<iframe srcdoc='{quoted}' style=\"width:100%;height:420px;border:0\" onload=\"{height}\"></iframe>"


def in_notebook() -> bool:
    """Whether results are shown by a notebook; IPython is never imported for it."""
    return "ipykernel" in sys.modules and "IPython" in sys.modules
