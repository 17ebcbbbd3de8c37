"""What can go wrong when the formal definitions are asked."""

from sonnx_formal.why3.errors import UserError


class Inadmissible(ValueError):
    """The operands violate a requirement, and nothing was computed."""

    def __init__(self, requirement: str, what: str) -> None:
        super().__init__(f"{requirement}: {what}")
        self.requirement = requirement
        """The id of the requirement, for example `SONNX-MUL.R1`."""
        self.what = what


class OracleError(UserError):
    """The oracle gave no answer; the next call starts it anew."""


class OracleTimeout(OracleError):
    """The answer did not come within the time limit."""
