"""The page of the theorems: Markdown for readers, a document for programs."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta

from sonnx_formal.core.documents import Document, Part
from sonnx_formal.report.refinements.theorems import Chapter, Section, all_theorems

Words = Annotated[str, Meta(min_length=1)]


class TheoremEntry(Part, frozen=True):
    """A theorem, and where it stands."""

    file: str
    """Within the formal library."""
    module: str
    name: str
    line: Annotated[int, Meta(ge=1)]
    text: Words
    """What it says, in words."""
    statement: Words
    """In WhyML."""


class RefinementReport(Document, frozen=True, tag="sonnx-formal/refinements/1"):
    """The output of `sonnx-formal refinements --json`."""

    command = "refinements --json PATH"

    theorems: Annotated[tuple[TheoremEntry, ...], Meta(min_length=1)]


def markdown(found: Sequence[Chapter]) -> str:
    """The whole page."""
    return "\n\n".join(_blocks(found)) + "\n"


def document(found: Sequence[Chapter]) -> RefinementReport:
    """The theorems as `--json` writes them."""
    return RefinementReport(
        tuple(
            TheoremEntry(
                chapter.file,
                section.module,
                theorem.name,
                theorem.line,
                theorem.text or section.title,
                theorem.statement,
            )
            for chapter in found
            for section in chapter.sections
            for theorem in section.theorems
        )
    )


def _blocks(found: Sequence[Chapter]) -> Iterator[str]:
    files = " and ".join(f"`why3/{chapter.file}`" for chapter in found)
    yield "# How the systems compare: operators of SONNX, ONNX and OpenVINO"
    yield (
        f"{len(all_theorems(found))} theorems, as {files} state them; "
        "`sonnx-formal prove` proves them. What a `let` requires is assumed, and what it ensures "
        "is proved."
    )
    for chapter in found:
        yield f"## {chapter.title}"
        if chapter.text:
            yield chapter.text
        for section in chapter.sections:
            yield from _section(chapter, section)


def _section(chapter: Chapter, section: Section) -> Iterator[str]:
    yield f"### {section.title}"
    if section.text:
        yield section.text
    if section.abbreviations:
        named = [f"`{short}` is `{full}`" for short, full in section.abbreviations.items()]
        yield f"Here {', '.join(named)}."
    if section.definitions:
        yield _code("\n".join(section.definitions))
    for theorem in section.theorems:
        place = f"[{theorem.name}](why3/{chapter.file}#L{theorem.line})"
        yield f"**{place}.** {theorem.text}".rstrip()
        yield _code(theorem.statement)


def _code(text: str) -> str:
    return f"```why3\n{text}\n```"
