"""The value that travels: an operator, its operands and its attributes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Self

import msgspec

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.element_types import Array, ElementType, element_type_of
from sonnx_formal.spec.operator import Input, Instance, Operator, Presence


@dataclass(frozen=True, eq=False)
class Call:
    """An operator applied to operands."""

    operator: Operator
    operands: tuple[Array | None, ...]
    """In the order of the inputs. None for an optional one that is left out; those of a variadic
    input, which is the last, one after the other."""
    attributes: Attributes = UNSET
    reading: str | None = None
    """Another way to read the document, by its name in the declaration."""

    def with_operands(self, operands: Sequence[Array | None]) -> Self:
        return replace(self, operands=tuple(operands))

    @property
    def arrays(self) -> tuple[Array, ...]:
        return tuple(operand for operand in self.operands if operand is not None)

    def bound(self) -> list[tuple[str, Input, Array | None]]:
        """Each operand with its name and input. Raises `TypeError` for too few or too many."""
        ports = self.operator.ports(len(self.operands))
        if len(self.operands) > len(ports):
            raise TypeError(
                f"{self.operator} takes {', '.join(name for name, _ in ports)}: "
                f"there are {len(self.operands)} operands"
            )
        found = [(name, input_, x) for (name, input_), x in zip_longest(ports, self.operands)]
        for name, input_, operand in found:
            if operand is None and input_.presence is not Presence.OPTIONAL:
                required = input_.presence is Presence.REQUIRED
                what = f"the operand {name} is missing" if required else "needs one operand or more"
                raise TypeError(f"{self.operator}: {what if required else f'{input_.name} {what}'}")
        return found

    def instance(self) -> Instance:
        """The operator with the first element type of each parameter. May raise `TypeError`."""
        types: dict[str, ElementType] = {}
        for _, input_, operand in self.bound():
            if operand is not None:
                types.setdefault(input_.type, element_type_of(operand))
        return Instance(self.operator, tuple(types[each.name] for each in self.operator.parameters))

    @property
    def result_type(self) -> ElementType:
        return self.instance().type_of(self.operator.output)

    def __str__(self) -> str:
        """As in `mul of A int8[2, 3] and B int8[3] with axis=1`."""
        operands = " and ".join(
            f"{name} {element_type_of(operand)}{list(operand.shape)}"
            for name, _, operand in self.bound()
            if operand is not None
        )
        attributes = f" with {self.attributes}" if self.attributes != UNSET else ""
        return f"{self.operator} of {operands}{attributes}"


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
            msgspec.convert(value, declared.kind.type)
        except msgspec.ValidationError:
            message = f"{operator}: the attribute {name} is {value!r}, not {declared.kind}"
            raise UserError(message) from None
    for attribute in operator.attributes:
        if attribute.required and attribute.name not in values:
            raise UserError(f"{operator}: the attribute {attribute.name} is missing")
