"""What an implementation of the operators looks like from here, and what becomes of a call."""

import importlib
from dataclasses import dataclass
from typing import Protocol

from msgspec import Struct

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


def version_of(package: str) -> str:
    """The version of an installed package."""
    from importlib.metadata import version  # noqa: PLC0415 (who only computes does without)

    return version(package)


class Result(Struct, frozen=True, eq=False, tag=True):
    """There is an array."""

    array: Array


class WrongKind(Struct, frozen=True, tag=True):
    """Something came back that is no array of a type of the project."""

    message: str


class Refused(Struct, frozen=True, tag=True):
    """An error was raised: the implementation knows that it did not compute."""

    message: str
    requirement: str | None = None
    """The id that the error names, if it does as `SpecViolation` does."""
    said: str = ""
    """What was written to standard error meanwhile, unless that is the message: the end of it."""


class Crashed(Struct, frozen=True, tag=True):
    """The process ended, by a signal of this name or with this exit status."""

    how: str


class Hung(Struct, frozen=True, tag=True):
    """There was no answer in time."""

    seconds: float


class NotApplicable(Struct, frozen=True, tag=True):
    """The implementation cannot be put to this form, or it would show nothing here."""

    message: str


CallOutcome = Result | WrongKind | Refused | Crashed | Hung | NotApplicable


class NoResultError(Exception):
    """There is no array, and it is known what became of the call instead."""

    def __init__(self, outcome: CallOutcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome


class NotApplicableError(NoResultError):
    """As `NotApplicable`."""

    def __init__(self, message: str) -> None:
        super().__init__(NotApplicable(message))


class Backend(Protocol):
    """An implementation. It lives in a process of its own, where it may crash or hang."""

    @property
    def version(self) -> str:
        """The version of the implementation, in its own notation."""

    def supports(self, instance: Instance) -> bool:
        """Whether the operator over these types can be put to it at all."""

    def run(self, call: Call, form: Form) -> Array:
        """The result, as the implementation gives it: shape and type are not corrected.

        Any exception is a refusal, but for `NoResultError`, which says what became of the call.
        """


def only_plain(form: Form) -> None:
    """For who is called without a model: raises `NoResultError` for any other form."""
    if form != PLAIN:
        raise NotApplicableError("it is not given a model")


def has_reals(instance: Instance) -> bool:
    """Whether a type is that of real numbers, which only definitions compute with."""
    return any(type_.family is Family.REAL for type_ in instance.types)


def is_in_onnx(instance: Instance) -> bool:
    """Whether ONNX has the operator over these types."""
    # Imported only here: who does not need `onnx` starts sooner.
    onnx_model = importlib.import_module("sonnx_formal.spec.onnx_model")
    found: bool = onnx_model.is_in_onnx(instance)
    return found
