"""What an implementation of the operators looks like from here."""

import signal
from dataclasses import dataclass
from typing import Protocol

from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array, Family
from sonnx_formal.spec.operator import IR_VERSION, OPSET, Instance


@dataclass(frozen=True)
class Form:
    """How an operator is put to a runtime: the default is how the cross-check does it."""

    opset: int = OPSET
    ir_version: int = IR_VERSION
    open_dimensions: bool = False
    """The model leaves the dimensions to the operands: it only says how many there are."""
    never_broadcast: bool = False
    """The runtime is told not to broadcast."""
    own_precision: bool = False
    """The runtime is not told to compute in the element type."""
    as_file: bool = False
    """The operator is a layer of a file of OpenVINO."""


PLAIN = Form()


class NotInstalledError(Exception):
    """The implementation is not on this machine; the text says how to get it."""


class RefusedError(Exception):
    """The implementation does not compute this, and says why."""


class NotApplicableError(Exception):
    """The implementation cannot be put to this form, or it would show nothing here; and why."""


class WrongKindError(Exception):
    """What came back is not an array of an element type that the project knows."""


class CrashedError(Exception):
    """A program behind the implementation was ended by a signal; the text is its name."""


class Backend(Protocol):
    """An implementation. It lives in a process of its own, where it may crash or hang."""

    @property
    def version(self) -> str:
        """The version of the implementation, in its own notation."""

    def supports(self, instance: Instance) -> bool:
        """Whether the operator over these types can be put to it at all."""

    def run(self, call: Call, form: Form) -> Array:
        """The result, as the implementation gives it: shape and type are not corrected.

        Any exception is a refusal; `CrashedError`, `WrongKindError` and `NotApplicableError` are
        what they say.
        """


def only_plain(form: Form) -> None:
    """For who is called without a model: raises `NotApplicableError` for any other form."""
    if form != PLAIN:
        raise NotApplicableError("it is not given a model")


def has_reals(instance: Instance) -> bool:
    """Whether a type is that of real numbers, which only definitions compute with."""
    return any(type_.family is Family.REAL for type_ in instance.types)


def signal_name(number: int) -> str:
    """The name of a signal; of one without a name, its number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
