"""The verdict on each node of the hand-made set."""

from collections import Counter
from pathlib import Path

import onnx
import pytest

from sonnx_formal.lint.examination import UnjudgedOperator, examine
from sonnx_formal.lint.model import parse, read
from sonnx_formal.lint.profile import LintVerdict, NodeFinding, gravest
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.requirements.entries import Kind
from sonnx_formal.spec.requirements.registry import UnknownRequirementError, requirements
from tests.lint.cases import CASES, Case
from tests.lint.models import BAD, OK, OPEN, UNKNOWN, binary, model, node, save, tensor, value
from tests.lint.onnx_cases import DOCUMENTS

NOT_OF_A_MODEL = {Kind.DEFINITION, Kind.EXAMPLE, Kind.ACCURACY}
"""Kinds of requirements that are about results."""
OF_OTHER_VERSIONS = {"ONNX-SQUEEZE-13.FUNC", "ONNX-REDUCESUM-13.FUNC"}
"""Of nodes of a version that has the axes as an attribute."""
EXCEPTIONS = {
    # What they say is reported under the id that they refer to.
    "SONNX-MATMUL-FLOAT.B.C2",
    "SONNX-MATMUL-INT.B.C2",
    # ONNX has no real numbers, so that these come up only where the element type is unknown.
    "SONNX-MATMUL-REAL.A.C2",
    "SONNX-MATMUL-REAL.A.C3",
    "SONNX-MATMUL-REAL.B.C2",
    "SONNX-MATMUL-REAL.B.C3",
    "SONNX-MATMUL-REAL.Y.C1",
    "SONNX-MATMUL-REAL.Y.C2",
    # The same of Add and Sub, whose items on B are those on A.
    *(
        f"SONNX-{operator}-{part}.{item}"
        for operator in ("ADD", "SUB", "LESS")
        for part, items in {
            "REAL": ("A.C1", "B.C1", "C.C1", "T"),
            "INT": ("B.C1", "B.C2"),
            "FLOAT": ("B.C1", "B.C2"),
        }.items()
        for item in items
    ),
    # Where, whose items on X and Y are those on the condition.
    *(f"SONNX-WHERE-REAL.{item}" for item in ("CONDITION.C1", "X.C1", "Y.C1", "Z.C1", "T")),
    *(
        f"SONNX-WHERE-{part}.{item}"
        for part in ("INT", "FLOAT")
        for item in ("X.C1", "X.C2", "Y.C1", "Y.C2")
    ),
    # Max, of which the second item on X is that on Y.
    *(f"SONNX-MAX-REAL.{item}" for item in ("X.C1", "X.C2", "Y.C1", "T")),
    *(f"SONNX-MAX-{part}.X.C2" for part in ("INT", "FLOAT")),
    # Clip, whose items on the types of L and M, and on the shape of X, are those on X and on Y.
    *(f"SONNX-CLIP-REAL.{item}" for item in ("X.C1", "L.C1", "M.C1", "Y.C1", "T")),
    *(f"SONNX-CLIP-{item}" for item in ("INT.X.C1", "FLOAT.X.C1", "FLOAT.L.C2", "FLOAT.M.C2")),
    # Sqrt and LeakyRelu, of which ONNX has what is over floats, and alpha under its own id.
    *(f"SONNX-SQRT-REAL.{item}" for item in ("X.C1", "X.C2", "Y.C1", "T")),
    *(f"SONNX-SQRT-FLOAT.{item}" for item in ("X.C1", "X.C2", "Y.C2")),
    *(f"SONNX-LEAKYRELU-REAL.{item}" for item in ("R1", "ATTR.ALPHA", "X.C1", "Y.C1", "T")),
    *(f"SONNX-LEAKYRELU-FLOAT.{item}" for item in ("R1", "X.C1")),
    # Reshape, of which the items on Y and S say the same as those on X and allowzero.
    *(f"SONNX-RESHAPE.{item}" for item in ("S.C2", "S.C3", "Y.C1")),
    # Concat, whose axis is in the range of C2 if it is in those of R1 and C1. A node without
    # operands or axis is no node of ONNX, and of the shape of Y one item is enough.
    *(f"SONNX-CONCAT.{item}" for item in ("ATTR.AXIS", "AXIS.C2", "X.C1", "Y.C1", "Y.C2")),
    # Slice: of the shape of Y one item is enough.
    "SONNX-SLICE.X.C2",
    # Conv: a node whose auto_pad is no text is no node of ONNX.
    "SONNX-CONV.ATTR.AUTO_PAD",
    # MaxPool: nor is one without kernel_shape.
    "SONNX-MAXPOOL.ATTR.KERNEL_SHAPE",
    # Flatten, whose item on X says the same as that on axis.
    "SONNX-FLATTEN.X.C1",
    # Gemm, whose item on C says the same as R3. No node is of its type, which alone is said then.
    *(f"SONNX-GEMM.{item}" for item in ("C.SHAPE", "Y.SHAPE")),
    # Documents of ONNX: what is said of an attribute that may be left out is violated by one of
    # another kind, which is no node of ONNX; nor is an AveragePool without kernel_shape.
    *(
        f"ONNX-{document}.ATTR.{attribute}"
        for document, attributes in {
            "AVERAGEPOOL-19": ("KERNEL_SHAPE",),
            "CONVINTEGER-10": (
                *("AUTO_PAD", "DILATIONS", "GROUP", "KERNEL_SHAPE", "PADS", "STRIDES"),
            ),
            "DEQUANTIZELINEAR-21": ("AXIS", "BLOCK_SIZE"),
            "QUANTIZELINEAR-21": ("AXIS", "BLOCK_SIZE", "OUTPUT_DTYPE", "SATURATE"),
            "REDUCESUM-13": ("KEEPDIMS", "NOOP_WITH_EMPTY_AXES"),
            "TRANSPOSE-13": ("PERM",),
        }.items()
        for attribute in attributes
    ),
    # Nor is a Min of nothing.
    "ONNX-MIN-13.DATA_0.C1",
    # And this one is about elements of the result.
    "ONNX-QUANTIZELINEAR-21.Y.C1",
    # And of operators of one operand; there is no other shape, and nothing to broadcast.
    *("SONNX-NEG.R4", "SONNX-NEG.A.C1"),
    *(
        f"SONNX-{operator}-{part}.{item}"
        for operator in ("ABS", "RELU")
        for part, items in {
            "REAL": ("X.C1", "Y.C1", "T"),
            "INT": ("X.C1",),
            "FLOAT": ("X.C1",),
        }.items()
        for item in items
    ),
}


