"""Structural operators beside plain Python: where each element comes from."""

from __future__ import annotations

from itertools import permutations, product
from math import prod
from typing import Any

import pytest

from tests.theories.evaluator import Evaluator, Operand, Tensor

SHAPES = ((), (0,), (1,), (6,), (2, 3), (0, 3), (1, 2, 3), (2, 1, 3, 1))
DIMENSIONS = (-2, -1, 0, 1, 2, 3, 6)
ASKED = [s for rank in range(4) for s in product(DIMENSIONS, repeat=rank)]


def counted(shape: tuple[int, ...]) -> Tensor[Any]:
    return Tensor(shape, tuple(range(prod(shape))))


def vector(entries: tuple[int, ...]) -> Tensor[Any]:
    return Tensor((len(entries),), entries)


def by_text(allowzero: int, dims: tuple[int, ...], asked: tuple[int, ...]) -> Any:
    """The shape of the result, or the constraint that is violated, word by word."""
    if asked.count(-1) > 1:
        return "one_inferred"
    if allowzero == 0 and any(d == 0 and k >= len(dims) for k, d in enumerate(asked)):
        return "copies_exist"
    inferred_from_nothing = allowzero == 0 and -1 in asked and 0 in dims
    null = allowzero == 1 and 0 in asked
    if (
        min(asked, default=0) < -1
        or inferred_from_nothing
        or (null and (-1 in asked or 0 not in dims))
    ):
        return "meaningful"
    result = [dims[k] if d == 0 and allowzero == 0 else d for k, d in enumerate(asked)]
    if -1 in result:
        at, count = result.index(-1), prod(dims)
        result[at] = 1
        fits = [n for n in range(count + 1) if n * prod(result) == count]
        if not fits:
            return "same_size"
        result[at] = fits[0]
    return tuple(result) if prod(result) == prod(dims) else "same_size"


@pytest.mark.parametrize("allowzero", [0, 1])
@pytest.mark.parametrize("dims", SHAPES, ids=str)
def test_reshape(evaluate: Evaluator, allowzero: int, dims: tuple[int, ...]) -> None:
    """The first constraint that is violated, or the same elements in the same order."""
    path = "ops.reshape.definition.Reshape"
    x = Operand("Float32", "Dense", dims)
    for asked in ASKED:
        wanted = by_text(allowzero, dims, asked)
        holds = {
            "one_inferred": evaluate(f"{path}Shape.one_inferred", asked),
            **{
                name: evaluate(f"{path}Shape.{name}", allowzero, dims, asked)
                for name in ("copies_exist", "meaningful", "same_size")
            },
        }
        violated = next((name for name, held in holds.items() if not held), None)
        s = Operand("Int64", "Dense", (len(asked),))
        accepted = evaluate(f"{path}Signature.admissible", allowzero, x, s, asked)
        if isinstance(wanted, str):
            assert (violated, accepted) == (wanted, False), asked
            continue
        assert (violated, accepted) == (None, True), asked
        assert evaluate(f"{path}Shape.target", allowzero, dims, asked) == wanted
        result = evaluate(f"{path}Signature.result", allowzero, x, s, asked)
        assert result == Operand("Float32", "Dense", wanted)
        computed = evaluate(f"{path}.reshape", allowzero, counted(dims), vector(asked))
        assert computed == counted(wanted)


@pytest.mark.parametrize(
    ("x", "s"),
    [
        (Operand("BFloat16", "Dense", (1,)), Operand("Int64", "Dense", (1,))),
        (Operand("Complex64", "Dense", (1,)), Operand("Int64", "Dense", (1,))),
        (Operand("Int8", "Sparse", (1,)), Operand("Int64", "Dense", (1,))),
        (Operand("Int8", "Dense", (1,)), Operand("Int64", "Sparse", (1,))),
        (Operand("Int8", "Dense", (1,)), Operand("Int32", "Dense", (1,))),
        (Operand("Int8", "Dense", (1,)), Operand("Int64", "Dense", ())),
        (Operand("Int8", "Dense", (1,)), Operand("Int64", "Dense", (1, 1))),
        (Operand("Int8", "Dense", (-1,)), Operand("Int64", "Dense", (1,))),
    ],
    ids=str,
)
def test_what_reshape_does_not_take(evaluate: Evaluator, x: Operand, s: Operand) -> None:
    path = "ops.reshape.definition.ReshapeSignature.admissible"
    single = Operand("Int64", "Dense", (1,))
    assert evaluate(path, 0, single, single, (1,)) is True
    assert evaluate(path, 0, x, s, (1,)) is False


