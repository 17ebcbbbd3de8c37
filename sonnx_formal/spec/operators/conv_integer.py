"""ONNX ConvInteger, of which SONNX has no document."""

from dataclasses import replace
from typing import TYPE_CHECKING

from sonnx_formal.spec.attributes import UNSET, Attribute, AttributeKind, Attributes
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
    Presence,
    Reference,
    Restriction,
    Rule,
    ShapeRule,
    System,
    Test,
    TypeParameter,
)
from sonnx_formal.spec.operators.conv import OF_CONV, convolved
from sonnx_formal.spec.structural import Shape
from sonnx_formal.spec.windows import SPATIAL

if TYPE_CHECKING:
    from sonnx_formal.spec.admission import Operand

_SHAPES = "ops.conv.definition.ConvShape"
_ZERO_POINTS = {"x": "x_zero_point", "w": "w_zero_point"}
_OPERANDS = (*_ZERO_POINTS, *_ZERO_POINTS.values())
_SET = ("completed",)
_OF_X = (*_SET, "x.dims")
_OF_W = (*_SET, "w.dims")
_OF_BOTH = (*_OF_X, "w.dims")
_DEFAULTS = {"strides": (1, 1), "pads": (0, 0, 0, 0), "dilations": (1, 1), "group": 1}


def completed(attributes: Attributes) -> Attributes:
    """With what holds where one is not set; but for kernel_shape, of which W has to be asked."""
    return Attributes.of({**_DEFAULTS, **attributes.as_dict()})


def _of_completed(predicate: Predicate) -> Predicate:
    """What Conv asks for, of attributes that need not be set."""
    return replace(predicate, holds=lambda a, *shapes: predicate.holds(completed(a), *shapes))


def _kernel_of_w(attributes: Attributes, w: Shape) -> bool:
    return attributes.get("kernel_shape") is None or OF_CONV["kernel_of_w"].holds(attributes, w)


def _zero_point_each(w: "Operand", zero: "Operand | None") -> bool:
    return zero is None or zero.array.ndim != 1 or zero.array.shape[0] == w.array.shape[0]


_OF_ATTRIBUTES = (
    *("known_padding", "explicit_padding", "strides_positive", "pads_each", "pads_not_negative"),
    *("dilations_each", "dilations_positive", "group_positive", "groups_equal"),
    *("standard_or_depthwise", "channels_of_group", "channel_by_channel", "kernel_fits"),
)
_PREDICATES = {
    **{name: OF_CONV[name] for name in ("one_type", "two_spatial_axes", "kernel_axes")},
    **{name: _of_completed(OF_CONV[name]) for name in _OF_ATTRIBUTES},
    "one_zero_point": Predicate(
        lambda zero: zero is None or zero.array.ndim == 0, "give it no axes: .reshape(())"
    ),
    "scalar_or_vector": Predicate(
        lambda zero: zero is None or zero.array.ndim <= 1, "give it no axes, or one"
    ),
    "zero_point_each": Predicate(_zero_point_each, "give it an element for each output channel"),
    "kernel_not_empty": Predicate(
        lambda w: all(size > 0 for size in w[SPATIAL:]), "give W a row and a column"
    ),
    "kernel_of_w": replace(OF_CONV["kernel_of_w"], holds=_kernel_of_w),
}


def _of_shapes(item: str, predicate: str, takes: tuple[str, ...], broken: str) -> Restriction:
    return Restriction(item, Test(f"{_SHAPES}.{predicate}", takes), broken)


