"""The command `lint`: what it says, what it writes, how it ends."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import onnx
import pytest

from sonnx_formal.core import documents
from sonnx_formal.lint.examination import Examination, Examinations
from sonnx_formal.spec.requirements.registry import requirement
from tests.lint.cases import CASES, Case
from tests.lint.conftest import Shell
from tests.lint.models import BOOL, I64, UNKNOWN, binary, model, node, save, tensor, value

SCHEMA = documents.schema(Examination)
SARIF = json.loads(Path(__file__).with_name("sarif.schema.json").read_text())
STATUS = {"conforms": 0, "violates": 1, "cannot be decided statically": 2, "not judged": 2}


def read_json(path: Path, schema: dict[str, Any]) -> dict[str, Any]:
    """What was written, if it is as the schema says."""
    written: dict[str, Any] = json.loads(path.read_text())
    jsonschema.Draft202012Validator(schema).validate(written)
    return written


def test_a_finding_in_words(shell: Shell, tmp_path: Path) -> None:
    save(binary("Mul", ["N", 3], [3]), tmp_path)
    status, out, err = shell("model.onnx")
    assert (status, err) == (1, "")
    assert out.splitlines()[1:] == [
        "violates  n  (Mul, opset 14)",
        "  SONNX-MUL.R4: operands are broadcast to one shape: A is float32 (N, 3), B is float32"
        " (3,)",
        "  repair: Make it explicit with Expand (--fix does it where all shapes are known)",
        "operator  nodes  conforms  violates  cannot be decided statically",
        "Mul           1         0         1                             0",
        "all           1         0         1                             0",
        "inside the profile: 0 of 1 nodes (0 %); outside by shape or another constraint: Mul 1",
        "model.onnx: violates (1 of 1 nodes judged)",
    ]


@pytest.mark.parametrize(
    ("what", "status", "said"),
    [
        (binary("Mul"), 0, "model.onnx: conforms"),
        (binary("Mul", [2], [3]), 1, "model.onnx: violates"),
        (binary("Mul", ["N"], ["M"]), 2, "model.onnx: cannot be decided statically"),
        (binary("Div", of_a=I64), 2, "  decides: A constant divisor without a zero"),
    ],
)
def test_exit_status(
    shell: Shell, tmp_path: Path, what: onnx.ModelProto, status: int, said: str
) -> None:
    save(what, tmp_path)
    ended, out, err = shell("model.onnx")
    assert (ended, err) == (status, "")
    assert any(line.startswith(said) for line in out.splitlines())


def _three_of_one_cause() -> onnx.ModelProto:
    return model(
        [
            *[node("Mul", ["A", "B"], [f"C{n}"], name=f"n{n}") for n in range(4)],
            node("Mul", ["A", "D"], ["E"], name="other"),
        ],
        [value("A", [2, 3]), value("B", [3]), value("D", [4, 3])],
        [value("C0", None)],
    )


def test_findings_with_one_cause_stand_together(shell: Shell, tmp_path: Path) -> None:
    save(_three_of_one_cause(), tmp_path)
    _, out, _ = shell("model.onnx")
    assert out.splitlines()[1:7] == [
        "violates  4 nodes: n0, n1, n2 and 1 more  (Mul, opset 14)",
        "  SONNX-MUL.R4: at the first of them, operands are broadcast to one shape: A is float32"
        " (2, 3), B is float32 (3,)",
        "  repair: Make it explicit with Expand (--fix does it where all shapes are known)",
        "violates  other  (Mul, opset 14)",
        "  SONNX-MUL.R1: the shapes differ: A is float32 (2, 3), B is float32 (4, 3)",
        "  repair: Give all one shape",
    ]


def test_what_an_unknown_shape_leaves_open_is_one_finding(shell: Shell, tmp_path: Path) -> None:
    nodes = [node("Concat", ["A", "B"], [f"C{i}"], name=f"n{i}", axis=0) for i in range(2)]
    save(model(nodes, [value("A", None), value("B", [2])], []), tmp_path)
    _, out, _ = shell("model.onnx")
    lines = out.splitlines()[1:]
    assert lines[0] == "cannot be decided statically  2 nodes: n0, n1  (Concat, opset 14)"
    requirements = [line.split(":")[0].strip() for line in lines[1:4]]
    assert requirements == [f"SONNX-CONCAT.{item}" for item in ("AXIS.C1", "X.C2", "X.C3")]
    assert all("at the first of them, it is not known whether" in line for line in lines[1:4])
    assert lines[4] == (
        "  decides: Declare it in the model, or fix the shapes of inputs with --input"
    )
    assert "SONNX-CONCAT" not in "".join(lines[5:])


def _folder(folder: Path) -> None:
    below = folder / "m" / "n"
    below.mkdir(parents=True)
    save(binary("Mul", [2, 3], [3]), folder / "m", "a.onnx")
    save(binary("Mul", [2, 3], [3]), below, "b.onnx")
    save(binary("Mul"), folder, "c.onnx")
    (below / "notes.txt").write_text("no model")


def test_several_models(shell: Shell, tmp_path: Path) -> None:
    _folder(tmp_path)
    status, out, err = shell("m", "c.onnx", "--json", "out.json", "--sarif", "out.sarif")
    assert (status, err) == (1, "")
    assert out.splitlines()[1:] == [
        "violates  2 nodes: m/a.onnx: n, m/n/b.onnx: n  (Mul, opset 14)",
        "  SONNX-MUL.R4: at the first of them, operands are broadcast to one shape: A is float32"
        " (2, 3), B is float32 (3,)",
        "  repair: Make it explicit with Expand (--fix does it where all shapes are known)",
        "model       nodes  judged  conforms  violates  cannot be decided statically  inside "
        "  verdict",
        "m/a.onnx        1       1         0         1                             0     0 % "
        " violates",
        "m/n/b.onnx      1       1         0         1                             0     0 % "
        " violates",
        "c.onnx          1       1         1         0                             0   100 % "
        " conforms",
        *(
            f"{name}: inside the profile: 0 of 1 nodes (0 %); outside by shape or another"
            " constraint: Mul 1"
            for name in ("m/a.onnx", "m/n/b.onnx")
        ),
        "all 3 models: inside the profile: 1 of 3 nodes (33 %); outside by shape or another"
        " constraint: Mul 2",
        "3 models: violates",
    ]
    written = read_json(tmp_path / "out.json", documents.schema(Examinations))
    assert (written["verdict"], written["unreadable"]) == ("violates", [])
    verdicts = {each["model"]: each["verdict"] for each in written["models"]}
    assert verdicts == {"m/a.onnx": "violates", "m/n/b.onnx": "violates", "c.onnx": "conforms"}
    (run,) = read_json(tmp_path / "out.sarif", SARIF)["runs"]
    places = [
        each["locations"][0]["physicalLocation"]["artifactLocation"] for each in run["results"]
    ]
    assert places == [{"uri": "m/a.onnx", "index": 0}, {"uri": "m/n/b.onnx", "index": 1}]
    assert len(run["artifacts"]) == 3


def test_models_are_called_by_their_names_in_the_folder_of_all(
    shell: Shell, tmp_path: Path
) -> None:
    _folder(tmp_path)
    _, out, _ = shell(tmp_path / "m", "m/a.onnx")
    rows = [line.split()[0] for line in out.splitlines() if line.endswith(" violates")]
    assert rows[:-1] == ["a.onnx", "n/b.onnx", "a.onnx"]


def test_a_file_that_cannot_be_read_is_not_the_end(shell: Shell, tmp_path: Path) -> None:
    _folder(tmp_path)
    (tmp_path / "m" / "bad.onnx").write_bytes(b"")
    status, out, err = shell("m", "--json", "out.json", "--sarif", "out.sarif")
    assert (status, err) == (3, "sonnx-formal: m/bad.onnx is empty\n")
    assert out.splitlines()[-1] == "2 models: violates"
    written = read_json(tmp_path / "out.json", documents.schema(Examinations))
    assert written["unreadable"] == ["m/bad.onnx is empty"]
    (run,) = read_json(tmp_path / "out.sarif", SARIF)["runs"]
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 3)
    assert invocation["toolExecutionNotifications"] == [
        {"level": "error", "message": {"text": "m/bad.onnx is empty"}}
    ]


def test_a_violation_outweighs_what_is_open(shell: Shell, tmp_path: Path) -> None:
    what = model(
        [node("Mul", ["A", "B"], ["C"]), node("Mul", ["A", "D"], ["E"])],
        [value("A", ["N"]), value("B", ["M"]), value("D", [2, 3])],
        [value("C", None), value("E", None)],
    )
    save(what, tmp_path)
    assert shell("model.onnx")[0] == 1


def test_a_remark_and_what_is_not_judged(shell: Shell, tmp_path: Path) -> None:
    what = model(
        [node("Div", ["A", "B"], ["C"], name="n"), node(UNKNOWN, ["C"], ["D"])],
        [value("A", [2])],
        [value("D", [2])],
        [tensor("B", [0, 1])],
    )
    save(what, tmp_path)
    status, out, _ = shell("model.onnx")
    assert status == 2
    assert "  SONNX-DIV.R5: the constant divisor B is zero at one index, the first (0,)" in out
    assert "\n  remark: " in out
    assert f"\ninside the profile: 1 of 2 nodes (50 %); outside by operator: {UNKNOWN} 1\n" in out
    assert out.splitlines()[-1] == "model.onnx: not judged (1 of 2 nodes judged)"


def test_names_that_look_like_markup(shell: Shell, tmp_path: Path) -> None:
    what = model(
        [node("Mul", ["[bold]A[/bold]", "B"], ["C"], name="[red]n[/red]\x1b[31m")],
        [value("[bold]A[/bold]", [2], BOOL), value("B", [3])],
        [value("C", None)],
    )
    save(what, tmp_path)
    _, out, _ = shell("model.onnx")
    assert "  SONNX-MUL.R3: A, [bold]A[/bold], is bool (2,)" in out
    assert "violates  [red]n[/red]" in out
    assert "\x1b" not in out
    assert "\\x1b[31m  (Mul" in out


@pytest.mark.parametrize("case", CASES, ids=[entry.name for entry in CASES])
def test_json_and_sarif(shell: Shell, tmp_path: Path, case: Case) -> None:
    save(case.model, tmp_path)
    inputs = [part for entry in case.inputs for part in ("--input", entry)]
    status, _, err = shell("model.onnx", *inputs, "--json", "out.json", "--sarif", "out.sarif")
    assert err == ""
    written = read_json(tmp_path / "out.json", SCHEMA)
    assert status == STATUS[written["verdict"]]
    assert written["model"] == "model.onnx"
    assert written["fix"] is None
    assert len(written["nodes"]) == case.nodes
    findings = {
        (entry["node"], each["requirement"], each["verdict"])
        for entry in written["nodes"]
        for each in entry["findings"]
    }
    assert findings == {
        (name, identifier, str(verdict))
        for name, each in case.expected.items()
        for identifier, verdict in each
    }
    (run,) = read_json(tmp_path / "out.sarif", SARIF)["runs"]
    kinds = {
        "fail": "violates",
        "open": "cannot be decided statically",
        "informational": "conforms",
    }
    assert findings == {
        (
            entry["locations"][0]["logicalLocations"][0]["fullyQualifiedName"],
            entry["ruleId"],
            kinds[entry["kind"]],
        )
        for entry in run["results"]
    }
    (invocation,) = run["invocations"]
    assert invocation["exitCode"] == status
    warnings = [
        each["message"]["text"]
        for each in invocation["toolExecutionNotifications"]
        if each["level"] == "warning"
    ]
    others = sum(each["count"] for each in written["others"])
    assert written["total"] == case.nodes + others
    assert [text.partition(";")[0] for text in warnings] == (
        [f"{case.nodes} of {written['total']} nodes judged"] if others else []
    )
    rules = run["tool"]["driver"]["rules"]
    for entry in run["results"]:
        assert rules[entry["ruleIndex"]]["id"] == entry["ruleId"]
        assert entry["level"] == ("error" if entry["kind"] == "fail" else "none")
        (location,) = entry["locations"]
        assert location["physicalLocation"]["artifactLocation"] == {"uri": "model.onnx", "index": 0}
    for entry in rules:
        assert entry["shortDescription"]["text"] == " ".join(requirement(entry["id"]).text.split())


def test_json_of_a_fix(shell: Shell, tmp_path: Path) -> None:
    save(binary("Mul", [2, 3], [3]), tmp_path)
    assert shell("model.onnx", "--fix", "-o", "out.onnx", "--json", "out.json")[0] == 2
    written = read_json(tmp_path / "out.json", SCHEMA)
    assert written["verdict"] == "violates"
    assert written["fix"] == {
        "output": "out.onnx",
        "explicit": ["n"],
        "equivalence": {"runs": 6, "values": 1, "not_run": 0},
        "verdict": "not judged",
    }


def test_the_location_of_a_path_with_spaces(shell: Shell, tmp_path: Path) -> None:
    path = save(binary("Mul", [2], [3]), tmp_path, "a model.onnx")
    for given, uri in ((path.name, "a%20model.onnx"), (path, path.as_uri())):
        shell(given, "--sarif", "out.sarif")
        (run,) = read_json(tmp_path / "out.sarif", SARIF)["runs"]
        assert run["artifacts"] == [{"location": {"uri": uri}}]


def test_schemas_do_not_accept_everything(shell: Shell, tmp_path: Path) -> None:
    save(binary("Mul", [2], [3]), tmp_path)
    shell("model.onnx", "--json", "out.json", "--sarif", "out.sarif")
    written = read_json(tmp_path / "out.json", SCHEMA)
    written["nodes"][0]["verdict"] = "perhaps"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(written, SCHEMA)
    sarif = read_json(tmp_path / "out.sarif", SARIF)
    sarif["runs"][0]["results"][0]["level"] = "none"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(sarif, SARIF)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'MODEL.onnx...'"),
        (("model.onnx", "model.onnx", "--fix", "-o", "out.onnx"), "--fix and --input are for one"),
        ((".", "--input", "A=1x3"), "--fix and --input are for one model"),
        (("model.onnx", "--fix"), "--fix and -o go together"),
        (("model.onnx", "-o", "out.onnx"), "--fix and -o go together"),
        (("model.onnx", "--input", "A"), "'A' is not of the form name=1x3x224x224"),
        (("model.onnx", "--input", "A=1x"), "'A=1x' is not of the form"),
        (("model.onnx", "--input", "A=-1"), "'A=-1' is not of the form"),
        (("model.onnx", "--input", "A=9999999999"), "a dimension that no tensor has"),
        (("model.onnx", "--input", "X=1"), "the model has no such input; it has A, B"),
        (("model.onnx", "--input", "AA=1"), "did you mean A?"),
        (("model.onnx", "--input", "A=1x3", "--input", "A=1x3"), "is given twice"),
        (("model.onnx", "--input", "A=1x4"), "has it as (N, 3), which (1, 4) contradicts"),
        (("model.onnx", "--input", "A=3"), "has it as (N, 3), which (3,) contradicts"),
        (
            ("model.onnx", "--input", "A=1x3", "--input", "B=2x3"),
            "dimension N would be 2, and is 1 already",
        ),
        (("model.onnx", "--fix", "-o", "no/out.onnx"), "-o needs the name of a file"),
        (("model.onnx", "--fix", "-o", "."), "-o needs the name of a file"),
        (("model.onnx", "--sarif", "."), "--sarif needs the name of a file"),
        (("model.onnx", "--json", "."), "--json needs the name of a file"),
    ],
)
def test_bad_usage(shell: Shell, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    save(binary("Mul", ["N", 3], ["N", 3]), tmp_path)
    status, out, err = shell(*arguments)
    assert (status, out) == (2, "")
    assert message in " ".join(err.split())
    assert "Traceback" not in err


def test_an_interrupt(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sonnx_formal.cli.lint.read", interrupt)
    status, out, err = shell("model.onnx")
    assert (status, out, err.strip()) == (130, "", "")
