"""Real numbers, as fractions, for test vectors."""

import random
from fractions import Fraction

BOUNDARIES = [
    *(Fraction(n) for n in (0, 1, -1, 2, -2)),
    *(Fraction(1, d) for d in (2, -3, 7)),
    Fraction(2**64),
    Fraction(-1, 2**64),
    Fraction(10**40 + 1, 10**40),
    Fraction(2**1100 + 1, 3**700),
]
"""Units, and numbers beyond every machine type in size or in precision."""


def any_fraction(chance: random.Random) -> Fraction:
    """A fraction with numerator and denominator of up to 80 binary digits; seldom zero."""
    numerator = chance.getrandbits(chance.randint(1, 80))
    denominator = 1 + chance.getrandbits(chance.randint(1, 80))
    return Fraction(-numerator if chance.getrandbits(1) else numerator, denominator)
