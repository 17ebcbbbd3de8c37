"""The speed of MatMul over float32: libsonnx beside our reference on NumPy and NumPy's BLAS.

CPU time is measured, of all threads together, so that it is that of one core. The runs alternate,
and of several the fastest counts.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sonnx_formal import kernels
from sonnx_formal.kernels.library import library
from sonnx_formal.reference.matmul import matmul
from sonnx_formal.spec.element_types import Array

SIDE = 512
_RUNS = 7

_MULTIPLY: Mapping[str, Callable[[Array, Array], Array]] = {
    "libsonnx": kernels.matmul,
    "reference": matmul,
    "NumPy's BLAS": np.matmul,
}


@dataclass(frozen=True)
class KernelSpeed:
    """The speed of an implementation of MatMul on square matrices."""

    implementation: str
    seconds: float
    rate: int
    """Products that are added up a second."""
    same_bits: bool
    """As libsonnx. BLAS adds up in an order of its own."""


def measure(side: int = SIDE) -> Iterator[KernelSpeed]:
    """Multiply two matrices of so many rows and columns. Raises `UserError` without libsonnx."""
    library()  # it may have to be built
    chance = np.random.default_rng(1)
    a, b = (chance.standard_normal((side, side)).astype(np.float32) for _ in range(2))
    bits = kernels.matmul(a, b).tobytes()
    times: dict[str, list[float]] = {name: [] for name in _MULTIPLY}
    for _ in range(_RUNS):
        for name, multiply in _MULTIPLY.items():
            began = time.process_time()
            multiply(a, b)
            times[name].append(time.process_time() - began)
    for name, multiply in _MULTIPLY.items():
        seconds = max(min(times[name]), 1e-6)
        same = multiply(a, b).tobytes() == bits
        yield KernelSpeed(name, seconds, round(side**3 / seconds), same)
