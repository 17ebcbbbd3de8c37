"""The command `eval` as a user meets it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from sonnx_formal.cli import main as cli
from sonnx_formal.oracle import evaluation
from sonnx_formal.spec.requirements import registry

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads(Path(evaluation.__file__).with_name("eval.schema.json").read_text())


class Shell:
    """Runs the command in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: str | Path) -> tuple[int, str, str]:
        """Exit status, standard output, standard error."""
        self._monkeypatch.setattr(sys, "argv", ["sonnx-formal", "eval", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        out, err = self._capsys.readouterr()
        return int(exit_.value.code or 0), out, err


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return Shell(monkeypatch, capsys)


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (("mul", "--type", "float16", "[[1,2]]", "[[3,nan]]"), "[[3, nan]]"),
        (("mul", "--type", "float16", "--bits", "[[1,2]]", "[[3,nan]]"), "[[0x4200, 0x7e00]]"),
        (("mul", "--type", "int8", "-128", "-1"), "-128"),
        (("mul", "--type", "int8", "--bits", "[-1, 2]", "[1, 3]"), "[0xff, 0x06]"),
        (("mul", "--type", "uint64", "18446744073709551615", "2"), "18446744073709551614"),
        (("mul", "--type", "int16", "bits:0xffff", "0x7f"), "-127"),
        (("mul", "--type", "real", "1/3", "-0.75"), "-1/4"),
        (("div", "--type", "real", '["1/3", 2]', "[0, -4]"), "[inf, -1/2]"),
        (("div", "--type", "float32", "[1, -1, 0]", "[-0, 0, 0]"), "[-inf, -inf, nan]"),
        (
            ("div", "--type", "float32", "--reading", "r5", "[1, -1, 0]", "[-0, 0, 0]"),
            "[inf, inf, inf]",
        ),
        (("div", "--type", "float64", "1", "3"), "0x1.5555555555555p-2"),
        (("mul", "--type", "float32", "-inf", "-0.5"), "inf"),
        (("mul", "--type", "bfloat16", "bits:0x4049", "1"), "3.140625"),
        (("mul", "--type", "float32", "[[], []]", "[[], []]"), "[[], []]"),
        (("matmul", "--type", "int32", "[[1, 2]]", "[[3], [4]]"), "[[11]]"),
        (("matmul", "--type", "bfloat16", "--reading", "unlisted", "[[3]]", "[[4]]"), "[[12]]"),
        (("onnx-mul-14", "--type", "int8", "[[1], [2]]", "[3, -4]"), "[[3, -4], [6, -8]]"),
        (("onnx-mul-13", "--type", "bfloat16", "[1, 2]", "3"), "[3, 6]"),
        (("onnx-mul-7", "--type", "float64", "[]", "[3]"), "[]"),
        (
            (
                *["onnx-mul-6", "--type", "int32", "--broadcast", "1", "--axis", "0"],
                "[[1,2],[3,4]]",
                "[5,6]",
            ),
            "[[5, 10], [18, 24]]",
        ),
        (
            (
                *["onnx-mul-1", "--type", "float16", "--broadcast", "1"],
                *["--consumed-inputs", "0", "--consumed-inputs", "-1"],
                "[[1, 2], [3, 4]]",
                "[5, 6]",
            ),
            "[[5, 12], [15, 24]]",
        ),
        (("ov-multiply-1", "--type", "uint8", "[2]", "[[255], [3]]"), "[[254], [6]]"),
        (("ov-multiply-1", "--type", "uint8", "--auto-broadcast", "none", "2", "3"), "6"),
    ],
)
def test_results(shell: Shell, arguments: tuple[str, ...], output: str) -> None:
    assert shell(*arguments) == (0, output + "\n", "")


def test_what_is_rounded_is_said(shell: Shell) -> None:
    code, out, err = shell("mul", "--type", "float16", "[0.1, 70000, 1e-9, 1/2]", "[1, 1, 1, 1]")
    assert (code, out) == (0, "[0.0999755859375, inf, 0, 0.5]\n")
    assert err.splitlines() == [
        "sonnx-formal: 0.1 is not a float16: rounded to 0.0999755859375",
        "sonnx-formal: 70000 is not a float16: rounded to inf",
        "sonnx-formal: 1e-9 is not a float16: rounded to 0",
    ]


