"""SONNX Reshape."""

from math import prod

from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.operator import Arrangement, Example, Input, Predicate, Restriction, Test
from sonnx_formal.spec.structural import OF_NUMBERS, Shape, X, admitted, structural, vector

_SHAPES = "ops.reshape.definition.ReshapeShape"
_ASKED = ("allowzero", "x.dims", "s.entries")
_COPIES, _NULL = (Attributes.of({"allowzero": value}) for value in (0, 1))
_ROWS = [[*range(5)], [*range(5, 10)]]


def target(allowzero: int, dims: Shape, asked: Shape) -> Shape:
    """The shape that S asks for: 0 is copied unless `allowzero`, -1 is what is left."""
    copied = [
        dims[k] if size == 0 and not allowzero and k < len(dims) else size
        for k, size in enumerate(asked)
    ]
    known = prod(size for size in copied if size != -1)
    left = prod(dims) // known if known else -1
    return tuple(left if size == -1 else size for size in copied)


def _meaningful(allowzero: int, dims: Shape, asked: Shape) -> bool:
    if min(asked, default=0) < -1:
        return False
    if not allowzero:
        return not (-1 in asked and 0 in dims)
    return 0 not in asked or (0 in dims and -1 not in asked)


def _copies_exist(allowzero: int, dims: Shape, asked: Shape) -> bool:
    return allowzero != 0 or 0 not in asked[len(dims) :]


_PREDICATES = {
    "is_switch": Predicate(lambda allowzero: allowzero in {0, 1}, "set it to 0 or 1"),
    "one_inferred": Predicate(lambda asked: asked.count(-1) <= 1, "ask for all dimensions but one"),
    "copies_exist": Predicate(_copies_exist, "ask for a 0 on axes of X alone, or set allowzero"),
    "meaningful": Predicate(_meaningful, "ask for each dimension by a positive number"),
    "same_size": Predicate(
        lambda allowzero, dims, asked: prod(target(allowzero, dims, asked)) == prod(dims),
        "ask for as many elements as X has, or for one dimension by -1",
    ),
}


def _accepted(dims: Shape, *asked: int) -> Arrangement:
    return Arrangement((dims, [*asked]), _COPIES)


def _null(dims: Shape, *asked: int) -> Arrangement:
    return Arrangement((dims, [*asked]), _NULL)


def _broken(dims: Shape, *asked: int, allowzero: int = 0) -> Arrangement:
    return Arrangement((dims, [*asked]), Attributes.of({"allowzero": allowzero}), broken=True)


RESHAPE = structural(
    "Reshape",
    since=14,
    inputs=(X, Input("S", "int64")),
    restrictions=(
        *admitted("x", "s"),
        vector("S.T", "s"),
        Restriction(
            "ALLOWZERO.C1",
            Test(f"{_SHAPES}.is_switch", ("allowzero",)),
            "allowzero is neither 0 nor 1",
        ),
        *(
            Restriction(item, Test(f"{_SHAPES}.{name}", takes), broken)
            for item, name, takes, broken in (
                ("S.C1", "one_inferred", ("s.entries",), "S leaves two dimensions to be inferred"),
                ("ALLOWZERO.C2", "copies_exist", _ASKED, "S copies a dimension that X lacks"),
                ("ALLOWZERO.C3", "meaningful", _ASKED, "S asks for what cannot be"),
                ("X.C1", "same_size", _ASKED, "S asks for another number of elements"),
            )
        ),
    ),
    predicates=_PREDICATES,
    takes=("allowzero", "x", "s", "s.entries"),
    shape=lambda allowzero, x, _s, asked: target(allowzero, x.array.shape, asked),
    always=(
        *("X.C1", "Y.C1", "S.T", "S.C1", "S.C2", "S.C3"),
        *("ATTR.ALLOWZERO", "ALLOWZERO.C1", "ALLOWZERO.C2", "ALLOWZERO.C3"),
    ),
    attributes=(
        Attribute("allowzero", AttributeKind.INT, "Whether 0 in S is a dimension.", required=True),
    ),
    examples=(
        Example("EX1", (_ROWS, [5, 2]), OF_NUMBERS, _COPIES),
        Example(
            "EX2",
            (
                [[[*range(k, k + 4)] for k in range(first, first + 12, 4)] for first in (0, 12)],
                [0, 6, -1],
            ),
            OF_NUMBERS,
            _COPIES,
        ),
        # With allowzero = 1, as it is printed, C3 excludes it.
        Example("EX3", (_ROWS, [0, -1]), OF_NUMBERS, _COPIES),
        Example("EX4", ((0, 3, 8), [1, 2, 0]), OF_NUMBERS, _NULL),
    ),
    arrangements=(
        _accepted((2, 3), 3, 2),
        _accepted((2, 3), 6),
        _accepted((2, 3), -1),
        _accepted((2, 3), 0, -1),
        _accepted((2, 3), 0, 0),
        _accepted((2, 3, 4), 4, 0, -1),
        _accepted((2, 3, 4), -1, 1, 0),
        _accepted((2, 3, 4), 1, 2, 1, 2, 3, 2, 1),
        _accepted((2, 3), 0, 1, -1, 1),
        _accepted((5, 7), -1, 5),
        _accepted((), 1, 1),
        _accepted((), -1),
        _accepted(()),
        _accepted((1,)),
        _accepted((1, 1, 1)),
        _accepted((0,), 0),
        _accepted((0, 3), 0, 7),
        _accepted((2, 0), 5, 0),
        _accepted((3, 0, 2), 0, 0, 0, 4),
        _null((2, 3), 3, 2),
        _null((2, 3, 4), -1, 6),
        _null((), 1),
        _null((0, 3), 0),
        _null((0, 3, 8), 1, 2, 0),
        _null((2, 0), 0, 0),
        _null((0,), 3, -1),
        _broken((2, 3), 4, 2),
        _broken((2, 3), 4, -1),
        _broken((2, 3), 5, allowzero=1),
        _broken((0, 3), 1),
        _broken((2, 3)),
        _broken((), 2),
        _broken((2, 3), -1, -1),
        _broken((2, 3), -1, 2, -1, allowzero=1),
        _broken((2, 3), 2, 3, 0),
        _broken((), 0),
        _broken((2, 3), -2, -3),
        _broken((2, 3), -5, allowzero=1),
        _broken((0, 3), 0, -1),
        _broken((0, 3), -1, 3),
        _broken((2, 3), 0, -1, allowzero=1),
        _broken((2, 3), 0, allowzero=1),
        _broken((0, 3), 0, -1, allowzero=1),
        _broken((2, 3), 3, 2, allowzero=2),
        _broken((2, 3), 3, 2, allowzero=-1),
        Arrangement(((2, 3), [[3, 2]]), _COPIES, broken=True),
        Arrangement(((6,), 6), _COPIES, broken=True),
    ),
)
OPERATORS = (RESHAPE,)