def axes_in(rank: int, asked: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + rank if a < 0 else a for a in asked)


FEW = [s for rank in range(4) for s in product((-3, -2, -1, 0, 1, 2), repeat=rank)]


@pytest.mark.parametrize("dims", SHAPES, ids=str)
def test_unsqueeze(evaluate: Evaluator, dims: tuple[int, ...]) -> None:
    """The same elements in the same order, with a 1 on each new axis."""
    path = "ops.unsqueeze.definition.Unsqueeze"
    x = Operand("Float32", "Dense", dims)
    for asked in FEW:
        rank = len(dims) + len(asked)
        exist = all(-rank <= a < rank for a in asked)
        new = axes_in(rank, asked)
        assert evaluate(f"{path}Shape.result_rank", dims, asked) == rank
        assert evaluate(f"{path}Shape.new_axes", dims, asked) == new
        assert evaluate(f"{path}Shape.axes_exist", dims, asked) is exist
        assert evaluate(f"{path}Shape.axes_distinct", dims, asked) is (len({*new}) == len(new))
        a = Operand("Int64", "Dense", (len(asked),))
        accepted = exist and len({*new}) == len(new)
        assert evaluate(f"{path}Signature.admissible", x, a, asked) is accepted
        if not accepted:
            continue
        left = iter(dims)
        wanted = tuple(1 if k in new else next(left) for k in range(rank))
        assert evaluate(f"{path}Shape.unsqueezed", dims, asked) == wanted
        result = evaluate(f"{path}Signature.result", x, a, asked)
        assert result == Operand("Float32", "Dense", wanted)
        computed = evaluate(f"{path}.unsqueeze", counted(dims), vector(asked))
        assert computed == counted(wanted)


def test_where_elements_of_unsqueeze_come_from(evaluate: Evaluator) -> None:
    path = "ops.unsqueeze.definition.UnsqueezeSource"
    assert evaluate(f"{path}.source", (2, 3), (1, -1), (1, 0, 2, 0)) == (1, 2)
    assert evaluate(f"{path}.place", (2, 3), (1, -1), (1, 2)) == (1, 0, 2, 0)


@pytest.mark.parametrize("dims", SHAPES, ids=str)
@pytest.mark.parametrize("axis", range(-5, 6))
def test_flatten(evaluate: Evaluator, dims: tuple[int, ...], axis: int) -> None:
    """The same elements in the same order, in a matrix."""
    path = "ops.flatten.definition.Flatten"
    x = Operand("Float32", "Dense", dims)
    exists = -len(dims) <= axis <= len(dims)
    assert evaluate(f"{path}Shape.axis_exists", axis, dims) is exists
    assert evaluate(f"{path}Signature.admissible", axis, x) is exists
    if not exists:
        return
    start = axis if axis >= 0 else axis + len(dims)
    assert evaluate(f"{path}Shape.outer", axis, dims) == dims[:start]
    assert evaluate(f"{path}Shape.inner", axis, dims) == dims[start:]
    wanted = (prod(dims[:start]), prod(dims[start:]))
    assert evaluate(f"{path}Shape.matrix_of", axis, dims) == wanted
    assert evaluate(f"{path}Signature.result", axis, x) == Operand("Float32", "Dense", wanted)
    assert evaluate(f"{path}.flatten", axis, counted(dims)) == counted(wanted)


def test_where_elements_of_flatten_come_from(evaluate: Evaluator) -> None:
    path = "ops.flatten.definition.FlattenSource.source"
    assert evaluate(path, 1, (2, 3, 4), (1, 7)) == (1, 1, 3)


