"""A small registry, a library and evidence that fit each other; each test breaks one thing."""

from collections.abc import Sequence
from copy import copy
from typing import Any

from msgspec.structs import force_setattr

from sonnx_formal.check.document import CheckedBackend, CheckReport, MatrixRow, Verdict
from sonnx_formal.report.trace.document import GoalLink
from sonnx_formal.report.trace.inputs import TraceEvidence
from sonnx_formal.spec.requirements.entries import (
    CaseClass,
    Finding,
    Kind,
    Law,
    LawOver,
    Level,
    Requirement,
    Scaffolding,
    Status,
)
from sonnx_formal.spec.requirements.registry import Registry
from sonnx_formal.vectors.manifest import CaseEntry, FileEntry, Manifest, Origin
from tests.made import BEGUN, MADE

BOTH = ("cvc", "z3")
TEST = "tests/reference/test_new.py::test_new"


def goal(
    symbol: str, explanation: str = "", families: tuple[str, ...] = BOTH, piece: int = 1
) -> GoalLink:
    return GoalLink(f"{symbol}.{piece}", explanation, families)


FUNC = Requirement(
    "SONNX-NEW.FUNC",
    Kind.DEFINITION,
    "All of it",
    "C is A.",
    Status.FORMALISED,
    (Level.REAL, Level.IEEE_754),
    goals=("SONNX-NEW.FUNC", "ops/new.mlw:Facts.law"),
    vectors=(CaseClass.NOMINAL,),
    checks=(TEST,),
)
R1 = Requirement(
    "SONNX-NEW.R1",
    Kind.RESTRICTION,
    "All of it",
    "A is dense.",
    Status.FORMALISED,
    (),
    goals=("SONNX-NEW.R1",),
    departs=(),
    precondition=True,
    no_vector="A case has a result.",
    checks=(TEST,),
)
ACC = Requirement(
    "SONNX-NEW.ACC",
    Kind.ACCURACY,
    "All of it",
    "C is exact.",
    Status.PLANNED,
    (Level.IEEE_754,),
    gap="No bound yet.",
)
FINDING = Finding(
    id="FINDING-SONNX-NEW-1",
    document="SONNX-NEW",
    section="All of it",
    title="It says little",
    readings=("One.", "Two."),
    requirements=("SONNX-NEW.FUNC",),
    shown_by=("ops/new.mlw:Facts.counterexample",),
    sketch=None,
    not_shown="",
    decision="One.",
    proposal="Say one.",
)
LAW = Law(
    "new",
    "New is as one expects",
    (LawOver((Level.REAL, Level.INT), holds=True, shown_by=("scalar/laws.mlw:Laws.law",)),),
)
SCAFFOLDING = (
    Scaffolding("Witnesses.", files=("*witnesses.mlw",)),
    Scaffolding("A step.", goals=("ops/new.mlw:Facts.step",)),
)
GOALS = (
    goal("ops/new.mlw:New.new'vc", "SONNX-NEW.FUNC the same"),
    goal("ops/new.mlw:New.new'vc", "loop invariant", piece=2),
    goal("ops/new.mlw:Facts.law"),
    goal("ops/new.mlw:Facts.counterexample"),
    goal("ops/new.mlw:Facts.step"),
    goal("ops/new_witnesses.mlw:Witnesses.new'vc", "SONNX-NEW.R1 dense"),
    goal("scalar/other.mlw:Other.fact"),
    goal("scalar/laws.mlw:Laws.law"),
)


def unchecked(requirement: Requirement, **changes: Any) -> Requirement:
    """A requirement as no file of the registry may have it."""
    changed = copy(requirement)
    for name, value in changes.items():
        force_setattr(changed, name, value)
    return changed


def registry(
    *requirements: Requirement,
    findings: Sequence[Finding] = (FINDING,),
    laws: tuple[Law, ...] = (LAW,),
    scaffolding: tuple[Scaffolding, ...] = SCAFFOLDING,
) -> Registry:
    return Registry(
        {each.id: each for each in requirements}, tuple(findings), laws, ("ops",), scaffolding
    )


def manifest(*cases: tuple[str, str, tuple[str, ...]]) -> Manifest:
    """Of cases of Mul: element type, class, ids."""
    files = tuple(
        FileEntry(
            f"mul-{element_type}.npz",
            "mul",
            (element_type,),
            1,
            "0" * 64,
            (CaseEntry("x", CaseClass(class_), ids, {}, ()),),
        )
        for element_type, class_, ids in cases
    )
    return Manifest(Origin(0, "0" * 64, "0" * 64, {}), files)


VECTORS = manifest(
    ("float32", "nominal", ("SONNX-NEW.FUNC",)), ("real", "nominal", ("SONNX-NEW.FUNC",))
)


def checked(
    backend: str,
    element_type: str = "float32",
    not_passed: dict[str, Verdict] | None = None,
    counts: dict[Verdict, int] | None = None,
) -> MatrixRow:
    """What came of Mul over a type."""
    by_verdict = dict.fromkeys(Verdict, 0) | (counts or {})
    return MatrixRow("mul", element_type, backend, by_verdict, not_passed or {})


def crosscheck(*rows: MatrixRow) -> CheckReport:
    """NumPy is ours."""
    numpy = CheckedBackend("numpy", "1", ours=True, missing=None, required=True, failed=False)
    other = CheckedBackend("other", "1", ours=False, missing=None, required=False, failed=False)
    return CheckReport(MADE, None, (numpy, other), rows, (), None, (), (), (), ())


OURS = (checked("numpy"), checked("numpy", "real"))
CROSSCHECK = crosscheck(
    *OURS,
    checked("other", not_passed={"y": Verdict.DIVERGES}),
    checked("other", "real", counts={Verdict.NOT_SUPPORTED: 1}),
)
EVIDENCE = TraceEvidence(
    BEGUN, GOALS, VECTORS, CROSSCHECK, frozenset({TEST}), {"SONNX-NEW.R1": ("why3/ops/new.mlw",)}
)
REGISTRY = registry(FUNC, R1, ACC)
