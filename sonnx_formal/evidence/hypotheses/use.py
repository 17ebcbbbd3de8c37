"""From cores of goals to the use of each precondition of each function."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile
from pathlib import Path

from sonnx_formal.evidence.hypotheses.cores import stated
from sonnx_formal.evidence.records.record import Result
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.sources import read_source
from sonnx_formal.prover.whyml.modules import Clause, modules
from sonnx_formal.prover.whyml.tokens import CLOSING, COMPARISONS, CONJUNCTIONS, OPENING

_LOOSER = {"->", "<->", "\\/", "||"}
_BINDERS = {"forall", "exists", "if", "let", "fun"}


class Use(StrEnum):
    """What is known of a precondition."""

    USED = "used"
    """Some goal of the function has proofs, and all of them use it."""
    UNUSED = "unused"
    """Each goal of the function has a proof without it."""
    UNDETERMINED = "undetermined"
    """It is not used as far as one can see, but some goal has no proof with a core."""


@dataclass(frozen=True)
class Precondition:
    """A precondition of a function, and whether proofs use it."""

    function: str
    """`ops/mul/definition.mlw:Mul.mul`."""
    name: str
    """As its attribute says; without one, as the task states it."""
    use: Use
    goals: int
    """Those that are proved under it."""


def preconditions(
    library: Path, goals: Sequence[Goal], results: dict[str, Result]
) -> list[Precondition]:
    """The preconditions of the functions that the goals are about, in the order of the goals.

    :param results: by task; what is not in it was not tried.
    :raises UserError: when a source cannot be read.
    """
    by_function: dict[tuple[str, str, str], list[Goal]] = {}
    for goal in goals:
        if is_about_function(goal):
            key = (goal.source.name, goal.module, goal.name.rpartition("'")[0])
            by_function.setdefault(key, []).append(goal)
    found = []
    for (file, module, function), mine in by_function.items():
        clauses = _requires(mine[0].source.path, module, function)
        texts = _own(mine)[: sum(map(conjuncts, clauses))]
        labels = _labels(clauses, texts)
        found += [
            Precondition(f"{file}:{module}.{function}", label, _use(mine, results, text), len(mine))
            for label, text in zip(labels, texts, strict=True)
        ]
    return found


def is_about_function(goal: Goal) -> bool:
    """Whether it is a verification condition of a definition, not of a clone."""
    return goal.name.endswith("'vc") and not goal.name.endswith("'refn'vc")


def conjuncts(clause: Clause) -> int:
    """How many premises Why3 makes of a clause: `0 <= x < y /\\ p` are three."""
    depth, found, links = 0, 1, 0
    for token in clause.inside:
        depth += (token.text in OPENING) - (token.text in CLOSING)
        if depth or token.text in OPENING | CLOSING:
            continue
        if token.text in _LOOSER:
            return 1
        if token.text in _BINDERS:  # what follows is one with it
            return found
        if token.text in CONJUNCTIONS:
            links = 0
            found += 1
        elif token.text in COMPARISONS:
            links += 1
            found += links > 1
    return found


def _own(goals: Sequence[Goal]) -> list[str]:
    """The premises that all goals of the function begin with: its preconditions, and maybe more.

    The premises of a goal are the preconditions, then what is known at its place in the function:
    branches, and preconditions of other functions that were called before.
    """
    lists = [stated(goal.task) for goal in goals]
    return list(takewhile(lambda text: all(text in one for one in lists), lists[0]))


def _use(goals: Sequence[Goal], results: dict[str, Result], text: str) -> Use:
    """What the cores of the goals of a function say of one of its preconditions."""
    unknown = False
    for goal in goals:
        texts = stated(goal.task)
        index = texts.index(text)
        result = results.get(goal.task.sha256)
        cores = [core for core in result["cores"].values() if core is not None] if result else []
        if cores and all(index in core for core in cores):
            return Use.USED
        unknown = unknown or not cores
    return Use.UNDETERMINED if unknown else Use.UNUSED


def _requires(path: Path, module: str, function: str) -> list[Clause]:
    for one in modules(read_source(path).decode(errors="replace")):
        for declaration in one.declarations if one.name == module else ():
            if declaration.name == function:
                return [c for c in declaration.clauses if c.keyword == "requires"]
    return []


def _labels(clauses: Sequence[Clause], texts: Sequence[str]) -> list[str]:
    """The names of the preconditions of a function where each clause is one; else their texts."""
    if len(clauses) != len(texts):
        return list(texts)
    return [_label(clause.label, text) for clause, text in zip(clauses, texts, strict=True)]


def _label(attribute: str, text: str) -> str:
    match = re.search(r"expl:([^\]]*)", attribute)
    return match[1].strip() if match else text
