"""ONNX QuantizeLinear, of which SONNX has no document."""

from itertools import product
from typing import TYPE_CHECKING

from sonnx_formal.spec.attributes import Attribute, AttributeKind
from sonnx_formal.spec.element_types import (
    BY_NAME,
    NARROW_FLOATS,
    ONNX_NUMBERS,
    Family,
    element_types,
)
from sonnx_formal.spec.elementwise import of_onnx
from sonnx_formal.spec.kernel import KernelForm, KernelShape
from sonnx_formal.spec.operator import (
    Arithmetic,
    Definition,
    DependentType,
    Input,
    OnnxNode,
    Operator,
    Output,
    Predicate,
    Presence,
    Reference,
    Restriction,
    Rule,
    ShapeRule,
    System,
    Test,
    TypeParameter,
)
from sonnx_formal.spec.quantization import (
    AXIS,
    BLOCK_SIZE,
    BROKEN_BLOCKS,
    BROKEN_SHAPES,
    PREDICATES,
    accepted,
    broken,
    of_shapes,
    of_types,
    with_each,
    zeros,
)

if TYPE_CHECKING:
    from sonnx_formal.spec.admission import Operand
    from sonnx_formal.spec.element_types import Array

_DOCUMENT = "ONNX-QUANTIZELINEAR-21"
_MODULE = "QuantizeLinear{T1}To{T2}"
_INF, _NAN = float("inf"), float("nan")


_SCALES = {"float32": "float32", "float16": "float16", "bfloat16": "bfloat16", "int32": "float32"}
"""The type of the scale, by that of x."""


def _scale_of_type(x: "Operand", scale: "Operand") -> bool:
    wanted = _SCALES.get(x.type.name) if x.type else None
    return scale.type is not None and scale.type.name == wanted


def _narrow_zero_point(zero: "Operand | None") -> bool:
    return zero is None or zero.listed


def _known_output(number: int | None) -> bool:
    return number in {None, 0, *ONNX_NUMBERS}


def _one_output(number: int | None, zero: "Operand | None") -> bool:
    return zero is None or not number or zero.type is ONNX_NUMBERS[number]


def _float8_zero_point(zero: "Operand | None") -> bool:
    return zero is not None and zero.type in NARROW_FLOATS


def _zero_values(_zero: "Operand | None", values: "Array | None") -> bool:
    return zeros(values)


_PREDICATES = {
    **PREDICATES,
    "scale_of_type": Predicate(
        _scale_of_type, "give it the type of x; of int32, give it elements of float32"
    ),
    "narrow_zero_point": Predicate(
        _narrow_zero_point,
        "give it elements of int8, uint8, int16, uint16, float8e4m3fn or float8e5m2",
    ),
    "float8_zero_point": Predicate(_float8_zero_point, ""),
    "zero_values": Predicate(_zero_values, "give it zeros: floats are moved beforehand"),
    "known_output": Predicate(
        _known_output, "take the number of int8, uint8, int16, uint16, float8e4m3fn or float8e5m2"
    ),
    "one_output": Predicate(_one_output, "leave output_dtype out: y_zero_point says it"),
}
_FROM = frozenset({"float32", "int32", "float16", "bfloat16"})
_TO_INT8, _TO_UINT8, _TO_INT16, _TO_UINT16 = (
    _FROM | {name} for name in ("int8", "uint8", "int16", "uint16")
)
"""Without a zero point, and if the node asks for no other type, the result is of uint8."""
_TO = frozenset({"int8", "uint8", "int16", "uint16"})
_TO_INTEGERS = _FROM | _TO
_OF_FLOATS, _OF_INTEGERS = _TO | {"float32"}, _TO | {"int32"}
_OF_HALVES = _TO | {"float16"}
_OF_BRAINS = _TO | {"bfloat16"}
_NARROW_FLOATS = frozenset(type_.name for type_ in NARROW_FLOATS)
_TO_E4M3FN, _TO_E5M2 = (_FROM | {name} for name in ("float8e4m3fn", "float8e5m2"))
_TO_FLOATS = _FROM | _NARROW_FLOATS
_UINT8, _INT8, _UINT16, _INT16, _E4M3FN, _E5M2 = 2, 3, 4, 5, 17, 19
"""Types by ONNX's numbers."""


