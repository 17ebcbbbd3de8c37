"""ONNX Mul 14, 13, 7, 6, 1 and OpenVINO Multiply-1, evaluated against NumPy and MPFR."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest

from sonnx_formal.spec.element_types import FORMATS
from tests.theories.evaluator import (
    FLOAT_TYPES,
    INTEGER_TYPES,
    ONNX_6_TYPES,
    Element,
    Evaluator,
    Operand,
    Tensor,
    Value,
)
from tests.theories.test_broadcast import (
    AXES,
    Shape,
    array,
    common_shape,
    counted,
    first_axis,
    followed,
)
from tests.theories.test_float_operators import computed, random_float
from tests.theories.test_scalar import boundary_values, machine_range, wrapped

ONNX = "systems.onnx_mul"
LEGACY = "systems.onnx_mul_legacy"
OPENVINO = "systems.openvino_multiply"

NOT_MACHINE_TYPES = ["Real", "Boolean", "Text", "Complex64", "Complex128"]
ALL_TYPES = [*INTEGER_TYPES, *FLOAT_TYPES, *NOT_MACHINE_TYPES]

SUPPORTED = {
    f"{ONNX}.OnnxMul14Signature": [*INTEGER_TYPES, *FLOAT_TYPES],
    f"{ONNX}.OnnxMul13Signature": ["BFloat16", *ONNX_6_TYPES],
    f"{ONNX}.OnnxMul7Signature": ONNX_6_TYPES,
    f"{LEGACY}.OnnxMul6Signature": ONNX_6_TYPES,
    f"{LEGACY}.OnnxMul1Signature": ["Float16", "Float32", "Float64"],
    f"{OPENVINO}.MultiplySignature": [*INTEGER_TYPES, *FLOAT_TYPES],
}

# Arguments before the operands, with which operands of one shape are accepted.
LEADING: dict[str, tuple[str | Shape, ...]] = {
    f"{LEGACY}.OnnxMul6Signature": ("0@unset",),
    f"{LEGACY}.OnnxMul1Signature": ("0@unset", (0,)),
    f"{OPENVINO}.MultiplySignature": ("none",),
}

SHAPES: list[tuple[Shape, Shape]] = [
    ((), ()), ((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), (2,)), ((2, 2), (2,)), ((2, 1), (2,)),
    ((2, 3), (1,)), ((2, 3), (2, 1)), ((2, 3), (1, 3)), ((3,), (2, 3)), ((2,), (1, 1)),
    ((2, 3), (1, 1)), ((2, 3), ()), ((), (2,)), ((0, 3), (3,)), ((0,), (1,)), ((0,), (2,)),
    ((2, 3, 4), (3,)), ((2, 3, 4), (2, 3)), ((2, 3, 4), (2, 4)), ((4, 1), (3, 1, 5)),
]  # fmt: skip
BROADCASTS = [s for s in SHAPES if common_shape(*s) is not None]


def accepted(broadcast: int, axis: str, s: Shape, u: Shape) -> bool:
    """Whether ONNX Mul 6 and 1 take operands of these shapes."""
    if broadcast == 0:
        return s == u
    return broadcast == 1 and followed(axis, s, u)


FOLLOWS = [
    (broadcast, axis, s, u)
    for broadcast in (0, 1)
    for axis in AXES
    for s, u in SHAPES
    if accepted(broadcast, axis, s, u)
]


def positions(shape: Shape, result: Shape) -> list[int]:
    """For each element of the result, the position of the element of the operand."""
    return list(map(int, np.broadcast_to(array(counted(shape)), result).flatten()))


def legacy_positions(broadcast: int, axis: str, s: Shape, u: Shape) -> list[int]:
    """For each element of A, the position of the element of B."""
    start = 0 if broadcast == 0 or prod(u) == 1 else first_axis(axis, s, u)
    after = (1,) * (len(s) - start - len(u))
    return positions_of(array(counted(u)).reshape(u + after), s)


def positions_of(values: np.ndarray[Shape, np.dtype[np.int64]], result: Shape) -> list[int]:
    return list(map(int, np.broadcast_to(values, result).flatten()))


def values_of(name: str, chance: random.Random) -> Callable[[], Element]:
    """Random values of an element type."""
    if name in FLOAT_TYPES:
        form = FORMATS[FLOAT_TYPES.index(name)]
        return lambda: random_float(form, chance)
    values = machine_range(name)
    inside = [chance.randrange(values.start, values.stop) for _ in range(10)]
    return lambda: chance.choice([*boundary_values(name), *inside])


def product_in(name: str) -> Callable[[Any, Any], Element]:
    """The product of an element type, by MPFR or by Python's integers."""
    if name in FLOAT_TYPES:
        form = FORMATS[FLOAT_TYPES.index(name)]
        return lambda x, y: computed(form, "mul", x, y)
    return lambda x, y: wrapped(x * y, name)


