"""Explicit broadcasting: what is changed, that it is the same, and when it is refused."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator

from sonnx_formal.lint import fix
from sonnx_formal.lint.examination import Equivalence, Examination, FixEntry
from sonnx_formal.lint.fix import FixError, feeds, require_same, same
from sonnx_formal.lint.model import read
from sonnx_formal.lint.profile import LintVerdict, gravest
from sonnx_formal.spec.element_types import Array
from tests.lint.conftest import Shell
from tests.lint.models import (
    BF16,
    BOOL,
    F16,
    F32,
    F64,
    I32,
    I64,
    STRING,
    binary,
    model,
    node,
    save,
    sparse_value,
    tensor,
    value,
)


def _silent(_step: str, _what: str) -> None:
    pass


def fixed(what: onnx.ModelProto, folder: Path) -> tuple[onnx.ModelProto, FixEntry, Examination]:
    """The model that was written, what was done, and what is found of it."""
    path = save(what, folder)
    done, after = fix.fix(what, path, [], folder / "out.onnx", _silent)
    assert done.verdict is after.verdict
    return read(folder / "out.onnx"), done, after


def assert_nodes_conform(after: Examination) -> None:
    """Those that are judged: what makes shapes explicit, Expand and Constant, are not."""
    assert gravest(each.verdict for each in after.nodes) is LintVerdict.CONFORMS
    others = {(each.domain, each.operator) for each in after.others}
    assert {("", "Expand"), ("", "Constant")} <= others
    assert after.verdict is LintVerdict.NOT_JUDGED


def f32(elements: object) -> Array:
    return np.array(elements, np.float32)


def f64(elements: object) -> Array:
    return np.array(elements, np.float64)


def files(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def operators(graph: onnx.GraphProto) -> list[str]:
    return [entry.op_type for entry in graph.node]


@pytest.mark.parametrize(
    ("a", "b", "expands"),
    [
        ([2, 3], [3], 1),
        ([3], [2, 3], 1),
        ([2, 3], [1, 3], 1),
        ([2, 1], [1, 3], 2),
        ([2, 3], [], 1),
        ([], [2, 3], 1),
        ([4, 1, 3], [2, 1], 2),
        ([0], [1], 1),
        ([2, 0, 3], [1, 1, 1], 1),
    ],
)
@pytest.mark.parametrize("operator", ["Mul", "Div"])
def test_shapes(operator: str, a: list[int], b: list[int], expands: int, tmp_path: Path) -> None:
    result, done, after = fixed(binary(operator, a, b), tmp_path)
    assert operators(result.graph).count("Expand") == expands
    assert done.explicit == ("n",)
    assert done.equivalence.runs == 6
    assert_nodes_conform(after)
    onnx.checker.check_model(onnx.shape_inference.infer_shapes(result))


@pytest.mark.parametrize("element", [F16, BF16, F32, F64, I32, I64, onnx.TensorProto.UINT8])
def test_types(element: int, tmp_path: Path) -> None:
    _, _, after = fixed(binary("Mul", [2, 3], [3], of_a=element), tmp_path)
    assert_nodes_conform(after)


def test_a_constant_divisor_stays_one_that_is_known(tmp_path: Path) -> None:
    what = model(
        [node("Div", ["A", "B"], ["C"], name="n")],
        [value("A", [2, 3], I32)],
        [value("C", [2, 3], I32)],
        [tensor("B", [1, 2, 3], np.int32)],
    )
    _, _, after = fixed(what, tmp_path)
    assert_nodes_conform(after)


def test_inner_graphs_and_names(tmp_path: Path) -> None:
    """Two in one graph, one in a branch after them; names that are taken already."""
    branch = helper.make_graph(
        [node("Relu", ["x"], ["r"]), node("Mul", ["r", "B"], ["t"], name="n")],
        "then",
        [],
        [value("t", None)],
    )
    other = helper.make_graph([node("Relu", ["x"], ["e"])], "else", [], [value("e", None)])
    what = model(
        [
            node("Mul", ["A", "B"], ["n_B_expanded"], name="n"),
            node("Mul", ["B", "n_B_expanded"], ["x"], name="m"),
            node("If", ["c"], ["Y"], name="if", then_branch=branch, else_branch=other),
        ],
        [value("A"), value("B", [3]), value("c", [], BOOL)],
        [value("Y", None)],
    )
    result, _, after = fixed(what, tmp_path)
    each = ["Constant", "Expand", "Mul"]
    assert operators(result.graph) == [*each, *each, "If"]
    assert operators(result.graph.node[-1].attribute[0].g) == ["Relu", *each] or operators(
        result.graph.node[-1].attribute[1].g
    ) == ["Relu", *each]
    assert_nodes_conform(after)
    names = [name for entry in result.graph.node for name in entry.output]
    assert len(set(names)) == len(names)


def test_what_cannot_be_made_explicit_is_left(tmp_path: Path) -> None:
    """The shapes of one are open by the data; the result says so."""
    what = model(
        [
            node("Mul", ["A", "B"], ["x"], name="known"),
            node("NonZero", ["A"], ["z"]),
            node("Mul", ["z", "s"], ["Y"], name="open"),
        ],
        [value("A"), value("B", [3])],
        [value("x"), value("Y", None, I64)],
        [tensor("s", 2, np.int64)],
    )
    result, done, after = fixed(what, tmp_path)
    assert done.explicit == ("known",)
    assert operators(result.graph) == ["Constant", "Expand", "Mul", "NonZero", "Mul"]
    assert after.verdict is LintVerdict.VIOLATES


def test_the_result_of_the_command(shell: Shell, tmp_path: Path) -> None:
    path = save(binary("Mul", [2, 3], ["N"]), tmp_path)
    before = path.read_bytes()
    status, out, err = shell(path, "--input", "B=3", "--fix", "-o", "out.onnx")
    assert (status, err) == (2, "")
    assert "out.onnx: broadcasting is explicit at 1 node; " in out
    assert out.splitlines()[-1] == "out.onnx: not judged (1 of 3 nodes judged: 1 conforms)"
    assert path.read_bytes() == before
    written = read(tmp_path / "out.onnx")
    assert [entry.dim_value for entry in written.graph.input[1].type.tensor_type.shape.dim] == [3]
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([1, 2, 3], np.float32)
    (product,) = ReferenceEvaluator(written).run(None, {"A": a, "B": b})
    assert np.array_equal(product, a * b)
    assert files(tmp_path) == ["model.onnx", "out.onnx"]
    assert (tmp_path / "out.onnx").stat().st_mode & 0o777 == 0o644


def test_the_model_itself_is_replaced_only_if_o_says_so(shell: Shell, tmp_path: Path) -> None:
    path = save(binary("Mul", [2, 3], [3]), tmp_path)
    assert shell("model.onnx", "--fix", "-o", "model.onnx")[0] == 2
    assert operators(read(path).graph) == ["Constant", "Expand", "Mul"]
    assert shell("model.onnx")[0] == 2


def _with_random_numbers() -> onnx.ModelProto:
    return model(
        [node("RandomUniform", [], ["r"], shape=[2, 3]), node("Mul", ["r", "B"], ["C"], name="n")],
        [value("B", [3])],
        [value("C")],
    )


def _unknown_operator() -> onnx.ModelProto:
    return model(
        [node("Mystery", ["A"], ["x"], domain="custom"), node("Mul", ["A", "B"], ["C"], name="n")],
        [value("A"), value("B", [3])],
        [value("C"), value("x", None)],
        domains=["custom"],
    )


def _open_input() -> onnx.ModelProto:
    return model(
        [node("Mul", ["A", "B"], ["C"], name="n"), node("Relu", ["D"], ["E"])],
        [value("A"), value("B", [3]), value("D", ["N"])],
        [value("C"), value("E", None)],
    )


def _sparse_input() -> onnx.ModelProto:
    return model(
        [node("Mul", ["A", "B"], ["C"], name="n"), node("Identity", ["A"], ["E"])],
        [value("A"), value("B", [3]), sparse_value("S")],
        [value("C"), value("E", None)],
    )


def _never_runs() -> onnx.ModelProto:
    return model(
        [node("Mul", ["A", "B"], ["C"], name="n"), node("Reshape", ["C", "s"], ["E"])],
        [value("A"), value("B", [3])],
        [value("C"), value("E", None)],
        [tensor("s", [4], np.int64)],
    )


def _in_a_function() -> onnx.ModelProto:
    function = helper.make_function(
        "local",
        "F",
        ["x", "y"],
        ["z"],
        [node("Mul", ["x", "y"], ["z"], name="inner")],
        [helper.make_opsetid("", 14)],
    )
    return model(
        [node("F", ["A", "B"], ["C"], domain="local", name="call")],
        [value("A"), value("B", [3])],
        [value("C")],
        functions=[function],
        domains=["local"],
    )


NOTHING = "there is no broadcasting that can be made explicit: "
REFUSED = {
    "nothing to do": (binary("Mul"), f"{NOTHING}no element-wise node broadcasts its operands"),
    "open shapes": (
        binary("Mul", ["N", 3], [3]),
        f"{NOTHING}at n, the shapes are not known: fix those of inputs with --input",
    ),
    "no shapes": (binary("Mul", None, None), f"{NOTHING}at n, the shapes are not known"),
    "shapes that do not go together": (
        binary("Mul", [2, 3], [4]),
        f"{NOTHING}at n, the shapes do not go together",
    ),
    "opset 7": (
        binary("Mul", [2, 3], [3], opset=7),
        f"{NOTHING}at n, opset 7 has no Expand: convert the model to opset 8 or newer",
    ),
    "opset 6": (binary("Mul", [2, 3], [3], opset=6, broadcast=1), "at n, opset 6 has no Expand"),
    "batches of matrices": (
        binary("MatMul", [5, 2, 3], [3, 4]),
        f"{NOTHING}no element-wise node broadcasts its operands",
    ),
    "in a function": (_in_a_function(), "inner, it is in a function: inline the functions of the"),
    "two reasons": (
        model(
            [
                node("Mul", ["A", "B"], ["C"], name="n"),
                node("Mul", ["A", "D"], ["E"], name="m"),
                node("Mul", ["A", "D"], ["F"], name="k"),
            ],
            [value("A", [2]), value("B", [3]), value("D", ["N"])],
            [value("C", None), value("E", None), value("F", None)],
        ),
        "at n, the shapes do not go together; at m and 1 more, the shapes are not known",
    ),
    "random numbers": (_with_random_numbers(), "is the model deterministic?"),
    "an unknown operator": (
        _unknown_operator(),
        "the reference evaluator of onnx cannot run the model: node ",
    ),
    "an open input": (_open_input(), "fix its shape with --input"),
    "a sparse input": (_sparse_input(), "input S is sparse float32"),
    "a model that never runs": (
        _never_runs(),
        "the reference evaluator of onnx cannot run the model: node Reshape:E: cannot reshape",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(shell: Shell, tmp_path: Path, name: str) -> None:
    what, message = REFUSED[name]
    save(what, tmp_path)
    status, out, err = shell("model.onnx", "--fix", "-o", "out.onnx")
    assert status == 1
    assert out.splitlines()[-1].startswith("model.onnx: ")
    assert err.startswith("sonnx-formal: --fix refuses: ")
    assert message in err
    assert err.count("\n") == 1
    assert files(tmp_path) == ["model.onnx"]


def _beside_its_weights(folder: Path) -> Path:
    what = model(
        [node("Mul", ["A", "B"], ["C"], name="n")],
        [value("A")],
        [value("C")],
        [tensor("B", [1, 2, 3])],
    )
    path = folder / "model.onnx"
    onnx.save_model(
        what, str(path), save_as_external_data=True, location="weights", size_threshold=0
    )
    return path


def test_external_data_stays_where_it_is(shell: Shell, tmp_path: Path) -> None:
    path = _beside_its_weights(tmp_path)
    weights = (tmp_path / "weights").read_bytes()
    (tmp_path / "other").mkdir()
    status, _, err = shell(path, "--fix", "-o", "other/out.onnx")
    assert status == 1
    assert "has to stay beside it" in err
    assert shell(path, "--fix", "-o", "out.onnx")[0] == 2
    assert (tmp_path / "weights").read_bytes() == weights
    (initializer,) = read(tmp_path / "out.onnx").graph.initializer
    assert initializer.data_location == onnx.TensorProto.EXTERNAL


def test_a_change_that_is_wrong_is_noticed(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Square operands, the second one turned around: the shapes go together as before."""
    right = fix.explicit

    def wrong(
        what: onnx.ModelProto, chosen: Mapping[fix.Position, fix.BroadcastNode]
    ) -> onnx.ModelProto:
        changed = right(what, chosen)
        changed.graph.node[-1].input[0] = "D"
        return changed

    monkeypatch.setattr(fix, "explicit", wrong)
    what = model(
        [node("Transpose", ["A"], ["D"]), node("Mul", ["A", "B"], ["C"], name="n")],
        [value("A", [3, 3]), value("B", [3])],
        [value("C", [3, 3])],
    )
    save(what, tmp_path)
    status, _, err = shell("model.onnx", "--fix", "-o", "out.onnx")
    assert status == 1
    assert "C is another value" in err
    assert not (tmp_path / "out.onnx").exists()


