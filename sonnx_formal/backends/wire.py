"""Messages between this program and its workers, as MessagePack: structs, and the bits of arrays.

Nothing in a message is executed, so that a worker gone wrong can only send wrong values.
"""

from fractions import Fraction
from typing import Any, assert_never

import numpy as np
from msgspec import Struct, msgpack

from sonnx_formal.backends.backend import PLAIN, CallOutcome, Form, NoResultError, WrongKind
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.element_types import BY_NAME, Array, Family, element_type_of
from sonnx_formal.spec.operator import Instance


class Request(Struct, frozen=True):
    """What becomes of a call? Or, where types are named: is the operator over them supported?"""

    operator: str
    types: tuple[str, ...] = ()
    operands: tuple[Array | None, ...] = ()
    attributes: Attributes = UNSET
    form: Form = PLAIN


class UsersMistake(Struct, frozen=True, tag=True):
    """The reply when a mistake of the user's is behind it."""

    message: str


Reply = str | bool | CallOutcome | UsersMistake
"""First the version of the implementation; then whether it is supported, or what became of it."""


def encode(message: Request | Reply) -> bytes:
    """Raises `NoResultError` for an array of a type that cannot be sent."""
    return msgpack.encode(message, enc_hook=_packed)


def travels(instance: Instance) -> bool:
    """Whether arrays of all its types can be sent."""
    operator = instance.operator
    types = {instance.type_of(operator.output), *map(instance.type_of, operator.inputs)}
    return not {type_.family for type_ in types} & {Family.TEXT, Family.COMPLEX}


def _packed(array: Array) -> tuple[str, tuple[int, ...], bytes | list[str]]:
    try:
        type_ = element_type_of(array)
    except TypeError:
        raise NoResultError(WrongKind(f"an array of {array.dtype}")) from None
    match type_.family:
        case Family.TEXT | Family.COMPLEX:
            raise NoResultError(WrongKind(f"an array of {array.dtype}"))
        case Family.REAL:
            return type_.name, array.shape, [str(element) for element in array.flat]
        case Family.INTEGER | Family.FLOAT | Family.BOOLEAN:
            return type_.name, array.shape, np.asarray(array, type_.dtype, order="C").tobytes()
        case _:
            assert_never(type_.family)


def _unpacked(_type: type, packed: Any) -> Array:
    name, shape, content = packed
    type_ = BY_NAME[name]
    if type_.family is not Family.REAL:
        return np.frombuffer(content, type_.dtype).copy().reshape(shape)
    flat: Array = np.empty(len(content), object)
    flat[:] = [float(text) if text == "inf" else Fraction(text) for text in content]
    return flat.reshape(shape)


REQUESTS = msgpack.Decoder(Request, dec_hook=_unpacked)
REPLIES: msgpack.Decoder[Reply] = msgpack.Decoder(Reply, dec_hook=_unpacked)
