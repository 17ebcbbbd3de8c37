"""All that a trace is computed from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sonnx_formal.report.trace.crosscheck import CrossCheck
from sonnx_formal.report.trace.goals import ProvedGoal
from sonnx_formal.vectors.manifest import Manifest


@dataclass(frozen=True)
class Evidence:
    """Goals, vectors and verdicts. What is None was not given, and then nothing is taken for it."""

    goals: tuple[ProvedGoal, ...]
    vectors: Manifest | None = None
    crosscheck: CrossCheck | None = None
    tests: frozenset[str] | None = None
    """`tests/file.py::test_name`."""
    used: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ids that occur in sources, with the files they occur in."""
