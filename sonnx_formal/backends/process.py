"""A worker seen from outside: what becomes of a call, be it a crash or silence.

Messages go both ways as MessagePack: structs, and the bits of arrays. Nothing in a message is
executed, and what a worker sends is data of a stranger: it is no longer than `_LONGEST`, each field
has its type and size before anything is made of it, and what makes no sense is a verdict on the
worker.
"""

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from math import prod
from typing import Any, assert_never

import msgspec
import numpy as np
from msgspec import Struct, msgpack

from sonnx_formal.backends import backend
from sonnx_formal.backends.backend import (
    PLAIN,
    CallOutcome,
    Crashed,
    Form,
    Hung,
    NoResultError,
    NotApplicable,
    Refused,
    Result,
    WrongKind,
)
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import EndedError, GarbledError, Responder
from sonnx_formal.oracle import arrays
from sonnx_formal.oracle.frames import MOST_ELEMENTS
from sonnx_formal.oracle.tensors import WireTensor
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import BOOLEAN, BY_NAME, Array, Family
from sonnx_formal.spec.operator import Instance

CALL_SECONDS = 60.0
_LOAD_SECONDS = 120.0
"""The time that an implementation may take until it is ready."""
_LONGEST = 1 << 26
"""Bytes of an answer."""
_LONGEST_TEXT = 10_000
"""Characters of a message in an answer that are kept."""
_MOST_DIGITS = 1 << 14
"""Hexadecimal digits of a numerator or a denominator."""
_SENT = {Family.INTEGER, Family.FLOAT, Family.BOOLEAN, Family.REAL, Family.TEXT}


class Request(Struct, frozen=True):
    """What becomes of a call? Or, where types are named: is the operator over them supported?"""

    operator: str
    types: tuple[str, ...] = ()
    operands: tuple[Array | None, ...] = ()
    attributes: Attributes = UNSET
    form: Form = PLAIN
    number: int = 0
    """Which one to the process it is, from 1 on: the answer repeats it."""


class UsersMistake(Struct, frozen=True, tag=True):
    """The reply when a mistake of the user's is behind it."""

    message: str


class SentArray(Struct, frozen=True, array_like=True):
    """An array on its way."""

    type: str
    shape: tuple[int, ...]
    content: bytes
    """Of real numbers as `fraction_bytes` has them, of texts as `text_bytes`, else the bits."""


class SentResult(Struct, frozen=True, tag=Result.__name__):
    """A `Result` before anybody looked at the array."""

    array: SentArray


Reply = str | bool | CallOutcome | UsersMistake
"""First the version of the implementation; then whether it is supported, or what became of it."""
_SentReply = (
    str | bool | SentResult | WrongKind | Refused | Crashed | Hung | NotApplicable | UsersMistake
)


def encode(request: Request) -> bytes:
    """Raises `NoResultError` for an array of a type that cannot be sent."""
    return msgpack.encode(request, enc_hook=_packed)


def encode_reply(number: int, reply: Reply) -> bytes:
    """The answer to the request of this number, 0 for the version. Raises, as `encode` does."""
    return msgpack.encode((number, reply), enc_hook=_packed)


def travels(instance: Instance) -> bool:
    """Whether arrays of all its types can be sent."""
    operator = instance.operator
    types = {instance.type_of(operator.output), *map(instance.type_of, operator.inputs)}
    return {type_.family for type_ in types} <= _SENT


def _packed(array: Array) -> SentArray:
    try:
        tensor = arrays.tensor(array)
    except TypeError as error:
        raise NoResultError(WrongKind(str(error))) from None
    if tensor.type.family not in _SENT:
        raise NoResultError(WrongKind(f"an array of {array.dtype}"))
    return SentArray(tensor.type.name, tensor.shape, tensor.content)


def _unpacked(sent: SentArray) -> Array:
    """Raises `ValueError` for what is no array, before memory is taken for it."""
    type_ = BY_NAME.get(sent.type)
    if type_ is None or type_.family not in _SENT:
        raise ValueError(f"an array of {sent.type[:40]!r}")
    size = prod(sent.shape)
    if min(sent.shape, default=0) < 0 or size > MOST_ELEMENTS:
        raise ValueError(f"an array of {size} elements, of which {MOST_ELEMENTS} are the most")
    if type_.family is Family.REAL:
        _check_texts(sent.content, 2 * size, _MOST_DIGITS)
    if type_.family is Family.TEXT:
        _check_texts(sent.content, size, _LONGEST)
    array = arrays.array(WireTensor(type_, sent.shape, sent.content))
    if type_ is BOOLEAN and array.view(np.uint8).max(initial=0) > 1:
        raise ValueError("an element that is neither true nor false")
    return array


def _check_texts(content: bytes, count: int, most: int) -> None:
    """Raises `ValueError` unless it has so many texts, none of them long: two make a fraction."""
    at = found = 0
    while at < len(content):
        length = int.from_bytes(content[at : at + 4], "little")
        if length > most:
            raise ValueError(f"a text of {length} bytes, of which {most} are the most")
        at, found = at + 4 + length, found + 1
    if at != len(content) or found != count:
        raise ValueError(f"{len(content)} bytes that are no {count} texts")


