"""The library in this process: calls of its functions on NumPy arrays, without a copy."""

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path

import numpy as np

from sonnx_formal.core.errors import UserError
from sonnx_formal.kernels.build import SHARED, find_library_files
from sonnx_formal.kernels.copying import CopyingKernel
from sonnx_formal.kernels.declared import DeclaredKernel, KernelArray
from sonnx_formal.spec.element_types import Array


class KernelStatus(IntEnum):
    """What a function of the library returns; `sonnx_status` of `sonnx.h`."""

    OK = 0
    NULL_POINTER = 1
    MISALIGNED = 2
    SIZE = 3
    OVERLAP = 4
    DIVISION_BY_ZERO = 5
    ARGUMENT = 6


@dataclass(frozen=True)
class LoadedLibrary:
    """A shared library with the functions of `sonnx.h`."""

    functions: ctypes.CDLL

    def platform_check(self) -> int:
        """What `sonnx_platform_check` says: 0, or the bits of what does not hold here."""
        check = self.functions.sonnx_platform_check
        check.restype = ctypes.c_uint
        return int(check())

    def elementwise(
        self, kernel: DeclaredKernel, *operands: Array, numbers: Sequence[Array] = ()
    ) -> tuple[Array, int]:
        """What a kernel computes of arrays of one shape and of its types, native and in C order.

        :param numbers: what it gets by value: arrays of one element.
        The result, and how many of its elements were computed: less than all only where the
        operator has no result for the next one.
        """
        result = np.empty(operands[0].shape, kernel.result.type.dtype)
        computed = ctypes.c_uint64(result.size)
        more = (ctypes.byref(computed),) if kernel.is_partial else ()
        given = tuple(map(_by_value, kernel.numbers, numbers))
        status = self._call(kernel, (*operands, result), (result.size,), more, given)
        if status not in {KernelStatus.OK, KernelStatus.DIVISION_BY_ZERO}:
            raise AssertionError(f"{kernel.name}: {status.name} of arrays of NumPy's own")
        return result, computed.value

    def product(self, kernel: DeclaredKernel, a: Array, b: Array, *added: Array) -> Array:
        """The product of two matrices of the type of a kernel, native and in C order.

        :param added: the matrix that is added to it, if the kernel has that.
        """
        (m, k), n = a.shape, b.shape[1]
        y = np.empty((m, n), a.dtype)
        status = self._call(kernel, (a, b, *added, y), (m, k, n), ())
        if status is not KernelStatus.OK:
            raise AssertionError(f"{kernel.name}: {status.name} of arrays of NumPy's own")
        return y

    def write(
        self,
        kernel: DeclaredKernel | CopyingKernel,
        *read: Array,
        result: Array,
        numbers: Sequence[int] = (),
        values: Sequence[Array] = (),
    ) -> None:
        """Write what a kernel makes of arrays into the result; all are in C order, and of its types
        or width.

        :param read: the operands, then the arrays of uint64 that it takes besides.
        :param numbers: the sizes that it takes after the result.
        :param values: what it gets by value before that: arrays of one element.
        """
        given = map(_by_value, kernel.numbers if isinstance(kernel, DeclaredKernel) else (), values)
        status = self._call(kernel, (*read, result), tuple(numbers), (), tuple(given))
        if status is not KernelStatus.OK:
            raise AssertionError(f"{kernel.name}: {status.name} of arrays of NumPy's own")

    def _call(
        self,
        kernel: DeclaredKernel | CopyingKernel,
        arrays: tuple[Array, ...],
        sizes: tuple[int, ...],
        more: tuple[object, ...],
        numbers: tuple[object, ...] = (),
    ) -> KernelStatus:
        *operands, result = (ctypes.c_void_p(array.ctypes.data) for array in arrays)
        function = getattr(self.functions, kernel.name)
        given = (*operands, *numbers, result, *map(ctypes.c_uint64, sizes), *more)
        return KernelStatus(function(*given))


def _by_value(number: KernelArray, given: Array) -> object:
    """A number with the bits that the array of one element has."""
    made = getattr(ctypes, f"c_{number.c_type.removesuffix('_t')}")
    return made.from_buffer_copy(given.tobytes())


def load(path: Path) -> LoadedLibrary:
    """Raises `UserError` when it cannot be loaded, or this machine does not compute as it needs."""
    try:
        loaded = LoadedLibrary(ctypes.CDLL(os.fspath(path)))
    except OSError as error:
        raise UserError(f"{path}: {error}: libsonnx cannot be loaded") from None
    if found := loaded.platform_check():
        raise UserError(
            f"float and double do not compute as IEEE 754 says here: sonnx_platform_check() is"
            f" {found}, whose bits {path.with_name('sonnx.h')} explains"
        )
    return loaded


@cache
def library() -> LoadedLibrary:
    """libsonnx; it is built where the cache has none. Raises `UserError` as `load`."""
    (path,) = (path for path in find_library_files() if path.name == SHARED)
    return load(path)
