"""What the trace reads: goals, cross-checks, sources."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from sonnx_formal.core.documents import tag
from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.certificate import Certificate
from sonnx_formal.prover.goals import Goals
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.sources import library_sha256, library_sources
from sonnx_formal.report.trace.document import GoalLink
from sonnx_formal.report.trace.inputs import ids_used, names_of_tests, read_crosscheck, stated_goals
from tests.made import AS_JSON
from tests.report.trace.made_up import ACC, FINDING, FUNC, R1, registry

LIBRARY = """\
module M
  use int.Int
  let f (x: int) : int
    ensures { [@expl:SONNX-NEW.C1 the same] result = x }
    ensures { result <= x }
  = x
end
"""


VERDICTS = ["pass", "within bound", "diverges", "refuses", "crashes", "not judged", "not supported"]
HASH = "5" * 64


def crosscheck(element_type: str = "int8", **changes: Any) -> dict[str, Any]:
    """What `check --json` writes of one implementation."""
    row = {
        "backend": "other",
        "operator": "mul",
        "element_type": element_type,
        "counts": dict.fromkeys([*VERDICTS, "not installed"], 0),
        "not_passed": {},
    }
    return {
        "schema": "sonnx-formal/check/5",
        "made": AS_JSON,
        "exhaustive": [],
        "manifest_sha256": HASH,
        "backends": [],
        "matrix": [row | changes],
        "accumulate": None,
        "errors": [],
        "findings": [],
        "probes": [],
        "known": [],
    }


def written(folder: Path, value: Mapping[str, Any]) -> Path:
    path = folder / "check.json"
    path.write_text(json.dumps(value))
    return path


@pytest.mark.parametrize("verdict", ["diverges", "refuses", "crashes", "not judged"])
def test_cases_that_did_not_pass(tmp_path: Path, verdict: str) -> None:
    path = written(tmp_path, crosscheck(not_passed={"one": verdict}))
    assert read_crosscheck(path, HASH).matrix[0].not_passed == {"one": verdict}


@pytest.mark.parametrize("other", ["6" * 64, None])
def test_a_cross_check_of_other_vectors(tmp_path: Path, other: str | None) -> None:
    path = written(tmp_path, crosscheck() | {"manifest_sha256": other})
    with pytest.raises(UserError, match="not of these test vectors: check them with"):
        read_crosscheck(path, HASH)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, r"check\.json: No such file or directory: write it anew with `sonnx-formal check"),
        ("{", r"check\.json is not JSON: .*: write it anew with `sonnx-formal check --vectors DIR"),
        ("{}", r"check\.json: its schema is None, not 'sonnx-formal/check/5': write it anew"),
        ("[" * 100_000, r"check\.json is no sonnx-formal/check/5: "),
    ],
)
def test_files_that_are_no_cross_check(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "check.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match=message):
        read_crosscheck(path, HASH)


# --- Goals ---


def library(folder: Path, proofs: Mapping[str, Any]) -> Path:
    """A library of one file, with a certificate."""
    (folder / "ops").mkdir()
    (folder / "ops/m.mlw").write_text(LIBRARY)
    certificate = {"why3": "1", "library_sha256": "0" * 64, "goals": proofs, "unsplit": {}}
    certificate |= {"schema": tag(Certificate)}
    (folder / "proofs.json").write_text(json.dumps(certificate))
    return folder


def recorded(sha256: str, *provers: str) -> dict[str, Any]:
    fields = {"version": "1", "steps": 1}
    return {"task_sha256": sha256, "proofs": [{"prover": each} | fields for each in provers]}


def run_of(folder: Path, sha256: str) -> dict[str, Any]:
    """What `prove --json` writes of one goal."""
    made = {"mode": "replay", "files": [], "families": 1, "from_cache": 0}
    proof = {"prover": "z3", "version": "1", "family": "z3"}
    return {
        "schema": "sonnx-formal/prove/4",
        "made": AS_JSON | {"library_sha256": library_sha256(folder), **made},
        "why3": "1",
        "provers": [],
        "goals": [
            {
                "id": "ops/m.mlw:M.f'vc.1",
                "file": "ops/m.mlw",
                "module": "M",
                "name": "f'vc",
                "explanation": "",
                "location": {"file": "ops/m.mlw", "line": 1, "column": 0},
                "task_sha256": sha256,
                "verdict": "proved",
                "rests_on": None,
                "reason": "",
                "proofs": [proof | {"seconds": 0, "steps": 1, "cached": False}],
                "attempts": [],
            }
        ],
        "rests_on": [],
        "summary": {
            "goals": 1,
            "proved": 1,
            "conditional": 0,
            "unproved": 0,
            "open": 0,
            "two_families": 0,
            "interrupted": False,
            "disagreement": None,
        },
    }


def all_goals(folder: Path, run: Path | None = None) -> tuple[GoalLink, ...]:
    return stated_goals(folder, run, 1, lambda _: True)


def sha256_of_the_first(folder: Path) -> str:
    """Of the text of the first goal."""
    return Goals(find_why3(), folder, None).read(library_sources(folder), 1)[0].task.sha256


def test_goals_of_a_library(tmp_path: Path) -> None:
    folder = library(tmp_path, {})
    text = sha256_of_the_first(folder)
    proofs = {
        "ops/m.mlw:M.f'vc.1": recorded(text, "cvc5", "cvc4", "z3"),
        "ops/m.mlw:M.f'vc.2": recorded("0" * 64, "z3"),
    }
    certificate = {"why3": "1", "library_sha256": "0" * 64, "goals": proofs, "unsplit": {}}
    certificate |= {"schema": tag(Certificate)}
    (folder / "proofs.json").write_text(json.dumps(certificate))
    first, second = all_goals(folder)
    assert (first.id, first.symbol) == ("ops/m.mlw:M.f'vc.1", "ops/m.mlw:M.f'vc")
    assert first.explained_by == {"SONNX-NEW.C1"}
    assert first.families == ("cvc", "z3")
    assert second.families == ()  # another text was proved
    assert second.explained_by == set()


def test_two_provers_of_one_family_are_one(tmp_path: Path) -> None:
    folder = library(tmp_path, {})
    proofs = {"ops/m.mlw:M.f'vc.1": recorded(sha256_of_the_first(folder), "cvc5", "cvc4")}
    certificate = {"why3": "1", "library_sha256": "0" * 64, "goals": proofs, "unsplit": {}}
    certificate |= {"schema": tag(Certificate)}
    (folder / "proofs.json").write_text(json.dumps(certificate))
    assert all_goals(folder)[0].families == ("cvc",)


def test_goals_of_a_run(tmp_path: Path) -> None:
    folder = library(tmp_path, {})
    path = tmp_path / "prove.json"
    path.write_text(json.dumps(run_of(folder, "0" * 64)))
    (goal,) = all_goals(folder, path)
    assert (goal.id, goal.families) == ("ops/m.mlw:M.f'vc.1", ("z3",))


def test_a_proof_from_what_is_not_proved(tmp_path: Path) -> None:
    folder = library(tmp_path, {})
    (folder / "ops/m.mlw").write_text("""\
