"""`evidence.json`: everything that the report says, from which all its renderings are made."""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import jsonschema
import msgspec
from msgspec import Struct

from sonnx_formal.core.errors import UserError
from sonnx_formal.report import inputs, tables
from sonnx_formal.report.sources import SourceFile

SCHEMA = "sonnx-formal/evidence/1"


class Document(Struct, frozen=True):
    """A document that the evidence was put together from, or that is missing."""

    name: str
    purpose: str
    command: str
    """What writes it."""
    sha256: str | None
    """Of the document without times; null where it is missing."""


class Gap(Struct, frozen=True):
    """Something that is not shown."""

    id: str
    title: str
    text: str
    """What it means for whoever relies on the evidence."""
    items: tuple[str, ...]
    """What it is about; of thousands, the first."""
    count: int
    """How many items there are, listed or not."""
    blocking: bool
    """Whether the evidence as a whole fails because of it."""


class FileTally(Struct, frozen=True):
    """The goals of a file of the library."""

    file: str
    goals: int
    proved: int
    two_families: int
    certified: int
    by_prover: dict[str, int]
    steps: dict[str, int]
    """What each prover took over the goals that it proves, in its own unit."""


class VectorGroup(Struct, frozen=True):
    """The test vectors of an operator over an element type."""

    file: str
    operator: str
    element_type: str
    sha256: str
    classes: dict[str, int]

    @property
    def cases(self) -> int:
        """How many there are."""
        return sum(self.classes.values())


class Vectors(Struct, frozen=True):
    """The test vectors."""

    seed: int
    formal_sources_sha256: str
    tools: dict[str, str]
    groups: tuple[VectorGroup, ...]


class Listing(Struct, frozen=True):
    """A file of the library that is shown."""

    file: str
    text: str


class Evidence(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole evidence."""

    schema: str
    version: str
    """Of sonnx-formal."""
    documents: tuple[Document, ...]
    sources: tuple[SourceFile, ...]
    gaps: tuple[Gap, ...]
    claims: tuple[tables.Claim, ...]
    non_claims: tuple[tables.NonClaim, ...]
    assumptions: tuple[tables.Assumption, ...]
    why3: str | None
    provers: tuple[inputs.Prover, ...]
    goals: tuple[inputs.Goal, ...]
    files: tuple[FileTally, ...]
    trace: inputs.Trace | None
    vectors: Vectors | None
    check: inputs.Check | None
    trusted_base: inputs.TrustedBase | None
    vacuity: inputs.Vacuity | None
    mutation: inputs.Mutation | None
    hypotheses: inputs.UseOfHypotheses | None
    certified: inputs.Certified | None
    self_test: inputs.SelfTest | None
    operators: tuple[tables.Operator, ...]
    listings: tuple[Listing, ...]
    tools: tuple[tables.Tool, ...]
    standards: tuple[tables.Standard, ...]

    @property
    def accepted(self) -> bool:
        """Whether no gap is blocking."""
        return not any(gap.blocking for gap in self.gaps)

    @property
    def missing(self) -> frozenset[str]:
        """The names of the documents that are missing."""
        return frozenset(one.name for one in self.documents if one.sha256 is None)


def encoded(evidence: Evidence) -> str:
    """The text of `evidence.json`."""
    return msgspec.json.format(msgspec.json.encode(evidence), indent=1).decode() + "\n"


def decoded(text: str | bytes) -> Evidence:
    """The evidence in a text. Raises `UserError` when it is not as its schema says."""
    try:
        evidence = msgspec.json.decode(text, type=Evidence)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"evidence.json: {error}") from None
    if evidence.schema != SCHEMA:
        raise UserError(f"evidence.json: its schema is {evidence.schema!r}, not {SCHEMA!r}")
    return evidence


def json_schema() -> dict[str, Any]:
    """The JSON Schema of `evidence.json`; `evidence.schema.json` is this."""
    found = msgspec.json.schema(Evidence)
    found["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    found["$defs"]["Evidence"]["properties"]["schema"] = {"const": SCHEMA}
    return found


@cache
def validator() -> jsonschema.protocols.Validator:
    """Checks a value by the schema that is shipped."""
    text = resources.files(__package__).joinpath("evidence.schema.json").read_text("utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def missing_of(needs: tuple[str, ...], evidence: Evidence) -> tuple[str, ...]:
    """Which of the documents that something needs are missing."""
    return tuple(name for name in needs if name in evidence.missing)


def by_id(goals: tuple[inputs.Goal, ...]) -> Mapping[str, inputs.Goal]:
    """The goals by their ids."""
    return {goal.id: goal for goal in goals}