_RESTRICTIONS = (
    Restriction("T", Test("dense", _OPERANDS), "a tensor is sparse"),
    *(
        Restriction(
            "T", Test("listed", (f"{name}.element",)), f"{name} has elements of another type"
        )
        for name in _ZERO_POINTS
    ),
    *(
        Restriction("T", Test("one_type", (name, zero)), f"{name} and {zero} are not of one type")
        for name, zero in _ZERO_POINTS.items()
    ),
    _of_shapes("X.C1", "two_spatial_axes", ("x.dims",), "x has not two spatial axes"),
    _of_shapes("W.C1", "kernel_axes", ("w.dims",), "w has not two spatial axes"),
    Restriction(
        "X_ZERO_POINT.C1", Test("one_zero_point", ("x_zero_point",)), "x_zero_point has axes"
    ),
    Restriction(
        "W_ZERO_POINT.C1",
        Test("scalar_or_vector", ("w_zero_point",)),
        "w_zero_point has more than one axis",
    ),
    Restriction(
        "W_ZERO_POINT.C2",
        Test("zero_point_each", ("w", "w_zero_point")),
        "w_zero_point has not one element for each output channel",
    ),
    _of_shapes("AUTO_PAD.C1", "known_padding", _SET, "auto_pad is none of its values"),
    _of_shapes("AUTO_PAD.C2", "explicit_padding", _SET, "the padding is not explicit"),
    _of_shapes("STRIDES.C1", "strides_positive", _SET, "strides are not two positive numbers"),
    _of_shapes("PADS.C2", "pads_each", _SET, "pads are not four numbers"),
    _of_shapes("PADS.C1", "pads_not_negative", _SET, "a pad is negative"),
    _of_shapes("DILATIONS.C2", "dilations_each", _SET, "dilations are not two numbers"),
    _of_shapes("DILATIONS.C1", "dilations_positive", _SET, "a dilation is not positive"),
    _of_shapes("GROUP.C1", "group_positive", _SET, "the group is not positive"),
    _of_shapes("GROUP.C2", "groups_equal", _OF_BOTH, "the groups would be of several sizes"),
    _of_shapes(
        "GROUP.C3", "standard_or_depthwise", _OF_X, "the group is neither 1 nor the channels of x"
    ),
    _of_shapes("W.C2", "channels_of_group", _OF_BOTH, "w has not as many channels as a group of x"),
    _of_shapes(
        "GROUP.C3", "channel_by_channel", _OF_BOTH, "there is not one output channel for each"
    ),
    Restriction("W.C3", Test("kernel_not_empty", ("w.dims",)), "the kernel has no element"),
    _of_shapes("KERNEL_SHAPE.C1", "kernel_of_w", _OF_W, "kernel_shape is not that of w"),
    _of_shapes("X.C2", "kernel_fits", _OF_BOTH, "the kernel does not fit into x"),
)


def _accepted(
    x: Shape, w: Shape, x_zero: Shape | None = None, w_zero: Shape | None = None, **set_: object
) -> Arrangement:
    return Arrangement((x, w, x_zero, w_zero), Attributes.of(set_))


def _broken(
    x: Shape, w: Shape, x_zero: Shape | None = None, w_zero: Shape | None = None, **set_: object
) -> Arrangement:
    return Arrangement((x, w, x_zero, w_zero), Attributes.of(set_), broken=True)


def _optional(name: str, kind: AttributeKind, meaning: str) -> Attribute:
    return Attribute(name, kind, meaning)


_IMAGE, _KERNEL = (1, 1, 3, 3), (1, 1, 2, 2)
_BYTES = element_types("int8", "uint8")

