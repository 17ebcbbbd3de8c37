"""The errors that end an examination."""

from sonnx_formal.core.errors import UserError
from sonnx_formal.lint.wording import one_line


class ModelError(UserError):
    """The file is no ONNX model that can be examined; the command ends with exit status 3."""

    def __init__(self, message: str) -> None:
        """The message may have names of the file in it."""
        super().__init__(one_line(message))


class FixError(UserError):
    """The changed model could not be shown to be the same, so that it is not written."""

    def __init__(self, message: str) -> None:
        """The message may have names of the file in it."""
        super().__init__(one_line(message))
