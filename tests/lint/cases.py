"""The hand-made set: models, and what is right to say of each node.

A node that is not named has no finding. Requirements are those of the source documents; who
changes an expectation here has to have read them.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import helper

from sonnx_formal.lint.profile import LintVerdict
from tests.lint import conv_cases, max_pool_cases, onnx_cases, reshape_cases, structural_cases
from tests.lint.models import (
    BAD,
    BF16,
    BOOL,
    C64,
    F8,
    F16,
    F32,
    F64,
    I8,
    I32,
    I64,
    OK,
    OPEN,
    STRING,
    U8,
    UNKNOWN,
    binary,
    divided_by,
    model,
    node,
    sparse,
    sparse_value,
    tensor,
    unary,
    untyped,
    value,
)

Expected = dict[str, set[tuple[str, LintVerdict]]]


@dataclass(frozen=True, eq=False)
class Case:
    name: str
    model: onnx.ModelProto
    nodes: int
    """How many nodes of declared operators there are to judge."""
    expected: Expected = field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    """As --input gives them."""


def bad(*requirements: str) -> Expected:
    return {"n": {(entry, BAD) for entry in requirements}}


def unknown(*requirements: str) -> Expected:
    return {"n": {(entry, OPEN) for entry in requirements}}


def single(
    name: str, what: onnx.ModelProto, expected: Expected | None = None, *inputs: str
) -> Case:
    return Case(name, what, 1, expected or {}, inputs)


def _elementwise(operator: str) -> list[Case]:
    """What Mul and Div have in common."""
    document = f"SONNX-{operator.upper()}"

    def case(name: str, what: onnx.ModelProto, *items: str, verdict: LintVerdict = BAD) -> Case:
        expected = {"n": {(f"{document}.{item}", verdict) for item in items}} if items else {}
        return single(f"{operator}: {name}", what, expected)

    def binary_(*shapes: object, **options: object) -> onnx.ModelProto:
        return binary(operator, *shapes, **options)  # type: ignore[arg-type]

    return [
        case("float32, one shape", binary_()),
        case("rank 0", binary_([], [])),
        case("a dimension of zero", binary_([0, 3], [0, 3])),
        case("float16", binary_(of_a=F16)),
        case("bfloat16", binary_(of_a=BF16)),
        case("float64, opset 7", binary_(of_a=F64, opset=7)),
        case("newest opset", binary_(opset=onnx.defs.onnx_opset_version())),
        case("one symbol on both sides", binary_(["N", 3], ["N", 3])),
        case("result as declared", binary_(["N", 3], ["N", 3], ["N", 3])),
        case("result declared with another symbol", binary_([2, 3], [2, 3], ["M", 3])),
        case("shapes that no broadcasting brings together", binary_([2, 3], [4, 3]), "R1"),
        case("one size, two shapes", binary_([2, 3], [3, 2]), "R1"),
        case("ranks that no broadcasting brings together", binary_([2, 3], [2]), "R1"),
        case("symbols do not hide it", binary_(["N", 3], ["M", 4]), "R1"),
        case("two symbols", binary_(["N", 3], ["M", 3]), "R1", verdict=OPEN),
        case("a symbol and a number", binary_(["N", 3], [2, 3]), "R1", verdict=OPEN),
        case("a symbol and 1", binary_(["N", 3], [1, 3]), "R1", verdict=OPEN),
        case("a dimension without a name", binary_([None, 3], [None, 3]), "R1", verdict=OPEN),
        case("question marks are no symbols", binary_(["?", 3], ["?", 3]), "R1", verdict=OPEN),
        case("a negative dimension", binary_([-1, 3], [-1, 3]), "R1", verdict=OPEN),
        case("rank unknown", binary_(None, [2, 3]), "R1", verdict=OPEN),
        case("broadcast of a dimension", binary_([2, 3], [1, 3]), "R4"),
        case("broadcast of a rank", binary_([3], [2, 3]), "R4"),
        case("broadcast of rank 0", binary_([2, 3], []), "R4"),
        case("broadcast both ways", binary_([2, 1], [1, 3]), "R4"),
        case("broadcast to nothing", binary_([0], [1]), "R4"),
        case("broadcast beside a symbol", binary_(["N", 1], ["M", 3]), "R4"),
        case("broadcast of a symbol's rank", binary_(["N", 3], [3]), "R4"),
        case("booleans", binary_(of_a=BOOL), "R3"),
        case("strings", binary_(of_a=STRING), "R3"),
        case("complex numbers", binary_(of_a=C64), "R3"),
        case("two types", binary_(of_a=F32, of_b=I32), "R3"),
        case("float8", binary_(of_a=F8), "R3"),
        case("result of another type", binary_(of_c=F64), "T"),
        case("result of another rank", binary_(c=[6]), "C1"),
        case("result of another dimension", binary_(c=[2, 4]), "C1"),
        single(
            f"{operator}: broadcast of an initializer",
            model(
                [node(operator, ["A", "B"], ["C"], name="n")],
                [value("A")],
                [value("C")],
                [tensor("B", [1, 2, 3])],
            ),
            bad(f"{document}.R4"),
        ),
        single(
            f"{operator}: sparse initializer",
            model(
                [node(operator, ["A", "B"], ["C"], name="n")],
                [value("A", [6])],
                [value("C", [6])],
                sparse_initializers=[sparse("B")],
            ),
            bad(f"{document}.R2"),
        ),
        single(
            f"{operator}: sparse Constant",
            model(
                [
                    node("Constant", [], ["B"], sparse_value=sparse("values")),
                    node(operator, ["A", "B"], ["C"], name="n"),
                ],
                [value("A", [6])],
                [value("C", [6])],
            ),
            bad(f"{document}.R2"),
        ),
        single(
            f"{operator}: sparse input, which is broadcast besides",
            model(
                [node(operator, ["A", "B"], ["C"], name="n")],
                [sparse_value("A"), value("B", [1])],
                [value("C")],
            ),
            bad(f"{document}.R2", f"{document}.R4"),
        ),
        single(
            f"{operator}: type and shape of an unknown operator's output",
            model(
                [
                    node("Mystery", ["A"], ["B"], domain="custom"),
                    node(operator, ["A", "B"], ["C"], name="n"),
                ],
                [value("A")],
                [value("C")],
                domains=["custom"],
            ),
            unknown(f"{document}.T", f"{document}.R1"),
        ),
    ]


MUL = [
    single("Mul: int8", binary("Mul", of_a=I8)),
    single("Mul: int64", binary("Mul", of_a=I64)),
    single("Mul: type that opset 13 lacks", binary("Mul", of_a=I8, opset=13), bad("ONNX-MUL-13.T")),
    single("Mul: type that opset 7 lacks", binary("Mul", of_a=BF16, opset=7), bad("ONNX-MUL-7.T")),
    single("Mul: type that opset 6 lacks", binary("Mul", of_a=I8, opset=6), bad("ONNX-MUL-6.T")),
    single("Mul: type that opset 1 lacks", binary("Mul", of_a=I32, opset=1), bad("ONNX-MUL-1.T")),
    single("Mul: opset 6", binary("Mul", opset=6)),
    single("Mul: opset 1", binary("Mul", opset=1, consumed_inputs=[0, 0])),
    single("Mul: opset 6, nothing to broadcast", binary("Mul", opset=6, broadcast=1)),
    single(
        "Mul: opset 6, broadcast along an axis",
        binary("Mul", [2, 3, 4], [3], opset=6, broadcast=1, axis=1),
        bad("SONNX-MUL.R4"),
    ),
    single(
        "Mul: opset 6, broadcast without being told",
        binary("Mul", [2, 3], [3], opset=6),
        bad("SONNX-MUL.R4", "ONNX-MUL-6.B.C1"),
    ),
    single(
        "Mul: opset 1, two shapes",
        binary("Mul", [2, 3], [4], opset=1),
        bad("SONNX-MUL.R1", "ONNX-MUL-1.B.C1"),
    ),
    single("Mul: --input decides that it conforms", binary("Mul", ["N", 3], ["M", 3]), {}, "A=2x3",
        "B=2x3"),
    single("Mul: --input decides that it does not", binary("Mul", ["N", 3], ["M", 3]),
        bad("SONNX-MUL.R4"), "A=1x3", "B=2x3"),
    single("Mul: --input of one symbol", binary("Mul", ["N", 3], ["N", "N"]), {}, "A=3x3"),
    single("Mul: --input of rank 0", binary("Mul", None, []), {}, "A="),
]  # fmt: skip

DIV = [
    single("Div: int32 by a constant", divided_by([1, -2, 3], np.int32, I32)),
    single("Div: int32 by zero", divided_by([1, 0, 3], np.int32, I32), bad("SONNX-DIV.C2")),
    single("Div: int8 by zero", divided_by([0, 0, 0], np.int8, I8), bad("SONNX-DIV.C2")),
    single("Div: int64 by an input", binary("Div", of_a=I64), unknown("SONNX-DIV.C2")),
    single("Div: int64 by an input without elements", binary("Div", [0], [0], of_a=I64)),
    single("Div: float32 by a constant", divided_by([1, 2, 3], np.float32, F32)),
    single(
        "Div: float32 by zeros", divided_by([0.0, -0.0, 3], np.float32, F32),
        {"n": {("SONNX-DIV.R5", OK)}},
    ),
    single(
        "Div: float16 by zero", divided_by([1, 0, 3], np.float16, F16),
        {"n": {("SONNX-DIV.R5", OK)}},
    ),
    single(
        "Div: a divisor that is an input with a default",
        model(
            [node("Div", ["A", "B"], ["C"], name="n")],
            [value("A", [3], I32), value("B", [3], I32)],
            [value("C", [3], I32)],
            [tensor("B", [1, 2, 3], np.int32)],
        ),
        unknown("SONNX-DIV.C2"),
    ),
    single(
        "Div: the same in IR version 3, where it is no default",
        model(
            [node("Div", ["A", "B"], ["C"], name="n")],
            [value("A", [3], I32), value("B", [3], I32)],
            [value("C", [3], I32)],
            [tensor("B", [1, 0, 3], np.int32)],
            ir_version=3,
        ),
        bad("SONNX-DIV.C2"),
    ),
    single(
        "Div: a Constant of one integer",
        model(
            [
                node("Constant", [], ["B"], value_int=0),
                node("Div", ["A", "B"], ["C"], name="n"),
            ],
            [value("A", [], I64)],
            [value("C", [], I64)],
        ),
        bad("SONNX-DIV.C2"),
    ),
    single(
        "Div: a Constant, cast and expanded",
        model(
            [
                node("Constant", [], ["b"], value_floats=[0.5, 2.0, 3.0]),
                node("Cast", ["b"], ["i"], to=I32),
                node("Expand", ["i", "s"], ["B"]),
                node("Div", ["A", "B"], ["C"], name="n"),
            ],
            [value("A", [2, 3], I32)],
            [value("C", [2, 3], I32)],
            [tensor("s", [2, 3], np.int64)],
        ),
        bad("SONNX-DIV.C2"),
    ),
    single(
        "Div: a constant, computed in a way that is not followed",
        model(
            [node("Mod", ["b", "b"], ["B"]), node("Div", ["A", "B"], ["C"], name="n")],
            [value("A", [3], I32)],
            [value("C", [3], I32)],
            [tensor("b", [1, 2, 3], np.int32)],
        ),
        unknown("SONNX-DIV.C2"),
    ),
    single(
        "Div: type that opset 13 lacks", binary("Div", [0], [0], of_a=I8, opset=13),
        bad("SONNX-DIV.T"),
    ),
    single(
        "Div: opset 6, broadcast along an axis",
        binary("Div", [2, 3, 4], [3], opset=6, broadcast=1, axis=1),
        bad("SONNX-DIV.R4"),
    ),
]  # fmt: skip


def _of_three_parts(operator: str) -> list[Case]:
    """What Add and Sub have in common: a part of the document for integers, one for floats."""
    document = f"SONNX-{operator.upper()}"

    def case(name: str, item: str, *shapes: object, part: str = "FLOAT", **options: Any) -> Case:
        what = binary(operator, *shapes, **options)  # type: ignore[arg-type]
        return single(f"{operator}: {name}", what, bad(f"{document}-{part}.{item}") if item else {})

    return [
        case("float32, one shape", ""),
        case("int8, one shape", "", of_a=I8),
        case("shapes that differ", "A.C1", [2, 3], [4, 3]),
        case("shapes that differ, integers", "A.C1", [2, 3], [4, 3], part="INT", of_a=I8),
        case("nothing is broadcast", "A.C1", [2, 3], [1, 3]),
        case("two types", "A.C2", of_a=F32, of_b=F64),
        case("two types of integers", "A.C2", part="INT", of_a=I8, of_b=I32),
        case("bfloat16 is in no list", "T", of_a=BF16),
        case("booleans", "T", part="INT", of_a=BOOL),
        case("result of another shape", "C.C1", c=[6]),
        case("result of another shape, integers", "C.C1", c=[6], part="INT", of_a=I8),
        case("result of another type", "C.C2", of_c=F64),
        case("result of another type, integers", "C.C2", part="INT", of_a=I8, of_c=I32),
        single(
            f"{operator}: sparse initializer",
            model(
                [node(operator, ["A", "B"], ["C"], name="n")],
                [value("A", [6])],
                [value("C", [6])],
                sparse_initializers=[sparse("B")],
            ),
            bad("SONNX-GENERAL.GR1"),
        ),
    ]


@dataclass(frozen=True)
class _Alone:
    """Where the documents of an operator of one operand state what a model can violate."""

    operator: str
    floats: str
    integers: str
    sparse: str
    no_number: str
    of_the_result: str
    shape: str
    open_shape: str = ""
    of_signed: str = ""
    """What nobody knows of signed integers before the model runs."""

    def cases(self) -> list[Case]:
        def case(
            name: str,
            part: str,
            item: str,
            *shapes: Any,
            verdict: LintVerdict = BAD,
            **options: Any,
        ) -> Case:
            found = {(f"{part}.{item}", verdict)} if item else set()
            if self.of_signed and options.get("of_x") == I8:
                found.add((f"{part}.{self.of_signed}", OPEN))
            what = unary(self.operator, *shapes, **options)
            return single(f"{self.operator}: {name}", what, {"n": found} if found else {})

        floats, integers = self.floats, self.integers
        return [
            case("float32", floats, ""),
            case("rank 0", floats, "", [], []),
            case("rank unknown", floats, self.open_shape, None, verdict=OPEN),
            case("a symbol", floats, self.open_shape, ["N", 3], ["M", 3], verdict=OPEN),
            case("int8, opset 14", integers, "", of_x=I8),
            case("float16, opset 6", floats, "", of_x=F16, opset=6),
            case("booleans", integers, self.no_number, of_x=BOOL),
            case("float8", floats, self.no_number, of_x=F8),
            case("result of another shape", floats, self.shape, [2, 3], [6]),
            case("result of another shape, integers", integers, self.shape, [2], [3], of_x=I8),
            case("result of another type", floats, self.of_the_result, of_y=F64),
            case(
                "result of another type, integers", integers, self.of_the_result, of_x=I8, of_y=I32
            ),
            single(
                f"{self.operator}: sparse initializer",
                model(
                    [node(self.operator, ["X"], ["Y"], name="n")],
                    [],
                    [value("Y", [6])],
                    sparse_initializers=[sparse("X")],
                ),
                bad(self.sparse),
            ),
        ]


def _alone_in_three_parts(operator: str, of_signed: str = "") -> list[Case]:
    floats, integers = (f"SONNX-{operator.upper()}-{part}" for part in ("FLOAT", "INT"))
    alone = _Alone(operator, floats, integers, "SONNX-GENERAL.GR1", "T", "T", "Y.C1", "", of_signed)
    lacking = unary(operator, of_x=BF16)
    return [*alone.cases(), single(f"{operator}: bfloat16", lacking, bad(f"{floats}.T"))]


ALONE = [
    *_Alone("Neg", "SONNX-NEG", "SONNX-NEG", "SONNX-NEG.R2", "R3", "T", "B.C1", "R1").cases(),
    single("Neg: bfloat16", unary("Neg", of_x=BF16)),
    # ONNX does not have them: the document does.
    single("Neg: unsigned integers", unary("Neg", of_x=U8), bad("SONNX-NEG.T")),
    *_alone_in_three_parts("Abs", "X.C2"),
    single("Abs: int8 without elements", unary("Abs", [0, 3], of_x=I8)),
    *(
        single(
            f"Abs: the constant {element}",
            model(
                [node("Abs", ["X"], ["Y"], name="n")],
                [],
                [value("Y", [3], I8)],
                [tensor("X", [5, element, 127], np.int8)],
            ),
            bad("SONNX-ABS-INT.X.C2") if element == -128 else {},
        )
        for element in (-128, -127)
    ),
    single("Abs: unsigned integers", unary("Abs", of_x=U8)),
    *_alone_in_three_parts("Relu"),
    single("Relu: unsigned integers", unary("Relu", of_x=U8), bad("SONNX-RELU-INT.T")),
    single("Relu: type that opset 13 lacks", unary("Relu", of_x=I8, opset=13),
           bad("SONNX-RELU-INT.T")),
]  # fmt: skip


def _less(name: str, item: str, *shapes: object, part: str = "FLOAT", **options: Any) -> Case:
    what = binary("Less", *shapes, **{"of_c": BOOL, **options})  # type: ignore[arg-type]
    return single(f"Less: {name}", what, bad(f"SONNX-LESS-{part}.{item}") if item else {})


LESS = [
    _less("float32, one shape", ""),
    _less("int8, one shape", "", of_a=I8),
    _less("shapes that differ", "A.C1", [2, 3], [4, 3]),
    _less("shapes that differ, integers", "A.C1", [2, 3], [4, 3], part="INT", of_a=I8),
    _less("nothing is broadcast", "A.C1", [2, 3], [1, 3]),
    _less("two types", "A.C2", of_a=F32, of_b=F64),
    _less("two types of integers", "A.C2", part="INT", of_a=I8, of_b=I32),
    _less("bfloat16 is in no list", "T", of_a=BF16),
    _less("booleans", "T", part="INT", of_a=BOOL),
    _less("result of another shape", "C.C1", c=[6]),
    _less("result of another shape, integers", "C.C1", c=[6], part="INT", of_a=I8),
]


def _where(  # noqa: PLR0913
    name: str,
    item: str,
    *shapes: Any,
    part: str = "FLOAT",
    of_c: int = BOOL,
    of_x: int = F32,
    of_y: int | None = None,
    of_z: int | None = None,
) -> Case:
    condition, x, y, z = (*shapes, *[[2, 3]] * (3 - len(shapes)), None)[:4]
    what = model(
        [node("Where", ["C", "X", "Y"], ["Z"], name="n")],
        [value("C", condition, of_c), value("X", x, of_x), value("Y", y, of_y or of_x)],
        [value("Z", z, of_z or of_x)],
    )
    return single(f"Where: {name}", what, bad(f"SONNX-WHERE-{part}.{item}") if item else {})


WHERE = [
    _where("float32", ""),
    _where("int8", "", of_x=I8),
    _where("shapes that differ", "CONDITION.C1", [3], [2, 3], [2, 3]),
    _where("shapes that differ, integers", "CONDITION.C1", [2], [2], [3], part="INT", of_x=I8),
    _where("two types", "CONDITION.C2", of_y=F64),
    _where("two types of integers", "CONDITION.C2", of_x=I8, of_y=I32, part="INT"),
    _where("a condition of numbers", "T", of_c=I8),
    _where("a condition of numbers, integers", "T", of_c=I8, of_x=I8, part="INT"),
    _where("bfloat16 is in no list", "T", of_x=BF16),
    _where("result of another shape", "Z.C1", [2, 3], [2, 3], [2, 3], [6]),
    _where("result of another type", "Z.C2", of_z=F64),
    _where("result of another shape, integers", "Z.C1", [2], [2], [2], [3], of_x=I8, part="INT"),
    _where("result of another type, integers", "Z.C2", of_x=I8, of_z=I32, part="INT"),
]


def _max(name: str, item: str, *shapes: Any, part: str = "FLOAT", **options: Any) -> Case:
    """Of operands of these shapes, the last one that of the result."""
    *operands, result = shapes
    of_x = options.get("of_x", F32)
    names = [f"X{number}" for number in range(len(operands))]
    what = model(
        [node("Max", names, ["Y"], name="n")],
        [value(x, shape, of_x) for x, shape in zip(names, operands, strict=True)],
        [value("Y", result, of_x)],
    )
    verdict = options.get("verdict", bad)
    return single(f"Max: {name}", what, verdict(f"SONNX-MAX-{part}.{item}") if item else {})


MAX = [
    _max("float32, broadcast", "", [2, 3], [3], [], [2, 3]),
    _max("int8, one operand", "", [2, 3], [2, 3], of_x=I8),
    _max("shapes that do not go together", "X.C1", [2, 3], [2], None),
    _max("shapes that do not go together, integers", "X.C1", [2], [3], None, of_x=I8, part="INT"),
    _max("symbols", "X.C1", ["N", 3], ["M", 3], None, verdict=unknown),
    _max("one symbol", "", ["N", 3], ["N", 1], ["N", 3]),
    _max("bfloat16 is in no list", "T", [2], [2], [2], of_x=BF16),
    _max("booleans", "T", [2], [2], [2], of_x=BOOL, part="INT"),
    _max("result of another shape", "Y.C1", [2], [2], [3]),
    _max("result of another shape, integers", "Y.C1", [2], [1], [1], of_x=I8, part="INT"),
]


def _clip(  # noqa: PLR0913
    name: str,
    item: str,
    *shapes: Any,
    part: str = "FLOAT",
    of_x: int = F32,
    of_m: int | None = None,
    of_y: int | None = None,
    **options: Any,
) -> Case:
    """Of X, L, M and Y of these shapes; without them, of such as go together."""
    usual: list[Any] = [[2, 3], [], [], None]
    x, l, m, y = [*shapes, *usual[len(shapes) :]]  # noqa: E741
    what = model(
        [node("Clip", ["X", "L", "M"], ["Y"], name="n")],
        [value("X", x, of_x), value("L", l, of_x), value("M", m, of_m or of_x)],
        [value("Y", y, of_y or of_x)],
    )
    verdict = options.get("verdict", bad)
    return single(f"Clip: {name}", what, verdict(f"SONNX-CLIP-{part}.{item}") if item else {})


def _with(*operands: str) -> onnx.ModelProto:
    """A Clip of these operands."""
    return model(
        [node("Clip", operands, ["Y"], name="n")],
        [value(name, [2, 3] if name == "X" else []) for name in operands if name],
        [value("Y", [2, 3])],
    )


CLIP = [
    _clip("float32", ""),
    _clip("int8", "", of_x=I8),
    _clip("a symbol", "", ["N", 3], [], [], ["N", 3]),
    _clip("a bound of one axis", "L.C1", [2], [1]),
    _clip("a bound of one axis, integers", "L.C1", [2], [1], part="INT", of_x=I8),
    _clip("a bound of the shape of X", "M.C1", [2], [], [2]),
    _clip("a bound of the shape of X, integers", "M.C1", [2], [], [2], part="INT", of_x=I8),
    _clip("a bound whose rank is unknown", "M.C1", [2], [], None, verdict=unknown),
    _clip("two types", "X.C2", of_m=F64),
    _clip("two types of integers", "T", of_x=I8, of_m=I32, part="INT"),
    _clip("bfloat16 is in no list", "T", of_x=BF16),
    _clip("booleans", "T", of_x=BOOL, part="INT"),
    _clip("result of another shape", "Y.C1", [2], [], [], [3]),
    _clip("result of another shape, integers", "Y.C1", [2], [], [], [3], of_x=I8, part="INT"),
    _clip("result of another type", "Y.C2", of_y=F64),
    single("Clip: without a bound", _with("X", "", "M"), bad("SONNX-CLIP-FLOAT.FUNC")),
    single("Clip: without bounds", _with("X"), bad("SONNX-CLIP-FLOAT.FUNC")),
]


def _leaky(of_x: int = F32, y: tuple[int, ...] = (2, 3), **attributes: Any) -> onnx.ModelProto:
    return model(
        [node("LeakyRelu", ["X"], ["Y"], name="n", **attributes)],
        [value("X", [2, 3], of_x)],
        [value("Y", y, of_x)],
    )


OVER_FLOATS = [
    single("Sqrt: float32", unary("Sqrt")),
    single("Sqrt: int32", unary("Sqrt", of_x=I32), bad("SONNX-SQRT-FLOAT.T")),
    single(
        "Sqrt: result of another shape", unary("Sqrt", [2, 3], [6]), bad("SONNX-SQRT-FLOAT.Y.C1")
    ),
    single("LeakyRelu: float32", _leaky(alpha=0.1)),
    single("LeakyRelu: bfloat16", _leaky(BF16, alpha=0.1), bad("SONNX-LEAKYRELU-FLOAT.T")),
    single(
        "LeakyRelu: result of another shape",
        _leaky(y=(6,), alpha=0.1),
        bad("SONNX-LEAKYRELU-FLOAT.Y.C1"),
    ),
    single("LeakyRelu: without alpha", _leaky(), bad("SONNX-LEAKYRELU-FLOAT.ATTR.ALPHA")),
]


def _matmul(document: str, element: int) -> list[Case]:
    def case(name: str, a: object, b: object, c: object, *items: str) -> Case:
        what = binary("MatMul", a, b, c, of_a=element)  # type: ignore[arg-type]
        expected = {"n": {(f"{document}.{item}", BAD) for item in items}} if items else {}
        return single(f"MatMul of {document}: {name}", what, expected)

    def open_(name: str, a: object, b: object, *items: str) -> Case:
        what = binary("MatMul", a, b, of_a=element)  # type: ignore[arg-type]
        return single(f"MatMul of {document}: {name}", what,
                   unknown(*(f"{document}.{item}" for item in items)))  # fmt: skip

    return [
        case("matrices", [2, 3], [3, 4], [2, 4]),
        case("no inner dimension", [2, 0], [0, 4], [2, 4]),
        case("one symbol inside", ["N", "K"], ["K", 4], ["N", 4]),
        case("vector at the left", [3], [3, 4], None, "A.C1"),
        case("vector at the right", [2, 3], [3], None, "B.C1"),
        case("two vectors", [3], [3], None, "A.C1", "B.C1"),
        case("batches", [5, 2, 3], [5, 3, 4], None, "A.C1", "B.C1"),
        case("inner dimension", [2, 3], [4, 5], None, "A.C2"),
        case("rank of the result", [2, 3], [3, 4], [8], "Y.C1"),
        case("rows of the result", [2, 3], [3, 4], [5, 4], "A.C3"),
        case("columns of the result", [2, 3], [3, 4], [2, 5], "B.C3"),
        case("both", [2, 3], [3, 4], [4, 2], "Y.C2"),
        open_("two symbols inside", ["N", "K"], ["L", 4], "A.C2"),
        open_("rank unknown", None, [3, 4], "A.C1"),
        open_("both ranks unknown", None, None, "A.C1", "B.C1"),
    ]


MATMUL = [
    *_matmul("SONNX-MATMUL-FLOAT", F32),
    *_matmul("SONNX-MATMUL-INT", I32),
    single("MatMul: float16", binary("MatMul", [2, 3], [3, 4], of_a=F16)),
    single("MatMul: opset 9", binary("MatMul", [2, 3], [3, 4], of_a=I32, opset=9)),
    single(
        "MatMul: type that opset 1 lacks", binary("MatMul", [2, 3], [3, 4], of_a=I32, opset=1),
        bad("SONNX-MATMUL-INT.T"),
    ),
    single("MatMul: int8", binary("MatMul", [2, 3], [3, 4], of_a=I8), bad("SONNX-MATMUL-INT.T")),
    single("MatMul: bool", binary("MatMul", [2, 3], [3, 4], of_a=BOOL), bad("SONNX-MATMUL-INT.T")),
    single(
        "MatMul: bfloat16", binary("MatMul", [2, 3], [3, 4], of_a=BF16),
        bad("SONNX-MATMUL-FLOAT.T"),
    ),
    single(
        "MatMul: strings", binary("MatMul", [2, 3], [3, 4], of_a=STRING),
        bad("SONNX-MATMUL-REAL.T"),
    ),
    single(
        "MatMul: two types", binary("MatMul", [2, 3], [3, 4], of_a=F32, of_b=F64),
        bad("SONNX-MATMUL-FLOAT.T"),
    ),
    single(
        "MatMul: result of another type", binary("MatMul", [2, 3], [3, 4], of_c=F64),
        bad("SONNX-MATMUL-FLOAT.T"),
    ),
    single(
        "MatMul: nothing known of either operand",
        model(
            [
                node("Mystery", ["A"], ["x", "y"], domain="custom"),
                node("MatMul", ["x", "y"], ["C"], name="n"),
            ],
            [value("A")],
            [value("C", None)],
            domains=["custom"],
        ),
        unknown("SONNX-MATMUL-REAL.T", "SONNX-MATMUL-REAL.A.C1", "SONNX-MATMUL-REAL.B.C1"),
    ),
    single(
        "MatMul: sparse",
        model(
            [node("MatMul", ["A", "B"], ["C"], name="n")],
            [sparse_value("A"), value("B", [3, 4])],
            [value("C", [2, 4])],
        ),
        bad("SONNX-MATMUL-FLOAT.T"),
    ),
]  # fmt: skip

_CONDITION = value("c", [], BOOL)


def _if(then: onnx.NodeProto, otherwise: onnx.NodeProto, **options: object) -> onnx.ModelProto:
    graphs = {
        f"{name}_branch": helper.make_graph([inner], name, [], [value(inner.output[0], None)])
        for name, inner in [("then", then), ("else", otherwise)]
    }
    return model(
        [node("If", ["c"], ["Y"], name="if", **graphs)],
        [_CONDITION, value("A"), value("B", [3])],
        [value("Y", None)],
        **options,  # type: ignore[arg-type]
    )


def _scaled(name: str = "Scaled") -> onnx.FunctionProto:
    """x times y, then cast to a type that the call gives."""
    cast = node("Cast", ["t"], ["z"])
    cast.attribute.add(name="to", ref_attr_name="type", type=onnx.AttributeProto.INT)
    return helper.make_function(
        "local",
        name,
        ["x", "y"],
        ["z"],
        [node("Mul", ["x", "y"], ["t"], name="inner"), cast],
        [helper.make_opsetid("", 14)],
        attributes=["type"],
    )


def _nested() -> onnx.ModelProto:
    inner = helper.make_graph(
        [node("Mul", ["A", "B"], ["i"], name="deep")], "inner", [], [value("i", None)]
    )
    other = helper.make_graph([node(UNKNOWN, ["A"], ["j"])], "other", [], [value("j", None)])
    branch = node("If", ["c"], ["k"], name="second", then_branch=inner, else_branch=other)
    return _if(branch, node(UNKNOWN, ["A"], ["l"]))


def _function(expected_type: int, b: tuple[int, ...]) -> onnx.ModelProto:
    return model(
        [
            node("Scaled", ["A", "B"], ["t"], domain="local", name="call", type=expected_type),
            node("Mul", ["t", "T"], ["Y"], name="after"),
        ],
        [value("A"), value("B", b), value("T", [2, 3], F64)],
        [value("Y", None, F64)],
        functions=[_scaled()],
        domains=["local"],
    )


def _converted(**attributes: Any) -> onnx.ModelProto:
    """x cast to a type that the call gives, float64 if it gives none, times y."""
    cast = node("Cast", ["x"], ["t"])
    cast.attribute.add(name="to", ref_attr_name="type", type=onnx.AttributeProto.INT)
    function = helper.make_function(
        "local",
        "Converted",
        ["x", "y"],
        ["z"],
        [cast, node("Mul", ["t", "y"], ["z"], name="inner")],
        [helper.make_opsetid("", 14)],
        attribute_protos=[helper.make_attribute("type", F64)],
    )
    return model(
        [node("Converted", ["A", "B"], ["C"], domain="local", name="call", **attributes)],
        [value("A"), value("B")],
        [value("C", None)],
        functions=[function],
        domains=["local"],
    )


def _loop() -> onnx.ModelProto:
    body = helper.make_graph(
        [node("Cast", ["go"], ["on"], to=BOOL), node("Mul", ["A", "A"], ["s"], name="inner")],
        "body",
        [value("i", [], I64), value("go", [], BOOL)],
        [value("on", [], BOOL), untyped("s")],
    )
    return model(
        [node("Loop", ["", "c"], ["S"], name="loop", body=body)],
        [_CONDITION, value("A", ["N", 3])],
        [value("S", None)],
    )


def _scan(b: tuple[int, ...]) -> onnx.ModelProto:
    body = helper.make_graph(
        [node("Mul", ["x", "B"], ["y"], name="inner")], "body", [untyped("x")], [untyped("y")]
    )
    return model(
        [node("Scan", ["S"], ["Y"], name="scan", body=body, num_scan_inputs=1)],
        [value("S", [5, 2, 3]), value("B", b)],
        [value("Y", None)],
    )


NESTED = [
    Case(
        "If: in both branches",
        _if(
            node("Mul", ["A", "B"], ["t"], name="left"),
            node("Div", ["A", "A"], ["e"], name="right"),
        ),
        2,
        {"if/then_branch/left": {("SONNX-MUL.R4", BAD)}},
    ),
    Case("If in If", _nested(), 1,
         {"if/then_branch/second/then_branch/deep": {("SONNX-MUL.R4", BAD)}}),
    Case("Loop: an outer value", _loop(), 1),
    Case("Scan: conforms", _scan((2, 3)), 1),
    Case("Scan: violates", _scan((3,)), 1, {"scan/body/inner": {("SONNX-MUL.R4", BAD)}}),
    Case("function: conforms", _function(F64, (2, 3)), 2),
    Case("function: violates", _function(F64, (3,)), 2,
         {"call/local::Scaled/inner": {("SONNX-MUL.R4", BAD)}}),
    Case("function: the type that the call gives", _function(F32, (2, 3)), 2,
         {"after": {("SONNX-MUL.R3", BAD)}}),
    Case("function: an attribute of the call", _converted(type=F32), 1),
    Case("function: another attribute of the call", _converted(type=I32), 1,
         {"call/local::Converted/inner": {("SONNX-MUL.R3", BAD)}}),
    Case("function: the default of an attribute", _converted(), 1,
         {"call/local::Converted/inner": {("SONNX-MUL.R3", BAD)}}),
    Case(
        "function: two calls, each with its types",
        model(
            [
                node("Scaled", ["A", "A"], ["s"], domain="local", name="first", type=F32),
                node("Scaled", ["A", "B"], ["t"], domain="local", name="second", type=F32),
            ],
            [value("A"), value("B", [3])],
            [value("s", None), value("t", None)],
            functions=[_scaled()],
            domains=["local"],
        ),
        2,
        {"second/local::Scaled/inner": {("SONNX-MUL.R4", BAD)}},
    ),
    Case(
        "function: a divisor that is constant at the call",
        model(
            [node("Halves", ["A", "B"], ["Y"], domain="local", name="call")],
            [value("A", [3], I32)],
            [value("Y", [3], I32)],
            [tensor("B", [2, 0, 2], np.int32)],
            functions=[
                helper.make_function(
                    "local", "Halves", ["x", "y"], ["z"],
                    [node("Div", ["x", "y"], ["z"], name="inner")],
                    [helper.make_opsetid("", 14)],
                )
            ],
            domains=["local"],
        ),
        1,
        {"call/local::Halves/inner": {("SONNX-DIV.C2", BAD)}},
    ),
    Case(
        "shapes and types by inference",
        model(
            [
                node("Transpose", ["A"], ["t"]),
                node("Reshape", ["t", "s"], ["r"], allowzero=0),
                node("Mul", ["A", "r"], ["p"], name="n"),
                node("MatMul", ["p", "t"], ["Y"], name="m"),
            ],
            [value("A")],
            [value("Y", None)],
            [tensor("s", [2, -1], np.int64)],
        ),
        4,
    ),
    Case(
        "shapes that are computed by nodes",
        model(
            [
                node("Shape", ["A"], ["s"]),
                node("Reshape", ["B", "s"], ["r"], name="r", allowzero=0),
                node("Mul", ["A", "r"], ["Y"], name="n"),
            ],
            [value("A"), value("B", [6])],
            [value("Y", None)],
        ),
        2,
        {
            "r": {
                (f"SONNX-RESHAPE.{item}", OPEN)
                for item in ("S.C1", "ALLOWZERO.C2", "ALLOWZERO.C3", "X.C1")
            }
        },
    ),
    Case(
        "nodes without names are called after what they compute",
        model([node("Mul", ["A", "B"], ["C"])], [value("A"), value("B", [3])], [value("C")]),
        1,
        {"Mul:C": {("SONNX-MUL.R4", BAD)}},
    ),
    Case("nothing to judge", model([node(UNKNOWN, ["A"], ["C"])], [value("A")], [value("C")]), 0),
    Case(
        "operators of other domains",
        model(
            [node("Mul", ["A", "B"], ["C"], domain="custom")],
            [value("A"), value("B", [3])],
            [value("C")],
            domains=["custom"],
        ),
        0,
    ),
]  # fmt: skip

STRUCTURAL = [
    single(
        name,
        what,
        {
            "n": {
                (item if item.startswith("SONNX") else f"SONNX-{operator}.{item}", verdict)
                for item in items
            }
        }
        if items
        else None,
    )
    for operator, cases in (
        ("RESHAPE", reshape_cases.CASES),
        ("CONCAT", structural_cases.CONCAT),
        ("UNSQUEEZE", structural_cases.UNSQUEEZE),
        ("FLATTEN", structural_cases.FLATTEN),
        ("SLICE", structural_cases.SLICE),
        ("GEMM", structural_cases.GEMM),
        ("CONV", conv_cases.CASES),
        ("MAXPOOL", max_pool_cases.CASES),
    )
    for name, what, verdict, items in cases
]
OF_ONNX = [
    single(name, what, {"n": {(f"{document}.{item}", verdict) for item in items}} if items else {})
    for document, cases in onnx_cases.DOCUMENTS.items()
    for name, what, verdict, items in cases
]
THREE_PARTS = [*_of_three_parts("Add"), *_of_three_parts("Sub")]
CASES = [
    *_elementwise("Mul"), *_elementwise("Div"), *MUL, *DIV, *MATMUL, *THREE_PARTS, *ALONE,
    *LESS, *WHERE, *MAX, *CLIP, *OVER_FLOATS, *STRUCTURAL, *OF_ONNX, *NESTED,
]  # fmt: skip
