"""One mutant: does anything in the library notice it?"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import assert_never

from sonnx_formal.evidence.inquiry import Question
from sonnx_formal.evidence.mutation.mutants import EQUIVALENT, PROGRAM, Mutant, with_equivalence
from sonnx_formal.evidence.records import MutantLine, MutantOutcome
from sonnx_formal.prover.certificate import UNRECORDED, Certificate, RecordedGoal
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.launcher import Launcher
from sonnx_formal.prover.library import EditedGoal, Library, RejectedError, Workshop
from sonnx_formal.prover.plan import recorded_unit
from sonnx_formal.prover.provers import Answer, Prover
from sonnx_formal.prover.unsplit import pieces
from sonnx_formal.prover.whyml import Declaration, Module

# In the steps of each prover: what it does in about so many seconds on a plain machine.
EFFORT_SECONDS = 0.25
_GUARD_SECONDS = 60  # only ends a prover that does not count its steps
_LONG = 200
_COSTLY = 10**9  # steps: what has no proof comes last


@dataclass(frozen=True)
class MutantQuestion(Question[Mutant, MutantLine]):
    """Does anything in the library notice the mutant?"""

    why3: Why3
    library: Library
    provers: Sequence[Prover]
    certificate: Certificate
    """What proves the library as it stands."""
    is_current: bool
    """Whether that is so: whether the certificate is of the library as it is."""
    killers: Mapping[str, str]
    """By mutant, the goal that failed when it was last tried, whatever has changed since."""
    subjects = "mutants"
    finding = "survived"

    def is_finding(self, answer: MutantLine) -> bool:
        return answer.outcome is MutantOutcome.SURVIVED

    def ask(self, mutant: Mutant, launch: Launcher) -> MutantLine:
        workshop = Workshop(self.why3, self.library, launch.export)
        outcome, by, tried = _Trial(self, mutant, workshop, launch).outcome()
        return MutantLine(mutant.id, outcome, by, tried, self.sources(mutant, outcome, by))

    def sources(self, mutant: Mutant, outcome: MutantOutcome, by: str) -> str:
        """SHA-256 of what the outcome of a mutant depends on.

        Of one that was killed, that is what was edited, and the goal that failed as it is without
        the edit: its tasks have all that it follows from, but for the contract of a program that
        only the edit calls. Of others it is what the files state that the mutant was seen in; for a
        survivor with all proofs that did not fail.
        """
        file, texts = mutant.file, self.library.texts
        match outcome:
            case MutantOutcome.KILLED if tasks := self._tasks(by):
                return self.library.digest((), {**self._edited(mutant), **tasks})
            case MutantOutcome.KILLED:
                failing = by.partition(":")[0]
                return self.library.digest({file, failing}, {failing: texts.get(failing, "")})
            case MutantOutcome.SURVIVED:
                seeing = self.library.dependents(file)
                return self.library.digest(seeing, {name: texts[name] for name in seeing})
            case MutantOutcome.EQUIVALENT | MutantOutcome.IMPLIED:
                return self.library.digest({file}, {})
            case MutantOutcome.INVALID:
                return self.library.digest({file}, {file: texts[file]})
            case MutantOutcome.UNTRIED:
                raise ValueError("what was not tried has no sources")
            case _:
                assert_never(outcome)

    def _tasks(self, goal: str) -> Mapping[str, str]:
        """The tasks of all pieces of the goal that this is a piece of, if they are known."""
        return self._pieces.get(goal.rpartition(".")[0], {}) if self.is_current else {}

    @cached_property
    def _pieces(self) -> Mapping[str, Mapping[str, str]]:
        return pieces(self.certificate.goals)

    def _edited(self, mutant: Mutant) -> dict[str, str]:
        """The texts of the declarations that a mutant edits, without the edit."""
        text, found = self.library.texts[mutant.file], {}
        for start in [mutant.start, *(start for start, _end in mutant.copies)]:
            module, declaration = _place(start, self.library.modules[mutant.file])
            name = f"{mutant.file}:{module}.{declaration.name}"
            found[name] = text[declaration.start : declaration.end]
        return found

    @cached_property
    def proved(self) -> set[str]:
        """The tasks that are proved before any edit."""
        known = [*self.certificate.goals.values(), *self.certificate.unsplit.values()]
        return {goal.task_sha256 for goal in known if goal.proofs}

    def recorded(self, goal: str) -> RecordedGoal:
        """What proves a goal, unsplit or a piece, before the edit."""
        unsplit = self.certificate.unsplit.get(goal, UNRECORDED)
        return self.certificate.goals.get(goal, unsplit)


@dataclass(frozen=True)
class _Trial:
    question: MutantQuestion
    mutant: Mutant
    workshop: Workshop
    launch: Launcher

    def outcome(self) -> tuple[MutantOutcome, str, int]:
        """What becomes of it, what decided that, and how many goals were looked at.

        The goal that killed it before, its own goals, whether it is a mutant at all, then whoever
        names it.
        """
        file, text = self.mutant.file, self.question.library.texts[self.mutant.file]
        self.workshop.edit(file, self.mutant.apply(text))
        if failing := self._known_killer():
            return MutantOutcome.KILLED, failing.id, 1
        try:
            own = self.workshop.goals(file, [self.mutant.module], split=False)
        except RejectedError as error:
            return MutantOutcome.INVALID, _shortened(error), 0
        first = [goal for goal in own if goal.name.startswith(f"{self.mutant.definition}'")]
        if failing := self._failing(first):
            return MutantOutcome.KILLED, failing.id, len(first)
        if self._is_equivalent(text):
            clause = self.mutant.part.startswith("ensures")
            return MutantOutcome.IMPLIED if clause else MutantOutcome.EQUIVALENT, "", len(first)
        self.workshop.edit(file, self.mutant.apply(text))
        if failing := self._failing([goal for goal in own if goal not in first]):
            return MutantOutcome.KILLED, failing.id, len(own)
        return self._elsewhere(len(own))

    def _known_killer(self) -> EditedGoal | None:
        """The goal that killed it before, if it does so still. All others are spared then."""
        known = self.question.killers.get(self.mutant.id, "")
        file, _, goal = known.rpartition(".")[0].partition(":")
        module, _, name = goal.partition(".")
        if (file, module) not in self.question.library.by_place:
            return None
        try:
            pieces = self.workshop.goals(file, [module], [name])
        except RejectedError:
            return None
        return self._failing_piece([piece for piece in pieces if piece.id == known])

    def _elsewhere(self, tried: int) -> tuple[MutantOutcome, str, int]:
        for file, modules in self._seeing():
            try:
                goals = self.workshop.goals(file, modules, split=False)
            except RejectedError as error:
                return MutantOutcome.KILLED, f"{file}: {_shortened(error)}", tried
            tried += len(goals)
            if failing := self._failing(goals):
                return MutantOutcome.KILLED, failing.id, tried
        return MutantOutcome.SURVIVED, "", tried

    def _seeing(self) -> Iterator[tuple[str, list[str]]]:
        """Of each file that sees the definition its first module, then the others: Why3 takes time
        to read a file, and the first one often decides."""
        own, library = (self.mutant.file, self.mutant.module), self.question.library
        users, edited = library.users(*own), {self.mutant.definition}
        for start, _end in self.mutant.copies:
            module, declaration = _place(start, library.modules[self.mutant.file])
            users |= library.users(self.mutant.file, module)
            edited.add(declaration.name)
        # A clone puts what is edited in the place of a parameter: what rests on that does, too.
        names = _resting_on(edited, [*users.values(), *library.cloned(users).values()])
        places = [place for place, m in users.items() if place != own and m.words & names]
        for file, seeing in groupby(places, key=itemgetter(0)):
            first, *others = [module for _file, module in seeing]
            yield file, [first]
            if others:
                yield file, others

    def _is_equivalent(self, text: str) -> bool:
        """Whether it is proved to be. A goal that cannot be stated shows nothing."""
        if self.mutant.part == PROGRAM:  # no term of the logic
            return False
        self.workshop.edit(self.mutant.file, with_equivalence(self.mutant, text))
        try:
            goals = self.workshop.goals(self.mutant.file, [self.mutant.module], [EQUIVALENT])
        except RejectedError:
            return False
        return bool(goals) and self._failing_piece(goals) is None

    def _failing(self, goals: Sequence[EditedGoal]) -> EditedGoal | None:
        """A piece of unsplit goals that is not proved: what has no proof unsplit is split."""
        for goal in self._cheap_first(goals):
            if not self._is_proved(goal, self._taken(goal.id).items()):
                pieces = self.workshop.goals(goal.file, [goal.module], [goal.name])
                if failing := self._failing_piece(pieces):
                    return failing
        return None

    def _failing_piece(self, pieces: Sequence[EditedGoal]) -> EditedGoal | None:
        return next(
            (
                piece
                for piece in self._cheap_first(pieces)
                if not self._is_proved(piece, self._attempts(piece.id))
            ),
            None,
        )

    def _cheap_first(self, goals: Sequence[EditedGoal]) -> list[EditedGoal]:
        def cost(goal: EditedGoal) -> int:
            proofs = self.question.recorded(goal.id).whole
            return min((proof.steps or 0 for proof in proofs), default=_COSTLY)

        return sorted(goals, key=cost)

    def _is_proved(self, goal: EditedGoal, attempts: Iterable[tuple[Prover, int]]) -> bool:
        return (
            goal.task.sha256 in self.question.proved
            or self._is_proved_from_core(goal)
            or any(
                self.launch.answer(prover, goal.task, steps, _GUARD_SECONDS) is Answer.VALID
                for prover, steps in attempts
            )
        )

    def _is_proved_from_core(self, goal: EditedGoal) -> bool:
        """Whether the assertions that were enough before the edit still are."""
        by_name = {prover.name: prover for prover in self.question.provers}
        recorded = self.question.recorded(goal.id)
        for proof in recorded.proofs:
            if proof.from_core and proof.prover in by_name:
                unit = recorded_unit(by_name[proof.prover], recorded, proof, _GUARD_SECONDS)
                task, steps = unit.given(goal.task), unit.limits.steps
                return self.launch.answer(unit.prover, task, steps, _GUARD_SECONDS) is Answer.VALID
        return False

    def _taken(self, goal: str) -> dict[Prover, int]:
        """The provers that proved a goal, with what they took and something more."""
        by_name = {prover.name: prover for prover in self.question.provers}
        return {
            by_name[proof.prover]: proof.steps + max(proof.steps // 2, 100_000)
            for proof in self.question.recorded(goal).whole
            if proof.steps is not None and proof.prover in by_name
        }

    def _attempts(self, goal: str) -> Iterator[tuple[Prover, int]]:
        """Each prover once, with its steps: first those that proved the goal, with what they took,
        then one of each family."""
        taken = {prover.name: steps for prover, steps in self._taken(goal).items()}
        provers = self.question.provers
        families = {prover.family: prover for prover in reversed(provers)}
        for prover in sorted(provers, key=lambda prover: prover.name not in taken):
            if prover.name in taken or prover in families.values():
                usual = int(EFFORT_SECONDS * prover.steps_per_second)
                yield prover, max(usual, taken.get(prover.name, 0))


def _place(start: int, modules: Sequence[Module]) -> tuple[str, Declaration]:
    """The module of a place in a file, and the declaration."""
    return next(
        (module.name, declaration)
        for module in modules
        for declaration in module.declarations
        if declaration.start <= start < declaration.end
    )


def _resting_on(edited: Set[str], modules: Sequence[Module]) -> set[str]:
    """What is edited, and what is defined by it in these modules, through others, too.

    A parameter that stands for it is recognised where it has its name, as here everywhere.
    """
    defining = [
        d
        for module in modules
        for d in module.declarations
        if d.is_definition or ("let" in d.head and "lemma" not in d.head)  # with a contract
    ]
    names = {*edited}
    while more := {d.name for d in defining if d.words & names} - names:
        names |= more
    return names


def _shortened(error: RejectedError) -> str:
    """The error among the warnings before it: where, and what."""
    _, found, last = str(error).rpartition('File "')
    return " ".join(f"{found}{last}".split())[:_LONG]
