"""The premises that a prover uses for a goal: it is asked for an unsat core.

Only the premises have names, so a core is made of them, and all else may be used freely.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.evidence.records.each import Launcher
from sonnx_formal.evidence.records.record import Record, Result
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.provers import Prover, find_provers
from sonnx_formal.prover.tasks import Task

PROVERS = ("z3", "cvc5")
"""Those that give unsat cores, one of each family."""


@dataclass(frozen=True)
class Cores:
    """How provers are asked."""

    provers: Sequence[Prover]
    seconds: int
    """Of CPU time that a prover gets for a goal."""

    def holds(self, result: Result) -> bool:
        """Whether a recorded result is about these provers."""
        return bool(result["cores"].keys() == {_name(prover) for prover in self.provers})

    def knows(self, result: Result) -> bool:
        """Whether asking again could not tell more."""
        return result["seconds"] >= self.seconds or None not in result["cores"].values()

    def __call__(self, goal: Goal, launch: Launcher) -> Result:
        """Ask each prover about one goal."""
        question = named(goal.task)
        cores = {}
        for prover in self.provers:
            outcome = launch(prover.command_line(None), question, self.seconds)
            proved = outcome.exit_code == 0 and not outcome.timed_out
            cores[_name(prover)] = core(outcome.stdout) if proved else None
        return {
            "goal": goal.id,
            "premises": len(goal.task.premises),
            "cores": cores,
            "seconds": self.seconds,
        }


def find_cores(seconds: int) -> Cores:
    """The provers of this machine that give cores. Raises `UserError` when there is none."""
    here = {prover.name: prover for prover in find_provers()}
    provers = [here[name] for name in PROVERS if name in here]
    if not provers:
        raise UserError(f"neither of {', '.join(PROVERS)} was found: see `sonnx-formal doctor`")
    return Cores(provers, seconds)


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


def core(output: str) -> list[int] | None:
    """The premises in the core that a prover printed, from 0; None without a proof."""
    match = re.match(r"\s*unsat\s*\(\s*((?:premise-\d+\s*)*)\)", output)
    if match is None:
        return None
    return sorted(int(number) for number in re.findall(r"premise-(\d+)", match[1]))


def hypotheses_record(library: Path) -> Record:
    """The record of a library."""
    path = library / "evidence" / "hypotheses.json"
    return Record(path, "sonnx-formal/hypotheses-record/1", "hypotheses")


def _forms(text: str) -> Iterator[str]:
    """The top-level forms: Why3 begins each at the margin, and indents what is inside."""
    starts = [match.start() for match in re.finditer(r"^\(", text, re.MULTILINE)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield text[start:end]


def _asserted(form: str) -> str:
    return form.strip().removeprefix("(assert").removesuffix(")").strip()


def _name(prover: Prover) -> str:
    return f"{prover.name} {prover.version}"
