"""How fast libsonnx is beside others: what `make bench ARGS=kernels` measures."""

from typing import Annotated

from msgspec import UNSET, Meta

from sonnx_formal.core.documents import Part, Seconds, Words
from sonnx_formal.kernels.targets import OnLibsonnx, Some


class MeasuredSpeed(Part, frozen=True, kw_only=True):
    """The speed of an implementation."""

    implementation: Words
    rate: Some
    """Products that are added up a second."""
    same_bits: bool
    """As libsonnx."""
    seconds: Seconds = UNSET


class MeasuredWork(Part, frozen=True, kw_only=True):
    """An operator on operands of some size, by each implementation."""

    title: Words
    """`MatMul, 512 rows and columns`."""
    products: Some
    """So many are added up."""
    speeds: Annotated[tuple[MeasuredSpeed, ...], Meta(min_length=1)]
    """libsonnx first: the others are compared with it."""

    def ratio(self, speed: MeasuredSpeed) -> float:
        """How many times as fast as libsonnx it is."""
        return speed.rate / self.speeds[0].rate


class KernelSpeeds(OnLibsonnx, frozen=True, kw_only=True, tag="sonnx-formal/kernel-speed/3"):
    """Sums of products over float32, on one core."""

    command = 'bench ARGS="kernels --json PATH"'

    compiler: Words
    """Of libsonnx, as it names itself."""
    options: tuple[str, ...]
    tools: dict[str, str]
    """What the others are made of, with their versions."""
    processor: Words
    runs: Some
    """Of each, the fastest counts."""
    works: Annotated[tuple[MeasuredWork, ...], Meta(min_length=1)]
