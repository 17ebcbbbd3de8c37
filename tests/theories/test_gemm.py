"""Gemm beside plain Python and MPFR: the product, then C; and which operands are accepted."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import pytest

from sonnx_formal.spec.element_types import Format
from tests.theories.evaluator import Evaluator, Operand, Tensor
from tests.theories.test_float_operators import TYPES, computed, elementwise, product, random_tensor
from tests.theories.test_operators import sums_of_products
from tests.theories.test_scalar import wrapped

SIZES = [(1, 1, 1), (2, 3, 2), (3, 5, 1), (2, 0, 3), (0, 2, 2), (2, 2, 0)]


def filled(shape: tuple[int, int], draw: Any) -> Tensor[Any]:
    return Tensor(shape, tuple(draw() for _ in range(shape[0] * shape[1])))


@pytest.mark.parametrize("name", ["Int", "Int32", "UInt64", "Rational"])
def test_exact_and_modular(evaluate: Evaluator, name: str) -> None:
    chance = random.Random(7)

    def draw() -> Any:
        if name == "Rational":
            return Fraction(chance.randint(-50, 50), chance.randint(1, 9))
        number = chance.randint(-(2**70), 2**70)
        return number if name == "Int" else wrapped(number, name)

    for m, n, p in SIZES * 3:
        a, b, c = (filled(shape, draw) for shape in ((m, n), (n, p), (m, p)))
        exact = [x + y for x, y in zip(sums_of_products(a, b).elements, c.elements, strict=True)]
        modular = name not in {"Int", "Rational"}
        wanted = Tensor((m, p), tuple(wrapped(x, name) if modular else x for x in exact))
        assert evaluate(f"ops.gemm.definition.Gemm{name}.gemm", a, b, c) == wanted


@pytest.mark.parametrize(("name", "form"), TYPES)
def test_floats(evaluate: Evaluator, name: str, form: Format) -> None:
    chance = random.Random(8)
    for m, n, p in SIZES * 2:
        a, b, c = (random_tensor(form, shape, chance) for shape in ((m, n), (n, p), (m, p)))
        wanted = elementwise(product(form, a, b), c, lambda x, y: computed(form, "add", x, y))
        assert evaluate(f"ops.gemm.floats.Gemm{name}.gemm", a, b, c) == wanted


def test_signature(evaluate: Evaluator) -> None:
    """Of every three shapes of these, those that go together, and no others."""
    signature = "ops.gemm.definition.GemmSignature"
    dims = ((), (2,), (2, 3), (3, 1), (2, 1), (1, 1), (2, 3, 1), (0, 2), (3, 0), (2, 0))
    for a, b, c in itertools.product(dims, repeat=3):
        operands = [Operand("Real", "Dense", each) for each in (a, b, c)]
        matrices = len(a) == len(b) == 2
        fits = matrices and a[1] == b[0] and c == (a[0], b[1])
        assert evaluate(f"{signature}.admissible", *operands) is fits
        if matrices:
            shaped = evaluate(f"{signature}.shape_of_product", *operands)
            assert shaped is (c == (a[0], b[1]))
        if fits:
            assert evaluate(f"{signature}.result", *operands) == operands[2]


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize(
    ("element", "storage", "dims"),
    [("Float32", "Dense", (2, 2)), ("Real", "Sparse", (2, 2)), ("Real", "Dense", (2, -2))],
)
def test_one_operand_that_is_wrong(
    evaluate: Evaluator, at: int, element: str, storage: str, dims: tuple[int, ...]
) -> None:
    signature = "ops.gemm.definition.GemmSignature"
    good = Operand("Real", "Dense", (2, 2))
    operands = [Operand(element, storage, dims) if k == at else good for k in range(3)]
    assert evaluate(f"{signature}.admissible", good, good, good) is True
    assert evaluate(f"{signature}.admissible", *operands) is False
    assert evaluate(f"{signature}.one_type", *operands) is (element == "Real")
    assert evaluate(f"{signature}.listed", element) is (element == "Real")
