"""The committed record of which prover proves each goal, `why3/proofs.json`.

It says where to look, it is never a verdict: what it records is run before it is believed.
"""

import json
import os
from pathlib import Path

import msgspec

from sonnx_formal.core.documents import Document, Part, Sha256, tag
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import read_given, write_file
from sonnx_formal.prover.cores import Core


class RecordedProof(Part, frozen=True, omit_defaults=True):
    """A proof that went through once."""

    prover: str
    version: str
    steps: int | None
    from_core: bool = False
    """Whether the prover was given the core of the goal alone, and not all assertions."""


class RecordedGoal(Part, frozen=True, omit_defaults=True):
    """What proves a goal, the cheapest proof first."""

    task_sha256: str
    proofs: tuple[RecordedProof, ...]
    core: Core | None = None
    """Assertions that are enough for a proof; none where none were found, None: not looked for."""

    @property
    def whole(self) -> tuple[RecordedProof, ...]:
        """The proofs from all assertions."""
        return tuple(proof for proof in self.proofs if not proof.from_core)

    def given(self, proof: RecordedProof) -> Core | None:
        """The assertions that the prover was given for one of the proofs; None: all of them."""
        return self.core if proof.from_core else None


UNRECORDED = RecordedGoal("", ())
"""A goal of which nothing is recorded: no task has this SHA-256."""


class Certificate(Document, frozen=True, tag="sonnx-formal/proofs/6"):
    """Recorded goals by id."""

    command = "prove"

    why3: str
    library_sha256: Sha256
    """Of the library that it was made of."""
    goals: dict[str, RecordedGoal]
    unsplit: dict[str, RecordedGoal]
    """Goals that are proved before they are split, in less time than their pieces are."""


def certificate_path(library: Path) -> Path:
    """Where the certificate of a library lies."""
    return library / "proofs.json"


def read_certificate(path: Path) -> Certificate | None:
    """The certificate, None when there is none. Raises `UserError` when it cannot be read."""
    return certificate_of(read_given(path), path) if os.path.lexists(path) else None


def certificate_of(data: bytes, where: str | Path) -> Certificate:
    """The certificate in a text, which comes from `where`. Raises `UserError`."""
    try:
        return msgspec.json.decode(data, type=Certificate)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(
            f"{where} is not a readable certificate ({error}): "
            "restore it from version control, or delete it and run `sonnx-formal prove`"
        ) from None


def write_certificate(path: Path, certificate: Certificate) -> None:
    """Write the certificate, a goal a line, sorted. Raises `UserError` when that is impossible."""
    made = {"why3": certificate.why3, "library_sha256": certificate.library_sha256}
    text = json.dumps({"schema": tag(Certificate), **made}, indent=2)[:-2]
    for field, goals in {"goals": certificate.goals, "unsplit": certificate.unsplit}.items():
        lines = ",\n".join(
            f"    {json.dumps(name)}: {json.dumps(msgspec.to_builtins(goal))}"
            for name, goal in sorted(goals.items())
        )
        text += f',\n  "{field}": {{\n{lines}\n  }}'
    text += "\n}\n"
    assert certificate_of(text.encode(), path) == certificate
    write_file(path, text)
