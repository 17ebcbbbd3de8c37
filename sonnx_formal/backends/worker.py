"""The program of a worker: it loads one implementation and runs it on what it is sent."""

import os
import sys
import warnings
from contextlib import suppress
from functools import partial
from socket import socket

import numpy as np
from msgspec.structs import replace

from sonnx_formal.backends.backend import Backend, NoResultError, Refused, Result, WrongKind
from sonnx_formal.backends.catalogue import load
from sonnx_formal.backends.process import REQUESTS, Reply, Request, UsersMistake, encode_reply
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import Channel, become_reaper, size, words_since
from sonnx_formal.core.texts import printable
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.spec.element_types import TEXT, element_types
from sonnx_formal.spec.operator import Instance

_STANDARD_ERROR = 2


def main() -> None:
    """Serve until the other end is closed. The argument is the name of the implementation."""
    warnings.simplefilter("ignore")
    become_reaper()  # what an implementation leaves running is found below it
    with socket(fileno=os.dup(0)) as end, suppress(EOFError):
        for descriptor in (0, 1):  # what the implementation reads or prints is no message
            os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
        channel = Channel(end)
        try:
            backend = load(sys.argv[1])
            channel.send(encode_reply(0, backend.version))
        except NoResultError as error:
            channel.send(encode_reply(0, error.outcome))
        except UserError as error:
            channel.send(encode_reply(0, UsersMistake(str(error))))
        else:
            while True:
                channel.send(_answer(backend, REQUESTS.decode(channel.receive())))


def _answer(backend: Backend, request: Request) -> bytes:
    encoded = partial(encode_reply, request.number)
    before = size(_STANDARD_ERROR)
    try:
        return encoded(_reply(backend, request))
    except UserError as error:
        return encoded(UsersMistake(str(error)))
    except NoResultError as error:
        outcome = error.outcome
    except BaseException as error:
        outcome = _refusal(error)
    if isinstance(outcome, Refused) and (said := words_since(_STANDARD_ERROR, before)):
        outcome = replace(outcome, said=said)
    return encoded(outcome)


def _refusal(error: BaseException) -> Refused:
    requirement = getattr(error, "requirement", None)
    known = printable(requirement) if isinstance(requirement, str) else None
    return Refused(printable(f"{type(error).__name__}: {error}"), known)


def _reply(backend: Backend, request: Request) -> Reply:
    # By its name: one that is not declared is an error, and never another operator.
    declared = operator(request.operator)
    if request.types:
        return backend.supports(Instance(declared, element_types(*request.types)))
    call = Call(declared, request.operands, request.attributes)
    try:
        result = backend.run(call, request.form)
    except UserError as error:  # of an implementation that calls us: it is no mistake of the user's
        raise NoResultError(_refusal(error)) from None
    if not isinstance(result, np.ndarray | np.generic):
        raise NoResultError(WrongKind(f"a {type(result).__name__} instead of an array"))
    array = np.asarray(result)
    if call.result_type is TEXT and array.dtype == object:  # as ONNX has texts
        array = array.astype(TEXT.dtype)
    return Result(array)


if __name__ == "__main__":
    main()
