"""Integers at which machine arithmetic is likely to go wrong."""

import random
from dataclasses import dataclass

Pair = tuple[int, int]


@dataclass(frozen=True)
class IntegerRange:
    """The numbers of an integer type."""

    bits: int
    signed: bool

    @property
    def least(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def greatest(self) -> int:
        return (1 << (self.bits - self.signed)) - 1

    def __contains__(self, number: int) -> bool:
        return self.least <= number <= self.greatest

    def boundaries(self) -> list[int]:
        """The ends of the range, and what lies about zero and about the root of its size."""
        root = 1 << (self.bits // 2)
        about = [0, root, -root, root >> 1, self.least, self.greatest]
        near = {number + offset for number in about for offset in (-1, 0, 1)}
        return sorted(number for number in {*near, 2, -2, 3, -3} if number in self)

    def any_number(self, chance: random.Random) -> int:
        """A number of any length: small ones are as likely as great ones."""
        magnitude = chance.getrandbits(chance.randint(1, self.bits))
        number = -magnitude if self.signed and chance.getrandbits(1) else magnitude
        return number if number in self else self.least + magnitude % (1 << (self.bits - 1))

    def divides(self, a: int, b: int) -> bool:
        """Whether a / b is a number of the type: not by zero, nor the least number by -1."""
        return b != 0 and -a // -b in self and not (self.signed and (a, b) == (self.least, -1))


def integer_range(element_type: str) -> IntegerRange | None:
    """The range of an integer type, as `uint8`; None for other types."""
    name = element_type.removeprefix("u")
    if not name.startswith("int"):
        return None
    return IntegerRange(int(name.removeprefix("int")), signed=name == element_type)
