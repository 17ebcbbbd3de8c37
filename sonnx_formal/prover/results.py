"""What earlier runs found out of whole files: a file all of whose goals were proved, with proofs.

Kept in the cache for the digest of a file and of what it uses: as long as this stays, Why3 need not
read the file again, and a file that rests on it can say whether it is proved at present.
"""

from collections.abc import Sequence

from msgspec.structs import asdict, replace

from sonnx_formal.prover.cache import Cache, Key
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.plan import GoalRun
from sonnx_formal.prover.provers import Prover, ProverVerdict
from sonnx_formal.prover.sources import Source
from sonnx_formal.prover.tasks import Obligation, Task, driver_sha256


class ProvedGoal(Obligation, frozen=True):
    """A goal without the text of its task, and its proofs."""

    id: str
    verdicts: tuple[ProverVerdict, ...]


class Results:
    """Of the files of a run."""

    def __init__(self, why3: Why3, provers: Sequence[Prover], cache: Cache | None) -> None:
        self._why3 = why3
        self._provers = {(prover.name, prover.version) for prover in provers}
        self._cache = cache
        self._read: dict[Source, str] = {}
        """The digests of the files of which nothing was known."""

    def known(self, source: Source, families: int, *, described: bool) -> list[GoalRun] | None:
        """The goals of a file, if provers of so many families that are here proved each."""
        digest = self._read[source] = source.digest()
        for described_too in (True, False)[: 1 if described else 2]:
            key = self._key(digest, described_too)
            found = self._cache.read("files", key, list[ProvedGoal]) if self._cache else None
            if found is None:
                continue
            runs = [self._run(source, goal) for goal in found]
            if all(len(run.families) >= families for run in runs):
                del self._read[source]
                return runs
        return None

    def proved(self, source: Source) -> bool:
        """Whether all goals of a file were proved."""
        return self.known(source, 1, described=False) is not None

    def keep(self, source: Source, runs: Sequence[GoalRun], *, described: bool) -> None:
        """Remember the goals of a file if all are proved; some may be of an earlier run."""
        digest = self._read.get(source)
        if not (self._cache and digest and all(run.proved for run in runs)):
            return
        if source.digest() != digest:  # it was edited meanwhile
            return
        goals = []
        for run in runs:
            fields = asdict(run.goal) | {"task": Task("", run.goal.task.sha256)}
            del fields["source"]
            goals.append(ProvedGoal(**fields, verdicts=tuple(run.proofs)))
        self._cache.write("files", self._key(digest, described), goals)

    def forget(self, source: Source) -> None:
        """What was found out of a file is in doubt: each verdict is to be looked at by itself."""
        digest = source.digest()
        for described in (True, False):
            if self._cache:
                self._cache.drop("files", self._key(digest, described))

    def _key(self, digest: str, described: bool) -> Key:
        about = {"why3": self._why3.version, "driver": driver_sha256(), "source": digest}
        return about | {"format": 5, "described": described}

    def _run(self, source: Source, known: ProvedGoal) -> GoalRun:
        fields = asdict(known)
        verdicts = [
            replace(verdict, cached=True)
            for verdict in fields.pop("verdicts")
            if (verdict.prover, verdict.version) in self._provers
        ]
        return GoalRun(Goal(**fields, source=source), [], verdicts=verdicts)
