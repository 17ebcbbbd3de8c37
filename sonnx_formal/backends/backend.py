"""What an implementation of the operators looks like from here."""

from typing import Any, Protocol

from numpy.typing import NDArray

from sonnx_formal.vectors.case import Operator

Array = NDArray[Any]


class NotInstalledError(Exception):
    """The implementation is not on this machine; the text says how to get it."""


class RefusedError(Exception):
    """The implementation does not compute this, and says why."""


class WrongKindError(Exception):
    """What came back is not an array of an element type that the project knows."""


class CrashedError(Exception):
    """A program behind the implementation was ended by a signal; the text is its name."""


class Backend(Protocol):
    """An implementation. It lives in a process of its own, where it may crash or hang."""

    @property
    def version(self) -> str:
        """The version of the implementation, in its own notation."""

    def supports(self, operator: Operator, element_type: str) -> bool:
        """Whether operands of this type can be handed over at all."""

    def run(self, operator: Operator, a: Array, b: Array) -> Array:
        """The result, as the implementation gives it: shape and type are not corrected.

        Any exception is a refusal; `CrashedError` and `WrongKindError` are what they say.
        """