@pytest.mark.parametrize("dims", SHAPES, ids=str)
def test_squeeze(evaluate: Evaluator, dims: tuple[int, ...]) -> None:
    """The same elements in the same order; an axis that is there twice is left out once."""
    path = "ops.squeeze.definition.Squeeze"
    data, rank = Operand("Float32", "Dense", dims), len(dims)
    for asked in [None, *FEW]:
        written = "none" if asked is None else asked
        single = tuple(k for k, size in enumerate(dims) if size == 1)
        left = single if asked is None else axes_in(rank, asked)
        exist = asked is None or all(-rank <= a < rank for a in asked)
        fits = not any(0 <= k < rank and dims[k] != 1 for k in left)
        assert evaluate(f"{path}Shape.left_axes", dims, written) == left
        assert evaluate(f"{path}Shape.axes_exist", dims, written) is exist
        assert evaluate(f"{path}Shape.axes_single", dims, written) is fits
        assert evaluate(f"{path}Signature.in_range", data, written) is exist
        assert evaluate(f"{path}Signature.one_element", data, written) is fits
        axes = "none" if asked is None else Operand("Int64", "Dense", (len(asked),))
        admissible = evaluate(f"{path}Signature.admissible", data, axes, written)
        assert admissible is (exist and fits)
        if not admissible:
            continue
        wanted = tuple(size for k, size in enumerate(dims) if k not in left)
        assert evaluate(f"{path}Shape.squeezed", dims, written) == wanted
        result = evaluate(f"{path}Signature.result", data, axes, written)
        assert result == Operand("Float32", "Dense", wanted)
        given = "none" if asked is None else vector(asked)
        assert evaluate(f"{path}.squeeze", counted(dims), given) == counted(wanted)


def test_where_elements_of_squeeze_come_from(evaluate: Evaluator) -> None:
    path = "ops.squeeze.definition.Squeeze"
    assert evaluate(f"{path}Shape.single_from", 2, (1, 3, 1)) == (2, 4)
    assert evaluate(f"{path}Source.source", (1, 3, 1), "none", (2,)) == (0, 2, 0)
    assert evaluate(f"{path}Source.place", (1, 3, 1), (0,), (0, 2, 0)) == (2, 0)


RANGES = {size: range(-size - 2, size + 3) for size in range(5)}
STEPS = (-3, -2, -1, 0, 1, 2, 5)


def refused(size: int, start: int, end: int, step: int) -> str | None:
    """The constraint on what is said of an axis that is violated, word by word."""
    back = int(step < 0)
    first, last = (x + size if x < 0 else x for x in (start, end))
    if step == 0:
        return "steps_move"
    if not -size <= start <= size - 1:
        return "starts_inside"
    if not -size - back <= end <= size - back:
        return "ends_inside"
    if step > 0 and first > last:
        return "upwards"
    if step < 0 and first < last:
        return "downwards"
    return "not_empty" if first == last else None


def reached(size: int, start: int, end: int, step: int) -> tuple[int, ...]:
    first, last = (x + size if x < 0 else x for x in (start, end))
    return tuple(range(first, last, step))


@pytest.mark.parametrize("size", RANGES)
def test_slice_of_a_vector(evaluate: Evaluator, size: int) -> None:
    """The first constraint that is violated, or the elements that are reached step by step."""
    path = "ops.slice.definition.Slice"
    x, index = Operand("Text", "Dense", (size,)), Operand("Int32", "Dense", (1,))
    for start, end, step in product(RANGES[size], RANGES[size], STEPS):
        cut = [(start,), (end,), (0,), (step,)]
        wanted = refused(size, start, end, step)
        holds = {"steps_move": evaluate(f"{path}Shape.steps_move", (step,))}
        for name in ("starts_inside", "ends_inside", "upwards", "downwards", "not_empty"):
            holds[name] = evaluate(f"{path}Signature.{name}", (size,), *cut)
            assert holds[name] is evaluate(f"{path}Shape.{name}", (size,), cut)
        assert next((name for name, held in holds.items() if not held), None) == wanted
        operands: list[Any] = [x, index, index, index, index, *cut]
        assert evaluate(f"{path}Signature.admissible", *operands) is (wanted is None)
        if wanted:
            continue
        there = reached(size, start, end, step)
        assert evaluate(f"{path}Shape.sliced", (size,), cut) == (len(there),)
        result = evaluate(f"{path}Signature.result", *operands)
        assert result == Operand("Text", "Dense", (len(there),))
        computed = evaluate(f"{path}.slice", counted((size,)), *map(vector, cut))
        assert computed == Tensor((len(there),), there)


