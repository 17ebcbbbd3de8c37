"""The committed record of which prover proves each goal, `why3/proofs.json`.

It says where to look, it is never a verdict: what it records is run before it is believed.
"""

import json
from pathlib import Path

import msgspec

from sonnx_formal.core.documents import Document, Part, tag
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import write_atomically


class RecordedProof(Part, frozen=True):
    """A proof that went through once."""

    prover: str
    version: str
    strategy: str
    steps: int | None


class RecordedGoal(Part, frozen=True):
    """What proves a goal, the cheapest proof first."""

    task_sha256: str
    proofs: tuple[RecordedProof, ...]


class Certificate(Document, frozen=True, tag="sonnx-formal/proofs/1"):
    """Recorded goals by id."""

    command = "prove"

    why3: str
    goals: dict[str, RecordedGoal]


def certificate_path(library: Path) -> Path:
    """Where the certificate of a library lies."""
    return library / "proofs.json"


def read_certificate(path: Path) -> Certificate | None:
    """The certificate, None when there is none. Raises `UserError` when it cannot be read."""
    try:
        return certificate_of(path.read_bytes(), path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None


def certificate_of(data: bytes, where: str | Path) -> Certificate:
    """The certificate in a text, which comes from `where`. Raises `UserError`."""
    try:
        return msgspec.json.decode(data, type=Certificate)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(
            f"{where} is not a readable certificate ({error}): "
            "restore it from version control, or delete it and run `sonnx-formal prove`"
        ) from None


def write_certificate(path: Path, certificate: Certificate) -> bool:
    """Write the certificate, a goal a line, sorted. False when it was the same already.

    Raises `UserError` when it cannot be written.
    """
    text = _text(certificate)
    assert certificate_of(text.encode(), path) == certificate
    try:
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            return False
        write_atomically(path, text)
    except OSError as error:
        raise UserError(f"{path} could not be written: {error.strerror}") from None
    return True


def _text(certificate: Certificate) -> str:
    lines = [
        f"    {json.dumps(name)}: {json.dumps(msgspec.to_builtins(goal))}"
        for name, goal in sorted(certificate.goals.items())
    ]
    goals = "{\n" + ",\n".join(lines) + "\n  }" if lines else "{}"
    return (
        f'{{\n  "schema": {json.dumps(tag(Certificate))},\n'
        f'  "why3": {json.dumps(certificate.why3)},\n'
        f'  "goals": {goals}\n}}\n'
    )
