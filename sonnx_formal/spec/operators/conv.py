"""SONNX Conv."""

from typing import TYPE_CHECKING

from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.element_types import Family, element_types
from sonnx_formal.spec.elementwise import OF_FLOATS, OF_REALS
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
    Presence,
    Reference,
    Restriction,
    Rule,
    ShapeRule,
    System,
    Terms,
    Test,
    TypeParameter,
)
from sonnx_formal.spec.structural import Shape
from sonnx_formal.spec.windows import (
    AXES,
    PADDINGS,
    PREDICATES,
    SPATIAL,
    TWO,
    Sliding,
    all_at_least,
    ints,
    numbers,
    windows,
)

if TYPE_CHECKING:
    from sonnx_formal.spec.admission import Operand

_SHAPES = "ops.conv.definition.ConvShape"
_OPERANDS = ("x", "w", "b")
_SET = ("convolution",)
_OF_X = (*_SET, "x.dims")
_OF_W = (*_SET, "w.dims")
_OF_BOTH = (*_OF_X, "w.dims")


def group_of(attributes: Attributes) -> int:
    group = attributes.get("group")
    assert isinstance(group, int)
    return group


def _windows(attributes: Attributes, x: Shape, w: Shape) -> list[Sliding]:
    return windows(attributes, x, w[SPATIAL:])


def convolved(attributes: Attributes, x: Shape, w: Shape) -> Shape:
    """The shape of Y: along each spatial axis, how often the kernel is applied."""
    return (x[0], w[0], *(along.places for along in _windows(attributes, x, w)))


def _groups_equal(attributes: Attributes, x: Shape, w: Shape) -> bool:
    group = group_of(attributes)
    return x[1] % group == 0 and w[0] % group == 0


def _one_type(*operands: "Operand | None") -> bool:
    return len({operand.type for operand in operands if operand}) == 1


OF_CONV = {
    "one_type": Predicate(_one_type, "convert all to one type, which is one of {types}"),
    **PREDICATES,
    "kernel_axes": Predicate(
        lambda w: len(w) == AXES, "give W axes for output channels, channels, rows and columns"
    ),
    "bias_vector": Predicate(lambda b: b is None or b.array.ndim == 1, "give B one axis"),
    "known_padding": Predicate(
        lambda a: a.get("auto_pad") in {None, *PADDINGS}, "set auto_pad to NOTSET"
    ),
    "explicit_padding": Predicate(
        lambda a: a.get("auto_pad") in {None, "NOTSET"},
        "set auto_pad to NOTSET, and pads to the padding that is meant",
    ),
    "strides_positive": Predicate(
        lambda a: numbers("strides")(a) and all_at_least(1, "strides")(a),
        f"{TWO}, each of them positive",
    ),
    "group_positive": Predicate(lambda a: group_of(a) > 0, "give a positive number"),
    "groups_equal": Predicate(_groups_equal, "give a group that divides both"),
    "standard_or_depthwise": Predicate(
        lambda a, x: group_of(a) in {1, x[1]}, "convolve each group by itself"
    ),
    "channels_of_group": Predicate(
        lambda a, x, w: w[1] * group_of(a) == x[1], "give W the channels of a group"
    ),
    "channel_by_channel": Predicate(
        lambda a, x, w: group_of(a) == 1 or w[0] == x[1],
        "convolve as often as there are output channels for each channel of X",
    ),
    "kernel_of_w": Predicate(
        lambda a, w: ints(a, "kernel_shape") == tuple(w[SPATIAL:]),
        "give the rows and the columns of W",
    ),
    "bias_each": Predicate(
        lambda w, b: b is None or b.array.shape[0] == w.array.shape[0],
        "give B an element for each output channel",
    ),
    "kernel_fits": Predicate(
        lambda a, x, w: all(along.span <= along.padded for along in _windows(a, x, w)),
        "give more padding, or a smaller kernel",
    ),
}


def _of_shapes(item: str, predicate: str, takes: tuple[str, ...], broken: str) -> Restriction:
    return Restriction(item, Test(f"{_SHAPES}.{predicate}", takes), broken)


