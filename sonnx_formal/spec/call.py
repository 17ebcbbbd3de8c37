"""The value that travels: an operator, its operands and its attributes."""

import reprlib
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import zip_longest
from numbers import Real
from operator import index
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.attributes import UNSET, Attribute, AttributeKind, Attributes, AttributeValue
from sonnx_formal.spec.element_types import ElementType, element_type_of
from sonnx_formal.spec.operator import Input, Instance, Operator, Presence

if TYPE_CHECKING:
    from sonnx_formal.spec.element_types import Array

_Operand = TypeVar("_Operand")


@dataclass(frozen=True, eq=False)
class Call:
    """An operator applied to operands."""

    operator: Operator
    operands: "tuple[Array | None, ...]"
    """In the order of the inputs. None for an optional one that is left out; those of a variadic
    input, which is the last, one after the other."""
    attributes: Attributes = UNSET
    reading: str | None = None
    """Another way to read the document, by its name in the declaration."""

    def with_operands(self, operands: "Sequence[Array | None]") -> Self:
        return replace(self, operands=tuple(operands))

    @property
    def arrays(self) -> "tuple[Array, ...]":
        return tuple(operand for operand in self.operands if operand is not None)

    def bound(self) -> "list[tuple[str, Input, Array | None]]":
        """Each operand with its name and input. Raises `TypeError` for too few or too many."""
        return bound(self.operator, self.operands)

    def instance(self) -> Instance:
        """The operator with the first element type of each parameter. May raise `TypeError`."""
        parameters = self.operator.parameters
        types: dict[str, ElementType] = {}
        for each in parameters:
            number = self.attributes.get(each.attribute) if each.attribute else None
            if chosen := each.chosen(number):
                types[each.name] = chosen
        given: dict[str, ElementType] = {}
        for _, input_, operand in self.bound():
            if operand is not None:
                given.setdefault(input_.type, element_type_of(operand))
        types |= given
        return Instance(self.operator, tuple(types[each.name] for each in parameters))

    @property
    def result_type(self) -> ElementType:
        return self.instance().type_of(self.operator.output)

    def __str__(self) -> str:
        """As in `mul of A int8[2, 3] and B int8[3] with axis=1`."""
        operands = [
            (name, element_type_of(operand), operand.shape)
            for name, _, operand in self.bound()
            if operand is not None
        ]
        return sentence(self.operator, operands, self.attributes)


def bound(
    operator: Operator, operands: Sequence[_Operand | None]
) -> list[tuple[str, Input, _Operand | None]]:
    """Each operand with its name and input. Raises `TypeError` for too few or too many."""
    ports = operator.ports(len(operands))
    if len(operands) > len(ports):
        names = ", ".join(name for name, _ in ports)
        raise TypeError(f"{operator} takes {names}: there are {len(operands)} operands")
    found = [(name, input_, x) for (name, input_), x in zip_longest(ports, operands)]
    for name, input_, operand in found:
        if operand is None and input_.presence is not Presence.OPTIONAL:
            required = input_.presence is Presence.REQUIRED
            what = f"the operand {name} is missing" if required else "needs one operand or more"
            raise TypeError(f"{operator}: {what if required else f'{input_.name} {what}'}")
    return found


def sentence(
    operator: Operator,
    operands: Iterable[tuple[str, ElementType, Sequence[int]]],
    attributes: Attributes,
) -> str:
    """What is applied to what: the operands by their names, types and shapes."""
    taken = " and ".join(f"{name} {type_}{[*shape]}" for name, type_, shape in operands)
    suffix = f" with {attributes}" if attributes != UNSET else ""
    return f"{operator} of {taken}{suffix}"


def _whole_for_float(value: AttributeValue, kind: AttributeKind) -> bool:
    values = value if isinstance(value, tuple) else (value,)
    numbers = all(type(each) in {int, float} for each in values)
    return numbers and kind.element is float and isinstance(value, tuple) == kind.several


class AttributeKindError(UserError, TypeError):
    """An attribute has a value of another kind."""


def attributes_of(operator: Operator, /, **values: Any) -> Attributes:
    """Attributes as callers of a function give them: numbers of NumPy's, too; None is not set.

    :raises UserError: as `check_attributes`.
    """
    made = {name: _plain(operator, name, value) for name, value in values.items()}
    attributes = Attributes.of(made)
    check_attributes(operator, attributes)
    return attributes


def all_attributes_of(operator: Operator, /, **values: Any) -> Attributes:
    """The same of attributes that are all set: None is a value of another kind."""
    for name, value in values.items():
        declared = operator.attribute(name)
        if value is None and declared is not None:
            raise _other_kind(operator, declared, value)
    return attributes_of(operator, **values)


def _plain(operator: Operator, name: str, value: Any) -> Any:
    declared = operator.attribute(name)
    if value is None or declared is None:
        return value
    try:
        if not declared.kind.several:
            return _element(declared.kind, value)
        if isinstance(value, str | bytes | Mapping | Set):
            raise TypeError
        return [_element(declared.kind, each) for each in value]
    except (TypeError, OverflowError):
        raise _other_kind(operator, declared, value) from None


def _element(kind: AttributeKind, value: Any) -> int | float | str:
    """Raises `TypeError`, or `OverflowError`; truth values are no numbers here."""
    if isinstance(value, str) and kind.element is str:
        return str(value)
    if isinstance(value, Real) and kind.element is float and not isinstance(value, bool):
        return float(value)
    if kind.element is int and not isinstance(value, bool):
        return index(value)
    raise TypeError


def _other_kind(operator: Operator, declared: Attribute, value: object) -> AttributeKindError:
    name, kind = declared.name, declared.kind
    return AttributeKindError(
        f"{operator}: the attribute {name} is {reprlib.repr(value)}, not {kind}: it takes"
        f" {kind.takes}"
    )


def check_attributes(operator: Operator, attributes: Attributes) -> None:
    """Raises `UserError` for an attribute that is unknown, missing, or of another kind."""
    values = attributes.as_dict()
    for name, value in values.items():
        declared = operator.attribute(name)
        if declared is None:
            known = ", ".join(attribute.name for attribute in operator.attributes)
            hint = f"it has {known}" if known else "it has none, leave it out"
            raise UserError(f"{operator} has no attribute {name}: {hint}")
        try:
            same = repr(msgspec.convert(value, declared.kind.type)) == repr(value)
        except msgspec.ValidationError:
            same = False
        # 1.0 would be converted to 1, and is another value of ONNX's; 1 for 1.0 is how JSON has it.
        if not same and not _whole_for_float(value, declared.kind):
            raise _other_kind(operator, declared, value)
    for attribute in operator.attributes:
        if attribute.required and attribute.name not in values:
            raise UserError(f"{operator}: the attribute {attribute.name} is missing")
