"""WhyML as HTML: keywords, comments and explanations marked, everything escaped."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup, escape

_KEYWORDS = """
absurd axiom by clone constant else end ensures exists export false forall function ghost goal if
import in invariant lemma let match module mutable not predicate private raises reads rec requires
returns so then theory true type use val variant while with
"""
_TOKEN = re.compile(
    r"(?P<c>\(\*(?!\)).*?\*\))"
    r"|(?P<a>\[@[^\]]*\])"
    rf"|(?P<k>\b(?:{'|'.join(_KEYWORDS.split())})\b)",
    re.DOTALL,
)
_MODULE = re.compile(r"^module (\w+)", re.MULTILINE)
_END = re.compile(r"^end\b", re.MULTILINE)


@dataclass(frozen=True)
class ListingLine:
    """A line of a file."""

    number: int
    html: Markup


@dataclass(frozen=True)
class ModuleListing:
    """A module of a file, as lines."""

    name: str
    lines: tuple[ListingLine, ...]


def modules(text: str) -> list[ModuleListing]:
    """The modules of a file, each with its heading comment where that is on the line before."""
    lines = list(_lines(text))
    found = []
    for match in _MODULE.finditer(text):
        end = _END.search(text, match.start())
        first = text.count("\n", 0, match.start())
        last = text.count("\n", 0, end.start()) if end else len(lines) - 1
        found.append(ModuleListing(match[1], tuple(lines[first : last + 1])))
    return found


def _lines(text: str) -> Iterator[ListingLine]:
    for number, html in enumerate(_marked(text), start=1):
        yield ListingLine(number, Markup(html))


def _marked(text: str) -> list[str]:
    parts: list[str] = []
    end = 0
    for match in _TOKEN.finditer(text):
        parts.append(str(escape(text[end : match.start()])))
        # A comment may go over lines, which become rows of a table.
        for number, piece in enumerate(match[0].split("\n")):
            newline = "\n" if number else ""
            parts.append(f'{newline}<span class="{match.lastgroup}">{escape(piece)}</span>')
        end = match.end()
    parts.append(str(escape(text[end:])))
    return "".join(parts).split("\n")
