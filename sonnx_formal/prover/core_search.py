"""Proofs from a few of the assertions of a task, for what was recorded last.

They take a fraction of the time of those from all assertions, and they are found again where the
rest of the task has changed. The proof from all assertions is recorded as well.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from threading import Lock

from msgspec.structs import replace

from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.certificate import Certificate, RecordedGoal, RecordedProof
from sonnx_formal.prover.cores import Core, asking, digests, places, restricted
from sonnx_formal.prover.goals import Goal, Goals
from sonnx_formal.prover.plan import cheapest_first, recorded_unit
from sonnx_formal.prover.provers import Answer, Limits, Prover, answer, steps_used
from sonnx_formal.prover.site import ProgramCall, Running, Site
from sonnx_formal.prover.sources import Source
from sonnx_formal.prover.tasks import GoalForm

_SECONDS = 10
"""What a prover gets to find a proof from all assertions: a search for a core counts no steps."""
_CORE_SECONDS = 1
"""What it gets to find one from those of a core."""


class CoreSearch:
    """Looks for cores of the proofs that a certificate records and an older one does not."""

    def __init__(
        self, old: Certificate | None, certificate: Certificate, provers: Sequence[Prover]
    ) -> None:
        self._certificate = certificate
        self._provers = sorted(provers, key=lambda prover: prover.start_seconds)
        before = {**old.goals, **old.unsplit} if old else {}
        self._new = {
            name: goal
            for name, goal in {**certificate.goals, **certificate.unsplit}.items()
            if goal.proofs and goal != before.get(name)
        }
        self._found: dict[str, RecordedGoal] = {}
        self._lock = Lock()
        self._running: set[Running[ProcessEnd]] = set()
        self._stopped = False

    def found(
        self, sources: Sequence[Source], goals: Goals, site: Site, progress: Progress
    ) -> tuple[Certificate, bool]:
        """The certificate with what was found; False if the user interrupted the search."""
        files = {name.partition(":")[0] for name in self._new}
        used = [source for source in sources if source.name in files]
        ended = True
        with ThreadPoolExecutor(site.width) as pool:
            try:
                # Long files first, so that none of them is left over at the end.
                in_order = sorted(used, key=Source.size, reverse=True)
                left = {pool.submit(self._narrow, source, goals, site) for source in in_order}
                while left:
                    done, left = wait(left, 0.5, FIRST_EXCEPTION)
                    for each in done:
                        each.result()
                    progress(f"cores of {len(self._found)} of {len(self._new)} proofs looked for")
            except KeyboardInterrupt:
                ended = False
            finally:
                self._stop()
                pool.shutdown(cancel_futures=True)
        return replace(
            self._certificate,
            goals={name: self._found.get(name, g) for name, g in self._certificate.goals.items()},
            unsplit={
                name: self._found.get(name, g) for name, g in self._certificate.unsplit.items()
            },
        ), ended

    def _narrow(self, source: Source, goals: Goals, site: Site) -> None:
        for goal in self._goals(goals, source):
            narrowed = self._narrowed(goal, site)
            if self._stopped:
                break
            self._found[goal.id] = narrowed

    def _goals(self, goals: Goals, source: Source) -> Iterator[Goal]:
        for form in (GoalForm.SPLIT, GoalForm.UNSPLIT):
            for goal in goals.of(source, form):
                recorded = self._new.get(goal.id)
                if recorded and recorded.task_sha256 == goal.task.sha256:
                    yield goal

    def _narrowed(self, goal: Goal, site: Site) -> RecordedGoal:
        recorded = self._new[goal.id]
        if (found := self._core(goal, recorded, site)) is None:
            return recorded
        whole, core = found
        proofs = {(proof.prover, proof.core is None): proof for proof in recorded.proofs}
        proofs.setdefault((whole.prover, True), whole)
        families = set[str]()
        for prover in self._provers:
            if prover.family not in families:
                call = prover.call(restricted(goal.task, core).text, Limits(_CORE_SECONDS))
                if (ended := self._ended(call, site)) and (proof := _proof(prover, ended, core)):
                    proofs[prover.name, False] = proof
                    families.add(prover.family)
        return replace(recorded, proofs=cheapest_first([*proofs.values()], self._provers))

    def _core(
        self, goal: Goal, recorded: RecordedGoal, site: Site
    ) -> tuple[RecordedProof, Core] | None:
        """A proof from all assertions, and its core."""
        by_name = {prover.name: prover for prover in self._provers}
        limits = {
            proof.prover: recorded_unit(by_name[proof.prover], proof, _SECONDS).limits
            for proof in recorded.proofs
            if proof.prover in by_name and proof.core is None
        }
        for name in limits or by_name:
            call = by_name[name].call(asking(goal.task), limits.get(name, Limits(_SECONDS)))
            ended = self._ended(call, site)
            proof = ended and _proof(by_name[name], ended, None)
            used = places(ended.stdout) if ended else None
            if proof and used is not None:
                all_ = digests(goal.task)
                return proof, tuple(all_[place] for place in used)
        return None

    def _ended(self, call: ProgramCall, site: Site) -> ProcessEnd | None:
        """None when it was interrupted."""
        with self._lock:
            if self._stopped:
                return None
            running = site.start(call)
            self._running.add(running)
        ended = running.wait()
        with self._lock:
            self._running.discard(running)
        return None if ended.cancelled else ended

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            for running in self._running:
                running.kill()


def _proof(prover: Prover, ended: ProcessEnd, core: Core | None) -> RecordedProof | None:
    steps = steps_used(prover, ended)
    if answer(ended, None, steps) is not Answer.VALID:
        return None
    return RecordedProof(prover.name, prover.version, steps, core)
