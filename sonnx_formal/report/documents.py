"""What the report is made of: documents that commands write, and the files that they are about."""

import hashlib
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from sonnx_formal.check.document import CheckReport
from sonnx_formal.check.exhaustive_document import ExhaustiveReport
from sonnx_formal.core import documents
from sonnx_formal.core.documents import Count, Document, Part
from sonnx_formal.core.files import read_given
from sonnx_formal.evidence.certify import CertifiedProofs
from sonnx_formal.evidence.hypotheses import UseOfHypotheses
from sonnx_formal.evidence.mutation.mutate import Mutation
from sonnx_formal.evidence.stability import StabilityReport
from sonnx_formal.evidence.trust.base import TrustedBase
from sonnx_formal.evidence.vacuity import Vacuity
from sonnx_formal.kernels.document import KernelLibrary
from sonnx_formal.kernels.speed import KernelSpeeds
from sonnx_formal.kernels.targets import TargetRuns
from sonnx_formal.prover.document import ProofReport
from sonnx_formal.prover.provenance import MadeDocument
from sonnx_formal.prover.sources import texts_sha256
from sonnx_formal.report.trace.document import Trace
from sonnx_formal.vectors.manifest import Manifest


class InjectionEntry(Part, frozen=True):
    """Something that was done wrong on purpose."""

    injected: str
    guard: str
    """What is to catch it."""
    caught: bool
    said: str | UnsetType | None = UNSET
    """By the guard, with names of temporary files, so that the report leaves it out."""


class SelfTestSummary(Part, frozen=True):
    """How many there were, and how many were caught."""

    injections: Count
    caught: Count


class SelfTest(MadeDocument, frozen=True, tag="sonnx-formal/self-test/4"):
    """What was done wrong on purpose, and whether it was caught."""

    command = "self-test --json PATH"

    injections: tuple[InjectionEntry, ...]
    summary: SelfTestSummary


class ConfigurationItem(Document, frozen=True, tag="sonnx-formal/item/1"):
    """What the report is about, as the machine says that made it: nothing else tells the commit."""

    command = "report"

    version: str
    """Of sonnx-formal."""
    commit: str | None
    """Of the sources in version control; null where they are not under it."""
    changed: bool
    """Whether files in the folder are not those of the commit."""
    date: str | None
    """SOURCE_DATE_EPOCH as a date of UTC; null where it was not set."""


class Documents(Struct, frozen=True, rename="kebab"):
    """What the commands found; None where a document is missing."""

    item: ConfigurationItem | None = None
    vectors: Manifest | None = None
    prove: ProofReport | None = None
    check: CheckReport | None = None
    exhaustive: ExhaustiveReport | None = None
    kernels: KernelLibrary | None = None
    targets: TargetRuns | None = None
    kernel_speed: KernelSpeeds | None = None
    trace: Trace | None = None
    vacuity: Vacuity | None = None
    mutation: Mutation | None = None
    hypotheses: UseOfHypotheses | None = None
    certified: CertifiedProofs | None = None
    stability: StabilityReport | None = None
    trusted_base: TrustedBase | None = None
    self_test: SelfTest | None = None


class DocumentEntry(Part, frozen=True):
    """A document that the evidence was put together from, or that is missing."""

    name: str
    purpose: str
    command: str
    """What writes it for a release."""
    made: str | None
    """How this one was made, in words."""
    sha256: str | None
    """Of the document without what its parts took; null where it is missing."""
    needed: bool
    """Whether the evidence as a whole fails without it."""
    stale: str | None
    """Why what it says is not about what is here; null where it is."""

    @property
    def holds(self) -> bool:
        return self.sha256 is not None and self.stale is None


class SourceFile(Part, frozen=True):
    """A file, as it was."""

    path: str
    sha256: str
    bytes: int


MISSING = "missing-evidence"
"""The gap where a document is not there without which the evidence as a whole fails."""


_IN_FOLDER = re.compile(r"\{folder\}/([a-z-]+)")


class DocumentKind(Struct, frozen=True):
    name: str
    type: type[Document]
    arguments: str
    """Of the command, where {folder} is the folder of all documents."""
    purpose: str
    target: str = ""
    """Of `make`, where that writes it and not `sonnx-formal`."""
    absent: str = MISSING
    """The gap where it is not there."""

    @property
    def reads(self) -> frozenset[str]:
        """The other documents of the folder that its command reads."""
        return frozenset(_IN_FOLDER.findall(self.arguments)) - {self.name}

    @property
    def is_given(self) -> bool:
        """Whether no report makes it: it takes emulators, or says something of one machine."""
        return bool(self.target)

    def path(self, within: str = ".") -> Path:
        """Where it lies in a folder of documents; only vectors have a folder of their own."""
        place = Path(VECTORS, "manifest") if self.name == VECTORS else Path(within, self.name)
        return place.with_suffix(".json")

    def command(self, folder: str | Path = "DIR") -> list[str]:
        output = "" if self.name == VECTORS else f" --json {{folder}}/{self.path()}"
        arguments = f"{self.arguments}{output}".split()
        filled = [argument.format(folder=folder) for argument in arguments]
        if self.target:
            return ["make", self.target, f"ARGS={shlex.join(filled)}"]
        return ["sonnx-formal", *filled]

    def found(self, documents: Documents) -> "ReportDocument | None":
        document: ReportDocument | None = getattr(documents, self.name.replace("-", "_"))
        return document