def test_slice_of_several_axes(evaluate: Evaluator) -> None:
    """What is said of an axis stands where A names it, from either end."""
    path = "ops.slice.definition.Slice"
    dims = (3, 4, 2)
    said = {0: (-1, -4, -2), 1: (1, 4, 2), 2: (0, 2, 1)}
    along = [reached(dims[axis], *said[axis]) for axis in range(3)]
    places = [*product(*map(range, dims))]
    wanted = tuple(places.index(index) for index in product(*along))
    for order, from_end in product(permutations(range(3)), product((False, True), repeat=3)):
        starts, ends, steps = zip(*(said[axis] for axis in order), strict=True)
        named = tuple(a - 3 if back else a for a, back in zip(order, from_end, strict=True))
        cut = [starts, ends, named, steps]
        for axis, (start, end, step) in said.items():
            assert evaluate(f"{path}Shape.about", dims, cut, axis) == order.index(axis)
            assert evaluate(f"{path}Shape.step", dims, cut, axis) == step
            for name, x in (("start", start), ("stop", end)):
                first = x + dims[axis] if x < 0 else x
                assert evaluate(f"{path}Shape.{name}", dims, cut, axis) == first
                assert evaluate(f"{path}Shape.coordinate", dims, axis, x) == first
                assert evaluate(f"{path}Shape.{name}_inside", dims, cut, axis) is True
            assert evaluate(f"{path}Shape.count", dims, cut, axis) == len(along[axis])
        assert evaluate(f"{path}.cut_by", *map(vector, cut)) == cut
        assert evaluate(f"{path}Source.source", dims, cut, (1, 1, 1)) == tuple(a[1] for a in along)
        computed = evaluate(f"{path}.slice", counted(dims), *map(vector, cut))
        assert computed == Tensor(tuple(map(len, along)), wanted)


def test_entries_of_slice(evaluate: Evaluator) -> None:
    path = "ops.slice.definition.SliceShape"
    assert evaluate(f"{path}.cut_of", (1,), (2,), (), (3, 4)) == [(1,), (2,), (), (3, 4)]
    for lengths in product(range(4), repeat=4):
        cut = [tuple(range(n)) for n in lengths]
        assert evaluate(f"{path}.entry_each", (5, 6), cut) is (lengths == (2, 2, 2, 2))
    assert [evaluate(f"{path}.not_scalar", s) for s in ((), (0,), (2, 3))] == [False, True, True]
    for axes in FEW:
        exist = all(-3 <= a < 3 for a in axes)
        assert evaluate(f"{path}.axes_exist", (4, 5, 6), axes) is exist
        distinct = len({*axes_in(3, axes)}) == len(axes)
        assert evaluate(f"{path}.axes_distinct", (4, 5, 6), axes) is distinct
    # A function of axes is written as the sequence of its values, here 0 for what is false.
    held = [evaluate(f"{path}.each_axis", a, 3, (0, 1, 1)) for a in range(5)]
    assert held == [False, True, True, True, True]


TAKEN = [Operand("Int8", "Dense", (1,)), *[Operand("Int64", "Dense", (1,))] * 4]
CUT = [(0,), (1,), (0,), (1,)]


