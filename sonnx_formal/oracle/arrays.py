"""NumPy arrays to tensors of the program, and back. NumPy only carries bits."""

from typing import assert_never

import numpy as np

from sonnx_formal.oracle.tensors import WireTensor
from sonnx_formal.spec.element_types import Array, Family, element_type_of


def tensor(array: Array) -> WireTensor:
    """The tensor of an array of any layout and byte order. Raises `TypeError` for no elements.

    Of complex numbers there are no elements: the answer is a requirement.
    """
    type_ = element_type_of(array)
    match type_.family:
        case Family.COMPLEX:
            return WireTensor(type_, array.shape, b"")
        case Family.TEXT:
            return WireTensor.of(type_, array.shape, texts(array))
        case Family.REAL:
            return WireTensor.of(type_, array.shape, array.ravel())
        case Family.INTEGER | Family.FLOAT | Family.BOOLEAN:
            patterns = array.view(type_.pattern.newbyteorder(array.dtype.byteorder))
            content = patterns.astype(type_.pattern.newbyteorder("<")).tobytes()
            return WireTensor(type_, array.shape, content)
        case _:
            assert_never(type_.family)


def texts(array: Array) -> list[str]:
    """The elements in row-major order. Raises `TypeError` for what is no text of Unicode."""
    try:
        found = [x if isinstance(x, str) else x.decode() for x in array.ravel().tolist()]
        "".join(found).encode()
    except UnicodeError as error:
        raise TypeError(f"an element is no text: {error}") from None
    return found


def array(tensor: WireTensor) -> Array:
    """The array of a tensor that is not of complex numbers: a new one."""
    type_ = tensor.type
    if type_.family is Family.REAL:
        elements = np.empty(tensor.size, object)
        elements[:] = tensor.elements
        return elements.reshape(tensor.shape)
    if type_.family is Family.TEXT:
        return np.array(tensor.elements, type_.dtype).reshape(tensor.shape)
    patterns = np.frombuffer(tensor.content, type_.pattern.newbyteorder("<"))
    return patterns.astype(type_.pattern).view(type_.dtype).reshape(tensor.shape)
