"""The theorems of a Why3 file as a reader needs them: what each says, in words and in WhyML."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.sources import read_source
from sonnx_formal.prover.whyml.modules import Declaration, Module, modules

FILES = ("systems/refinement.mlw", "systems/refinement_examples.mlw")
"""Where they are: the theorems, then the counterexamples."""

_PROVED = {"lemma", "ghost", "goal"}
_DOCUMENTED = re.compile(r"\(\*\*((?:(?!\(\*\*).)*?)\*\)\s*\Z", re.DOTALL)
_HEADING = re.compile(r"\{[12] ([^}]*)\}")
_ABBREVIATION = re.compile(r"^  (?:use|clone)\s+([\w.]+)\s+as\s+(\w+)", re.MULTILINE)
_EXPORTED = re.compile(r"^  clone export ([\w.]+)", re.MULTILINE)


@dataclass(frozen=True)
class Theorem:
    """One theorem."""

    name: str
    text: str
    """What it says, in the words of the source; empty where these are at the section."""
    statement: str
    """In WhyML, without the steps of its proof."""
    line: int


@dataclass(frozen=True)
class Section:
    """The theorems of a module."""

    module: str
    title: str
    text: str
    abbreviations: Mapping[str, str]
    """The names that the statements have for modules elsewhere."""
    definitions: tuple[str, ...]
    """In WhyML, what the statements speak of and the module defines."""
    theorems: tuple[Theorem, ...]


@dataclass(frozen=True)
class Chapter:
    """The theorems of a file."""

    file: str
    title: str
    text: str
    sections: tuple[Section, ...]


def chapters(library: Path) -> tuple[Chapter, ...]:
    """What the files say, one chapter each. Raises `UserError` when one cannot be read."""
    return chapters_of({name: read_source(library / name).decode() for name in FILES})


def chapters_of(texts: Mapping[str, str]) -> tuple[Chapter, ...]:
    """What these texts say; a later one may have all of a module of an earlier one.

    :param texts: by the names of the files within the library.
    :raises UserError: when one has no heading, or a section has none.
    """
    abbreviations: dict[str, dict[str, str]] = {}
    for text in texts.values():
        for module in modules(text):
            inside = text[_start(text, module) : module.end]
            abbreviations[module.name] = _abbreviations(inside, abbreviations)
    return tuple(_chapter(name, text, abbreviations) for name, text in texts.items())


def _chapter(name: str, text: str, abbreviations: Mapping[str, Mapping[str, str]]) -> Chapter:
    sections = []
    for module in modules(text):
        theorems = tuple(_theorems(text, module))
        if not theorems:
            continue
        title, words = _heading(name, text[: _start(text, module)])
        sections.append(
            Section(
                module.name,
                title,
                words,
                abbreviations[module.name],
                tuple(text[d.start : d.end] for d in module.declarations if d.is_definition),
                theorems,
            )
        )
    beginning = text.find("*)") + len("*)")
    return Chapter(name, *_heading(name, text[:beginning]), tuple(sections))


def _theorems(text: str, module: Module) -> Iterator[Theorem]:
    for declaration in module.declarations:
        if _PROVED & {*declaration.head}:
            comment = _DOCUMENTED.search(text, 0, declaration.start)
            line = text.count("\n", 0, declaration.start) + 1
            words = _plain(comment[1]) if comment else ""
            yield Theorem(declaration.name, words, _statement(text, declaration), line)


def _statement(text: str, theorem: Declaration) -> str:
    """Of a lemma, all of it; of a proof by a program, its contract."""
    proof = "let" in theorem.head and theorem.clauses
    end = theorem.clauses[-1].end if proof else theorem.end
    lines = text[theorem.start : end].splitlines()
    return "\n".join([lines[0], *(line.removeprefix("  ") for line in lines[1:])])


def _abbreviations(inside: str, known: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Those of a module, and of the modules that it has all of."""
    found: dict[str, str] = {}
    for other in _EXPORTED.findall(inside):
        found |= known.get(other.rpartition(".")[2], {})
    return found | {short: full for full, short in _ABBREVIATION.findall(inside)}


def _start(text: str, module: Module) -> int:
    match = re.search(rf"^module {module.name}\b", text, re.MULTILINE)
    assert match
    return match.start()


def _heading(name: str, before: str) -> tuple[str, str]:
    """The title and the words of the comment at the end of a text."""
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


def all_theorems(found: Sequence[Chapter]) -> list[Theorem]:
    """In the order of the page."""
    return [each for chapter in found for section in chapter.sections for each in section.theorems]
