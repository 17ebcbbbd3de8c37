"""A new operator from its skeleton to its trace, and what is said of each file that is left out."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from tests.house import House

FILES = {
    "theory": "why3/ops/double/definition.mlw",
    "floats": "why3/ops/double/floats.mlw",
    "examples": "why3/ops/double/examples.mlw",
    "declaration": "sonnx_formal/spec/operators/double.py",
    "requirements": "sonnx_formal/spec/requirements/sonnx-double.toml",
    "reference": "sonnx_formal/reference/double.py",
}
_NO_VECTOR = 'no_vector = "None is sparse."\nchecks = ["tests/test_double.py::test_sparse"]'
PROVE = ("prove", *(path for path in FILES.values() if path.endswith(".mlw")))


def emptied(house: House) -> House:
    """Without any other operator."""
    house.empty()
    (house.folder / "sonnx_formal/spec/requirements/operator_goals.toml").write_text(
        """folders = ["ops"]
[[scaffolding]]
files = ["ops/double/examples.mlw"]
reason = "Preconditions that can be met."
"""
    )
    return house


def edit(house: House, file: str, *changes: tuple[str, str]) -> None:
    path = house.folder / FILES[file]
    text = path.read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path.write_text(text)


def filled_in(house: House) -> None:
    """What an author makes of the skeleton: 2x over each type."""
    for file in ("theory", "floats"):
        edit(house, file, ("TO BE WRITTEN: it gives its first operand back", "2x"))
        text = (house.folder / FILES[file]).read_text()
        text = re.sub(r"(let function element \(x: .*\) : .*) = x", r"\1 = Scalar.add x x", text)
        (house.folder / FILES[file]).write_text(text)
    edit(
        house,
        "examples",
        ("TO BE WRITTEN: SONNX-DOUBLE.EX1", "SONNX-DOUBLE.EX1"),
        ("double (scalar 1) == scalar 1", "double (scalar 1) == scalar 2"),
    )
    edit(
        house,
        "declaration",
        ("    arithmetic=", "    exact=lambda x: 2 * x,\n    arithmetic="),
        ("    onnx=", '    examples=(Example("EX1", ([1, 3],), frozenset(Family)),),\n    onnx='),
        ("    Definition,\n", "    Definition,\n    Example,\n"),
        ("import element_types", "import Family, element_types"),
        # ONNX has no such operator: for the sake of its linter it takes the place of Neg.
        ('OnnxNode("Double", since=14)', 'OnnxNode("Neg", since=13)'),
    )
    edit(
        house,
        "reference",
        ("    accepted(DOUBLE, x)\n", "    x, = accepted(DOUBLE, x).arrays\n"),
        (
            'raise NotImplementedError("sonnx_formal/reference/double.py is to be written")',
            "with np.errstate(all='ignore'):\n        return np.add(x, x, out=np.empty_like(x))",
        ),
        (
            "from sonnx_formal.spec.admission",
            "import numpy as np\n\nfrom sonnx_formal.spec.admission",
        ),
    )
    integers = ",".join(f"{sign}{bits}" for sign in ("Int", "UInt") for bits in (8, 16, 32, 64))
    classes = {
        "FUNC": ["nominal", "boundary", "random"],
        "EX1": ["example"],
        "R1": None,
        "C1": ["nominal", "zero-size"],
        "T": ["nominal"],
    }
    text = (house.folder / FILES["requirements"]).read_text()
    for item, vectors in classes.items():
        goals = [f"SONNX-DOUBLE.{item}"]
        if item == "EX1":
            goals = ["ops/double/examples.mlw:DoubleExamples.ex1'vc"]
        if item == "T":
            goals += [
                f"ops/double/definition.mlw:Double{{{integers}}}.width'refn'vc",
                "ops/double/definition.mlw:Double{Rational,Machine}.element'refn'vc",
                "ops/double/floats.mlw:DoubleFloat.element'refn'vc",
                "ops/double/floats.mlw:Double{Float16,BFloat16,Float32,Float64}.format'refn'vc",
            ]
        shown = f"vectors = {json.dumps(vectors)}" if vectors else _NO_VECTOR
        before, entry, rest = text.partition(f'id = "SONNX-DOUBLE.{item}"')
        rest = rest.replace('gap = "It is a skeleton."', f"goals = {json.dumps(goals)}\n{shown}", 1)
        text = before + entry + rest.replace('"planned"', '"formalised"', 1)
    text = text.replace("TO BE WRITTEN: ", "")
    (house.folder / FILES["requirements"]).write_text(text)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    made = emptied(House(tmp_path_factory.mktemp("house")))
    # The operator that it is to be like is declared until the skeleton is there.
    mul = made.folder / "sonnx_formal/spec/operators/mul.py"
    text = mul.read_text()
    mul.write_text(text.removesuffix("OPERATORS = ()\n"))
    done = made.run("new-operator", "double", "--like", "mul", "--inputs", "X")
    mul.write_text(text)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == list(FILES.values())
    return made


@pytest.fixture(scope="module")
def skeleton(house: House) -> tuple[str, str]:
    """What is said of the skeleton as it was written: by the prover, and by the trace."""
    return house.run(*PROVE).stdout, house.run("trace").stdout


@pytest.fixture(scope="module")
def filled(house: House, skeleton: tuple[str, str]) -> House:
    filled_in(house)
    return house


@pytest.mark.long
def test_the_skeleton_type_checks_and_the_trace_says_what_is_missing(
    skeleton: tuple[str, str],
) -> None:
    proved, traced = skeleton
    assert re.search(r"(\d+) of \1 goals proved", proved)
    for item in ("R1", "C1", "T", "FUNC"):
        assert re.search(rf"SONNX-DOUBLE\.{item}: .*it is being built", traced)
    assert "make it formalised and link what serves it" in traced


@pytest.mark.long
def test_it_is_proved(filled: House) -> None:
    done = filled.run(*PROVE, "--json", "prove.json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"(\d+) of \1 goals proved", done.stdout)


@pytest.mark.long
@pytest.mark.parametrize(
    ("type_", "operand", "result"),
    [
        ("int8", "[1, 100, -128]", "[2, -56, 0]"),
        ("real", "[1/3]", "[2/3]"),
        ("bfloat16", "[1.5, inf, -0]", "[3, inf, -0]"),
    ],
)
def test_it_is_evaluated(filled: House, type_: str, operand: str, result: str) -> None:
    done = filled.run("eval", "double", "--type", type_, operand)
    assert (done.stdout, done.stderr) == (f"{result}\n", "")


@pytest.mark.long
def test_its_vectors_are_checked_and_traced(filled: House) -> None:
    made = filled.run("vectors", "-o", "vectors")
    assert made.returncode == 0, made.stderr
    checked = filled.run(
        *("check", "--backend", "reference", "--vectors", "vectors", "--json", "check.json")
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    report = json.loads((filled.folder / "check.json").read_text())
    assert {row["operator"] for row in report["matrix"]} == {"double"}
    assert sum(row["counts"]["pass"] for row in report["matrix"]) > 500
    assert filled.run(*PROVE, "--json", "prove.json").returncode == 0
    traced = filled.run(
        *("trace", "--vectors", "vectors", "--check", "check.json", "--proofs", "prove.json")
    )
    assert "is missing" not in traced.stdout
    wrong = re.findall(
        r"SONNX-DOUBLE\.\S+: (?!planned).*(?:correct|add|link|prove).*", traced.stdout
    )
    assert wrong == []


@pytest.mark.long
def test_its_nodes_are_linted(filled: House) -> None:
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Neg", ["A"], ["B"])],
        "one",
        [value("A", TensorProto.INT8, (2,))],
        [value("B", TensorProto.INT8, (2,))],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)])
    onnx.save(model, filled.folder / "double.onnx")
    done = filled.run("lint", "double.onnx")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "double.onnx: conforms" in done.stdout


def remove(house: House, file: str) -> Callable[[], object]:
    path = house.folder / FILES[file]
    text = path.read_text()
    path.unlink()
    return lambda: path.write_text(text)


@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        ("theory", ("eval", "double", "--type", "int8", "1")),
        ("floats", ("eval", "double", "--type", "int8", "1")),
        ("declaration", ("trace",)),
        ("requirements", ("eval", "double", "--type", "int8", "1")),
        ("requirements", ("trace",)),
        ("reference", ("check", "--backend", "reference", "--op", "double", "--type", "int8")),
        ("reference", ("trace",)),
        ("examples", ("trace",)),
    ],
)
def test_a_file_that_is_left_out_is_named(
    filled: House, file: str, arguments: tuple[str, ...]
) -> None:
    restore = remove(filled, file)
    try:
        done = filled.run(*arguments)
    finally:
        restore()
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    named = FILES[file].removeprefix("why3/") if file == "examples" else FILES[file]
    assert named in done.stdout + done.stderr


def test_bad_input(house: House, tmp_path: Path) -> None:
    for arguments, message in (
        (("Double", "--like", "mul"), "'Double' is not in snake case"),
        (("double", "--like", "double"), "double is declared already"),
        (("twice", "--like", "doubel"), "there is no operator 'doubel': did you mean double?"),
        (("twice", "--like", "double", "--inputs", "X Y"), "'X Y' is not the name of an operand"),
    ):
        done = house.run("new-operator", *arguments)
        assert done.returncode == 2
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
