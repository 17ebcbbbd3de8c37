"""Test vectors made: operands are constructed here, results come from the oracle."""

from collections import Counter
from collections.abc import Iterator

from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Instance, Operator, ShapeRule
from sonnx_formal.vectors.broadcast import Broadcast
from sonnx_formal.vectors.case import Case, CaseClass, call_of
from sonnx_formal.vectors.coverage import exercised
from sonnx_formal.vectors.matrices import Matrices
from sonnx_formal.vectors.operands import CaseOperands, WrongDeclarationError, with_attributes
from sonnx_formal.vectors.same_shape import OneShape
from sonnx_formal.vectors.written import arranged_operands, examples


def generate(instance: Instance, seed: int, oracle: Oracle) -> Iterator[Case]:
    """The cases of an operator over element types; the same ones for the same seed.

    :raises UserError: when the oracle gives no answer, or the declaration does not fit it.
    """
    numbers: Counter[CaseClass] = Counter()
    for operands in all_operands(instance, seed):
        case_class = operands.case_class
        numbers[case_class] += 1
        call = call_of(instance, operands.arrays, operands.attributes)
        outcome = _outcome(oracle, call, case_class)
        yield Case(
            name=f"{instance.name}-{case_class}-{numbers[case_class]:04d}",
            instance=instance,
            call=call,
            case_class=case_class,
            requirements=exercised(instance, call, outcome, operands.items),
            outcome=outcome,
        )


def all_operands(instance: Instance, seed: int) -> Iterator[CaseOperands]:
    """The operands of all cases.

    :raises WrongDeclarationError: when no rule says what they are.
    """
    operator = instance.operator
    yield from examples(instance)
    match operator.shape_rule:
        case ShapeRule.SAME:
            yield from with_attributes(_attributes(operator), OneShape(instance, seed).all())
        case ShapeRule.MULTIDIRECTIONAL:
            broadcast = Broadcast(instance, seed).multidirectional()
            yield from with_attributes(_attributes(operator), broadcast)
        case ShapeRule.UNIDIRECTIONAL:
            yield from Broadcast(instance, seed).unidirectional()
        case ShapeRule.BY_ATTRIBUTE:
            yield from Broadcast(instance, seed).by_attribute()
        case ShapeRule.MATRIX_PRODUCT:
            yield from with_attributes(_attributes(operator), Matrices(instance, seed).all())
        case ShapeRule.OWN:
            if not operator.arrangements:
                raise WrongDeclarationError(operator, "its own shape rule needs `arrangements`")
    yield from arranged_operands(instance, seed)


def _attributes(operator: Operator) -> Attributes:
    """What each node has to set, as in the first arrangement."""
    if not any(attribute.required for attribute in operator.attributes):
        return UNSET
    if not operator.arrangements:
        raise WrongDeclarationError(operator, "required attributes need `arrangements`")
    return operator.arrangements[0].attributes


def _outcome(oracle: Oracle, call: Call, case_class: CaseClass) -> Array | str:
    """The result or, of what is there to be rejected, the requirement that the oracle names."""
    try:
        result = oracle.evaluate(call)
    except Inadmissible as error:
        if case_class is CaseClass.REJECTED:
            return error.requirement
        raise WrongDeclarationError(
            call.operator, f"the definition rejects {case_class} operands: {error}"
        ) from None
    if case_class is CaseClass.REJECTED:
        raise WrongDeclarationError(
            call.operator, f"the definition accepts what is there to be rejected: {call}"
        )
    return result
