"""The committed record of which prover proves each goal, `why3/proofs.json`.

It says where to look, it is never a verdict: what it records is run before it is believed.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import structs

from sonnx_formal.core.documents import Document, Part, Sha256, tag
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import locked, read_given, write_file
from sonnx_formal.prover.cores import Core
from sonnx_formal.prover.provers import Answer, Prover


class RecordedProof(Part, frozen=True, omit_defaults=True):
    """A proof that went through once."""

    prover: str
    version: str
    steps: int | None
    from_core: bool = False
    """Whether the prover was given the core of the goal alone, and not all assertions."""
    failed: dict[str, Answer] | None = None
    """What the prover said instead, by what was varied: `seed 3`, `renamed`; None: not tried."""

    @property
    def stable(self) -> bool:
        """Whether it goes through whatever is varied."""
        return self.failed == {}


ProofKey = tuple[str, RecordedProof, Core | None]
"""What makes a proof the one that it is: its task, and what the prover was given of it."""


class RecordedGoal(Part, frozen=True, omit_defaults=True):
    """What proves a goal, the cheapest proof first."""

    task_sha256: str
    proofs: tuple[RecordedProof, ...]
    core: Core | None = None
    """Assertions that are enough for a proof; none where none are, None: not looked for."""

    @property
    def whole(self) -> tuple[RecordedProof, ...]:
        """The proofs from all assertions."""
        return tuple(proof for proof in self.proofs if not proof.from_core)

    def given(self, proof: RecordedProof) -> Core | None:
        """The assertions that the prover was given for one of the proofs; None: all of them."""
        return self.core if proof.from_core else None

    def key(self, proof: RecordedProof) -> ProofKey:
        """The key of one of the proofs, whatever came of its repetitions."""
        return self.task_sha256, structs.replace(proof, failed=None), self.given(proof)


def cheapest_first(
    proofs: Sequence[RecordedProof], provers: Sequence[Prover]
) -> tuple[RecordedProof, ...]:
    """The proofs by their estimated time, which does not depend on the machine."""
    by_name = {prover.name: prover for prover in provers}

    def cost(proof: RecordedProof) -> tuple[float, str]:
        prover = by_name.get(proof.prover)
        seconds = prover.estimated_seconds(proof.steps) if prover else float(proof.steps or 0)
        return seconds, proof.prover

    return tuple(sorted(proofs, key=cost))


UNRECORDED = RecordedGoal("", ())
"""A goal of which nothing is recorded: no task has this SHA-256."""


class Certificate(Document, frozen=True, tag="sonnx-formal/proofs/7"):
    """Recorded goals by id."""

    command = "prove"

    why3: str
    library_sha256: Sha256
    """Of the library that it was made of."""
    goals: dict[str, RecordedGoal]
    unsplit: dict[str, RecordedGoal]
    """Goals that are proved before they are split, in less time than their pieces are."""

    def repeated(self) -> dict[ProofKey, RecordedProof]:
        """The proofs that were tried otherwise; of some tasks there are several goals."""
        return {
            goal.key(proof): proof
            for goal in (*self.goals.values(), *self.unsplit.values())
            for proof in goal.proofs
            if proof.failed is not None
        }

    def revised(self, proofs: Mapping[ProofKey, RecordedProof]) -> "Certificate":
        """The same with these in the place of proofs that it has."""

        def revise(goal: RecordedGoal) -> RecordedGoal:
            now = tuple(proofs.get(goal.key(proof), proof) for proof in goal.proofs)
            return structs.replace(goal, proofs=now)

        goals = {name: revise(goal) for name, goal in self.goals.items()}
        unsplit = {name: revise(goal) for name, goal in self.unsplit.items()}
        return structs.replace(self, goals=goals, unsplit=unsplit)


def certificate_path(library: Path) -> Path:
    """Where the certificate of a library lies."""
    return library / "proofs.json"


def read_certificate(path: Path) -> Certificate | None:
    """The certificate, None when there is none. Raises `UserError` when it cannot be read."""
    return certificate_of(read_given(path), path) if os.path.lexists(path) else None


def needed_certificate(library: Path) -> Certificate:
    """The certificate of the library. Raises `UserError` when there is none."""
    certificate = read_certificate(certificate_path(library))
    if certificate is None:
        raise UserError("there is no certificate of the library: run `sonnx-formal prove` first")
    return certificate


def certificate_of(data: bytes, where: str | Path) -> Certificate:
    """The certificate in a text, which comes from `where`. Raises `UserError`."""
    try:
        return msgspec.json.decode(data, type=Certificate)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(
            f"{where} is not a readable certificate ({error}): "
            "restore it from version control, or delete it and run `sonnx-formal prove`"
        ) from None


def change_certificate(
    library: Path, change: Callable[[Certificate | None], Certificate | None]
) -> None:
    """Write what becomes of the certificate, which no other command changes meanwhile.

    Raises `UserError`, `OSError`.
    """
    path = certificate_path(library)
    with locked(library):
        before = read_certificate(path)
        after = change(before)
        if after and after != before:
            write_certificate(path, after)


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
