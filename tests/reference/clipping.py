"""What Clip has to give over integers of 8 bits, in plain Python."""

from collections.abc import Iterator


def all_bounds(low: int, high: int) -> Iterator[tuple[int, int]]:
    """Each pair of bounds of a type with these limits, crossed ones among them."""
    numbers = range(low, high + 1)
    return ((l, m) for l in numbers for m in numbers)  # noqa: E741


def clipped(low: int, high: int, l: int, m: int) -> list[int]:  # noqa: E741
    """What comes of all numbers from the least to the greatest, in order.

    Those below L become L, those above M become M, and where the bounds are crossed all become M.
    """
    if l > m:
        return [m] * (high - low + 1)
    return [l] * (l - low) + [*range(l, m + 1)] + [m] * (high - m)
