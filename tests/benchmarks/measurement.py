"""What is measured, and with what."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.provers import Prover

Say = Callable[[str], None]
"""Shows a line of progress."""


@dataclass(frozen=True)
class Setting:
    """What all runs share."""

    why3: Why3
    provers: Sequence[Prover]
    timeout: int
    """Seconds that a prover gets for a goal."""
    cores: int


@dataclass(frozen=True)
class Measurement:
    """One run over the library."""

    name: str
    seconds: float
    goals: int
    proved: int
