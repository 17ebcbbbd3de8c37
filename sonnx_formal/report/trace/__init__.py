"""The trace: from each requirement to its goals, vectors and tests, and back; checked both ways."""

from sonnx_formal.report.trace.crosscheck import CrossCheck, Outcome, Row, read_crosscheck
from sonnx_formal.report.trace.evidence import Evidence
from sonnx_formal.report.trace.goals import (
    ProvedGoal,
    files_of_the_trace,
    goals_of_library,
    goals_of_run,
)
from sonnx_formal.report.trace.trace import (
    Confirmation,
    Error,
    FindingLine,
    Line,
    Proof,
    Rule,
    State,
    Trace,
    trace,
)

__all__ = [
    "Confirmation",
    "CrossCheck",
    "Error",
    "Evidence",
    "FindingLine",
    "Line",
    "Outcome",
    "Proof",
    "ProvedGoal",
    "Row",
    "Rule",
    "State",
    "Trace",
    "files_of_the_trace",
    "goals_of_library",
    "goals_of_run",
    "read_crosscheck",
    "trace",
]
