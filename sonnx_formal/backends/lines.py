"""The lines that go to and from a runner: the README of this folder says how they are made."""

import json
from math import prod

import numpy as np

from sonnx_formal.backends.backend import NoResultError, WrongKind
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import BOOLEAN, ELEMENT_TYPES, Array, element_type_of
from sonnx_formal.spec.operator import Instance

_TYPES = {type_.name: type_ for type_ in ELEMENT_TYPES if type_.has_patterns}
_LEFT_OUT = "-"
_SHOWN = 80


def can_be_written(instance: Instance) -> bool:
    """Whether elements of all its types are bit patterns."""
    operator = instance.operator
    types = [*map(instance.type_of, operator.inputs), instance.type_of(operator.output)]
    return all(type_.has_patterns for type_ in types)


def call_text(call: Call) -> str:
    """The operator, its attributes, its operands."""
    attributes = (
        # The spaces are those in strings.
        f"{name}={json.dumps(value, separators=(',', ':'))}".replace(" ", "\\u0020")
        for name, value in call.attributes.values
    )
    operands = (_LEFT_OUT if each is None else array_text(each) for each in call.operands)
    return " ".join((call.operator.name, *attributes, *operands))


def array_text(array: Array) -> str:
    """The type, the number of axes, the dimensions, and the elements as bit patterns."""
    type_ = element_type_of(array)
    patterns = np.asarray(array, type_.dtype, order="C").view(type_.pattern)
    big_endian = patterns.astype(type_.pattern.newbyteorder(">")).tobytes()
    words = [type_.name, str(array.ndim), *map(str, array.shape)]
    return " ".join(words + ([big_endian.hex(" ", type_.dtype.itemsize)] if big_endian else []))


def array_of(text: str) -> Array:
    """The array of such a text. Raises `NoResultError` when it is none."""
    try:
        name, rank, *words = text.split()
        type_ = _TYPES[name]
        shape, elements = tuple(map(int, words[: int(rank)])), words[int(rank) :]
        digits = 2 * type_.dtype.itemsize
        if len(shape) != int(rank) or len(elements) != prod(shape):
            raise ValueError(f"{len(elements)} elements behind a shape of {list(shape)}")
        if {len(element) for element in elements} - {digits}:
            raise ValueError(f"an element of {type_} has {digits} digits")
        data = bytes.fromhex("".join(elements))
        patterns = np.frombuffer(data, type_.pattern.newbyteorder(">")).astype(type_.pattern)
        if type_ is BOOLEAN and np.any(patterns > 1):
            raise ValueError("an element is neither true nor false")
        return patterns.view(type_.dtype).reshape(shape)
    except (KeyError, ValueError) as error:
        why = f"{text[:_SHOWN]!r} is no tensor: {type(error).__name__}: {error}"
        raise NoResultError(WrongKind(why)) from None
