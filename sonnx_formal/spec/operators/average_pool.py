"""ONNX AveragePool, of which SONNX has no document."""

from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.element_types import Family, element_types
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
    Reference,
    Restriction,
    Rule,
    ShapeRule,
    System,
    Terms,
    Test,
    TypeParameter,
)
from sonnx_formal.spec.pooling import OF_POOLING, Pooling, pooled

_COUNT = "ops.average_pool.definition.AveragePoolCount"
_AVERAGING = Pooling("averaging", {"count_include_pad": 0})
_SET = (_AVERAGING.argument, "count_include_pad")


def includes_padding(attributes: Attributes) -> bool:
    """Whether a sum is divided by all elements of the kernel, those in the padding included."""
    return attributes.get("count_include_pad") == 1


_PREDICATES = {
    **OF_POOLING,
    "known_count": Predicate(lambda count: count in {0, 1}, "set count_include_pad to 0 or 1"),
}
_RESTRICTIONS = _AVERAGING.restrictions(
    "T",
    Restriction(
        "COUNT_INCLUDE_PAD.C1",
        Test(f"{_COUNT}.known_count", ("count_include_pad",)),
        "count_include_pad is neither 0 nor 1",
    ),
    pads=("PADS.C2", "PADS.C1"),
    window="PADS.C3",
    fits="SHAPE",
)

AVERAGE_POOL = of_onnx(
    Operator(
        name="average_pool",
        title="ONNX AveragePool",
        system=System.ONNX,
        documents=dict.fromkeys((Family.REAL, Family.FLOAT), "ONNX-AVERAGEPOOL-19"),
        inputs=(Input("X", "T"),),
        output=Output("Y", "T"),
        parameters=(TypeParameter("T", element_types("real", "float16", "float32", "float64")),),
        definition=Definition(
            signature="ops.average_pool.definition.AveragePoolSignature",
            function="average_pool",
            modules={
                Family.REAL: "ops.average_pool.definition.AveragePoolRational",
                Family.FLOAT: "ops.average_pool.floats.AveragePool{T}",
            },
            restrictions=_RESTRICTIONS,
            takes=(*_SET, "x"),
            arguments=_SET,
            predicates=_PREDICATES,
            shape=lambda a, _count, x: pooled(a, x.array.shape),
        ),
        reference=Reference("average_pool"),
        shape_rule=ShapeRule.OWN,
        kernel=KernelShape(KernelForm.WINDOW, "kernels.average_pool.AveragingCheck.is_averaging"),
        arithmetic=Arithmetic.SUM_OF_PRODUCTS,
        terms=Terms.MEANS,
        always=(
            *("T", "SHAPE", "X.C1", "AUTO_PAD.C1", "AUTO_PAD.C2", "CEIL_MODE.C1", "CEIL_MODE.C2"),
            *("COUNT_INCLUDE_PAD.C1", "KERNEL_SHAPE.C1", "KERNEL_SHAPE.C2", "DILATIONS.C1"),
            *("DILATIONS.C2", "STRIDES.C1", "STRIDES.C2", "PADS.C1", "PADS.C2", "PADS.C3"),
            *("ATTR.AUTO_PAD", "ATTR.CEIL_MODE", "ATTR.COUNT_INCLUDE_PAD", "ATTR.DILATIONS"),
            *("ATTR.KERNEL_SHAPE", "ATTR.PADS", "ATTR.STRIDES"),
        ),
        computed=("FUNC", "ACC"),
        attributes=_AVERAGING.attributes(
            "count_include_pad", "1: the padding counts as zeros; 0: not."
        ),
        states={Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "SHAPE"},
        onnx=OnnxNode("AveragePool", since=19, until=22),
        arrangements=_AVERAGING.arrangements(
            _AVERAGING.accepted((1, 2, 5, 6), (2, 1), strides=(3, 2), count_include_pad=1),
            _AVERAGING.accepted((1, 1, 4, 3), (3, 2), pads=(2, 1, 0, 1), count_include_pad=1),
            _AVERAGING.broken(count_include_pad=2),
            _AVERAGING.broken(count_include_pad=-1),
            _AVERAGING.broken(pads=(2, 0, 0, 0), count_include_pad=1),
            _AVERAGING.broken((1, 1, 0, 1), pads=(1, 1, 1, 1), count_include_pad=1),
        ),
    )
)
OPERATORS = (AVERAGE_POOL,)
