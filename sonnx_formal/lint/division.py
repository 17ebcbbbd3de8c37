"""What SONNX Div asks of a divisor: C2, and R5 where the type has an infinity."""

from collections.abc import Iterator

import numpy as np

from sonnx_formal.lint.finding import Finding, Verdict
from sonnx_formal.lint.nodes import Node
from sonnx_formal.lint.operand import Array
from sonnx_formal.lint.profile import operands, undecided, violates
from sonnx_formal.spec.element_types import FLOATS, INTEGERS

_INTEGERS = {one.name for one in INTEGERS}
_FLOATS = {one.name for one in FLOATS}


def findings(node: Node) -> Iterator[Finding]:
    """Of the divisor of a node; nothing where there are two element types, so that none divides."""
    a, b = operands(node)
    if a.element_type != b.element_type:
        return
    elements = b.constant() if b.constant is not None else None
    if elements is not None:
        yield from _constant(b.element_type, b.name, elements)
    elif b.element_type in _INTEGERS and not (b.shape and 0 in b.shape):
        yield undecided(
            "SONNX-DIV.C2",
            f"the divisor {b.name} is {b}, and its elements are known only when the model runs",
            "A constant divisor without a zero, or a proof about what computes it",
        )


def _constant(element_type: str | None, name: str, elements: Array) -> Iterator[Finding]:
    # ml_dtypes has no nonzero() for some types; == works for all.
    zeros = np.argwhere(np.atleast_1d(np.asarray(elements == 0)))
    if not zeros.size:
        return
    place = tuple(map(int, zeros[0]))[: elements.ndim]
    found = f"the constant divisor {name} is zero at {_indices(len(zeros))}, the first {place}"
    if element_type in _INTEGERS:
        yield violates("SONNX-DIV.C2", found, "Leave these out, or divide floating-point numbers")
    elif element_type in _FLOATS:
        yield Finding(
            "SONNX-DIV.R5",
            Verdict.CONFORMS,
            f"{found}: the quotient there is an infinity or, of zero or NaN, NaN",
            "Nothing has to be repaired; make sure that it is meant",
        )


def _indices(count: int) -> str:
    return "one index" if count == 1 else f"{count} indices"