def operands(name: str, s: Shape, u: Shape) -> tuple[Tensor[Element], Tensor[Element]]:
    value = values_of(name, random.Random(f"{name}{s}{u}"))
    a, b = (Tensor(shape, tuple(value() for _ in range(prod(shape)))) for shape in (s, u))
    return a, b


def products(
    name: str,
    shape: Shape,
    left: tuple[Tensor[Element], list[int]],
    right: tuple[Tensor[Element], list[int]],
) -> Tensor[Element]:
    """The products of the elements at those positions."""
    (a, at), (b, bt), product = left, right, product_in(name)
    return Tensor(
        shape, tuple(product(a.elements[i], b.elements[j]) for i, j in zip(at, bt, strict=True))
    )


@pytest.mark.parametrize("signature", SUPPORTED)
def test_types(evaluate: Evaluator, signature: str) -> None:
    leading = LEADING.get(signature, ())
    for name, other in itertools.product(ALL_TYPES, repeat=2):
        a, b = Operand(name, "Dense", (2, 3)), Operand(other, "Dense", (2, 3))
        good = name in SUPPORTED[signature]
        assert evaluate(f"{signature}.supported", name) is good
        same = good and name == other
        assert evaluate(f"{signature}.same_supported_type", a, b) is same
        assert evaluate(f"{signature}.admissible", *leading, a, b) is same
        if same:
            assert evaluate(f"{signature}.result", *leading, a, b) == a


@pytest.mark.parametrize("signature", SUPPORTED)
def test_sparse_tensors_are_rejected(evaluate: Evaluator, signature: str) -> None:
    leading = LEADING.get(signature, ())
    for storages in [("Dense", "Sparse"), ("Sparse", "Dense"), ("Sparse", "Sparse")]:
        a, b = (Operand("Float32", storage, (2,)) for storage in storages)
        assert evaluate(f"{signature}.same_supported_type", a, b) is False
        assert evaluate(f"{signature}.admissible", *leading, a, b) is False


@pytest.mark.parametrize("version", [14, 13, 7])
def test_shapes(evaluate: Evaluator, version: int) -> None:
    signature = f"{ONNX}.OnnxMul{version}Signature"
    for s, u in SHAPES:
        a, b = Operand("Int32", "Dense", s), Operand("Int32", "Dense", u)
        expected = common_shape(s, u)
        assert evaluate(f"{signature}.admissible", a, b) is (expected is not None)
        if expected is not None:
            assert evaluate(f"{signature}.result", a, b) == Operand("Int32", "Dense", expected)


@pytest.mark.parametrize(("version", "more"), [(6, ()), (1, ((0, 1),)), (1, ((),))])
def test_shapes_before_version_7(
    evaluate: Evaluator, version: int, more: tuple[Shape, ...]
) -> None:
    signature = f"{LEGACY}.OnnxMul{version}Signature"
    for broadcast, axis, (s, u) in itertools.product((-1, 0, 1, 2), AXES, SHAPES):
        a, b = Operand("Float32", "Dense", s), Operand("Float32", "Dense", u)
        arguments: tuple[Value, ...] = (f"{broadcast}@{axis}", *more, a, b)
        expected = accepted(broadcast, axis, s, u)
        assert evaluate(f"{signature}.admissible", *arguments) is expected, arguments
        if expected:
            assert evaluate(f"{signature}.result", *arguments) == a


