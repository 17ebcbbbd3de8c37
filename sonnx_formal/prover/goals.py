"""The goals of all files: read through the export cache, and named."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import TypeVar

from msgspec.structs import asdict, replace

from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.sources import Source, shown
from sonnx_formal.prover.tasks import (
    TRANSFORMATION,
    Chosen,
    GoalForm,
    Obligation,
    driver_sha256,
    export,
)

_File = TypeVar("_File")
_Read = TypeVar("_Read")


class Goal(Obligation, frozen=True):
    """One thing to prove. Paths are relative, as in `shown`."""

    source: Source
    id: str
    """`<file>:<module>.<goal>.<k>`: the k-th piece of a goal of a module; unsplit, without k."""

    def __str__(self) -> str:
        """Where it is, its id, and what it is about: the id of a requirement, say."""
        explanation = f" ({self.explanation})" if self.explanation else ""
        return f"{self.location.file}:{self.location.line} {self.id}{explanation}"


def read_side_by_side(
    read: Callable[[_File], _Read], files: Iterable[_File], jobs: int, heard: Callable[[int], None]
) -> dict[_File, "Future[_Read]"]:
    """What is read of each file, when all of them are read.

    :param heard: is told how many have been read, after each.
    """
    with ThreadPoolExecutor(jobs) as pool:
        futures = {file: pool.submit(read, file) for file in files}
        try:
            for number, _ in enumerate(as_completed(futures.values()), 1):
                heard(number)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return futures


class Goals:
    """Reads the goals of files."""

    def __init__(self, why3: Why3, library: Path, cache: Cache | None) -> None:
        self.why3 = why3
        self.library = library
        self._cache = cache

    def read(
        self,
        sources: Sequence[Source],
        jobs: int,
        heard: Callable[[int], None] = lambda _: None,
        form: GoalForm = GoalForm.DESCRIBED,
    ) -> list[Goal]:
        """The goals of the files, in their order.

        :param heard: is told how many files have been read, after each.
        :raises UserError: with every file that Why3 rejects, in Why3's words.
        """
        goals: list[Goal] = []
        errors: list[str] = []
        # Long files first, so that none of them is left over at the end.
        long_first = sorted(sources, key=Source.size, reverse=True)
        read = read_side_by_side(partial(self.of, form=form), long_first, jobs, heard)
        for source in sources:
            try:
                goals += read[source].result()
            except UserError as error:
                errors.append(str(error))
        if errors:
            # A file that others use is rejected with each of them, in the same words.
            raise UserError("\n".join(dict.fromkeys(errors)))
        return goals

    def of(
        self, source: Source, form: GoalForm = GoalForm.DESCRIBED, chosen: Sequence[Goal] = ()
    ) -> list[Goal]:
        """The goals of a file; from the cache, they may be described where this is not needed.

        :param chosen: only pieces of these, which are unsplit goals.
        :raises UserError: in Why3's words, when it rejects the file.
        """
        pieces: Counter[str] = Counter()
        goals = []
        names = [(goal.module, goal.name) for goal in chosen]
        true = [(goal.module, goal.name) for goal in chosen if goal.task.is_true]
        for obligation in self._obligations(source, form, names, true):
            name = f"{source.name}:{obligation.module}.{obligation.name}"
            if form is not GoalForm.UNSPLIT:
                pieces[name] += 1
                name += f".{pieces[name]}"
            place = obligation.location
            place = replace(place, file=shown(self.library, Path(place.file)))
            fields = asdict(obligation) | {"location": place}
            goals.append(Goal(**fields, source=source, id=name))
        return goals

    def _obligations(
        self, source: Source, form: GoalForm, chosen: Sequence[Chosen], optional: Sequence[Chosen]
    ) -> list[Obligation]:
        if self._cache is None:
            return export(self.why3, source.path, source.load_path, form, chosen, optional)
        key = {
            "format": 7,
            "why3": self.why3.version,
            "driver": driver_sha256(),
            "transformation": TRANSFORMATION,
            "load_path": [ascii(str(folder)) for folder in source.load_path],
            "source": source.digest(),
        }
        keys = {
            each: key | {"form": each.value, "chosen": [list(name) for name in chosen]}
            for each in GoalForm
        }
        enough = {form, GoalForm.DESCRIBED} if form is GoalForm.SPLIT and not chosen else {form}
        for each in enough:
            if (known := self._cache.read("exports", keys[each], list[Obligation])) is not None:
                return known
        obligations = export(self.why3, source.path, source.load_path, form, chosen, optional)
        if source.digest() == key["source"]:  # else it was edited meanwhile
            self._cache.write("exports", keys[form], obligations)
        return obligations
