"""A worker seen from outside: what becomes of a call, be it a crash or silence."""

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager

from sonnx_formal.backends.backend import PLAIN, CallOutcome, Crashed, Form, Hung, Refused
from sonnx_formal.backends.wire import REPLIES, Reply, Request, UsersMistake, encode, travels
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import EndedError, Responder
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.operator import Instance

CALL_SECONDS = 60.0
_LOAD_SECONDS = 120.0
"""The time that an implementation may take until it is ready."""


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
        """End the process and its children now. A later call starts it anew."""
        if self._running:
            self._running.close()
            self._running = None

    def version(self) -> str:
        """The version of the implementation."""
        if self._running is None:
            program = [sys.executable, "-P", "-m", "sonnx_formal.backends.worker", self.name]
            self._running = Responder(program, self._environment)
            match self._exchange(_LOAD_SECONDS):
                case str(version):
                    self._version = version
                case Crashed(how):
                    raise NotAvailableError(f"it does not load: {how}")
                case Hung(seconds):
                    raise NotAvailableError(f"it does not load: no answer within {seconds:g} s")
                case Refused(message):
                    self.close()
                    raise NotAvailableError(message)
                case unknown:
                    raise ValueError(f"a worker answers {unknown!r}")
        return self._version

    def supports(self, instance: Instance) -> bool:
        """Whether the operator over these types can be put to it at all.

        :raises NotAvailableError: also when it gives no answer.
        """
        if not travels(instance):
            return False
        types = tuple(type_.name for type_ in instance.types)
        match self._reply(Request(instance.operator.name, types)):
            case bool(answer):
                return answer
            case Refused(message):
                raise NotAvailableError(message)
            case _:
                raise NotAvailableError("it died, or gives no answer")

    def run(self, call: Call, form: Form = PLAIN) -> CallOutcome:
        """What becomes of a call."""
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
        running, self._running = self._running, None  # until it goes well
        try:
            answer = running.answer(seconds, request)
        except TimeoutError:
            return Hung(seconds)
        except EndedError as error:
            return Crashed(str(error))
        self._running = running
        reply = REPLIES.decode(answer)
        if isinstance(reply, UsersMistake):
            self.close()
            raise UserError(reply.message)
        return reply
