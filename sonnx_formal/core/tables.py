"""Tables that people write, in TOML: what may stand in one is described by a struct."""

from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct

from sonnx_formal.core.errors import UserError

Words = Annotated[str, Meta(pattern=r"\S")]
"""A text that is not blank."""

_Tables = TypeVar("_Tables", bound=Struct)


def read_tables(path: Path, type_: type[_Tables]) -> _Tables:
    """The tables of a file; none where there is no file.

    :raises UserError: when it cannot be read: with the place of what is wrong.
    """
    try:
        return msgspec.toml.decode(path.read_bytes(), type=type_)
    except FileNotFoundError:
        return type_()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except msgspec.ValidationError as error:
        raise UserError(f"{path}: {error}: correct it") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not readable TOML: {error}") from None
