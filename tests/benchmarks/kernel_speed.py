"""The speed of MatMul and Conv over float32: libsonnx beside our reference on NumPy, NumPy's BLAS
and, where it is installed, onnxruntime on one thread.

CPU time is measured, of all threads together, so that it is that of one core. The runs alternate,
and of several the fastest counts.
"""

import platform
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from sonnx_formal import kernels
from sonnx_formal.backends.backend import PLAIN, NoResultError
from sonnx_formal.backends.catalogue import apply
from sonnx_formal.backends.runtimes import OnnxRuntime
from sonnx_formal.kernels.build import COMPILER, OPTIONS, find_library_files, sha256_of
from sonnx_formal.kernels.declared import LIBRARY, Arithmetics
from sonnx_formal.kernels.library import library
from sonnx_formal.kernels.speed import KernelSpeeds, MeasuredSpeed, MeasuredWork
from sonnx_formal.prover.installation import first_line
from sonnx_formal.prover.provenance import BegunRun
from sonnx_formal.spec.call import Call, attributes_of
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operators.conv import CONV
from sonnx_formal.spec.operators.matmul import MATMUL

_RUNS = 7


@dataclass(frozen=True)
class Work:
    """A call that sums so many products."""

    title: str
    call: Call
    products: int


def works(side: int = 512, channels: int = 64, length: int = 56) -> Iterator[Work]:
    """MatMul of square matrices, and Conv on so many channels of a square image: all over float32.

    :param side: rows and columns of the matrices.
    :param length: rows and columns of the image.
    """
    chance = np.random.default_rng(1)

    def drawn(*shape: int) -> Array:
        array: Array = chance.standard_normal(shape).astype(np.float32)
        return array

    call = Call(MATMUL, (drawn(side, side), drawn(side, side)))
    yield Work(f"MatMul, {side} rows and columns", call, side**3)
    image, of = drawn(1, channels, length, length), f"{channels} channels of {length} x {length}"
    for kernel, group in ((3, 1), (1, 1), (3, channels)):
        w = drawn(channels, channels // group, kernel, kernel)
        padding = kernel // 2
        attributes = attributes_of(
            CONV,
            strides=[1, 1],
            pads=[padding] * 4,
            dilations=[1, 1],
            group=group,
            kernel_shape=[kernel, kernel],
        )
        kind = "depthwise" if group > 1 else f"{kernel} x {kernel}"
        title = f"Conv, {kind} on {of}"
        yield Work(title, Call(CONV, (image, w, None), attributes), w.size * length**2)


def measure(chosen: Iterable[Work] | None = None) -> KernelSpeeds:
    """The speeds of each on the same operands. Raises `UserError` without libsonnx."""
    made = BegunRun.of(LIBRARY)
    library()  # it may have to be built
    onnxruntime = _onnxruntime()
    tools = {"numpy": np.__version__, "python": platform.python_version()}
    if onnxruntime:
        tools["onnxruntime"] = onnxruntime.version
    return KernelSpeeds(
        sonnx_c_sha256=sha256_of(find_library_files()[0].with_name("sonnx.c")),
        compiler=first_line([COMPILER, "--version"]),
        options=OPTIONS,
        tools=tools,
        processor=processor(),
        runs=_RUNS,
        works=tuple(_measured(work, onnxruntime) for work in chosen or works()),
        made=made.ended(),
    )


def _onnxruntime() -> OnnxRuntime | None:
    """Where it is installed."""
    try:
        return OnnxRuntime()
    except NoResultError:
        return None


def _implementations(
    call: Call, onnxruntime: OnnxRuntime | None
) -> Iterator[tuple[str, Callable[[], Array]]]:
    yield "libsonnx", partial(kernels.apply, call)
    if kernels.supports(call.instance(), by=Arithmetics.FUSED):
        yield "libsonnx, fused", partial(kernels.apply, call, by=Arithmetics.FUSED)
    yield "reference", partial(apply, call)
    if call.operator is MATMUL:
        yield "NumPy's BLAS", partial(np.matmul, *call.arrays)
    if onnxruntime:
        compiled = onnxruntime.prepare(call, PLAIN)
        yield "onnxruntime", partial(compiled, call.arrays)


def _measured(work: Work, onnxruntime: OnnxRuntime | None) -> MeasuredWork:
    computed = dict(_implementations(work.call, onnxruntime))
    bits = {name: compute().tobytes() for name, compute in computed.items()}
    times: dict[str, list[float]] = {name: [] for name in computed}
    for _ in range(_RUNS):
        for name, compute in computed.items():
            began = time.process_time()
            compute()
            times[name].append(time.process_time() - began)
    fastest = {name: max(min(seconds), 1e-6) for name, seconds in times.items()}
    return MeasuredWork(
        title=work.title,
        products=work.products,
        speeds=tuple(
            MeasuredSpeed(
                implementation=name,
                rate=max(round(work.products / seconds), 1),
                same_bits=bits[name] == bits["libsonnx"],
                seconds=seconds,
            )
            for name, seconds in fastest.items()
        ),
    )


def processor() -> str:
    """The name of the processor, or where the system does not tell it, of its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(filter(None, named), platform.machine() or "unknown")
