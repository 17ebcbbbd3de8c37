"""What `manifest.json` says about a folder of test vectors."""

import hashlib
import json
import os
import re
import shlex
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import read_file
from sonnx_formal.oracle.attributes import UNSET, Attributes
from sonnx_formal.spec.requirements import UnknownRequirementError, requirement
from sonnx_formal.vectors.arrays import Shape
from sonnx_formal.vectors.case import CaseClass, Operator
from sonnx_formal.vectors.combinations import COMBINATIONS

SCHEMA = "sonnx-formal/vectors/2"
NAME = "manifest.json"
_LONGEST = 64 << 20
_PART = 60


class DamagedVectorsError(UserError):
    """Test vectors that are not as they were generated."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path}: {what}; generate the vectors anew with `sonnx-formal vectors`")


@dataclass(frozen=True)
class CaseEntry:
    """One case."""

    name: str
    case_class: CaseClass
    requirements: tuple[str, ...]
    shapes: tuple[Shape, ...]
    """Of A, B and, unless the case is rejected, the result."""
    sha256: str
    """Of its members of the file, one after the other."""
    attributes: Attributes = UNSET
    violated: str | None = None
    """The requirement that a rejected case violates."""


@dataclass(frozen=True)
class FileEntry:
    """One file: all cases of an operator over an element type."""

    operator: Operator
    element_type: str
    bytes: int
    sha256: str
    cases: tuple[CaseEntry, ...]

    @property
    def name(self) -> str:
        """The name of the file."""
        return file_name(self.operator, self.element_type)


@dataclass(frozen=True)
class Origin:
    """What the vectors were generated from and with."""

    seed: int
    formal_sources_sha256: str
    oracle_sha256: str
    """Of all that the oracle program is made from, `sonnx_formal.oracle.program.Program.key`."""
    tools: dict[str, str]
    """Versions by name."""


@dataclass(frozen=True)
class Manifest:
    """The whole manifest."""

    origin: Origin
    files: tuple[FileEntry, ...]


def file_name(operator: Operator, element_type: str) -> str:
    """The name of the file for an operator and an element type."""
    return f"{operator}-{element_type}.npz"


def manifest_text(manifest: Manifest) -> str:
    """The manifest as JSON, as `manifest.schema.json` describes it."""
    text = json.dumps(_as_json(manifest), indent=1)
    # Shapes and requirements on a line each.
    return re.sub(r"\[([^][{}]*)\]", lambda list_: f"[{' '.join(list_[1].split())}]", text) + "\n"


def read_manifest(directory: Path) -> Manifest:
    """The manifest of a folder.

    :raises UserError: when the folder has none, or one that is not as this version writes it.
    """
    path = directory / NAME
    if not directory.exists() or (directory.is_dir() and not os.path.lexists(path)):
        place = "DIR" if directory.exists() else shlex.quote(str(directory))
        raise UserError(
            f"{path}: No such file or directory: make test vectors with"
            f" `sonnx-formal vectors -o {place}`, or name the folder that they are in"
        )
    try:
        return _manifest(path, json.loads(read_file(path, _LONGEST)))
    except (ValueError, RecursionError):
        raise DamagedVectorsError(path, "not JSON, or nested too deeply") from None


def manifest_sha256(directory: Path) -> str:
    """The hash of the manifest of a folder, which stands for all of its test vectors.

    :raises UserError: when it cannot be read.
    """
    return hashlib.sha256(read_file(directory / NAME, _LONGEST)).hexdigest()


def _manifest(path: Path, value: Any) -> Manifest:
    version = value.get("schema") if isinstance(value, dict) else None
    if version != SCHEMA:
        raise DamagedVectorsError(path, f"its format is {version!r}, this version reads {SCHEMA!r}")
    error = jsonschema.exceptions.best_match(_validator().iter_errors(value))
    if error:
        where = "/".join(map(str, error.absolute_path)) or "the manifest"
        raise DamagedVectorsError(path, f"{where}: {_short(error.message)}")
    manifest = _from_json(value)
    for entry, named in zip(manifest.files, value["files"], strict=True):
        if named["file"] != entry.name:
            raise DamagedVectorsError(path, f"{named['file']!r} is in the place of {entry.name}")
    _check(path, manifest)
    return manifest


@cache
def _validator() -> jsonschema.protocols.Validator:
    text = resources.files(__package__).joinpath("manifest.schema.json").read_text("utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def _check(path: Path, manifest: Manifest) -> None:
    """What the schema cannot say."""
    seen: set[str] = set()
    for file in manifest.files:
        if (file.operator, file.element_type) not in COMBINATIONS:
            raise DamagedVectorsError(
                path, f"{file.operator} is not defined over {file.element_type}"
            )
        for name in (file.name, *(case.name for case in file.cases)):
            if name in seen:
                raise DamagedVectorsError(path, f"{name} is there twice")
            seen.add(name)
        for case in file.cases:
            stem = f"{file.operator}-{file.element_type}-{case.case_class}-"
            if not case.name.startswith(stem) or not case.name.removeprefix(stem).isdigit():
                raise DamagedVectorsError(path, f"{case.name} is in the place of {stem}…")
            named = (*case.requirements, *([case.violated] if case.violated else []))
            for identifier in named:
                try:
                    requirement(identifier)
                except UnknownRequirementError as error:
                    raise DamagedVectorsError(path, f"{case.name}: {error}") from None


def _as_json(manifest: Manifest) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        **asdict(manifest.origin),
        "files": [
            {
                "file": file.name,
                "operator": file.operator,
                "type": file.element_type,
                "bytes": file.bytes,
                "sha256": file.sha256,
                "cases": [
                    {
                        "name": case.name,
                        "class": case.case_class,
                        "requirements": case.requirements,
                        "shapes": dict(zip(("a", "b", "expected"), case.shapes, strict=False)),
                        "sha256": case.sha256,
                    }
                    | ({"attributes": set_} if (set_ := case.attributes.those_set()) else {})
                    | ({"violated": case.violated} if case.violated else {})
                    for case in file.cases
                ],
            }
            for file in manifest.files
        ],
    }


def _from_json(value: dict[str, Any]) -> Manifest:
    origin = Origin(
        seed=int(value["seed"]),
        formal_sources_sha256=value["formal_sources_sha256"],
        oracle_sha256=value["oracle_sha256"],
        tools=value["tools"],
    )
    return Manifest(origin, tuple(_file(file) for file in value["files"]))


def _file(value: dict[str, Any]) -> FileEntry:
    return FileEntry(
        operator=Operator(value["operator"]),
        element_type=value["type"],
        bytes=int(value["bytes"]),  # 1.0 is an integer of JSON, too
        sha256=value["sha256"],
        cases=tuple(_case(case) for case in value["cases"]),
    )


def _case(value: dict[str, Any]) -> CaseEntry:
    sides = ("a", "b") if "violated" in value else ("a", "b", "expected")
    return CaseEntry(
        name=value["name"],
        case_class=CaseClass(value["class"]),
        requirements=tuple(value["requirements"]),
        shapes=tuple(tuple(map(int, value["shapes"][side])) for side in sides),
        sha256=value["sha256"],
        attributes=Attributes.of(value.get("attributes", {})),
        violated=value.get("violated"),
    )


def _short(message: str) -> str:
    """With the end, where it says what is wrong after a value that may be long."""
    return message if len(message) <= 2 * _PART else f"{message[:_PART]} … {message[-_PART:]}"
