"""The goals of all files: read through the export cache, named, and restated when need be."""

import hashlib
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.exporter import DRIVER
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.sources import Source, shown
from sonnx_formal.prover.tasks import SPLIT, Location, Obligation, Strategy, Task, export


@dataclass(frozen=True)
class Goal:
    """One thing to prove."""

    id: str
    """`<file>:<module>.<goal>.<k>`: the k-th piece of a goal of a module."""
    source: Source
    module: str
    name: str
    explanation: str
    location: Location
    task: Task


class Goals:
    """Reads the goals of files, and restates single goals by another strategy."""

    def __init__(self, why3: Why3, library: Path, cache: Cache | None) -> None:
        self._why3 = why3
        self._library = library
        self._cache = cache
        self._restated: dict[tuple[Source, Strategy], dict[str, Task]] = {}
        self._lock = threading.Lock()

    def read(self, sources: list[Source], jobs: int, *, described: bool = True) -> list[Goal]:
        """The goals of the files, in their order.

        :param described: as of `export`; what is in the cache is described.
        :raises UserError: with every file that Why3 rejects, in Why3's words.
        """
        goals: list[Goal] = []
        errors: list[str] = []
        with ThreadPoolExecutor(jobs) as pool:
            # Long files first, so that none of them is left over at the end.
            futures = {
                source: pool.submit(self._goals, source, SPLIT, described=described)
                for source in sorted(sources, key=_size, reverse=True)
            }
            for source in sources:
                try:
                    goals += futures[source].result()
                except UserError as error:
                    errors.append(str(error))
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
        if errors:
            # A file that others use is rejected with each of them, in the same words.
            raise UserError("\n".join(dict.fromkeys(errors)))
        return goals

    def restate(self, goal: Goal, strategy: Strategy) -> Task | None:
        """The same goal exported by another strategy, None where it is not one task to one."""
        if strategy == SPLIT:
            return goal.task
        with self._lock:
            key = (goal.source, strategy)
            if key not in self._restated:
                self._restated[key] = self._restatements(goal.source, strategy)
            return self._restated[key].get(goal.id)

    def _restatements(self, source: Source, strategy: Strategy) -> dict[str, Task]:
        try:
            plain = self._goals(source, SPLIT)
            other = self._goals(source, strategy)
        except UserError:  # Why3 cannot apply it here: a way less to prove the goals
            return {}
        return dict(_one_to_one(plain, other))

    def _goals(self, source: Source, strategy: Strategy, *, described: bool = True) -> list[Goal]:
        pieces: Counter[str] = Counter()
        goals = []
        for obligation in self._obligations(source, strategy, described=described):
            name = f"{source.name}:{obligation.module}.{obligation.name}"
            pieces[name] += 1
            place = obligation.location
            goals.append(
                Goal(
                    id=f"{name}.{pieces[name]}",
                    source=source,
                    module=obligation.module,
                    name=obligation.name,
                    explanation=obligation.explanation,
                    location=replace(place, file=shown(self._library, Path(place.file))),
                    task=obligation.task,
                )
            )
        return goals

    def _obligations(
        self, source: Source, strategy: Strategy, *, described: bool
    ) -> list[Obligation]:
        if self._cache is None:
            path, load_path = source.path, source.load_path
            return export(self._why3, path, load_path, strategy, described=described)
        key = {
            "format": 3,
            "why3": self._why3.version,
            "driver": hashlib.sha256(DRIVER.read_bytes()).hexdigest(),
            "strategy": strategy.transformations,
            "load_path": [str(folder) for folder in source.load_path],
            "source": source.digest(),
        }
        key = {name: list(v) if isinstance(v, tuple) else v for name, v in key.items()}
        if (stored := self._cache.read("exports", key)) is not None:
            return [_unpacked(value) for value in stored]
        obligations = export(self._why3, source.path, source.load_path, strategy)
        if source.digest() == key["source"]:  # else it was edited meanwhile
            self._cache.write("exports", key, [_packed(o) for o in obligations])
        return obligations


def _size(source: Source) -> int:
    return source.path.stat().st_size if source.path.is_file() else 0


def _one_to_one(plain: list[Goal], other: list[Goal]) -> Iterator[tuple[str, Task]]:
    """The tasks of the goals whose pieces come in the same number, order and places."""
    others: dict[tuple[str, str], list[Goal]] = {}
    for goal in other:
        others.setdefault((goal.module, goal.name), []).append(goal)
    pieces: dict[tuple[str, str], list[Goal]] = {}
    for goal in plain:
        pieces.setdefault((goal.module, goal.name), []).append(goal)
    for name, goals in pieces.items():
        restated = others.get(name, [])
        if [g.location for g in goals] == [g.location for g in restated]:
            yield from ((g.id, r.task) for g, r in zip(goals, restated, strict=True))


def _packed(obligation: Obligation) -> dict[str, Any]:
    packed: dict[str, Any] = to_builtins(obligation)
    return packed | {"task": obligation.task.text, "premises": obligation.task.premises}


def _unpacked(value: dict[str, Any]) -> Obligation:
    task = Task.of(value["task"], tuple(value["premises"]))
    fields = value | {"location": Location(**value["location"]), "task": task}
    del fields["premises"]
    return Obligation(**fields)
