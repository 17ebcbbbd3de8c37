"""The program of a worker: it loads one implementation and runs it on what it is sent."""

import os
import sys
import warnings
from multiprocessing.connection import Connection

from sonnx_formal.backends.backend import (
    Backend,
    CrashedError,
    Form,
    NotApplicableError,
    NotInstalledError,
    WrongKindError,
)
from sonnx_formal.backends.catalogue import load
from sonnx_formal.backends.wire import decode, encode
from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.spec.element_types import BY_NAME
from sonnx_formal.spec.operator import Instance

_STATUSES: dict[type[Exception], str] = {
    UserError: "user error",
    WrongKindError: "wrong kind",
    NotApplicableError: "not applicable",
    CrashedError: "crashed",
}


def main() -> None:
    """Serve until the other end is closed. Arguments: the implementation, a file descriptor."""
    name, descriptor = sys.argv[1:]
    warnings.simplefilter("ignore")
    with Connection(int(descriptor)) as connection:
        os.set_inheritable(connection.fileno(), False)
        try:
            backend = load(name)
            greeting = {"status": "ready", "version": backend.version}
        except NotInstalledError as error:
            greeting = {"status": "not installed", "message": str(error)}
        except UserError as error:
            greeting = {"status": "user error", "message": str(error)}
        connection.send_bytes(encode(greeting))
        while greeting["status"] == "ready":
            try:
                request = connection.recv_bytes()
            except EOFError:
                return
            connection.send_bytes(_answer(backend, request))


def _answer(backend: Backend, request: bytes) -> bytes:
    header, operands = decode(request)
    try:
        # By its name: one that is not declared is an error, and never another operator.
        declared = operator(header["operator"])
        if header["asks"] == "supports":
            types = tuple(BY_NAME[name] for name in header["types"])
            supports = backend.supports(Instance(declared, types))
            return encode({"status": "ready", "supports": supports})
        call = Call(declared, tuple(operands), Attributes.of(header["attributes"]))
        return encode({"status": "result"}, [backend.run(call, Form(**header["form"]))])
    except tuple(_STATUSES) as error:
        status = next(_STATUSES[kind] for kind in _STATUSES if isinstance(error, kind))
        return encode({"status": status, "message": str(error)})
    except BaseException as error:
        requirement = getattr(error, "requirement", None)
        known = requirement if isinstance(requirement, str) else None
        message = f"{type(error).__name__}: {error}"
        return encode({"status": "refused", "message": message, "requirement": known})


if __name__ == "__main__":
    main()
