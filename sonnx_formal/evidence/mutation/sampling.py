"""Which mutants of a folder are tried where there are many, and what their score says of all."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from math import sqrt

from sonnx_formal.evidence.mutation.mutants import Mutant

SEED = 15
SIZE = 300
_Z = 1.959964  # of a normal distribution, 95 % lie within so many standard deviations


def folder(file: str) -> str:
    return file.partition("/")[0]


def sample(found: Sequence[Mutant], size: int) -> list[Mutant]:
    """So many of the mutants: of each file one at least, and of each file and kind of edit its
    share, those with the smallest hashes.

    A share is rounded up or down at random, so that kinds with few mutants are drawn, too. Where
    another file changes, few mutants come or go.
    """
    strata: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in in_random_order(found):
        strata[f"{mutant.file} {mutant.kind}"].append(mutant)
    turns = {
        mutant.id: (rank + _random(name)) / len(stratum)
        for name, stratum in strata.items()
        for rank, mutant in enumerate(stratum)
    }
    order = sorted(found, key=lambda mutant: turns[mutant.id])
    first = {mutant.file: mutant.id for mutant in reversed(order)}
    return sorted(order, key=lambda mutant: mutant.id != first[mutant.file])[:size]


def in_random_order(found: Iterable[Mutant]) -> list[Mutant]:
    """Always the same order, of which every beginning is a sample."""
    return sorted(found, key=lambda mutant: _random(mutant.id))


def by_turns(found: Iterable[Mutant]) -> Iterator[Mutant]:
    """One of each folder after the other."""
    folders: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in in_random_order(found):
        folders[folder(mutant.file)].append(mutant)
    return (mutant for mutant in chain(*zip_longest(*folders.values())) if mutant)


def wilson(hits: int, tries: int) -> tuple[float, float]:
    """The 95 % confidence interval of Wilson for a share of which these are a sample."""
    share, spread = hits / tries, _Z**2 / tries
    middle = share + spread / 2
    half = sqrt(spread * (share * (1 - share) + spread / 4))
    low, high = ((middle + sign * half) / (1 + spread) for sign in (-1, 1))
    return round(max(low, 0), 4), round(min(high, 1), 4)


def _random(name: str) -> float:
    """From 0 to 1, by the seed and a name."""
    digest = hashlib.sha256(f"{SEED} {name}".encode()).digest()
    return int.from_bytes(digest[:7]) / 256**7
