"""Which operands an operator accepts: the restrictions of its declaration, asked of NumPy arrays.

The predicates here are those of the formal library in Python, under the same names; what the
formal library says decides, and the tests compare the two.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import (
    BY_NAME,
    Array,
    ElementType,
    Family,
    are_fractions,
    element_type_of,
    family_of,
)
from sonnx_formal.spec.operator import Operator, Predicate, Presence, Restriction, Rule, Test
from sonnx_formal.spec.requirements.registry import requirement, stated

Shape = tuple[int, ...]
_NUMBERS = {Family.INTEGER, Family.FLOAT}
_RANK_OF_A_MATRIX = 2
_SHOWN = 8


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


def accepted(
    operator: Operator,
    *operands: Any,
    attributes: Attributes = UNSET,
    predicates: Mapping[str, Predicate] = {},
) -> Call:
    """The call of an operator, if its documents allow the operands: all in C order and native.

    :param predicates: further predicates of the operator's own, by their names.
    :raises SpecViolation: the first restriction that is violated, in the order of the
        declaration; before these, a sparse operand, and numbers of a type that is in no document.
    :raises TypeError: when an operand is missing, or is not a NumPy array.
    """
    call = Call(operator, operands, attributes)
    if any(map(is_sparse, call.arrays)):
        repair = "make all dense, for example with .toarray()"
        raise violation(call, operator.items(Rule.DENSE), repair)
    arrays = [None if x is None else _require_array(name, x) for name, _, x in call.bound()]
    call = call.with_operands(arrays)
    signature = replace(signature_of(call), predicates=predicates)
    if any(_is_unknown_number(each) for each in signature.operands.values()):
        raise violation(
            call, [operator.states.get(Rule.LISTED, "T")], advice(operator, _GENERAL["one_type"])
        )
    for restriction in operator.definition.restrictions:
        if not signature.meets(restriction):
            repair = advice(operator, signature.predicate(restriction.test))
            raise violation(call, operator.items_behind(restriction), repair)
    return call.with_operands(
        [None if x is None else np.asarray(x, x.dtype.newbyteorder("="), order="C") for x in arrays]
    )


@dataclass(frozen=True)
class Signature:
    """An operator with operands: what its restrictions say of these."""

    operator: Operator
    operands: Mapping[str, Operand]
    """By their names in lower case: those that are there."""
    attributes: Attributes
    predicates: Mapping[str, Predicate] = field(default_factory=dict)
    """Further ones of the operator's own, by their names."""

    def meets(self, restriction: Restriction) -> bool:
        given = restriction.given
        return (given is not None and not self.holds(given)) or self.holds(restriction.test)

    def holds(self, test: Test) -> bool:
        return self.predicate(test).holds(*self.taken(test.takes or self.operands))

    def predicate(self, test: Test) -> Predicate:
        """Raises `LookupError` for a predicate that nobody has written in Python."""
        own = {**self.operator.definition.predicates, **self.predicates}
        return _named(test, {**_GENERAL, **own})

    def taken(self, takes: Iterable[str]) -> list[Any]:
        """What a declaration means: attributes, and operands or something of each."""
        return [*map(self._taken, takes)]

    def _taken(self, takes: str) -> Any:
        name, _, part = takes.partition(".")
        if name in self.operands:
            return _part(self.operands[name], part)
        input_ = next((x for x in self.operator.inputs if x.name.lower() == name), None)
        if input_ is not None and input_.presence is Presence.VARIADIC:
            ports = self.operator.ports(len(self.operands))
            several = (port.lower() for port, each in ports if each is input_)
            return tuple(_part(self.operands[x], part) for x in several if x in self.operands)
        if input_ is not None:
            return None
        return self.attributes.get(name) if self.operator.attribute(name) else self.attributes


def signature_of(call: Call) -> Signature:
    """The signature of a call with operands of any types."""
    return Signature(call.operator, _operands(call), call.attributes)


