"""The files that the evidence is about: the formal library, its certificate, the registry."""

from collections.abc import Mapping
from pathlib import Path

from sonnx_formal.core.documents import Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.report.documents import sha256

_GROUPS = (
    ("why3", "**/*.mlw"),
    ("why3", "*.json"),
    ("why3", "*.toml"),
    ("why3", "evidence/**/*.jsonl"),
    ("why3", "evidence/*.toml"),
    ("sonnx_formal/spec/requirements", "*.toml"),
)
LIBRARY = "why3/"
CERTIFICATE = "why3/proofs.json"
GOAL_RECORDS = "why3/evidence/goals/"
MUTANT_RECORD = "why3/evidence/mutants.jsonl"


class SourceFile(Part, frozen=True):
    """A file, as it was."""

    path: str
    sha256: str
    bytes: int


def read_sources(root: Path) -> dict[str, bytes]:
    """The files by their paths relative to the root of the repository, or of a copy of them.

    Raises `UserError` when one cannot be read.
    """
    paths = {path for folder, pattern in _GROUPS for path in (root / folder).glob(pattern)}
    try:
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(paths)}
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}") from None


def library_sha256(sources: Mapping[str, bytes]) -> str:
    """The hash of the formal library alone, as the manifest of test vectors has it."""
    files = {p.removeprefix(LIBRARY): d for p, d in sources.items() if p.endswith(".mlw")}
    # In the order of paths, as `sonnx_formal.oracle.program.formal_sources_sha256` has them.
    ordered = sorted(files, key=lambda name: Path(name).parts)
    return sha256("".join(f"{name}\0{sha256(files[name])}\n" for name in ordered))
