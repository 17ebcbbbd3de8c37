"""A task that nothing follows from: who proves it, lies."""

from collections.abc import Sequence

from sonnx_formal.prover.provers import Answer, Limits, Prover, answer

CANARY = "(set-logic ALL)\n(declare-fun x () Int)\n(assert (<= 0 (* x x)))\n(check-sat)\n"
"""Its assertions hold of every x, so `false` does not follow."""
_LIMITS = Limits(seconds=10)


def liars(provers: Sequence[Prover]) -> list[str]:
    """Those that say that false follows. Raises `UserError` when one cannot be started."""
    return [prover.name for prover in provers if _proves_false(prover)]


def _proves_false(prover: Prover) -> bool:
    return answer(prover.start(CANARY, _LIMITS).wait(), None, None) is Answer.VALID
