"""Files and folders that may be anything: read as far as is sensible, written as a whole or not."""

import errno
import fcntl
import os
import stat
import sys
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import platformdirs

from sonnx_formal.core.errors import UserError

CACHE_VARIABLE = "SONNX_FORMAL_CACHE"
LONGEST = 1 << 30
"""Bytes of a file that is read as a whole."""
_TEMPORARY = ".sonnx-formal-"
"""What begins the names of files that are not finished: these are dot files, and so no sources."""


def read_file(path: Path, longest: int = LONGEST) -> bytes:
    """The contents of a regular file, no link. Raises `UserError`, also above `longest` bytes.

    For the files of a folder that comes from somebody else: a link in it may lead anywhere.
    """
    return _read(path, longest, os.O_NOFOLLOW)


def read_given(path: Path | str, longest: int = LONGEST) -> bytes:
    """The contents of a regular file that the user names, also by a link. Raises `UserError`."""
    return _read(path, longest, 0)


def _read(path: Path | str, longest: int, flags: int) -> bytes:
    try:
        # Opening a pipe would wait for somebody to write.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UserError(f"{path}: not a regular file: put the file itself in its place")
            if status.st_size > longest:
                raise UserError(
                    f"{path}: {status.st_size} bytes long, and at most {longest} expected"
                )
            if len(data := file.readall()) > longest:  # it grew, or did not tell its size
                raise UserError(f"{path}: longer than the {longest} bytes expected at most")
            return data
    except OSError as error:
        link = ": put the file itself in its place" if error.errno == errno.ELOOP else ""
        raise UserError(f"{path}: {error.strerror}{link}") from None


def is_folder(path: Path) -> bool:
    """Whether it leads to a folder; no name is too long to ask."""
    try:
        return path.is_dir()
    except OSError:
        return False


def files_below(folder: Path, suffix: str = "") -> list[Path]:
    """All in a folder and below that is no folder, and whose name ends so, in order.

    No dot file, and nothing in a dot folder: editors and programs keep their own there. Links to
    folders are not followed, so that the search ends. What is no regular file is there, to be
    refused by who reads it. Raises `UserError` when a folder is there and cannot be read.
    """

    def fail(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            raise UserError(f"{error.filename}: {error.strerror}")

    found: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=fail):
        folders[:] = (name for name in folders if not name.startswith("."))
        found += (
            Path(place, name)
            for name in names
            if name.endswith(suffix) and not name.startswith(".")
        )
    return sorted(found)


def names_in(directory: Path) -> set[str]:
    """The names of all that is in a folder. Raises `UserError` when it cannot be read."""
    try:
        return {path.name for path in directory.iterdir()}
    except OSError as error:
        raise UserError(f"{directory}: {error.strerror}") from None


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that nobody ever sees half of it. Raises `OSError`.

    A link stays one: what it leads to is written. What is no regular file, such as a device or a
    pipe, is written to, and never replaced; and so is what standard output and errors go to.
    """
    data = content.encode() if isinstance(content, str) else content
    status = _status(path)
    if status is not None and _is_written_through(status):
        with os.fdopen(_opened(path, status), "wb") as file:
            file.write(data)
        return
    place = Path(os.path.realpath(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=_TEMPORARY)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        temporary.chmod(stat.S_IMODE(status.st_mode) if status else 0o644)
        temporary.replace(place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _status(path: Path) -> os.stat_result | None:
    """What a path leads to; None where nothing is."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _is_written_through(status: os.stat_result) -> bool:
    kind = stat.S_IFMT(status.st_mode)
    return kind not in {stat.S_IFREG, stat.S_IFDIR} or _standard_descriptor(status) is not None


def _standard_descriptor(status: os.stat_result) -> int | None:
    """Of standard output or errors, where that is the file that a shell has put it into."""
    for descriptor in (1, 2):
        with suppress(OSError):  # it is closed
            if os.path.samestat(status, os.fstat(descriptor)):
                return descriptor
    return None


def _opened(path: Path, status: os.stat_result) -> int:
    """A descriptor to write to. Raises `OSError` for a pipe that nobody reads."""
    if descriptor := _standard_descriptor(status):
        sys.stdout.flush()
        return os.dup(descriptor)
    try:
        # Opening a pipe that nobody reads would wait for somebody who does.
        flags = os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
        descriptor = os.open(path, flags)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "nobody reads from it: start who reads first") from None
        raise
    os.set_blocking(descriptor, True)
    return descriptor


def why_not_writable(path: Path) -> str:
    """Why `write_file` would fail, as far as that can be seen before; empty where it would not."""
    try:
        status = _status(path)
    except OSError as error:
        return str(error.strerror)
    if status is not None and stat.S_ISDIR(status.st_mode):
        return "is a folder"
    if status is not None and _is_written_through(status):
        return "" if os.access(path, os.W_OK) else "cannot be written to"
    folder = Path(os.path.realpath(path)).parent
    if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
        return ""
    return "its folder does not exist or cannot be written to"


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
        with tempfile.TemporaryDirectory(dir=directory.parent, prefix=_TEMPORARY) as scratch:
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
    """Raises `UserError` when a folder is there that may not be replaced, or none can be there."""
    if not directory.exists():
        above = next(each for each in directory.absolute().parents if each.exists())
        if not above.is_dir():
            raise UserError(f"{above} is not a folder: choose another name")
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
