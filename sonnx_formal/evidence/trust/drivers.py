"""Why3's drivers, which say how symbols are printed, and which axioms are left out as built in."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from sonnx_formal.core.documents import Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.evidence.trust.granted import Trusted
from sonnx_formal.prover.sources import read_source


class DriverLine(Part, frozen=True):
    """One line of a driver."""

    theory: str
    """Empty for what holds for the whole driver."""
    line: int
    kind: str
    """`syntax`, `remove`, `meta`, `prelude`, `transformation`, `printer`, …"""
    text: str


class Driver(Trusted, frozen=True, kw_only=True):
    """A driver file: how Why3 writes for a prover or a language."""

    sha256: str
    ours: bool
    """Whether it comes with this project and not with Why3."""
    mappings: tuple[DriverLine, ...]

    def theories(self) -> list[str]:
        """The theories whose symbols or axioms it maps, each once."""
        return list(dict.fromkeys(line.theory for line in self.mappings if line.theory))


def read_drivers(start: Path, folder: Path) -> list[Driver]:
    """A driver and those that it imports; Why3's own are in `folder`. Raises `UserError`."""
    found: dict[Path, Driver] = {}
    waiting = [start]
    while waiting:
        path = waiting.pop(0)
        if path in found:
            continue
        data = read_source(path)
        mappings = tuple(_mappings(path, data.decode(errors="replace")))
        found[path] = Driver(
            name=path.name,
            sha256=hashlib.sha256(data).hexdigest(),
            ours=not path.is_relative_to(folder),
            mappings=mappings,
        )
        imports = [mapping.text.strip('"') for mapping in mappings if mapping.kind == "import"]
        waiting += [path.parent / name.replace("@DRIVERS@", str(folder)) for name in imports]
    return list(found.values())


_COMMENT = re.compile(r'\(\*(?!\))(?:.|\n)*?\*\)|"(?:[^"\\]|\\.|\\\n)*"')
_STATEMENT = re.compile(
    r"""(?P<open>\b(?:theory|module)\s+(?P<theory>[\w.']+))
    | (?P<close>\bend\b)
    | (?P<kind>\b[a-z]\w*)\s+(?P<text>(?:"(?:[^"\\]|\\.|\\\n)*"|[^"\n])*)""",
    re.VERBOSE,
)


def _mappings(path: Path, text: str) -> Iterator[DriverLine]:
    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])

    text = _COMMENT.sub(blank, text)
    theory = ""
    for match in _STATEMENT.finditer(text):
        if match["open"]:
            theory = match["theory"]
        elif match["close"]:
            theory = ""
        else:
            line = text.count("\n", 0, match.start()) + 1
            said = re.sub(r"\\\n\s*", "", match["text"]).strip()
            yield DriverLine(theory, line, match["kind"], said)
    if theory:
        raise UserError(f"{path}: theory {theory} has no end: reinstall why3")
