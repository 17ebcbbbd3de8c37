"""The command `mutate`: do the goals notice when a definition is another one?"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from msgspec import structs
from rich.console import Console

from sonnx_formal.core.documents import Count, Part, Share, read_tables
from sonnx_formal.core.errors import INTERRUPTED, UserError
from sonnx_formal.core.grouping import grouped
from sonnx_formal.core.terminal import Progress, print_by_file, say
from sonnx_formal.evidence import records
from sonnx_formal.evidence.inquiry import Effort, End, ask_all, read_goals
from sonnx_formal.evidence.mutation import sampling
from sonnx_formal.evidence.mutation.constructors import algebraic_types
from sonnx_formal.evidence.mutation.mutants import Mutant, mutants
from sonnx_formal.evidence.mutation.sampling import folder
from sonnx_formal.evidence.mutation.trial import MutantQuestion
from sonnx_formal.evidence.records import Disposition, MutantLine, MutantOutcome
from sonnx_formal.prover.certificate import needed_certificate
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.library import Library, is_evidence
from sonnx_formal.prover.provenance import MadeDocument
from sonnx_formal.prover.provers import find_provers, versions
from sonnx_formal.prover.sources import library_sha256, named_source

THRESHOLD = 0.95
"""The share of a folder's mutants that goals have to notice."""
COMMAND = "mutate"


class MutationReasons(Part, frozen=True):
    """`why3/evidence/mutation.toml`: why survivors are as they should be."""

    survivor: tuple[Disposition, ...] = ()


class MutationSample(Part, frozen=True):
    """How many mutants of a folder are drawn, and by which seed."""

    size: Count
    seed: Count


class MutationCounts(Part, frozen=True):
    """What became of mutants."""

    mutants: Count
    """Those that were drawn."""
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


class MutatedFolder(MutationCounts, frozen=True, kw_only=True):
    """What became of the mutants of a folder."""

    folder: str
    all: Count
    """How many mutants there are, drawn or not; of the files that were asked for."""
    interval: tuple[Share, Share] | None
    """The 95 % confidence interval of the score; None: all were tried, or none counts."""
    good: bool
    """Whether all that were drawn were tried, and enough of them noticed."""


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


class Mutation(MadeDocument, frozen=True, tag="sonnx-formal/mutation/6"):
    """Wrong edits of the definitions, and whether a goal noticed."""

    command = "mutate --json PATH"

    threshold: Share
    """The score that each folder has to reach."""
    sample: MutationSample
    folders: tuple[MutatedFolder, ...]
    files: tuple[MutatedFile, ...]
    mutants: tuple[MutantEntry, ...]
    summary: MutationSummary


def record_path(library: Path) -> Path:
    return library / "evidence" / "mutants.jsonl"


def mutate(library: Path, files: Sequence[Path], effort: Effort, progress: Progress) -> Mutation:
    """Try the mutants that the record does not know.

    :raises UserError: for bad input, a missing tool, or a library that is not proved itself.
    """
    why3 = find_why3()
    if not (provers := find_provers()):
        raise UserError("no prover was found: see `sonnx-formal doctor`")
    decided = read_tables(library / "evidence" / "mutation.toml", MutationReasons).survivor
    here = Library.read(library)
    path = record_path(library)
    recorded = {line.mutant: line for line in records.read_lines(path, MutantLine, COMMAND)}
    targets = _targets(files, library, here)
    made = effort.provenance(library, targets if files else (), versions(provers))
    certificate = needed_certificate(library)
    is_current = certificate.library_sha256 == library_sha256(library)
    hints = {} if effort.fresh else recorded
    killers = {m: line.by for m, line in hints.items() if line.outcome is MutantOutcome.KILLED}
    question = MutantQuestion(why3, here, provers, certificate, is_current, killers)
    everything = _all_mutants(here, {*targets, *(name.partition(":")[0] for name in recorded)})
    asked_for = [mutant for file in targets for mutant in everything[file]]
    drawn = _drawn(asked_for) if not files else asked_for
    names = {mutant.id for mutant in drawn}
    known = {
        mutant: line
        for found in everything.values()
        for mutant in found
        if not (effort.fresh and mutant.id in names) and (line := recorded.get(mutant.id))
    }
    held = {
        mutant.id: line
        for mutant, line in known.items()
        if question.sources(mutant, line.outcome, line.by) == line.sources
    }
    missing = {m.id: m for m in sampling.by_turns(drawn) if m.id not in held}

    def save(answers: Mapping[str, MutantLine]) -> None:
        lines = {line.mutant: line for line in known.values()} | dict(answers)
        records.write_lines(path, [line for _id, line in sorted(lines.items())])

    if missing and effort.budget != 0:
        edited = {mutant.file for mutant in missing.values()}
        dependents = {name for file in edited for name in here.dependents(file)}
        sources = [named_source(library, library / name) for name in sorted(dependents)]
        _check_proved(read_goals(library, sources, effort.jobs, progress), question)
    answers, end = ask_all(missing, question, save, effort, progress)
    lines = held | answers
    entries = tuple(_entry(mutant, lines.get(mutant.id), decided) for mutant in drawn)
    folders = tuple(
        _folder(name, len(found), [entry for entry in entries if folder(entry.file) == name])
        for name, found in grouped(asked_for, lambda mutant: folder(mutant.file)).items()
    )
    by_file = grouped(entries, lambda entry: entry.file)
    unsettled = [m.id for m in asked_for if m.id not in lines or _survived(lines[m.id])]
    return Mutation(
        effort.ended(made, sum(m.id in held for m in drawn)),
        THRESHOLD,
        MutationSample(sampling.SIZE, sampling.SEED),
        folders,
        tuple(
            MutatedFile(file=file, **structs.asdict(_counts(by_file.get(file, ()))))
            for file in targets
        ),
        entries,
        _summary(folders, entries, records.stale(decided, unsettled, targets), end),
    )


