"""Messages between this program and its workers: a header in JSON, then the bits of arrays.

Nothing in a message is executed, so that a worker gone wrong can only send wrong values.
"""

import json
from fractions import Fraction
from typing import Any

import numpy as np

from sonnx_formal.backends.backend import Array, WrongKindError
from sonnx_formal.oracle.element_types import NUMERICAL, element_type

_REAL = "real"


def encode(header: dict[str, Any], *arrays: Array) -> bytes:
    """A message. Raises `WrongKindError` for what is no array of a type of the project."""
    described, contents = zip(*map(_packed, arrays), strict=True) if arrays else ((), ())
    head = json.dumps(header | {"arrays": described}).encode()
    return b"".join([head, b"\n", *contents])


def decode(message: bytes) -> tuple[dict[str, Any], list[Array]]:
    """The header and the arrays of a message."""
    head, _, rest = message.partition(b"\n")
    header: dict[str, Any] = json.loads(head)
    arrays = []
    for description in header["arrays"]:
        size = description["bytes"]
        arrays.append(_unpacked(description, rest[:size]))
        rest = rest[size:]
    return header, arrays


def _packed(value: Any) -> tuple[dict[str, Any], bytes]:
    if not isinstance(value, np.ndarray | np.generic):
        raise WrongKindError(f"a {type(value).__name__} instead of an array")
    array = np.asarray(value)
    try:
        type_ = element_type(array)
    except TypeError:
        type_ = None
    if type_ is None or type_.name not in NUMERICAL:
        raise WrongKindError(f"an array of {array.dtype}")
    if type_.name == _REAL:
        content = json.dumps([str(one) for one in array.ravel()]).encode()
    else:
        content = np.asarray(array, type_.dtype, order="C").tobytes()
    return {"type": type_.name, "shape": array.shape, "bytes": len(content)}, content


def _unpacked(description: dict[str, Any], content: bytes) -> Array:
    type_ = NUMERICAL[description["type"]]
    if type_.name == _REAL:
        texts = json.loads(content)
        flat: Array = np.empty(len(texts), object)
        flat[:] = [float(one) if one == "inf" else Fraction(one) for one in texts]
    else:
        flat = np.frombuffer(content, type_.dtype).copy()
    return flat.reshape(description["shape"])
