"""ONNX Squeeze, of which SONNX has no document."""

from typing import TYPE_CHECKING

from sonnx_formal.spec.element_types import BOOLEAN, BY_NAME, MACHINE, TEXT
from sonnx_formal.spec.elementwise import of_onnx
from sonnx_formal.spec.operator import (
    Arrangement,
    Input,
    Output,
    Predicate,
    Presence,
    Restriction,
    Test,
    TypeParameter,
)
from sonnx_formal.spec.structural import Shape, axes_of, structural, within

if TYPE_CHECKING:
    from sonnx_formal.spec.admission import Operand

_ASKED = ("data", "axes.entries")


def _left_axes(dims: Shape, asked: Shape | None) -> Shape:
    if asked is None:
        return tuple(axis for axis, size in enumerate(dims) if size == 1)
    return axes_of(len(dims), asked)


def squeezed(dims: Shape, asked: Shape | None) -> Shape:
    """The dimensions without those of the axes that are asked for, or without each 1."""
    left = _left_axes(dims, asked)
    return tuple(size for axis, size in enumerate(dims) if axis not in left)


def _axes_vector(axes: "Operand | None") -> bool:
    return axes is None or (axes.type is BY_NAME["int64"] and axes.array.ndim == 1)


def _in_range(data: "Operand", asked: Shape | None) -> bool:
    return within(data.array.ndim, asked or ())


def _one_element(data: "Operand", asked: Shape | None) -> bool:
    """Those that are left out without being asked for have one each."""
    dims = data.array.shape
    return asked is None or all(dims[axis] == 1 for axis in axes_of(len(dims), asked))


_PREDICATES = {
    "axes_vector": Predicate(_axes_vector, "give axes one axis, and elements of int64"),
    "in_range": Predicate(_in_range, "ask for axes of data"),
    "one_element": Predicate(_one_element, "ask for axes of one element"),
}


def _accepted(dims: Shape, *asked: int) -> Arrangement:
    return Arrangement((dims, [*asked]))


def _every(*dims: int) -> Arrangement:
    """With all axes of one element left out."""
    return Arrangement((dims, None))


def _broken(dims: Shape, *asked: int) -> Arrangement:
    return Arrangement((dims, [*asked]), broken=True)


SQUEEZE = of_onnx(
    structural(
        "Squeeze",
        since=13,
        inputs=(Input("data", "T"), Input("axes", "int64", Presence.OPTIONAL)),
        restrictions=(
            Restriction("T", Test("dense", ("data", "axes")), "a tensor is sparse"),
            Restriction(
                "T",
                Test("listed", ("data.element",)),
                "the elements are of no type of the document",
            ),
            Restriction("AXES.T", Test("axes_vector", ("axes",)), "axes is no vector of int64"),
            Restriction("AXES.C1", Test("in_range", _ASKED), "axes has one that data has not"),
            Restriction(
                "AXES.C2", Test("one_element", _ASKED), "axes has one with more or fewer elements"
            ),
        ),
        predicates=_PREDICATES,
        takes=("data", "axes", "axes.entries"),
        shape=lambda data, _axes, asked: squeezed(data.array.shape, asked),
        always=("AXES.T", "AXES.C1", "AXES.C2"),
        types=(TypeParameter("T", (*MACHINE, BOOLEAN, TEXT)),),
        output=Output("squeezed", "T"),
        arrangements=(
            _accepted((2, 1, 3), 1),
            _accepted((2, 1, 3), -2),
            _accepted((1, 2, 1, 3, 1), 0, 2, 4),
            _accepted((1, 2, 1, 3, 1), -1, 0),
            _accepted((1, 2, 1), 2),
            _accepted((1, 2, 1), 2, 2, -1),
            _accepted((1, 2, 1)),
            _accepted((1, 1), 0, 1),
            _accepted((2, 3)),
            _accepted(()),
            _accepted((1, 0, 1), 0),
            _accepted((0, 1), -1),
            _every(1, 2, 1),
            _every(2, 3),
            _every(1, 1, 1),
            _every(),
            _every(0, 1),
            _broken((2, 1), 2),
            _broken((2, 1), -3),
            _broken((), 0),
            _broken((1,), 0, 2**62),
            _broken((2, 1), 0),
            _broken((2, 1), 1, -2),
            _broken((0, 1), 0),
            Arrangement(((2, 1), [[1]]), broken=True),
            Arrangement(((2, 1), 1), broken=True),
        ),
    )
)
OPERATORS = (SQUEEZE,)
