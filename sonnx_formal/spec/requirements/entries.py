"""What may stand in the TOML files of the registry; where X-{A,B} stands for X-A and X-B, both."""

import itertools
import re
import tomllib
from collections.abc import Iterable, Iterator
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import force_setattr, replace

from sonnx_formal.core.documents import Part, Sha256
from sonnx_formal.core.errors import UserError

Text = Annotated[str, Meta(pattern=r"\S")]
DocumentName = Annotated[str, Meta(pattern="^[A-Z][A-Z0-9]*(-[A-Z0-9]+)+$")]
Symbol = Annotated[str, Meta(pattern=r"^[a-z0-9_/{},]+\.mlw:\S+\.\S+$")]
"""Goals of the formal library: `file.mlw:Module.goal`."""
Test = Annotated[str, Meta(pattern=r"^tests/[a-z0-9_/]+\.py::test_[a-z0-9_]+$")]
_ENTRY = re.compile(r"\$\.(?P<kind>\w+)\[(?P<number>\d+)\]\.?(?P<field>.*)")
_FINDING = re.compile(r"FINDING-(.+)-[1-9][0-9]*")
_ID = re.compile(r"[A-Z][A-Z0-9-]*(\.[A-Z][A-Z0-9_]*)+")
_IN_TEXT = re.compile(r"(?<!FINDING-)\b(?:S?ONNX|OV)-[A-Z0-9{},-]*[A-Z0-9}](?:\.[A-Z][A-Z0-9_]*)+")
_ITEM = re.compile(r"[A-Z][A-Z0-9_]*(\.[A-Z][A-Z0-9_]*)*")


def expanded(notation: str) -> tuple[str, ...]:
    """All that one notation stands for, in order: {A,B} is A, then B."""
    parts = re.split(r"\{([^{}]*)\}", notation)
    choices = [part.split(",") if n % 2 else [part] for n, part in enumerate(parts)]
    return tuple("".join(choice) for choice in itertools.product(*choices))


def all_expanded(notations: Iterable[str]) -> tuple[str, ...]:
    return tuple(each for notation in notations for each in expanded(notation))


def ids_in(text: str) -> set[str]:
    return set(all_expanded(found[0] for found in _IN_TEXT.finditer(text)))


class RegistryError(UserError, ValueError):
    """A file of the registry is not as it has to be: the message names the file and the entry."""


class Kind(StrEnum):
    """What a requirement is about."""

    RESTRICTION = "restriction"
    CONSTRAINT = "constraint"
    DEFINITION = "definition"
    TYPE = "type"
    ATTRIBUTE = "attribute"
    SHAPE = "shape"
    EXAMPLE = "example"
    ACCURACY = "accuracy"


class Level(StrEnum):
    """What the numbers are of which a requirement is claimed."""

    REAL = "real"
    INT = "int"
    MACHINE_INTEGER = "machine integer"
    IEEE_754 = "IEEE 754"
    C = "C"


class Status(StrEnum):
    """Whether the formal library states a requirement yet."""

    FORMALISED = "formalised"
    PLANNED = "planned"


class SketchOutcome(StrEnum):
    """What becomes of a sketch in Why3."""

    REJECTED = "rejected"
    PROVED = "proved"
    """All its goals are proved; they are what should not be provable."""


class CaseClass(StrEnum):
    """What a test vector is there to show."""

    NOMINAL = "nominal"
    EXAMPLE = "example"
    """A worked example of the source document."""
    BOUNDARY = "boundary"
    SPECIAL = "special"
    """Special values, each with each."""
    TIE = "tie"
    """Exact results half-way between two numbers of the format."""
    SUBNORMAL = "subnormal"
    OVERFLOW = "overflow"
    WRAP = "wrap"
    """Integer results that wrap around, or may."""
    ZERO_SIZE = "zero-size"
    RANK_0 = "rank-0"
    HAZARD = "hazard"
    """What kills some runtimes, as the least integer divided by -1."""
    RANDOM = "random"
    EXACT_SUM = "exact-sum"
    """Sums of floats that no order rounds."""
    CANCELLATION = "cancellation"
    """Great terms of a sum that cancel each other; two of them to zero or nearly so."""
    GROWTH = "growth"
    """Sums of up to 4096 products."""
    ORDER_DEPENDENT = "order-dependent"
    """Sums that overflow in some order and not in another."""
    BROADCAST = "broadcast"
    """Two shapes that are brought together."""
    AXIS = "axis"
    """The shape of B begins at a given axis of A."""
    REJECTED = "rejected"
    """Operands or attributes that the document excludes."""


