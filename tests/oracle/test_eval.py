"""The command `eval` as a user meets it."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import ml_dtypes
import msgspec
import numpy
import onnx
import pytest

from sonnx_formal.cli import main as cli
from sonnx_formal.oracle import evaluation
from sonnx_formal.spec.requirements import registry

ROOT = Path(__file__).parents[2]
SCHEMA = msgspec.json.schema(evaluation.EvaluationDocument)


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


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        *[("fp16", "float16"), ("half", "float16"), ("Half", "float16"), ("FLOAT16", "float16")],
        *[("bf16", "bfloat16"), ("fp32", "float32"), ("single", "float32"), ("FLOAT", "float32")],
        *[("f64", "float64"), ("double", "float64"), ("i8", "int8"), ("u64", "uint64")],
    ],
)
def test_types_have_other_spellings(shell: Shell, spelling: str, name: str) -> None:
    _, out, err = shell("mul", "--type", spelling, "--json", "-", "1", "1")
    assert err == ""
    assert json.loads(out)["types"] == [name]


def test_nans_have_many_spellings(shell: Shell) -> None:
    spellings = "[nan, NaN, -nan, +NAN, qnan, sNaN, nan(0x1), NaN(ind)]"
    ones = "[1, 1, 1, 1, 1, 1, 1, 1]"
    done = shell("mul", "--type", "half", "--bits", spellings, ones)
    assert done == (0, f"[{', '.join(['0x7e00'] * 8)}]\n", "")


@pytest.mark.parametrize(
    ("notation", "type_", "operand", "output"),
    [
        ("exact", "float32", "[bits:0x3dcccccd, -0.5, inf]", "[0x1.99999ap-4, -0.5, inf]"),
        ("decimal", "float32", "[bits:0x3dcccccd, -0.5, inf]", "[0.1, -0.5, inf]"),
        ("decimal", "float16", "[bits:0x0001, -0, 65504, 2048]", "[6e-8, -0, 65500, 2048]"),
        ("decimal", "float64", "[bits:0x3fd5555555555555]", "[0.3333333333333333]"),
        (
            "hexadecimal",
            "float32",
            "[1, -0.5, 0, nan, 3]",
            "[0x1p+0, -0x1p-1, 0x0p+0, nan, 0x1.8p+1]",
        ),
        ("hexadecimal", "int8", "[31, -128]", "[0x1f, -0x80]"),
        ("hexadecimal", "real", "[-17/32]", "[-0x11/0x20]"),
        ("decimal", "real", "[-17/32]", "[-17/32]"),
        ("decimal", "int8", "[-17]", "[-17]"),
    ],
)
def test_notations(shell: Shell, notation: str, type_: str, operand: str, output: str) -> None:
    ones = f"[{', '.join(['1'] * (operand.count(',') + 1))}]"
    done = shell("mul", "--as", notation, "--type", type_, operand, ones)
    assert done == (0, f"{output}\n", "")


def test_operands_in_files(shell: Shell, tmp_path: Path) -> None:
    a, b, c = (str(tmp_path / name) for name in ("a.npy", "b.pb", "c.txt"))
    numpy.save(a, numpy.array([[1.5, -2]], numpy.float32))
    tensor = onnx.numpy_helper.from_array(numpy.array([[2, 3]], numpy.float32))
    Path(b).write_bytes(tensor.SerializeToString())
    Path(c).write_text("[[4, nan]]\n")
    assert shell("mul", "--file", a, b) == (0, "[[3, -6]]\n", "")
    assert shell("mul", "--file", b, c) == (0, "[[8, nan]]\n", "")
    assert shell("mul", "--file", "--type", "fp32", c, c) == (0, "[[16, nan]]\n", "")


def test_a_file_of_bfloat16(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    numpy.save(path, numpy.array([3], ml_dtypes.bfloat16))
    assert shell("mul", "--file", "--type", "bf16", path, path) == (0, "[9]\n", "")
    assert (
        "a.npy does not say of what type its elements are" in shell("mul", "--file", path, path)[2]
    )


def test_files_of_floats_of_8_bits(shell: Shell, tmp_path: Path) -> None:
    path, scale = tmp_path / "a.npy", tmp_path / "b.npy"
    numpy.save(scale, numpy.array(0.5, numpy.float32))
    for type_, dtype in (
        ("float8e4m3fn", ml_dtypes.float8_e4m3fn),
        ("float8e5m2", ml_dtypes.float8_e5m2),
    ):
        numpy.save(path, numpy.array([3, -0.0], dtype))
        given = ("--file", str(path), str(scale))
        types = f"{type_}-float32"
        assert shell("dequantize_linear", "--type", types, *given) == (0, "[1.5, -0]\n", "")
        assert "say --type float8e4m3fn or --type float8e5m2" in shell("mul", *given)[2]
    # Elements that look like the header are elements.
    odd = numpy.frombuffer(b"'<f1'" * 30, numpy.uint8)
    numpy.save(path, odd)
    assert shell("identity", "--file", str(path)) == (0, f"{odd.tolist()}\n", "")


def test_operands_on_standard_input(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("[1, 2]\n[3, -4]\n"))
    assert shell("mul", "--type", "int8", "-", "-") == (0, "[3, -8]\n", "")
    status, _, err = shell("mul", "--type", "int8", "-", "1")
    assert (status, err) == (
        2,
        "sonnx-formal: standard input has no operand left: there is to be one a line\n",
    )


def test_files_that_are_no_operands(shell: Shell, tmp_path: Path) -> None:
    good, cut, pickled, text = (tmp_path / name for name in ("a.npy", "b.npy", "c.npy", "d.txt"))
    proto, outside = tmp_path / "e.pb", tmp_path / "f.pb"
    numpy.save(good, numpy.array([1], numpy.int8))
    cut.write_bytes(good.read_bytes()[:-1])
    numpy.save(pickled, numpy.array([{}], object), allow_pickle=True)
    text.write_bytes(b"\xff")
    proto.write_bytes(b"\xff")
    outside.write_bytes(
        onnx.TensorProto(data_location="EXTERNAL", data_type=1, dims=[1]).SerializeToString()
    )
    for path, message in (
        (cut, "b.npy is no .npy file of numbers, or was cut off"),
        (pickled, "c.npy is no .npy file of numbers, or was cut off"),
        (text, "d.txt: neither .npy, .pb nor text"),
        (proto, "e.pb is no TensorProto, or was cut off"),
        (outside, "f.pb has its elements in another file"),
        (tmp_path / "g.npy", "g.npy: No such file"),
        (tmp_path, "Is a directory"),
    ):
        status, out, err = shell("mul", "--file", good, path)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert message in err
    assert (
        "has elements of type int8, and not int16"
        in shell("mul", "--file", "--type", "int16", good, good)[2]
    )
    text.write_text("[1]")
    assert "--type is missing, and no file says what T is" in shell("mul", "--file", text, text)[2]


def test_an_attribute_that_no_operator_has_is_named(shell: Shell) -> None:
    _, _, err = shell("onnx-mul-6", "--type", "int8", "--gain", "3", "1", "1")
    assert "Error: there is no option --gain, and onnx-mul-6 has no such attribute" in err
    assert "as attributes, it has axis, broadcast" in " ".join(err.split())
    assert (
        "did you mean --broadcast?"
        in shell("onnx-mul-6", "--type", "i8", "--brodcast", "1", "1", "1")[2]
    )


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
        "schema": "sonnx-formal/eval/2",
        "operator": "div",
        "types": ["float16"],
        "result_type": "float16",
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
    for change in ({"types": "int8"}, {"shape": ["1"]}, {"operator": 1}, {"schema": "x"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(value | change, SCHEMA, jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("mul", "--type", "float32", "[1]", "[1, 2]"),
            "SONNX-MUL.R4: the shapes differ, and nothing is broadcast: "
            "mul of A float32[1] and B float32[2]",
        ),
        (
            ("div", "--type", "int8", "[1]", "[0]"),
            "SONNX-DIV.C2: division by zero at index [0]: div of A int8[1] and B int8[1]",
        ),
        (
            ("div", "--type", "int8", "[[1, 2, 3], [4, 5, 6]]", "[[1, 2, 3], [4, 0, 0]]"),
            "SONNX-DIV.C2: division by zero at index [1, 1]: div of A int8[2, 3]",
        ),
        (
            ("div", "--type", "int8", "1", "0"),
            "SONNX-DIV.C2: division by zero: div of A int8[] and B int8[]",
        ),
        (
            ("mul", "--type", "int8", "[[1], [2]]", "[[3], [400]]"),
            "operand B: at index [1, 0]: 400 is not an int8",
        ),
        (("mul", "--type", "int8", "[1, x]", "[3, 4]"), "operand A: at index [1]: not a number"),
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
            "onnx-mul-6 of A int32[1, 2] and B int32[2] with axis=-1, broadcast=1",
        ),
        (
            ("ov-multiply-1", "--type", "int8", "--auto-broadcast", "pdpd", "1", "1"),
            "OV-MULTIPLY-1.ATTR.AUTO_BROADCAST: it is neither none nor numpy: ",
        ),
        (
            ("onnx-mul-7", "--type", "int32", "--axis", "1", "1", "1"),
            "onnx-mul-7 has no attribute axis",
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
            "mul has one reading, leave it out",
        ),
        (("mul", "--type", "float32", "1", "1", "--json", "/no/out.json"), "its folder does not"),
        (("mull", "--type", "int8", "1", "1"), "no operator 'mull': did you mean mul?"),
        (("MULT", "--type", "int8", "1", "1"), "no operator 'MULT': did you mean mul?"),
        (("multiply", "--type", "int8", "1", "1"), "no operator 'multiply': did you mean mul?"),
        (("subtraction", "--type", "int8", "1", "1"), "'subtraction': did you mean sub?"),
        (("mul", "--type", "Flaot32", "1", "1"), "'Flaot32': did you mean float32?"),
        (("mul", "--type", "int9", "1", "1"), "mul is not defined over 'int9': did you mean int"),
        (("mul", "--type", "int8", "1"), "mul: the operand B is missing"),
        (("mul", "--type", "int8", "1", "2", "3"), "mul takes A, B: 3 operands are too many"),
        (("div", "--type", "float32", "--reading", "r6", "1", "1"), "--reading r6: it is r5"),
        (("mul", "--type", "bool", "1", "2"), "operand B: 2 is not a truth value"),
        (("mul", "--type", "bool", "1", "0"), "SONNX-MUL.R3: "),
        (("mul", "--type", "string", "1", "0"), "mul is not defined over 'string': it is "),
        (
            ("reshape", "--type", "int8", "--allowzero", "1", "[]", "[1048576, 1048576, 0]"),
            "a shape too large to show: (1048576, 1048576, 0)",
        ),
        (("min", "--type", "int8", "1", "a"), "operand data_1: not a number: 'a'"),
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
        ("mul", "--type", "int8", "1", "1", "--timeout", "nan"),
        ("mul", "1", "1"),
        ("mul", "--type", "int8", "--bist", "1", "1"),
        ("mul", "--type", "int8", "--bits", "--json", "-", "1", "1"),
        ("mul", "--type", "int8", "--as", "decimal", "--json", "-", "1", "1"),
        ("mul", "--type", "int8", "--as", "decimal", "--bits", "1", "1"),
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
        "--reading",
        "--bits",
        "--json",
        "130",
    ):
        assert text in out


def test_the_examples_of_the_help_run(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, out, _ = shell("--help")
    examples = [line.split("eval ", 1)[1] for line in out.splitlines() if " eval " in line][1:]
    assert len(examples) == 8
    numpy.save("A.npy", numpy.array([1, 2], numpy.int8))
    tensor = onnx.numpy_helper.from_array(numpy.array([3, 4], numpy.int8))
    Path("B.pb").write_bytes(tensor.SerializeToString())
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
        "[4, 6]",
        "[[3, 6]]",
    ]


def _split(text: str) -> list[str]:
    return subprocess.run(
        ["sh", "-c", f"printf '%s\\n' {text}"], capture_output=True, text=True, check=True
    ).stdout.splitlines()


def test_in_a_process_of_its_own() -> None:
    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "sonnx_formal", "eval", *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
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


@pytest.mark.parametrize("notation", ["exact", "hexadecimal"])
def test_a_number_of_any_length_is_written(shell: Shell, notation: str) -> None:
    """Python itself writes integers of up to 4,300 digits."""
    status, out, err = shell("mul", "--type", "real", "1e9000", "1/3", "--as", notation)
    assert (status, err) == (0, "")
    value = f"1{9000 * '0'}/3" if notation == "exact" else f"{10**9000:#x}/0x3"
    assert out == f"{value}\n"


def test_no_pipe_is_waited_for(shell: Shell, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "pipe.npy")
    for name in ("pipe", "pipe.npy"):
        status, out, err = shell(
            "mul", "--type", "int8", "--file", tmp_path / name, tmp_path / name
        )
        assert (status, out) == (2, "")
        assert "not a regular file" in err


def test_an_archive_is_no_array(shell: Shell, tmp_path: Path) -> None:
    numpy.savez(tmp_path / "a.npz", x=numpy.array([1]))
    (tmp_path / "a.npz").rename(tmp_path / "a.npy")
    status, out, err = shell("mul", "--file", tmp_path / "a.npy", tmp_path / "a.npy")
    assert (status, out) == (2, "")
    assert "is no .npy file of numbers" in err
