"""What can go wrong when the formal definitions are asked."""

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.requirements.registry import requirement


class Inadmissible(ValueError):
    """The operands violate a requirement, and nothing was computed."""

    def __init__(self, identifier: str, what: str) -> None:
        """Raises `UnknownRequirementError` if the registry does not have the id."""
        super().__init__(identifier, what)
        self.requirement = requirement(identifier).id
        """For example `SONNX-MUL.R1`."""
        self.what = what

    def __str__(self) -> str:
        return f"{self.requirement}: {self.what}"


class OracleError(UserError):
    """The oracle gave no answer; the next call starts it anew."""


class OracleDied(OracleError):
    """The process ended in the middle of a call."""


class OracleTimeout(OracleError):
    """The answer did not come within the time limit."""
