# SPDX-License-Identifier: Apache-2.0
"""The defaults that the study proposes, as a function of what is known before training (docs/defaults.md)."""


def proposed(rows, positives, features):
    return {}
