"""Files and folders that may be anything: read as far as is sensible, written as a whole or not."""

import fcntl
import os
import stat
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from sonnx_formal.core.errors import UserError

CACHE_VARIABLE = "SONNX_FORMAL_CACHE"


def read_file(path: Path, longest: int) -> bytes:
    """The contents of a regular file, no link. Raises `UserError`, also above `longest` bytes."""
    try:
        # A link may lead anywhere, and opening a pipe would wait for somebody to write.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UserError(f"{path}: not a regular file: put the file itself in its place")
            if status.st_size > longest:
                raise UserError(
                    f"{path}: {status.st_size} bytes long, and at most {longest} expected"
                )
            return file.read(longest)
    except OSError as error:
        link = ": put the file itself in its place" if path.is_symlink() else ""
        raise UserError(f"{path}: {error.strerror}{link}") from None


def names_in(directory: Path) -> set[str]:
    """The names of all that is in a folder. Raises `UserError` when it cannot be read."""
    try:
        return {path.name for path in directory.iterdir()}
    except OSError as error:
        raise UserError(f"{directory}: {error.strerror}") from None


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that nobody ever sees half of it. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file as a whole or not at all. Raises `UserError` when that is impossible."""
    try:
        write_atomically(path, content)
    except OSError as error:
        raise UserError(f"{path} could not be written: {error.strerror}") from None


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """A file or folder that no other program locks meanwhile. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


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
    try:
        if directory.exists():
            directory.rename(old)
        new.rename(directory)
    except BaseException:
        if old.exists() and not directory.exists():
            old.rename(directory)
        raise


def cache_folder() -> Path:
    """Where the cache lies: `SONNX_FORMAL_CACHE`, else the user's cache folder."""
    return Path(os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_path("sonnx-formal"))
