"""Folders that are written as a whole: an interrupted program leaves the old one, or none."""

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import names_in


@contextmanager
def replaced(directory: Path, marker: str, others: Collection[str]) -> Iterator[Path]:
    """A new folder, which takes the place of `directory` when the block ends without an error.

    :param marker: the name of the file by which such a folder is known: no other one is replaced.
    :param others: the names of all else that such a folder may have in it.
    :raises UserError: when `directory` is another folder, or cannot be written.
    """
    directory = directory.resolve()
    check_replaceable(directory, marker, others)
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        # Beside it, so that the renaming is all that others ever see.
        with tempfile.TemporaryDirectory(
            dir=directory.parent, prefix=f".{directory.name}-"
        ) as scratch:
            new, old = Path(scratch) / "new", Path(scratch) / "old"
            new.mkdir()
            yield new
            check_replaceable(directory, marker, others)
            _exchange(directory, new, old)
    except OSError as error:
        raise UserError(
            f"{error.filename or directory}: {error.strerror}: nothing was changed in {directory} "
            "(free space, or choose another folder)"
        ) from None


def check_replaceable(directory: Path, marker: str, others: Collection[str]) -> None:
    """Raises `UserError` when a folder is there that may not be replaced."""
    if not directory.exists():
        return
    if not directory.is_dir():
        raise UserError(f"{directory} is not a folder: choose another name")
    found = names_in(directory)
    foreign = found - {marker, *others} if marker in found else found
    if foreign:
        raise UserError(
            f"{directory} has something else in it ({min(foreign)}): choose another folder, or "
            "move that elsewhere"
        )


def _exchange(directory: Path, new: Path, old: Path) -> None:
    if not directory.exists():
        new.rename(directory)
        return
    try:
        directory.rename(old)
        new.rename(directory)
    except BaseException:
        if old.exists() and not directory.exists():
            old.rename(directory)
        raise