_RESTRICTIONS = (
    Restriction("SONNX-GENERAL.GR1", Test("dense", _OPERANDS), "a tensor is sparse"),
    Restriction(
        "T",
        Test("listed", ("x.element",)),
        "the elements are of no type of the document",
        extended=True,
    ),
    Restriction("T", Test("one_type", _OPERANDS), "the elements are of more than one type"),
    _of_shapes("X.C1", "two_spatial_axes", ("x.dims",), "X has not two spatial axes"),
    _of_shapes("R1", "kernel_axes", ("w.dims",), "W has not two spatial axes"),
    Restriction("B.C1", Test("bias_vector", ("b",)), "B has not one axis"),
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
        "GROUP.C3", "standard_or_depthwise", _OF_X, "the group is neither 1 nor the channels of X"
    ),
    _of_shapes("X.C2", "channels_of_group", _OF_BOTH, "W has not as many channels as a group of X"),
    _of_shapes("R3", "channel_by_channel", _OF_BOTH, "there is not one output channel for each"),
    _of_shapes("KERNEL_SHAPE.C1", "kernel_positive", _SET, "kernel_shape has what is not positive"),
    _of_shapes("KERNEL_SHAPE.C2", "kernel_of_w", _OF_W, "kernel_shape is not that of W"),
    Restriction(
        "B.C1", Test("bias_each", ("w", "b")), "B has not one element for each output channel"
    ),
    _of_shapes("X.C3", "kernel_fits", _OF_BOTH, "the kernel does not fit into X"),
)


def _set(kernel: Shape, **others: object) -> Attributes:
    plain = {"strides": [1, 1], "pads": [0, 0, 0, 0], "dilations": [1, 1], "group": 1}
    return Attributes.of({**plain, "kernel_shape": [*kernel[SPATIAL:]], **others})


def _accepted(x: Shape, w: Shape, *, bias: bool = True, **others: object) -> Arrangement:
    return Arrangement((x, w, (w[0],) if bias else None), _set(w, **others))


def _broken(x: Shape, w: Shape, b: Shape | None = None, **others: object) -> Arrangement:
    return Arrangement((x, w, b), _set(w, **others), broken=True)


_FIGURES = {"strides": [3, 2], "pads": [2, 1, 2, 2], "dilations": [2, 2]}
_IMAGE, _KERNEL = (1, 1, 3, 3), (1, 1, 2, 2)

