"""The pages of the report: what of the library and of the registry belongs to each operator."""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from sonnx_formal.core.documents import Part
from sonnx_formal.spec.operator import Arithmetic, Operator, ShapeRule, System

_COMPARISON = "systems.refinement"


class Page(Part, frozen=True):
    """A page: operators that have their definition in one file, or a file of theorems."""

    name: str
    """Of the file or folder: `mul`."""
    title: str
    documents: tuple[str, ...]
    related: tuple[str, ...]
    """Documents of other systems on the same operator."""
    listing: str
    """The file that is shown, of the library."""
    modules: tuple[str, ...]
    """The modules of it that define the operator; none stands for all."""
    theories: tuple[str, ...] = ()
    """Other files that the declarations name: what the restrictions are stated with."""
    operands: tuple[str, ...] = ()
    result: str = ""
    shapes: ShapeRule | None = None
    elements: Arithmetic | None = None

    @property
    def root(self) -> str:
        """How the names of the files begin that belong to it: `ops/mul`, `systems/onnx_mul`."""
        return self.listing.removesuffix(".mlw").removesuffix("/definition")


def pages(operators: Sequence[Operator]) -> tuple[Page, ...]:
    """A page for each file that defines operators, and one on how the systems compare."""
    by_file: dict[str, list[Operator]] = {}
    for operator in operators:
        by_file.setdefault(_file(operator.definition.signature), []).append(operator)
    comparison = Page(
        name=_COMPARISON.rpartition(".")[2],
        title="How the systems compare",
        documents=(),
        related=(),
        listing=_file(f"{_COMPARISON}.All"),
        modules=(),
    )
    return (*(_page(file, here, operators) for file, here in by_file.items()), comparison)


def owner(file: str, among: Sequence[Page]) -> Page | None:
    """The page that a file of the library belongs to, by its folder or the beginning of its name.

    Of several, that with the longest name: `systems/onnx_mul_legacy.mlw` is no part of `onnx_mul`.
    """
    fitting = [
        page
        for page in among
        if re.match(rf"({re.escape(page.root)}|(\w+/)*{page.name})(?![a-z0-9])", file)
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
    page = Page(
        name="",
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
    return replace(page, name=page.root.rpartition("/")[2])


def _alike(ours: Operator, theirs: Operator) -> bool:
    """Whether two systems have one operator, by its name in ONNX or by what it computes."""
    if ours.onnx and theirs.onnx:
        return ours.onnx.op_type == theirs.onnx.op_type
    return ours.arithmetic is theirs.arithmetic is not Arithmetic.OTHER


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
