"""The JSON documents of the commands, and the tables that people write, in TOML.

Each is described once, by the struct of who uses it. Whatever else one needs follows from that: the
text, the reading, the schema.
"""

import os
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

import msgspec
from msgspec import Meta, Struct, UnsetType

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import read_given, write_file

Count = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
Seconds = Annotated[float, Meta(ge=0)] | UnsetType
"""What a part of a run took. The report leaves it out, and says what each run took as a whole."""
Words = Annotated[str, Meta(pattern=r"\S")]
"""A text that is not blank."""
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
_SHOWN = 40
"""Characters of a name on each side of what is wrong in it."""


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """An object inside a document. Its lists are tuples, and it has no field but its own."""


class Document(Part, frozen=True, tag_field="schema"):
    """A whole document. The struct's `tag` is its schema's name and version.

    class Greeting(Document, frozen=True, tag="sonnx-formal/greeting/1"):
        command = "greet --json"
        name: str
    """

    command: ClassVar[str]
    """What of the program writes it, for the message when a file is no such document."""
    program: ClassVar[str] = "sonnx-formal"


_Document = TypeVar("_Document", bound=Document)
_Tables = TypeVar("_Tables", bound=Struct)


def encode(document: Document) -> bytes:
    """The document as JSON, read back. Raises `msgspec.ValidationError`: a programmer's mistake.

    Raises `UserError` for a name in it that JSON has no way to write.
    """
    try:
        data = msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"
    except UnicodeEncodeError as error:
        name = error.object[max(0, error.start - _SHOWN) : error.end + _SHOWN]
        raise UserError(
            f"{name!r} is no UTF-8, and cannot stand in a document: rename the file"
        ) from None
    if msgspec.json.decode(data, type=type(document)) != document:
        raise msgspec.ValidationError(f"{type(document).__name__} is read back as another")
    return data


def write(path: Path, document: Document) -> None:
    """Write a document, as a whole or not at all. Raises `UserError` when that is impossible."""
    write_file(path, encode(document))


def decode(data: bytes, type_: type[_Document], where: str | Path) -> _Document:
    """The document in a text that comes from `where`. Raises `UserError`: with the wrong field."""
    wanted = tag(type_)
    try:
        if (schema := msgspec.json.decode(data, type=_Head).schema) != wanted:
            raise UserError(f"{where}: its schema is {schema!r}, not {wanted!r}: {_remedy(type_)}")
        return msgspec.json.decode(data, type=type_)
    except msgspec.ValidationError as error:
        raise UserError(f"{where} is no {wanted}: {error}: {_remedy(type_)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{where} is not JSON: {error}: {_remedy(type_)}") from None


def read(path: Path, type_: type[_Document]) -> _Document:
    """The document in a file. Raises `UserError` when there is none: with the field at fault."""
    try:
        data = read_given(path)
    except UserError as error:
        raise UserError(f"{error}: {_remedy(type_)}") from None
    return decode(data, type_, path)


def read_tables(path: Path, type_: type[_Tables]) -> _Tables:
    """The tables of a file, none without a file. Raises `UserError`: with the place at fault."""
    if not os.path.lexists(path):
        return type_()
    try:
        return msgspec.toml.decode(read_given(path), type=type_)
    except msgspec.ValidationError as error:
        raise UserError(f"{path}: {error}: correct it") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not readable TOML: {error}") from None


def tag(type_: type[Document]) -> str:
    """The name and version of a kind of document, such as `sonnx-formal/vacuity/2`."""
    return str(type_.__struct_config__.tag)


def schema(type_: type[Document]) -> dict[str, Any]:
    """The JSON Schema of a kind of document."""
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, **msgspec.json.schema(type_)}


class _Head(Struct, frozen=True):
    """The part of any document that says which it is."""

    schema: Any = None


def _remedy(type_: type[Document]) -> str:
    return f"write it anew with `{type_.program} {type_.command}`"
