"""Tensors in files: NumPy's `.npy`, and ONNX's `TensorProto` in `.pb`."""

import io
from pathlib import Path
from typing import Any

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import read_given
from sonnx_formal.oracle.tensors import WireTensor
from sonnx_formal.spec.element_types import BY_NAME, NARROW_FLOATS, TEXT, ElementType

SUFFIXES = {".npy", ".pb"}


def read_tensor(path: Path, wanted: ElementType | None) -> WireTensor:
    """The tensor in a file, of the type that is wanted if one is. Raises `UserError`."""
    # NumPy and ONNX take longer to import than an evaluation without files takes.
    from sonnx_formal.oracle import arrays, frames  # noqa: PLC0415

    data = read_given(path)
    array = _npy(path, data, wanted) if path.suffix == ".npy" else _pb(path, data)
    frames.require_size(array.size)
    try:
        tensor = arrays.tensor(array)
    except TypeError as error:
        raise UserError(f"{path}: {error}") from None
    if wanted not in {None, tensor.type}:
        raise UserError(f"{path} has elements of type {tensor.type}, and not {wanted}: see --type")
    return tensor


_NAMES_TYPE = 32
"""The type comes first in the header of an `.npy` file, within so many bytes."""


def _npy(path: Path, data: bytes, wanted: ElementType | None) -> Any:
    """NumPy's format has no name for bfloat16 and floats of 8 bits: only how long elements are."""
    from numpy.lib import format as npy  # noqa: PLC0415

    try:
        # For float8e5m2, the header has a name that NumPy cannot read. Elements are left alone.
        header = data[:_NAMES_TYPE].replace(b"'<f1'", b"'|V1'", 1)
        file = io.BytesIO(header + data[_NAMES_TYPE:])
        array = npy.read_array(file, allow_pickle=False)
    except Exception:  # whatever NumPy says of bytes that anybody may have made up
        raise UserError(f"{path} is no .npy file of numbers, or was cut off") from None
    unnamed = [
        type_
        for type_ in (BY_NAME["bfloat16"], *NARROW_FLOATS)
        if array.dtype.kind == "V" and array.dtype.itemsize * 8 == type_.width
    ]
    if not unnamed:
        return array
    if wanted not in unnamed:
        types = " or ".join(f"--type {type_}" for type_ in unnamed)
        raise UserError(f"{path} does not say of what type its elements are: say {types}")
    return array.view(wanted.dtype)


def _pb(path: Path, data: bytes) -> Any:
    import onnx  # noqa: PLC0415

    try:
        tensor = onnx.TensorProto.FromString(data)
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            raise UserError(f"{path} has its elements in another file: store them in this one")
        array = onnx.numpy_helper.to_array(tensor)
        return array.astype(TEXT.dtype) if tensor.data_type == onnx.TensorProto.STRING else array
    except UserError:
        raise
    except Exception:  # protobuf's own, and what onnx raises for contents that do not fit
        raise UserError(f"{path} is no TensorProto, or was cut off") from None
