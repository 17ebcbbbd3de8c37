"""What libsonnx computes by other compilers and on other processors: what `make machines` says."""

from collections import Counter
from enum import StrEnum
from itertools import takewhile
from typing import Annotated

from msgspec import UNSET, Meta

from sonnx_formal.core.documents import Count, Part, Seconds, Sha256, Words
from sonnx_formal.core.texts import counted
from sonnx_formal.prover.provenance import MadeDocument

CONTRACTION = 1
"""The bit by which `sonnx_platform_check` says that sums are contracted."""
Some = Annotated[int, Meta(ge=1)]
"""How many there are, where none would show nothing."""


class OnLibsonnx(MadeDocument, frozen=True, kw_only=True):
    """What is said of libsonnx, and may come to be of another one."""

    program = "make"

    sonnx_c_sha256: Sha256
    """Of the text that was compiled."""


class TargetVerdict(StrEnum):
    """What became of a target, in words."""

    RIGHT = "as it should be"
    CONTRACTION_FOUND = "contraction is found"
    NOT_CONTRACTED = "nothing is contracted"
    WRONG = "WRONG"
    NO_ANSWERS = "no answers"

    @property
    def passes(self) -> bool:
        return self not in {TargetVerdict.WRONG, TargetVerdict.NO_ANSWERS}


class TargetResult(Part, frozen=True, kw_only=True):
    """What libsonnx did on a target."""

    contracts: bool
    """Whether the compiler is told to contract: then the check of the platform has to say so, and
    only native floats may be wrong; or nothing is."""
    failure: Words | None = None
    """Why it gave no answers."""
    compiled: bool = True
    platform: Count = 0
    """What `sonnx_platform_check` says."""
    native_differing: Count = 0
    """Answers of kernels over C's own floats that are not those of the definitions."""
    other_differing: Count = 0
    """Those of all other kernels."""
    stack: Count = 0
    """The bytes of stack of the function that takes most, but for the check of the platform; 0 if
    the compiler does not say."""
    seconds: Seconds = UNSET

    def __post_init__(self) -> None:
        if not self.compiled and self.failure is None:
            raise ValueError("what does not compile has a failure")

    @property
    def differing(self) -> int:
        return self.native_differing + self.other_differing

    @property
    def verdict(self) -> TargetVerdict:
        if self.failure is not None:
            return TargetVerdict.NO_ANSWERS
        if self.contracts and self.platform == CONTRACTION and not self.other_differing:
            return TargetVerdict.CONTRACTION_FOUND
        if self.platform or self.differing:
            return TargetVerdict.WRONG
        return TargetVerdict.NOT_CONTRACTED if self.contracts else TargetVerdict.RIGHT

    @property
    def said(self) -> str:
        """The verdict, and what it is about."""
        if self.failure is not None:
            return self.failure
        if self.verdict is not TargetVerdict.WRONG:
            return self.verdict
        differ = counted(self.differing, "result differs", "results differ")
        return f"{differ}, sonnx_platform_check() is {self.platform}"


class TargetRun(Part, frozen=True, kw_only=True):
    """A compiler with options, what runs its programs, and what came of it."""

    name: Words
    compiler: Words
    """As it names itself, with its version."""
    options: tuple[str, ...]
    emulator: Words | None
    """Likewise; None where the processor is that of this machine."""
    result: TargetResult


class TargetRuns(OnLibsonnx, frozen=True, kw_only=True, tag="sonnx-formal/targets/2"):
    """libsonnx against the definitions, on each target."""

    command = 'machines ARGS="--json PATH"'

    architecture: Words
    """Of this machine's processor."""
    seed: int
    questions: Some
    """Test vectors, and all pairs of integers of 8 bits; into C and into A."""
    functions: Some
    """Of the library, that were asked."""
    targets: Annotated[tuple[TargetRun, ...], Meta(min_length=1)]
    left_out: tuple[Words, ...]
    """Targets that were not asked for."""

    @property
    def shared_options(self) -> tuple[str, ...]:
        """Those with which the options of every target begin."""
        each_place = zip(*(each.options for each in self.targets), strict=False)
        return tuple(first for first, *_ in takewhile(lambda here: len({*here}) == 1, each_place))

    def __post_init__(self) -> None:
        names = Counter((*(each.name for each in self.targets), *self.left_out))
        if twice := [name for name, number in names.items() if number > 1]:
            raise ValueError(f"{twice[0]} is there twice")
        for each in self.targets:
            if each.result.differing > self.questions:
                raise ValueError(f"{each.name}: more results differ than were asked for")
