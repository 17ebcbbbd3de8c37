"""A report's proofs and expected results found out anew from the sources in its folder."""

from collections.abc import Iterator
from pathlib import Path

from sonnx_formal.core.progress import Progress
from sonnx_formal.prover.prove import Mode, ProofRequest, prove
from sonnx_formal.report.bundle import SOURCES
from sonnx_formal.report.documents import VECTORS
from sonnx_formal.report.evidence import Evidence, by_id
from sonnx_formal.report.verify import Flaw
from sonnx_formal.vectors.making import Step
from sonnx_formal.vectors.verifying import verify as verify_vectors

_TIMEOUT = 10  # of a search, which a replay is not


def replayed_proofs(
    folder: Path, evidence: Evidence, jobs: int, progress: Progress
) -> Iterator[Flaw]:
    """Export every goal from the sources of the report, and prove it by their certificate.

    :raises UserError: when a tool is missing, or Why3 rejects a source.
    """
    request = ProofRequest((), _TIMEOUT, jobs, Mode.REPLAY, families=2, described=False)
    found = prove(request, progress, library=(folder / SOURCES / "why3").resolve())
    if found.interrupted:
        raise KeyboardInterrupt
    recorded = dict(by_id(evidence.goals))
    for run in found.runs:
        goal = recorded.pop(run.goal.id, None)
        if goal is None:
            yield Flaw(SOURCES, f"{run.goal.id} is a goal, and the evidence has none of this id")
        elif goal.task_sha256 != run.goal.task.sha256:
            yield Flaw(SOURCES, f"{run.goal.id}: Why3 states another text than the evidence says")
        elif goal.proved and not run.proved:
            yield Flaw(SOURCES, f"{run.goal.id} is not proved: {run.reason or 'no prover could'}")
        elif not set(goal.families) <= set(run.families):
            families = ", ".join(sorted(set(goal.families) - set(run.families)))
            yield Flaw(SOURCES, f"{run.goal.id} is not proved by {families}")
    for identifier in recorded:
        yield Flaw(SOURCES, f"the evidence has {identifier}, and Why3 states no such goal")


def recomputed_vectors(folder: Path, step: Step) -> Iterator[Flaw]:
    """Compute each expected result by the definitions of this installation.

    :raises UserError: when the definitions cannot be run.
    """
    for difference in verify_vectors(folder / VECTORS, step).differences:
        yield Flaw(f"{VECTORS}/{difference.file}", f"{difference.case or ''} {difference.what}")
