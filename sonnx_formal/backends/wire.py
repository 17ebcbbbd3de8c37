"""Messages between this program and its workers: a header in JSON, then the bits of arrays.

Nothing in a message is executed, so that a worker gone wrong can only send wrong values.
"""

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, assert_never

import numpy as np

from sonnx_formal.backends.backend import WrongKindError
from sonnx_formal.spec.element_types import BY_NAME, Array, Family, element_type_of
from sonnx_formal.spec.operator import Instance


def encode(header: dict[str, Any], arrays: Sequence[Array | None] = ()) -> bytes:
    """A message. Raises `WrongKindError` for what is no array of a type that can be sent."""
    packed = [None if array is None else _packed(array) for array in arrays]
    described = [part and part[0] for part in packed]
    head = json.dumps(header | {"arrays": described}).encode()
    return b"".join([head, b"\n", *(part[1] for part in packed if part)])


def decode(message: bytes) -> tuple[dict[str, Any], list[Array | None]]:
    """The header and the arrays of a message."""
    head, _, rest = message.partition(b"\n")
    header: dict[str, Any] = json.loads(head)
    arrays: list[Array | None] = []
    for description in header["arrays"]:
        if description is None:
            arrays.append(None)
            continue
        size = description["bytes"]
        arrays.append(_unpacked(description, rest[:size]))
        rest = rest[size:]
    return header, arrays


def travels(instance: Instance) -> bool:
    """Whether arrays of all its types can be sent."""
    types = [instance.type_of(instance.operator.output)]
    types += map(instance.type_of, instance.operator.inputs)
    return not {type_.family for type_ in types} & {Family.TEXT, Family.COMPLEX}


def _packed(value: Any) -> tuple[dict[str, Any], bytes]:
    if not isinstance(value, np.ndarray | np.generic):
        raise WrongKindError(f"a {type(value).__name__} instead of an array")
    array = np.asarray(value)
    try:
        type_ = element_type_of(array)
    except TypeError:
        raise WrongKindError(f"an array of {array.dtype}") from None
    match type_.family:
        case Family.TEXT | Family.COMPLEX:
            raise WrongKindError(f"an array of {array.dtype}")
        case Family.REAL:
            content = json.dumps([str(element) for element in array.ravel()]).encode()
        case Family.INTEGER | Family.FLOAT | Family.BOOLEAN:
            content = np.asarray(array, type_.dtype, order="C").tobytes()
        case _:
            assert_never(type_.family)
    return {"type": type_.name, "shape": array.shape, "bytes": len(content)}, content


def _unpacked(description: dict[str, Any], content: bytes) -> Array:
    type_ = BY_NAME[description["type"]]
    if type_.family is Family.REAL:
        texts = json.loads(content)
        flat: Array = np.empty(len(texts), object)
        flat[:] = [float(text) if text == "inf" else Fraction(text) for text in texts]
    else:
        flat = np.frombuffer(content, type_.dtype).copy()
    return flat.reshape(description["shape"])
