"""What the systems ask of their operands before their shapes: dense tensors of one listed type."""

from collections.abc import Collection
from typing import Any

from sonnx_formal.reference.element_types import FLOATS, INTEGERS, Array, ElementType, element_type
from sonnx_formal.reference.operands import described, in_native_order, is_sparse, require_array
from sonnx_formal.reference.violation import SpecViolation

MACHINE_TYPES = tuple(one.name for one in (*INTEGERS, *FLOATS))
"""The twelve types that have numbers of a fixed width."""


def of_one_type(
    document: str, types: Collection[str], a: Any, b: Any
) -> tuple[ElementType, Array, Array]:
    """The element type and the operands in native order.

    :param types: the names of the types that the document lists.
    :raises SpecViolation: T of the document; :raises TypeError: an operand is no NumPy array.
    """
    if is_sparse(a) or is_sparse(b):
        raise SpecViolation(
            f"{document}.T", f"{described(a, b)}; make both dense, for example with .toarray()"
        )
    a, b = require_array("A", a), require_array("B", b)
    element = element_type(a)
    if element is None or element.name not in types or element is not element_type(b):
        raise SpecViolation(
            f"{document}.T",
            f"{described(a, b)}; convert both to one type, which is one of {', '.join(types)}",
        )
    return element, in_native_order(a, element), in_native_order(b, element)
