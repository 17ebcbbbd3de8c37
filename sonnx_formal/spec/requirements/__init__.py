"""The registry: requirements of the source documents, findings about them, and what was left out.

All of it is text in TOML files beside this module, which are read strictly: a file an operator or a
document.
"""

from sonnx_formal.spec.requirements.entries import Kind, LeftOut, Level, Sketch, Status
from sonnx_formal.spec.requirements.findings import Finding, findings
from sonnx_formal.spec.requirements.left_out import left_out
from sonnx_formal.spec.requirements.operator_goals import OperatorGoals, operator_goals
from sonnx_formal.spec.requirements.registry import (
    Requirement,
    SourceDocument,
    UnknownRequirementError,
    documents,
    requirement,
    requirements,
)

__all__ = [
    "Finding",
    "Kind",
    "LeftOut",
    "Level",
    "OperatorGoals",
    "Requirement",
    "Sketch",
    "SourceDocument",
    "Status",
    "UnknownRequirementError",
    "documents",
    "findings",
    "left_out",
    "operator_goals",
    "requirement",
    "requirements",
]
