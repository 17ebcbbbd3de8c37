"""The honest gaps: what is not shown, computed from the documents. No option switches one off."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sonnx_formal.report import inputs
from sonnx_formal.report.documents import KINDS
from sonnx_formal.report.evidence import Gap

_LISTED = 2000
"""Items of a gap; the rest is counted."""


def missing_documents(present: Mapping[str, object]) -> Iterator[Gap]:
    """Documents that nobody gave."""
    absent = [kind for kind in KINDS if kind.name not in present]
    if absent:
        yield _gap(
            "missing-evidence",
            "Evidence that is missing",
            "These documents were not there, so nothing that they would show is shown.",
            [
                f"{kind.name}: {kind.purpose} "
                f"(`sonnx-formal {kind.command.format(folder='DIR')}` writes it)"
                for kind in absent
            ],
            blocking=True,
        )


def of_proofs(prove: inputs.Prove, certificate: inputs.Certificate | None) -> Iterator[Gap]:
    """Goals that are not proved, or not as they should be."""
    if prove.summary.disagreement:
        yield _gap(
            "disagreement",
            "Two provers contradict each other",
            "One of them is wrong, so no verdict of the run can be relied on.",
            [prove.summary.disagreement],
            blocking=True,
        )
    if prove.summary.interrupted:
        yield _gap(
            "interrupted", "The proof run was interrupted", "It says nothing of the rest.", [], True
        )
    yield from _some(
        "unproved",
        "Goals without a proof",
        "No prover proved these. A time-out is no proof and no disproof.",
        [_unproved(goal) for goal in prove.goals if not goal.proved],
        blocking=True,
    )
    yield from _some(
        "certificate",
        "Proofs that do not fit the certificate",
        "The certificate has no such proof of such a text: one of the two is not of these sources.",
        list(_unrecorded(prove, certificate)),
        blocking=True,
    )
    yield from _some(
        "single-family",
        "Goals proved by one family of provers only",
        "A flaw of that prover could go unnoticed here.",
        [
            f"{goal.id} ({', '.join(proof.prover for proof in goal.proofs)})"
            for goal in prove.goals
            if len(goal.families) == 1
        ],
    )


def of_trace(trace: inputs.Trace) -> Iterator[Gap]:
    """Requirements that are not served, or not as much as one may think."""
    errors = [f"{error.subject}: {error.rule}: {error.message}" for error in trace.errors]
    errors += [f"not given to the trace: {name}" for name in trace.not_given]
    yield from _some(
        "trace",
        "The trace is not whole",
        "Links between requirements, goals and vectors are broken, or were not checked.",
        errors,
        blocking=True,
    )
    requirements = trace.requirements
    formalised = [one for one in requirements if one.status != "planned"]
    yield from _some(
        "planned",
        "Requirements that are not formalised yet",
        "They are in the registry, and nothing about them is proved or tested.",
        [_planned(one) for one in requirements if one.status == "planned"],
    )
    yield from _some(
        "real-only",
        "Requirements claimed of real numbers only",
        "They say nothing of what a computer's arithmetic does.",
        [one.id for one in formalised if one.levels == ("real",)],
    )
    yield from _some(
        "one-implementation",
        "Requirements whose vectors pass on one implementation or none",
        "No second implementation confirms that the vectors ask what they should.",
        [
            f"{one.id}: {_confirmations(one)}"
            for one in formalised
            if one.no_vector is None and sum(_complete(one)) <= 1
        ],
    )
    yield from _some(
        "no-vector",
        "Requirements that no test vector can exercise",
        "Proofs, and for some of them tests of the implementation, are all there is.",
        [f"{one.id}: {one.no_vector}" for one in formalised if one.no_vector is not None],
    )
    yield from _some(
        "precondition",
        "Requirements stated as preconditions",
        "Proved is that they can be met and are met wherever the definitions use each other. That "
        "a program rejects what violates them, tests show and no proof.",
        [one.id for one in formalised if one.precondition],
    )
    yield from _some(
        "finding-not-shown",
        "Findings that no goal shows",
        "They rest on reading the source document.",
        [f"{one.id}: {one.not_shown}" for one in trace.findings if one.not_shown],
    )


def of_check(check: inputs.Check) -> Iterator[Gap]:
    """What implementations were not judged on, or fail."""
    yield from _some(
        "implementation-failed",
        "Implementations that had to pass and did not",
        "This project's implementation, or one that was required, departs from the definitions.",
        [backend.name for backend in check.backends if backend.failed],
        blocking=True,
    )
    yield from _some(
        "not-installed",
        "Implementations that were not looked at",
        "They were not installed. Nothing is said of them.",
        [f"{backend.name}: {backend.missing}" for backend in check.backends if backend.missing],
    )
    installed = {backend.name for backend in check.backends if not backend.missing}
    for verdict, title, text in (
        (
            "not judged",
            "Results that were not judged",
            "The specification does not determine these results to the bit, or excludes the "
            "operands. A proved bound on the error of sums is planned; until then, no verdict.",
        ),
        (
            "not supported",
            "Operators and types that an implementation does not offer",
            "Nothing is said of them.",
        ),
    ):
        yield from _some(
            verdict.replace(" ", "-"),
            title,
            text,
            [
                f"{cell.backend}: {cell.operator} {cell.element_type}: {cell.counts[verdict]} cases"
                for cell in check.matrix
                if cell.backend in installed and cell.counts.get(verdict)
            ],
        )


def of_trust(trusted: inputs.TrustedBase) -> Iterator[Gap]:
    """What is believed and not accounted for."""
    yield from _some(
        "trust",
        "Trust that the ledger does not account for",
        "Something is believed without a proof, and nobody wrote down why, or the ledger is stale.",
        [f"{one.kind}: {one.what}: {one.remedy}" for one in trusted.differences],
        blocking=True,
    )
    yield from _some(
        "tools-not-here",
        "Tools that were not on the machine",
        "They are in the ledger, and nothing was run with them.",
        [one.name for one in trusted.tools if one.version is None],
    )


def of_sources(library: str, vectors: inputs.Vectors) -> Iterator[Gap]:
    """Vectors of another library."""
    if vectors.formal_sources_sha256 != library:
        yield _gap(
            "vectors-of-other-sources",
            "The test vectors are of other formal sources",
            "Their expected results may not be those of the definitions shown here.",
            [f"vectors: {vectors.formal_sources_sha256}", f"library: {library}"],
            blocking=True,
        )


def always() -> Iterator[Gap]:
    """What no run can close."""
    yield _gap(
        "unsigned",
        "Nothing is signed",
        "The hashes show that files were changed after they were made, not by whom they were made. "
        "Nobody vouches for this evidence, and no independent person reviewed it.",
        [],
    )
    yield _gap(
        "meaning",
        "That the definitions mean what the documents mean",
        "This is for a person to judge, with prose, mathematics and WhyML side by side below.",
        [],
    )


def _some(
    identifier: str, title: str, text: str, items: Sequence[str], *, blocking: bool = False
) -> Iterator[Gap]:
    if items:
        yield _gap(identifier, title, text, items, blocking)


def _gap(
    identifier: str, title: str, text: str, items: Sequence[str], blocking: bool = False
) -> Gap:
    listed = tuple(items[:_LISTED])
    if len(items) > _LISTED:
        listed += (f"and {len(items) - _LISTED} more",)
    return Gap(identifier, title, text, listed, blocking)


def _unproved(goal: inputs.Goal) -> str:
    answers = ", ".join(f"{one.prover}: {one.answer}" for one in goal.attempts)
    return f"{goal.id}: {goal.reason or answers or 'not tried'}"


def _unrecorded(prove: inputs.Prove, certificate: inputs.Certificate | None) -> Iterable[str]:
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


def _planned(one: inputs.Requirement) -> str:
    return f"{one.id}: {'; '.join(gap.removeprefix('planned: ') for gap in one.gaps)}"


def _complete(one: inputs.Requirement) -> list[bool]:
    return [each.combinations == each.of for each in one.confirmed_by]


def _confirmations(one: inputs.Requirement) -> str:
    said = [f"{each.implementation} {each.combinations} of {each.of}" for each in one.confirmed_by]
    return ", ".join(said) or "none"
