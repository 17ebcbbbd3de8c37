"""A small report: real sources, certificate and vectors, and documents made up around them."""

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from sonnx_formal.core.documents import encode
from sonnx_formal.evidence.records import decode_lines
from sonnx_formal.prover.certificate import certificate_of
from sonnx_formal.prover.provers import FAMILIES
from sonnx_formal.report import bundle, draw_pdf, evidence, gaps, pdf
from sonnx_formal.report import documents as report_documents
from sonnx_formal.report.documents import (
    CERTIFICATE,
    GOAL_RECORDS,
    library_sha256,
    read_documents,
    read_sources,
    sha256,
)
from sonnx_formal.report.evidence import Evidence
from sonnx_formal.report.item import configuration_item
from sonnx_formal.report.views import page
from sonnx_formal.spec.catalogue import selected
from sonnx_formal.vectors.folder import make
from sonnx_formal.vectors.manifest import manifest_sha256
from tests.made import AS_JSON

REPOSITORY = Path(__file__).parents[2]
Documents = dict[str, dict[str, Any]]
EDIT = {"module": "M", "definition": "d", "part": "body", "start": 0, "end": 1, "replacement": ""}
"""Where a mutant is edited."""


DRAWN: dict[tuple[bytes, datetime], bytes] = {}
_REQUIREMENTS = '<section aria-labelledby="requirements">'


def beginning(evidence: Evidence, *, paper: bool) -> str:
    """The page without its long sections, which take half a minute to be drawn."""
    text = page(evidence, paper=paper)
    return text[: text.index(_REQUIREMENTS)] + text[text.index("</main>") :]


def drawn(evidence: Evidence, moment: datetime) -> bytes:
    """The PDF of the same evidence and date is the same (`test_commands`): it is drawn once."""
    key = (encode(evidence), moment)
    if key not in DRAWN:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(draw_pdf, "page", beginning)
            DRAWN[key] = draw_pdf.draw(evidence, moment)
    return DRAWN[key]


@pytest.fixture(scope="session")
def drawn_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (pdf, bundle):
            patch.setattr(module, "pdf", drawn)
        yield


