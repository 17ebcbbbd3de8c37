"""The page: Markdown for readers, JSON for programs."""

from collections.abc import Iterator, Sequence
from typing import Any

from sonnx_formal.report.refinements.theorems import Chapter, Section, Theorem, all_theorems

SCHEMA = "sonnx-formal/refinements/1"


def markdown(found: Sequence[Chapter]) -> str:
    """The whole page."""
    return "\n\n".join(_blocks(found)) + "\n"


def as_json(found: Sequence[Chapter]) -> dict[str, Any]:
    """The theorems, as `refinements.schema.json` describes them."""
    return {
        "schema": SCHEMA,
        "theorems": [
            {
                "file": chapter.file,
                "module": section.module,
                "name": one.name,
                "line": one.line,
                "text": one.text or section.title,
                "statement": one.statement,
            }
            for chapter in found
            for section in chapter.sections
            for one in section.theorems
        ],
    }


def _blocks(found: Sequence[Chapter]) -> Iterator[str]:
    files = " and ".join(f"`why3/{chapter.file}`" for chapter in found)
    yield "# SONNX Mul, ONNX Mul and OpenVINO Multiply-1: how they compare"
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
    for one in section.theorems:
        yield _theorem(chapter, one)


def _theorem(chapter: Chapter, one: Theorem) -> str:
    place = f"[{one.name}](why3/{chapter.file}#L{one.line})"
    title = f"**{place}.** {one.text}".rstrip()
    return f"{title}\n\n{_code(one.statement)}"


def _code(text: str) -> str:
    return f"```why3\n{text}\n```"
