"""SONNX MaxPool."""

from collections.abc import Callable
from fractions import Fraction

from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.element_types import Family, element_types
from sonnx_formal.spec.elementwise import OF_FLOATS, OF_INTEGERS, OF_REALS, modules, one_document
from sonnx_formal.spec.kernel import KernelForm, KernelShape
from sonnx_formal.spec.operator import (
    Arithmetic,
    Arrangement,
    Definition,
    Example,
    Input,
    OnnxNode,
    Operator,
    Output,
    Predicate,
    Reference,
    Restriction,
    Rule,
    ShapeRule,
    System,
    Test,
    TypeParameter,
)
from sonnx_formal.spec.structural import Shape
from sonnx_formal.spec.windows import (
    PADDINGS,
    POSITIVE,
    PREDICATES,
    SPATIAL,
    TWO,
    Sliding,
    all_at_least,
    ints,
    numbers,
    windows,
)

_SHAPES = "ops.max_pool.definition.MaxPoolShape"


def windows_of(attributes: Attributes, x: Shape) -> list[Sliding]:
    """The windows along rows and columns of X."""
    return windows(attributes, x, ints(attributes, "kernel_shape"))


def pooled(attributes: Attributes, x: Shape) -> Shape:
    """The shape of Y."""
    return (*x[:SPATIAL], *(along.places for along in windows_of(attributes, x)))


def _each(holds: Callable[[Sliding], bool]) -> Callable[[Attributes, Shape], bool]:
    """Of both windows."""
    return lambda attributes, x: all(map(holds, windows_of(attributes, x)))


OF_MAX_POOL = {
    **PREDICATES,
    "known_padding": Predicate(lambda a: a.get("auto_pad") in PADDINGS, "set auto_pad to NOTSET"),
    "explicit_padding": Predicate(
        lambda a: a.get("auto_pad") == "NOTSET",
        "set auto_pad to NOTSET, and pads to the padding that is meant",
    ),
    "known_rounding": Predicate(lambda a: a.get("ceil_mode") in {0, 1}, "set ceil_mode to 0"),
    "rounded_down": Predicate(
        lambda a: a.get("ceil_mode") == 0, "set ceil_mode to 0, and pad more at the end"
    ),
    "row_major": Predicate(lambda a: a.get("storage_order") == 0, "set storage_order to 0"),
    "kernel_each": Predicate(numbers("kernel_shape"), TWO),
    "strides_each": Predicate(numbers("strides"), TWO),
    "strides_positive": Predicate(all_at_least(1, "strides"), POSITIVE),
    "less_padding": Predicate(
        _each(lambda w: max(w.before, w.after) < w.span), "pad less, or give a longer kernel"
    ),
    "fits": Predicate(_each(lambda w: w.places >= 0), "give more padding, or a smaller kernel"),
    "no_empty_window": Predicate(
        _each(lambda w: all(map(w.meets, range(w.places)))), "pad less, or dilate less"
    ),
}


def _of_attributes(item: str, predicate: str, broken: str) -> Restriction:
    return Restriction(item, Test(f"{_SHAPES}.{predicate}", ("pooling",)), broken)


def _of_shape(item: str, predicate: str, broken: str) -> Restriction:
    return Restriction(item, Test(f"{_SHAPES}.{predicate}", ("pooling", "x.dims")), broken)


_RESTRICTIONS = (
    Restriction("SONNX-GENERAL.GR1", Test("dense", ("x",)), "the tensor is sparse"),
    Restriction("T", Test("listed", ("x.element",)), "the elements are of no type of the document"),
    Restriction(
        "X.C1", Test(f"{_SHAPES}.two_spatial_axes", ("x.dims",)), "X has not two spatial axes"
    ),
    _of_attributes("AUTO_PAD.C1", "known_padding", "auto_pad is none of its values"),
    _of_attributes("AUTO_PAD.C2", "explicit_padding", "the padding is not explicit"),
    _of_attributes("CEIL_MODE.C1", "known_rounding", "ceil_mode is neither 0 nor 1"),
    _of_attributes("CEIL_MODE.C2", "rounded_down", "ceil_mode is not 0"),
    _of_attributes("STORAGE_ORDER.C1", "row_major", "storage_order is not 0"),
    _of_attributes("KERNEL_SHAPE.C2", "kernel_each", "kernel_shape is not two numbers"),
    _of_attributes("KERNEL_SHAPE.C1", "kernel_positive", "the kernel has no element"),
    _of_attributes("DILATIONS.C2", "dilations_each", "dilations are not two numbers"),
    _of_attributes("DILATIONS.C1", "dilations_positive", "a dilation is not positive"),
    _of_attributes("STRIDES.C2", "strides_each", "strides are not two numbers"),
    _of_attributes("STRIDES.C1", "strides_positive", "a stride is not positive"),
    _of_attributes("PADS.C1", "pads_each", "pads are not four numbers"),
    _of_attributes("ATTR.PADS", "pads_not_negative", "a pad is negative"),
    _of_shape("PADS.C2", "less_padding", "the kernel is not longer than the padding"),
    _of_shape("Y.C1", "fits", "a dimension of Y would be negative"),
    _of_shape("PADS.C2", "no_empty_window", "a window is all padding"),
)
_ONE, _TWO_EACH, _NONE = (1, 1), (2, 2), (0, 0, 0, 0)
_PLAIN = {
    "kernel_shape": _TWO_EACH,
    "strides": _ONE,
    "pads": _NONE,
    "dilations": _ONE,
    "auto_pad": "NOTSET",
    "ceil_mode": 0,
    "storage_order": 0,
}


