"""Operators of one operand: every number of 8 and of 16 bits, by the definitions."""

from collections.abc import Iterable

import numpy as np
import pytest

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.abs import abs as absolute
from sonnx_formal.reference.sqrt import sqrt
from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Instance
from tests.benchmarks.implementations import Mpfr, results
from tests.formats import with_one_nan
from tests.quick import each_of, is_telling
from tests.reference.declared import OF_ONE, expected, function
from tests.reference.reference import FORMATS, INTEGERS, Integer, assert_same, bits, floats
from tests.theories.float_operands import pairs

SIGNED = [name for name in INTEGERS if name[0] == "i"]
MOST_BITS = 16


def each_machine_type(instances: Iterable[Instance]) -> pytest.MarkDecorator:
    chosen = (each for each in instances if each.types[0].family is not Family.REAL)
    return each_of("instance", chosen, is_telling)


@each_machine_type(instance for operator in OF_ONE for instance in operator.instances())
def test_every_number_of_8_and_16_bits(oracle: Oracle, instance: Instance) -> None:
    """Of wider types, the patterns that end in zeros."""
    (type_,) = instance.types
    bits = 8 * type_.dtype.itemsize
    shift = max(bits - MOST_BITS, 0)
    every = np.arange(1 << min(bits, MOST_BITS), dtype=f"u{type_.dtype.itemsize}") << shift
    operand = every.view(type_.dtype)
    with np.errstate(all="raise"):
        result = function(instance.operator)(operand)
    assert_same(instance.label, result, expected(oracle, instance.operator, operand))


@pytest.mark.parametrize("name", SIGNED)
def test_the_least_number_has_no_absolute_value(name: str) -> None:
    """That number itself is the result; of all others, it is what Python has."""
    low, high = Integer(name).limits
    operand = np.array([low, low + 1, -1, 0, high], name)
    assert absolute(operand).tolist() == [low, high, 1, 0, high]


@pytest.mark.parametrize("name", FORMATS)
def test_square_roots_against_mpfr(name: str) -> None:
    """Near squares, and numbers whose root is nearly half-way between two."""
    form = FORMATS[name]
    mpfr = Mpfr(form)
    for block in pairs(form, "sqrt", 2_000, seed=0):
        result = sqrt(floats(name, block.x))
        ours = with_one_nan(form, bits(result))
        theirs = with_one_nan(form, results(mpfr, "sqrt", mpfr.operands(block.x)))
        np.testing.assert_array_equal(ours, theirs, block.kind)