def result_shape(call: Call) -> Shape:
    """The shape of the result, by the rule of an operator that has one of its own."""
    definition = call.operator.definition
    assert definition.shape is not None
    return definition.shape(*signature_of(call).taken(definition.takes))


def _is_unknown_number(operand: Operand) -> bool:
    return operand.type is None and family_of(operand.array.dtype.name) in _NUMBERS


def _part(operand: Operand, part: str) -> Any:
    match part:
        case "dims":
            return operand.array.shape
        case "rank":
            return operand.array.ndim
        case "entries":
            return tuple(operand.array.ravel().tolist())
        case "tensor":
            return operand.array
        case _:  # the operand; or `element`, which it has
            return operand


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


def _int64_vector(operand: Operand) -> bool:
    return operand.type is BY_NAME["int64"] and operand.array.ndim == 1


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


def _scalar(operand: Operand) -> bool:
    return operand.array.ndim == 0


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
    "int64_vector": Predicate(_int64_vector, "give it one axis, and elements of int64"),
    "one_type": Predicate(_same_type, _ONE_TYPE),
    "same_supported_type": Predicate(_same_supported_type, _ONE_TYPE),
    "same_shape": Predicate(_same_shape, _ONE_SHAPE),
    "not_broadcast": Predicate(
        _same_shape, "repeat the elements beforehand, for example with numpy.broadcast_arrays(A, B)"
    ),
    "compatible": Predicate(compatible, "reshape one of them"),
    "broadcastable": Predicate(_broadcastable, "reshape some of them"),
    "scalar": Predicate(_scalar, "reshape it to rank 0: .reshape(())"),
    "matrix": Predicate(_matrix, "give each two axes by a reshape"),
    "inner_dimensions": Predicate(_inner_dimensions, "does one of them need to be transposed?"),
}


def _named(test: Test, predicates: Mapping[str, Predicate]) -> Predicate:
    name = test.predicate.rpartition(".")[2]
    if name not in predicates:
        raise LookupError(
            f"{test.predicate}: no predicate of this name in Python: write it in the declaration "
            f"of the operator, or in {__file__} if several operators need it"
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


def violation(call: Call, items: Iterable[str], repair: str) -> SpecViolation:
    """The error for the first of these items that the document of the first known type states."""
    main = call.operator.parameters[0].name
    types = [getattr(x, "dtype", None) for _, input_, x in call.bound() if input_.type == main]
    known = [family_of(dtype.name) for dtype in types if isinstance(dtype, np.dtype)]
    document = call.operator.document(known[0] if known else Family.REAL)
    described = [
        f"{name} is {_described(x, elements=input_.type != main)}"
        for name, input_, x in call.bound()
        if x is not None
    ]
    described += [f"{name} is {value!r}" for name, value in call.attributes.values]
    return SpecViolation(stated(document, items), f"{', '.join(described)}; {repair}")


def advice(operator: Operator, predicate: Predicate) -> str:
    """What to do where the predicate does not hold."""
    types = dict.fromkeys(t.name for p in operator.parameters for t in (*p.types, *p.beyond))
    named = [f"{n} (objects, each a fractions.Fraction)" if n == "real" else n for n in types]
    return predicate.advice.format(types=", ".join(named))


def _described(operand: Any, *, elements: bool = False) -> str:
    """:param elements: whether to show those of a short array."""
    if isinstance(operand, np.ndarray):
        shown = f", {operand.tolist()}" if elements and operand.size <= _SHOWN else ""
        return f"{_type_name(operand)} of shape {operand.shape}{shown}"
    storage = "sparse, " if is_sparse(operand) else ""
    shape = f" of shape {operand.shape}" if hasattr(operand, "shape") else ""
    return f"{storage}{type(operand).__name__}{shape}"


def _type_name(array: Array) -> str:
    element = _element_type(array)
    if element:
        return element.name
    others = {type(element).__name__ for element in array.ravel()} if array.dtype == object else ()
    return f"object ({', '.join(sorted(others))})" if others else array.dtype.name