@pytest.fixture(scope="session", autouse=True)
def read_once() -> Iterator[None]:
    """The certificate and the records take a second, and are the same in most tests.

    So are the sources, each of which has its hash.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence, "sha256", lru_cache(maxsize=1024)(sha256))
        patch.setattr(gaps, "certificate_of", cache(certificate_of))
        patch.setattr(gaps, "decode_lines", cache(decode_lines))
        yield


def quiet(*_said: object) -> None:
    """Where a function wants to say what it does."""


def typed(documents: Documents) -> report_documents.Documents:
    """As the report has them."""
    return msgspec.convert(documents, report_documents.Documents)


def of_certificate(sources: dict[str, bytes], count: int) -> dict[str, Any]:
    """A run that proved goals of the certificate as it records, the first with written proofs."""
    certificate = json.loads(sources[CERTIFICATE])
    written = recorded_proofs(sources)
    goals = []
    chosen = [each for each in certificate["goals"].items() if each[1]["task_sha256"] in written]
    for place, (name, recorded) in enumerate(chosen[:count], 1):
        file, _, rest = name.partition(":")
        module, goal, _ = rest.split(".")
        by_family: dict[str, dict[str, Any]] = {}
        for proof in recorded["proofs"]:
            family = FAMILIES[proof["prover"]]
            made = {"family": family, "seconds": 0.5, "cached": False}
            proof.pop("failed", None)  # of repetitions, which a run knows nothing of
            if proof.pop("from_core", False):
                made["core"] = recorded["core"]
            by_family.setdefault(family, {**proof, **made})
        # As a replay of two families has it, but for the last goal, which has one proof.
        proofs = [*by_family.values()][: 1 if place == count else None]
        goals.append(
            {
                "id": name,
                "file": file,
                "module": module,
                "name": goal,
                "explanation": "SONNX-MUL.R1 same shape",
                "location": {"file": file, "line": 20, "column": 0},
                "task_sha256": recorded["task_sha256"],
                "verdict": "proved",
                "rests_on": None,
                "reason": "",
                "proofs": proofs,
                "attempts": [],
            }
        )
    provers = [{"name": n, "version": "1", "family": f} for n, f in FAMILIES.items()]
    two = sum(len({proof["family"] for proof in goal["proofs"]}) > 1 for goal in goals)
    totals = {
        "goals": count,
        "proved": count,
        "conditional": 0,
        "unproved": 0,
        "open": 0,
        "two_families": two,
    }
    return {
        "schema": "sonnx-formal/prove/4",
        "made": made_of(sources) | {"mode": "replay", "files": [], "families": 2, "from_cache": 0},
        "why3": certificate["why3"],
        "provers": provers,
        "goals": goals,
        "rests_on": [],
        "summary": {**totals, "interrupted": False, "disagreement": None},
    }


def made_of(sources: dict[str, bytes]) -> dict[str, Any]:
    """How the documents are made that are of these sources."""
    return AS_JSON | {"library_sha256": library_sha256(sources)}


def recorded_proofs(sources: dict[str, bytes]) -> dict[str, Any]:
    """The written proofs that were checked independently, by the text of the goal."""
    lines = (
        json.loads(line)
        for path, data in sources.items()
        if path.startswith(GOAL_RECORDS)
        for line in data.splitlines()
    )
    known = {line["task"]: line.get("certified", {}) for line in lines}
    return {text: proof for text, proof in known.items() if proof.get("complete")}


def trace_of(goal: str, made: dict[str, Any]) -> dict[str, Any]:
    linked = {"id": goal, "explanation": "same shape", "families": ["cvc", "z3"]}
    common = {
        "document": "SONNX-MUL",
        "section": "Restrictions",
        "kind": "restriction",
        "departs": [],
        "precondition": False,
        "vectors": [{"class": "nominal", "cases": 7}],
        "no_vector": None,
        "confirmed_by": [
            {"implementation": "numpy", "combinations": 1, "of": 1},
            {"implementation": "other", "combinations": 1, "of": 1},
        ],
        "tests": ["tests/a.py::test_a"],
    }
    formalised = {
        **common,
        "id": "SONNX-MUL.R1",
        "text": "A and B have `one` shape.",
        "status": "formalised",
        "levels": ["IEEE 754"],
        "proof": "proved by two families",
        "ladder": ["proved by one family", "proved by two families"],
        "goals": [linked],
        "findings": ["FINDING-SONNX-MUL-1"],
        "gaps": [],
    }
    planned = {
        **common,
        "id": "SONNX-MUL.ACC",
        "text": "Accuracy.",
        "status": "planned",
        "levels": [],
        "proof": "planned",
        "ladder": ["planned"],
        "goals": [],
        "vectors": [],
        "confirmed_by": [],
        "findings": [],
        "gaps": ["planned: there is no bound yet."],
    }
    finding = {
        "id": "FINDING-SONNX-MUL-1",
        "document": "SONNX-MUL",
        "section": "Types",
        "title": "Two readings",
        "readings": ["one", "the other"],
        "requirements": ["SONNX-MUL.R1"],
        "proof": "proved by two families",
        "goals": [linked],
        "sketch": {"outcome": "rejected", "text": "let f x = x < y", "message": "unbound y"},
        "not_shown": None,
        "decision": "The first.",
        "proposal": "Say so.",
    }
    law = {
        "operator": "mul",
        "statement": "A * B = B * A",
        "over": [
            {"levels": ["real"], "holds": True, "proof": "unproved", "goals": [], "remark": ""},
            {
                "levels": ["IEEE 754"],
                "holds": False,
                "proof": "proved by two families",
                "goals": [linked],
                "remark": "Made up.",
            },
        ],
    }
    return {
        "schema": "sonnx-formal/trace/4",
        "made": made,
        "state": "whole",
        "not_given": [],
        "documents": [{"id": "SONNX-MUL", "title": "SONNX Mul", "text_sha256": "0" * 64}],
        "requirements": [formalised, planned],
        "findings": [finding],
        "laws": [law],
        "left_out": [],
        "errors": [],
    }


def tensor(value: str) -> dict[str, Any]:
    return {"element_type": "int8", "shape": [1], "decimal": [value], "bits": ["0x01"]}


def known(standing: str, now: str = "") -> dict[str, Any]:
    """A divergence on record."""
    return {
        "backend": "other",
        "version": "1",
        "operator": "mul",
        "element_type": "int8",
        "what": "saturates",
        "crash": None,
        "example": {
            "found_in": "recorded of other",
            "operands": [{"name": "A", **tensor("127")}, {"name": "B", **tensor("2")}],
            "attributes": {},
            "violated": None,
            "expected": tensor("-2"),
            "got": tensor("127"),
            "index": [0],
        },
        "standing": standing,
        "now": now,
    }


def check(made: dict[str, Any], manifest_sha256: str) -> dict[str, Any]:
    verdicts = ["pass", "diverges", "refuses", "crashes", "not judged", "not supported"]
    backends = [
        {"name": name, "version": "1", "ours": ours, "missing": None}
        | {"required": False, "failed": False}
        for name, ours in (("reference", True), ("other", False))
    ]
    example = {
        "found_in": "mul-int8-nominal-0001",
        "operands": [{"name": "A", **tensor("1")}, {"name": "B", **tensor("2")}],
        "attributes": {},
        "violated": None,
        "expected": tensor("2"),
        "got": tensor("3"),
        "index": [0],
    }
    departure = {
        "backend": "other",
        "operator": "mul",
        "element_type": "int8",
        "verdict": "diverges",
        "kind": "another element",
        "admissible": True,
        "cases": 1,
        "elements": 1,
        "example": example,
    }
    return {
        "schema": "sonnx-formal/check/5",
        "made": made,
        "manifest_sha256": manifest_sha256,
        "exhaustive": [],
        "backends": backends,
        "matrix": [
            {
                "backend": each["name"],
                "operator": "mul",
                "element_type": "int8",
                "counts": dict.fromkeys(verdicts, 0) | {"pass": 7, "diverges": wrong},
                "not_passed": {},
            }
            for each, wrong in zip(backends, (0, 1), strict=True)
        ],
        "accumulate": None,
        "errors": [
            {
                "backend": "other",
                "operator": "matmul",
                "element_type": "float16",
                "products": products,
                "elements": 3,
                "outside": 0,
                "of_bound": 0.25,
                "relative": 1e-4 * products,
                "relative_bound": 4e-4 * products,
                "last_places": 1.5,
            }
            for products in (2, 64, 4096)
        ],
        "findings": [departure],
        "probes": [],
        "known": [known("as recorded", "diverges: another element")],
    }


def other_documents(goals: list[dict[str, Any]], sources: dict[str, bytes]) -> Documents:
    written = recorded_proofs(sources)
    counts = {
        "all": 1,
        "distinct": 1,
        "contradictory": 0,
        "consistent": 1,
        "inconclusive": 0,
        "not_asked": 0,
    }
    made = made_of(sources)
    tools = {"Why3": "1", "z3": "1"}
    shown = made | {"tools": tools, "mode": "normal", "files": [], "budget": 0}
    vacuity = {
        "made": shown,
        "hypotheses": [],
        "preconditions": [{"name": "a", "preconditions": 1, "witnesses": ["b"]}],
        "parameters": [],
        "summary": {
            "contexts": counts,
            "goals": counts,
            "unaccounted": [],
            "stale_dispositions": [],
            "interrupted": False,
            "good": True,
        },
    }
    tally: dict[str, Any] = {"mutants": 2, "killed": 2, "survived": 0, "untried": 0, "score": 1.0}
    tally |= {"equivalent": 0, "implied": 0, "invalid": 0}
    mutation = {
        "made": shown,
        "threshold": 0.95,
        "sample": {"size": 300, "seed": 1},
        "folders": [{"folder": "ops", "all": 3, "interval": [0.34, 1.0], "good": True, **tally}],
        "files": [{"file": "ops/mul/definition.mlw", **tally}],
        "mutants": [],
        "summary": {
            **tally,
            "unexplained": [],
            "stale_dispositions": [],
            "interrupted": False,
            "good": True,
        },
    }
    certified = {
        "made": shown,
        "checker": None,
        "goals": [
            {**written[goal["task_sha256"]], "id": goal["id"], "task_sha256": goal["task_sha256"]}
            for goal in goals
        ],
        "interrupted": False,
    }
    stability = {
        "made": shown,
        "seeds": [1, 2],
        "files": [{"file": "m.mlw", "proofs": 2, "stable": 2, "unstable": 0, "untried": 0}],
        "unstable": [],
        "without_stable_proof": [],
        "interrupted": False,
    }
    granted = {"module": "m", "kind": "type", "name": "t", "line": 1, "reason": "generic"}
    assumed = {
        "module": "kernels/words.mlw:Words",
        "kind": "val",
        "name": "plus",
        "line": 2,
        "assumed": True,
        "reason": "sums of words wrap",
        "detected_by": "kernels that are run",
    }
    trusted = {
        "made": made,
        "granted": [granted, assumed],
        "theories": [],
        "drivers": [],
        "tools": [],
        "assumptions": [],
        "differences": [],
    }
    hypotheses: dict[str, Any] = {
        "made": shown,
        "preconditions": [],
        "obsolete_reasons": [],
        "not_tried": 0,
        "interrupted": False,
    }
    kernels = {
        "made": made,
        "why3": "1.5.1",
        "compiler": "cc 12.2.0",
        "options": ["-std=c11"],
        "files": [{"name": "sonnx.c", "size": 9, "sha256": "a" * 64}],
        "kernels": [
            {
                "operator": "mul",
                "type": "int8",
                "requirement": "SONNX-MUL.FUNC",
                "standing": "proved",
                "module": "kernels.mul.MulInt8",
                "function": "sonnx_mul_int8",
            }
        ],
    }
    result = {"contracts": False, "seconds": 4.5, "stack": 720}
    target: dict[str, Any] = {
        "name": "gcc -O3",
        "compiler": "gcc 12",
        "options": ["-std=c11", "-O3"],
    }
    target |= {"emulator": None}
    other = target | {"name": "s390x -O0", "compiler": "s390x-gcc 12", "emulator": "qemu 7"}
    other |= {"options": ["-std=c11", "-O0", "-fexcess-precision=fast"]}
    targets: dict[str, Any] = {
        "made": made,
        "sonnx_c_sha256": "a" * 64,
        "architecture": "x86_64",
        "seed": 0,
        "questions": 1200,
        "functions": 66,
        "targets": [target | {"result": result}, other | {"result": dict(result)}],
        "left_out": [],
    }
    speed = {
        "made": made,
        "sonnx_c_sha256": "a" * 64,
        "compiler": "cc 12.2.0",
        "options": ["-O3"],
        "tools": {"numpy": "2.4"},
        "processor": "a processor",
        "runs": 7,
        "works": [
            {
                "title": "MatMul, 512 rows and columns",
                "products": 400,
                "speeds": [
                    {"implementation": "libsonnx", "rate": 4000, "same_bits": True, "seconds": 0.1},
                    {"implementation": "others", "rate": 6000, "same_bits": False, "seconds": 0.2},
                ],
            }
        ],
    }
    number = {"decimal": "1", "bits": "0x3c00"}
    wrong = dict.fromkeys(("a", "b", "expected", "got"), number)
    sweep: dict[str, Any] = {
        "key": {
            "backend": "reference",
            "version": "1",
            "operator": "mul",
            "element_type": "float16",
            "libsonnx_sha256": "a" * 64,
            "program_sha256": "b" * 64,
            "packages": {},
        },
        "ours": True,
        "blocks": 1024,
        "judged": 1024,
        "from_state": 0,
        "classes": [{"agreement": "the same bits", "pairs": 1 << 32, "smallest": None}],
        "not_judged": [],
    }
    runtime = copy.deepcopy(sweep)
    runtime["key"]["backend"] = "onnxruntime"
    runtime["ours"] = False
    runtime["classes"].append({"agreement": "further off", "pairs": 2, "smallest": wrong})
    exhaustive = {"made": made, "sweeps": [sweep, runtime], "interrupted": False}
    return {
        "exhaustive": {"schema": "sonnx-formal/exhaustive/3", **exhaustive},
        "kernels": {"schema": "sonnx-formal/kernels/2", **kernels},
        "targets": {"schema": "sonnx-formal/targets/2", **targets},
        "kernel-speed": {"schema": "sonnx-formal/kernel-speed/3", **speed},
        "vacuity": {"schema": "sonnx-formal/vacuity/5", **vacuity},
        "mutation": {"schema": "sonnx-formal/mutation/6", **mutation},
        "hypotheses": {"schema": "sonnx-formal/hypotheses/5", **hypotheses},
        "certified": {"schema": "sonnx-formal/certified/5", **certified},
        "stability": {"schema": "sonnx-formal/stability/4", **stability},
        "self-test": {
            "schema": "sonnx-formal/self-test/4",
            "made": made,
            "injections": [{"injected": "a lie", "guard": "g", "caught": True, "said": "/tmp/x"}],
            "summary": {"injections": 1, "caught": 1},
        },
        "trusted-base": {"schema": "sonnx-formal/trusted-base/5", **trusted},
    }


@pytest.fixture(scope="session")
def sources() -> dict[str, bytes]:
    return read_sources(REPOSITORY)


@pytest.fixture(scope="session")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Vectors of Mul over int8, whose results the definitions give."""
    folder = tmp_path_factory.mktemp("made") / "vectors"
    make(selected(["mul"], ["int8"]), 0, folder, quiet)
    return folder


