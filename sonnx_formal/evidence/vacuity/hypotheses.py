"""What each goal assumes: its task without the goal, and what every goal of a module assumes."""

from dataclasses import dataclass
from enum import StrEnum

from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.tasks import Task
from sonnx_formal.prover.whyml.library import Library
from sonnx_formal.prover.whyml.workshop import RejectedError, Workshop

_CONTEXT = "context_of_"  # and the name of the module: a clone may bring another such goal
_ASSERT, _END = "\n(assert", "(check-sat)"


class Scope(StrEnum):
    """Whose hypotheses they are."""

    CONTEXT = "context"
    """Of a module: what is defined, stated and used there, and no assumption of a goal's own."""
    GOAL = "goal"


@dataclass(frozen=True)
class Hypotheses:
    """What is assumed, as an SMT-LIB text that is to be satisfiable."""

    of: str
    """`<file>:<module>`, or the id of a goal."""
    scope: Scope
    explanation: str
    task: Task


def hypotheses_of(goal: Goal) -> Hypotheses:
    """What a goal assumes. Raises `UserError` when its task ends otherwise than Why3's do."""
    return Hypotheses(goal.id, Scope.GOAL, goal.explanation, without_goal(goal.task, goal.id))


def without_goal(task: Task, name: str) -> Task:
    """The task without its last assertion, which is the negated goal. Raises `UserError`."""
    start = task.text.rfind(_ASSERT)
    end = task.text.rfind(_END)
    if start < 0 or not _is_one_command(task.text[start:end]):
        raise UserError(f"{name}: internal error: its task does not end with the negated goal")
    return Task.of(f"{task.text[:start]}\n{_END}\n")


def contexts(why3: Why3, library: Library, file: str) -> list[Hypotheses]:
    """What every goal at the end of each module of a file assumes.

    It is what Why3 makes of a goal `false` that stands last in the module. Raises `UserError`.
    """
    text = library.texts[file]
    modules = library.modules[file]
    for module in reversed(modules):
        goal = f"  goal {_CONTEXT}{module.name}: false\n"
        text = f"{text[: module.end]}\n{goal}{text[module.end :]}"
    workshop = Workshop(why3, library.texts)
    try:
        workshop.edit(file, text)
        names = [module.name for module in modules]
        goals = workshop.goals(file, names, [f"{_CONTEXT}{name}" for name in names])
    except RejectedError as error:
        raise UserError(f"{file}: {error}") from None
    finally:
        workshop.close()
    if len(goals) != len(modules):
        raise UserError(f"{file}: internal error: {len(goals)} contexts of {len(modules)} modules")
    ids = [goal.id.partition(f".{_CONTEXT}")[0] for goal in goals]
    return [
        Hypotheses(one, Scope.CONTEXT, "", without_goal(goal.task, one))
        for one, goal in zip(ids, goals, strict=True)
    ]


def _is_one_command(text: str) -> bool:
    """Whether a text is one thing in parentheses; Why3 prints no string with one in it."""
    depth = 0
    text = text.strip()
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place == len(text) - 1
    return False
