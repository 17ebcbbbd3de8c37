"""SONNX MaxPool."""

from fractions import Fraction

from sonnx_formal.spec.element_types import Family, element_types
from sonnx_formal.spec.elementwise import OF_FLOATS, OF_INTEGERS, OF_REALS, modules, one_document
from sonnx_formal.spec.kernel import KernelForm, KernelShape
from sonnx_formal.spec.operator import (
    Arithmetic,
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
from sonnx_formal.spec.pooling import OF_POOLING, Pooling, pooled
from sonnx_formal.spec.structural import Shape

_SHAPES = "ops.max_pool.definition.MaxPoolShape"
_POOLING = Pooling("pooling", {"storage_order": 0})
_PREDICATES = {
    **OF_POOLING,
    "row_major": Predicate(lambda a: a.get("storage_order") == 0, "set storage_order to 0"),
}
_RESTRICTIONS = _POOLING.restrictions(
    "SONNX-GENERAL.GR1",
    Restriction(
        "STORAGE_ORDER.C1", Test(f"{_SHAPES}.row_major", ("pooling",)), "storage_order is not 0"
    ),
    pads=("PADS.C1", "ATTR.PADS"),
    window="PADS.C2",
    fits="Y.C1",
)
_ONE, _NONE = (1, 1), (0, 0, 0, 0)
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
    return Example(item, ([[x]],), OF_FLOATS, _POOLING.set(pads=pads), frozenset({"float64"}))


def _of_bytes(item: str, type_: str, x: list[list[int]], pads: Shape = _NONE) -> Example:
    return Example(item, ([[x]],), OF_INTEGERS, _POOLING.set(pads=pads), frozenset({type_}))


_EXAMPLES = (
    Example("EX1", ([[_REAL_ROWS]],), OF_REALS, _POOLING.set(kernel_shape=(3, 3))),
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
        predicates=_PREDICATES,
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
    attributes=_POOLING.attributes("storage_order", "0: X is in row-major order."),
    states={Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "Y.C1"},
    onnx=OnnxNode("MaxPool", since=12, until=22),
    examples=_EXAMPLES,
    arrangements=_POOLING.arrangements(_POOLING.broken(storage_order=1)),
)
OPERATORS = (MAX_POOL,)
