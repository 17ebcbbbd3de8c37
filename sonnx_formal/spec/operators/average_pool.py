"""ONNX AveragePool, of which SONNX has no document."""

from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.element_types import Family, element_types
from sonnx_formal.spec.elementwise import of_onnx
from sonnx_formal.spec.kernel import KernelForm, KernelShape
from sonnx_formal.spec.operator import (
    Arithmetic,
    Arrangement,
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
from sonnx_formal.spec.operators.max_pool import OF_MAX_POOL, pooled
from sonnx_formal.spec.structural import Shape

_SHAPES = "ops.max_pool.definition.MaxPoolShape"
_COUNT = "ops.average_pool.definition.AveragePoolCount"
_WINDOWS = ("averaging",)
_SET = (*_WINDOWS, "count_include_pad")
_OF_WINDOWS = (
    *("two_spatial_axes", "known_padding", "explicit_padding", "known_rounding", "rounded_down"),
    *("kernel_each", "kernel_positive", "dilations_each", "dilations_positive", "strides_each"),
    *("strides_positive", "pads_each", "pads_not_negative", "less_padding", "fits"),
    "no_empty_window",
)


def includes_padding(attributes: Attributes) -> bool:
    """Whether a sum is divided by all elements of the kernel, those in the padding included."""
    return attributes.get("count_include_pad") == 1


_PREDICATES = {
    **{name: OF_MAX_POOL[name] for name in _OF_WINDOWS},
    "known_count": Predicate(lambda count: count in {0, 1}, "set count_include_pad to 0 or 1"),
}


def _of_attributes(item: str, predicate: str, broken: str) -> Restriction:
    return Restriction(item, Test(f"{_SHAPES}.{predicate}", _WINDOWS), broken)


def _of_shape(item: str, predicate: str, broken: str) -> Restriction:
    return Restriction(item, Test(f"{_SHAPES}.{predicate}", (*_WINDOWS, "x.dims")), broken)


_RESTRICTIONS = (
    Restriction("T", Test("dense", ("x",)), "the tensor is sparse"),
    Restriction("T", Test("listed", ("x.element",)), "the elements are of no type of the document"),
    Restriction(
        "X.C1", Test(f"{_SHAPES}.two_spatial_axes", ("x.dims",)), "X has not two spatial axes"
    ),
    _of_attributes("AUTO_PAD.C1", "known_padding", "auto_pad is none of its values"),
    _of_attributes("AUTO_PAD.C2", "explicit_padding", "the padding is not explicit"),
    _of_attributes("CEIL_MODE.C1", "known_rounding", "ceil_mode is neither 0 nor 1"),
    _of_attributes("CEIL_MODE.C2", "rounded_down", "ceil_mode is not 0"),
    Restriction(
        "COUNT_INCLUDE_PAD.C1",
        Test(f"{_COUNT}.known_count", ("count_include_pad",)),
        "count_include_pad is neither 0 nor 1",
    ),
    _of_attributes("KERNEL_SHAPE.C2", "kernel_each", "kernel_shape is not two numbers"),
    _of_attributes("KERNEL_SHAPE.C1", "kernel_positive", "the kernel has no element"),
    _of_attributes("DILATIONS.C2", "dilations_each", "dilations are not two numbers"),
    _of_attributes("DILATIONS.C1", "dilations_positive", "a dilation is not positive"),
    _of_attributes("STRIDES.C2", "strides_each", "strides are not two numbers"),
    _of_attributes("STRIDES.C1", "strides_positive", "a stride is not positive"),
    _of_attributes("PADS.C2", "pads_each", "pads are not four numbers"),
    _of_attributes("PADS.C1", "pads_not_negative", "a pad is negative"),
    _of_shape("PADS.C3", "less_padding", "the kernel is not longer than the padding"),
    _of_shape("SHAPE", "fits", "a dimension of Y would be negative"),
    _of_shape("PADS.C3", "no_empty_window", "a window is all padding"),
)
_PLAIN = {
    "kernel_shape": (2, 2),
    "strides": (1, 1),
    "pads": (0, 0, 0, 0),
    "dilations": (1, 1),
    "auto_pad": "NOTSET",
    "ceil_mode": 0,
    "count_include_pad": 0,
}


def _set(**others: object) -> Attributes:
    return Attributes.of({**_PLAIN, **others})


def _accepted(x: Shape, kernel: Shape, **others: object) -> Arrangement:
    return Arrangement((x,), _set(kernel_shape=kernel, **others))


def _broken(x: Shape = (1, 1, 3, 3), **others: object) -> Arrangement:
    return Arrangement((x,), _set(**others), broken=True)


def _attribute(name: str, kind: AttributeKind, meaning: str) -> Attribute:
    return Attribute(name, kind, meaning, required=True)


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
        attributes=(
            _attribute("auto_pad", AttributeKind.STRING, "NOTSET: the padding is that of pads."),
            _attribute("ceil_mode", AttributeKind.INT, "0: the shape of Y is rounded down."),
            _attribute(
                "count_include_pad", AttributeKind.INT, "1: the padding counts as zeros; 0: not."
            ),
            _attribute("dilations", AttributeKind.INTS, "The distances of elements of the kernel."),
            _attribute("kernel_shape", AttributeKind.INTS, "The elements of the kernel by axis."),
            _attribute("pads", AttributeKind.INTS, "The padding before both axes, then after."),
            _attribute("strides", AttributeKind.INTS, "The distances of positions of the window."),
        ),
        states={Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "SHAPE"},
        onnx=OnnxNode("AveragePool", since=19, until=22),
        arrangements=(
            _accepted((1, 1, 3, 3), (2, 2)),
            _accepted((2, 3, 4, 5), (2, 3)),
            _accepted((1, 2, 5, 6), (2, 1), strides=(3, 2), count_include_pad=1),
            _accepted((1, 1, 4, 3), (3, 2), pads=(2, 1, 0, 1)),
            _accepted((1, 1, 4, 3), (3, 2), pads=(2, 1, 0, 1), count_include_pad=1),
            _accepted((1, 1, 7, 5), (3, 2), strides=(2, 1), pads=(1, 0, 4, 2), dilations=(2, 3)),
            _accepted((2, 1, 1, 1), (1, 1)),
            _accepted((1, 1, 2, 3), (3, 1)),
            _accepted((0, 1, 3, 3), (2, 2)),
            _accepted((1, 1, 0, 3), (1, 2)),
            _broken((1, 3, 3)),
            _broken((1, 1, 3, 3, 3)),
            _broken(auto_pad="WIDE"),
            _broken(auto_pad="SAME_UPPER"),
            _broken(ceil_mode=2),
            _broken(ceil_mode=1),
            _broken(count_include_pad=2),
            _broken(count_include_pad=-1),
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
            _broken(pads=(2, 0, 0, 0), count_include_pad=1),
            _broken(kernel_shape=(2, 5)),
            # The elements of the kernel are before the only element of X and after it.
            _broken((1, 1, 1, 1), pads=(1, 1, 1, 1), dilations=(2, 2)),
            _broken((1, 1, 0, 1), pads=(1, 1, 1, 1), count_include_pad=1),
        ),
    )
)
OPERATORS = (AVERAGE_POOL,)
