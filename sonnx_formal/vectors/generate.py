"""Test vectors made: operands are constructed here, results come from the oracle."""

import random
from collections import Counter
from collections.abc import Iterator

from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.oracle.attributes import UNSET, Attributes
from sonnx_formal.oracle.frames import Reading
from sonnx_formal.vectors.arrays import Operands
from sonnx_formal.vectors.case import SONNX, Array, Case, CaseClass, Operator
from sonnx_formal.vectors.combinations import ALL_TYPES
from sonnx_formal.vectors.coverage import exercised
from sonnx_formal.vectors.elementwise import elementwise_operands
from sonnx_formal.vectors.examples import examples
from sonnx_formal.vectors.matrices import matrix_operands
from sonnx_formal.vectors.systems import system_operands


def generate(operator: Operator, element_type: str, seed: int, oracle: Oracle) -> Iterator[Case]:
    """The cases of an operator over an element type; the same ones for the same seed.

    :param element_type: one that `COMBINATIONS` has with the operator.
    :raises UserError: when the oracle gives no answer.
    """
    numbers: Counter[CaseClass] = Counter()
    for operands in _operands(operator, element_type, seed):
        case_class = operands.case_class
        numbers[case_class] += 1
        outcome = _outcome(oracle, operator, operands)
        yield Case(
            name=f"{operator}-{element_type}-{case_class}-{numbers[case_class]:04d}",
            operator=operator,
            element_type=element_type,
            case_class=case_class,
            requirements=exercised(operator, element_type, operands, outcome),
            a=operands.a,
            b=operands.b,
            outcome=outcome,
            attributes=operands.attributes,
        )


def _outcome(oracle: Oracle, operator: Operator, operands: Operands) -> Array | str:
    """The result or, of what is there to be rejected, the requirement that the oracle names."""
    if operands.case_class is not CaseClass.REJECTED:
        return result(oracle, operator, operands.a, operands.b, operands.attributes)
    try:
        result(oracle, operator, operands.a, operands.b, operands.attributes)
    except Inadmissible as error:
        return error.requirement
    shapes = f"{operands.a.shape} and {operands.b.shape}"
    raise ValueError(f"{operator} accepts {shapes} with {operands.attributes}")


def result(
    oracle: Oracle, operator: Operator, a: Array, b: Array, attributes: Attributes = UNSET
) -> Array:
    """What the formal definition gives. MatMul is asked for bfloat16, too, which no document has.

    :raises Inadmissible: when the operands violate a requirement.
    :raises UserError: when the oracle gives no answer.
    """
    reading: Reading | None = "unlisted" if operator is Operator.MATMUL else None
    return oracle.evaluate(operator.value, a, b, reading=reading, attributes=attributes)


def _operands(operator: Operator, element_type: str, seed: int) -> Iterator[Operands]:
    def chance(case_class: CaseClass) -> random.Random:
        return random.Random(f"{seed} {operator} {element_type} {case_class}")

    yield from examples(operator, element_type)
    if operator not in SONNX:
        part = ALL_TYPES.index(element_type)
        yield from system_operands(operator, element_type, part, chance)
    elif operator is Operator.MATMUL:
        yield from matrix_operands(element_type, chance)
    else:
        yield from elementwise_operands(operator, element_type, chance)