@pytest.mark.parametrize("case", CASES, ids=[entry.name for entry in CASES])
def test_findings(case: Case, tmp_path: Path) -> None:
    path = save(case.model, tmp_path)
    examination = examine(read(path), path, [parse(entry) for entry in case.inputs])
    assert len(examination.nodes) == case.nodes
    found = {
        entry.node: {(each.requirement, each.verdict) for each in entry.findings}
        for entry in examination.nodes
    }
    assert {name: each for name, each in found.items() if each} == case.expected
    for entry in examination.nodes:
        assert entry.verdict == gravest(each.verdict for each in entry.findings)
        for each in entry.findings:
            assert len(each.found.splitlines()) == len(each.advice.splitlines()) == 1


def test_names_are_unique() -> None:
    assert Counter(entry.name for entry in CASES).most_common(1)[0][1] == 1


def test_every_requirement_has_a_case_either_way() -> None:
    """What is found somewhere, for each requirement that a model can meet or violate."""
    found: dict[str, set[LintVerdict]] = {}
    for case in CASES:
        for findings in case.expected.values():
            for identifier, verdict in findings:
                found.setdefault(identifier, set()).add(verdict)
    wanted = {
        entry.id
        for entry in requirements().values()
        if entry.document.startswith("SONNX") or entry.document in DOCUMENTS
        if entry.kind not in NOT_OF_A_MODEL
    }
    assert wanted - set(found) == EXCEPTIONS
    assert set(found) - wanted == {
        *(f"ONNX-MUL-{version}.T" for version in (1, 6, 7, 13)),
        *(f"ONNX-MUL-{version}.B.C1" for version in (1, 6)),
        "SONNX-CLIP-FLOAT.FUNC",  # of a node without bounds
        *OF_OTHER_VERSIONS,
    }
    for identifier, verdicts in found.items():
        assert (
            verdicts == {OK}
            if identifier == "SONNX-DIV.R5"
            else BAD in verdicts
            or (
                identifier.startswith(("SONNX-MATMUL-REAL", "SONNX-NEG.R1", "SONNX-SLICE.R5"))
                and OPEN in verdicts
            )
            or (identifier in OF_OTHER_VERSIONS and verdicts == {OPEN})
        )
    conforming = {
        node.op_type for case in CASES if not case.expected for node in case.model.graph.node
    }
    declared = {each.onnx.op_type for each in operators() if each.onnx}
    assert declared - conforming == {"Gemm"}  # its document has no type that ONNX has


def test_every_document_of_onnx_that_models_are_judged_by_has_cases() -> None:
    of_sonnx = {each.onnx.op_type for each in operators() if each.system == "SONNX" and each.onnx}
    judged_by = {
        document
        for each in operators()
        if each.system == "ONNX" and each.onnx and each.onnx.op_type not in of_sonnx
        for document in each.documents.values()
    }
    assert judged_by == DOCUMENTS.keys()


