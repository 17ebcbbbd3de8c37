"""The command `hypotheses`: which preconditions do proofs use?

Provers are asked for unsat cores. Only the premises of a goal have names in the question, so a core
is made of them, and all else may be used freely.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Annotated

from msgspec import Meta, structs
from rich.console import Console

from sonnx_formal.core.documents import Count, Part, read_tables
from sonnx_formal.core.errors import INTERRUPTED, UserError
from sonnx_formal.core.terminal import Progress, print_by_file, say
from sonnx_formal.evidence.inquiry import Effort, End, GoalQuestion, Selection, inquire
from sonnx_formal.evidence.records import Cores, Disposition, reason_for, stale
from sonnx_formal.prover import whyml
from sonnx_formal.prover.cores import asking, places
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.launcher import Launcher
from sonnx_formal.prover.provenance import MadeDocument
from sonnx_formal.prover.provers import Limits, Prover, find_provers, versions
from sonnx_formal.prover.smtlib import asserted, forms, is_assertion
from sonnx_formal.prover.sources import read_source
from sonnx_formal.prover.tasks import Task
from sonnx_formal.prover.whyml import Clause, modules

_PROVERS = ("z3", "cvc5")  # those that give unsat cores, one of each family
_ABOUT_FUNCTION = re.compile(r"(?<!'refn)'vc$")  # a definition's condition, not a clone's
REASONS = "unused_preconditions.toml"


class PreconditionReasons(Part, frozen=True):
    """`why3/evidence/unused_preconditions.toml`: why a source document asks for what is unused."""

    precondition: tuple[Disposition, ...] = ()
    """Of which `Precondition.id` is the id."""


class Use(StrEnum):
    """What is known of a precondition."""

    USED = "used"
    """Some goal of the function has proofs, and all of them use it."""
    UNUSED = "unused"
    """Each goal of the function has a proof without it."""
    UNDETERMINED = "undetermined"
    """It is not used as far as one can see, but some goal has no proof with a core."""


class Precondition(Part, frozen=True):
    """A precondition of a function, and whether proofs use it."""

    function: str
    """`ops/mul/definition.mlw:Mul.mul`."""
    name: str
    """As its attribute says; without one, as the task states it."""
    goals: Annotated[int, Meta(ge=1)]
    """Those that are proved under it."""
    use: Use
    reason: str | None
    """Why it stays though unused."""

    @property
    def id(self) -> str:
        """By which reasons name it: `ops/mul/definition.mlw:Mul.mul: same shape`."""
        return f"{self.function}: {self.name}"


class UseOfHypotheses(MadeDocument, frozen=True, tag="sonnx-formal/hypotheses/5"):
    """Which preconditions proofs use."""

    command = "hypotheses --json PATH"

    preconditions: tuple[Precondition, ...]
    obsolete_reasons: tuple[str, ...]
    """Those for what is used, or is no more."""
    not_tried: Count
    """Goals that nobody was asked about."""
    interrupted: bool


@dataclass(frozen=True)
class CoresQuestion(GoalQuestion[Goal, Cores]):
    """Which premises does a proof of the goal use?"""

    provers: Mapping[str, Prover]
    """By name and version."""
    seconds: int
    """Of CPU time that a prover gets for a goal."""
    field = "cores"
    subjects = "goals"
    finding = "found"

    def holds(self, answer: Cores) -> bool:
        return answer.cores.keys() == self.provers.keys()

    def knows(self, answer: Cores) -> bool:
        return answer.seconds >= self.seconds or None not in answer.cores.values()

    def ask(self, goal: Goal, launch: Launcher) -> Cores:
        premises = goal.task.premises
        question = asking(goal.task, premises)
        cores = {}
        for name, prover in self.provers.items():
            outcome = launch(prover.call(question, Limits(self.seconds)))
            proved = outcome.exit_code == 0 and not outcome.timed_out
            used = places(outcome.stdout) if proved else None
            cores[name] = None if used is None else tuple(map(premises.index, used))
        return Cores(len(premises), cores, self.seconds)


def cores_question(seconds: int) -> CoresQuestion:
    """To the provers of this machine that give cores. Raises `UserError` when there is none."""
    here = {prover.name: prover for prover in find_provers()}
    provers = {f"{name} {here[name].version}": here[name] for name in _PROVERS if name in here}
    if not provers:
        raise UserError(f"neither of {', '.join(_PROVERS)} was found: see `sonnx-formal doctor`")
    return CoresQuestion(provers, seconds)


def stated(task: Task) -> list[str]:
    """The premises as the task states them, each on one line."""
    assertions = [form for form in forms(task.text) if is_assertion(form)]
    return [asserted(assertions[n]) for n in task.premises]


def find_use(
    selection: Selection, question: CoresQuestion, effort: Effort, progress: Progress
) -> UseOfHypotheses:
    """Ask for the cores that are not recorded, and see what all use. Raises `UserError`."""
    path = selection.library / "evidence" / REASONS
    decided = read_tables(path, PreconditionReasons).precondition
    goals = [goal for goal in selection.goals if _ABOUT_FUNCTION.search(goal.name)]
    provers = versions(question.provers.values())
    made = effort.provenance(
        selection.library, selection.asked_for, provers, timeout=question.seconds
    )
    found = inquire(selection, goals, question, effort, progress)
    preconditions = tuple(_preconditions(goals, found.answers, decided))
    not_used = [entry.id for entry in preconditions if entry.use is not Use.USED]
    return UseOfHypotheses(
        made=effort.ended(made, found.from_record),
        preconditions=preconditions,
        obsolete_reasons=stale(decided, not_used, selection.files),
        not_tried=sum(goal.task.sha256 not in found.answers for goal in goals),
        interrupted=found.end is End.INTERRUPTED,
    )


def is_known_without_text(answered: Callable[[Goal], bool]) -> Callable[[Goal], bool]:
    """Whether nothing but its digest is wanted of a goal.

    :param answered: whether nobody will be asked about it.
    """
    return lambda goal: (
        not _ABOUT_FUNCTION.search(goal.name) or (answered(goal) and not _requires(goal))
    )


@lru_cache(maxsize=1)
def _parsed(path: Path) -> Mapping[tuple[str, str], Sequence[Clause]]:
    """The contracts of a file, by module and name."""
    found: dict[tuple[str, str], Sequence[Clause]] = {}
    for module in modules(read_source(path).decode(errors="replace")):
        for declaration in module.declarations:
            found.setdefault((module.name, declaration.name), declaration.clauses)
    return found


def _requires(goal: Goal) -> list[Clause]:
    """The preconditions of the function that the goal is about."""
    contracts = _parsed(goal.source.path)
    clauses = contracts.get((goal.module, goal.name.rpartition("'")[0]), ())
    return [clause for clause in clauses if clause.keyword == "requires"]


def _preconditions(
    goals: Sequence[Goal], answers: Mapping[str, Cores], reasons: Sequence[Disposition]
) -> Iterator[Precondition]:
    """The preconditions of the functions that the goals are about. Raises `UserError`."""
    by_function: dict[tuple[str, str, str], list[Goal]] = {}
    for goal in goals:
        key = (goal.source.name, goal.module, goal.name.rpartition("'")[0])
        by_function.setdefault(key, []).append(goal)

    for (file, module, name), mine in by_function.items():
        if not (requires := _requires(mine[0])):
            continue
        premises = [stated(goal.task) for goal in mine]
        # All goals begin with the preconditions. Then comes what is known at the place of a goal:
        # branches, and preconditions of other functions that were called before.
        shared = takewhile(set(premises[0]).intersection(*premises).__contains__, premises[0])
        texts = list(shared)[: sum(map(conjuncts, requires))]
        labels = [re.search(r"expl:([^\]]*)", clause.label) for clause in requires]
        function = f"{file}:{module}.{name}"
        said = [answers.get(goal.task.sha256) for goal in mine]
        cores = [[c for c in a.cores.values() if c is not None] if a else [] for a in said]
        for number, text in enumerate(texts):
            label = labels[number] if len(labels) == len(texts) else None
            called = label[1].strip() if label else text
            use = _use([stated_.index(text) for stated_ in premises], cores)
            found = Precondition(function, called, len(mine), use, None)
            reason = reason_for(found.id, reasons) if use is Use.UNUSED else None
            yield structs.replace(found, reason=reason)


def conjuncts(clause: Clause) -> int:
    """How many premises Why3 makes of a clause: `0 <= x < y /\\ p` are three."""
    depth, found, links = 0, 1, 0
    for token in clause.inside:
        depth += (token.text in whyml.OPENING) - (token.text in whyml.CLOSING)
        if depth or token.text in whyml.OPENING | whyml.CLOSING:
            continue
        if token.text in {"->", "<->", "\\/", "||"}:
            return 1
        if token.text in {"forall", "exists", "if", "let", "fun"}:  # what follows is one with it
            return found
        if token.text in whyml.CONJUNCTIONS:
            links = 0
            found += 1
        elif token.text in whyml.COMPARISONS:
            links += 1
            found += links > 1
    return found


def _use(places: Sequence[int], cores: Sequence[Sequence[tuple[int, ...]]]) -> Use:
    """What the cores of the goals of a function say of a premise that has such a place in each."""
    for place, mine in zip(places, cores, strict=True):
        if mine and all(place in core for core in mine):
            return Use.USED
    return Use.UNUSED if all(cores) else Use.UNDETERMINED


def exit_status(found: UseOfHypotheses) -> int:
    """Zero only if each precondition is used, or unused for a reason."""
    bad = _has_open(found) or found.obsolete_reasons or found.not_tried
    return INTERRUPTED if found.interrupted else int(bool(bad))


def print_use(console: Console, found: UseOfHypotheses) -> None:
    print_by_file(console, found.preconditions, lambda entry: entry.function, _counts)
    for entry in found.preconditions:
        if entry.use is not Use.USED:
            why = f"; {entry.reason}" if entry.reason else ""
            say(console, f"{entry.use}: {entry.id}{why}")
    for obsolete in found.obsolete_reasons:
        say(console, f"no longer unused, or gone: {obsolete}")
    if found.not_tried:
        end = End.INTERRUPTED if found.interrupted else End.OUT_OF_TIME
        say(console, f"{end}: {found.not_tried} goals were not tried: run it again to go on")
    if _has_open(found):
        todo = "drop what no proof needs, or give the reason in evidence/"
        say(console, f"\nTo go on: {todo}{REASONS}.")


def _has_open(found: UseOfHypotheses) -> bool:
    return any(entry.use is Use.UNUSED and not entry.reason for entry in found.preconditions)


def _counts(entries: Sequence[Precondition]) -> dict[str, int]:
    uses = Counter(entry.use for entry in entries)
    return {
        "preconditions": len(entries),
        "used": uses[Use.USED],
        "unused": uses[Use.UNUSED],
        "justified": sum(entry.reason is not None for entry in entries),
        "undetermined": uses[Use.UNDETERMINED],
    }
