"""From cores of goals to the use of each precondition of each function."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sonnx_formal.hypotheses.cores import stated
from sonnx_formal.records.record import Result
from sonnx_formal.why3.goals import Goal
from sonnx_formal.why3.sources import read_source
from sonnx_formal.whyml.modules import modules


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
    """`ops/mul.mlw:Mul.mul`."""
    name: str
    """As its attribute says; without one, the number of its clause."""
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
        if goal.task.preconditions:
            key = (goal.source.name, goal.module, goal.name)
            by_function.setdefault(key, []).append(goal)
    found = []
    for (file, module, name), mine in by_function.items():
        function = name.rpartition("'")[0] or name
        # A goal about one of the preconditions is proved under those before it only.
        texts = max((stated(goal.task) for goal in mine), key=len)
        labels = _labels(mine[0].source.path, module, function, len(texts))
        found += [
            Precondition(f"{file}:{module}.{function}", label, _use(mine, results, text), len(mine))
            for label, text in zip(labels, texts, strict=True)
        ]
    return found


def _use(goals: Sequence[Goal], results: dict[str, Result], text: str) -> Use:
    """What the cores of the goals of a function say of one of its preconditions."""
    unknown = False
    for goal in goals:
        texts = stated(goal.task)
        if text not in texts:
            continue
        index = texts.index(text)
        result = results.get(goal.task.sha256)
        cores = [core for core in result["cores"].values() if core is not None] if result else []
        if cores and all(index in core for core in cores):
            return Use.USED
        unknown = unknown or not cores
    return Use.UNDETERMINED if unknown else Use.UNUSED


def _labels(path: Path, module: str, function: str, number: int) -> list[str]:
    """The names of the preconditions of a function, where each clause is one."""
    text = read_source(path).decode(errors="replace")
    for one in modules(text):
        for declaration in one.declarations if one.name == module else ():
            clauses = [c for c in declaration.clauses if c.keyword == "requires"]
            if declaration.name == function and len(clauses) == number:
                return [_label(clause.label, n) for n, clause in enumerate(clauses, start=1)]
    return [_label("", n) for n in range(1, number + 1)]


def _label(text: str, number: int) -> str:
    match = re.search(r"expl:([^\]]*)", text)
    return match[1].strip() if match else f"precondition {number}"