_LEAST = 2.0**-149
_HALVES = [-511, -257, -255, -253, -5, -3, -1, 1, 3, 5, 253, 255, 257, 509, 511]
"""Of these, halves are half-way between integers."""
_AROUND = [0.49999997, 0.50000006, 1.4999999, 2.5, -2.5, 126.49999, 126.5, 127.5, 254.49998, 254.5]
_BEYOND = [-1e38, -4e9, -32768.5, -32767.5, -129.0, -128.5, -128.0, 127.0, 128.0, 255.0, 256.0]
_BEYOND += [32766.5, 32767.5, 65534.5, 65535.5, 65537.0, 4e9, 1e38]
_SPECIAL = [_INF, -_INF, _NAN, 0.0, -0.0, 1.0, -1.0]
_ODD_SCALES = (-2.0, 0.0, -0.0, _INF, -_INF, _NAN)
_HALF_TIES = [-2.5, -0.5, 0.5, 1.5, 127.5, 254.5, 255.5, 1023.5, 32768.0, 65504.0, 2.0**-24]
_BRAIN_TIES = [-2.5, -0.5, 0.5, 1.5, 63.5, 127.0, 254.0, 32768.0, 65536.0, 2.0**-133, 2.0**127]
_WIDE = [-(2**31), -(2**24) - 1, -1, 0, 1, 2**24 + 1, 2**25 - 1, 2**31 - 1]
_FLOAT8_MARKS = [
    *(447.99997, 448.0, 463.99997, 464.0, 464.00003, 465.0, 480.0, 1e30),
    *(57344.0, 61439.996, 61440.0, 65536.0, 17.0, 18.0, 18.999998, 19.0, 9.0, 11.0),
]
_FLOAT8_MARKS += [-x for x in _FLOAT8_MARKS]
"""About the largest numbers, and half-way between two."""
_FLOAT8_LEAST = [
    *(2.0**-10, 2.0**-10 + 2.0**-33, 3 * 2.0**-10, 2.0**-9, 2.0**-6, 2.0**-6 - 2.0**-10),
    *(2.0**-17, 2.0**-17 + 2.0**-40, 3 * 2.0**-17, 2.0**-16, 2.0**-14, 2.0**-14 - 2.0**-17),
]
_FLOAT8_HALVES = [*_SPECIAL, 464.0, 464.25, -480.0, 61408.0, 61440.0, 65504.0, 2.0**-24, 18.0, 9.0]
_FLOAT8_BRAINS = [*_SPECIAL, 464.0, 466.0, -480.0, 61440.0, 61184.0, 2.0**127, 2.0**-133, 18.0, 9.0]
_ROUNDED_TWICE = (
    ("float16", 543.0, 511.0),
    ("bfloat16", 67.0, 63.0),
    ("float32", 4456447.0, 4194303.0),
    ("float32", 4718591.0, 4194303.0),
    ("int32", 17825793, 2.0**20),
)
"""Quotients that are half-way between two floats of 8 bits after they are rounded."""
_EXPLICIT = (
    *(
        with_each(_HALVES, product((2.0,), zeros), types)
        for types, zeros in (
            (_TO_INT8, (-128, -1, 0, 127)),
            (_TO_UINT8, (0, 1, 128, 255)),
            (_TO_INT16, (-32768, 32767)),
            (_TO_UINT16, (0, 65535)),
        )
    ),
    accepted(_AROUND, 1.0, 1, _OF_FLOATS),
    with_each(_AROUND, product((1.0,), (0, 1, 127)), _OF_FLOATS),
    with_each(_BEYOND, product((1.0, 1e-40, 2.0**127), (1,)), _OF_FLOATS),
    with_each(
        [n * _LEAST for n in _HALVES],
        product((_LEAST, 2 * _LEAST, 3 * _LEAST, 2**22 * _LEAST), (0,)),
        _OF_FLOATS,
    ),
    with_each(_SPECIAL, product((1.0, _LEAST, *_ODD_SCALES), (5,)), _OF_FLOATS),
    *(accepted(_SPECIAL, scale, 5, _OF_FLOATS | {"float16", "bfloat16"}) for scale in (0.0, _NAN)),
    with_each(_SPECIAL, product((1.0, *_ODD_SCALES), (5,)), _OF_HALVES | _OF_BRAINS),
    with_each(_HALF_TIES, product((1.0, 3.0, 2.0**-24, 65504.0), (1,)), _OF_HALVES),
    with_each(_BRAIN_TIES, product((1.0, 3.0, 2.0**-133, 2.0**127), (1,)), _OF_BRAINS),
    with_each(_WIDE, product((1.0, 2.0**25, 2.0**24, -3.0, 0.0), (0,)), _OF_INTEGERS),
    *(accepted([x, -x], scale, 0, _NARROW_FLOATS | {of_x}) for of_x, x, scale in _ROUNDED_TWICE),
    *(
        with_each(x, product(scales, (0,)), _NARROW_FLOATS | {of_x}, **said)
        for said in ({}, {"saturate": 0}, {"saturate": 1})
        for of_x, x, scales in (
            ("float32", _FLOAT8_MARKS, (1.0, 0.75, 1e-3)),
            ("float32", _FLOAT8_LEAST, (1.0,)),
            ("float32", _SPECIAL, (1.0, _LEAST, *_ODD_SCALES)),
            ("float16", _FLOAT8_HALVES, (1.0, -2.0, 0.0, _NAN)),
            ("bfloat16", _FLOAT8_BRAINS, (1.0, -2.0, 0.0, _NAN)),
            ("int32", _WIDE, (1.0, 2.0**25, -3.0, 0.0)),
        )
    ),
)

