"""Workers that are not as they should be: a part of them is exchanged while they run."""

from typing import Any

from distributed import WorkerPlugin

from sonnx_formal.cluster import worker
from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.installation import Why3, find_why3
from sonnx_formal.prover.site import Program

NAME = "odd"


def digest_of_another_job(_message: bytes) -> str:
    return "0" * 64


def other_package() -> str:
    return "0.0.9 (0123456789ab)"


def older_programs() -> dict[str, Program]:
    return {"cvc4": Program("cvc4", "1.5", ("false",))}


def no_programs() -> dict[str, Program]:
    return {}


def older_why3() -> Why3:
    found = find_why3()
    return Why3(found.path, "0.9", found.drivers)


def no_why3() -> Why3:
    raise UserError("why3 was not found")


class Odd(WorkerPlugin):
    """Exchanges a function of the module of workers, as long as it is registered."""

    name = NAME

    def __init__(self, exchanged: str, by: Any) -> None:
        self.exchanged = exchanged
        self.by = by

    def setup(self, worker: Any) -> None:
        self.before = getattr(_module(), self.exchanged)
        setattr(_module(), self.exchanged, self.by)

    def teardown(self, worker: Any) -> None:
        setattr(_module(), self.exchanged, self.before)


def _module() -> Any:
    return worker