@pytest.mark.parametrize("when", ["mkstemp", "chmod", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_nothing_is_left_of_a_file_that_could_not_be_written(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str, error: BaseException
) -> None:
    save(binary("Mul", [2, 3], [3]), tmp_path)
    (tmp_path / "out.onnx").write_bytes(b"before")

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(tempfile if when == "mkstemp" else Path, when, fail)
    status, _, err = shell("model.onnx", "--fix", "-o", "out.onnx")
    monkeypatch.undo()
    if isinstance(error, OSError):
        assert status == 1
        assert err.endswith("out.onnx could not be written: No space left on device\n")
    else:
        assert status == 130
    assert files(tmp_path) == ["model.onnx", "out.onnx"]
    assert (tmp_path / "out.onnx").read_bytes() == b"before"


@pytest.mark.parametrize(
    ("first", "other", "equal"),
    [
        (f32([1, 2]), f32([1, 2]), True),
        (f32([0.0]), f32([-0.0]), False),
        (f32([np.nan]), -f32([np.nan]), True),
        (f32([np.nan, 1]), f32([1, np.nan]), False),
        (f32([1, 2]), f64([1, 2]), False),
        (f32([1, 2]), f32([[1, 2]]), False),
        (
            np.array([1, np.nan], ml_dtypes.bfloat16),
            np.array([1, np.nan], ml_dtypes.bfloat16),
            True,
        ),
        (np.array([1], ml_dtypes.bfloat16), np.array([1.01], ml_dtypes.bfloat16), False),
        (np.array(["a", ""], object), np.array(["a", ""], object), True),
        (np.array(["a", ""], object), np.array(["a", "b"], object), False),
        ([np.float32(1), None], [np.float32(1), None], True),
        ([np.float32(1)], [np.float32(1), np.float32(1)], False),
        (None, np.float32(1), False),
    ],
)
def test_same(first: object, other: object, equal: bool) -> None:
    assert same(first, other) is equal
    assert same(other, first) is equal


def test_operands_are_seeded_and_special() -> None:
    what = model(
        [node("Mul", ["A", "B"], ["C"])],
        [
            value("A", [1000]),
            value("B", [1000], F16),
            value("i", [1000], I32),
            value("s", [9], STRING),
        ],
        [value("C", [1000])],
    )
    runs, again = [*feeds(what)], [*feeds(what)]
    assert [kind for kind, _ in runs] == [
        f"{kind} operands" for kind in ("ordinary", "special", "small") for _ in range(2)
    ]
    for (_, first), (_, other) in zip(runs, again, strict=True):
        assert all(same(first[name], other[name]) for name in ("A", "B", "i", "s"))
    assert not same(runs[0][1]["A"], runs[1][1]["A"])
    for name in ("A", "B"):
        special = runs[2][1][name]
        finite = special[np.isfinite(special)]
        assert np.isnan(special).any()
        assert set(np.sign(special[np.isinf(special)])) == {1, -1}
        assert set(np.signbit(special[special == 0])) == {False, True}
        assert abs(finite).max() == np.finfo(special.dtype).max
        assert np.finfo(special.dtype).smallest_subnormal in abs(finite)
    assert {-(2**31), 2**31 - 1} <= set(runs[2][1]["i"].tolist())


def test_equivalence_says_what_ran(tmp_path: Path) -> None:
    """Of an index, only small values are possible: the other runs fail before and after."""
    what = model(
        [node("Gather", ["A", "i"], ["g"]), node("Mul", ["g", "B"], ["C"], name="n")],
        [value("A", [2, 3]), value("i", [4], I64), value("B", [3])],
        [value("C", [4, 3])],
    )
    _, done, _ = fixed(what, tmp_path)
    assert (done.equivalence.runs, done.equivalence.not_run) == (2, 4)


def test_a_model_that_runs_less_often_is_another(tmp_path: Path) -> None:
    what = binary("Mul", [2, 3], [3])
    with pytest.raises(FixError, match="the changed model does not run"):
        require_same(what, _never_runs(), tmp_path, _silent)
    with pytest.raises(FixError, match="only the changed model runs"):
        require_same(_never_runs(), what, tmp_path, _silent)


def test_runs_say_what_goes_on(tmp_path: Path) -> None:
    said: list[tuple[str, str]] = []
    what = binary("Mul", [2, 3], [3])
    done = require_same(what, what, tmp_path, lambda step, which: said.append((step, which)))
    assert len(said) == done.runs == 6
    assert Equivalence(6, 1, 0) == done
