"""Where the result is not defined: what that asks of the elements of constants."""

from collections.abc import Iterator
from typing import assert_never

import numpy as np

from sonnx_formal.lint.finding import LintVerdict, NodeFinding
from sonnx_formal.lint.profile import Application, undecided, violates
from sonnx_formal.spec.operator import Arithmetic, Domain


def findings(at: Application) -> Iterator[NodeFinding]:
    """Of operands of one listed type; over other types, nothing is computed."""
    domain = at.operator.definition.domain
    if domain is None:
        return
    match at.operator.arithmetic:
        case Arithmetic.QUOTIENT:
            yield from _divisor(at, domain)
        case (
            Arithmetic.PRODUCT
            | Arithmetic.SUM
            | Arithmetic.DIFFERENCE
            | Arithmetic.SUM_OF_PRODUCTS
            | Arithmetic.OTHER
        ):
            type_ = at.type_of(at.operator.inputs[0])
            empty = any(operand.shape and 0 in operand.shape for _, _, operand in at.operands)
            if not empty and (type_ is None or type_.family in domain.families):
                yield undecided(
                    f"{at.document}.{domain.item}",
                    f"whether {domain.broken} depends on elements: {at}",
                    "A proof about what computes them",
                )
        case _:
            assert_never(at.operator.arithmetic)


def _divisor(at: Application, domain: Domain) -> Iterator[NodeFinding]:
    _, port, divisor = at.operands[1]
    type_ = at.type_of(port)
    if type_ is None:
        return
    never = type_.family in domain.families
    elements = divisor.constant() if divisor.constant is not None else None
    if elements is None:
        if never and not (divisor.shape and 0 in divisor.shape):
            yield undecided(
                f"{at.document}.{domain.item}",
                f"the divisor {divisor.name} is {divisor}, and its elements are known only when"
                " the model runs",
                "A constant divisor without a zero, or a proof about what computes it",
            )
        return
    # ml_dtypes has no nonzero() for some types; == works for all.
    zeros = np.argwhere(np.atleast_1d(np.asarray(elements == 0)))
    if not zeros.size:
        return
    count = "one index" if len(zeros) == 1 else f"{len(zeros)} indices"
    place = tuple(map(int, zeros[0]))[: elements.ndim]
    found = f"the constant divisor {divisor.name} is zero at {count}, the first {place}"
    if never:
        yield violates(
            f"{at.document}.{domain.item}",
            found,
            "Leave these out, or divide floating-point numbers",
        )
    elif domain.elsewhere:
        yield NodeFinding(
            f"{at.document}.{domain.elsewhere}",
            LintVerdict.CONFORMS,
            f"{found}: the quotient there is an infinity or, of zero or NaN, NaN",
            "Nothing has to be repaired; make sure that it is meant",
        )
