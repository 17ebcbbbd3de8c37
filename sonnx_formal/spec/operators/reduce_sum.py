"""ONNX ReduceSum, of which SONNX has no document."""

from typing import TYPE_CHECKING

from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.element_types import REAL, Family, element_types
from sonnx_formal.spec.elementwise import modules, of_onnx, one_document
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
    Terms,
    Test,
    TypeParameter,
)
from sonnx_formal.spec.structural import Shape, axes_of, within

if TYPE_CHECKING:
    from sonnx_formal.spec.admission import Operand

_SHAPES = "ops.reduce_sum.definition.ReduceSumShape"
_SET = ("reduction",)
_ASKED = ("data", "axes.entries")
_OPERANDS = ("data", "axes")


def keeps_axes(attributes: Attributes) -> bool:
    """Whether the axes that are reduced stay, with one element each."""
    return attributes.get("keepdims") in {None, 1}


def untouched(attributes: Attributes, asked: Shape | None) -> bool:
    """Whether the data are taken as they are: no axis is asked for, and this means none."""
    return not asked and attributes.get("noop_with_empty_axes") == 1


def reduced_axes(attributes: Attributes, rank: int, asked: Shape | None) -> Shape:
    """The axes that are reduced, of so many."""
    if not asked:
        return () if untouched(attributes, asked) else tuple(range(rank))
    return axes_of(rank, asked)


def reduced(attributes: Attributes, dims: Shape, asked: Shape | None) -> Shape:
    """The shape of the result."""
    axes = reduced_axes(attributes, len(dims), asked)
    if keeps_axes(attributes):
        return tuple(1 if axis in axes else size for axis, size in enumerate(dims))
    return tuple(size for axis, size in enumerate(dims) if axis not in axes)


def _axes_vector(axes: "Operand | None") -> bool:
    return axes is None or (axes.type is element_types("int64")[0] and axes.array.ndim == 1)


def _in_range(data: "Operand", asked: Shape | None) -> bool:
    return within(data.array.ndim, asked or ())


def _each_once(data: "Operand", asked: Shape | None) -> bool:
    axes = axes_of(data.array.ndim, asked or ())
    return len({*axes}) == len(axes)


_PREDICATES = {
    "axes_vector": Predicate(_axes_vector, "give axes one axis, and elements of int64"),
    "known_keepdims": Predicate(lambda a: a.get("keepdims") in {None, 0, 1}, "set it to 0 or 1"),
    "known_noop": Predicate(
        lambda a: a.get("noop_with_empty_axes") in {None, 0, 1}, "set it to 0 or 1"
    ),
    "in_range": Predicate(_in_range, "ask for axes of data"),
    "each_once": Predicate(_each_once, "ask for each axis once"),
}
_RESTRICTIONS = (
    Restriction("T", Test("dense", _OPERANDS), "a tensor is sparse"),
    Restriction(
        "T",
        Test("listed", ("data.element",)),
        "the elements are of no type of the document",
        extended=True,
    ),
    Restriction("AXES.T", Test("axes_vector", ("axes",)), "axes is no vector of int64"),
    Restriction(
        "KEEPDIMS.C1", Test(f"{_SHAPES}.known_keepdims", _SET), "keepdims is neither 0 nor 1"
    ),
    Restriction(
        "NOOP_WITH_EMPTY_AXES.C1",
        Test(f"{_SHAPES}.known_noop", _SET),
        "noop_with_empty_axes is neither 0 nor 1",
    ),
    Restriction("AXES.C1", Test("in_range", _ASKED), "axes has one that data has not"),
    Restriction("AXES.C2", Test("each_once", _ASKED), "axes has one twice"),
)


def _accepted(dims: Shape, *asked: int, **attributes: object) -> Arrangement:
    return Arrangement((dims, [*asked]), Attributes.of(attributes))


def _without(dims: Shape, **attributes: object) -> Arrangement:
    """Without axes."""
    return Arrangement((dims, None), Attributes.of(attributes))


def _broken(dims: Shape, *asked: int, **attributes: object) -> Arrangement:
    return Arrangement((dims, [*asked]), Attributes.of(attributes), broken=True)