def _request_array(_type: type, packed: Any) -> Array:
    return _unpacked(msgspec.convert(packed, SentArray))


REQUESTS = msgpack.Decoder(Request, dec_hook=_request_array)
_REPLIES: msgpack.Decoder[tuple[int, _SentReply]] = msgpack.Decoder(tuple[int, _SentReply])


def decode_reply(number: int, data: memoryview) -> Reply:
    """The answer to the request of this number. Raises `GarbledError` where it makes no sense."""
    try:
        answered, reply = _REPLIES.decode(data)
        if answered != number:
            raise ValueError("it is none to this question")
        match reply:
            case SentResult(array):
                return Result(_unpacked(array))
            case str():
                return reply[:_LONGEST_TEXT]
            case WrongKind(message) | NotApplicable(message) | UsersMistake(message):
                return type(reply)(message[:_LONGEST_TEXT])
            case Refused(message, requirement, said):
                return Refused(message[:_LONGEST_TEXT], requirement, said[:_LONGEST_TEXT])
            case bool() | Crashed() | Hung():
                return reply
            case _:
                assert_never(reply)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise GarbledError(str(error)) from None


def _senseless(error: GarbledError) -> WrongKind:
    return WrongKind(f"its answer makes no sense: {error}"[:_LONGEST_TEXT])


class NotAvailableError(Exception):
    """The implementation does not load on this machine; the text says why."""


class Worker(AbstractContextManager["Worker"]):
    """Runs one implementation in a process of its own, which starts anew after its death.

    A context manager: at its end there is no process left. Each method raises `UserError` when a
    mistake of the user's is behind it, such as a name that means nothing, and `NotAvailableError`
    when the implementation is not installed, or dies or hangs while it is loaded.
    """

    def __init__(
        self,
        name: str,
        *,
        seconds: float = CALL_SECONDS,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """:param seconds: the time that a call may take.
        :param environment: replaces that of this process.
        """
        self.name = name
        self._seconds = seconds
        self._environment = environment
        self._running: Responder | None = None
        self._version = ""
        self._asked = 0
        """How much the running process was asked."""

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process and its children now, whichever thread waits for an answer.

        A later call starts it anew.
        """
        running, self._running = self._running, None
        if running:
            running.close()

    def version(self) -> str:
        if self._running is None:
            program = [sys.executable, "-P", "-m", "sonnx_formal.backends.worker", self.name]
            self._running, self._asked = Responder(program, self._environment), 0
            match self._exchange(_LOAD_SECONDS):
                case str(version):
                    self._version = version
                case backend.Crashed(how):
                    raise NotAvailableError(f"it does not load: {how}")
                case backend.Hung(seconds):
                    raise NotAvailableError(f"it does not load: no answer within {seconds:g} s")
                case backend.Refused(message):
                    self.close()
                    raise NotAvailableError(message)
                case _:
                    self.close()
                    raise NotAvailableError("it does not load: its first answer makes no sense")
        return self._version

    def supports(self, instance: Instance) -> bool:
        """Whether it takes the operator over these types. No answer: `NotAvailableError`, too."""
        if not travels(instance):
            return False
        types = tuple(type_.name for type_ in instance.types)
        match self._reply(Request(instance.operator.name, types)):
            case bool(answer):
                return answer
            case backend.Refused(message):
                raise NotAvailableError(message)
            case _:
                self.close()
                raise NotAvailableError("it died, or gives no answer")

    def run(self, call: Call, form: Form = PLAIN) -> CallOutcome:
        request = Request(call.operator.name, (), call.operands, call.attributes, form)
        reply = self._reply(request)
        if isinstance(reply, CallOutcome):
            return reply
        self.close()
        return _senseless(GarbledError("it is no answer to a call"))

    def run_alone(self, call: Call, form: Form = PLAIN) -> CallOutcome:
        """`run` in a process that does nothing else before or after."""
        with Worker(self.name, seconds=self._seconds, environment=self._environment) as alone:
            return alone.run(call, form)

    def _reply(self, request: Request) -> Reply:
        self.version()
        self._asked += 1
        numbered = msgspec.structs.replace(request, number=self._asked)
        return self._exchange(self._seconds, encode(numbered))

    def _exchange(self, seconds: float, request: bytes | None = None) -> Reply:
        assert self._running
        answer = None
        try:
            answer = self._running.answer(seconds, request, _LONGEST)
        except TimeoutError:
            return backend.Hung(seconds)
        except EndedError as error:
            return backend.Crashed(str(error))
        except GarbledError as error:
            return _senseless(error)
        finally:
            if answer is None:
                self._running = None
        try:
            reply = decode_reply(self._asked, answer)
        except GarbledError as error:
            # What else it says would be taken for the answer to another question.
            self.close()
            return _senseless(error)
        if isinstance(reply, UsersMistake):
            self.close()
            raise UserError(reply.message)
        return reply
