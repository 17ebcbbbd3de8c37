"""What is asked of the operands of every operator, whatever its document."""

from typing import Any

import numpy as np

from sonnx_formal.reference.element_types import Array, ElementType, element_type


def is_sparse(operand: Any) -> bool:
    """A sparse tensor of SciPy, PyData, ONNX, ONNX Runtime, TensorFlow or PyTorch.

    It is known by its look: none of these is imported for it.
    """
    return (
        hasattr(operand, "todense")
        or type(operand).__name__ in {"SparseTensor", "SparseTensorProto"}
        or getattr(operand, "is_sparse", None) is True
    )


def require_array(name: str, operand: Any) -> Array:
    """The operand, if it is a NumPy array.

    Raises `TypeError` for all else: for a list, whose element type would be a guess, and for the
    subclasses of `numpy.ndarray`, whose elements may mean more than their values do (a mask, a
    unit). `numpy.memmap` only has its values elsewhere.
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


def in_native_order(array: Array, element: ElementType) -> Array:
    """The same elements in C order and in the byte order of this machine; a copy if need be."""
    return np.asarray(array, element.dtype, order="C")


def empty(shape: tuple[int, ...], element: ElementType) -> Array:
    """A result to be filled in: with `out=`, a ufunc returns an array for rank 0, too."""
    return np.empty(shape, element.dtype)


def described(a: Any, b: Any) -> str:
    """Types and shapes of both operands, for the message of an error."""
    return f"A is {_described(a)}, B is {_described(b)}"


def _described(operand: Any) -> str:
    if isinstance(operand, np.ndarray):
        return f"{_type_name(operand)} of shape {operand.shape}"
    storage = "sparse, " if is_sparse(operand) else ""
    shape = f" of shape {operand.shape}" if hasattr(operand, "shape") else ""
    return f"{storage}{type(operand).__name__}{shape}"


def _type_name(array: Array) -> str:
    element = element_type(array)
    if element:
        return element.name
    others = {type(one).__name__ for one in array.ravel()} if array.dtype == object else ()
    return f"object ({', '.join(sorted(others))})" if others else array.dtype.name
