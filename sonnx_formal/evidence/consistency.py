"""Whether what is assumed is contradictory: provers are asked with few steps.

So the answer is the same on every machine. Asked about are the hypotheses of each goal, and those
that every goal of a module has: the task of a goal `false` that stands last in it.
"""

import hashlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from sonnx_formal.core.errors import UserError
from sonnx_formal.evidence.inquiry import GoalQuestion, Launcher
from sonnx_formal.evidence.records import Consistency, Consistent, Context
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.library import Library, RejectedError, Workshop
from sonnx_formal.prover.provers import Answer, Prover
from sonnx_formal.prover.tasks import DRIVER, Task

# In the steps of each prover: what it does in about so many seconds on a plain machine.
EFFORT_SECONDS = 0.2
_GUARD_SECONDS = 5  # ends a prover whose steps are far longer than that: large powers are
_ASSERT, _END = "\n(assert", "(check-sat)"
_GOAL = "context_of_"  # and the name of the module: a clone may bring another such goal


def contexts(why3: Why3, library: Library, file: str, cache: Cache) -> list[Context]:
    """The contexts of the modules of a file, in its order. Raises `UserError`."""
    key = {
        "format": 1,
        "why3": why3.version,
        "driver": hashlib.sha256(DRIVER.read_bytes()).hexdigest(),
        "file": file,
        "sources": library.digest([file]),
    }
    texts = cache.read("contexts", key)
    if texts is None:
        texts = _texts(why3, library, file)
        cache.write("contexts", key, texts)
    names = [f"{file}:{module.name}" for module in library.modules[file]]
    if len(texts) != len(names):
        raise UserError(f"{file}: internal error: {len(texts)} contexts of {len(names)} modules")
    return [Context(name, Task.of(text)) for name, text in zip(names, texts, strict=True)]


def _texts(why3: Why3, library: Library, file: str) -> list[str]:
    text = library.texts[file]
    names = [module.name for module in library.modules[file]]
    for module in reversed(library.modules[file]):
        goal = f"  goal {_GOAL}{module.name}: false\n"
        text = f"{text[: module.end]}\n{goal}{text[module.end :]}"
    with closing(Workshop(why3, library.texts)) as workshop:
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
        """What provers are asked: equal hypotheses are asked about once."""
        return without_goal(subject.task, subject.id)

    def is_finding(self, answer: Consistency) -> bool:
        """Whether the hypotheses are contradictory."""
        return answer.finding is Consistent.CONTRADICTORY

    def ask(self, subject: Goal | Context, launch: Launcher) -> Consistency:
        """Ask the first prover; about the context of a module, one of each family.

        Raises `StoppedError`, `UserError`.
        """
        families = {prover.family: prover for prover in reversed(self.provers)}
        asked = [prover for prover in self.provers if prover in families.values()]
        asked = asked if isinstance(subject, Context) else asked[:1]
        task, answers = self.text(subject), {}
        for prover in asked:
            steps = int(EFFORT_SECONDS * prover.steps_per_second)
            answers[prover.name] = launch.answer(prover, task, steps, _GUARD_SECONDS)
        for wanted, finding in (
            (Answer.VALID, Consistent.CONTRADICTORY),
            (Answer.SAT, Consistent.CONSISTENT),
        ):
            if deciding := tuple(name for name, said in answers.items() if said is wanted):
                return Consistency(finding, deciding)
        return Consistency(Consistent.INCONCLUSIVE, tuple(answers))


def without_goal(task: Task, name: str) -> Task:
    """The task without its last assertion, which is the negated goal.

    Raises `UserError` when it ends otherwise than Why3's do.
    """
    start = task.text.rfind(_ASSERT)
    end = task.text.rfind(_END)
    if start < 0 or not _is_command(task.text[start:end].strip()):
        raise UserError(f"{name}: internal error: its task does not end with the negated goal")
    return Task.of(f"{task.text[:start]}\n{_END}\n")


def _is_command(text: str) -> bool:
    """Whether a text is one command; Why3 prints no string with a parenthesis in it."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place == len(text) - 1
    return False
