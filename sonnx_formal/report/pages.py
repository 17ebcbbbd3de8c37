"""The pages of the report: what of the library and of the registry belongs to each operator."""

import re
from collections.abc import Iterator, Sequence
from typing import assert_never

from sonnx_formal.core.documents import Part
from sonnx_formal.core.grouping import grouped
from sonnx_formal.spec.operator import Arithmetic, Operator, ShapeRule, System

_COMPARISON = "systems.refinement"
_SIGNS = {
    Arithmetic.PRODUCT: "⊗",
    Arithmetic.QUOTIENT: "⊘",
    Arithmetic.SUM: "⊕",
    Arithmetic.DIFFERENCE: "⊖",
}


class Page(Part, frozen=True, kw_only=True):
    """A page: operators that have their definition in one file, or a file of theorems."""

    name: str
    """Of the file or folder: `mul`."""
    title: str
    documents: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    """Documents of other systems on the same operator."""
    listing: str
    """The file that is shown, of the library."""
    modules: tuple[str, ...] = ()
    """The modules of it that define the operator; none stands for all."""
    theories: tuple[str, ...] = ()
    """Other files that the declarations name: what the restrictions are stated with."""
    operands: tuple[str, ...] = ()
    result: str = ""
    shapes: ShapeRule | None = None
    elements: Arithmetic | None = None


def pages(operators: Sequence[Operator]) -> tuple[Page, ...]:
    """A page for each file that defines operators, and one on how the systems compare."""
    by_file = grouped(operators, lambda operator: _file(operator.definition.signature))
    comparison = Page(
        name=_COMPARISON.rpartition(".")[2],
        title="How the systems compare",
        listing=_file(f"{_COMPARISON}.All"),
    )
    return (*(_page(file, here, operators) for file, here in by_file.items()), comparison)


def owner(file: str, among: Sequence[Page]) -> Page | None:
    """The page that a file of the library belongs to, by its folder or the beginning of its name.

    Of several, that with the longest name: `systems/onnx_mul_legacy.mlw` is no part of `onnx_mul`.
    """
    fitting = [
        page
        for page in among
        if re.match(rf"({re.escape(_root(page.listing))}|(\w+/)*{page.name})(?![a-z0-9])", file)
    ]
    return max(fitting, key=lambda page: len(page.name), default=None)


def _page(file: str, here: Sequence[Operator], operators: Sequence[Operator]) -> Page:
    first = here[0]
    documents = dict.fromkeys(name for each in here for name in each.documents.values())
    related = (
        name
        for other in operators
        if first.system is System.SONNX is not other.system and _alike(first, other)
        for name in other.documents.values()
    )
    named = dict.fromkeys(place for each in here for place in _named(each))
    owned = {file, *(_file(module) for each in here for module in each.definition.modules.values())}
    return Page(
        name=_root(file).rpartition("/")[2],
        title=", ".join(each.title for each in here),
        documents=tuple(documents),
        related=tuple(dict.fromkeys(related)),
        listing=file,
        modules=tuple(module for name, module in named if name == file),
        theories=tuple(dict.fromkeys(name for name, _ in named if name not in owned)),
        operands=tuple(each.name for each in first.inputs),
        result=first.output.name,
        shapes=first.shape_rule,
        elements=first.arithmetic,
    )


def _alike(ours: Operator, theirs: Operator) -> bool:
    if ours.onnx and theirs.onnx:
        return ours.onnx.op_type == theirs.onnx.op_type
    return ours.arithmetic is theirs.arithmetic and ours.arithmetic in _SIGNS


def _named(operator: Operator) -> Iterator[tuple[str, str]]:
    """Files and modules that a declaration names: generic modules in place of their clones."""
    definition = operator.definition
    predicates = [each.test.predicate for each in definition.restrictions]
    for module in (
        *(predicate.rpartition(".")[0] for predicate in predicates if "." in predicate),
        definition.signature,
        *(re.sub(r"\{\w+\}$", "", each) for each in definition.modules.values() if "{" in each),
    ):
        yield _file(module), module.rpartition(".")[2]


def _file(module: str) -> str:
    """`ops/mul/definition.mlw` of `ops.mul.definition.Mul`."""
    return module.rpartition(".")[0].replace(".", "/") + ".mlw"


def _root(listing: str) -> str:
    """How the names of the files of a page begin: `ops/mul`, `systems/onnx_mul`."""
    return listing.removesuffix(".mlw").removesuffix("/definition")


def mathematics(page: Page) -> tuple[str, ...]:
    """What its operator computes: paragraphs, with code between backquotes; none without one."""
    if page.shapes is None or page.elements is None:
        return ()
    return (*_shapes(page, page.shapes, page.elements), _elements(page.elements))


def _shapes(page: Page, rule: ShapeRule, arithmetic: Arithmetic) -> Iterator[str]:
    first, *others = page.operands
    result, names = page.result, " and ".join(f"`{name}`" for name in page.operands)
    match rule:
        case ShapeRule.SAME if not others:
            yield f"{names} has one shape, which is that of the result `{result}`."
            at = ["[i]"]
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
        case ShapeRule.SCALAR_BOUNDS:
            bounds = " and ".join(f"`{name}`" for name in others)
            yield f"{bounds} have one element and no axes; `{result}` has the shape of `{first}`."
            at = ["[i]", *("" for _ in others)]
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
    sign = _SIGNS.get(arithmetic)
    applied = f" {sign} ".join(elements) if sign else f"f({', '.join(elements)})"
    yield f"For each index: `{result}[i] = {applied}`"


def _elements(arithmetic: Arithmetic) -> str:
    match arithmetic:
        case Arithmetic.PRODUCT | Arithmetic.SUM | Arithmetic.DIFFERENCE:
            kind = arithmetic.name.lower()
            return (
                f"{_SIGNS[arithmetic]} is over the reals the {kind}; over integers of n bits "
                f"the {kind} modulo 2^n, in the range of the type; over a binary format the "
                f"exact {kind} rounded once, roundTiesToEven, with the special values of "
                "IEEE 754."
            )
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
        case Arithmetic.EXACT:
            return (
                "f gives an element of an operand, but perhaps for its sign: nothing is rounded. "
                "Over integers of n bits it is modulo 2^n, in the range of the type."
            )
        case Arithmetic.COPY:
            return (
                "Nothing is computed: each element of the result is an element of an operand, all "
                "its bits as they were, at the index that the modules below state. The definition "
                "is one for elements of every type."
            )
        case Arithmetic.OTHER:
            return "The modules below define what an element of the result is."
        case _:
            assert_never(arithmetic)
