"""Files and folders that may be anything: read as far as is sensible, and never waited for."""

import os
import stat
from pathlib import Path

from sonnx_formal.why3.errors import UserError


class TooLongError(UserError):
    """A file that is longer than it may be."""


def read_file(path: Path, longest: int) -> bytes:
    """The contents of a regular file.

    :raises UserError: when it cannot be read, is a link or a device, or is longer than `longest`.
    """
    try:
        # A link may lead anywhere, and opening a pipe would wait for somebody to write.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UserError(f"{path}: not a regular file: put the file itself in its place")
            if status.st_size > longest:
                raise TooLongError(
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
