"""The registry of requirements: what the source documents ask for, each under a permanent id."""

from sonnx_formal.requirements.registry import (
    Kind,
    Requirement,
    UnknownRequirementError,
    requirement,
    requirements,
)

__all__ = ["Kind", "Requirement", "UnknownRequirementError", "requirement", "requirements"]
