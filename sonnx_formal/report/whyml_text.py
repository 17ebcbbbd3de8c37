"""WhyML as HTML: keywords, comments and explanations marked, everything escaped."""

import re
from collections.abc import Iterator

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
_MODULE = re.compile(r"^module (\w+).*?(?:^end\b|\Z)", re.MULTILINE | re.DOTALL)


def modules(text: str) -> Iterator[tuple[str, list[tuple[int, Markup]]]]:
    """The modules of a file, each with its lines and their numbers."""
    marked = _TOKEN.sub(_marked, str(escape(text)))
    lines = [*enumerate(map(Markup, marked.split("\n")), start=1)]
    for match in _MODULE.finditer(text):
        first, last = (text.count("\n", 0, place) for place in match.span())
        yield match[1], lines[first : last + 1]


def _marked(token: re.Match[str]) -> str:
    """A comment may go over lines, which become rows of a table."""
    lines = token[0].split("\n")
    return "\n".join(f'<span class="{token.lastgroup}">{line}</span>' for line in lines)
