"""Folders of the cache that are built once, and named after all that they are made from."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import CACHE_VARIABLE, cache_folder, locked, read_file

SUMS = "SHA256SUMS"
"""The file with the checksums of the others."""
_ATTEMPTS = 3


class SourcesChangedError(Exception):
    """What was built is not made from the sources that the key speaks of."""


@dataclass(frozen=True)
class BuiltFolders:
    """Folders of one kind, each named after the SHA-256 of all that it is made from.

    A stale folder is never found, and a damaged one is built anew, for each has its checksums.
    """

    name: str
    """Of the folder in the cache that they are in."""
    title: str
    """What errors call it: `the oracle`."""
    kept: int
    """How many stay: those that were built last."""
    program: str | None = None
    """The name of a file that has to be executable."""

    def find(self, key: Callable[[], str], build: Callable[[Path], None]) -> Path:
        """The folder of what the sources are now; it is built where the cache does not have it.

        :param key: the SHA-256 of all that it is made from.
        :param build: writes its files into an empty folder; may raise `SourcesChangedError`.
        :raises UserError: when it cannot be built, or the cache cannot be written to.
        """
        folder = cache_folder().absolute() / self.name
        try:
            entry = folder / key()
            return entry if self._is_sound(entry) else self._built(folder, key, build)
        except OSError as error:
            raise UserError(
                f"{error.filename or folder}: {error.strerror}: {self.title} cannot be built "
                f"(free space, or set {CACHE_VARIABLE} to another folder)"
            ) from None

    def _built(self, folder: Path, key: Callable[[], str], build: Callable[[Path], None]) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        lock = folder / "lock"
        lock.touch()
        with locked(lock):
            for left in folder.glob(".*"):  # behind a build that was killed
                shutil.rmtree(left, ignore_errors=True)
            for _ in range(_ATTEMPTS):
                entry = folder / key()
                if not self._is_sound(entry):  # another process may have built it while we waited
                    self._build(entry, key, build)
                if self._is_sound(entry):
                    return entry
        raise UserError(
            f"{folder}: {self.title} was built, but not found there: the sources changed meanwhile "
            f"(run the command again), or no program may run from this folder (set "
            f"{CACHE_VARIABLE} to another one)"
        )

    def _build(self, entry: Path, key: Callable[[], str], build: Callable[[Path], None]) -> None:
        """Add the folder to the cache, unless a source changes under the compiler's eyes."""
        # On the same file system, so that the renaming is all that others ever see.
        with tempfile.TemporaryDirectory(dir=entry.parent, prefix=".building-") as scratch:
            new = Path(scratch) / "new"
            new.mkdir()
            try:
                build(new)
            except SourcesChangedError:
                return
            if key() != entry.name:
                return
            sums = [f"{_sha256(path)}  {path.name}\n" for path in sorted(new.iterdir())]
            (new / SUMS).write_text("".join(sums))
            if entry.exists():  # damaged
                entry.rename(Path(scratch) / "old")
            new.rename(entry)
        entries = [path for path in entry.parent.iterdir() if path.is_dir()]
        for old in sorted(entries, key=lambda path: path.stat().st_mtime)[: -self.kept]:
            shutil.rmtree(old, ignore_errors=True)

    def _is_sound(self, entry: Path) -> bool:
        """Whether the files of a folder are there and undamaged."""
        try:
            sums = [line.split("  ") for line in (entry / SUMS).read_text().splitlines()]
            sound = bool(sums) and all(_sha256(entry / name) == sha256 for sha256, name in sums)
        except (OSError, UserError, ValueError):
            return False
        return sound and (self.program is None or os.access(entry / self.program, os.X_OK))


def _sha256(path: Path) -> str:
    return hashlib.sha256(read_file(path)).hexdigest()
