"""Proofs from a few of the assertions of a task, for recorded goals that have none.

They take a fraction of the time of those from all assertions, and they are found again where the
rest of the task has changed. A proof from all assertions is recorded as well.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress

from msgspec.structs import replace

from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.certificate import Certificate, RecordedGoal, RecordedProof, cheapest_first
from sonnx_formal.prover.cores import Core, asking, digests, places, restricted
from sonnx_formal.prover.goals import Goal, Goals
from sonnx_formal.prover.launcher import Launcher, StoppedError
from sonnx_formal.prover.plan import recorded_unit
from sonnx_formal.prover.provers import Answer, Limits, Prover, answer, steps_used
from sonnx_formal.prover.site import Site
from sonnx_formal.prover.sources import Source
from sonnx_formal.prover.tasks import GoalForm, Task

_SECONDS = 10
"""What a prover gets to find a proof from all assertions: a search for a core counts no steps."""
_CORE_SECONDS = 1
"""What it gets to find one from those of a core."""


class CoreSearch:
    """Looks for cores of the goals of a certificate. What was found, or not, is recorded."""

    def __init__(
        self, certificate: Certificate, provers: Sequence[Prover], old: Certificate | None = None
    ) -> None:
        """Goals that are in the old certificate alike are left as they are."""
        before = {**old.goals, **old.unsplit} if old else {}
        self._certificate = certificate
        self._provers = sorted(provers, key=lambda prover: prover.start_seconds)
        # Of a goal that is not split, a proof from a core is enough: its pieces have others.
        narrow = {name for name, goal in certificate.unsplit.items() if goal.core}
        self._wanted = {
            name: goal
            for name, goal in {**certificate.goals, **certificate.unsplit}.items()
            if goal.proofs and (goal.core is None or not goal.whole) and goal != before.get(name)
            if name not in narrow
        }
        self._found: dict[str, RecordedGoal] = {}

    def found(
        self, sources: Sequence[Source], goals: Goals, site: Site, progress: Progress
    ) -> tuple[Certificate, bool]:
        """The certificate with what was found; False if the user interrupted the search."""
        files = {name.partition(":")[0] for name in self._wanted}
        used = [source for source in sources if source.name in files]
        launch, ended = Launcher(site), True
        with ThreadPoolExecutor(site.width) as pool:
            try:
                # Long files first, so that none of them is left over at the end.
                in_order = sorted(used, key=Source.size, reverse=True)
                left = {pool.submit(self._narrow, source, goals, launch) for source in in_order}
                while left:
                    done, left = wait(left, 0.5, FIRST_EXCEPTION)
                    for each in done:
                        each.result()
                    progress(f"cores of {len(self._found)} of {len(self._wanted)} goals looked for")
            except KeyboardInterrupt:
                ended = False
            finally:
                launch.stop()
                pool.shutdown(cancel_futures=True)
        return replace(
            self._certificate,
            goals={name: self._found.get(name, g) for name, g in self._certificate.goals.items()},
            unsplit={
                name: self._found.get(name, g) for name, g in self._certificate.unsplit.items()
            },
        ), ended

    def _narrow(self, source: Source, goals: Goals, launch: Launcher) -> None:
        with suppress(StoppedError):
            for goal in self._goals(goals, source):
                self._found[goal.id] = self._narrowed(goal, launch)

    def _goals(self, goals: Goals, source: Source) -> Iterator[Goal]:
        for form in (GoalForm.SPLIT, GoalForm.UNSPLIT):
            for goal in goals.of(source, form):
                recorded = self._wanted.get(goal.id)
                if recorded and recorded.task_sha256 == goal.task.sha256:
                    yield goal

    def _narrowed(self, goal: Goal, launch: Launcher) -> RecordedGoal:
        recorded = self._wanted[goal.id]
        if (found := self._core(goal, recorded, launch)) is None:
            return replace(recorded, core=recorded.core or ())
        whole, core = found
        proofs = {proof.prover: proof for proof in recorded.whole} or {whole.prover: whole}
        narrow: dict[str, RecordedProof] = {}
        for prover in self._provers:
            if prover.family not in narrow:
                ended = launch(prover.call(restricted(goal.task, core).text, Limits(_CORE_SECONDS)))
                if proof := proof_in(prover, ended, from_core=True):
                    narrow[prover.family] = proof
        ordered = cheapest_first([*proofs.values(), *narrow.values()], self._provers)
        return replace(recorded, proofs=ordered, core=core if narrow else ())

    def _core(
        self, goal: Goal, recorded: RecordedGoal, launch: Launcher
    ) -> tuple[RecordedProof, Core] | None:
        """A proof from all assertions, and its core."""
        by_name = {prover.name: prover for prover in self._provers}
        limits = {
            proof.prover: recorded_unit(by_name[proof.prover], recorded, proof, _SECONDS).limits
            for proof in recorded.whole
            if proof.prover in by_name
        }
        asked = [(by_name[name], limits.get(name, Limits(_SECONDS))) for name in limits or by_name]
        found = (proof_and_core(goal.task, *each, launch) for each in asked)
        return next(filter(None, found), None)


def proof_and_core(
    task: Task, prover: Prover, limits: Limits, launch: Launcher, seed: int | None = None
) -> tuple[RecordedProof, Core] | None:
    """A proof from all assertions, and its core. Raises `StoppedError`."""
    ended = launch(prover.call(asking(task), limits, seed))
    proof, used = proof_in(prover, ended, from_core=False), places(ended.stdout)
    if proof is None or used is None:
        return None
    of_all = digests(task)
    return proof, tuple(of_all[place] for place in used)


def proof_in(prover: Prover, ended: ProcessEnd, *, from_core: bool) -> RecordedProof | None:
    """The proof, if the prover found one."""
    steps = steps_used(prover, ended)
    if answer(ended, None, steps) is not Answer.VALID:
        return None
    return RecordedProof(prover.name, prover.version, steps, from_core)
