"""The command `mutate`: do the goals notice when a definition is another one?"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from msgspec import structs
from rich.console import Console

from sonnx_formal.core.documents import Count, Document, Part, Share, read_tables
from sonnx_formal.core.errors import INTERRUPTED, UserError
from sonnx_formal.core.terminal import Progress, print_by_file, say
from sonnx_formal.evidence import records
from sonnx_formal.evidence.inquiry import Effort, End, ask_all, read_goals
from sonnx_formal.evidence.mutation.mutants import Mutant, mutants
from sonnx_formal.evidence.mutation.trial import MutantQuestion
from sonnx_formal.evidence.records import Disposition, MutantLine, MutantOutcome
from sonnx_formal.prover.certificate import certificate_path, read_certificate
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.library import Library, Workshop, is_evidence
from sonnx_formal.prover.provers import find_provers
from sonnx_formal.prover.sources import named_source

OPERATORS = "ops/"
THRESHOLD = 0.9
"""The share of mutants that the goals about an operator have to notice."""
COMMAND = "mutate"


class MutationReasons(Part, frozen=True):
    """`why3/evidence/mutation.toml`: why survivors are as they should be."""

    survivor: tuple[Disposition, ...] = ()


class MutationThreshold(Part, frozen=True):
    """The score that files have to reach whose names begin so."""

    files: str
    score: Share


class MutationCounts(Part, frozen=True):
    """What became of mutants."""

    mutants: Count
    killed: Count
    survived: Count
    equivalent: Count
    implied: Count
    invalid: Count
    untried: Count
    score: Share | None
    """Of those that mean something else, the share that was noticed; None: there are none."""


class MutatedFile(MutationCounts, frozen=True, kw_only=True):
    """What became of the mutants of a file."""

    file: str
    good: bool


class MutantEntry(Mutant, frozen=True):
    """A wrong edit of a definition, and what became of it."""

    outcome: MutantOutcome
    by: str
    """The goal that fails, or what Why3 says."""
    reason: str | None
    """Why a survivor is as it should be."""


class MutationSummary(MutationCounts, frozen=True, kw_only=True):
    """What it comes to."""

    unexplained: tuple[str, ...]
    """Survivors without a reason."""
    stale_dispositions: tuple[str, ...]
    """Reasons that no survivor needs."""
    interrupted: bool
    good: bool
    """Whether the exit status is 0."""


class Mutation(Document, frozen=True, tag="sonnx-formal/mutation/2"):
    """Wrong edits of the definitions, and whether a goal noticed."""

    command = "mutate --json PATH"

    why3: str
    provers: dict[str, str]
    """The version of each."""
    threshold: MutationThreshold
    files: tuple[MutatedFile, ...]
    mutants: tuple[MutantEntry, ...]
    summary: MutationSummary


def record_path(library: Path) -> Path:
    return library / "evidence" / "mutants.jsonl"


def mutate(
    library: Path, files: Sequence[Path], effort: Effort, progress: Progress
) -> tuple[Mutation, int]:
    """Try the mutants that the record does not know; the number is how many were tried now.

    :raises UserError: for bad input, a missing tool, or a library that is not proved itself.
    """
    why3 = find_why3()
    if not (provers := find_provers()):
        raise UserError("no prover was found: see `sonnx-formal doctor`")
    decided = read_tables(library / "evidence" / "mutation.toml", MutationReasons).survivor
    here = Library.read(library)
    path = record_path(library)
    recorded = {line.mutant: line for line in records.read_lines(path, MutantLine, COMMAND)}
    known_files = {name.partition(":")[0] for name in recorded}
    targets = _targets(files, library, here, known_files)
    certificate = read_certificate(certificate_path(library))
    if certificate is None:
        raise UserError("there is no certificate of the library: run `sonnx-formal prove` first")
    question = MutantQuestion(here, provers, certificate)
    everything = {
        file: mutants(file, here.texts[file])
        for file in here.texts
        if file in known_files or file in targets
    }
    held = {
        mutant.id: line
        for file, found in everything.items()
        if not (effort.fresh and file in targets)
        for mutant in found
        if (line := recorded.get(mutant.id))
        and question.sources(file, line.outcome, line.by) == line.sources
    }
    missing = {m.id: m for file in targets for m in everything[file] if m.id not in held}

    def save(answers: Mapping[str, MutantLine]) -> None:
        records.write_lines(path, [line for _id, line in sorted((held | dict(answers)).items())])

    with ExitStack() as workshops:
        if missing and effort.budget != 0:
            edited = {mutant.file for mutant in missing.values()}
            dependents = {name for file in edited for name in here.dependents(file)}
            sources = [named_source(library, library / name) for name in sorted(dependents)]
            _check_proved(read_goals(library, sources, effort.jobs, progress), question)
            for _ in range(effort.jobs):
                workshop = workshops.enter_context(closing(Workshop(why3, here.texts)))
                question.workshops.put(workshop)
        answers, end = ask_all(missing, question, save, effort, progress)
    lines = held | answers
    by_file = {
        file: [_entry(mutant, lines.get(mutant.id), decided) for mutant in everything[file]]
        for file in targets
    }
    mutated = tuple(_file(file, entries) for file, entries in by_file.items())
    entries = tuple(entry for entries in by_file.values() for entry in entries)
    mutation = Mutation(
        why3.version,
        {prover.name: prover.version for prover in provers},
        MutationThreshold(OPERATORS, THRESHOLD),
        mutated,
        entries,
        _summary(mutated, entries, decided, end),
    )
    return mutation, len(answers)


def exit_status(mutation: Mutation) -> int:
    """Zero only if all were tried, enough were noticed, and every survivor has its reason."""
    return INTERRUPTED if mutation.summary.interrupted else int(not mutation.summary.good)


def print_mutation(console: Console, mutation: Mutation, tried_now: int) -> None:
    provers = ", ".join(f"{name} {version}" for name, version in mutation.provers.items())
    say(console, f"Why3 {mutation.why3}; {provers}")
    files = [file.file for file in mutation.files]
    print_by_file(console, mutation.mutants, lambda entry: entry.id, _row, files)
    recorded = mutation.summary.mutants - mutation.summary.untried - tried_now
    say(console, f"\n{tried_now} mutants tried now, {recorded} from the record")
    if mutation.summary.interrupted:
        say(console, "interrupted: what is finished is in the record")
    for file in mutation.files:
        if file.untried:
            say(console, f"{file.file}: {file.untried} mutants were not tried: run it again")
        elif not file.good:
            say(console, f"{file.file}: below {THRESHOLD:.0%}: state more goals about it")
    for entry in mutation.mutants:
        if entry.outcome is MutantOutcome.SURVIVED:
            reason = entry.reason or "no reason is given in evidence/mutation.toml"
            say(console, f"\nsurvived: {entry.file}:{entry.line} {entry.id}", f"  {reason}")
    for pattern in mutation.summary.stale_dispositions:
        say(console, f"\nevidence/mutation.toml: {pattern} names no survivor: remove it")


def _targets(
    given: Sequence[Path], folder: Path, library: Library, recorded: set[str]
) -> list[str]:
    """The files asked for; else those of the operators, and those that the record knows."""
    named = {named_source(folder, path).name: path for path in given}
    for name, path in named.items():
        if name not in library.texts:
            raise UserError(f"{path}: not a file of the library {folder}")
    return list(named) or [
        file
        for file in library.texts
        if not is_evidence(file) and (file.startswith(OPERATORS) or file in recorded)
    ]


def _check_proved(goals: Sequence[Goal], question: MutantQuestion) -> None:
    """A goal that is not proved as it stands would kill every mutant."""
    unproved = [goal.id for goal in goals if goal.task.sha256 not in question.proved]
    if unproved:
        raise UserError(
            f"{len(unproved)} goals are not in the certificate, {unproved[0]} first: "
            "run `sonnx-formal prove`, so that a goal that fails fails because of a mutant"
        )


def _entry(
    mutant: Mutant, answer: MutantLine | None, decided: Sequence[Disposition]
) -> MutantEntry:
    survived = answer is not None and answer.outcome is MutantOutcome.SURVIVED
    return MutantEntry(
        **structs.asdict(mutant),
        outcome=answer.outcome if answer else MutantOutcome.UNTRIED,
        by=answer.by if answer else "",
        reason=records.reason_for(mutant.id, decided) if survived else None,
    )


def _file(file: str, entries: Sequence[MutantEntry]) -> MutatedFile:
    """Good if every mutant was tried and, of an operator, enough of them were noticed."""
    counts = _counts(entries)
    low = counts.killed < THRESHOLD * (counts.killed + counts.survived)
    good = not counts.untried and not (file.startswith(OPERATORS) and low)
    return MutatedFile(file=file, good=good, **structs.asdict(counts))


def _summary(
    files: Sequence[MutatedFile],
    entries: Sequence[MutantEntry],
    decided: Sequence[Disposition],
    end: End,
) -> MutationSummary:
    survivors = [entry for entry in entries if entry.outcome is MutantOutcome.SURVIVED]
    unexplained = tuple(entry.id for entry in survivors if entry.reason is None)
    complete = {file.file for file in files if not file.untried}
    obsolete = records.stale(decided, [entry.id for entry in survivors], complete)
    interrupted = end is End.INTERRUPTED
    return MutationSummary(
        unexplained=unexplained,
        stale_dispositions=obsolete,
        interrupted=interrupted,
        good=all(file.good for file in files) and not (unexplained or obsolete or interrupted),
        **structs.asdict(_counts(entries)),
    )


def _counts(entries: Sequence[MutantEntry]) -> MutationCounts:
    outcomes = Counter(entry.outcome for entry in entries)
    killed, survived = outcomes[MutantOutcome.KILLED], outcomes[MutantOutcome.SURVIVED]
    return MutationCounts(
        mutants=len(entries),
        **{outcome.value: outcomes[outcome] for outcome in MutantOutcome},
        score=round(killed / (killed + survived), 4) if killed + survived else None,
    )


def _row(entries: Sequence[MutantEntry]) -> dict[str, object]:
    counts = _counts(entries)
    score = "-" if counts.score is None else f"{100 * counts.score:.1f} %"
    return structs.asdict(counts) | {"score": score}
