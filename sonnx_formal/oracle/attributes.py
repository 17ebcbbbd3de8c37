"""What a node says besides its operands."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from sonnx_formal.oracle.elements import integer_to_bytes, text_to_bytes


@dataclass(frozen=True)
class Attributes:
    """The attributes of the operators of ONNX and OpenVINO; None where one is not set."""

    axis: int | None = None
    """Of ONNX Mul 6 and 1: the axis of A at which the shape of B begins."""
    broadcast: int | None = None
    """Of ONNX Mul 6 and 1: 1 if B may be broadcast."""
    consumed_inputs: tuple[int, ...] | None = None
    """Of ONNX Mul 1: it has no meaning."""
    auto_broadcast: str | None = None
    """Of OpenVINO Multiply-1: `none` or `numpy`."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Those of these names and values, as JSON has them."""
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
        return cls(**plain)

    def those_set(self) -> dict[str, Any]:
        """Those that are set, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def to_bytes(self) -> bytes:
        """A byte with a bit for each that is set, then the values of these."""
        values = [
            None if self.axis is None else integer_to_bytes(self.axis),
            None if self.broadcast is None else integer_to_bytes(self.broadcast),
            None if self.consumed_inputs is None else _integers(self.consumed_inputs),
            None if self.auto_broadcast is None else text_to_bytes(self.auto_broadcast),
        ]
        bits = sum(1 << place for place, value in enumerate(values) if value is not None)
        return b"".join([bytes([bits]), *(value for value in values if value is not None)])

    def __str__(self) -> str:
        """As in `axis=1, broadcast=1`; empty where none is set."""
        return ", ".join(f"{name}={_shown(value)}" for name, value in self.those_set().items())


UNSET = Attributes()
"""No attribute is set."""


def _integers(numbers: Iterable[int]) -> bytes:
    written = [integer_to_bytes(number) for number in numbers]
    return len(written).to_bytes(4, "little") + b"".join(written)


def _shown(value: Any) -> str:
    return str(list(value)) if isinstance(value, tuple) else str(value)