QUANTIZE_LINEAR = of_onnx(
    Operator(
        name="quantize_linear",
        title="ONNX QuantizeLinear",
        system=System.ONNX,
        documents=dict.fromkeys((Family.FLOAT, Family.INTEGER), _DOCUMENT),
        inputs=(
            Input("x", "T1"),
            Input("y_scale", "S"),
            Input("y_zero_point", "T2", Presence.OPTIONAL),
        ),
        output=Output("y", "T2"),
        parameters=(
            TypeParameter("T1", element_types("float32", "int32", "float16", "bfloat16")),
            TypeParameter(
                "T2",
                element_types("int8", "uint8", "int16", "uint16", "float8e4m3fn", "float8e5m2"),
                default=BY_NAME["uint8"],
                attribute="output_dtype",
            ),
        ),
        dependent=(DependentType("S", "T1", _SCALES),),
        definition=Definition(
            signature="ops.quantize_linear.definition.QuantizeLinearSignature",
            function="quantize_linear",
            modules={
                Family.FLOAT: f"ops.quantize_linear.floats.{_MODULE}",
                Family.INTEGER: f"ops.quantize_linear.definition.{_MODULE}",
            },
            restrictions=(
                *of_types("y_scale", "y_zero_point"),
                Restriction(
                    "T",
                    Test("scale_of_type", ("x", "y_scale")),
                    "y_scale is not of the type that goes with x",
                ),
                Restriction(
                    "T",
                    Test("narrow_zero_point", ("y_zero_point",)),
                    "y_zero_point has elements of another type",
                ),
                Restriction(
                    "OUTPUT_DTYPE.C1",
                    Test("known_output", ("output_dtype",)),
                    "output_dtype is not the number of a type that y may have",
                ),
                Restriction(
                    "OUTPUT_DTYPE.C2",
                    Test("one_output", ("output_dtype", "y_zero_point")),
                    "output_dtype is not that of y_zero_point",
                ),
                *of_shapes("y_scale", "y_zero_point"),
                Restriction(
                    "Y_ZERO_POINT.C2",
                    Test("zero_values", ("y_zero_point", "y_zero_point.tensor")),
                    "y is of floats of 8 bits, and y_zero_point is not 0",
                    given=Test("float8_zero_point", ("y_zero_point",)),
                ),
            ),
            takes=(
                *("granularity", "output_dtype", "x", "y_scale", "y_zero_point"),
                "y_zero_point.tensor",
            ),
            arguments=("granularity",),
            arguments_over=dict.fromkeys(sorted(_NARROW_FLOATS), ("saturate",)),
            predicates=_PREDICATES,
            shape=lambda _granularity, _output, x, *_: x.array.shape,
        ),
        reference=Reference("quantize_linear"),
        shape_rule=ShapeRule.OWN,
        kernel=KernelShape(KernelForm.PER_AXIS),
        arithmetic=Arithmetic.OTHER,
        always=(
            *("T", "SHAPE", "Y_SCALE.C1", "Y_SCALE.C2", "AXIS.C1", "Y_ZERO_POINT.C1"),
            *("Y_ZERO_POINT.C2", "BLOCK_SIZE.C1", "OUTPUT_DTYPE.C1", "OUTPUT_DTYPE.C2"),
            *("ATTR.AXIS", "ATTR.BLOCK_SIZE", "ATTR.OUTPUT_DTYPE", "ATTR.SATURATE"),
        ),
        computed=("FUNC", "ACC", "Y.C1"),
        states={Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "SHAPE"},
        attributes=(
            AXIS,
            BLOCK_SIZE,
            Attribute(
                "output_dtype",
                AttributeKind.INT,
                "The type of y, by ONNX's number, if no zero point says it; if not set, uint8.",
            ),
            Attribute(
                "saturate",
                AttributeKind.INT,
                "Of floats of 8 bits: 0 to have infinity or NaN for what is beyond the largest"
                " number; if not set, 1: it becomes this one.",
            ),
        ),
        onnx=OnnxNode("QuantizeLinear", since=21),
        arrangements=(
            accepted((2, 3), (), None, _TO_UINT8),
            accepted((2, 3), (3,), None, _TO_UINT8),
            accepted((2, 3), (), (), _TO_INTEGERS),
            accepted((2, 3), (3,), (3,), _TO_INTEGERS),
            accepted((2, 3), (2,), (2,), _TO_INTEGERS, axis=0),
            accepted((2, 1, 3), (3,), (3,), _TO_INTEGERS, axis=-1),
            accepted((2, 1, 3), (2,), (2,), _TO_INTEGERS, axis=-3),
            accepted((2, 1, 3), (1,), (1,), _TO_INTEGERS, axis=1),
            accepted((), (), (), _TO_INTEGERS),
            accepted((3,), (), (), _TO_INTEGERS, axis=-7),
            accepted((0, 3), (3,), (3,), _TO_INTEGERS),
            accepted((3, 0), (0,), (0,)),
            accepted((0,), (), None, _TO_UINT8),
            accepted((4, 4), 0.75, (), _OF_FLOATS),
            accepted((4, 4), 1e-45, (), _OF_FLOATS),
            accepted((4, 4), 1e7, (), _OF_FLOATS | _OF_INTEGERS),
            accepted((2, 5), (2, 3), (2, 3), _TO_INTEGERS, axis=1, block_size=2),
            accepted((5, 2), (2, 2), (2, 2), _TO_INTEGERS, axis=-2, block_size=4),
            accepted((2, 3, 2), (2, 1, 2), None, _TO_UINT8, axis=1, block_size=3),
            accepted((2, 3), (2, 3), (2, 3), _TO_INTEGERS, block_size=1),
            accepted((5,), (2,), (2,), _TO_INTEGERS, axis=0, block_size=3),
            accepted((2, 0), (2, 0), (2, 0), block_size=2),
            accepted((2, 3), (), 0, _TO_FLOATS),
            accepted((2, 3), (3,), [0, 0, 0], _TO_FLOATS),
            accepted((2, 3), (3,), [0, 0, 0], _TO_FLOATS, saturate=0),
            accepted((2, 3), (2,), [-0.0, 0.0], _TO_FLOATS, axis=0, saturate=1),
            accepted((), (), 0, _TO_FLOATS),
            accepted((0, 3), (3,), [0, 0, 0], _TO_FLOATS),
            accepted((2, 5), (2, 3), [[0, 0, 0], [0, 0, 0]], _TO_FLOATS, axis=1, block_size=2),
            *(
                accepted((2, 3), (3,), None, types, output_dtype=number)
                for types, number in (
                    (_TO_UINT8, 0),
                    (_TO_UINT8, _UINT8),
                    (_TO_INT8, _INT8),
                    (_TO_UINT16, _UINT16),
                    (_TO_INT16, _INT16),
                    (_TO_E4M3FN, _E4M3FN),
                    (_TO_E5M2, _E5M2),
                )
            ),
            accepted((2, 3), (3,), None, _TO_E4M3FN, output_dtype=_E4M3FN, saturate=0),
            accepted((2, 3), (3,), [0, 0, 0], _TO_E5M2, output_dtype=_E5M2, saturate=0),
            accepted((2, 3), (3,), (3,), _TO_INT16, output_dtype=_INT16),
            accepted((2, 3), (3,), (3,), _TO_INTEGERS, saturate=0),
            accepted((2, 3), (3,), (3,), _TO_INT8, output_dtype=0),
            *_EXPLICIT,
            *BROKEN_BLOCKS,
            broken((2, 3), (), 1, _TO_FLOATS),
            broken((2, 3), (3,), [0, 0, -2], _TO_FLOATS),
            broken((2, 5), (2, 3), [[0, 0, 0], [0, _NAN, 0]], _TO_FLOATS, axis=1, block_size=2),
            broken((2, 3), (), None, output_dtype=1),
            broken((2, 3), (), None, output_dtype=-3),
            broken((2, 3), (), (), output_dtype=7),
            *(
                broken((2, 3), (), (), types, output_dtype=number)
                for types, number in (
                    (_TO_UINT8, _INT8),
                    (_TO_INT8, _INT16),
                    (_TO_UINT16, _UINT8),
                    (_TO_INT16, _UINT16),
                )
            ),
            *BROKEN_SHAPES,
        ),
    )
)
OPERATORS = (QUANTIZE_LINEAR,)
