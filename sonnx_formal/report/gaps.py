"""The honest gaps: what is not shown, computed from the documents. No option switches one off."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sonnx_formal.report import inputs
from sonnx_formal.report.documents import KINDS
from sonnx_formal.report.evidence import Gap

_DEPARTURES = {"diverges", "crashes", "refuses"}
_LISTED = 2000
"""Items of a gap; the rest is only counted."""


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
        "Proved is that they can be met and are met wherever the definitions use each other; the "
        "rungs of their rows are about that. That a program rejects what violates them, tests show "
        "and no proof.",
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
    ours = {backend.name for backend in check.backends if backend.ours}
    yield from _some(
        "departures",
        "Departures of other implementations from the definitions",
        "Facts about these implementations, which whoever uses them has to deal with. The smallest "
        "inputs are below.",
        [
            f"{one.backend}: {one.operator} {one.element_type} {one.verdict}: {one.kind} "
            f"({one.cases} cases)"
            for one in check.findings
            if one.verdict in _DEPARTURES and one.backend not in ours
        ],
    )
    excluded: Counter[tuple[str, str, str]] = Counter()
    for one in check.findings:
        if one.verdict == "not judged":
            excluded[one.backend, one.operator, one.element_type] += one.cases
    yield from _some(
        "not-judged",
        "Results that were not judged",
        "The specification excludes the operands, or some order of the sums of a MatMul overflows "
        "and another does not, so that no result is the only right one.",
        [
            f"{cell.backend}: {cell.operator} {cell.element_type}: "
            f"{_not_judged(cell, excluded[cell.backend, cell.operator, cell.element_type])}"
            for cell in check.matrix
            if cell.counts.get("not judged")
        ],
    )
    installed = {backend.name for backend in check.backends if not backend.missing}
    yield from _some(
        "not-supported",
        "Operators and types that an implementation does not offer",
        "Nothing is said of them.",
        [
            f"{cell.backend}: {cell.operator} {cell.element_type}: "
            f"{cell.counts['not supported']} cases"
            for cell in check.matrix
            if cell.backend in installed and cell.counts.get("not supported")
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


def of_vacuity(vacuity: inputs.Vacuity) -> Iterator[Gap]:
    """What may be proved of nothing."""
    yield from _some(
        "vacuous",
        "Contradictory hypotheses that nobody accounts for",
        "Whatever is proved behind them is worthless.",
        [
            *vacuity.summary.unaccounted,
            *(f"stale reason: {one}" for one in vacuity.summary.stale_dispositions),
        ],
        blocking=True,
    )
    yield from _some(
        "vacuity-open",
        "Hypotheses of which no prover says whether they can be met",
        "No contradiction was found within the limits. That is not to say that there is none.",
        [
            f"{one.of}{f' ({one.explanation})' if one.explanation else ''}: {one.finding}"
            for one in vacuity.hypotheses
            if one.finding in {"inconclusive", "not asked"}
        ],
    )
    yield from _some(
        "no-witness",
        "Preconditions and parameters without a witness",
        "No declaration applies them to concrete operands, so they may be impossible to meet.",
        [one.name for one in (*vacuity.preconditions, *vacuity.parameters) if not one.witnesses],
    )


def of_mutation(mutation: inputs.Mutation, prove: inputs.Prove | None) -> Iterator[Gap]:
    """Wrong edits that nothing notices."""
    found = mutation.summary
    low = [one for one in mutation.files if not one.good]
    yield from _some(
        "mutation",
        "Wrong edits that nothing notices, unexplained, or too many",
        "Where a definition or contract can be changed unnoticed, the goals do not pin it down.",
        [
            *found.unexplained,
            *(f"{one.file}: its score is {_percent(one.score)}" for one in low),
            *(f"stale reason: {one}" for one in found.stale_dispositions),
        ],
        blocking=True,
    )
    yield from _some(
        "survivors",
        "Wrong edits that nothing notices, with a reason",
        "Each has a reason that somebody wrote down, which is an argument and no proof.",
        [
            f"{one.id}: {one.reason}"
            for one in mutation.mutants
            if one.outcome == "survived" and one.reason
        ],
    )
    yield from _some(
        "untried-mutants",
        "Wrong edits that were not tried",
        "They count for nothing, neither as noticed nor as unnoticed.",
        [one.id for one in mutation.mutants if one.outcome == "untried"],
    )
    edited = {one.file for one in mutation.files}
    yield from _some(
        "not-mutated",
        "Files of the library in which nothing was edited",
        "Whether their goals would notice a wrong definition, mutation does not say.",
        list(dict.fromkeys(goal.file for goal in prove.goals if goal.file not in edited))
        if prove
        else [],
    )


def of_records(unrecorded: Sequence[str]) -> Iterator[Gap]:
    """Results that take long, and that are not those of the records."""
    yield from _some(
        "unrecorded",
        "Results that the records do not have",
        "The records in the sources have another result of the same text, or none, so a document "
        "is of other sources, or was edited.",
        unrecorded,
        blocking=True,
    )


def of_hypotheses(use: inputs.UseOfHypotheses) -> Iterator[Gap]:
    """Preconditions that may be too strong."""
    unused = [one for one in use.preconditions if one.use == "unused"]
    yield from _some(
        "unused-preconditions",
        "Preconditions that no proof uses, without a reason",
        "A contract may be stronger than it has to be, or a goal is missing.",
        [
            *(f"{one.function}: {one.name}" for one in unused if one.reason is None),
            *(f"obsolete reason: {one.function}: {one.name}" for one in use.obsolete_reasons),
        ],
        blocking=True,
    )
    yield from _some(
        "undetermined-preconditions",
        "Preconditions of which it is not known whether a proof uses them",
        "No prover gave an unsatisfiable core for some goal under them.",
        [f"{one.function}: {one.name}" for one in use.preconditions if one.use == "undetermined"],
    )


def of_certified(certified: inputs.Certified, prove: inputs.Prove | None) -> Iterator[Gap]:
    """Proofs that nobody checked step by step."""
    goals = {goal.id: goal.task_sha256 for goal in prove.goals} if prove else {}
    checked = {one.id: one for one in certified.goals if one.outcome == "proof"}
    yield from _some(
        "certified-refused",
        "Proofs that their checker refused, or that were contradicted",
        "The prover claims a proof, and its own check of it fails.",
        [
            f"{one.id}: {one.outcome}: {one.because}"
            for one in certified.goals
            if one.outcome in {"refused", "contradiction"}
        ],
        blocking=True,
    )
    yield from _some(
        "not-certified",
        "Goals without a proof that was written out and checked",
        "Their provers are believed on their word.",
        [
            name
            for name, text in goals.items()
            if name not in checked or checked[name].task_sha256 != text
        ],
    )
    yield from _some(
        "not-independently-checked",
        "Written proofs that no independent checker went through",
        "The prover that wrote these proofs checked them itself.",
        [one.id for one in checked.values() if one.complete is not True],
    )
    yield from _some(
        "trusted-steps",
        "Written proofs with steps that nobody explains",
        "The check takes these steps on trust.",
        [
            f"{one.id}: {sum(one.trusted.values())} of {one.steps} steps"
            for one in checked.values()
            if one.trusted
        ],
    )


def of_self_test(found: inputs.SelfTest) -> Iterator[Gap]:
    """Injected faults that went unnoticed."""
    yield from _some(
        "self-test",
        "Injected faults that nothing noticed",
        "What should have been caught was not, so a fault of that kind may be in the evidence.",
        [f"{one.injected}: {one.guard}" for one in found.injections if not one.caught],
        blocking=True,
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
    return Gap(identifier, title, text, tuple(items[:_LISTED]), len(items), blocking)


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


def _percent(score: float | None) -> str:
    return "unknown" if score is None else f"{score:.0%}"


def _not_judged(cell: inputs.MatrixCell, excluded: int) -> str:
    orders = cell.counts["not judged"] - excluded
    said = [f"{excluded} of excluded operands"] if excluded else []
    return ", ".join([*said, f"{orders} of sums that some orders overflow"] if orders else said)


def _planned(one: inputs.Requirement) -> str:
    return f"{one.id}: {'; '.join(gap.removeprefix('planned: ') for gap in one.gaps)}"


def _complete(one: inputs.Requirement) -> list[bool]:
    return [each.combinations == each.of for each in one.confirmed_by]


def _confirmations(one: inputs.Requirement) -> str:
    said = [f"{each.implementation} {each.combinations} of {each.of}" for each in one.confirmed_by]
    return ", ".join(said) or "none"
