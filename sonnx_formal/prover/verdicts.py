"""What one prover said about one task, and under which limits."""

from dataclasses import dataclass
from enum import StrEnum


class Answer(StrEnum):
    """What a prover said about a task: `VALID` is a proof, nothing else is."""

    VALID = "valid"
    SAT = "sat"
    UNKNOWN = "unknown"
    TIMEOUT = "timeout"
    MEMORY = "out of memory"
    STEPS = "step limit"
    FAILURE = "failure"


CONCLUSIVE = {Answer.VALID, Answer.SAT}
"""The answers about the task itself, whatever the limits were."""
LIMITED = {Answer.TIMEOUT, Answer.MEMORY, Answer.STEPS}
"""The answers that larger limits may change."""


@dataclass(frozen=True)
class Limits:
    """What a prover may spend on a task."""

    seconds: int
    """Of CPU time."""
    steps: int | None = None
    """In the prover's own unit, the same on every machine."""


@dataclass(frozen=True)
class ProverVerdict:
    """One prover's answer about one task."""

    prover: str
    version: str
    family: str
    strategy: str
    limits: Limits | None
    """None for a conclusive answer from the cache: it holds whatever the limits were."""
    answer: Answer
    seconds: float
    """Of CPU time, when the prover ran."""
    steps: int | None
    output: str
    """The beginning of what the prover printed."""
    cached: bool = False
