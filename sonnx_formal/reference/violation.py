"""The error for operands that the specification does not allow."""

from sonnx_formal.spec.violation import SpecViolation

__all__ = ["SpecViolation"]
