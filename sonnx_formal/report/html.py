"""The evidence as one HTML file that needs nothing else, and no network."""

from collections.abc import Iterator
from functools import cache
from importlib import resources
from urllib.parse import quote

import jinja2
from markupsafe import Markup, escape

from sonnx_formal.report.documents import sha256
from sonnx_formal.report.evidence import Evidence, encoded, missing_of
from sonnx_formal.report.views import code_spans, nested_text, view

_TEMPLATES = "templates"


def page(evidence: Evidence, *, paper: bool = False) -> str:
    """The report as HTML.

    :param paper: for a printer: the goals are summed up by module instead of being listed one by
        one, which would take hundreds of sheets.
    """
    template = environment().get_template("report.html")
    return template.render(
        view=view(evidence),
        evidence=evidence,
        paper=paper,
        seal=sha256(encoded(evidence)),
        missing_of=lambda needs: missing_of(needs, evidence),
    )


@cache
def environment() -> jinja2.Environment:
    """Where the templates are. Whatever they show is escaped unless it is made here."""
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(_source),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "prose": lambda text: Markup("").join(_prose(text)),
        "to": _fragment,
        "nested": nested_text,
        "count": _count,
    }
    made.globals["style"] = lambda name: Markup(_source(name))
    return made


def _source(name: str) -> str:
    return (resources.files(__package__) / _TEMPLATES / name).read_text(encoding="utf-8")


def _prose(text: str) -> Iterator[Markup]:
    for code, part in code_spans(text):
        yield Markup("<code>{}</code>").format(part) if code else escape(part)


def _fragment(identifier: str) -> str:
    """The address of what has this id in the page."""
    return "#" + quote(identifier, safe="/:.'-_")


def _count(number: int, what: str) -> str:
    """As 1,234 goals."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
