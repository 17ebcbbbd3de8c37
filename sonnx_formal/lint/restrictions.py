"""Restrictions that predicates of the declarations decide: where all is known that they ask for."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, cast

import onnx

from sonnx_formal.lint.profile import Application, NodeFinding
from sonnx_formal.lint.values import Dimension, Shape, Value, described_dimension
from sonnx_formal.spec.admission import Operand, Signature, advice
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.element_types import BY_NAME, Array
from sonnx_formal.spec.operator import Input, Restriction, Test

DECLARE = "Declare it in the model, or fix the shapes of inputs with --input"
_STORE = "Store the elements as a constant: an initializer that is no input, or a Constant"
_DECLARE_TYPE = "Declare the element type in the model"
_EVALUATE = "The formal definition, for operands of these shapes: sonnx-formal eval"


@dataclass(frozen=True)
class _Lack:
    """What is not known, in words that end a sentence; and what would decide it."""

    what: str
    decides: str


class UnknownError(Exception):
    """Something is known only when the model runs."""

    def __init__(self, *lacks: _Lack) -> None:
        super().__init__(*lacks)
        self.lacks = lacks


class UnsetError(UnknownError):
    """An attribute is not set, or of another kind: that is a finding by itself."""


@dataclass(frozen=True, eq=False)
class _OpenDimension:
    """A dimension that is known only when the model runs: who asks for it learns just that.

    But one symbol is one number.
    """

    symbol: str | None
    place: str
    """`dimension 0 of X, x`."""

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _OpenDimension) and self.symbol and self.symbol == other.symbol:
            return True
        self._asked()

    def _asked(self, *_: object) -> NoReturn:
        size = described_dimension(self.symbol)
        raise UnknownError(_Lack(f"{self.place}, is {size}", DECLARE))

    __hash__ = _asked
    __bool__ = __index__ = __neg__ = _asked
    __lt__ = __le__ = __gt__ = __ge__ = _asked
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _asked
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _asked


@dataclass(frozen=True)
class _Outline:
    """What predicates see of an operand without its elements."""

    shape: tuple[int | _OpenDimension, ...]

    @property
    def ndim(self) -> int:
        return len(self.shape)


def restricted(at: Application, restrictions: Iterable[Restriction]) -> Iterator[NodeFinding]:
    """What they say of a node, in their order, up to the first that is violated."""
    for restriction in restrictions:
        items = at.operator.items_behind(restriction)
        try:
            given, test = restriction.given, restriction.test
            if given and not _signature(at, _taken(at, given)).holds(given):
                continue
            signature = _signature(at, _taken(at, test))
            met = signature.holds(test)
        except UnsetError:
            continue
        except UnknownError as error:
            whats, ways = zip(*((each.what, each.decides) for each in error.lacks), strict=True)
            found = f"it is not known whether {restriction.broken}, for {' and '.join(whats)}: {at}"
            yield at.undecided(items, found, "; ".join(dict.fromkeys(ways)))
            continue
        except LookupError:
            found = f"it is not looked at whether {restriction.broken}: {at}"
            yield at.undecided(items, found, _EVALUATE)
            continue
        if not met:
            repair = advice(at.operator, signature.predicate(test))
            found = f"{restriction.broken}: {at}"
            yield at.violates(items, found, repair[:1].upper() + repair[1:])
            return


def result_shape(at: Application) -> Shape | None:
    """By the declaration; None where it does not say, or not enough is known."""
    definition = at.operator.definition
    if definition.shape is None:
        return None
    try:
        signature = _signature(at, definition.takes)
        shape: Iterable[object] = definition.shape(*signature.taken(definition.takes))
    except UnknownError:
        return None
    return tuple(
        size.symbol if isinstance(size, _OpenDimension) else cast("Dimension", size)
        for size in shape
    )


def _taken(at: Application, test: Test) -> list[str]:
    everything = [name.lower() for name, _, _ in at.operands]
    return [*(test.takes or everything)]


def _signature(at: Application, takes: Iterable[str]) -> Signature:
    """The operands as far as these ask for them. Raises `UnknownError`, of all that is lacking."""
    parts: dict[str, set[str]] = {}
    for name, _, part in (each.partition(".") for each in takes):
        parts.setdefault(name, set()).add(part)
    operands: dict[str, Operand] = {}
    lacks: list[_Lack] = []
    for name, port, operand in at.operands:
        asked = parts.get(name.lower(), set()) | parts.get(port.name.lower(), set())
        if not asked:
            continue
        try:
            operands[name.lower()] = _operand(at, f"{name}, {operand.name}", operand, port, asked)
        except UnknownError as error:
            lacks += error.lacks
    if lacks:
        raise UnknownError(*lacks)
    return Signature(at.operator, operands, _attributes(at, parts))


def _operand(at: Application, named: str, value: Value, port: Input, parts: set[str]) -> Operand:
    """The operand, or one that is like it in what is asked for: elements, dimensions, axes."""
    type_ = BY_NAME.get(value.element_type or "")
    parameter = next((each for each in at.operator.parameters if each.name == port.type), None)
    listed = parameter is not None and type_ in parameter.types
    if value.element_type is None and not parts <= {"dims", "rank"}:
        raise UnknownError(_Lack(f"the element type of {named}, is unknown", _DECLARE_TYPE))
    if parts & {"entries", "tensor"}:
        elements = value.constant() if value.constant is not None else None
        if elements is None:
            what = f"the elements of {named}, are known only when the model runs"
            raise UnknownError(_Lack(what, _STORE))
        return Operand(elements, type_, listed)
    if value.shape is None:
        raise UnknownError(_Lack(f"the shape of {named}, is unknown", DECLARE))
    outline = _Outline(
        tuple(
            size if isinstance(size, int) else _OpenDimension(size, f"dimension {axis} of {named}")
            for axis, size in enumerate(value.shape)
        )
    )
    return Operand(cast("Array", outline), type_, listed)


def _attributes(at: Application, asked: Container[str]) -> Attributes:
    """Those asked for, or all, which an argument may be made of that is none of them by itself.

    Raises `UnsetError` where one is of another kind, or is required and not set.
    """
    given = {attribute.name: attribute for attribute in at.node.proto.attribute}
    arguments = at.operator.definition.arguments
    every = any(name in asked and not at.operator.attribute(name) for name in arguments)
    values: dict[str, Any] = {}
    for declared in at.operator.attributes:
        attribute = given.get(declared.name)
        if not every and declared.name not in asked:
            continue
        if attribute is None and not declared.required:
            continue
        if attribute is None:
            raise UnsetError
        kind = onnx.AttributeProto.AttributeType.Name(attribute.type).lower()
        if kind != declared.kind:
            raise UnsetError
        values[declared.name] = _plain(onnx.helper.get_attribute_value(attribute))
    return Attributes.of(values)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return [*map(_plain, value)] if isinstance(value, list | tuple) else value
