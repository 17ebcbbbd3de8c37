"""Folders that are written as a whole: an interrupted program leaves the old one, or none."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sonnx_formal.why3.errors import UserError


@contextmanager
def replaced(directory: Path, is_ours: Callable[[str], bool]) -> Iterator[Path]:
    """A new folder, which takes the place of `directory` when the block ends without an error.

    :param is_ours: says of the name of an entry whether such a folder may be removed with it.
    :raises UserError: when `directory` is not such a folder, or cannot be written.
    """
    directory = directory.resolve()
    _check(directory, is_ours)
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        # Beside it, so that the renaming is all that others ever see.
        with tempfile.TemporaryDirectory(dir=directory.parent, prefix=".vectors-") as scratch:
            new, old = Path(scratch) / "new", Path(scratch) / "old"
            new.mkdir()
            yield new
            _check(directory, is_ours)
            _exchange(directory, new, old)
    except OSError as error:
        raise UserError(
            f"{error.filename or directory}: {error.strerror}: nothing was changed in {directory} "
            "(free space, or choose another folder with -o)"
        ) from None


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


def _check(directory: Path, is_ours: Callable[[str], bool]) -> None:
    if not directory.exists():
        return
    if not directory.is_dir():
        raise UserError(f"{directory} is not a folder: choose another with -o")
    for path in directory.iterdir():
        if not is_ours(path.name) or path.is_symlink():
            raise UserError(
                f"{directory} has other things in it, such as {path.name}: choose another folder "
                "with -o, or move them elsewhere"
            )