@pytest.mark.parametrize(
    ("tie", "bits"),
    [
        ("2049", "0x6800"),  # between 2048 and 2050: to the even significand
        ("2051", "0x6802"),
        ("65519.99", "0x7bff"),
        ("65520", "0x7c00"),
        ("-0x1p-25", "0x8000"),
        ("-0x1.8p-24", "0x8002"),
    ],
)
def test_the_rounding_is_that_of_the_definition(shell: Shell, tie: str, bits: str) -> None:
    code, out, err = shell("mul", "--type", "float16", "--bits", tie, "1")
    assert (code, out) == (0, bits + "\n")
    assert f"{tie} is not a float16" in err


def test_json(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    assert shell("div", "--type", "float16", "[1, -1]", "[0, 3]", "--json", path) == (0, "", "")
    assert json.loads(path.read_text()) == {
        "schema": "sonnx-formal/eval/1",
        "operator": "div",
        "type": "float16",
        "reading": None,
        "attributes": {},
        "shape": [2],
        "result": ["inf", "-0.333251953125"],
        "bits": ["0x7c00", "0xb555"],
    }
    _, out, _ = shell("mul", "--type", "int64", "--json", "-", "[[3]]", "[[-5]]")
    value = json.loads(out)
    assert (value["shape"], value["result"]) == ([1, 1], [[-15]])
    assert value["bits"] == [["0xfffffffffffffff1"]]
    _, out, _ = shell("div", "--type", "real", "--json", "-", "1", "6")
    value = json.loads(out)
    assert (value["result"], value["bits"]) == ("1/6", None)


@pytest.mark.parametrize(
    "arguments",
    [
        ("mul", "--type", "float16", "[[1, nan], [-0, inf]]", "[[1, 2], [3, 4]]"),
        ("div", "--type", "real", "[1, 2]", "[3, 0]"),
        ("div", "--type", "float64", "--reading", "r5", "1", "0"),
        ("mul", "--type", "uint64", "[[], []]", "[[], []]"),
        ("mul", "--type", "int8", "-128", "-1"),
    ],
)
def test_json_is_as_its_schema_says(shell: Shell, arguments: tuple[str, ...]) -> None:
    code, out, _ = shell(*arguments, "--json", "-")
    assert code == 0
    value = json.loads(out)
    jsonschema.validate(value, SCHEMA, jsonschema.Draft202012Validator)
    for change in ({"bits": 1}, {"result": [[1.5]]}, {"type": "bool"}, {"shape": [-1]}, {"x": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(value | change, SCHEMA, jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("mul", "--type", "float32", "[1]", "[1, 2]"),
            "SONNX-MUL.R4: the shapes differ, and nothing is broadcast: "
            "mul of float32[1] and float32[2]",
        ),
        (
            ("div", "--type", "int8", "[1]", "[0]"),
            "SONNX-DIV.C2: the quotient is not defined at each index: div of int8[1] and int8[1]",
        ),
        (("matmul", "--type", "int8", "[[1]]", "[[1]]"), "SONNX-MATMUL-INT.T: "),
        (
            (
                "onnx-mul-6",
                "--type",
                "int32",
                "--axis",
                "-1",
                "--broadcast",
                "1",
                "[[1, 2]]",
                "[1, 2]",
            ),
            "ONNX-MUL-6.ATTR.AXIS: there is no room for B from the axis on: "
            "onnx-mul-6 of int32[1, 2] and int32[2] with axis=-1, broadcast=1",
        ),
        (
            ("ov-multiply-1", "--type", "int8", "--auto-broadcast", "pdpd", "1", "1"),
            "OV-MULTIPLY-1.ATTR.AUTO_BROADCAST: it is neither none nor numpy: ",
        ),
        (
            ("onnx-mul-7", "--type", "int32", "--axis", "1", "1", "1"),
            "the operator has no attribute axis",
        ),
        (("onnx-mul-14", "--type", "real", "1", "1"), "ONNX-MUL-14.T: "),
        (("mul", "--type", "int8", "128", "1"), "operand A: 128 is not an int8, an integer from"),
        (("mul", "--type", "uint8", "1", "-1"), "operand B: -1 is not an uint8"),
        (("mul", "--type", "int8", "1.5", "1"), "operand A: 1.5 is not an int8"),
        (("mul", "--type", "int8", "nan", "1"), "operand A: nan is not an int8"),
        (("mul", "--type", "int8", "bits:0x100", "1"), "bits:0x100 has more bits than int8"),
        (("mul", "--type", "float16", "bits:0x10000", "1"), "more bits than float16, which has 16"),
        (("mul", "--type", "real", "inf", "1"), "operand A: inf is not a rational number"),
        (("mul", "--type", "real", "1", "bits:0x1"), "operand B: bits:0x1 is not a rational"),
        (("mul", "--type", "real", "--bits", "1", "1"), "real numbers have no bit patterns"),
        (("mul", "--type", "float32", "[[1], [2, 3]]", "1"), "operand A: shapes [1] and [2]"),
        (
            ("mul", "--type", "float32", "--reading", "r5", "1", "1"),
            "mul has one reading: leave it out",
        ),
        (("mul", "--type", "float32", "1", "1", "--json", "/no/out.json"), "its folder does not"),
    ],
)
def test_bad_input(shell: Shell, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = shell(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("sonnx-formal: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", "--type", "int8", "1", "1"),
        ("mul", "--type", "int8", "1", "1", "--timeout", "nan"),
        ("mul", "--type", "int9", "1", "1"),
        ("mul", "1", "1"),
        ("mul", "--type", "int8", "1"),
        ("mul", "--type", "int8", "--bist", "1", "1"),
        ("div", "--type", "float32", "--reading", "r6", "1", "1"),
        ("mul", "--type", "int8", "--bits", "--json", "-", "1", "1"),
        ("mul", "--type", "int8", "--timeout", "0", "1", "1"),
    ],
)
def test_bad_options(shell: Shell, arguments: tuple[str, ...]) -> None:
    code, out, err = shell(*arguments)
    assert (code, out) == (2, "")
    assert "Error: " in err


def test_help_has_the_examples(shell: Shell) -> None:
    code, out, _ = shell("--help")
    assert code == 0
    for text in (
        'sonnx-formal eval mul --type float16 "[[1, 2]]" "[[3, nan]]"',
        "--reading [r5|unlisted]",
        "--bits",
        "--json",
        "130",
    ):
        assert text in out


def test_the_examples_of_the_help_run(shell: Shell) -> None:
    _, out, _ = shell("--help")
    examples = [line.split("eval ", 1)[1] for line in out.splitlines() if " eval " in line][1:]
    assert len(examples) == 7
    results = []
    for example in examples:
        code, result, _ = shell(*_split(example))
        assert code == 0
        results.append(result.strip())
    assert results == [
        "[[3, nan]]",
        "[1/3, inf]",
        "[inf]",
        "[[11]]",
        "-128",
        "[[3, 4], [6, 8]]",
        "[[3, 6]]",
    ]


def _split(text: str) -> list[str]:
    return subprocess.run(
        ["sh", "-c", f"printf '%s\\n' {text}"], capture_output=True, text=True, check=True
    ).stdout.splitlines()


def test_in_a_process_of_its_own(cache: Path) -> None:
    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "sonnx_formal", "eval", *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
            env=os.environ | {"SONNX_FORMAL_CACHE": str(cache)},
        )

    done = run("mul", "--type", "float16", "[[1,2]]", "[[3,nan]]")
    assert (done.returncode, done.stdout, done.stderr) == (0, "[[3, nan]]\n", "")
    done = run("div", "--type", "uint8", "1", "0")
    assert done.returncode == 2
    assert done.stderr.startswith("sonnx-formal: SONNX-DIV.C2: ")
    assert "Traceback" not in done.stderr


def test_a_requirement_that_the_registry_lacks(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    less = {name: each for name, each in registry.requirements().items() if name != "SONNX-MUL.R1"}
    monkeypatch.setattr(registry, "requirements", lambda: less)
    status, out, err = shell("mul", "--type", "int8", "[1, 2, 3]", "[1, 2]")
    assert (status, out) == (2, "")
    assert err.startswith("sonnx-formal: the registry has no requirement 'SONNX-MUL.R1'")
    assert "sonnx_formal/spec/requirements" in err
    assert err.count("\n") == 1