def test_a_finding_has_an_id_of_the_registry() -> None:
    with pytest.raises(UnknownRequirementError):
        NodeFinding("SONNX-MUL.R9", BAD, "x", "y")


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ([], OK),
        ([OK], OK),
        ([OK, OPEN], OPEN),
        ([OPEN, BAD, OK], BAD),
        ([OK, LintVerdict.NOT_JUDGED], LintVerdict.NOT_JUDGED),
        ([OPEN, LintVerdict.NOT_JUDGED], OPEN),
        ([BAD], BAD),
    ],
)
def test_the_verdict_on_a_whole(verdicts: list[LintVerdict], whole: LintVerdict) -> None:
    assert gravest(verdicts) is whole


def test_other_operators_are_counted(tmp_path: Path) -> None:
    what = model(
        [
            node(UNKNOWN, ["A"], ["a"]),
            node(UNKNOWN, ["a"], ["b"]),
            node("Mystery", ["b"], ["c"], domain="custom"),
        ],
        [value("A")],
        [value("c", None)],
        domains=["custom"],
    )
    examination = examine(what, tmp_path / "model.onnx")
    assert examination.others == (
        UnjudgedOperator("", UNKNOWN, 2),
        UnjudgedOperator("custom", "Mystery", 1),
    )
    assert examination.nodes == ()
    assert examination.verdict is LintVerdict.NOT_JUDGED
    assert not examination.conforms
    assert examination.coverage == "0 of 3 nodes judged"
    assert examination.unjudged == f"{UNKNOWN} 2, custom::Mystery 1"


def test_a_divisor_in_a_file_beside_the_model(tmp_path: Path) -> None:
    what = model(
        [node("Div", ["A", "B"], ["C"], name="n")],
        [value("A", [3], onnx.TensorProto.INT32)],
        [value("C", [3], onnx.TensorProto.INT32)],
        [tensor("B", [1, 0, 2], "int32")],
    )
    path = tmp_path / "model.onnx"
    onnx.save_model(
        what, str(path), save_as_external_data=True, location="weights", size_threshold=0
    )
    assert (tmp_path / "weights").stat().st_size == 12
    (judged,) = examine(read(path), path).nodes
    assert [entry.requirement for entry in judged.findings] == ["SONNX-DIV.C2"]
    assert "zero at one index, the first (1,)" in judged.findings[0].found


def test_a_constant_in_a_file_beside_the_model(tmp_path: Path) -> None:
    what = model(
        [
            node("Constant", [], ["B"], value=tensor("elements", [1, 0, 2], "int32")),
            node("Div", ["A", "B"], ["C"], name="n"),
        ],
        [value("A", [3], onnx.TensorProto.INT32)],
        [value("C", [3], onnx.TensorProto.INT32)],
    )
    path = tmp_path / "model.onnx"
    onnx.save_model(
        what,
        str(path),
        save_as_external_data=True,
        location="weights",
        size_threshold=0,
        convert_attribute=True,
    )
    assert (tmp_path / "weights").stat().st_size == 12
    (judged,) = examine(read(path), path).nodes
    assert {(each.requirement, each.verdict) for each in judged.findings} == {("SONNX-DIV.C2", BAD)}


def test_a_contradiction_is_noted_and_the_rest_is_judged(tmp_path: Path) -> None:
    what = model(
        [node("Concat", ["A", "B"], ["x"], axis=0), node("Mul", ["A", "A"], ["C"], name="n")],
        [value("A", [2, 3]), value("B", [2, 4])],
        [value("C"), value("x", None)],
    )
    examination = examine(what, tmp_path / "model.onnx")
    (note,) = examination.notes
    assert note.startswith("shape inference: ")
    assert "Concat" in note
    assert [entry.verdict for entry in examination.nodes] == [BAD, OK]


def test_a_function_that_is_never_called_is_noted(tmp_path: Path) -> None:
    what = binary("Mul")
    called = next(entry for entry in CASES if entry.name == "function: conforms").model
    what.functions.extend(called.functions)
    examination = examine(what, tmp_path / "model.onnx")
    assert examination.notes == ("function local::Scaled is never called",)


def test_an_element_type_that_onnx_does_not_have_is_unknown(tmp_path: Path) -> None:
    what = binary("Mul")
    what.graph.input[0].type.tensor_type.elem_type = 99
    (judged,) = examine(what, tmp_path / "model.onnx").nodes
    assert {(entry.requirement, entry.verdict) for entry in judged.findings} == {
        ("SONNX-MUL.T", OPEN)
    }


def test_a_constant_that_refers_to_no_attribute_is_unknown(tmp_path: Path) -> None:
    constant = node("Constant", [], ["B"], value_int=0)
    constant.attribute[0].ref_attr_name = "nowhere"
    what = model(
        [constant, node("Div", ["A", "B"], ["C"])],
        [value("A", [], onnx.TensorProto.INT64)],
        [value("C", [], onnx.TensorProto.INT64)],
    )
    (judged,) = examine(what, tmp_path / "model.onnx").nodes
    assert judged.verdict is OPEN
