"""What is shown of a test vector: operands and result in decimal and bits, and the verdicts."""

from collections.abc import Iterator

import numpy as np

from sonnx_formal.check.document import MatrixRow, NamedTensor, Verdict
from sonnx_formal.check.smallest import exactly
from sonnx_formal.vectors.manifest import EXPECTED, Case

CASES = "cases"


def page_of_cases(file: str) -> str:
    """Where the page is of a file of test vectors: `cases/mul-int8.html` of `mul-int8.npz`."""
    return f"{CASES}/{file.removesuffix('.npz')}.html"


def tensors(case: Case, index: tuple[int, ...] | None = None) -> Iterator[NamedTensor]:
    """The operands of a case and its result, if it has one; of each, one element if so asked."""
    arrays = [(name, array) for name, _, array in case.call.bound() if array is not None]
    if not case.violated:
        arrays.append((EXPECTED, case.expected))
    for name, array in arrays:
        shown = array if index is None else np.asarray(array[index])
        yield NamedTensor(*exactly(shown), name)


def was_asked(row: MatrixRow) -> bool:
    """Whether an implementation offers the operator over the types."""
    return row.counts.get(Verdict.NOT_SUPPORTED, 0) < sum(row.counts.values())


def verdict_on(case: str, row: MatrixRow) -> str:
    """What an implementation makes of a case, as far as the cross-check says it by name."""
    if (verdict := row.not_passed.get(case)) is not None:
        return verdict
    passes = (Verdict.PASS, Verdict.WITHIN_BOUND)
    possible = passes if was_asked(row) else (Verdict.NOT_SUPPORTED,)
    return " or ".join(verdict for verdict in possible if row.counts.get(verdict))