CONV = Operator(
    name="conv",
    title="SONNX Conv",
    system=System.SONNX,
    documents=dict.fromkeys((Family.REAL, Family.FLOAT), "SONNX-CONV"),
    inputs=(Input("X", "T"), Input("W", "T"), Input("B", "T", Presence.OPTIONAL)),
    output=Output("Y", "T"),
    parameters=(
        TypeParameter(
            "T",
            element_types("real", "float16", "float32", "float64"),
            beyond=element_types("bfloat16"),
        ),
    ),
    definition=Definition(
        signature="ops.conv.definition.ConvSignature",
        function="conv",
        modules={
            Family.REAL: "ops.conv.definition.ConvRational",
            Family.FLOAT: "ops.conv.floats.Conv{T}",
        },
        restrictions=_RESTRICTIONS,
        takes=(*_SET, *_OPERANDS),
        arguments=_SET,
        predicates=OF_CONV,
        shape=lambda a, x, w, _b: convolved(a, x.array.shape, w.array.shape),
    ),
    reference=Reference("conv"),
    shape_rule=ShapeRule.OWN,
    kernel=KernelShape(KernelForm.CONVOLUTION, "kernels.conv.ConvCheck.is_conv"),
    arithmetic=Arithmetic.SUM_OF_PRODUCTS,
    terms=Terms.WINDOWS,
    always=(
        *("T", "X.C1", "X.C2", "X.C3", "R1", "R3", "B.C1", "AUTO_PAD.C1", "AUTO_PAD.C2"),
        *("STRIDES.C1", "STRIDES.C2", "PADS.C1", "PADS.C2", "DILATIONS.C1", "DILATIONS.C2"),
        *("GROUP.C1", "GROUP.C2", "GROUP.C3", "KERNEL_SHAPE.C1", "KERNEL_SHAPE.C2"),
        *("ATTR.STRIDES", "ATTR.PADS", "ATTR.DILATIONS", "ATTR.GROUP", "ATTR.KERNEL_SHAPE"),
        "ATTR.AUTO_PAD",
    ),
    states={Rule.RESULT_SHAPE: "STRIDES.C2"},
    attributes=(
        Attribute("auto_pad", AttributeKind.STRING, "NOTSET, as if it were left out."),
        Attribute("strides", AttributeKind.INTS, "Steps along rows and columns.", required=True),
        Attribute(
            "pads", AttributeKind.INTS, "Zeros before rows, columns, and after.", required=True
        ),
        Attribute(
            "dilations", AttributeKind.INTS, "Distances in X between elements of W.", required=True
        ),
        Attribute("group", AttributeKind.INT, "1, or the channels of X.", required=True),
        Attribute("kernel_shape", AttributeKind.INTS, "Rows and columns of W.", required=True),
    ),
    onnx=OnnxNode("Conv", since=11, until=22),
    examples=(
        # The elements are in figures only.
        Example(
            "EX1",
            ((1, 1, 8, 8), (1, 1, 2, 3), (1,)),
            OF_REALS | OF_FLOATS,
            _set((1, 1, 2, 3), **_FIGURES),
        ),
        Example(
            "EX2",
            ((1, 3, 8, 8), (1, 3, 2, 3), (1,)),
            OF_REALS | OF_FLOATS,
            _set((1, 3, 2, 3), **_FIGURES),
        ),
        Example(
            "EX3",
            ((1, 3, 8, 8), (3, 1, 2, 3), (3,)),
            OF_REALS | OF_FLOATS,
            _set((3, 1, 2, 3), group=3, **_FIGURES),
        ),
    ),
    arrangements=(
        _accepted(_IMAGE, _KERNEL),
        _accepted((1, 2, 4, 3), (2, 2, 3, 2), strides=[2, 1], pads=[1, 0, 1, 1]),
        _accepted((2, 1, 3, 3), _KERNEL, bias=False, pads=[1, 1, 1, 1], dilations=[2, 2]),
        _accepted((1, 3, 3, 3), (3, 1, 2, 2), group=3, strides=[1, 2], auto_pad="NOTSET"),
        _accepted((1, 2, 2, 2), (3, 2, 1, 1), bias=False),
        _accepted((1, 1, 5, 4), (1, 1, 2, 3), strides=[3, 2], dilations=[2, 1], pads=[2, 1, 0, 3]),
        _accepted((1, 1, 0, 1), (1, 1, 1, 1), bias=False, pads=[1, 0, 0, 0]),
        _accepted((0, 1, 3, 3), _KERNEL),
        _accepted(_IMAGE, (0, 1, 2, 2)),
        _accepted((1, 0, 2, 2), (1, 0, 1, 1)),
        _broken((1, 3, 3), _KERNEL),
        _broken((1, 1, 3, 3, 1), _KERNEL),
        _broken(_IMAGE, (1, 1, 2)),
        _broken(_IMAGE, _KERNEL, (1, 1)),
        _broken(_IMAGE, _KERNEL, ()),
        _broken(_IMAGE, _KERNEL, (2,)),
        _broken(_IMAGE, _KERNEL, auto_pad="none"),
        _broken(_IMAGE, _KERNEL, auto_pad="VALID"),
        _broken(_IMAGE, _KERNEL, auto_pad="SAME_UPPER"),
        _broken(_IMAGE, _KERNEL, auto_pad="SAME_LOWER"),
        _broken(_IMAGE, _KERNEL, strides=[1]),
        _broken(_IMAGE, _KERNEL, strides=[1, 0]),
        _broken(_IMAGE, _KERNEL, strides=[-1, 1]),
        _broken(_IMAGE, _KERNEL, pads=[0, 0]),
        _broken(_IMAGE, _KERNEL, pads=[0, 0, 0, -1]),
        _broken(_IMAGE, _KERNEL, dilations=[1, 1, 1]),
        _broken(_IMAGE, _KERNEL, dilations=[0, 1]),
        _broken(_IMAGE, _KERNEL, group=0),
        _broken(_IMAGE, _KERNEL, group=-1),
        _broken((1, 3, 3, 3), (3, 1, 2, 2), group=2),
        _broken((1, 4, 3, 3), (4, 2, 2, 2), group=2),
        _broken((1, 2, 3, 3), _KERNEL),
        _broken((1, 2, 3, 3), (4, 1, 2, 2), group=2),
        _broken(_IMAGE, (1, 1, 0, 2)),
        _broken(_IMAGE, (1, 1, 2, 1), kernel_shape=[1, 2]),
        _broken(_IMAGE, _KERNEL, kernel_shape=[2]),
        _broken(_IMAGE, _KERNEL, kernel_shape=[1, 1, 2, 2]),
        _broken(_IMAGE, (1, 1, 4, 1)),
        _broken(_IMAGE, _KERNEL, dilations=[1, 3]),
        _broken((1, 1, 0, 3), (1, 1, 1, 1)),
    ),
)
OPERATORS = (CONV,)