@pytest.fixture(scope="session")
def whole(sources: dict[str, bytes], vectors: Path) -> Documents:
    """Every document, and nothing wrong in any."""
    prove = of_certificate(sources, 12)
    goals = prove["goals"]
    manifest = json.loads((vectors / "manifest.json").read_text())
    return {
        "vectors": manifest,
        "prove": prove,
        "check": check(made_of(sources), manifest_sha256(vectors)),
        "trace": trace_of(goals[0]["id"], made_of(sources)),
        **other_documents(goals, sources),
    }


@pytest.fixture
def documents(whole: Documents) -> Documents:
    """The same, to be changed by a test."""
    return copy.deepcopy(whole)


Write = Callable[[Documents], Path]


@pytest.fixture
def written(tmp_path: Path, vectors: Path) -> Write:
    """Documents as the commands write them, in a folder for --from."""

    def write(documents: Documents) -> Path:
        folder = tmp_path / "documents"
        shutil.copytree(vectors, folder / "vectors")
        for name, document in documents.items():
            if name != "vectors":
                (folder / f"{name}.json").write_text(json.dumps(document))
        return folder

    return write


@pytest.fixture(scope="session")
def made(
    drawn_once: None,
    whole: Documents,
    sources: dict[str, bytes],
    vectors: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A report. To be read: a test that changes it takes a copy."""
    folder = tmp_path_factory.mktemp("made") / "report"
    given = tmp_path_factory.mktemp("made") / "documents"
    shutil.copytree(vectors, given / "vectors")
    for name, document in whole.items():
        if name != "vectors":
            (given / f"{name}.json").write_text(json.dumps(document))
    documents = replace(read_documents(given), item=configuration_item(REPOSITORY))
    bundle.write_bundle(folder, documents, sources, vectors, quiet)
    return folder
