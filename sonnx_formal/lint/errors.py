"""The error for a file of which nothing can be said."""

from sonnx_formal.why3.errors import UserError


class ModelError(UserError):
    """The file is no ONNX model that can be examined; the command ends with exit status 3."""


class FixError(UserError):
    """The changed model could not be shown to be the same, so that it is not written."""
