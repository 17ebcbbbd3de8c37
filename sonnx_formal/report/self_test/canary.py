"""A task that nothing follows from: who proves it, lies."""

from collections.abc import Sequence

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import Process
from sonnx_formal.prover.provers import Prover, answer
from sonnx_formal.prover.verdicts import Answer

CANARY = "(set-logic ALL)\n(declare-fun x () Int)\n(assert (<= 0 (* x x)))\n(check-sat)\n"
"""Its assertions hold of every x, so `false` does not follow."""
_SECONDS = 10


def liars(provers: Sequence[Prover]) -> list[str]:
    """Those that say that false follows. Raises `UserError` when one cannot be started."""
    return [prover.name for prover in provers if _proves_false(prover)]


def _proves_false(prover: Prover) -> bool:
    try:
        outcome = Process(prover.command_line(None), CANARY, _SECONDS).wait()
    except OSError as error:
        raise UserError(f"{prover.name} could not be started: {error}") from None
    return answer(outcome, None, None) is Answer.VALID
