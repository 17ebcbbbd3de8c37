"""The error for operands that a document does not allow."""

from sonnx_formal.spec.requirements.registry import requirement


class SpecViolation(ValueError):
    """The operands violate a requirement of the specification: `requirement` is its id."""

    def __init__(self, identifier: str, explanation: str) -> None:
        """The explanation is what the operands are, and the way out. The registry has the id."""
        super().__init__(identifier, explanation)
        self.requirement = requirement(identifier).id

    def __str__(self) -> str:
        """The id, what is required, and the explanation."""
        identifier, explanation = self.args
        return f"{identifier}: {requirement(identifier).text} {explanation}"
