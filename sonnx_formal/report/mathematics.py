"""What an operator computes, in prose: from its shape rule and its arithmetic, as declared."""

from collections.abc import Iterator
from typing import assert_never

from sonnx_formal.report.pages import Page
from sonnx_formal.spec.operator import Arithmetic, ShapeRule


def mathematics(page: Page) -> tuple[str, ...]:
    """Paragraphs, with code between backquotes. None for a page that is about no operator."""
    if page.shapes is None or page.elements is None:
        return ()
    return (*_shapes(page, page.shapes, page.elements), _elements(page.elements))


def _shapes(page: Page, rule: ShapeRule, arithmetic: Arithmetic) -> Iterator[str]:
    first, *others = page.operands
    result, names = page.result, " and ".join(f"`{name}`" for name in page.operands)
    match rule:
        case ShapeRule.SAME:
            yield f"{names} have one shape, which is that of the result `{result}`."
            at = ["[i]"] * len(page.operands)
        case ShapeRule.MULTIDIRECTIONAL | ShapeRule.BY_ATTRIBUTE:
            if rule is ShapeRule.BY_ATTRIBUTE:
                yield f"Unless an attribute asks for broadcasting, {names} have one shape. With it:"
            yield (
                f"The shapes of {names} agree, aligned at their last axes, wherever neither "
                f"dimension is 1; `{result}` has at each axis the dimension that is not 1. The "
                f"index of an operand, `i_{first}`, is the end of `i`, with 0 where its dimension "
                "is 1."
            )
            at = [f"[i_{name}]" for name in page.operands]
        case ShapeRule.UNIDIRECTIONAL:
            yield (
                f"{names} have one shape; or, if an attribute says so, the second has one element, "
                f"or its shape is a run of dimensions of `{first}`: from the axis on that another "
                f"attribute gives, or at the end. `{result}` has the shape of `{first}`, and `j` "
                "is the part of `i` at that run."
            )
            at = ["[i]", *("[j]" for _ in others)]
        case ShapeRule.MATRIX_PRODUCT:
            a, b = page.operands
            yield f"`{a}` has the shape (M, K) and `{b}` (K, N); `{result}` has the shape (M, N)."
            yield f"`{result}[i, j] = Σ {a}[i, k] ⊗ {b}[k, j]` over 0 ≤ k < K, for each i and j."
            return
        case ShapeRule.OWN:
            yield f"{names} and `{result}` have the shapes that the modules below state."
            return
        case _:
            assert_never(rule)
    elements = [f"{name}{index}" for name, index in zip(page.operands, at, strict=True)]
    yield f"For each index: `{result}[i] = {_applied(arithmetic, elements)}`"


def _applied(arithmetic: Arithmetic, elements: list[str]) -> str:
    match arithmetic:
        case Arithmetic.PRODUCT:
            return " ⊗ ".join(elements)
        case Arithmetic.QUOTIENT:
            return " ⊘ ".join(elements)
        case Arithmetic.SUM:
            return " ⊕ ".join(elements)
        case Arithmetic.DIFFERENCE:
            return " ⊖ ".join(elements)
        case Arithmetic.SUM_OF_PRODUCTS | Arithmetic.OTHER:
            return f"f({', '.join(elements)})"
        case _:
            assert_never(arithmetic)


def _elements(arithmetic: Arithmetic) -> str:
    match arithmetic:
        case Arithmetic.PRODUCT:
            return _rounded("⊗", "product")
        case Arithmetic.SUM:
            return _rounded("⊕", "sum")
        case Arithmetic.DIFFERENCE:
            return _rounded("⊖", "difference")
        case Arithmetic.QUOTIENT:
            return (
                "⊘ is over the reals the quotient, and infinity for a zero divisor; over integers "
                "of n bits the quotient truncated towards zero, modulo 2^n, and a zero divisor is "
                "outside the domain; over a binary format the exact quotient rounded once, "
                "roundTiesToEven, with the special values of IEEE 754."
            )
        case Arithmetic.SUM_OF_PRODUCTS:
            return (
                "Over the reals, the sum; over integers of n bits, the sum modulo 2^n, the same in "
                "every order; over a binary format, where the order matters, from +0 upwards in k, "
                "each product and each sum rounded once. An empty sum is +0."
            )
        case Arithmetic.OTHER:
            return "The modules below define what an element of the result is."
        case _:
            assert_never(arithmetic)


def _rounded(sign: str, name: str) -> str:
    return (
        f"{sign} is over the reals the {name}; over integers of n bits the {name} modulo 2^n, in "
        f"the range of the type; over a binary format the exact {name} rounded once, "
        "roundTiesToEven, with the special values of IEEE 754."
    )