module M
  use int.Int
  lemma wrong: forall x. x > 0
  lemma from_it: 0 > 1
end
""")
    wrong, from_it = Goals(find_why3(), folder, None).read(library_sources(folder), 1)
    proofs = {from_it.id: recorded(from_it.task.sha256, "cvc5", "z3")}
    certificate = {"why3": "1", "library_sha256": "0" * 64, "goals": proofs, "unsplit": {}}
    certificate |= {"schema": tag(Certificate)}
    (folder / "proofs.json").write_text(json.dumps(certificate))
    first, second = all_goals(folder)
    assert (first.families, first.rests_on) == ((), None)
    assert (second.families, second.rests_on) == ((), wrong.id)
    run = run_of(folder, "0" * 64)
    run["goals"][0] |= {"verdict": "conditional", "rests_on": wrong.id}
    path = tmp_path / "prove.json"
    path.write_text(json.dumps(run))
    (goal,) = all_goals(folder, path)
    assert (goal.families, goal.rests_on) == ((), wrong.id)


def test_what_a_run_was_not_about_is_unproved(tmp_path: Path) -> None:
    folder = library(tmp_path, {})
    (folder / "ops/other.mlw").write_text(LIBRARY)
    run = run_of(folder, "0" * 64)
    run["made"]["files"] = ["ops/m.mlw"]
    path = tmp_path / "prove.json"
    path.write_text(json.dumps(run))
    proved, *others = all_goals(folder, path)
    assert proved.families == ("z3",)
    assert {(each.symbol, each.families) for each in others} == {("ops/other.mlw:M.f'vc", ())}


def test_run_of_other_sources(tmp_path: Path) -> None:
    folder = library(tmp_path, {})
    path = tmp_path / "prove.json"
    path.write_text(json.dumps(run_of(folder, "0" * 64)))
    (folder / "ops/m.mlw").write_text(LIBRARY + "\n")
    with pytest.raises(UserError, match="of other formal sources than those here: `sonnx-formal p"):
        all_goals(folder, path)


def test_only_the_files_of_the_trace_are_read(tmp_path: Path) -> None:
    folder = library(tmp_path, {})
    (folder / "scalar").mkdir()
    for name in ("linked", "other"):
        (folder / f"scalar/{name}.mlw").write_text(LIBRARY)
    linked = structs.replace(FINDING, shown_by=("scalar/linked.mlw:M.f'vc",))
    chosen = registry(FUNC, R1, ACC, findings=(linked,)).has_goals_in
    assert {each.symbol for each in stated_goals(folder, None, 1, chosen)} == {
        "ops/m.mlw:M.f'vc",
        "scalar/linked.mlw:M.f'vc",
    }


def test_a_library_without_a_certificate(tmp_path: Path) -> None:
    (library(tmp_path, {}) / "proofs.json").unlink()
    with pytest.raises(UserError, match=r"proofs\.json is missing: .* `sonnx-formal prove`"):
        all_goals(tmp_path)


# --- Sources ---


def test_ids_in_sources(tmp_path: Path) -> None:
    (tmp_path / "why3/ops").mkdir(parents=True)
    (tmp_path / "sonnx_formal").mkdir()
    (tmp_path / "why3/ops/m.mlw").write_text("[@expl:SONNX-{MUL,DIV}.R1 x]")
    (tmp_path / "sonnx_formal/a.py").write_text('"SONNX-MUL.R1 and ONNX-MUL-6.ATTR.AXIS"')
    (tmp_path / "sonnx_formal/a.txt").write_text("SONNX-MUL.R9")
    assert ids_used(tmp_path) == {
        "SONNX-MUL.R1": ("sonnx_formal/a.py", "why3/ops/m.mlw")[::-1],
        "SONNX-DIV.R1": ("why3/ops/m.mlw",),
        "ONNX-MUL-6.ATTR.AXIS": ("sonnx_formal/a.py",),
    }


def test_tests_in_sources(tmp_path: Path) -> None:
    (tmp_path / "tests/a").mkdir(parents=True)
    (tmp_path / "tests/a/test_b.py").write_text(
        "def test_one(): ...\ndef helper():\n    def test_two(): ...\n# def test_three(): ...\n"
    )
    (tmp_path / "tests/a/other.py").write_text("def test_four(): ...\n")
    assert names_of_tests(tmp_path) == {"tests/a/test_b.py::test_one"}


def test_a_test_file_with_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_b.py").write_text("def test_one(:\n")
    with pytest.raises(UserError, match=r"test_b\.py:1: "):
        names_of_tests(tmp_path)