class SourceDocument(Part, frozen=True):
    """A document that requirements are taken from, by its short name."""

    name: DocumentName
    title: Text
    text_sha256: Sha256
    """Of its text, which says which edition it was: the documents have no numbers for that."""


class Requirement(Part, frozen=True):
    """One requirement of one source document (in a file, of one or more), and what is linked."""

    id: Text
    """The document and the item: SONNX-MUL.R1."""
    kind: Kind
    section: Text
    text: Text
    """What it asks for, in our own words."""
    status: Status
    levels: tuple[Level, ...]
    """Of which numbers it is claimed, or is going to be. Empty where it is not about numbers."""
    departs: tuple[Level, ...] = ()
    """Where the definition decides against the text, as a finding says."""
    gap: Text = ""
    """If it is planned: what is missing."""
    goals: tuple[Text, ...] = ()
    """Of the formal library: `file.mlw:Module.goal`, for all pieces of that goal; or the id itself,
    for the goals that Why3 explains with it; or that of another requirement which is the same."""
    precondition: bool = False
    """Whether it is stated as a precondition, which operands have to meet."""
    vectors: tuple[CaseClass, ...] = ()
    """Classes of test vectors that exercise it."""
    no_vector: Text = ""
    """Why no vector can, if none can."""
    checks: tuple[Test, ...] = ()
    """Tests of the implementation."""
    alias: Text = ""
    """The tag that the document itself gives it: `E_ADD_INT_FUNC_0010`."""

    @property
    def document(self) -> str:
        return self.id.partition(".")[0]

    def __post_init__(self) -> None:
        match self.status:
            case Status.PLANNED:
                if not self.gap:
                    raise RegistryError("what is planned needs a gap, which says what is missing")
                if self.goals or self.vectors or self.no_vector or self.checks or self.precondition:
                    raise RegistryError("what is planned has no goals, vectors or checks yet")
            case Status.FORMALISED:
                if self.gap or not self.goals:
                    raise RegistryError("what is formalised has goals, and no gap")
                if bool(self.vectors) == bool(self.no_vector):
                    raise RegistryError("either vectors, or no_vector with the reason")
                if self.no_vector and not self.checks:
                    raise RegistryError("what no vector exercises needs checks")
        if not set(self.departs) <= set(self.levels):
            raise RegistryError("it departs from the text only where it is claimed")
        _require_distinct(levels=self.levels, vectors=self.vectors, checks=self.checks)

    def of_each(self, documents: list[str]) -> Iterator["Requirement"]:
        """The requirement of each document that the entry of a file is about."""
        identifiers, aliases = expanded(self.id), expanded(self.alias)
        if not self.alias:
            aliases *= len(identifiers)
        if len(aliases) != len(identifiers):
            raise RegistryError(f"{self.id}: {len(identifiers)} ids, and {len(aliases)} aliases")
        for identifier, alias in zip(identifiers, aliases, strict=True):
            document, _, item = identifier.partition(".")
            if document not in documents or not _ITEM.fullmatch(item):
                raise RegistryError(f"{identifier!r} is no id of {', '.join(documents)}")
            # Goals that are named by ids of the same documents are those of the one document.
            goals = all_expanded(
                goal.replace(f"{self.document}.", f"{document}.") for goal in self.goals
            )
            for goal in goals:
                if ":" not in goal and not _ID.fullmatch(goal):
                    raise RegistryError(f"{identifier}: {goal!r} is neither a symbol nor an id")
            if len(set(goals)) < len(goals):
                raise RegistryError(f"{identifier}: a goal is linked twice")
            yield replace(self, id=identifier, goals=goals, alias=alias)


class Sketch(Part, frozen=True):
    """The least text, of our own, that has the same flaw as the Why3 text of a document."""

    outcome: SketchOutcome
    text: Text
    message: str | None = None
    """In what Why3 says about a rejected one."""

    def __post_init__(self) -> None:
        if (self.outcome is SketchOutcome.REJECTED) != bool(self.message):
            raise RegistryError("a message of Why3 is given exactly where it rejects the sketch")


class Finding(Part, frozen=True):
    """An ambiguity or an error of a source document, and what was made of it."""

    id: Text
    """FINDING-SONNX-DIV-1."""
    document: DocumentName
    section: Text
    title: Text
    readings: tuple[Text, Text]
    """The two ways to read the document."""
    requirements: Annotated[tuple[Text, ...], Meta(min_length=1)]
    decision: Text
    proposal: Text
    """What we propose to the authors."""
    shown_by: tuple[Symbol, ...] = ()
    sketch: Sketch | None = None
    not_shown: Text = ""
    """Why there is no theorem, where there is none."""

    def __post_init__(self) -> None:
        match = _FINDING.fullmatch(self.id)
        if match is None or match[1] != self.document:
            raise RegistryError(f"no id of a finding on {self.document}")
        if bool(self.shown_by or self.sketch) == bool(self.not_shown):
            raise RegistryError("either shown_by or a sketch, or not_shown with the reason")
        _require_distinct(readings=self.readings, shown_by=self.shown_by)
        force_setattr(self, "requirements", all_expanded(self.requirements))
        force_setattr(self, "shown_by", all_expanded(self.shown_by))


