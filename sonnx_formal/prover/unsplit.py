"""Goals that are proved before they are split: one task in place of one for each piece.

Each task carries the whole context, so Why3 and the provers spend much of their time on what the
pieces of a goal have in common. The certificate records which goals have a proof as they are that
takes less than those of their pieces: most follow from the assertions from which their pieces do.
Such a proof is never the only one: the pieces have theirs.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.certificate import Certificate, RecordedGoal, RecordedProof
from sonnx_formal.prover.goals import Goal, Goals
from sonnx_formal.prover.plan import GoalRun, Stage, Unit, recorded_units
from sonnx_formal.prover.provers import Answer, Limits, Prover, ProverVerdict
from sonnx_formal.prover.schedule import Schedule
from sonnx_formal.prover.site import Site
from sonnx_formal.prover.sources import Source
from sonnx_formal.prover.tasks import GoalForm, Location, Task

_EXPORT_SECONDS = 0.02
"""What Why3 takes for a task, about."""
_LEAST_SECONDS = 0.05
_WORTH_READING = 10
"""So many tasks take about as long as Why3 takes to read a file once more, for its other goals."""


class UnsplitGoals:
    """What a certificate says of them."""

    def __init__(self, certificate: Certificate, provers: Sequence[Prover], families: int) -> None:
        """Those that have proofs by so many families."""
        self._certificate = certificate
        self._provers = provers
        self._families = families
        self._pieces = pieces(certificate.goals)
        self._spared: Counter[str] = Counter()
        """How many tasks they are fewer than pieces, by file."""
        self._in_pieces: set[str] = set()
        """The files with goals that are proved in pieces alone."""
        for name, recorded in certificate.unsplit.items():
            file = name.partition(":")[0]
            if recorded.proofs:
                self._spared[file] += len(self._pieces.get(name, ())) - 1
            else:
                self._in_pieces.add(file)

    def spare_time(self, source: Source) -> bool:
        """Whether Why3 and the provers take less time with them than with the pieces of all goals.

        Where some goals are proved in pieces alone, Why3 reads the file a second time for these.
        """
        name = source.name
        return name not in self._in_pieces or self._spared[name] >= _WORTH_READING

    def replay(
        self, goals: Sequence[Goal], described: Sequence[Goal] | None = None
    ) -> list[GoalRun]:
        """The recorded proofs of the unsplit goals of a file, as far as they can be tried.

        :param described: all pieces of goals of the file. None: Why3 was not asked about them, and
            they are those on record.
        """
        if described is None:
            runs = [self._replay(goal, None) for goal in named_apart(goals)]
        else:
            known: dict[str, list[Goal]] = defaultdict(list)
            for piece in described:
                known[unsplit_of(piece.id)].append(replace(piece, task=Task("", piece.task.sha256)))
            runs = [self._replay(goal, known[goal.id]) for goal in named_apart(goals)]
        return [run for run in runs if run]

    def _replay(self, goal: Goal, described: Sequence[Goal] | None) -> GoalRun | None:
        recorded = self._certificate.unsplit.get(goal.id)
        recorded = recorded or _only_piece(self._certificate, self._pieces, goal)
        # Without pieces, nobody would miss it if it failed.
        names = self._pieces.get(goal.id)
        if recorded is None or recorded.task_sha256 != goal.task.sha256 or not names:
            return None
        units = recorded_units(recorded, self._provers)
        if len(units) < self._families:
            return None
        found = self._unread(goal, names) if described is None else described
        if {piece.id: piece.task.sha256 for piece in found} != names:
            return None
        return GoalRun(goal, units[: self._families], pieces=tuple(found))

    @staticmethod
    def _unread(goal: Goal, names: Mapping[str, str]) -> list[Goal]:
        """The pieces that are recorded, which Why3 was not asked about."""
        place = Location(goal.location.file, 1, 0)
        return [
            Goal(goal.module, goal.name, "", place, Task("", sha), source=goal.source, id=name)
            for name, sha in sorted(names.items(), key=lambda item: int(item[0].split(".")[-1]))
        ]


class UnsplitSearch:
    """Looks for proofs of unsplit goals that take less than those of the pieces.

    An assignment to a schedule. What was tried before is not tried again.
    """

    def __init__(self, certificate: Certificate, goals: Goals, provers: Sequence[Prover]) -> None:
        self._certificate = certificate
        self._goals = goals
        self._provers = provers
        self._pieces = pieces(certificate.goals)
        self._kept: dict[str, RecordedGoal] = {}
        self.refuted: list[tuple[Goal, ProverVerdict]] = []
        """The goals that a prover refutes, with what it said."""

    def found(
        self,
        sources: Sequence[Source],
        site: Site,
        cache: Cache | None,
        readers: int,
        progress: Progress,
    ) -> tuple[Mapping[str, RecordedGoal], bool]:
        """The record of all unsplit goals; those that were tried in vain have no proof.

        The second result is False when the user interrupted it: then what was recorded of the rest
        stays, and what is not recorded is tried the next time.
        """
        in_vain = "proved in pieces alone"
        schedule = Schedule(sources, self, site, cache, families=1, in_vain=in_vain)
        ended = schedule.run(readers, progress)
        for run in schedule.runs:
            self.refuted += [(run.goal, v) for v in run.attempts if v.answer is Answer.SAT]
            if run.open:
                continue
            # Steps say how far a prover may go, and not how long each of them takes.
            seconds = self._seconds(run.goal)
            recorded = RecordedGoal(run.goal.task.sha256, (), core=())
            for verdict in run.proofs:
                if verdict.seconds < seconds:
                    from_core = verdict.core is not None
                    proof = RecordedProof(verdict.prover, verdict.version, verdict.steps, from_core)
                    recorded = replace(recorded, proofs=(proof,), core=verdict.core)
            self._kept[run.goal.id] = recorded
        return self._kept if ended else {**self._certificate.unsplit, **self._kept}, ended

    def read(self, source: Source) -> list[GoalRun]:
        runs = []
        for goal in named_apart(self._goals.of(source, GoalForm.UNSPLIT)):
            recorded = self._certificate.unsplit.get(goal.id)
            if goal.id not in self._pieces:
                continue  # it has none, or none that is proved
            if _only_piece(self._certificate, self._pieces, goal):
                continue  # what proves that proves the goal
            tried = recorded and (recorded.proofs or recorded.core is not None)
            if recorded and tried and recorded.task_sha256 == goal.task.sha256:
                self._kept[goal.id] = recorded
            else:
                runs.append(GoalRun(goal, self._units(goal)))
        return runs

    def _units(self, goal: Goal) -> list[Unit]:
        """What proves its pieces is tried first: each prover is given that, then all."""
        seconds = self._seconds(goal)
        recorded = [self._certificate.goals[name] for name in self._pieces[goal.id]]
        core = tuple(dict.fromkeys(digest for piece in recorded for digest in piece.core or ()))
        return [
            Unit(Stage.QUICK, prover, Limits(int(seconds) + 1, steps), given)
            for given in ((core, None) if core else (None,))
            for prover in self._provers
            if (steps := int((seconds - prover.start_seconds) * prover.steps_per_second)) > 0
        ]

    def _seconds(self, goal: Goal) -> float:
        """What the pieces take, from all assertions as the goal."""
        by_name = {prover.name: prover for prover in self._provers}
        seconds = _LEAST_SECONDS
        for name in self._pieces[goal.id]:
            costs = [
                by_name[proof.prover].estimated_seconds(proof.steps)
                for proof in self._certificate.goals[name].whole
                if proof.prover in by_name
            ]
            seconds += _EXPORT_SECONDS + min(costs, default=0)
        return seconds

    def finished(self, source: Source, runs: Sequence[GoalRun]) -> None:
        pass

    def failed(self, run: GoalRun) -> Sequence[GoalRun]:
        return ()

    def refused(self, said: str) -> None:
        pass


def _only_piece(
    certificate: Certificate, pieces_of: Mapping[str, Mapping[str, str]], goal: Goal
) -> RecordedGoal | None:
    """The record of the piece of a goal that is the goal itself, word by word."""
    match [*pieces_of.get(goal.id, {}).items()]:
        case [(name, sha256)] if sha256 == goal.task.sha256:
            return certificate.goals[name]
    return None


def named_apart(goals: Sequence[Goal]) -> list[Goal]:
    """The goals of a file whose names are their own.

    Several clones in a module give goals of one name, whose pieces are numbered on: nothing says
    which of them are whose.
    """
    names = Counter(goal.id for goal in goals)
    return [goal for goal in goals if names[goal.id] == 1]


def pieces(goals: Mapping[str, RecordedGoal]) -> dict[str, dict[str, str]]:
    """The pieces of each unsplit goal, with their tasks, by id."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for name, goal in goals.items():
        found[unsplit_of(name)][name] = goal.task_sha256
    return found


def unsplit_of(piece: str) -> str:
    """The id of the unsplit goal that a goal is a piece of."""
    return piece.rpartition(".")[0]
