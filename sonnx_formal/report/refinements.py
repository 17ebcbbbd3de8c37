"""The theorems on how the systems compare, as the formal sources state them: a page to read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from sonnx_formal.core.documents import Document, Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.sources import read_source
from sonnx_formal.prover.whyml import Declaration, Module, modules
from sonnx_formal.report.views import environment

FILES = (
    "systems/elementwise_refinement.mlw",
    "systems/refinement.mlw",
    "systems/refinement_examples.mlw",
)

_PROVED = {"lemma", "ghost", "goal"}
_DOCUMENTED = re.compile(r"\(\*\*((?:(?!\(\*\*).)*?)\*\)\s*\Z", re.DOTALL)
_HEADING = re.compile(r"\{[12] ([^}]*)\}")
_ABBREVIATION = re.compile(r"^  (?:use|clone)\s+([\w.]+)\s+as\s+(\w+)", re.MULTILINE)
_USED = re.compile(r"\A\s*module .*\n|^  use .*\n", re.MULTILINE)
_EXPORTED = re.compile(r"^  clone export ([\w.]+)", re.MULTILINE)

Words = Annotated[str, Meta(min_length=1)]


class Theorem(Part, frozen=True):
    """A theorem, and where it stands."""

    file: str
    """Within the formal library."""
    module: str
    name: str
    line: Annotated[int, Meta(ge=1)]
    text: Words
    """What it says, in the words of the source: its own, or else the title of its section."""
    statement: Words
    """In WhyML, without the steps of its proof."""


class RefinementReport(Document, frozen=True, tag="sonnx-formal/refinements/1"):
    """The output of `sonnx-formal refinements --json`."""

    command = "refinements --json PATH"

    theorems: Annotated[tuple[Theorem, ...], Meta(min_length=1)]


@dataclass(frozen=True)
class Section:
    """A module of theorems, or one that is an instance of such a module."""

    title: str
    text: str
    abbreviations: Mapping[str, str]
    """The names that the statements have for modules elsewhere."""
    definitions: tuple[str, ...]
    """In WhyML, with comments, what the statements speak of: definitions and parameters."""
    theorems: tuple[Theorem, ...]


@dataclass(frozen=True)
class Chapter:
    file: str
    title: str
    text: str
    sections: tuple[Section, ...]


def chapters(library: Path) -> tuple[Chapter, ...]:
    """What the files say, one chapter each. Raises `UserError` when one cannot be read."""
    return chapters_of({name: read_source(library / name).decode() for name in FILES})


def chapters_of(texts: Mapping[str, str]) -> tuple[Chapter, ...]:
    """What these texts, by the names of their files, say. Raises `UserError` without a heading."""
    abbreviations: dict[str, dict[str, str]] = {}
    general: set[str] = set()
    found = []
    for name, text in texts.items():
        sections = []
        for module in modules(text):
            inside = text[module.start : module.end]
            short = _abbreviations(inside, abbreviations)
            abbreviations[module.name] = short
            theorems = [d for d in module.declarations if _PROVED & {*d.head}]
            if theorems:
                general.add(module.name)
                definitions = [d for d in module.declarations if d.is_definition or d.is_parameter]
                shown = tuple(_described(text, d) for d in definitions)
            elif general & {*_EXPORTED.findall(inside)}:
                general.add(module.name)
                shown = (_USED.sub("", inside).replace("\n  ", "\n").strip(),)
            else:
                continue
            title, words = _heading(name, text[: module.start])
            stated = tuple(_theorem(name, text, title, module, d) for d in theorems)
            sections.append(Section(title, words, short, shown, stated))
        beginning = text.find("*)") + len("*)")
        found.append(Chapter(name, *_heading(name, text[:beginning]), tuple(sections)))
    return tuple(found)


def _theorem(file: str, text: str, title: str, module: Module, declaration: Declaration) -> Theorem:
    """Of a lemma, all of it; of a proof by a program, its contract."""
    comment = _DOCUMENTED.search(text, 0, declaration.start)
    proof = "let" in declaration.head and declaration.clauses
    end = declaration.clauses[-1].end if proof else declaration.end
    first, *lines = text[declaration.start : end].splitlines()
    return Theorem(
        file,
        module.name,
        declaration.name,
        text.count("\n", 0, declaration.start) + 1,
        (_plain(comment[1]) if comment else "") or title,
        "\n".join([first, *(line.removeprefix("  ") for line in lines)]),
    )


def _described(text: str, declaration: Declaration) -> str:
    """With the comment before it, at the margin."""
    comment = _DOCUMENTED.search(text, 0, declaration.start)
    shown = text[comment.start() if comment else declaration.start : declaration.end]
    return "\n".join(line.removeprefix("  ") for line in shown.splitlines())


def _abbreviations(inside: str, known: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Those of a module, and of the modules that it has all of."""
    found: dict[str, str] = {}
    for other in _EXPORTED.findall(inside):
        found |= known.get(other.rpartition(".")[2], {})
    return found | {short: full for full, short in _ABBREVIATION.findall(inside)}


def _heading(name: str, before: str) -> tuple[str, str]:
    comment = _DOCUMENTED.search(before)
    title = _HEADING.search(comment[1]) if comment else None
    if comment is None or title is None:
        line = before.count("\n") + 1
        raise UserError(
            f"{name}:{line}: a heading is missing: write one as (** {{1 …}} *) or (** {{2 …}} *)"
        )
    return title[1], _plain(comment[1][title.end() :])


def _plain(comment: str) -> str:
    """On one line, with what is code in backquotes as Markdown has it."""
    return re.sub(r"\[([^\]]*)\]", r"`\1`", " ".join(comment.split()))


def report(found: Sequence[Chapter]) -> RefinementReport:
    sections = [section for chapter in found for section in chapter.sections]
    return RefinementReport(tuple(each for section in sections for each in section.theorems))


def markdown(found: Sequence[Chapter]) -> str:
    template = environment().get_template("refinements.md")
    return template.render(chapters=found, report=report(found)).rstrip() + "\n"
