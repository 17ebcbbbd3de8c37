"""The premises that a prover uses for a goal: it is asked for an unsat core.

Only the premises have names, so a core is made of them, and all else may be used freely.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.evidence.launcher import Launcher
from sonnx_formal.evidence.question import GoalQuestion
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.provers import Prover, find_provers
from sonnx_formal.prover.tasks import Task

PROVERS = ("z3", "cvc5")
"""Those that give unsat cores, one of each family."""


class Cores(Part, frozen=True):
    """The premises of a goal that provers used."""

    premises: Count
    cores: dict[str, tuple[int, ...] | None]
    """Of each prover, from 0; None without a proof."""
    seconds: Count
    """What each prover was given."""


@dataclass(frozen=True)
class CoresQuestion(GoalQuestion[Goal, Cores]):
    """Which premises does a proof of the goal use?"""

    provers: Sequence[Prover]
    seconds: int
    """Of CPU time that a prover gets for a goal."""
    field = "cores"
    subjects = "goals"
    finding = "found"

    def holds(self, answer: Cores) -> bool:
        """Whether a recorded answer is of these provers."""
        return answer.cores.keys() == {_name(prover) for prover in self.provers}

    def knows(self, answer: Cores) -> bool:
        """Whether asking again could not tell more."""
        return answer.seconds >= self.seconds or None not in answer.cores.values()

    def ask(self, goal: Goal, launch: Launcher) -> Cores:
        """Ask each prover about one goal. Raises `StoppedError`, `UserError`."""
        question = named(goal.task)
        cores = {}
        for prover in self.provers:
            outcome = launch(prover.command_line(None), question, self.seconds)
            proved = outcome.exit_code == 0 and not outcome.timed_out
            cores[_name(prover)] = core(outcome.stdout) if proved else None
        return Cores(len(goal.task.premises), cores, self.seconds)


def cores_question(seconds: int) -> CoresQuestion:
    """To the provers of this machine that give cores. Raises `UserError` when there is none."""
    here = {prover.name: prover for prover in find_provers()}
    provers = [here[name] for name in PROVERS if name in here]
    if not provers:
        raise UserError(f"neither of {', '.join(PROVERS)} was found: see `sonnx-formal doctor`")
    return CoresQuestion(provers, seconds)


def named(task: Task) -> str:
    """The task with a name for each premise, and with a question for the core."""
    parts = ["(set-option :produce-unsat-cores true)\n"]
    assertions = 0
    for form in _forms(task.text):
        is_assertion = form.startswith("(assert")
        if is_assertion and assertions in task.premises:
            number = task.premises.index(assertions)
            parts.append(f"(assert (! {_asserted(form)} :named premise-{number}))\n")
        else:
            parts.append(form)
        assertions += is_assertion
    return "".join(parts).rstrip() + "\n(get-unsat-core)\n"


def stated(task: Task) -> list[str]:
    """The premises as the task states them, each on one line."""
    assertions = [form for form in _forms(task.text) if form.startswith("(assert")]
    return [" ".join(_asserted(assertions[n]).split()) for n in task.premises]


def core(output: str) -> tuple[int, ...] | None:
    """The premises in the core that a prover printed, from 0; None without a proof."""
    match = re.match(r"\s*unsat\s*\(\s*((?:premise-\d+\s*)*)\)", output)
    if match is None:
        return None
    return tuple(sorted(int(number) for number in re.findall(r"premise-(\d+)", match[1])))


def _forms(text: str) -> Iterator[str]:
    """The top-level forms: Why3 begins each at the margin, and indents what is inside."""
    starts = [match.start() for match in re.finditer(r"^\(", text, re.MULTILINE)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield text[start:end]


def _asserted(form: str) -> str:
    return form.strip().removeprefix("(assert").removesuffix(")").strip()


def _name(prover: Prover) -> str:
    return f"{prover.name} {prover.version}"
