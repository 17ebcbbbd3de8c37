"""The evidence in short, as Markdown."""

import re
from functools import cache
from importlib import resources

import jinja2

from sonnx_formal.report.documents import sha256
from sonnx_formal.report.evidence import Evidence, encoded
from sonnx_formal.report.views import code_spans, view

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~!&])")


def summary(evidence: Evidence) -> str:
    """The gaps, the claims, and a line for each requirement, file, operator and type."""
    text = _template().render(
        evidence=evidence, view=view(evidence), seal=sha256(encoded(evidence))
    )
    # An empty line where a loop had nothing to say is one too many.
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@cache
def _template() -> jinja2.Template:
    text = (resources.files(__package__) / "templates/summary.md").read_text(encoding="utf-8")
    made = jinja2.Environment(
        autoescape=False,  # Markdown: `cell` escapes what is not ours
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "cell": _cell,
        "count": lambda number, what: f"{number:,} {what}{'' if number == 1 else 's'}",
    }
    return made.from_string(text)


def _cell(text: str) -> str:
    """A text on one line, in which nothing is markup but code between backquotes."""
    parts = [
        f"`{part}`" if code and "|" not in part else _SPECIAL.sub(r"\\\1", part)
        for code, part in code_spans(" ".join(text.split()))
    ]
    return "".join(parts)
