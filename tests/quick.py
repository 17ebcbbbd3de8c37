"""Of many cases that are alike, those that are quick to test; the others are long."""

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

import pytest

from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Arithmetic, Instance


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_Case = TypeVar("_Case", bound=_Named)


def each_of(
    argument: str, cases: Iterable[_Case], quick: Callable[[_Case], bool]
) -> pytest.MarkDecorator:
    """A test for each of the cases, as an argument; a long one, where it is not quick."""
    found = [
        pytest.param(case, marks=() if quick(case) else pytest.mark.long, id=case.name)
        for case in cases
    ]
    return pytest.mark.parametrize(argument, found)


def is_telling(instance: Instance) -> bool:
    """Whether it shows what the others of its operator do as well.

    Floats do, and of operators that do not copy elements, integers of 8 bits and numbers without
    limits: to NumPy, the wider integers are like these.
    """
    first = instance.types[0]
    if first.family is Family.FLOAT:
        return True
    wide = first.family is Family.INTEGER and first.width > 8
    return instance.operator.arithmetic is not Arithmetic.COPY and not wide


def has_float32_scales(instance: Instance) -> bool:
    """Whether a quantization, or its inverse, has scales of float32, which show what others do."""
    _, scale, _ = instance.operator.inputs
    return instance.type_of(scale).name == "float32"