@pytest.mark.parametrize("element", ["Real", "Text", "Boolean", "BFloat16", "Complex128"])
def test_elements_of_slice(evaluate: Evaluator, element: str) -> None:
    path = "ops.slice.definition.SliceSignature"
    listed = element != "Complex128"
    assert evaluate(f"{path}.listed", element) is listed
    operands = (Operand(element, "Dense", (1,)), *TAKEN[1:])
    assert evaluate(f"{path}.admissible", *operands, *CUT) is listed


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize(
    ("operand", "predicate"),
    [
        (Operand("Int64", "Sparse", (1,)), "dense"),
        (Operand("Int64", "Dense", (-1,)), "well_formed_dims"),
        (Operand("Int32", "Dense", (1,)), "one_type"),
        (Operand("UInt64", "Dense", (1,)), "index_vector"),
        (Operand("Int64", "Dense", (1, 1)), "index_vector"),
    ],
    ids=str,
)
def test_operands_of_slice(
    evaluate: Evaluator, place: int, operand: Operand, predicate: str
) -> None:
    """Whichever it is; that of X may be of any type, and has as many axes as A says."""
    path = "ops.slice.definition.SliceSignature"
    operands = [*TAKEN]
    operands[place] = operand
    taken = {"index_vector": [operand], "one_type": operands[1:]}.get(predicate, operands)
    of_x = place == 0 and predicate in {"one_type", "index_vector"}
    assert evaluate(f"{path}.{predicate}", *taken) is (of_x and predicate == "one_type")
    assert evaluate(f"{path}.dense_one", operand) is (operand.storage == "Dense")
    accepted = of_x and operand.dims == (1,)
    assert evaluate(f"{path}.admissible", *operands, *CUT) is accepted


def test_identity(evaluate: Evaluator) -> None:
    path = "ops.identity.definition.Identity"
    for dims in SHAPES:
        x = Operand("Text", "Dense", dims)
        assert evaluate(f"{path}Signature.admissible", x) is True
        assert evaluate(f"{path}Signature.result", x) == x
        assert evaluate(f"{path}.identity", counted(dims)) == counted(dims)


ONE = Operand("Int8", "Dense", (1,))
INDEX = Operand("Int64", "Dense", (1,))


@pytest.mark.parametrize(
    "x",
    [
        Operand("Complex64", "Dense", (1,)),
        Operand("Real", "Dense", (1,)),
        Operand("BFloat16", "Dense", (1,)),
        Operand("Boolean", "Dense", (1,)),
        Operand("Text", "Dense", (1,)),
        Operand("Int8", "Sparse", (1,)),
        Operand("Int8", "Dense", (-1,)),
    ],
    ids=str,
)
def test_what_is_taken(evaluate: Evaluator, x: Operand) -> None:
    """By element types, storage and dimensions."""
    path = "ops.{}.definition.{}Signature"
    dense, formed = x.storage == "Dense", x.dims != (-1,)
    beside: dict[str, tuple[Any, ...]] = {"unsqueeze": (INDEX,), "squeeze": ("none",)}
    lacking = {
        "unsqueeze": {"Complex64", "BFloat16"},
        "flatten": {"Complex64", "BFloat16", "Boolean", "Text"},
        "squeeze": {"Real"},
        "identity": {"Real"},
    }
    for op, types in lacking.items():
        signature, others = path.format(op, op.title()), beside.get(op, ())
        assert evaluate(f"{signature}.listed", x.element) is (x.element not in types)
        assert evaluate(f"{signature}.dense", x, *others) is dense
        assert evaluate(f"{signature}.well_formed_dims", x, *others) is formed
        accepted = dense and formed and x.element not in types
        arguments: dict[str, tuple[Any, ...]] = {
            "unsqueeze": (x, INDEX, (0,)),
            "flatten": (0, x),
            "squeeze": (x, "none", "none"),
            "identity": (x,),
        }
        assert evaluate(f"{signature}.admissible", *arguments[op]) is accepted