REDUCE_SUM = of_onnx(
    Operator(
        name="reduce_sum",
        title="ONNX ReduceSum",
        system=System.ONNX,
        documents=one_document("ONNX-REDUCESUM-13"),
        inputs=(Input("data", "T"), Input("axes", "int64", Presence.OPTIONAL)),
        output=Output("reduced", "T"),
        parameters=(
            TypeParameter(
                "T",
                element_types(
                    *("int32", "int64", "uint32", "uint64"),
                    *("float16", "bfloat16", "float32", "float64"),
                ),
                beyond=(REAL,),
            ),
        ),
        definition=Definition(
            signature="ops.reduce_sum.definition.ReduceSumSignature",
            function="reduce_sum",
            modules={
                family: module
                for family, module in modules("ReduceSum", "reduce_sum").items()
                if family is not Family.BOOLEAN
            },
            restrictions=_RESTRICTIONS,
            takes=(*_SET, *_OPERANDS, "axes.entries"),
            arguments=_SET,
            predicates=_PREDICATES,
            shape=lambda a, data, _axes, asked: reduced(a, data.array.shape, asked),
        ),
        reference=Reference("reduce_sum"),
        shape_rule=ShapeRule.OWN,
        kernel=KernelShape(
            KernelForm.REDUCTION,
            "kernels.reduce_sum.SummedAxes.is_reduction",
            in_words=frozenset({"axes"}),
        ),
        arithmetic=Arithmetic.SUM_OF_PRODUCTS,
        terms=Terms.BLOCKS,
        always=(
            *("T", "SHAPE", "AXES.T", "AXES.C1", "AXES.C2", "KEEPDIMS.C1"),
            *("NOOP_WITH_EMPTY_AXES.C1", "ATTR.KEEPDIMS", "ATTR.NOOP_WITH_EMPTY_AXES"),
        ),
        computed=("FUNC", "ACC"),
        states={Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "SHAPE"},
        attributes=(
            Attribute(
                "keepdims",
                AttributeKind.INT,
                "1: the axes that are reduced stay, with one element. 0: they are left out.",
            ),
            Attribute(
                "noop_with_empty_axes",
                AttributeKind.INT,
                "Where axes is left out or empty: 0: all are reduced. 1: none is.",
            ),
        ),
        onnx=OnnxNode("ReduceSum", since=13),
        arrangements=(
            _accepted((3, 2, 2), 1, keepdims=0),
            _accepted((3, 2, 2), 1, keepdims=1),
            _accepted((2, 3, 4), 2, 0),
            _accepted((2, 3, 4), -1, 1, keepdims=0),
            _accepted((2, 3, 4), 0, 1, 2, keepdims=0, noop_with_empty_axes=1),
            _accepted((2, 1, 3), 1),
            _accepted((17,), 0, keepdims=0),
            _accepted((2, 65), 1, keepdims=0),
            _accepted((2, 3)),
            _accepted((2, 3), noop_with_empty_axes=0, keepdims=0),
            _accepted((2, 3), noop_with_empty_axes=1, keepdims=0),
            _without((3, 2, 2)),
            _without((2, 3), noop_with_empty_axes=1),
            _without(()),
            _without((), keepdims=0, noop_with_empty_axes=1),
            _accepted((), keepdims=0),
            _accepted((2, 0, 3), 1),
            _accepted((2, 0, 3), 1, keepdims=0),
            _accepted((2, 0, 3), 0, 2),
            _accepted((0, 2), -1, keepdims=0),
            _without((0,)),
            _without((2, 0), noop_with_empty_axes=1),
            _broken((2, 3), 2),
            _broken((2, 3), -3),
            _broken((), 0),
            _broken((2, 3), 0, 2**62),
            _broken((2, 3), 0, 0),
            _broken((2, 3), 1, -1),
            _broken((2, 0), 1, 1),
            _broken((2, 3), 0, keepdims=2),
            _broken((2, 3), 0, keepdims=-1),
            _broken((2, 3), 0, noop_with_empty_axes=2),
            Arrangement(((2, 3), [[0]]), broken=True),
            Arrangement(((2, 3), 1), broken=True),
        ),
    )
)
OPERATORS = (REDUCE_SUM,)