def exit_status(mutation: Mutation) -> int:
    """Zero only if all were tried, enough were noticed, and every survivor has its reason."""
    return INTERRUPTED if mutation.summary.interrupted else int(not mutation.summary.good)


def print_mutation(console: Console, mutation: Mutation) -> None:
    say(console, str(mutation.made))
    files = [file.file for file in mutation.files]
    print_by_file(console, mutation.mutants, lambda entry: entry.id, _row, files)
    recorded = mutation.made.from_record or 0
    now = mutation.summary.mutants - mutation.summary.untried - recorded
    say(console, f"\n{now} mutants tried now, {recorded} from the record")
    if mutation.summary.interrupted:
        say(console, "interrupted: what is finished is in the record")
    for each in mutation.folders:
        tried = f"{each.mutants} sampled, {each.mutants - each.untried} tried"
        found = f"{each.killed} killed, {each.survived} survived, score {score_of(each)}"
        say(console, f"{each.folder}: {each.all} mutants, {tried}, {found}")
        if each.untried:
            say(console, f"{each.folder}: {each.untried} mutants were not tried: run it again")
        elif not each.good:
            say(console, f"{each.folder}: below {THRESHOLD:.0%}: state more goals about it")
    for entry in mutation.mutants:
        if entry.outcome is MutantOutcome.SURVIVED:
            reason = entry.reason or "no reason is given in evidence/mutation.toml"
            say(console, f"\nsurvived: {entry.file}:{entry.line} {entry.id}", f"  {reason}")
    for pattern in mutation.summary.stale_dispositions:
        say(console, f"\nevidence/mutation.toml: {pattern} names no survivor: remove it")


def score_of(each: MutatedFolder) -> str:
    """The score, with the interval where there is one."""
    if each.score is None:
        return "unknown"
    ends = " to ".join(f"{100 * end:.1f}" for end in each.interval or ())
    return f"{100 * each.score:.1f} %" + (f" ({ends} %)" if ends else "")


def _targets(given: Sequence[Path], root: Path, library: Library) -> list[str]:
    """The files asked for; else all but those of examples and witnesses."""
    named = {named_source(root, path).name: path for path in given}
    for name, path in named.items():
        if name not in library.texts:
            raise UserError(f"{path}: not a file of the library {root}")
    return list(named) or [file for file in library.texts if not is_evidence(file)]


def _all_mutants(library: Library, files: Collection[str]) -> dict[str, list[Mutant]]:
    """Those of some files; of those that are here."""
    declared = {file: list(algebraic_types(text)) for file, text in library.texts.items()}
    return {
        file: mutants(file, text, [t for used in library.needed[file] for t in declared[used]])
        for file, text in library.texts.items()
        if file in files
    }


def _drawn(found: Sequence[Mutant]) -> list[Mutant]:
    """The mutants that are tried: a sample of each folder that has too many."""
    names = {
        mutant.id
        for mine in grouped(found, lambda mutant: folder(mutant.file)).values()
        for mutant in sampling.sample(mine, sampling.SIZE)
    }
    return [mutant for mutant in found if mutant.id in names]


def _check_proved(goals: Sequence[Goal], question: MutantQuestion) -> None:
    """A goal that is not proved as it stands would kill every mutant."""
    unproved = [goal.id for goal in goals if goal.task.sha256 not in question.proved]
    if unproved:
        raise UserError(
            f"{len(unproved)} goals are not in the certificate, {unproved[0]} first: "
            "run `sonnx-formal prove`, so that a goal that fails fails because of a mutant"
        )


def _survived(answer: MutantLine | None) -> bool:
    return answer is not None and answer.outcome is MutantOutcome.SURVIVED


def _entry(
    mutant: Mutant, answer: MutantLine | None, decided: Sequence[Disposition]
) -> MutantEntry:
    return MutantEntry(
        **structs.asdict(mutant),
        outcome=answer.outcome if answer else MutantOutcome.UNTRIED,
        by=answer.by if answer else "",
        reason=records.reason_for(mutant.id, decided) if _survived(answer) else None,
    )


def _folder(name: str, number: int, drawn: Sequence[MutantEntry]) -> MutatedFolder:
    counts = _counts(drawn)
    telling = counts.killed + counts.survived
    partly = len(drawn) - counts.untried < number
    return MutatedFolder(
        folder=name,
        all=number,
        interval=sampling.wilson(counts.killed, telling) if partly and telling else None,
        good=not counts.untried and counts.killed >= THRESHOLD * telling,
        **structs.asdict(counts),
    )


def _summary(
    folders: Sequence[MutatedFolder],
    entries: Sequence[MutantEntry],
    obsolete: tuple[str, ...],
    end: End,
) -> MutationSummary:
    unexplained = tuple(
        entry.id
        for entry in entries
        if entry.outcome is MutantOutcome.SURVIVED and entry.reason is None
    )
    interrupted = end is End.INTERRUPTED
    return MutationSummary(
        unexplained=unexplained,
        stale_dispositions=obsolete,
        interrupted=interrupted,
        good=all(each.good for each in folders) and not (unexplained or obsolete or interrupted),
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
