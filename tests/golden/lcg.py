# SPDX-License-Identifier: Apache-2.0
"""The tiny generator that golden scripts share with tests/unit/lcg.h, so that only results need be stored.

state <- state * 6364136223846793005 + 1442695040888963407 (mod 2^64); a draw is state >> 33 (31 bits).
Case c starts at state = c, and the first two draws are thrown away.
"""


class Lcg:
    def __init__(self, case):
        self.state = case
        self.draw()
        self.draw()

    def draw(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return self.state >> 33

    def below(self, n):
        return self.draw() % n
