"""Whether the results that take long to find out are those that the records in the sources have."""

from collections.abc import Iterator, Mapping

from sonnx_formal.evidence.certify import CertifiedProofs
from sonnx_formal.evidence.mutation.mutate import Mutation
from sonnx_formal.evidence.records import Certification, GoalLine, MutantLine, decode_lines
from sonnx_formal.evidence.vacuity import Vacuity
from sonnx_formal.report.sources import GOAL_RECORDS, MUTANT_RECORD


def unrecorded(
    sources: Mapping[str, bytes],
    vacuity: Vacuity | None,
    certified: CertifiedProofs | None,
    mutation: Mutation | None,
) -> Iterator[str]:
    """The results in these documents that the records do not have.

    :raises UserError: when a record cannot be read.
    """
    lines = [
        line
        for path, data in sources.items()
        if path.startswith(GOAL_RECORDS)
        for line in decode_lines(data, GoalLine, path, "certify")
    ]
    hypotheses = {line.task: line.consistent.finding for line in lines if line.consistent}
    for entry in vacuity.hypotheses if vacuity else ():
        if entry.finding != "not asked" and hypotheses.get(entry.sha256) != entry.finding:
            yield f"vacuity: {entry.of}: {entry.finding}"
    proofs = {line.task: _said(line.certified) for line in lines if line.certified}
    for goal in certified.goals if certified else ():
        if goal.outcome != "not tried" and proofs.get(goal.task_sha256) != _said(goal):
            yield f"certified: {goal.id}: {goal.outcome}"
    data = sources.get(MUTANT_RECORD, b"")
    mutants = decode_lines(data, MutantLine, MUTANT_RECORD, "mutate")
    outcomes = {line.mutant: (line.outcome, line.by) for line in mutants}
    for mutant in mutation.mutants if mutation else ():
        outcome = (mutant.outcome, mutant.by)
        if mutant.outcome != "untried" and outcomes.get(mutant.id) != outcome:
            yield f"mutation: {mutant.id}: {mutant.outcome}"


def _said(proof: Certification) -> tuple[object, ...]:
    return proof.outcome, proof.steps, proof.trusted, proof.checker, proof.complete