@pytest.mark.parametrize(
    ("axes", "part"),
    [
        (Operand("Int64", "Sparse", (1,)), "dense"),
        (Operand("Int64", "Dense", (-1,)), "well_formed_dims"),
        (Operand("Int32", "Dense", (1,)), "axes_vector"),
        (Operand("Int64", "Dense", ()), "axes_vector"),
        (Operand("Int64", "Dense", (1, 1)), "axes_vector"),
    ],
    ids=str,
)
def test_axes_that_are_no_vector(evaluate: Evaluator, axes: Operand, part: str) -> None:
    of_squeeze = "ops.squeeze.definition.SqueezeSignature"
    operands = (axes,) if part == "axes_vector" else (ONE, axes)
    assert evaluate(f"{of_squeeze}.{part}", *operands) is False
    assert evaluate(f"{of_squeeze}.admissible", ONE, axes, (0,)) is False
    assert evaluate(f"{of_squeeze}.admissible", ONE, INDEX, (0,)) is True
    of_unsqueeze = "ops.unsqueeze.definition.UnsqueezeSignature.admissible"
    assert evaluate(of_unsqueeze, ONE, axes, (0,)) is False
    assert evaluate(of_unsqueeze, ONE, INDEX, (0,)) is True


def test_single_axes(evaluate: Evaluator) -> None:
    path = "ops.structural.single_axes.SingleAxes"
    assert evaluate(f"{path}.others", 0, 4, (1, 3, 3)) == 2
    assert evaluate(f"{path}.put_in", 4, 7, (3, 0), (5, 6)) == (7, 5, 6, 7)
    assert evaluate(f"{path}.put_in_from", 2, 4, 7, (3, 0), (5,)) == (5, 7)
    assert evaluate(f"{path}.leave_out", (0, 2), (7, 5, 7, 6)) == (5, 6)
    assert evaluate(f"{path}.leave_out_from", 1, (0, 2), (7, 5, 6)) == (7, 6)
    assert evaluate(f"{path}.all_from", 0, 1, (0, 2), (1, 5, 1)) is True
    assert evaluate(f"{path}.all_from", 1, 1, (0, 2), (1, 5, 1)) is False
    assert evaluate(f"{path}.axes_of", 3, (-1, 0)) == (2, 0)


def test_axes(evaluate: Evaluator) -> None:
    path = "tensor.axes.Axes"
    s = (4, 0, -1, 4)
    assert [evaluate(f"{path}.entry", k, s) for k in range(-1, 6)] == [0, 4, 0, -1, 4, 0, 0]
    assert [evaluate(f"{path}.tabulate", n, s) for n in (0, 2, 5)] == [(), (4, 0), (4, 0, -1, 4, 0)]
    assert evaluate(f"{path}.tabulate_from", 1, 3, s) == (0, -1)
    assert [evaluate(f"{path}.has", a, s) for a in (0, 1, 4)] == [True, False, True]
    assert [evaluate(f"{path}.distinct", x) for x in ((), s, s[1:])] == [True, False, True]
    assert [evaluate(f"{path}.at_least", low, s) for low in (-1, 0)] == [True, False]
    assert [evaluate(f"{path}.within", -1, high, s) for high in (4, 5)] == [False, True]
    assert [evaluate(f"{path}.first", k, s) for k in (-1, 0, 3, 9)] == [(), (), s[:3], s]
    assert [evaluate(f"{path}.rest", k, s) for k in (-1, 0, 3, 9)] == [s, s, s[3:], ()]
    assert [evaluate(f"{path}.axis_of", 3, a) for a in (-3, -1, 0, 2)] == [0, 2, 0, 2]
    assert evaluate("tensor.vector.Vector.entries", vector(s)) == s


def one_after_the_other(axis: int, tensors: list[Tensor[Any]]) -> Tensor[Any]:
    """Index by index: which tensor reaches there, and how far into it that is."""
    first = tensors[0].shape
    shape = (*first[:axis], sum(x.shape[axis] for x in tensors), *first[axis + 1 :])
    found = []
    for index in product(*map(range, shape)):
        along, owner = index[axis], 0
        while along >= tensors[owner].shape[axis]:
            along -= tensors[owner].shape[axis]
            owner += 1
        within = (*index[:axis], along, *index[axis + 1 :])
        indices = [*product(*map(range, tensors[owner].shape))]
        found.append(tensors[owner].elements[indices.index(within)])
    return Tensor(shape, tuple(found))


