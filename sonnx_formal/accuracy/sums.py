"""The sums of products that the elements of a result are, as stacks of matrices."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Terms
from sonnx_formal.spec.operators.average_pool import includes_padding
from sonnx_formal.spec.operators.conv import convolved, group_of
from sonnx_formal.spec.operators.reduce_sum import reduced, reduced_axes
from sonnx_formal.spec.windows import SPATIAL, Sliding, ints, windows

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Sums:
    """Of each row of one matrix and each column of another, the products; and an addend times 1.

    Stacks of matrices are broadcast to each other.
    """

    left: Array
    """Of shape (…, m, n)."""
    right: Array
    """Of shape (…, n, k)."""
    places: NDArray[np.int64]
    """Of each element of the result, the number of its sum."""
    addend: Array | None = None
    """Broadcast to the shape (…, m, k)."""
    padding: Mask | None = None
    """Where the left matrices have zeros whose products may be left out."""
    divisors: NDArray[np.int64] | None = None
    """What the sums are divided by. Broadcast to the shape (…, m, k)."""

    @property
    def count(self) -> int:
        """How many products each sum has."""
        return int(self.left.shape[-1]) + (self.addend is not None)

    @property
    def shape(self) -> tuple[int, ...]:
        stack = np.broadcast_shapes(self.left.shape[:-2], self.right.shape[:-2])
        return (*stack, self.left.shape[-2], self.right.shape[-1])

    def products(self) -> Iterator[tuple[Array, Array, Mask]]:
        """The factors of one product after the other, of all sums; and which are left out."""
        none = np.zeros((), np.bool_)
        for k in range(self.left.shape[-1]):
            out = none if self.padding is None else self.padding[..., k, np.newaxis]
            yield self.left[..., k, np.newaxis], self.right[..., np.newaxis, k, :], out
        if self.addend is not None:
            yield self.addend, np.ones((), self.left.dtype), none

    def factors(self, place: tuple[int, ...]) -> tuple[Array, Array]:
        """Of one element of the result."""
        *stack, row, column = np.unravel_index(self.places[place], self.shape)
        over = self.shape[:-2]
        left = np.broadcast_to(self.left, (*over, *self.left.shape[-2:]))[(*stack, row)]
        right = np.broadcast_to(self.right, (*over, *self.right.shape[-2:]))
        right = right[(*stack, slice(None), column)]
        if self.addend is None:
            return left, right
        added = np.broadcast_to(self.addend, self.shape)[(*stack, row, column)]
        return np.append(left, added), np.append(right, np.ones((), right.dtype))

    def divisor(self, place: tuple[int, ...]) -> int | None:
        """What the sum of one element of the result is divided by."""
        if self.divisors is None:
            return None
        return int(self.arranged(self.divisors)[place])

    def arranged(self, elements: NDArray[np.generic]) -> Array:
        """What is known of each sum, in the shape of the result."""
        flat = np.broadcast_to(elements, self.shape).reshape(-1)
        made: Array = flat[self.places.ravel()].reshape(self.places.shape)  # of rank 0, too
        return made

    def of_type(self, dtype: np.dtype[np.generic]) -> "Sums":
        with np.errstate(invalid="ignore"):  # NaNs may signal
            added = None if self.addend is None else self.addend.astype(dtype)
            left, right = self.left.astype(dtype), self.right.astype(dtype)
        return replace(self, left=left, right=right, addend=added)


def sums_of(call: Call) -> Sums:
    """The sums of an operator that is declared to have some, of operands that it accepts."""
    terms = call.operator.terms
    assert terms is not None, call.operator
    match terms:
        case Terms.MATRICES | Terms.MATRICES_AND_ADDEND:
            left, right, *addends = call.arrays
            return of_matrices(left, right, *addends)
        case Terms.WINDOWS:
            x, w, *bias = call.arrays
            return _of_windows(call.attributes, x, w, group_of(call.attributes), bias)
        case Terms.MEANS:
            return _of_means(call)
        case Terms.BLOCKS:
            return _of_blocks(call)
        case _:
            assert_never(terms)


def of_matrices(left: Array, right: Array, addend: Array | None = None) -> Sums:
    shape = (left.shape[0], right.shape[1])
    return Sums(left, right, _numbers(shape), addend)


def _of_means(call: Call) -> Sums:
    """Each channel is a group of its own, with a kernel of ones."""
    (x,), attributes = call.arrays, call.attributes
    channels = x.shape[1]
    kernel = np.ones((channels, 1, *ints(attributes, "kernel_shape")), x.dtype)
    sums = _of_windows(attributes, x, kernel, channels)
    assert sums.padding is not None
    counted = np.ones_like(sums.padding) if includes_padding(attributes) else ~sums.padding
    return replace(sums, divisors=np.count_nonzero(counted, axis=-1)[..., np.newaxis])


def _of_windows(
    attributes: Attributes, x: Array, w: Array, groups: int, bias: Sequence[Array] = ()
) -> Sums:
    """For each sample and group, places by the elements of a window, and these by channels."""
    group = w.shape[1]
    samples, channels, *places = convolved(attributes, x.shape, w.shape)
    rows, columns = windows(attributes, x.shape, w.shape[SPATIAL:])
    image, padding = _padded(x, rows, columns)
    each, size = channels // max(groups, 1), group * w.shape[2] * w.shape[3]

    def under(image: Array) -> Array:
        found = sliding_window_view(image, (rows.span, columns.span), (SPATIAL, SPATIAL + 1))
        found = found[
            :, :, :: rows.stride, :: columns.stride, :: rows.dilation, :: columns.dilation
        ]
        found = found[:, :, : places[0], : places[1]]  # which may be none
        found = found.reshape((len(image), groups, group, *places, *w.shape[SPATIAL:]))
        found = found.transpose(0, 1, 3, 4, 2, 5, 6)
        return found.reshape((len(image), groups, places[0] * places[1], size))

    numbers = _numbers((samples, groups, places[0] * places[1], each))
    return Sums(
        under(image),
        w.reshape((groups, each, size)).transpose(0, 2, 1),
        numbers.transpose(0, 1, 3, 2).reshape((samples, channels, *places)),
        bias[0].reshape((groups, 1, each)) if bias else None,
        under(padding),
    )


def _of_blocks(call: Call) -> Sums:
    """A row for each element of the result: its block, of which each element is multiplied by 1."""
    data, *vectors = call.arrays
    attributes = call.attributes
    asked = tuple(vectors[0].tolist()) if vectors else ()
    along = sorted(reduced_axes(attributes, data.ndim, asked))
    others = [axis for axis in range(data.ndim) if axis not in along]
    shape = reduced(attributes, data.shape, asked)
    count = int(np.prod([data.shape[axis] for axis in along], dtype=np.int64))
    rows = data.transpose(*others, *along).reshape((int(np.prod(shape, dtype=np.int64)), count))
    return Sums(rows, np.ones((count, 1), data.dtype), _numbers(shape))


def _padded(x: Array, rows: Sliding, columns: Sliding) -> tuple[Array, Mask]:
    """X with zeros before and after its rows and columns, and where these are.

    There are as many as the kernel reaches over, at least.
    """
    size = tuple(max(each.padded, each.span) for each in (rows, columns))
    image, padding = np.zeros((*x.shape[:2], *size), x.dtype), np.ones((1, x.shape[1], *size), bool)
    down, across = (slice(each.before, each.before + each.length) for each in (rows, columns))
    inside = np.s_[:, :, down, across]
    image[inside], padding[inside] = x, False
    return image, padding


def _numbers(shape: tuple[int, ...]) -> NDArray[np.int64]:
    return np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
