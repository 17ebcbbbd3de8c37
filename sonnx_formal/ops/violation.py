"""The error for operands that the specification does not allow."""

from sonnx_formal.requirements import requirement


class SpecViolation(ValueError):
    """The operands violate a requirement of the specification."""

    def __init__(self, identifier: str, explanation: str) -> None:
        """Raises `UnknownRequirementError` if the registry does not have the id."""
        super().__init__(identifier, explanation)
        self.requirement = requirement(identifier).id

    def __str__(self) -> str:
        identifier, explanation = self.args
        return f"{identifier}: {explanation}"
