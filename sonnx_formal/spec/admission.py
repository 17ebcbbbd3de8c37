"""Which operands an operator accepts: the restrictions of its declaration, asked of NumPy arrays.

The predicates here are those of the formal library in Python, under the same names; what the
formal library says decides, and the tests compare the two.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import (
    Array,
    ElementType,
    Family,
    are_fractions,
    element_type_of,
    family_of,
)
from sonnx_formal.spec.operator import Operator, Rule, Test
from sonnx_formal.spec.requirements.registry import requirement, stated

Shape = tuple[int, ...]
_NUMBERS = {Family.INTEGER, Family.FLOAT}
_RANK_OF_A_MATRIX = 2


class SpecViolation(ValueError):
    """The operands violate a requirement of the specification: `requirement` is its id."""

    def __init__(self, identifier: str, explanation: str) -> None:
        """The explanation is what the operands are, and the way out. The registry has the id."""
        super().__init__(identifier, explanation)
        self.requirement = requirement(identifier).id

    def __str__(self) -> str:
        identifier, explanation = self.args
        return f"{identifier}: {requirement(identifier).text} {explanation}"


@dataclass(frozen=True)
class Operand:
    """An operand as the predicates see it."""

    array: Array
    type: ElementType | None
    """None for elements that the formal library does not know."""
    listed: bool


@dataclass(frozen=True)
class Predicate:
    """A predicate of the formal library, and what to do where it does not hold."""

    holds: Callable[..., bool]
    """Of what the declaration says that the predicate takes: operands, dimensions, the value of
    an attribute or, for what is made from attributes, all that are set."""
    advice: str
    """With `{types}` for the element types of the declaration."""


def accepted(
    operator: Operator,
    *operands: Any,
    attributes: Attributes = UNSET,
    predicates: Mapping[str, Predicate] = {},
) -> Call:
    """The call of an operator, if its documents allow the operands: all in C order and native.

    :param predicates: the operator's own predicates, by their names.
    :raises SpecViolation: the first restriction that is violated, in the order of the
        declaration; before these, a sparse operand, and numbers of a type that is in no document.
    :raises TypeError: when an operand is missing, or is not a NumPy array.
    """
    call = Call(operator, operands, attributes)
    if any(map(is_sparse, call.arrays)):
        advice = "make all dense, for example with .toarray()"
        raise violation(call, operator.items(Rule.DENSE), advice)
    arrays = [None if x is None else _require_array(name, x) for name, _, x in call.bound()]
    call = call.with_operands(arrays)
    found = _operands(call)
    if any(x.type is None and family_of(x.array.dtype.name) in _NUMBERS for x in found.values()):
        raise violation(call, ["T"], _advice(operator, _ONE_TYPE))
    everything = {**_GENERAL, **predicates}

    def argument(name: str) -> Any:
        """What a declaration means: an operand, its dimensions, an attribute, or all of these."""
        operand, _, part = name.partition(".")
        if operand in found:
            return found[operand].array.shape if part == "dims" else found[operand]
        return attributes.get(name) if operator.attribute(name) else attributes

    def holds(test: Test) -> bool:
        predicate = _named(test, everything)
        return predicate.holds(*map(argument, test.takes or found))

    for restriction in operator.definition.restrictions:
        if restriction.given and not holds(restriction.given):
            continue
        if not holds(restriction.test):
            advice = _advice(operator, _named(restriction.test, everything).advice)
            raise violation(call, operator.items_behind(restriction), advice)
    return call.with_operands(
        [None if x is None else np.asarray(x, x.dtype.newbyteorder("="), order="C") for x in arrays]
    )


# --- Predicates ---


def compatible(a: Shape, b: Shape) -> bool:
    """The shapes go together as NumPy and ONNX broadcast: from the last axis on, equal or 1."""
    return all(m == n or 1 in {m, n} for m, n in zip(reversed(a), reversed(b), strict=False))


def _broadcastable(*operands: Operand) -> bool:
    return all(compatible(x.array.shape, y.array.shape) for x, y in combinations(operands, 2))


def _dense(*_operands: Operand) -> bool:
    return True  # sparse operands are no arrays: they have been rejected before


def _listed(*operands: Operand) -> bool:
    return all(operand.listed for operand in operands)


def _truth(condition: Operand) -> bool:
    return condition.type is not None and condition.type.family is Family.BOOLEAN


def _numerical(*operands: Operand) -> bool:
    return all(operand.type is not None and operand.type.numerical for operand in operands)


def _same_type(*operands: Operand) -> bool:
    return all(x.type is y.type for x, y in pairwise(operands))


def _same_numerical_type(*operands: Operand) -> bool:
    return _same_type(*operands) and _numerical(*operands)


def _same_supported_type(*operands: Operand) -> bool:
    return _same_type(*operands) and _listed(*operands)


def _same_shape(*operands: Operand) -> bool:
    return all(x.array.shape == y.array.shape for x, y in pairwise(operands))


def _matrix(operand: Operand) -> bool:
    return operand.array.ndim == _RANK_OF_A_MATRIX


def _inner_dimensions(a: Operand, b: Operand) -> bool:
    return bool(a.array.shape[1] == b.array.shape[0])


_ONE_TYPE = "convert all to one type, which is one of {types}"
_ONE_SHAPE = "give all one shape"
_GENERAL = {
    "dense": Predicate(_dense, ""),
    "numerical": Predicate(_numerical, _ONE_TYPE),
    "same_numerical_type": Predicate(_same_numerical_type, _ONE_TYPE),
    "listed": Predicate(_listed, _ONE_TYPE),
    "all_listed": Predicate(_listed, _ONE_TYPE),
    "truth": Predicate(_truth, "compare beforehand, which gives bool"),
    "one_type": Predicate(_same_type, _ONE_TYPE),
    "same_supported_type": Predicate(_same_supported_type, _ONE_TYPE),
    "same_shape": Predicate(_same_shape, _ONE_SHAPE),
    "not_broadcast": Predicate(
        _same_shape, "repeat the elements beforehand, for example with numpy.broadcast_arrays(A, B)"
    ),
    "compatible": Predicate(compatible, "reshape one of them"),
    "broadcastable": Predicate(_broadcastable, "reshape some of them"),
    "matrix": Predicate(_matrix, "give each two axes by a reshape"),
    "inner_dimensions": Predicate(_inner_dimensions, "does one of them need to be transposed?"),
}


def _named(test: Test, predicates: Mapping[str, Predicate]) -> Predicate:
    name = test.predicate.rpartition(".")[2]
    if name not in predicates:
        raise LookupError(
            f"{test.predicate}: no predicate of this name in Python: write it beside the operator "
            f"in sonnx_formal/reference, or in {__file__} if several operators need it"
        )
    return predicates[name]


# --- Operands ---


def is_sparse(operand: Any) -> bool:
    """A sparse tensor of any library, known by its look: none is imported for it."""
    return (
        hasattr(operand, "todense")
        or type(operand).__name__ in {"SparseTensor", "SparseTensorProto"}
        or getattr(operand, "is_sparse", None) is True
    )


def _require_array(name: str, operand: Any) -> Array:
    """The operand, if it is a NumPy array.

    Raises `TypeError` for a list, whose element type would be a guess, and for subclasses, whose
    elements may mean more than their values (a mask, a unit); not so those of `numpy.memmap`.
    """
    if type(operand) in {np.ndarray, np.memmap}:
        array: Array = operand
        return array
    advice = (
        f"{name}.filled(value) makes one, once it is decided what the masked elements are"
        if isinstance(operand, np.ma.MaskedArray)
        else f"numpy.asarray({name}, dtype) makes one"
    )
    raise TypeError(f"{name} is of type {type(operand).__name__}, not a NumPy array: {advice}")


def _operands(call: Call) -> dict[str, Operand]:
    """By their names in lower case. The types `beyond` count where all operands have that type."""
    there = [(name, input_.type, x) for name, input_, x in call.bound() if x is not None]
    parameters = {parameter.name: parameter for parameter in call.operator.parameters}
    found = {}
    for name, of, array in there:
        type_, parameter = _element_type(array), parameters.get(of)
        alone = all(_element_type(x) is type_ for _, other, x in there if other == of)
        beyond = parameter.beyond if parameter and alone else ()
        listed = parameter is not None and type_ in (*parameter.types, *beyond)
        found[name.lower()] = Operand(array, type_, listed)
    return found


def _element_type(array: Array) -> ElementType | None:
    """None where the elements are of no type that the formal library knows."""
    try:
        type_ = element_type_of(array)
    except TypeError:
        return None
    return None if type_.family is Family.REAL and not are_fractions(array) else type_


# --- Messages ---


def violation(call: Call, items: Iterable[str], advice: str) -> SpecViolation:
    """The error for the first of these items that the document of the first known type states."""
    main = call.operator.parameters[0].name
    types = [getattr(x, "dtype", None) for _, input_, x in call.bound() if input_.type == main]
    known = [family_of(dtype.name) for dtype in types if isinstance(dtype, np.dtype)]
    document = call.operator.document(known[0] if known else Family.REAL)
    described = [f"{name} is {_described(x)}" for name, _, x in call.bound() if x is not None]
    described += [f"{name} is {value!r}" for name, value in call.attributes.values]
    return SpecViolation(stated(document, items), f"{', '.join(described)}; {advice}")


def _advice(operator: Operator, advice: str) -> str:
    types = dict.fromkeys(t.name for p in operator.parameters for t in (*p.types, *p.beyond))
    named = [f"{n} (objects, each a fractions.Fraction)" if n == "real" else n for n in types]
    return advice.format(types=", ".join(named))


def _described(operand: Any) -> str:
    if isinstance(operand, np.ndarray):
        return f"{_type_name(operand)} of shape {operand.shape}"
    storage = "sparse, " if is_sparse(operand) else ""
    shape = f" of shape {operand.shape}" if hasattr(operand, "shape") else ""
    return f"{storage}{type(operand).__name__}{shape}"


def _type_name(array: Array) -> str:
    element = _element_type(array)
    if element:
        return element.name
    others = {type(element).__name__ for element in array.ravel()} if array.dtype == object else ()
    return f"object ({', '.join(sorted(others))})" if others else array.dtype.name
