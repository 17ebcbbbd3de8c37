"""One mutant: does anything in the library notice it?"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from itertools import groupby

from msgspec import structs

from sonnx_formal.core.documents import Count, Part, Sha256
from sonnx_formal.evidence.launcher import Launcher
from sonnx_formal.evidence.mutation.equivalence import GOAL, with_goal
from sonnx_formal.evidence.mutation.mutants import Mutant
from sonnx_formal.evidence.mutation.proving import Proving
from sonnx_formal.evidence.mutation.visibility import modules_that_see
from sonnx_formal.prover.whyml.library import Library
from sonnx_formal.prover.whyml.workshop import EditedGoal, RejectedError, Workshop

_LONG = 200


class MutantOutcome(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    """A goal is not proved any more."""
    SURVIVED = "survived"
    EQUIVALENT = "equivalent"
    """It is proved to mean the same, so it does not count."""
    IMPLIED = "implied"
    """An `ensures` that says something else, which the definition satisfies just as the original:
    what the library proves is the same, less or more one clause. It does not count either."""
    INVALID = "invalid"
    """Why3 rejects it: nobody could commit it, so it does not count."""
    UNTRIED = "untried"


class MutantLine(Part, frozen=True):
    """What became of a mutant, and what decided it: a line of the record of mutants."""

    mutant: str
    outcome: MutantOutcome
    by: str
    """The goal that fails, what Why3 says, or empty."""
    tried: Count
    """How many goals were looked at."""
    sources: Sha256
    """Of the files on which it depends: with others it is as if it were not there."""


_Found = tuple[MutantOutcome, str, int]
"""Of a line, the outcome, what decided it, and how many goals were looked at."""


@dataclass(frozen=True)
class MutantTrial:
    """Tries mutants of a library."""

    library: Library
    proving: Proving

    def run(self, mutant: Mutant, workshop: Workshop, launch: Launcher) -> MutantLine:
        """What becomes of it. Raises `StoppedError`, `UserError`."""
        line = MutantLine(mutant.id, *self._outcome(mutant, workshop, launch), "0" * 64)
        return structs.replace(line, sources=self.sources(line))

    def sources(self, line: MutantLine) -> str:
        """SHA-256 of the files on which the outcome depends."""
        file = line.mutant.partition(":")[0]
        match line.outcome:
            case MutantOutcome.SURVIVED:
                files = {file, *self.library.dependents(file)}
            case MutantOutcome.KILLED:
                files = {file, line.by.partition(":")[0]}
            case (
                MutantOutcome.EQUIVALENT
                | MutantOutcome.IMPLIED
                | MutantOutcome.INVALID
                | MutantOutcome.UNTRIED
            ):
                files = {file}
        return self._digest(frozenset(files))

    @cached_property
    def _digest(self) -> Callable[[frozenset[str]], str]:
        """Each set of files once: many mutants depend on the same."""
        return cache(self.library.digest)

    def _outcome(self, mutant: Mutant, workshop: Workshop, launch: Launcher) -> _Found:
        """Its own goal first, then whether it is a mutant at all, then whoever names it."""
        text = self.library.texts[mutant.file]
        workshop.edit(mutant.file, mutant.apply(text))
        try:
            own = workshop.goals(mutant.file, [mutant.module])
        except RejectedError as error:
            return (MutantOutcome.INVALID, _error(str(error)), 0)
        first = [goal for goal in own if goal.name.startswith(f"{mutant.definition}'")]
        if failing := self._failing(first, launch):
            return (MutantOutcome.KILLED, failing.id, len(first))
        if self._is_equivalent(mutant, text, workshop, launch):
            clause = mutant.part.startswith("ensures")
            return (MutantOutcome.IMPLIED if clause else MutantOutcome.EQUIVALENT, "", len(first))
        workshop.edit(mutant.file, mutant.apply(text))
        if failing := self._failing([goal for goal in own if goal not in first], launch):
            return (MutantOutcome.KILLED, failing.id, len(own))
        return self._elsewhere(mutant, workshop, launch, len(own))

    def _elsewhere(
        self, mutant: Mutant, workshop: Workshop, launch: Launcher, tried: int
    ) -> _Found:
        """What the other modules that can see the definition notice."""
        for file, modules in self._seeing(mutant):
            try:
                goals = workshop.goals(file, modules)
            except RejectedError as error:
                return (MutantOutcome.KILLED, f"{file}: {_error(str(error))}", tried)
            tried += len(goals)
            if failing := self._failing(goals, launch):
                return (MutantOutcome.KILLED, failing.id, tried)
        return (MutantOutcome.SURVIVED, "", tried)

    def _seeing(self, mutant: Mutant) -> Iterator[tuple[str, list[str]]]:
        """Of each file that sees the definition its first module, then the others: Why3 takes time
        to read a file, and the first one often decides."""
        places = modules_that_see(self.library, mutant.file, mutant.module, mutant.definition)
        for file, seeing in groupby(places, key=lambda place: place[0]):
            first, *others = [module for _file, module in seeing]
            yield file, [first]
            if others:
                yield file, others

    def _failing(self, goals: list[EditedGoal], launch: Launcher) -> EditedGoal | None:
        """One that is not proved, looked for among the cheap ones first."""
        cheap_first = sorted(goals, key=self.proving.cost)
        return next((goal for goal in cheap_first if not self.proving.proves(goal, launch)), None)

    def _is_equivalent(
        self, mutant: Mutant, text: str, workshop: Workshop, launch: Launcher
    ) -> bool:
        """Whether it is proved to be. A goal that cannot be stated shows nothing."""
        (module,) = (m for m in self.library.modules[mutant.file] if m.name == mutant.module)
        definition = next(d for d in module.declarations if d.start <= mutant.start < d.end)
        workshop.edit(mutant.file, with_goal(mutant, text, definition))
        try:
            goals = workshop.goals(mutant.file, [mutant.module], [GOAL])
        except RejectedError:
            return False
        return bool(goals) and self._failing(goals, launch) is None


def _error(text: str) -> str:
    """The error among the warnings before it: where, and what."""
    _, found, last = text.rpartition('File "')
    return " ".join(f"{found}{last}".split())[:_LONG]
