"""The errors that end an examination."""

from sonnx_formal.core.errors import UserError


def one_line(text: object) -> str:
    """A text that a file or a library made, on one line, without what would steer a terminal."""
    line = " ".join(str(text).split())
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)


class LintError(UserError):
    """An error whose message may have names of the file in it."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class ModelError(LintError):
    """The file is no ONNX model that can be examined."""

    exit_status = 3


class FixError(LintError):
    """The changed model could not be shown to be the same, so that it is not written."""
