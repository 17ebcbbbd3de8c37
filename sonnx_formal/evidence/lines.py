"""Files of evidence: a JSON object a line, so that version control shows what changed."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from sonnx_formal.core.documents import Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import write_atomically

Line = TypeVar("Line", bound=Part)


def read_lines(path: Path, type_: type[Line], command: str) -> list[Line]:
    """The lines of a file; none when there is no file.

    :param command: of `sonnx-formal`, which makes the file.
    :raises UserError: when a line is none: with its number.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    return decode_lines(data, type_, path, command)


def decode_lines(data: bytes, type_: type[Line], where: str | Path, command: str) -> list[Line]:
    """The lines in a text. Raises `UserError` when one is none: with its number."""
    decoder = msgspec.json.Decoder(type_)
    lines = []
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            lines.append(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UserError(
                f"{where}:{number} is no line of a record ({error}): restore the file from version "
                f"control, or delete it and run `sonnx-formal {command}`"
            ) from None
    return lines


def write_lines(path: Path, lines: Sequence[Part]) -> None:
    """Write a file as a whole, none where there are no lines, and nothing where it is the same.

    :raises UserError: when that is impossible.
    """
    data = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    try:
        if not data:
            path.unlink(missing_ok=True)
        elif not path.is_file() or path.read_bytes() != data:
            write_atomically(path, data.decode())
    except OSError as error:
        raise UserError(f"{path} could not be written: {error.strerror}") from None
