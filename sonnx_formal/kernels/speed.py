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


class KernelSpeeds(OnLibsonnx, frozen=True, kw_only=True, tag="sonnx-formal/kernel-speed/1"):
    """MatMul over float32 on square matrices, on one core."""

    command = 'bench ARGS="kernels --json PATH"'

    compiler: Words
    """Of libsonnx, as it names itself."""
    options: tuple[str, ...]
    tools: dict[str, str]
    """What the others are made of, with their versions."""
    processor: Words
    side: Some
    """Rows and columns."""
    runs: Some
    """Of each, the fastest counts."""
    speeds: Annotated[tuple[MeasuredSpeed, ...], Meta(min_length=1)]
    """libsonnx first: the others are compared with it."""

    def ratio(self, speed: MeasuredSpeed) -> float:
        """How many times as fast as libsonnx it is."""
        return speed.rate / self.speeds[0].rate