@pytest.mark.parametrize(
    ("axis", "shapes"),
    [
        (0, [(3,)]),
        (0, [(2,), (0,), (3,)]),
        (1, [(2, 3), (2, 2), (2, 1)]),
        (0, [(1, 2), (2, 2)]),
        (1, [(2, 0), (2, 1), (2, 0)]),
        (2, [(1, 2, 1), (1, 2, 3)]),
        (0, [(0, 3), (0, 3)]),
        (1, [(2, 1, 2), (2, 2, 2)]),
    ],
    ids=str,
)
def test_concat(evaluate: Evaluator, axis: int, shapes: list[tuple[int, ...]]) -> None:
    path = "ops.concat.definition.Concat"
    tensors = [
        Tensor(shape, tuple(range(100 * k, 100 * k + prod(shape))))
        for k, shape in enumerate(shapes)
    ]
    wanted = one_after_the_other(axis, tensors)
    assert evaluate(f"{path}.concat", axis, tensors) == wanted
    assert evaluate(f"{path}.concat_from", axis, tensors[0], tensors[1:]) == wanted
    assert evaluate(f"{path}Shape.concat_shape", axis, shapes) == wanted.shape
    operands = [Operand("Text", "Dense", shape) for shape in shapes]
    assert evaluate(f"{path}Signature.all_dims", operands) == shapes
    assert evaluate(f"{path}Signature.dims_from", operands[0], operands[1:]) == shapes
    assert evaluate(f"{path}Signature.admissible", axis, operands)
    assert evaluate(f"{path}Signature.result", axis, operands) == Operand(
        "Text", "Dense", wanted.shape
    )


def test_two_tensors_one_after_the_other(evaluate: Evaluator) -> None:
    path = "ops.concat.definition.Concat"
    assert evaluate(f"{path}.join", 0, vector((1, 2)), vector((3,))) == vector((1, 2, 3))
    assert evaluate(f"{path}Shape.joined", 1, (2, 3), (2, 4)) == (2, 7)
    assert evaluate(f"{path}Shape.elsewhere", 1, (2, 3, 4)) == (2, 0, 4)
    assert evaluate(f"{path}Shape.first_shape", [(2, 3), (4,)]) == (2, 3)
    assert evaluate(f"{path}Source.moved", 1, -3, (0, 3)) == (0, 0)
    assert evaluate(f"{path}Source.in_first", 1, (2, 3), (0, 2))
    assert not evaluate(f"{path}Source.in_first", 1, (2, 3), (0, 3))


def test_which_shapes_are_concatenated(evaluate: Evaluator) -> None:
    path = "ops.concat.definition.ConcatShape"
    assert [evaluate(f"{path}.axis_not_negative", k) for k in (-1, 0, 5)] == [False, True, True]
    shapes = [(2, 3), (2, 4)]
    assert [evaluate(f"{path}.axis_exists", k, shapes) for k in (-1, 1, 2)] == [True, True, False]
    assert [evaluate(f"{path}.same_rank", x) for x in (shapes, [(2,), (2, 2)])] == [True, False]
    assert [evaluate(f"{path}.same_elsewhere", k, shapes) for k in (0, 1)] == [False, True]


def test_which_operands_are_concatenated(evaluate: Evaluator) -> None:
    path = "ops.concat.definition.ConcatSignature"
    x = Operand("Int8", "Dense", (2, 3))
    excluded = {"Real", "Complex64", "Complex128"}
    for name in ("Text", "Boolean", "BFloat16", "UInt64", *excluded):
        assert evaluate(f"{path}.listed", name) == (name not in excluded)
        assert evaluate(f"{path}.all_listed", [Operand(name, "Dense", (2,))]) == (
            name not in excluded
        )
    assert evaluate.text(f"{path}.first_type", "{UInt8,Dense,[2]|Int8,Dense,[]}") == "UInt8"
    assert evaluate(f"{path}.all_of", "Int8", [x, x])
    assert not evaluate(f"{path}.all_of", "UInt8", [x])
    assert not evaluate(f"{path}.given", [])
    assert not evaluate(f"{path}.admissible", 0, [])
    for broken, bad in (
        ("well_formed_dims", Operand("Int8", "Dense", (2, -1))),
        ("dense", Operand("Int8", "Sparse", (2, 3))),
        ("one_type", Operand("UInt8", "Dense", (2, 3))),
        ("one_rank", Operand("Int8", "Dense", (2,))),
    ):
        assert evaluate(f"{path}.{broken}", [x, x])
        assert not evaluate(f"{path}.{broken}", [x, bad])
        assert not evaluate(f"{path}.admissible", 0, [x, bad])
    assert evaluate(f"{path}.one_shape_elsewhere", 0, [x, Operand("Int8", "Dense", (5, 3))])
    assert not evaluate(f"{path}.one_shape_elsewhere", 1, [x, Operand("Int8", "Dense", (5, 3))])
    assert evaluate(f"{path}.in_range", 1, [x])
    assert not evaluate(f"{path}.in_range", 2, [x])
    assert not evaluate(f"{path}.admissible", -1, [x])


