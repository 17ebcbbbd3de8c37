"""From cores of goals to the use of each precondition of each function."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from sonnx_formal.core.documents import Part
from sonnx_formal.evidence.hypotheses.cores import Cores, stated
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.sources import read_source
from sonnx_formal.prover.whyml.modules import Clause, Module, modules
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


def preconditions(
    goals: Sequence[Goal], answers: Mapping[str, Cores], reasons: Mapping[tuple[str, str], str]
) -> list[Precondition]:
    """The preconditions of the functions that the goals are about, in the order of the goals.

    :param answers: by task; what is not in it was not tried.
    :param reasons: by function and name.
    :raises UserError: when a source cannot be read.
    """
    by_function: dict[tuple[str, str, str], list[Goal]] = {}
    for goal in goals:
        key = (goal.source.name, goal.module, goal.name.rpartition("'")[0])
        by_function.setdefault(key, []).append(goal)
    found = []
    parsed = cache(_modules)
    for (file, module, name), mine in by_function.items():
        clauses = _requires(parsed(mine[0].source.path), module, name)
        if not clauses:
            continue
        premises = [stated(goal.task) for goal in mine]
        texts = _own(premises)[: sum(map(conjuncts, clauses))]
        function = f"{file}:{module}.{name}"
        cores = [_cores(answers.get(goal.task.sha256)) for goal in mine]
        for label, text in zip(_labels(clauses, texts), texts, strict=True):
            use = _use([stated_.index(text) for stated_ in premises], cores)
            reason = reasons.get((function, label)) if use is Use.UNUSED else None
            found.append(Precondition(function, label, len(mine), use, reason))
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


def _own(premises: Sequence[Sequence[str]]) -> list[str]:
    """The premises that all goals of the function begin with: its preconditions, and maybe more.

    The premises of a goal are the preconditions, then what is known at its place in the function:
    branches, and preconditions of other functions that were called before.
    """
    return list(takewhile(lambda text: all(text in texts for texts in premises), premises[0]))


def _cores(answer: Cores | None) -> list[tuple[int, ...]]:
    return [core for core in answer.cores.values() if core is not None] if answer else []


def _use(places: Sequence[int], cores: Sequence[Sequence[tuple[int, ...]]]) -> Use:
    """What the cores of the goals of a function say of a premise that has such a place in each."""
    for place, mine in zip(places, cores, strict=True):
        if mine and all(place in core for core in mine):
            return Use.USED
    return Use.UNUSED if all(cores) else Use.UNDETERMINED


def _modules(path: Path) -> list[Module]:
    return modules(read_source(path).decode(errors="replace"))


def _requires(found: Sequence[Module], module: str, function: str) -> list[Clause]:
    declarations = [d for here in found if here.name == module for d in here.declarations]
    for declaration in declarations:
        if declaration.name == function:
            return [clause for clause in declaration.clauses if clause.keyword == "requires"]
    return []


def _labels(clauses: Sequence[Clause], texts: Sequence[str]) -> list[str]:
    """The names of the preconditions of a function where each clause is one; else their texts."""
    if len(clauses) != len(texts):
        return list(texts)
    return [_label(clause.label, text) for clause, text in zip(clauses, texts, strict=True)]


def _label(attribute: str, text: str) -> str:
    match = re.search(r"expl:([^\]]*)", attribute)
    return match[1].strip() if match else text