def test_attributes(evaluate: Evaluator) -> None:
    module = f"{LEGACY}.LegacyAttributes"
    assert evaluate.text(f"{module}.defaults") == "0@unset"
    assert evaluate.text("systems.openvino_multiply.AutoBroadcast.default") == "numpy"
    for broadcast, axis, (s, u) in itertools.product((-1, 0, 1, 2), AXES, SHAPES):
        attributes = f"{broadcast}@{axis}"
        room = evaluate("tensor.unidirectional.Unidirectional.axis_within", axis, s, u)
        follows = followed(axis, s, u)
        off = broadcast == 0
        assert evaluate(f"{module}.is_switch", attributes) is (broadcast in (0, 1))
        assert evaluate(f"{module}.same_unless_broadcast", attributes, s, u) is (not off or s == u)
        assert evaluate(f"{module}.room_at_axis", attributes, s, u) is (off or room)
        assert evaluate(f"{module}.follows_if_broadcast", attributes, s, u) is (off or follows)
        assert evaluate(f"{module}.accepts", attributes, s, u) is accepted(broadcast, axis, s, u)


def test_where_b_is_read(evaluate: Evaluator) -> None:
    for broadcast, axis, s, u in FOLLOWS:
        places = legacy_positions(broadcast, axis, s, u)
        for index, position in zip(np.ndindex(s), places, strict=True):
            expected = tuple(map(int, np.unravel_index(position, u)))
            read = evaluate(
                f"{LEGACY}.LegacyAttributes.read_at", f"{broadcast}@{axis}", index, s, u
            )
            assert read == expected


@pytest.mark.parametrize("rule", ["none", "numpy"])
def test_auto_broadcast(evaluate: Evaluator, rule: str) -> None:
    module, signature = f"{OPENVINO}.AutoBroadcast", f"{OPENVINO}.MultiplySignature"
    for s, u in SHAPES:
        a, b = Operand("UInt8", "Dense", s), Operand("UInt8", "Dense", u)
        numpy_shape = common_shape(s, u)
        expected = (s if s == u else None) if rule == "none" else numpy_shape
        assert evaluate(f"{module}.same_if_none", rule, s, u) is (rule == "numpy" or s == u)
        assert evaluate(f"{module}.compatible_if_numpy", rule, s, u) is (
            rule == "none" or numpy_shape is not None
        )
        assert evaluate(f"{module}.accepts", rule, s, u) is (expected is not None)
        assert evaluate(f"{signature}.admissible", rule, a, b) is (expected is not None)
        if expected is not None:
            result = evaluate(f"{signature}.result", rule, a, b)
            assert result == Operand("UInt8", "Dense", expected)


@pytest.mark.parametrize("name", [*INTEGER_TYPES, *FLOAT_TYPES])
def test_products(evaluate: Evaluator, name: str) -> None:
    for s, u in BROADCASTS:
        a, b = operands(name, s, u)
        shape = common_shape(s, u)
        assert shape is not None
        expected = products(name, shape, (a, positions(s, shape)), (b, positions(u, shape)))
        assert evaluate(f"{ONNX}.OnnxMul{name}.onnx_mul", a, b) == expected
        assert evaluate(f"{OPENVINO}.Multiply{name}.multiply", "numpy", a, b) == expected
        if s == u:
            file = "mul.floats" if name in FLOAT_TYPES else "mul.definition"
            assert evaluate(f"ops.{file}.Mul{name}.mul", a, b) == expected
            assert evaluate(f"{OPENVINO}.Multiply{name}.multiply", "none", a, b) == expected


@pytest.mark.parametrize("name", ONNX_6_TYPES)
def test_products_before_version_7(evaluate: Evaluator, name: str) -> None:
    for broadcast, axis, s, u in FOLLOWS:
        a, b = operands(name, s, u)
        places = legacy_positions(broadcast, axis, s, u)
        expected = products(name, s, (a, list(range(prod(s)))), (b, places))
        module, attributes = f"{LEGACY}.LegacyMul{name}", f"{broadcast}@{axis}"
        assert evaluate(f"{module}.onnx_mul_6", attributes, a, b) == expected
        for consumed in [(), (0, 1)]:
            assert evaluate(f"{module}.onnx_mul_1", attributes, consumed, a, b) == expected
