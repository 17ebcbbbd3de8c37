"""The evidence as one HTML file that needs nothing else, and in short as Markdown."""

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from urllib.parse import quote

import jinja2
from markupsafe import Markup, escape

from sonnx_formal.core.documents import encode
from sonnx_formal.report.documents import sha256
from sonnx_formal.report.evidence import Evidence
from sonnx_formal.report.views import View

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~!&])")


def page(evidence: Evidence, *, paper: bool = False) -> str:
    """The report as HTML.

    :param paper: for a printer: the goals are summed up by module instead of being listed one by
        one, which would take hundreds of sheets.
    """
    return _rendered("report.html", evidence, paper)


def summary(evidence: Evidence) -> str:
    """The gaps, the claims, and a line for each requirement, file, operator and type."""
    # An empty line where a loop had nothing to say is one too many.
    return re.sub(r"\n{3,}", "\n\n", _rendered("summary.md", evidence)).strip() + "\n"


def _rendered(name: str, evidence: Evidence, paper: bool = False) -> str:
    seal = sha256(encode(evidence))
    template = _environment().get_template(name)
    return template.render(view=View(evidence), evidence=evidence, paper=paper, seal=seal)


@cache
def _environment() -> jinja2.Environment:
    """Where the templates are. What they show in HTML is escaped unless it is made here."""
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(_source),
        autoescape=jinja2.select_autoescape(["html"]),  # in Markdown, `cell` escapes
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "prose": lambda text: Markup("").join(_prose(text)),
        "cell": _cell,
        "to": lambda identifier: "#" + quote(identifier, safe="/:.'-_"),
        "nested": _nested,
        "count": lambda number, what: f"{number:,} {what}{'' if number == 1 else 's'}",
    }
    made.globals["style"] = lambda name: Markup(_source(name))
    return made


def _source(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text(encoding="utf-8")


def _prose(text: str) -> Iterator[Markup]:
    for code, part in _code_spans(text):
        yield Markup("<code>{}</code>").format(part) if code else escape(part)


def _cell(text: str) -> str:
    """A text on one line of Markdown, in which nothing is markup but code between backquotes."""
    return "".join(
        f"`{part}`" if code and "|" not in part else _SPECIAL.sub(r"\\\1", part)
        for code, part in _code_spans(" ".join(text.split()))
    )


def _code_spans(text: str) -> list[tuple[bool, str]]:
    """The parts of a text, and of each whether it is code: what is between backquotes."""
    parts = re.split(r"`([^`]*)`", text)
    return [(bool(number % 2), part) for number, part in enumerate(parts) if part]


def _nested(value: object) -> str:
    """Nested lists of texts in brackets, as the source documents write tensors."""
    return f"[{' '.join(map(_nested, value))}]" if isinstance(value, list | tuple) else str(value)
