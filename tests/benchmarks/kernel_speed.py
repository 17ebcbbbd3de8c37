"""The speed of MatMul over float32: libsonnx beside our reference on NumPy and NumPy's BLAS.

CPU time is measured, of all threads together, so that it is that of one core. The runs alternate,
and of several the fastest counts.
"""

import platform
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from sonnx_formal import kernels
from sonnx_formal.kernels.build import COMPILER, OPTIONS, find_library_files, sha256_of
from sonnx_formal.kernels.declared import LIBRARY
from sonnx_formal.kernels.library import library
from sonnx_formal.kernels.speed import KernelSpeeds, MeasuredSpeed
from sonnx_formal.prover.installation import first_line
from sonnx_formal.prover.provenance import Provenance
from sonnx_formal.reference.matmul import matmul
from sonnx_formal.spec.element_types import Array

SIDE = 512
_RUNS = 7

_MULTIPLY: Mapping[str, Callable[[Array, Array], Array]] = {
    "libsonnx": kernels.matmul,
    "libsonnx, fused": kernels.matmul_fused,
    "reference": matmul,
    "NumPy's BLAS": np.matmul,
}


def measure(side: int = SIDE) -> KernelSpeeds:
    """Multiply two matrices of so many rows and columns. Raises `UserError` without libsonnx."""
    library()  # it may have to be built
    return KernelSpeeds(
        made=Provenance.of(LIBRARY),
        sonnx_c_sha256=sha256_of(find_library_files()[0].with_name("sonnx.c")),
        compiler=first_line([COMPILER, "--version"]),
        options=OPTIONS,
        tools={"numpy": np.__version__, "python": platform.python_version()},
        processor=processor(),
        side=side,
        runs=_RUNS,
        speeds=tuple(_speeds(side)),
    )


def _speeds(side: int) -> Iterator[MeasuredSpeed]:
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
        yield MeasuredSpeed(
            implementation=name,
            rate=round(side**3 / seconds),
            same_bits=multiply(a, b).tobytes() == bits,
            seconds=seconds,
        )


def processor() -> str:
    """The name of the processor, or where the system does not tell it, of its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(filter(None, named), platform.machine() or "unknown")