def test_permutations(evaluate: Evaluator) -> None:
    path = "ops.structural.permutation.Permutation"
    for n in range(4):
        for p in product(range(-1, n + 1), repeat=n):
            assert evaluate(f"{path}.is_permutation", n, p) == (sorted(p) == [*range(n)])
    assert not evaluate(f"{path}.is_permutation", 3, (0, 1))
    assert [evaluate(f"{path}.position", a, (7, 5, 7)) for a in (7, 5, 1)] == [0, 1, 3]
    assert evaluate(f"{path}.chosen", (2, 0, 1), (10, 11, 12)) == (12, 10, 11)
    for p in permutations(range(4)):
        inverse: Any = evaluate(f"{path}.inverse", p)
        assert [p[k] for k in inverse] == [*range(4)]


@pytest.mark.parametrize("dims", [(), (3,), (0,), (2, 3), (0, 3), (1, 2, 3), (2, 1, 3, 2)], ids=str)
def test_transpose(evaluate: Evaluator, dims: tuple[int, ...]) -> None:
    """The coordinates of each element, in the order of the axes."""
    path = "ops.transpose.definition.Transpose"
    rank, indices = len(dims), [*product(*map(range, dims))]
    data, x = Operand("Text", "Dense", dims), counted(dims)
    for p in [*permutations(range(rank)), None]:
        axes = p if p is not None else tuple(reversed(range(rank)))
        order: Any = "Reversed" if p is None else p
        shape = tuple(dims[axis] for axis in axes)
        places = {tuple(i[axis] for axis in axes): k for k, i in enumerate(indices)}
        wanted = Tensor(shape, tuple(places[i] for i in product(*map(range, shape))))
        assert evaluate(f"{path}.transpose", order, x) == wanted
        assert evaluate(f"{path}Shape.axes_in_order", dims, order) == axes
        assert evaluate(f"{path}Shape.transposed", dims, order) == shape
        assert evaluate(f"{path}Signature.result", order, data) == Operand("Text", "Dense", shape)
        for index in places:
            j: Any = evaluate(f"{path}Source.source", dims, order, index)
            assert tuple(j[axis] for axis in axes) == index
            assert evaluate(f"{path}Source.place", dims, order, j) == index


def test_what_transpose_does_not_take(evaluate: Evaluator) -> None:
    path = "ops.transpose.definition.Transpose"
    x = Operand("Int8", "Dense", (2, 3))
    assert evaluate(f"{path}Signature.admissible", (1, 0), x)
    for p in ((0,), (0, 1, 2), (1, 1), (-1, 0), (0, 2)):
        assert not evaluate(f"{path}Shape.orders_axes", (2, 3), p)
        assert not evaluate(f"{path}Signature.admissible", p, x)
    for broken, bad in (
        ("well_formed_dims", Operand("Int8", "Dense", (2, -1))),
        ("dense", Operand("Int8", "Sparse", (2, 3))),
    ):
        assert evaluate(f"{path}Signature.{broken}", x)
        assert not evaluate(f"{path}Signature.{broken}", bad)
        assert not evaluate(f"{path}Signature.admissible", "Reversed", bad)
    assert evaluate(f"{path}Signature.listed", "Complex64")
    assert not evaluate(f"{path}Signature.listed", "Real")
