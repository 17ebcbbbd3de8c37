"""Test vectors made: operands are constructed here, results come from the oracle."""

from collections import Counter
from collections.abc import Iterator

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Instance, Operator, ShapeRule
from sonnx_formal.spec.requirements import requirements
from sonnx_formal.spec.requirements.entries import files
from sonnx_formal.spec.requirements.registry import FOLDER
from sonnx_formal.vectors.broadcast import Broadcast
from sonnx_formal.vectors.case import Case, CaseClass, call_of
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
            requirements=_exercised(instance, call, outcome, operands.items),
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
    rejected = case_class is CaseClass.REJECTED
    try:
        result = oracle.evaluate(call)
    except Inadmissible as error:
        if rejected:
            return error.requirement
        what = f"the definition rejects {case_class} operands: {error}"
        raise WrongDeclarationError(call.operator, what) from None
    if rejected:
        what = f"the definition accepts what is there to be rejected: {call}"
        raise WrongDeclarationError(call.operator, what)
    return result


def _exercised(
    instance: Instance, call: Call, outcome: Array | str, items: tuple[str, ...]
) -> tuple[str, ...]:
    """The requirements that the operator's declaration says a case exercises, and further items.

    What forbids operands is exercised by the cases that it rejects, and of these, it alone. An item
    that another part of the document states, but not this one, is none of this part.

    :raises UserError: when the registry does not have one of them.
    """
    known, operator, document = requirements(), instance.operator, instance.document
    found, result = ([outcome], None) if isinstance(outcome, str) else ([], outcome)
    for item in (*_items(instance, call, result), *items):
        parts = {f"{part}.{item}" for part in operator.documents.values()}
        if f"{document}.{item}" in known or parts.isdisjoint(known):
            found.append(f"{document}.{item}")
    for identifier in found:
        if identifier not in known:
            stating = (n for n, file in files() for each in file.document if each.name == document)
            raise UserError(
                f"{FOLDER}/{next(stating, f'{document.lower()}.toml')}: there is no requirement "
                f"{identifier}: state it, or correct the declaration of {operator}"
            )
    return tuple(dict.fromkeys(found))


def _items(instance: Instance, call: Call, result: Array | None) -> Iterator[str]:
    operator = instance.operator
    if result is not None:
        lists = {each.item for each in operator.definition.restrictions if each.extended}
        beyond = lists if instance.extension else set()
        yield from (item for item in operator.always if item not in beyond)
        if result.size:
            yield from operator.computed
    yield from operator.also(call, result)
