"""The command `vacuity`: which goals are proved of nothing, and which preconditions can be met.

Provers are asked whether the hypotheses of each goal are contradictory, and those that every goal
of a module has, with few steps. The witness of a precondition is a declaration of a file of
witnesses or examples that names what has it, and states its hypotheses of concrete operands. That
of a symbol without a body is a module in which nothing is left open: a clone puts a definition in
its place there, and Why3 asks for a proof that this has the contract.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from msgspec import json
from rich.console import Console

from sonnx_formal.core.documents import Count, Part, Sha256, read_tables
from sonnx_formal.core.errors import INTERRUPTED, UserError
from sonnx_formal.core.files import cache_folder
from sonnx_formal.core.grouping import grouped
from sonnx_formal.core.terminal import Progress, print_by_file, say
from sonnx_formal.evidence import records
from sonnx_formal.evidence.inquiry import Effort, End, GoalQuestion, inquire, is_known, select
from sonnx_formal.evidence.records import (
    Consistency,
    Consistent,
    Context,
    Disposition,
    GoalLine,
    GoalRecord,
)
from sonnx_formal.evidence.trust.granted import complete, granted
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.goals import Goal, read_side_by_side
from sonnx_formal.prover.installation import Why3, find_why3
from sonnx_formal.prover.launcher import Launcher
from sonnx_formal.prover.library import Library, Place, RejectedError, Workshop, is_evidence
from sonnx_formal.prover.provenance import MadeDocument
from sonnx_formal.prover.provers import KNOWN, Answer, Prover, find_provers, versions
from sonnx_formal.prover.site import export_here
from sonnx_formal.prover.smtlib import forms
from sonnx_formal.prover.tasks import DRIVER, Task
from sonnx_formal.prover.whyml import Declaration
from sonnx_formal.spec.requirements.registry import registry

# In the steps of each prover: what it does in about so many seconds on a plain machine.
EFFORT_SECONDS = 0.2
_GUARD_SECONDS = 5  # ends a prover whose steps are far longer than that: large powers are
_GOAL = "context_of_"  # and the name of the module: a clone may bring another such goal
_FIRST = "ops/"


class VacuityReasons(Part, frozen=True):
    """`why3/evidence/vacuity.toml`: what people decided."""

    contradictory: tuple[Disposition, ...] = ()


class Hypotheses(Part, frozen=True):
    """The hypotheses of a module or of a goal, and whether they contradict each other."""

    of: str
    """`<file>:<module>`, or the id of a goal."""
    scope: Literal["context", "goal"]
    sha256: Sha256
    """Of the task: what is assumed, and the goal."""
    finding: Consistent
    provers: tuple[str, ...]
    """Those that decided, or that were asked in vain."""
    reason: str | None
    """Why a contradiction is as it should be; None: there is none, or nobody says."""


class WitnessedSymbol(Part, frozen=True):
    """Something with preconditions, or without a body, and its witnesses."""

    name: str
    """`<file>:<module>.<name>`."""
    preconditions: Count
    """Its clauses; of a symbol without a body, all of its contract."""
    witnesses: tuple[str, ...]
    """`<file>:<module>.<name>`, in the order of the library; of a symbol without a body
    `<file>:<module>`."""


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


class Vacuity(MadeDocument, frozen=True, tag="sonnx-formal/vacuity/5"):
    """What is assumed, whether that is contradictory, and what shows that it can be met."""

    command = "vacuity --json PATH"

    hypotheses: tuple[Hypotheses, ...]
    preconditions: tuple[WitnessedSymbol, ...]
    """Of definitions, programs and lemmas."""
    parameters: tuple[WitnessedSymbol, ...]
    """Symbols without a body, but for those that are believed: the trusted base has these."""
    summary: VacuitySummary


def contexts(
    why3: Why3, library: Library, file: str, cache: Cache, recorded: Mapping[str, GoalLine]
) -> list[Context]:
    """The contexts of the modules of a file, in its order. Raises `UserError`.

    :param recorded: the answers about modules that hold, by id: where their sources are still the
        same, the texts of their tasks are of no use, and missing.
    """
    key = {
        "format": 2,
        "why3": why3.version,
        "driver": hashlib.sha256(DRIVER.read_bytes()).hexdigest(),
        "file": file,
        "sources": library.digest([file], {}),
    }
    sources = hashlib.sha256(json.encode(key)).hexdigest()
    names = [f"{file}:{module.name}" for module in library.modules[file]]
    known = [
        Context(name, Task("", line.task), sources)
        for name in names
        if (line := recorded.get(name)) and line.sources == sources
    ]
    if len(known) == len(names):
        return known
    texts = cache.read("contexts", key, list[str])
    if texts is None:
        texts = _texts(why3, library, file)
        cache.write("contexts", key, texts)
    if len(texts) != len(names):
        raise UserError(f"{file}: internal error: {len(texts)} contexts of {len(names)} modules")
    return [Context(name, Task.of(text), sources) for name, text in zip(names, texts, strict=True)]


def _texts(why3: Why3, library: Library, file: str) -> list[str]:
    text = library.texts[file]
    names = [module.name for module in library.modules[file]]
    for module in reversed(library.modules[file]):
        goal = f"  goal {_GOAL}{module.name}: false\n"
        text = f"{text[: module.end]}\n{goal}{text[module.end :]}"
    workshop = Workshop(why3, library, export_here)
    workshop.edit(file, text)
    try:
        goals = workshop.goals(file, names, [f"{_GOAL}{name}" for name in names])
    except RejectedError as error:
        raise UserError(f"{file}: {error}") from None
    tasks = {goal.id.partition(f".{_GOAL}")[0]: goal.task.text for goal in goals}
    return [tasks[f"{file}:{name}"] for name in names if f"{file}:{name}" in tasks]


@dataclass(frozen=True)
class ConsistencyQuestion(GoalQuestion[Goal | Context, Consistency]):
    """Are the hypotheses of a goal, or those of a module, contradictory?"""

    provers: Sequence[Prover]
    field = "consistent"
    subjects = "sets"
    finding = "contradictory"

    def text(self, subject: Goal | Context) -> Task:
        return without_goal(subject.task, subject.id)

    def holds(self, answer: Consistency) -> bool:
        return answer.provers.items() <= versions(self.provers).items()

    def is_finding(self, answer: Consistency) -> bool:
        return answer.finding is Consistent.CONTRADICTORY

    def ask(self, subject: Goal | Context, launch: Launcher) -> Consistency:
        """Ask the first prover; about the context of a module, one of each family."""
        families = {prover.family: prover for prover in reversed(self.provers)}
        asked = [prover for prover in self.provers if prover in families.values()]
        asked = asked if isinstance(subject, Context) else asked[:1]
        task = self.text(subject)
        answers = [
            (prover, launch.answer(prover, task, _steps(prover), _GUARD_SECONDS))
            for prover in asked
        ]
        for wanted, finding in (
            (Answer.VALID, Consistent.CONTRADICTORY),
            (Answer.SAT, Consistent.CONSISTENT),
        ):
            if deciding := versions(each for each, said in answers if said is wanted):
                return Consistency(finding, deciding)
        return Consistency(Consistent.INCONCLUSIVE, versions(asked))


def _steps(prover: Prover) -> int:
    return int(EFFORT_SECONDS * prover.steps_per_second)


STEPS = {prover.name: _steps(prover) for prover in KNOWN}
"""How many steps each prover gets to find a contradiction or a model."""


def without_goal(task: Task, name: str) -> Task:
    """The task without its end, the negated goal. Raises `UserError` when it ends otherwise."""
    *hypotheses, goal, end = ["", *forms(task.text)]
    if not goal.startswith("(assert") or end.strip() != "(check-sat)":
        raise UserError(f"{name}: internal error: its task does not end with the negated goal")
    return Task.of("".join([*hypotheses, end]))


def find_vacuity(
    library: Path,
    files: Sequence[Path],
    effort: Effort,
    progress: Progress,
    provers: Sequence[Prover] | None = None,
) -> Vacuity:
    """Ask what the record does not know. Raises `UserError` for bad input or a missing tool."""
    why3 = find_why3()
    provers = find_provers() if provers is None else provers
    if not provers:
        raise UserError("no prover was found: see `sonnx-formal doctor`")
    decided = read_tables(library / "evidence" / "vacuity.toml", VacuityReasons)
    here = Library.read(library)
    question = ConsistencyQuestion(provers)
    known = is_known(library, question, effort)
    selection = select(library, files, effort.jobs, progress, known)
    if unknown := [file for file in selection.files if file not in here.texts]:
        raise UserError(f"{unknown[0]}: not a file of the library {library}")
    made = effort.provenance(library, selection.asked_for, versions(provers))
    cache = Cache(cache_folder(), progress.warn)
    lines = {} if effort.fresh else GoalRecord(library).read()
    recorded = {
        name: line
        for name, line in lines.items()
        if line.consistent and question.holds(line.consistent)
    }
    first = sorted(selection.files, key=lambda file: (not file.startswith(_FIRST), file))
    read = read_side_by_side(
        lambda file: contexts(why3, here, file, cache, recorded),
        first,
        effort.jobs,
        lambda number: progress(f"what each module assumes: {number} of {len(first)} files"),
    )
    assumed = [context for file in read.values() for context in file.result()]
    goals = grouped(selection.goals, lambda goal: goal.source.name)
    # A contradiction in a module is behind all its goals.
    subjects: list[Goal | Context] = [*assumed]
    subjects += (goal for file in first for goal in goals.get(file, ()))
    found = inquire(selection, subjects, question, effort, progress)
    hypotheses = tuple(
        _hypotheses(subject, found.answers.get(subject.task.sha256), decided.contradictory)
        for subject in subjects
    )
    witnessing = tuple(preconditions(here))
    without_body = tuple(parameters(here, library))
    witnessed = all(symbol.witnesses for symbol in (*witnessing, *without_body))
    return Vacuity(
        effort.ended(made, found.from_record),
        hypotheses,
        witnessing,
        without_body,
        _summary(hypotheses, decided.contradictory, found.end, witnessed=witnessed),
    )


def _hypotheses(
    subject: Goal | Context, answer: Consistency | None, dispositions: Sequence[Disposition]
) -> Hypotheses:
    finding = answer.finding if answer else Consistent.NOT_ASKED
    scope: Literal["context", "goal"] = "goal" if isinstance(subject, Goal) else "context"
    # No reason makes a module right: each of its goals would be proved of nothing.
    decided = scope == "goal" and finding is Consistent.CONTRADICTORY
    reason = records.reason_for(subject.id, dispositions) if decided else None
    return Hypotheses(
        of=subject.id,
        scope=scope,
        sha256=subject.task.sha256,
        finding=finding,
        provers=tuple(answer.provers) if answer else (),
        reason=reason,
    )


def preconditions(library: Library) -> Iterator[WitnessedSymbol]:
    """The operators, and what requirements and findings rest on, with their witnesses.

    An auxiliary fact that can never be applied is of no use, and no danger. The preconditions of a
    symbol without a body are its clones' to prove.
    """
    asked = registry()
    for file, modules in library.modules.items():
        for module in modules if not is_evidence(file) else ():
            counts = [
                (definition.name, count)
                for definition in module.declarations
                if "let" in definition.head and (count := _number(definition, "requires"))
                if asked.is_of_operators(file)
                or f"{file}:{module.name}.{definition.name}" in asked.cited
            ]
            users = library.users(file, module.name) if counts else {}
            for definition, count in counts:
                witnesses = tuple(
                    f"{user}:{using.name}.{declaration.name}"
                    for (user, _module), using in users.items()
                    if is_evidence(user)
                    for declaration in using.declarations
                    if definition in declaration.words
                )
                yield WitnessedSymbol(f"{file}:{module.name}.{definition}", count, witnesses)


def _number(declaration: Declaration, *clauses: str) -> int:
    return sum(clause.keyword in clauses for clause in declaration.clauses)


def parameters(library: Library, folder: Path) -> Iterator[WitnessedSymbol]:
    """Each symbol without a body, with the modules that have a definition in its place."""
    believed = {(item.module, item.name) for item in granted(folder) if item.assumed}
    instances: dict[Place, list[str]] = defaultdict(list)
    for file, module in complete(folder):
        for cloned in library.cloned([(file, module)]):
            instances[cloned].append(f"{file}:{module}")
    for (file, module), found in library.by_place.items():
        for symbol in found.declarations:
            if "val" in symbol.head and (f"{file}:{module}", symbol.name) not in believed:
                yield WitnessedSymbol(
                    f"{file}:{module}.{symbol.name}",
                    _number(symbol, "requires", "ensures"),
                    tuple(instances[file, module]),
                )


def _summary(
    hypotheses: Sequence[Hypotheses],
    dispositions: Sequence[Disposition],
    end: End,
    *,
    witnessed: bool,
) -> VacuitySummary:
    unasked = {_file(entry) for entry in hypotheses if entry.finding is Consistent.NOT_ASKED}
    complete = {_file(entry) for entry in hypotheses} - unasked
    contradictory = [e for e in hypotheses if e.finding is Consistent.CONTRADICTORY]
    unaccounted = tuple(entry.of for entry in contradictory if entry.reason is None)
    obsolete = records.stale(dispositions, [entry.of for entry in contradictory], complete)
    bad = unasked or unaccounted or obsolete or end is End.INTERRUPTED
    return VacuitySummary(
        contexts=_counts([entry for entry in hypotheses if entry.scope == "context"]),
        goals=_counts([entry for entry in hypotheses if entry.scope == "goal"]),
        unaccounted=unaccounted,
        stale_dispositions=obsolete,
        interrupted=end is End.INTERRUPTED,
        good=witnessed and not bad,
    )


def _file(entry: Hypotheses) -> str:
    return entry.of.partition(":")[0]


def _counts(hypotheses: Sequence[Hypotheses]) -> VacuityCounts:
    counts = Counter(entry.finding for entry in hypotheses)
    return VacuityCounts(
        all=len(hypotheses),
        distinct=len({entry.sha256 for entry in hypotheses}),
        **{finding.replace(" ", "_"): counts[finding] for finding in Consistent},
    )


def exit_status(vacuity: Vacuity) -> int:
    """Zero only if everything was asked, and every contradiction has its reason."""
    return INTERRUPTED if vacuity.summary.interrupted else int(not vacuity.summary.good)


def print_vacuity(console: Console, vacuity: Vacuity) -> None:
    say(console, str(vacuity.made))
    print_by_file(console, vacuity.hypotheses, lambda entry: entry.of, _row)
    effort = f"no contradiction within what a prover does in {EFFORT_SECONDS} s"
    say(console, f"\ninconclusive: {effort}, which excludes none")
    summary = vacuity.summary
    if summary.interrupted or summary.contexts.not_asked or summary.goals.not_asked:
        end = End.INTERRUPTED if summary.interrupted else End.OUT_OF_TIME
        say(console, f"{end}: what is finished is in the record, run it again for the rest")
    for entry in vacuity.hypotheses:
        if entry.finding is Consistent.CONTRADICTORY:
            advice = entry.reason or "evidence/vacuity.toml has no reason for it"
            if entry.scope == "context":
                advice = "whatever stands in this module is proved of nothing"
            say(console, f"\ncontradictory: {entry.of}", f"  {advice}")
    for pattern in summary.stale_dispositions:
        say(console, f"\nevidence/vacuity.toml: {pattern} names no contradictory goal: remove it")
    for what, symbols in (
        ("operators and cited results with preconditions", vacuity.preconditions),
        ("symbols that are parameters", vacuity.parameters),
    ):
        without = [symbol.name for symbol in symbols if not symbol.witnesses]
        say(console, f"\n{len(symbols) - len(without)} of {len(symbols)} {what} have a witness")
        say(console, *(f"  without: {name}" for name in without))


def _row(hypotheses: Sequence[Hypotheses]) -> dict[str, int]:
    counts = Counter(entry.scope for entry in hypotheses)
    findings = Counter(entry.finding for entry in hypotheses)
    scopes = {"goals": counts["goal"], "modules": counts["context"]}
    return scopes | {finding.value: findings[finding] for finding in Consistent}