def _set(**others: object) -> Attributes:
    return Attributes.of({**_PLAIN, **others})


def _accepted(x: Shape, kernel: Shape, **others: object) -> Arrangement:
    return Arrangement((x,), _set(kernel_shape=kernel, **others))


def _broken(x: Shape = (1, 1, 3, 3), **others: object) -> Arrangement:
    return Arrangement((x,), _set(**others), broken=True)


_INF = float("inf")
_OF_REAL = """
5.67591154 -0.04859958 2.94203104 3.70327292 2.47014306 4.12455586 5.81838665 1.84118807
-0.05267874 2.75227858 2.16608732 4.03416243 1.28184638 4.81748948 4.64878412 3.31626988
3.55427648 0.39997585 4.45761508 4.82722666 0.18843372 0.49564314 7.96647029 4.82851447
1.52417623 2.28965587 0.36251913 1.64413983 4.67267459 3.73167179 2.20052118 2.06720836
-1.22446366 -0.86469519 6.01461967 -1.08813165 2.11920055 0.78561867 0.29834533 1.94499626
1.57776732 3.64260188 3.47181319 4.83723727 1.49868674 3.27683692 2.42625178 0.4401565
6.8972704 5.51113868 5.99293336 4.24088721 1.94993561 -0.04040625 3.07940675 3.06769141
3.1299626 4.5546675 3.5008191 2.06181403 3.27400104 6.70386189 0.92777015 -1.29092574
"""
"""Of which the document prints one as 4 81748948."""
_REAL_ROWS = [[Fraction(each) for each in row.split()] for row in _OF_REAL.split("\n")[1:-1]]


def _of_doubles(item: str, x: list[list[float]], pads: Shape = _NONE) -> Example:
    return Example(item, ([[x]],), OF_FLOATS, _set(pads=pads), frozenset({"float64"}))


def _of_bytes(item: str, type_: str, x: list[list[int]], pads: Shape = _NONE) -> Example:
    return Example(item, ([[x]],), OF_INTEGERS, _set(pads=pads), frozenset({type_}))


_EXAMPLES = (
    Example("EX1", ([[_REAL_ROWS]],), OF_REALS, _set(kernel_shape=(3, 3))),
    _of_doubles(
        "EX2",
        [
            [1.70792822, 1.59383029, 2.22933891],
            [1.39774388, 2.03411151, 3.15139065],
            [2.81201102, 5.85721996, 3.55039159],
        ],
    ),
    _of_doubles(
        "EX3",
        [
            [2.41529657, 0.12586645, 5.17877496],
            [5.82770299, 3.77328965, 3.51988829],
            [1.40679595, 3.95043140, -1.37421443],
        ],
        (1, 0, 1, 0),
    ),
    _of_doubles(
        "EX4",
        [
            [-_INF, -_INF, 4.56432533],
            [-_INF, -_INF, 2.55354471],
            [2.83691720, 3.46789489, 5.23979851],
        ],
    ),
    _of_doubles(
        "EX5",
        [
            [-_INF, 9.57875561, 4.56432533],
            [2.72844928, 3.54234851, 2.55354471],
            [2.83691720, 3.46789489, 5.23979851],
        ],
        _ONE * 2,
    ),
    _of_bytes("EX6", "int8", [[-12, -13, 5], [-14, -15, 6], [7, 8, -1]]),
    _of_bytes("EX7", "int8", [[-128, -128, 5], [-128, -128, 6], [7, 8, -1]]),
    _of_bytes("EX8", "int8", [[1, 2, 0], [0, 3, 5], [-2, 5, 6]], (0, 1, 1, 1)),
    _of_bytes("EX9", "int8", [[-128, -127, 5], [-128, -127, 6], [7, 8, -128]], _ONE * 2),
    _of_bytes("EX10", "uint8", [[0, 1, 5], [1, 1, 6], [7, 8, 0]], _ONE * 2),
)


