"""ONNX DequantizeLinear, of which SONNX has no document."""

from itertools import product
from typing import TYPE_CHECKING

from sonnx_formal.spec.element_types import BY_NAME, NARROW_FLOATS, Family, element_types
from sonnx_formal.spec.elementwise import of_onnx
from sonnx_formal.spec.kernel import KernelForm, KernelShape
from sonnx_formal.spec.operator import (
    Arithmetic,
    Definition,
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

_INF, _NAN = float("inf"), float("nan")


_SCALES = ("float32", "float16", "bfloat16")


def _float_scale(scale: "Operand") -> bool:
    return scale.listed


def _one_type(x: "Operand", zero: "Operand | None") -> bool:
    return zero is None or zero.type is x.type


def _only_zero(x: "Operand") -> bool:
    return x.type is BY_NAME["int32"] or x.type in NARROW_FLOATS


def _zeros(_x: "Operand", zero: "Array | None") -> bool:
    return zeros(zero)


_PREDICATES = {
    **PREDICATES,
    "float_scale": Predicate(_float_scale, "give it elements of float32, float16 or bfloat16"),
    "one_type": Predicate(_one_type, "give it the type of x"),
    "only_zero": Predicate(_only_zero, ""),
    "zeros": Predicate(_zeros, "leave it out, and take the zero point away from x beforehand"),
}
_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32")
_FLOATS = ("float8e4m3fn", "float8e5m2")
_NARROW = frozenset({"int8", "uint8", "int16", "uint16", *_SCALES})
_INT8, _UINT8, _INT16, _UINT16, _INT32 = (frozenset({type_, *_SCALES}) for type_ in _INTEGERS)
_E4M3FN, _E5M2 = (frozenset({type_, *_SCALES}) for type_ in _FLOATS)
_WITH_ZEROS = _INT32 | _E4M3FN | _E5M2
"""Without another zero point."""


_LEAST = 2.0**-149
_LARGEST = 2.0**128 - 2.0**104
_SCALES_OF_SINGLE = (
    1.0,
    0.1,
    -0.1,
    _LEAST,
    3 * _LEAST,
    2.0**127,
    _LARGEST,
    0.0,
    -0.0,
    _INF,
    -_INF,
    _NAN,
)
_OF_TENSORS = (1.0, -0.0, _INF, _NAN)
_WIDE = [-(2**31), -(2**31) + 1, -(2**24) - 1, -1, 0, 1, 2**24 + 1, 2**25 - 1, 2**31 - 1]
_HALF_SCALES = (1.0, 2.0**-24, 3 * 2.0**-24, 0.25, -1.5, 65504.0, 0.0, -0.0, _INF, _NAN)
_BRAIN_SCALES = (1.0, 2.0**-133, 0.25, -1.0078125, 2.0**127, 255 * 2.0**120, 0.0, -0.0, _INF, _NAN)
_OF_E4M3FN = [0.0, -0.0, 2.0**-9, 7 * 2.0**-9, -(2.0**-6), 1.0, 1.125, 448.0, -448.0, _NAN]
_OF_E5M2 = [0.0, -0.0, 2.0**-16, 3 * 2.0**-16, -(2.0**-14), 1.0, 1.25, 57344.0, -57344.0]
_OF_E5M2 += [_INF, -_INF, _NAN]
_EXPLICIT = (
    *(
        arrangement
        for of_scale, scales in (
            ("float32", _SCALES_OF_SINGLE),
            ("float16", _HALF_SCALES),
            ("bfloat16", _BRAIN_SCALES),
        )
        for types, x, zeros in (
            (_INT8, [-128, -127, -1, 0, 1, 126, 127], (-128, -1, 0, 127)),
            (_UINT8, [0, 1, 127, 128, 254, 255], (0, 1, 128, 255)),
            (_INT16, [-32768, -32767, -1, 0, 1, 32766, 32767], (-32768, 0, 32767)),
            (_UINT16, [0, 1, 32767, 32768, 65534, 65535], (0, 32768, 65535)),
            (_INT32, _WIDE, (0,)),
            (_E4M3FN, _OF_E4M3FN, (0,)),
            (_E5M2, _OF_E5M2, (-0.0,)),
        )
        for types in [types & {*_INTEGERS, *_FLOATS, of_scale}]
        for arrangement in (
            with_each(x, product(scales, zeros), types),
            *(accepted(x, scale, zeros[0], types) for scale in _OF_TENSORS),
        )
    ),
    accepted([_WIDE, _WIDE], [1.0, 2.0**-100], [0, 0], frozenset({"int32", "float32"}), axis=0),
)

DEQUANTIZE_LINEAR = of_onnx(
    Operator(
        name="dequantize_linear",
        title="ONNX DequantizeLinear",
        system=System.ONNX,
        documents=dict.fromkeys((Family.INTEGER, Family.FLOAT), "ONNX-DEQUANTIZELINEAR-21"),
        inputs=(
            Input("x", "T1"),
            Input("x_scale", "T2"),
            Input("x_zero_point", "T1", Presence.OPTIONAL),
        ),
        output=Output("y", "T2"),
        parameters=(
            TypeParameter("T1", element_types(*_INTEGERS, *_FLOATS)),
            TypeParameter("T2", element_types(*_SCALES)),
        ),
        definition=Definition(
            signature="ops.dequantize_linear.definition.DequantizeLinearSignature",
            function="dequantize_linear",
            modules={
                Family.INTEGER: "ops.dequantize_linear.definition.DequantizeLinear{T2}",
                Family.FLOAT: "ops.dequantize_linear.definition.DequantizeLinear{T1}To{T2}",
            },
            restrictions=(
                *of_types("x_scale", "x_zero_point"),
                Restriction("T", Test("float_scale", ("x_scale",)), "x_scale is of another type"),
                Restriction(
                    "T",
                    Test("one_type", ("x", "x_zero_point")),
                    "x and x_zero_point are not of one type",
                ),
                *of_shapes("x_scale", "x_zero_point"),
                Restriction(
                    "X_ZERO_POINT.C2",
                    Test(
                        "ops.quantize_linear.definition.ZeroPoint.zeros",
                        ("x.element", "x_zero_point.tensor"),
                    ),
                    "x is of int32 or floats of 8 bits, and x_zero_point is not 0",
                    given=Test("only_zero", ("x.element",)),
                ),
            ),
            takes=("granularity", "x", "x_scale", "x_zero_point", "x_zero_point.tensor"),
            arguments=("granularity",),
            predicates=_PREDICATES,
            shape=lambda _granularity, x, *_: x.array.shape,
        ),
        reference=Reference("dequantize_linear"),
        shape_rule=ShapeRule.OWN,
        kernel=KernelShape(KernelForm.PER_AXIS),
        arithmetic=Arithmetic.OTHER,
        always=(
            *("T", "SHAPE", "X_SCALE.C1", "X_SCALE.C2", "AXIS.C1", "X_ZERO_POINT.C1"),
            *("X_ZERO_POINT.C2", "BLOCK_SIZE.C1", "ATTR.AXIS", "ATTR.BLOCK_SIZE"),
        ),
        computed=("FUNC", "ACC"),
        states={Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "SHAPE"},
        attributes=(AXIS, BLOCK_SIZE),
        onnx=OnnxNode("DequantizeLinear", since=21),
        arrangements=(
            accepted((2, 3), (), None),
            accepted((2, 3), (3,), None),
            accepted((2, 3), (), (), _NARROW),
            accepted((2, 3), (3,), (3,), _NARROW),
            accepted((2, 3), (2,), (2,), _NARROW, axis=0),
            accepted((2, 3), (2,), [0, 0], _WITH_ZEROS, axis=0),
            accepted((2, 1, 3), (3,), (3,), _NARROW, axis=-1),
            accepted((2, 1, 3), (2,), None, axis=-3),
            accepted((2, 1, 3), (1,), (1,), _NARROW, axis=1),
            accepted((), (), None),
            accepted((), (), (), _NARROW),
            accepted((3,), (), 0, axis=-7),
            accepted((0, 3), (3,), None),
            accepted((3, 0), (0,), (0,)),
            accepted((0,), (), 0),
            accepted((4, 4), 0.75, None),
            accepted((2, 5), (2, 3), (2, 3), _NARROW, axis=1, block_size=2),
            accepted((2, 5), (2, 3), [[0, 0, 0], [0, 0, 0]], _WITH_ZEROS, axis=1, block_size=2),
            accepted((5, 2), (2, 2), (2, 2), _NARROW, axis=-2, block_size=4),
            accepted((2, 3, 2), (2, 1, 2), None, axis=1, block_size=3),
            accepted((2, 3), (2, 3), (2, 3), _NARROW, block_size=1),
            accepted((5,), (2,), (2,), _NARROW, axis=0, block_size=3),
            accepted((2, 0), (2, 0), (2, 0), block_size=2),
            *_EXPLICIT,
            *BROKEN_BLOCKS,
            broken((2, 5), (2, 3), [[0, 0, 0], [0, 1, 0]], _WITH_ZEROS, axis=1, block_size=2),
            *BROKEN_SHAPES,
            broken((2, 3), (), 1, _WITH_ZEROS),
            broken((2, 3), (3,), [0, 0, -1], _WITH_ZEROS),
        ),
    )
)
OPERATORS = (DEQUANTIZE_LINEAR,)
