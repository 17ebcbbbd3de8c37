"""What goals rest on: a proof from what is not proved itself counts for nothing.

In a task of Why3, what stands before the goal in its module and in the modules that it uses or
clones is a hypothesis: lemmas, and the contracts of functions of the logic. The contract of a
program is one where the program is called, hence named. Where a name does not say what a goal is
of, as with goals that a clone brings along, everything that may rest on it does: this takes in too
much rather than too little.
"""

import heapq
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import NamedTuple, assert_never

from sonnx_formal.prover.library import Library, Place
from sonnx_formal.prover.whyml import Declaration

_CONDITION = re.compile(r"'vc$")


class StatedGoal(NamedTuple):
    """A goal, or a piece of one."""

    id: str
    file: str
    """As the library names it."""
    module: str
    name: str
    proved: bool


class Reach(Enum):
    """Where a statement is a hypothesis, once it is made."""

    NOWHERE = auto()
    WHERE_NAMED = auto()
    LATER = auto()


@dataclass(frozen=True)
class Statement:
    """What goals of one name are about."""

    place: Place
    name: str
    position: int | None
    """Among the declarations of its module, if it is one of them."""
    reach: Reach
    recursive: bool
    words: frozenset[str]
    """Those in which it may name others."""


class Dependence:
    """Of the modules of a library."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def statement(self, goal: StatedGoal) -> Statement:
        """What a goal is about."""
        place, name = (goal.file, goal.module), _CONDITION.sub("", goal.name)
        module = self._library.by_place.get(place)
        declarations = module.declarations if module else ()
        for position, each in enumerate(declarations):
            if each.name == name:
                recursive = "rec" in each.head
                return Statement(place, name, position, _reach(each), recursive, each.words)
        words = module.words if module else frozenset[str]()
        return Statement(place, name, None, Reach.LATER, True, words)

    def _is_under(self, other: Statement, statement: Statement) -> bool:
        """Whether the proof of a statement may use the other one."""
        match other.reach:
            case Reach.NOWHERE:
                return False
            case Reach.WHERE_NAMED:
                return other.name in statement.words and self._is_before(other, statement)
            case Reach.LATER:
                return self._is_before(other, statement)
            case _:
                assert_never(other.reach)

    def _is_before(self, other: Statement, statement: Statement) -> bool:
        if statement.place == other.place:
            before, here = other.position, statement.position
            return other != statement and (before is None or here is None or before < here)
        used = self._used.get(statement.place)
        return used is None or other.place in used

    def below(
        self, statements: Iterable[Statement], unproved: Mapping[Statement, int]
    ) -> dict[Statement, int]:
        """Of each statement that rests on what is not proved, the least number of such a one."""
        free: dict[Place, dict[Statement, None]] = {}
        for each in statements:
            free.setdefault(each.place, {})[each] = None
        unknown = free.keys() - self._used.keys()
        found: dict[Statement, int] = {}
        waiting = [(number, number, other) for other, number in unproved.items()]
        heapq.heapify(waiting)
        done: set[Statement] = set()
        while waiting:
            number, _, other = heapq.heappop(waiting)
            if other in done:
                continue
            done.add(other)
            for place in {other.place, *self._users[other.place], *unknown}:
                above = [each for each in free.get(place, ()) if self._is_under(other, each)]
                for each in above:
                    del free[place][each]  # numbers come in their order, so this is the least
                    found[each] = number
                    heapq.heappush(waiting, (number, len(found), each))
        return found

    @cached_property
    def _users(self) -> Mapping[Place, AbstractSet[Place]]:
        users: dict[Place, set[Place]] = defaultdict(set)
        for place, used in self._used.items():
            for each in used:
                users[each].add(place)
        return users

    @cached_property
    def _used(self) -> Mapping[Place, AbstractSet[Place]]:
        """The modules that each uses or clones, through others, too."""
        direct = self._library.uses
        found: dict[Place, set[Place]] = {}
        for place in direct:
            waiting, used = [place], set[Place]()
            while waiting:
                more = direct.get(waiting.pop(), frozenset()) - used
                used |= more
                waiting += more
            found[place] = used
        return found


def conditional(goals: Sequence[StatedGoal], library: Library) -> dict[str, str]:
    """The goals that are proved, but rest on what is not: by id, with the first such goal's."""
    dependence = Dependence(library)
    about = [dependence.statement(goal) for goal in goals]
    own: dict[Statement, int] = {}
    for number, statement in enumerate(about):
        if not goals[number].proved:
            own.setdefault(statement, number)
    below = dependence.below(about, own)
    found = {}
    for number, statement in enumerate(about):
        reasons = [below[statement]] if statement in below else []
        # A piece may assume those before it; by recursion, all of them.
        if statement in own and (own[statement] < number or statement.recursive):
            reasons.append(own[statement])
        if reasons and goals[number].proved:
            found[goals[number].id] = goals[min(reasons)].id
    return found


def _reach(declaration: Declaration) -> Reach:
    head = {*declaration.head}
    if "goal" in head:
        return Reach.NOWHERE
    # All of it is a program that is no lemma and no function of the logic.
    program = "let" in head and not head & {"lemma", "function", "predicate", "constant"}
    return Reach.WHERE_NAMED if program else Reach.LATER
