"""What the source documents say and the registry leaves out on purpose."""

from dataclasses import dataclass
from functools import cache

from sonnx_formal.spec.requirements.files import read, text_of

NAME = "left_out.toml"


@dataclass(frozen=True)
class LeftOut:
    """A statement of source documents that is no requirement here."""

    documents: tuple[str, ...]
    """Short names."""
    section: str
    what: str
    """In our own words."""
    reason: str


@cache
def left_out() -> tuple[LeftOut, ...]:
    """All that was left out, in the order of the file."""
    return parse(NAME, text_of(NAME))


def parse(name: str, text: str) -> tuple[LeftOut, ...]:
    """The entries of a file. Raises `ValueError`, which names the file and the entry."""
    return tuple(
        LeftOut(tuple(one["documents"]), one["section"], one["what"], one["reason"])
        for one in read(name, text, "left_out.schema.json")["left_out"]
    )
