"""The committed record of which prover proves each goal, `why3/proofs.json`.

It says where to look, it is never a verdict: what it records is run before it is believed.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import write_atomically

SCHEMA = "sonnx-formal/proofs/1"


@dataclass(frozen=True)
class RecordedProof:
    """A proof that went through once."""

    prover: str
    version: str
    strategy: str
    steps: int | None


@dataclass(frozen=True)
class RecordedGoal:
    """What proves a goal, the cheapest proof first."""

    task_sha256: str
    proofs: tuple[RecordedProof, ...]


@dataclass(frozen=True)
class Certificate:
    """Recorded goals by id."""

    why3: str
    goals: dict[str, RecordedGoal] = field(default_factory=dict)


def certificate_path(library: Path) -> Path:
    """Where the certificate of a library lies."""
    return library / "proofs.json"


def read_certificate(path: Path) -> Certificate | None:
    """The certificate, None when there is none. Raises `UserError` when it cannot be read."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise _unreadable(path, str(error)) from None
    try:
        if stored["schema"] != SCHEMA:
            raise _unreadable(path, f"its schema is {stored['schema']}, not {SCHEMA}")
        goals = {name: _goal(value) for name, value in stored["goals"].items()}
        return Certificate(str(stored["why3"]), goals)
    except (KeyError, TypeError, AttributeError) as error:
        raise _unreadable(path, f"missing or malformed field: {error}") from None


def write_certificate(path: Path, certificate: Certificate) -> bool:
    """Write the certificate, a goal a line, sorted. False when it was the same already.

    Raises `UserError` when it cannot be written.
    """
    text = _text(certificate)
    try:
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            return False
        write_atomically(path, text)
    except OSError as error:
        raise UserError(f"{path} could not be written: {error.strerror}") from None
    return True


def _text(certificate: Certificate) -> str:
    lines = []
    for name, goal in sorted(certificate.goals.items()):
        proofs = [vars(proof) for proof in goal.proofs]
        value = json.dumps({"task_sha256": goal.task_sha256, "proofs": proofs})
        lines.append(f"    {json.dumps(name)}: {value}")
    goals = "{\n" + ",\n".join(lines) + "\n  }" if lines else "{}"
    return (
        f'{{\n  "schema": {json.dumps(SCHEMA)},\n'
        f'  "why3": {json.dumps(certificate.why3)},\n'
        f'  "goals": {goals}\n}}\n'
    )


def _goal(value: dict[str, Any]) -> RecordedGoal:
    proofs = tuple(
        RecordedProof(
            str(proof["prover"]),
            str(proof["version"]),
            str(proof["strategy"]),
            None if proof["steps"] is None else int(proof["steps"]),
        )
        for proof in value["proofs"]
    )
    return RecordedGoal(str(value["task_sha256"]), proofs)


def _unreadable(path: Path, why: str) -> UserError:
    return UserError(
        f"{path} is not a readable certificate ({why}): "
        "restore it from version control, or delete it and run `sonnx-formal prove`"
    )
