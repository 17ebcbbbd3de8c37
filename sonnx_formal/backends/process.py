"""A worker seen from outside: what becomes of a call, be it a crash or silence.

Messages go both ways as MessagePack: structs, and the bits of arrays. Nothing in a message is
executed, so that a worker gone wrong can only send wrong values.
"""

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any, assert_never

import numpy as np
from msgspec import Struct, msgpack

from sonnx_formal.backends import backend
from sonnx_formal.backends.backend import PLAIN, CallOutcome, Form, NoResultError, WrongKind
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import EndedError, Responder
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import BY_NAME, Array, Family, element_type_of
from sonnx_formal.spec.operator import Instance

CALL_SECONDS = 60.0
_LOAD_SECONDS = 120.0
"""The time that an implementation may take until it is ready."""


class Request(Struct, frozen=True):
    """What becomes of a call? Or, where types are named: is the operator over them supported?"""

    operator: str
    types: tuple[str, ...] = ()
    operands: tuple[Array | None, ...] = ()
    attributes: Attributes = UNSET
    form: Form = PLAIN


class UsersMistake(Struct, frozen=True, tag=True):
    """The reply when a mistake of the user's is behind it."""

    message: str


Reply = str | bool | CallOutcome | UsersMistake
"""First the version of the implementation; then whether it is supported, or what became of it."""


def encode(message: Request | Reply) -> bytes:
    """Raises `NoResultError` for an array of a type that cannot be sent."""
    return msgpack.encode(message, enc_hook=_packed)


def travels(instance: Instance) -> bool:
    """Whether arrays of all its types can be sent."""
    operator = instance.operator
    types = {instance.type_of(operator.output), *map(instance.type_of, operator.inputs)}
    return not {type_.family for type_ in types} & {Family.TEXT, Family.COMPLEX}


def _packed(array: Array) -> tuple[str, tuple[int, ...], bytes | list[str]]:
    try:
        type_ = element_type_of(array)
    except TypeError:
        raise NoResultError(WrongKind(f"an array of {array.dtype}")) from None
    match type_.family:
        case Family.TEXT | Family.COMPLEX:
            raise NoResultError(WrongKind(f"an array of {array.dtype}"))
        case Family.REAL:
            return type_.name, array.shape, [str(element) for element in array.flat]
        case Family.INTEGER | Family.FLOAT | Family.BOOLEAN:
            return type_.name, array.shape, np.asarray(array, type_.dtype, order="C").tobytes()
        case _:
            assert_never(type_.family)


def _unpacked(_type: type, packed: Any) -> Array:
    name, shape, content = packed
    type_ = BY_NAME[name]
    if type_.family is not Family.REAL:
        return np.frombuffer(content, type_.dtype).copy().reshape(shape)
    flat: Array = np.empty(len(content), object)
    flat[:] = [float(text) if text == "inf" else Fraction(text) for text in content]
    return flat.reshape(shape)


REQUESTS = msgpack.Decoder(Request, dec_hook=_unpacked)
REPLIES: msgpack.Decoder[Reply] = msgpack.Decoder(Reply, dec_hook=_unpacked)


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
            self._running = Responder(program, self._environment)
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
                case unknown:
                    raise ValueError(f"a worker answers {unknown!r}")
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
                raise NotAvailableError("it died, or gives no answer")

    def run(self, call: Call, form: Form = PLAIN) -> CallOutcome:
        request = Request(call.operator.name, (), call.operands, call.attributes, form)
        reply = self._reply(request)
        assert isinstance(reply, CallOutcome)
        return reply

    def run_alone(self, call: Call, form: Form = PLAIN) -> CallOutcome:
        """`run` in a process that does nothing else before or after."""
        with Worker(self.name, seconds=self._seconds, environment=self._environment) as alone:
            return alone.run(call, form)

    def _reply(self, request: Request) -> Reply:
        self.version()
        return self._exchange(self._seconds, encode(request))

    def _exchange(self, seconds: float, request: bytes | None = None) -> Reply:
        assert self._running
        answer = None
        try:
            answer = self._running.answer(seconds, request)
        except TimeoutError:
            return backend.Hung(seconds)
        except EndedError as error:
            return backend.Crashed(str(error))
        finally:
            if answer is None:
                self._running = None
        reply = REPLIES.decode(answer)
        if isinstance(reply, UsersMistake):
            self.close()
            raise UserError(reply.message)
        return reply