def _attribute(name: str, kind: AttributeKind, meaning: str) -> Attribute:
    return Attribute(name, kind, meaning, required=True)


MAX_POOL = Operator(
    name="max_pool",
    title="SONNX MaxPool",
    system=System.SONNX,
    documents=one_document("SONNX-MAXPOOL"),
    inputs=(Input("X", "T"),),
    output=Output("Y", "T"),
    parameters=(
        TypeParameter("T", element_types("real", "float16", "float32", "float64", "int8", "uint8")),
    ),
    definition=Definition(
        signature="ops.max_pool.definition.MaxPoolSignature",
        function="max_pool",
        modules={
            family: module
            for family, module in modules("MaxPool", "max_pool").items()
            if family is not Family.BOOLEAN
        },
        restrictions=_RESTRICTIONS,
        takes=("pooling", "x"),
        arguments=("pooling",),
        predicates=OF_MAX_POOL,
        shape=lambda a, x: pooled(a, x.array.shape),
    ),
    reference=Reference("max_pool"),
    shape_rule=ShapeRule.OWN,
    kernel=KernelShape(KernelForm.WINDOW, "kernels.max_pool.PoolingCheck.is_pooling"),
    arithmetic=Arithmetic.EXACT,
    always=(
        *("T", "X.C1", "Y.C1", "AUTO_PAD.C1", "AUTO_PAD.C2", "CEIL_MODE.C1", "CEIL_MODE.C2"),
        *("STORAGE_ORDER.C1", "KERNEL_SHAPE.C1", "KERNEL_SHAPE.C2", "DILATIONS.C1", "DILATIONS.C2"),
        *("STRIDES.C1", "STRIDES.C2", "PADS.C1", "PADS.C2", "ATTR.AUTO_PAD", "ATTR.CEIL_MODE"),
        *("ATTR.DILATIONS", "ATTR.KERNEL_SHAPE", "ATTR.PADS", "ATTR.STORAGE_ORDER", "ATTR.STRIDES"),
    ),
    attributes=(
        _attribute("auto_pad", AttributeKind.STRING, "NOTSET: the padding is what pads says."),
        _attribute("ceil_mode", AttributeKind.INT, "0: the shape of Y is rounded down."),
        _attribute("dilations", AttributeKind.INTS, "The distances of elements of the kernel."),
        _attribute("kernel_shape", AttributeKind.INTS, "The elements of the kernel, axis by axis."),
        _attribute("pads", AttributeKind.INTS, "The padding before both axes, then after them."),
        _attribute("storage_order", AttributeKind.INT, "0: X is in row-major order."),
        _attribute("strides", AttributeKind.INTS, "The distances of positions of the window."),
    ),
    states={Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "Y.C1"},
    onnx=OnnxNode("MaxPool", since=12, until=22),
    examples=_EXAMPLES,
    arrangements=(
        _accepted((1, 1, 3, 3), _TWO_EACH),
        _accepted((2, 3, 4, 5), (2, 3)),
        _accepted((1, 2, 5, 6), (2, 1), strides=(3, 2)),
        _accepted((1, 1, 4, 3), (3, 2), pads=(2, 1, 0, 1)),
        _accepted((1, 1, 7, 5), (3, 2), strides=(2, 1), pads=(1, 0, 4, 2), dilations=(2, 3)),
        _accepted((2, 1, 1, 1), (1, 1)),
        _accepted((1, 1, 2, 3), (3, 1)),
        _accepted((0, 1, 3, 3), _TWO_EACH),
        _accepted((1, 1, 0, 3), (1, 2)),
        _broken((1, 3, 3)),
        _broken((1, 1, 3, 3, 3)),
        _broken(auto_pad="WIDE"),
        _broken(auto_pad="SAME_UPPER"),
        _broken(ceil_mode=2),
        _broken(ceil_mode=1),
        _broken(storage_order=1),
        _broken(kernel_shape=(2,)),
        _broken(kernel_shape=(2, 0)),
        _broken(dilations=(1, 1, 1)),
        _broken(dilations=(0, 1)),
        _broken(strides=()),
        _broken(strides=(1, -1)),
        _broken(pads=(1, 1)),
        _broken(pads=(0, -1, 0, 0)),
        _broken(pads=(0, 2, 0, 0)),
        _broken(pads=(0, 0, 2, 0)),
        _broken(kernel_shape=(2, 5)),
        # The elements of the kernel are before the only element of X and after it.
        _broken((1, 1, 1, 1), pads=(1, 1, 1, 1), dilations=_TWO_EACH),
        _broken((1, 1, 0, 1), pads=(1, 1, 1, 1)),
    ),
)
OPERATORS = (MAX_POOL,)