CONV_INTEGER = of_onnx(
    Operator(
        name="conv_integer",
        title="ONNX ConvInteger",
        system=System.ONNX,
        documents={Family.INTEGER: "ONNX-CONVINTEGER-10"},
        inputs=(
            Input("x", "T1"),
            Input("w", "T2"),
            Input("x_zero_point", "T1", Presence.OPTIONAL),
            Input("w_zero_point", "T2", Presence.OPTIONAL),
        ),
        output=Output("y", "int32"),
        parameters=(TypeParameter("T1", _BYTES), TypeParameter("T2", _BYTES)),
        definition=Definition(
            signature="ops.conv_integer.definition.ConvIntegerSignature",
            function="conv_integer",
            modules={Family.INTEGER: "ops.conv_integer.definition.ConvInteger"},
            restrictions=_RESTRICTIONS,
            takes=(*_SET, *_OPERANDS),
            arguments=_SET,
            predicates=_PREDICATES,
            shape=lambda a, x, w, *_: convolved(completed(a), x.array.shape, w.array.shape),
        ),
        reference=Reference("conv_integer"),
        shape_rule=ShapeRule.OWN,
        kernel=KernelShape(
            KernelForm.CONVOLUTION,
            "kernels.conv_integer.ConvIntegerCheck.is_conv_integer",
            scalars=frozenset({"x_zero_point"}),
        ),
        arithmetic=Arithmetic.SUM_OF_PRODUCTS,
        always=(
            *("T", "SHAPE", "X.C1", "X.C2", "W.C1", "W.C2", "W.C3", "X_ZERO_POINT.C1"),
            *("W_ZERO_POINT.C1", "W_ZERO_POINT.C2", "AUTO_PAD.C1", "AUTO_PAD.C2", "STRIDES.C1"),
            *("PADS.C1", "PADS.C2", "DILATIONS.C1", "DILATIONS.C2", "GROUP.C1", "GROUP.C2"),
            *("GROUP.C3", "KERNEL_SHAPE.C1", "ATTR.AUTO_PAD", "ATTR.DILATIONS", "ATTR.GROUP"),
            *("ATTR.KERNEL_SHAPE", "ATTR.PADS", "ATTR.STRIDES"),
        ),
        computed=("FUNC", "ACC"),
        states={Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "SHAPE"},
        attributes=(
            _optional("auto_pad", AttributeKind.STRING, "NOTSET: the padding is that of pads."),
            _optional("dilations", AttributeKind.INTS, "Distances in x between elements of w."),
            _optional("group", AttributeKind.INT, "1, or the channels of x."),
            _optional("kernel_shape", AttributeKind.INTS, "Rows and columns of w."),
            _optional("pads", AttributeKind.INTS, "Rows and columns before x, then after it."),
            _optional("strides", AttributeKind.INTS, "The steps of rows and of columns."),
        ),
        onnx=OnnxNode("ConvInteger", since=10),
        arrangements=(
            Arrangement((_IMAGE, _KERNEL, None, None), UNSET),
            _accepted(
                (1, 2, 4, 3),
                (2, 2, 3, 2),
                (),
                (),
                strides=[2, 1],
                pads=[1, 0, 1, 1],
                dilations=[1, 1],
                group=1,
                kernel_shape=[3, 2],
                auto_pad="NOTSET",
            ),
            _accepted((2, 1, 3, 3), (3, 1, 2, 2), (), (3,), pads=[1, 1, 1, 1], dilations=[2, 2]),
            _accepted((1, 3, 3, 3), (3, 1, 2, 2), None, (3,), group=3, strides=[1, 2]),
            _accepted((1, 1, 0, 1), (1, 1, 1, 1), (), None, pads=[1, 0, 0, 0]),
            _accepted((0, 1, 3, 3), _KERNEL, (), ()),
            _accepted(_IMAGE, (0, 1, 2, 2), None, (0,)),
            _accepted((1, 0, 2, 2), (1, 0, 1, 1)),
            _broken((1, 3, 3), _KERNEL),
            _broken((1, 1, 3, 3, 1), _KERNEL),
            _broken(_IMAGE, (1, 1, 2)),
            _broken(_IMAGE, _KERNEL, (1,)),
            _broken(_IMAGE, _KERNEL, None, (1, 1)),
            _broken(_IMAGE, _KERNEL, None, (2,)),
            _broken(_IMAGE, (2, 1, 2, 2), None, (1,)),
            _broken(_IMAGE, _KERNEL, auto_pad="none"),
            _broken(_IMAGE, _KERNEL, auto_pad="VALID"),
            _broken(_IMAGE, _KERNEL, auto_pad="SAME_UPPER"),
            _broken(_IMAGE, _KERNEL, strides=[1]),
            _broken(_IMAGE, _KERNEL, strides=[1, 0]),
            _broken(_IMAGE, _KERNEL, pads=[0, 0]),
            _broken(_IMAGE, _KERNEL, pads=[0, 0, 0, -1]),
            _broken(_IMAGE, _KERNEL, dilations=[1, 1, 1]),
            _broken(_IMAGE, _KERNEL, dilations=[0, 1]),
            _broken(_IMAGE, _KERNEL, group=0),
            _broken((1, 3, 3, 3), (3, 1, 2, 2), group=2),
            _broken((1, 4, 3, 3), (4, 2, 2, 2), group=2),
            _broken((1, 2, 3, 3), _KERNEL),
            _broken((1, 2, 3, 3), (4, 1, 2, 2), group=2),
            _broken(_IMAGE, (1, 1, 0, 2)),
            _broken(_IMAGE, (1, 1, 2, 1), kernel_shape=[1, 2]),
            _broken(_IMAGE, _KERNEL, kernel_shape=[2]),
            _broken(_IMAGE, (1, 1, 4, 1)),
            _broken(_IMAGE, _KERNEL, dilations=[1, 3]),
        ),
    )
)
OPERATORS = (CONV_INTEGER,)
