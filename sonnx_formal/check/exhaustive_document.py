"""The JSON documents of `sonnx-formal exhaustive`: findings, and what a later run takes over."""

from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import UNSET, Meta

from sonnx_formal.check.agreement import AGREEMENTS, Agreement, size
from sonnx_formal.core.documents import Count, Document, Part, Seconds, Sha256
from sonnx_formal.oracle.notation import bits_text, element_text
from sonnx_formal.prover.provenance import MadeDocument
from sonnx_formal.spec.element_types import BY_NAME, ElementType

PATTERNS = 1 << 16
"""Those that an operand of 16 bits may have."""
LEFT = 64
"""Of a block, the left operands; each goes with all right ones."""
BLOCK = LEFT * PATTERNS
"""Pairs of a block: as many elements as an answer of a backend may have."""
BLOCKS = PATTERNS // LEFT
NOT_OFFERED = "it does not implement the operator for this type"
"""Why no block is judged of what an implementation does not have at all."""


class FloatText(Part, frozen=True):
    """A float as text."""

    decimal: str
    """Its exact value; of more than 17 decimal digits in hexadecimal."""
    bits: Annotated[str, Meta(pattern="^0x[0-9a-f]{4}$")]

    @staticmethod
    def of(pattern: int, type_: ElementType) -> "FloatText":
        return FloatText(element_text(pattern, type_), bits_text(pattern, type_))

    @property
    def pattern(self) -> int:
        return int(self.bits, 16)


class PairExample(Part, frozen=True):
    """Two operands, the right result, and the one that there was."""

    a: FloatText
    b: FloatText
    expected: FloatText
    got: FloatText


class PairClass(Part, frozen=True):
    """All pairs of operands whose results compare alike with the right ones."""

    agreement: Agreement
    pairs: Count
    smallest: PairExample | None
    """The smallest of them, as `agreement.size` has it; None where all bits are the same."""


class UnjudgedBlocks(Part, frozen=True):
    """Blocks of which there are no results to look at."""

    reason: str
    blocks: Count
    first: Count
    """The number of the first of these."""


class SweepKey(Part, frozen=True, kw_only=True):
    """All that the findings on an operator over a type depend on."""

    backend: str
    version: str
    """That the backend gives itself; empty where it gives none."""
    operator: str
    element_type: str
    libsonnx_sha256: Sha256
    """Of the shared library, which has the right results."""
    program_sha256: Sha256
    """Of the names and texts of the modules that have a part in it."""
    packages: dict[str, str]
    """The versions of those that compute with 16-bit floats in Python."""

    @property
    def type(self) -> ElementType:
        return BY_NAME[self.element_type]


class SweepState(Document, frozen=True, tag="sonnx-formal/exhaustive-state/1"):
    """What is known of an operator over a type so far."""

    command = "exhaustive"

    key: SweepKey
    judged: tuple[tuple[Count, Count], ...] = ()
    """The blocks, by their numbers: ranges with the first and behind the last, in their order."""
    classes: tuple[PairClass, ...] = ()

    @property
    def blocks(self) -> frozenset[int]:
        """The numbers of the blocks that were judged."""
        return frozenset(number for first, end in self.judged for number in range(first, end))

    def with_block(self, number: int, classes: Sequence[PairClass]) -> "SweepState":
        """With the findings on one more block."""
        judged = _ranges(self.blocks | {number})
        return SweepState(self.key, judged, _merged([*self.classes, *classes], self.key.type))

    @property
    def is_sound(self) -> bool:
        """Whether as many pairs have a class as the blocks have."""
        judged = self.blocks
        return (
            _ranges(judged) == self.judged
            and judged <= frozenset(range(BLOCKS))
            and sum(each.pairs for each in self.classes) == len(judged) * BLOCK
        )


def _ranges(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number:
            found[-1] = found[-1][0], number + 1
        else:
            found.append((number, number + 1))
    return tuple(found)


def _merged(classes: Sequence[PairClass], type_: ElementType) -> tuple[PairClass, ...]:
    """A class of each agreement that there is, in the order of these."""

    def of(example: PairExample) -> int:
        return size(example.a.pattern, example.b.pattern, type_.format)

    found = []
    for agreement in AGREEMENTS:
        alike = [each for each in classes if each.agreement is agreement]
        if alike:
            examples = (each.smallest for each in alike if each.smallest is not None)
            pairs = sum(each.pairs for each in alike)
            found.append(PairClass(agreement, pairs, min(examples, key=of, default=None)))
    return tuple(found)


class Sweep(Part, frozen=True):
    """An operator over a type: what an implementation gives for the pairs of all blocks."""

    key: SweepKey
    ours: bool
    """Whether it is the implementation that comes with this project."""
    blocks: Count
    """Those that were asked for."""
    judged: Count
    from_state: Count
    """Of the judged blocks, those of earlier runs."""
    classes: tuple[PairClass, ...]
    """Of the pairs of the judged blocks."""
    not_judged: tuple[UnjudgedBlocks, ...]
    """Blocks that were tried in vain; what there was no time for is neither here nor there."""
    seconds: Seconds = UNSET
    """Of this run."""

    def pairs(self, agreement: Agreement) -> int:
        return sum(each.pairs for each in self.classes if each.agreement is agreement)

    @property
    def judged_pairs(self) -> int:
        return self.judged * BLOCK

    @property
    def same(self) -> int:
        """The pairs whose results have the right bits."""
        return self.pairs(Agreement.SAME)

    @property
    def other_nan(self) -> int:
        """The pairs whose results are another NaN, which is as good."""
        return self.pairs(Agreement.OTHER_NAN)

    @property
    def wrong(self) -> int:
        """The pairs whose results are wrong."""
        return sum(each.pairs for each in self.diverging)

    @property
    def is_offered(self) -> bool:
        """Whether the implementation has the operator over the type."""
        return all(each.reason != NOT_OFFERED for each in self.not_judged)

    @property
    def diverging(self) -> tuple[PairClass, ...]:
        """The classes that are wrong."""
        return tuple(each for each in self.classes if not each.agreement.passes)

    @property
    def passes(self) -> bool:
        """Whether all blocks were judged, and no pair has a wrong result."""
        return self.judged == self.blocks and not self.diverging


class ExhaustiveReport(MadeDocument, frozen=True, tag="sonnx-formal/exhaustive/3"):
    """Implementations against the soft kernels: the output of `sonnx-formal exhaustive --json`."""

    command = "exhaustive --json PATH"

    sweeps: tuple[Sweep, ...]
    interrupted: bool

    @property
    def passes(self) -> bool:
        return not self.interrupted and all(sweep.passes for sweep in self.sweeps)
