"""Gaps of the proofs: goals without one, and proofs that nobody checked."""

from collections.abc import Iterable, Iterator

from sonnx_formal.evidence.certify import CertifiedProofs
from sonnx_formal.prover.certificate import Certificate
from sonnx_formal.prover.document import ProofReport
from sonnx_formal.report.gaps.gap import Shortfall


def of_proofs(prove: ProofReport, certificate: Certificate | None) -> Iterator[Shortfall]:
    """Goals that are not proved, or not as they should be."""
    summary = prove.summary
    yield "disagreement", [summary.disagreement] if summary.disagreement else []
    yield "interrupted", [f"{summary.unproved} goals were open"] if summary.interrupted else []
    yield "unproved", [f"{goal.id}: {goal.said}" for goal in prove.goals if not goal.proved]
    yield "certificate", _unrecorded(prove, certificate)
    yield (
        "single-family",
        [
            f"{goal.id} ({', '.join(proof.prover for proof in goal.proofs)})"
            for goal in prove.goals
            if len(goal.families) == 1
        ],
    )


def of_certified(certified: CertifiedProofs, prove: ProofReport | None) -> Iterator[Shortfall]:
    """Proofs that nobody checked step by step."""
    checked = {goal.id: goal for goal in certified.goals if goal.outcome == "proof"}
    yield (
        "certified-refused",
        [
            f"{goal.id}: {goal.outcome}: {goal.because}"
            for goal in certified.goals
            if goal.outcome in {"refused", "contradiction"}
        ],
    )
    yield (
        "not-certified",
        [
            goal.id
            for goal in (prove.goals if prove else ())
            if goal.id not in checked or checked[goal.id].task_sha256 != goal.task_sha256
        ],
    )
    yield (
        "not-independently-checked",
        [goal.id for goal in checked.values() if goal.complete is not True],
    )
    yield (
        "trusted-steps",
        [
            f"{goal.id}: {sum(goal.trusted.values())} of {goal.steps} steps"
            for goal in checked.values()
            if goal.trusted
        ],
    )


def _unrecorded(prove: ProofReport, certificate: Certificate | None) -> Iterable[str]:
    if certificate is None:
        yield "there is no certificate"
        return
    if certificate.why3 != prove.why3:
        yield f"made with Why3 {certificate.why3}, the run with {prove.why3}"
        return
    for goal in prove.goals:
        recorded = certificate.goals.get(goal.id)
        if recorded is None or recorded.task_sha256 != goal.task_sha256:
            yield f"{goal.id}: {'not recorded' if recorded is None else 'another text'}"
            continue
        known = {(proof.prover, proof.version, proof.strategy) for proof in recorded.proofs}
        for proof in goal.proofs:
            if (proof.prover, proof.version, proof.strategy) not in known:
                yield f"{goal.id}: no proof by {proof.prover} {proof.version} is recorded"
