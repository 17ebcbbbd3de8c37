"""The gaps, computed: no option switches one off. Their texts are in `tables/gaps.toml`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from msgspec.structs import asdict

from sonnx_formal.check.document import CheckReport, Verdict
from sonnx_formal.check.exhaustive_document import BLOCKS, ExhaustiveReport
from sonnx_formal.core.documents import Count, encode
from sonnx_formal.core.texts import agreeing, counted
from sonnx_formal.evidence.certify import CertifiedProofs
from sonnx_formal.evidence.hypotheses import UseOfHypotheses
from sonnx_formal.evidence.mutation.mutate import Mutation, score_of
from sonnx_formal.evidence.records import (
    Certification,
    CertifyOutcome,
    GoalLine,
    MutantLine,
    decode_lines,
)
from sonnx_formal.evidence.stability import StabilityReport
from sonnx_formal.evidence.vacuity import Vacuity
from sonnx_formal.kernels.document import KernelLibrary, KernelStanding
from sonnx_formal.kernels.targets import TargetRuns
from sonnx_formal.prover.certificate import UNRECORDED, certificate_of
from sonnx_formal.prover.document import GoalEntry, GoalVerdict, ProofReport
from sonnx_formal.prover.provenance import Mode, Provenance
from sonnx_formal.prover.unsplit import unsplit_of
from sonnx_formal.report.documents import (
    CERTIFICATE,
    GOAL_RECORDS,
    KINDS,
    MUTANT_RECORD,
    DocumentEntry,
    Documents,
    library_sha256,
    sha256,
)
from sonnx_formal.report.item import unidentified
from sonnx_formal.report.staleness import why_stale
from sonnx_formal.report.tables import GapClass, GapText, tables
from sonnx_formal.report.trace.document import Trace
from sonnx_formal.spec.requirements.entries import Level

Shortfall = tuple[str, str]
"""The id of a gap, and something that it is about."""

_LISTED = 2000
"""Items of a gap; the rest is only counted."""
DEPARTURES = {Verdict.DIVERGES, Verdict.CRASHES, Verdict.REFUSES}


class Gap(GapText, frozen=True, kw_only=True):
    """Something that is not shown."""

    items: tuple[str, ...]
    """What it is about; of thousands, the first."""
    count: Count
    """How many items there are, listed or not."""


def gaps(
    entries: Iterable[DocumentEntry], documents: Documents, sources: Mapping[str, bytes]
) -> tuple[Gap, ...]:
    """The gaps, blocking ones first, then by class. Raises `UserError` for a broken record."""
    texts = tables().gap
    items: dict[str, list[str]] = {text.id: [] for text in texts}
    for name, item in (*_of_entries(entries), *_shortfalls(documents, sources)):
        items[name].append(item)
    made = [
        Gap(**asdict(text), items=tuple(found[:_LISTED]), count=len(found))
        for text in texts
        if (found := items[text.id]) or text.always
    ]
    order = [*GapClass]
    return tuple(sorted(made, key=lambda gap: (not gap.blocking, order.index(gap.gap_class))))


def _of_entries(entries: Iterable[DocumentEntry]) -> Iterator[Shortfall]:
    absent = {kind.name: kind.absent for kind in KINDS}
    for entry in entries:
        if entry.sha256 is None:
            yield absent[entry.name], f"{entry.name}: {entry.purpose} (`{entry.command}` writes it)"
        elif entry.stale:
            yield absent[entry.name], f"{entry.name}: {entry.stale} (`{entry.command}` mends that)"


def _shortfalls(documents: Documents, sources: Mapping[str, bytes]) -> Iterator[Shortfall]:
    prove, trace = documents.prove, documents.trace
    check, vacuity, mutation = documents.check, documents.vacuity, documents.mutation
    use, certified = documents.hypotheses, documents.certified
    self_test, trusted = documents.self_test, documents.trusted_base
    goals = prove.goals if prove else ()
    yield from _of_proofs(prove) if prove else ()
    for item in _not_in_certificate(prove, sources) if prove else ():
        yield "certificate", item
    library = library_sha256(sources)
    for item in _of_other_sources(documents, library):
        yield "other-sources", item
    for kind in KINDS:
        document = kind.found(documents)
        if document and (jobs := document.made.by_others):
            yield "elsewhere", f"{kind.name}: {jobs}"
    for item in unidentified(documents.item):
        yield "unidentified", item
    yield from _of_trace(trace) if trace else ()
    yield from _of_check(check) if check else ()
    yield from _of_pairs(documents.exhaustive) if documents.exhaustive else ()
    yield from _of_kernels(documents.kernels) if documents.kernels else ()
    if documents.targets and not why_stale(documents.targets, documents.kernels, library):
        yield from _of_targets(documents.targets)
    yield from _of_vacuity(vacuity, goals) if vacuity else ()
    yield from _of_mutation(mutation, goals) if mutation else ()
    yield from _of_hypotheses(use) if use else ()
    yield from _of_certified(certified, goals) if certified else ()
    yield from _of_stability(documents.stability) if documents.stability else ()
    for item in _unrecorded(documents, sources):
        yield "unrecorded", item
    for injection in self_test.injections if self_test else ():
        if not injection.caught:
            yield "self-test", f"{injection.injected}: {injection.guard}"
    for each in trusted.differences if trusted else ():
        yield "trust", f"{each.kind}: {each.what}: {each.remedy}"
    for tool in trusted.tools if trusted else ():
        if tool.version is None:
            yield "tools-not-here", tool.name


def _of_other_sources(documents: Documents, library: str) -> Iterator[str]:
    for kind in KINDS:
        document = None if kind.is_given else kind.found(documents)
        theirs = document.made.library_sha256 if document else library
        if theirs != library:
            yield f"{kind.name}: {theirs}, not {library}"
    check, vectors = documents.check, documents.vectors
    if check and vectors and check.manifest_sha256 != (here := sha256(encode(vectors))):
        yield f"check: test vectors {check.manifest_sha256 or 'of its own'}, not {here}"


def not_anew(made: Provenance) -> Iterator[str]:
    """How a run is neither a replay nor a fresh one of the whole library."""
    if made.mode not in {Mode.FRESH, Mode.REPLAY}:
        yield f"mode {made.mode or 'unknown'}: earlier runs may have contributed"
    if made.from_cache != 0:
        known = made.from_cache and counted(made.from_cache, "verdict")
        yield f"{known or 'nobody says how many verdicts'} from the cache"
    if made.files != ():
        yield f"of {', '.join(made.files or ('files that are not named',))} only"


def _of_proofs(prove: ProofReport) -> Iterator[Shortfall]:
    for item in not_anew(prove.made):
        yield "not-anew", item
    if prove.summary.disagreement:
        yield "disagreement", prove.summary.disagreement
    if prove.summary.interrupted:
        files = "those of files that were not read are not counted"
        goals_were = counted(prove.summary.open, "goal was", "goals were")
        yield "interrupted", f"{goals_were} open; {files}"
    for goal in prove.goals:
        match goal.verdict:
            case GoalVerdict.UNPROVED | GoalVerdict.OPEN:
                yield "unproved", f"{goal.id}: {goal.said}"
            case GoalVerdict.CONDITIONAL:
                yield "conditional", f"{goal.id}: {goal.said}"
            case GoalVerdict.PROVED:
                if len(goal.families) == 1:
                    provers = ", ".join(proof.prover for proof in goal.proofs)
                    yield "single-family", f"{goal.id} ({provers})"
            case _:
                assert_never(goal.verdict)


def _not_in_certificate(prove: ProofReport, sources: Mapping[str, bytes]) -> Iterator[str]:
    if CERTIFICATE not in sources:
        yield "there is no certificate"
        return
    certificate = certificate_of(sources[CERTIFICATE], CERTIFICATE)
    if certificate.why3 != prove.why3:
        yield f"made with Why3 {certificate.why3}, the run with {prove.why3}"
        return
    for goal in prove.goals:
        recorded = certificate.goals.get(goal.id)
        if recorded is None or recorded.task_sha256 != goal.task_sha256:
            yield f"{goal.id}: {'not recorded' if recorded is None else 'another text'}"
            continue
        whole = certificate.unsplit.get(unsplit_of(goal.id), UNRECORDED)
        known = {(proof.prover, proof.version) for proof in (*recorded.proofs, *whole.proofs)}
        for proof in goal.proofs:
            if (proof.prover, proof.version) not in known:
                yield f"{goal.id}: no proof by {proof.prover} {proof.version} is recorded"


def _of_trace(trace: Trace) -> Iterator[Shortfall]:
    for error in trace.errors:
        yield "trace", f"{error.subject}: {error.rule}: {error.message}"
    for name in trace.not_given:
        yield "trace", f"not given to the trace: {name}"
    for line in trace.requirements:
        if line.planned:
            missing = "; ".join(gap.removeprefix("planned: ") for gap in line.gaps)
            yield "planned", f"{line.id}: {missing}"
            continue
        if line.levels == (Level.REAL,):
            yield "real-only", line.id
        if line.no_vector:
            yield "no-vector", f"{line.id}: {line.no_vector}"
        elif line.confirmations <= 1:
            on = ", ".join(map(str, line.confirmed_by)) or "none"
            yield "one-implementation", f"{line.id}: {on}"
        if line.precondition:
            yield "precondition", line.id
    for finding in trace.findings:
        if finding.not_shown:
            yield "finding-not-shown", f"{finding.id}: {finding.not_shown}"


def _of_check(check: CheckReport) -> Iterator[Shortfall]:
    ours = {backend.name for backend in check.backends if backend.ours}
    missing = {backend.name for backend in check.backends if backend.missing}
    for backend in check.backends:
        if backend.failed:
            yield "implementation-failed", backend.name
        if backend.missing:
            yield "not-installed", f"{backend.name}: {backend.missing}"
    for each in check.stale:
        what = f"{each.backend} {each.version}: {each.operator} {each.element_type}: {each.what}"
        yield "stale-divergences", f"{what}; now: {each.now}"
    excluded: Counter[tuple[str, str, str]] = Counter()
    for found in check.findings:
        what = f"{found.backend}: {found.operator} {found.element_type}"
        if found.verdict in DEPARTURES and found.backend not in ours:
            cases = counted(found.cases, "case")
            yield "departures", f"{what} {found.verdict}: {found.kind} ({cases})"
        if found.verdict is Verdict.NOT_JUDGED and not found.admissible:
            excluded[found.backend, found.operator, found.element_type] += found.cases
    for cell in check.matrix:
        what = f"{cell.backend}: {cell.operator} {cell.element_type}"
        if unjudged := cell.counts.get(Verdict.NOT_JUDGED):
            operands = excluded[cell.backend, cell.operator, cell.element_type]
            said = [f"{operands} of excluded operands"] if operands else []
            if orders := unjudged - operands:
                said.append(f"{orders} of sums that some orders overflow")
            yield "not-judged", f"{what}: {', '.join(said)}"
        if cell.backend not in missing and (count := cell.counts.get(Verdict.NOT_SUPPORTED)):
            yield "not-supported", f"{what}: {counted(count, 'case')}"


def _of_pairs(report: ExhaustiveReport) -> Iterator[Shortfall]:
    if report.interrupted:
        yield "pairs-not-judged", "the run was interrupted"
    if not any(sweep.ours for sweep in report.sweeps):
        yield "pairs-not-judged", "our own implementation was not asked"
    for sweep in report.sweeps:
        what = f"{sweep.key.backend}: {sweep.key.operator} {sweep.key.element_type}"
        if sweep.is_offered and sweep.judged < BLOCKS:
            yield "pairs-not-judged", f"{what}: {BLOCKS - sweep.judged:,} of {BLOCKS:,} blocks"
        gap = "implementation-failed" if sweep.ours else "departures"
        for found in sweep.diverging:
            yield gap, f"{what}: {found.agreement} ({found.pairs:,} of all pairs)"
        for each in sweep.not_judged if sweep.is_offered else ():
            yield gap, f"{what}: {each.reason} ({counted(each.blocks, 'block')})"


def _of_vacuity(vacuity: Vacuity, goals: Iterable[GoalEntry]) -> Iterator[Shortfall]:
    explained = {goal.id: f" ({goal.explanation})" for goal in goals if goal.explanation}
    stale = (f"stale reason: {name}" for name in vacuity.summary.stale_dispositions)
    for item in (*vacuity.summary.unaccounted, *stale):
        yield "vacuous", item
    for each in vacuity.hypotheses:
        if each.finding in {"inconclusive", "not asked"}:
            yield "vacuity-open", f"{each.of}{explained.get(each.of, '')}: {each.finding}"
    for contract in (*vacuity.preconditions, *vacuity.parameters):
        if not contract.witnesses:
            yield "no-witness", contract.name


def _of_mutation(mutation: Mutation, goals: Iterable[GoalEntry]) -> Iterator[Shortfall]:
    for name in mutation.summary.unexplained:
        yield "mutation", name
    for folder in mutation.folders:
        if folder.untried:
            yield "untried-sample", f"{folder.folder}: {folder.untried} of {folder.mutants}"
        elif not folder.good:
            yield "mutation", f"{folder.folder}: its score is {score_of(folder)}"
        if left_out := folder.all - folder.mutants:
            were = agreeing(left_out, "was", "were")
            yield "untried-mutants", f"{folder.folder}: {left_out} of {folder.all} {were} not drawn"
    for name in mutation.summary.stale_dispositions:
        yield "mutation", f"stale reason: {name}"
    for mutant in mutation.mutants:
        if mutant.outcome == "survived" and mutant.reason:
            yield "survivors", f"{mutant.id}: {mutant.reason}"
    edited = {file.file for file in mutation.files if file.mutants > file.untried}
    for name in dict.fromkeys(goal.file for goal in goals):
        if name not in edited:
            yield "not-mutated", name


def _of_hypotheses(use: UseOfHypotheses) -> Iterator[Shortfall]:
    for each in use.preconditions:
        if each.use == "unused" and each.reason is None:
            yield "unused-preconditions", each.id
        if each.use == "undetermined":
            yield "undetermined-preconditions", each.id
    for reason in use.obsolete_reasons:
        yield "unused-preconditions", f"obsolete reason: {reason}"


def _of_kernels(library: KernelLibrary) -> Iterator[Shortfall]:
    for kernel in library.kernels:
        match kernel.standing:
            case KernelStanding.PROVED:
                pass
            case KernelStanding.NATIVE | KernelStanding.FUSED:
                yield "native-kernels", str(kernel.function)
            case KernelStanding.OPEN:
                yield "no-kernel", f"{kernel.requirement} over {kernel.type}"
            case _:
                assert_never(kernel.standing)


def _of_targets(runs: TargetRuns) -> Iterator[Shortfall]:
    for each in runs.targets:
        if not each.result.verdict.passes:
            yield "targets-differ", f"{each.name}: {each.result.said}"
    for name in runs.left_out:
        yield "targets-not-run", f"{name}: it was left out"


def _of_stability(stability: StabilityReport) -> Iterator[Shortfall]:
    for goal in stability.without_stable_proof:
        yield "no-stable-proof", goal
    for each in stability.unstable:
        failed = ", ".join(each.proof.failed or ())
        yield "unstable-proofs", f"{each.goal} by {each.proof.prover}: {failed}"
    for file in stability.files:
        if file.untried:
            proofs = counted(file.proofs, "proof")
            yield "stability-open", f"{file.file}: {file.untried} of {proofs}"


def _of_certified(certified: CertifiedProofs, goals: Iterable[GoalEntry]) -> Iterator[Shortfall]:
    checked = certified.checked
    for goal in certified.goals:
        if goal.outcome in {"refused", "contradiction"}:
            yield "certified-refused", f"{goal.id}: {goal.outcome}: {goal.because}"
        if goal.outcome == "proof" and goal.complete is not True:
            yield "not-independently-checked", goal.id
        if goal.outcome == "proof" and goal.trusted:
            trusted = sum(goal.trusted.values())
            yield "trusted-steps", f"{goal.id}: {trusted} of {counted(goal.steps, 'step')}"
    found = {(goal.id, goal.task_sha256): goal.without_proof for goal in certified.goals}
    for stated in goals:
        if (name := (stated.id, stated.task_sha256)) not in checked:
            yield "not-certified", f"{stated.id}: {found.get(name, CertifyOutcome.NOT_TRIED)}"


def _unrecorded(documents: Documents, sources: Mapping[str, bytes]) -> Iterator[str]:
    """Results that take long to find out, and that the records in the sources do not have."""
    lines = [
        line
        for path, data in sources.items()
        if path.startswith(GOAL_RECORDS)
        for line in decode_lines(data, GoalLine, path, "certify")
    ]
    hypotheses = {line.task: line.consistent.finding for line in lines if line.consistent}
    for entry in documents.vacuity.hypotheses if documents.vacuity else ():
        if entry.finding != "not asked" and hypotheses.get(entry.sha256) != entry.finding:
            yield f"vacuity: {entry.of}: {entry.finding}"
    proofs = {line.task: line.certified for line in lines if line.certified}
    for goal in documents.certified.goals if documents.certified else ():
        proof = proofs.get(goal.task_sha256)
        if goal.outcome != "not tried" and (proof is None or _said(proof) != _said(goal)):
            yield f"certified: {goal.id}: {goal.outcome}"
    data = sources.get(MUTANT_RECORD, b"")
    mutants = decode_lines(data, MutantLine, MUTANT_RECORD, "mutate")
    outcomes = {line.mutant: (line.outcome, line.by) for line in mutants}
    for mutant in documents.mutation.mutants if documents.mutation else ():
        outcome = (mutant.outcome, mutant.by)
        if mutant.outcome != "untried" and outcomes.get(mutant.id) != outcome:
            yield f"mutation: {mutant.id}: {mutant.outcome}"


def _said(proof: Certification) -> tuple[object, ...]:
    return proof.outcome, proof.steps, proof.trusted, proof.checker, proof.complete