ReportDocument = (
    Manifest | ProofReport | CheckReport | ExhaustiveReport | KernelLibrary | TargetRuns
    | KernelSpeeds | Trace | Vacuity | Mutation | UseOfHypotheses | CertifiedProofs
    | StabilityReport | TrustedBase | SelfTest
)  # fmt: skip
ITEM = "item.json"
VECTORS = "vectors"
PROVE = "prove"
KINDS = (
    DocumentKind(VECTORS, Manifest, "vectors -o {folder}/vectors", "test vectors and their hashes"),
    DocumentKind(PROVE, ProofReport, "prove --replay --families 2", "the verdict on each goal"),
    DocumentKind("check", CheckReport, "check --vectors {folder}/vectors",
                 "implementations against the definitions"),
    DocumentKind("exhaustive", ExhaustiveReport, "exhaustive --budget 0",
                 "all pairs of 16-bit floats, as far as they were judged"),
    DocumentKind("kernels", KernelLibrary, "kernels", "kernels in C, and what is proved of each"),
    DocumentKind("targets", TargetRuns, "", "kernels in C on other compilers and processors",
                 target="machines", absent="targets-not-run"),
    DocumentKind("kernel-speed", KernelSpeeds, "kernels", "the speed of kernels in C beside others",
                 target="bench", absent="speed-not-measured"),
    DocumentKind("trace", Trace, "trace --vectors {folder}/vectors --check {folder}/check.json "
                 "--proofs {folder}/prove.json",
                 "requirements, findings, and the links between everything"),
    DocumentKind("vacuity", Vacuity, "vacuity --budget 0",
                 "preconditions and hypotheses that may be contradictory"),
    DocumentKind("mutation", Mutation, "mutate --budget 0",
                 "wrong edits to the definitions, and what notices them"),
    DocumentKind("hypotheses", UseOfHypotheses, "hypotheses --budget 0",
                 "preconditions that no proof uses"),
    DocumentKind("certified", CertifiedProofs, "certify --budget 0",
                 "proofs that were written out and checked"),
    DocumentKind("stability", StabilityReport, "stability --budget 0",
                 "proofs that depend on seeds or names"),
    DocumentKind("trusted-base", TrustedBase, "trusted-base",
                 "what is believed without a proof"),
    DocumentKind("self-test", SelfTest, "self-test", "whether injected faults are noticed"),
)  # fmt: skip
"""Each may read those before it."""
GIVEN_KINDS = tuple(kind for kind in KINDS if kind.is_given)

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

_OF_A_RUN = {"seconds", "cached", "worker", "said"}
"""Of parts, not of the run as a whole (`made`): times, machines, names of temporary files."""


def read_documents(folder: Path, within: str = ".") -> Documents:
    """The documents of a folder, less `_OF_A_RUN`. Raises `UserError` when one is no such."""
    found = {
        kind.name: _less_the_run(msgspec.to_builtins(documents.read(path, kind.type)))
        for kind in KINDS
        if (path := folder / kind.path(within)).exists()
    }
    if (path := folder / within / ITEM).exists():
        found["item"] = msgspec.to_builtins(documents.read(path, ConfigurationItem))
    return msgspec.convert(found, Documents)


def sha256(text: str | bytes) -> str:
    """The hash of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def _less_the_run(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _less_the_run(each) for name, each in value.items() if name not in _OF_A_RUN}
    if isinstance(value, list | tuple):
        return [_less_the_run(each) for each in value]
    return value


def read_sources(root: Path) -> dict[str, bytes]:
    """The files, by their paths from the root. Raises `UserError` when one cannot be read."""
    paths = {
        path
        for folder, pattern in _GROUPS
        for path in (root / folder).glob(pattern)
        if not path.name.startswith(".")
    }
    return {path.relative_to(root).as_posix(): read_given(path) for path in sorted(paths)}


def library_sha256(sources: Mapping[str, bytes]) -> str:
    """The hash of the formal library alone, as the manifest of test vectors has it."""
    return texts_sha256(
        {path.removeprefix(LIBRARY): d for path, d in sources.items() if path.endswith(".mlw")}
    )
