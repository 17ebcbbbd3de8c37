"""The command `vacuity`: which goals are proved of nothing, and which preconditions can be met."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from rich.console import Console

from sonnx_formal.core.documents import Count, Document, Part, Sha256
from sonnx_formal.core.errors import INTERRUPTED, UserError
from sonnx_formal.core.files import cache_folder
from sonnx_formal.core.progress import Progress
from sonnx_formal.core.tables import Words, read_tables
from sonnx_formal.evidence import reasons
from sonnx_formal.evidence.inquiry import inquire
from sonnx_formal.evidence.loop import Effort, End
from sonnx_formal.evidence.reasons import Disposition
from sonnx_formal.evidence.selection import select
from sonnx_formal.evidence.tables import print_by_file, say
from sonnx_formal.evidence.vacuity.consistency import (
    EFFORT_SECONDS,
    Consistency,
    ConsistencyQuestion,
    Consistent,
)
from sonnx_formal.evidence.vacuity.contexts import Context, contexts
from sonnx_formal.evidence.vacuity.witnesses import WitnessedSymbol, parameters, preconditions
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.provers import Prover, find_provers
from sonnx_formal.prover.whyml.library import Library

_FIRST = "ops/"


class Boundary(Part, frozen=True):
    """Symbols without a body, and what is proved of instances at the ends of their range."""

    symbols: tuple[Words, ...]
    witnesses: tuple[Words, ...]


class VacuityReasons(Part, frozen=True):
    """`why3/evidence/vacuity.toml`: what people decided."""

    contradictory: tuple[Disposition, ...] = ()
    boundary: tuple[Boundary, ...] = ()


class Hypotheses(Part, frozen=True):
    """The hypotheses of a module or of a goal, and whether they contradict each other."""

    of: str
    """`<file>:<module>`, or the id of a goal."""
    scope: Literal["context", "goal"]
    explanation: str
    sha256: Sha256
    """Of the task: what is assumed, and the goal."""
    finding: Consistent
    provers: tuple[str, ...]
    """Those that decided, or that were asked in vain."""
    reason: str | None
    """Why a contradiction is as it should be; None: there is none, or nobody says."""

    @property
    def is_unaccounted(self) -> bool:
        """Whether it is contradictory, and nobody says why it should be."""
        return self.finding is Consistent.CONTRADICTORY and self.reason is None


class VacuityCounts(Part, frozen=True):
    """How many were found to be what."""

    all: Count
    distinct: Count
    """Different tasks."""
    contradictory: Count
    consistent: Count
    inconclusive: Count
    not_asked: Count


class VacuitySummary(Part, frozen=True):
    """What it comes to."""

    contexts: VacuityCounts
    goals: VacuityCounts
    unaccounted: tuple[str, ...]
    """What is contradictory without a reason."""
    stale_dispositions: tuple[str, ...]
    """Reasons that nothing contradictory needs."""
    interrupted: bool
    good: bool
    """Whether the exit status is 0."""


class Vacuity(Document, frozen=True, tag="sonnx-formal/vacuity/2"):
    """What is assumed, whether that is contradictory, and what shows that it can be met."""

    command = "vacuity --json PATH"

    why3: str
    provers: dict[str, str]
    """The version of each."""
    hypotheses: tuple[Hypotheses, ...]
    preconditions: tuple[WitnessedSymbol, ...]
    """Of definitions, programs and lemmas."""
    parameters: tuple[WitnessedSymbol, ...]
    """Symbols without a body."""
    summary: VacuitySummary


def find_vacuity(
    library: Path,
    files: Sequence[Path],
    effort: Effort,
    progress: Progress,
    provers: Sequence[Prover] | None = None,
) -> Vacuity:
    """Ask about the hypotheses that the record does not know.

    :param provers: None stands for those of this machine.
    :raises UserError: for bad input or a missing tool.
    """
    why3 = find_why3()
    provers = find_provers() if provers is None else provers
    if not provers:
        raise UserError("no prover was found: see `sonnx-formal doctor`")
    decided = read_tables(library / "evidence" / "vacuity.toml", VacuityReasons)
    here = Library.read(library)
    selection = select(library, files, effort.jobs, progress)
    if unknown := [file for file in selection.files if file not in here.texts]:
        raise UserError(f"{unknown[0]}: not a file of the library {library}")
    cache = Cache(cache_folder(), progress.warn)
    subjects: list[Goal | Context] = []
    by_file = selection.by_file()
    for file in sorted(selection.files, key=lambda file: (not file.startswith(_FIRST), file)):
        progress("what each module assumes", file)
        subjects += contexts(why3, here, file, cache)
        subjects += by_file[file]
    question = ConsistencyQuestion(provers)
    answers, end = inquire(library, selection, subjects, question, effort, progress)
    hypotheses = tuple(
        _hypotheses(subject, answers.get(subject.task.sha256), decided.contradictory)
        for subject in subjects
    )
    given: dict[str, tuple[str, ...]] = {
        symbol: boundary.witnesses for boundary in decided.boundary for symbol in boundary.symbols
    }
    witnessed = tuple(preconditions(here)), tuple(parameters(here, given))
    return Vacuity(
        why3.version,
        {prover.name: prover.version for prover in provers},
        hypotheses,
        *witnessed,
        _summary(hypotheses, [*witnessed[0], *witnessed[1]], decided, end),
    )


def exit_status(vacuity: Vacuity) -> int:
    """Zero only if everything was asked, and every contradiction has its reason."""
    if vacuity.summary.interrupted:
        return INTERRUPTED
    return 0 if vacuity.summary.good else 1


def print_vacuity(console: Console, vacuity: Vacuity) -> None:
    """The whole of it in words."""
    provers = ", ".join(f"{name} {version}" for name, version in vacuity.provers.items())
    say(console, f"Why3 {vacuity.why3}; {provers}")
    names = ["goals", "modules", *Consistent]
    print_by_file(console, names, vacuity.hypotheses, lambda entry: entry.of, _cells)
    effort = f"no contradiction within what a prover does in {EFFORT_SECONDS} s"
    say(console, f"\ninconclusive: {effort}, which excludes none")
    summary = vacuity.summary
    if summary.interrupted or summary.contexts.not_asked or summary.goals.not_asked:
        end = End.INTERRUPTED if summary.interrupted else End.OUT_OF_TIME
        say(console, f"{end}: what is finished is in the record, run it again for the rest")
    for entry in vacuity.hypotheses:
        if entry.finding is Consistent.CONTRADICTORY:
            _print_contradictory(console, entry)
    for pattern in summary.stale_dispositions:
        say(console, f"\nevidence/vacuity.toml: {pattern} names no contradictory goal: remove it")
    for what, symbols in (
        ("symbols with preconditions", vacuity.preconditions),
        ("symbols that are parameters", vacuity.parameters),
    ):
        without = [symbol.name for symbol in symbols if not symbol.witnesses]
        say(console, f"\n{len(symbols) - len(without)} of {len(symbols)} {what} have a witness")
        say(console, *(f"  without: {name}" for name in without))


def _hypotheses(
    subject: Goal | Context, answer: Consistency | None, dispositions: Sequence[Disposition]
) -> Hypotheses:
    contradictory = answer is not None and answer.finding is Consistent.CONTRADICTORY
    match subject:
        case Context():  # no reason makes it right: each of its goals would be proved of nothing
            scope: Literal["context", "goal"] = "context"
            explanation, reason = "", None
        case Goal():
            scope, explanation = "goal", subject.explanation
            reason = reasons.reason_for(subject.id, dispositions) if contradictory else None
    return Hypotheses(
        of=subject.id,
        scope=scope,
        explanation=explanation,
        sha256=subject.task.sha256,
        finding=answer.finding if answer else Consistent.NOT_ASKED,
        provers=answer.provers if answer else (),
        reason=reason,
    )


def _summary(
    hypotheses: Sequence[Hypotheses],
    witnessed: Sequence[WitnessedSymbol],
    decided: VacuityReasons,
    end: End,
) -> VacuitySummary:
    unasked = {e.of.partition(":")[0] for e in hypotheses if e.finding is Consistent.NOT_ASKED}
    files = {entry.of.partition(":")[0] for entry in hypotheses} - unasked
    contradictory = [e.of for e in hypotheses if e.finding is Consistent.CONTRADICTORY]
    unaccounted = tuple(entry.of for entry in hypotheses if entry.is_unaccounted)
    stale = reasons.stale(decided.contradictory, contradictory, files)
    bad = unasked or unaccounted or stale or end is End.INTERRUPTED
    return VacuitySummary(
        contexts=_counts([entry for entry in hypotheses if entry.scope == "context"]),
        goals=_counts([entry for entry in hypotheses if entry.scope == "goal"]),
        unaccounted=unaccounted,
        stale_dispositions=stale,
        interrupted=end is End.INTERRUPTED,
        good=not bad and all(symbol.witnesses for symbol in witnessed),
    )


def _counts(hypotheses: Sequence[Hypotheses]) -> VacuityCounts:
    counts = Counter(entry.finding for entry in hypotheses)
    return VacuityCounts(
        all=len(hypotheses),
        distinct=len({entry.sha256 for entry in hypotheses}),
        **{finding.replace(" ", "_"): counts[finding] for finding in Consistent},
    )


def _cells(hypotheses: Sequence[Hypotheses]) -> list[int]:
    scopes = Counter(entry.scope for entry in hypotheses)
    findings = Counter(entry.finding for entry in hypotheses)
    return [scopes["goal"], scopes["context"], *(findings[finding] for finding in Consistent)]


def _print_contradictory(console: Console, entry: Hypotheses) -> None:
    match entry.scope:
        case "context":
            advice = "whatever stands in this module is proved of nothing"
        case "goal":
            advice = entry.reason or "evidence/vacuity.toml has no reason for it"
    explanation = f" ({entry.explanation})" if entry.explanation else ""
    say(console, f"\ncontradictory: {entry.of}{explanation}", f"  {advice}")
