"""The goals that a command is asked about."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import cache_folder
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.goals import Goal, Goals
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.progress import Progress
from sonnx_formal.prover.sources import library_sources, named_source


@dataclass(frozen=True)
class Selection:
    """Files and all their goals."""

    files: tuple[str, ...]
    """By name, as in the ids of goals."""
    goals: tuple[Goal, ...]
    whole: bool
    """Whether these are all the files of the library."""

    def by_file(self) -> dict[str, list[Goal]]:
        """The goals of each file."""
        found: dict[str, list[Goal]] = {file: [] for file in self.files}
        for goal in self.goals:
            found[goal.source.name].append(goal)
        return found


def select(library: Path, files: Sequence[Path], jobs: int, progress: Progress) -> Selection:
    """The goals of these files, of the whole library when there are none.

    A folder stands for the files in it. Raises `UserError` for bad input or without Why3.
    """
    given = [
        path
        for file in files
        for path in (sorted(file.rglob("*.mlw")) if file.is_dir() else [file])
    ]
    if files and not given:
        raise UserError(f"{files[0]}: no .mlw file in this folder")
    sources = [named_source(library, path) for path in dict.fromkeys(given)]
    sources = list(dict.fromkeys(sources)) or library_sources(library)
    progress.reading(len(sources))
    goals = Goals(find_why3(), library, Cache(cache_folder(), progress.warn))
    found = goals.read(sources, jobs)
    if not found:
        raise UserError("no goal was found in " + ", ".join(source.name for source in sources))
    return Selection(tuple(source.name for source in sources), tuple(found), not files)