class Divergence(Part, frozen=True):
    """What a runtime gives in the place of what the definition has: the smallest input found."""

    runtime: Text
    """As `sonnx-formal check` calls it."""
    version: Text
    """The one that was seen to do it."""
    operator: Text
    types: Annotated[tuple[Text, ...], Meta(min_length=1)]
    """The element types over which it is so, each with the same numbers."""
    operands: tuple[list[Any] | bool | int | float, ...]
    """Lists of elements; an element alone for an operand of rank 0."""
    got: list[Any] | Text
    """The elements of what came back, or the signal of which the process died."""
    what: Text
    """In words, what is wrong."""
    attributes: dict[str, Any] = msgspec.field(default_factory=dict)


class LeftOut(Part, frozen=True):
    """A statement of source documents that is no requirement here."""

    documents: Annotated[tuple[DocumentName, ...], Meta(min_length=1)]
    section: Text
    what: Text
    """In our own words."""
    reason: Text


class LawOver(Part, frozen=True):
    """Whether a law holds over numbers of some kind."""

    levels: Annotated[tuple[Level, ...], Meta(min_length=1)]
    holds: bool
    shown_by: Annotated[tuple[Symbol, ...], Meta(min_length=1)]
    """The theorem, or the counterexample."""
    remark: Text = ""
    """The counterexample in words; or why the theorem holds of these numbers."""

    def __post_init__(self) -> None:
        force_setattr(self, "shown_by", all_expanded(self.shown_by))


class Law(Part, frozen=True):
    """A law that one might expect of an operator."""

    operator: Text
    """What users call it: `conv`."""
    statement: Text
    over: Annotated[tuple[LawOver, ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        _require_distinct(levels=[level for each in self.over for level in each.levels])

    @property
    def name(self) -> str:
        return f"{self.operator}: {self.statement}"


class Scaffolding(Part, frozen=True):
    """Goals in the folders of the operators that need not serve a requirement."""

    reason: Text
    files: tuple[Text, ...] = ()
    """Patterns: `ops/*_witnesses.mlw`."""
    goals: tuple[Symbol, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.files) == bool(self.goals):
            raise RegistryError("either files or goals")
        force_setattr(self, "goals", all_expanded(self.goals))

    def covers(self, symbol: str) -> bool:
        file = symbol.partition(":")[0]
        return symbol in self.goals or any(fnmatchcase(file, pattern) for pattern in self.files)


class RegistryFile(Part, frozen=True):
    """A file: all that there is to say of an operator may be in one."""

    document: tuple[SourceDocument, ...] = ()
    requirement: tuple[Requirement, ...] = ()
    finding: tuple[Finding, ...] = ()
    law: tuple[Law, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    divergence: tuple[Divergence, ...] = ()
    folders: tuple[Text, ...] = ()
    """Of the formal library, whose goals have to serve a requirement."""
    scaffolding: tuple[Scaffolding, ...] = ()

    def __post_init__(self) -> None:
        documents = [document.name for document in self.document]
        requirements = [each for entry in self.requirement for each in entry.of_each(documents)]
        force_setattr(self, "requirement", tuple(requirements))
        identifiers = [finding.id for finding in self.finding]
        for identifier in identifiers:
            if identifiers.count(identifier) > 1:
                raise RegistryError(f"{identifier} is there twice")


def parse(name: str, text: str) -> RegistryFile:
    """What is in a file. Raises `ValueError`, which names the file, the entry and the field."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RegistryError(f"{name}: {error}") from None
    try:
        return msgspec.convert(table, RegistryFile)
    except msgspec.ValidationError as error:
        message, _, path = str(error).rpartition(" - at `")
        if not (place := _ENTRY.match(path.rstrip("`"))):
            raise RegistryError(f"{name}: {error}") from None
        number = int(place["number"])
        identifier = table[place["kind"]][number].get("id", f"{place['kind']} {number + 1}")
        where = ": ".join(filter(None, [name, identifier, place["field"]]))
        raise RegistryError(f"{where}: {message}") from None


def _require_distinct(**lists: Iterable[str]) -> None:
    for name, values in lists.items():
        if len(set(values)) < len(list(values)):
            raise RegistryError(f"{name}: something is there twice")
