"""The tools of this machine that a verdict goes through, with versions and checksums."""

import hashlib
import importlib.metadata
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from sonnx_formal.core.documents import Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.installation import Why3, first_line
from sonnx_formal.prover.provers import find_provers

PROVERS = ("z3", "cvc5", "cvc4")
_PROJECT = "sonnx-formal"


class TrustedTool(Part, frozen=True):
    """A tool, found or not."""

    name: str
    version: str | None
    """None when it is not here."""
    sha256: str | None
    """Of the program; of a Python package, of the list of its files and their checksums."""


def find_tools(why3: Why3) -> list[TrustedTool]:
    """Why3, provers and checker, OCaml, Python, and the packages that the project runs with."""
    return [
        TrustedTool("why3", why3.version, _file_sha256(Path(why3.path))),
        *_provers(),
        _checker(),
        _ocaml("ocamlopt", "ocaml"),
        _zarith(),
        _python(),
        *_packages(),
    ]


def _provers() -> Iterator[TrustedTool]:
    here = {prover.name: prover for prover in find_provers()}
    for name in (*PROVERS, *sorted(here.keys() - set(PROVERS))):
        prover = here.get(name)
        if prover is None:
            yield TrustedTool(name, None, None)
        elif name == "cvc5":
            yield TrustedTool(name, prover.version, _package_sha256("cvc5"))
        else:
            yield TrustedTool(name, prover.version, _file_sha256(Path(prover.command[0])))


def _checker() -> TrustedTool:
    """What checks the proofs of a prover."""
    path = shutil.which("ethos")
    if path is None:
        return TrustedTool("ethos", None, None)
    version = first_line([path, "--show-config"]).rpartition(" ")[2].rstrip(".")
    return TrustedTool("ethos", version, _file_sha256(Path(path)))


def _ocaml(program: str, name: str) -> TrustedTool:
    path = shutil.which(program)
    if path is None:
        return TrustedTool(name, None, None)
    return TrustedTool(name, first_line([path, "-version"]), _file_sha256(Path(path)))


def _zarith() -> TrustedTool:
    """The arbitrary-precision integers of the programs that Why3 extracts."""
    find = shutil.which("ocamlfind")
    if find is None:
        return TrustedTool("zarith", None, None)
    try:
        version = first_line([find, "query", "-format", "%v", "zarith"])
        folder = Path(first_line([find, "query", "zarith"]))
    except UserError:
        return TrustedTool("zarith", None, None)
    return TrustedTool("zarith", version, _file_sha256(folder / "zarith.a"))


def _python() -> TrustedTool:
    program = Path(sys.executable).resolve()
    return TrustedTool("python", platform.python_version(), _file_sha256(program))


def _packages() -> Iterator[TrustedTool]:
    """What the project needs to run, and what that needs; the provers among it are named above."""
    found: dict[str, TrustedTool] = {}
    waiting = [(_PROJECT, frozenset({""}))]
    done = set()
    while waiting:
        asked = waiting.pop()
        if asked in done:
            continue
        done.add(asked)
        name, extras = asked
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = TrustedTool(name, None, None)
            continue
        found[name] = TrustedTool(name, package.version, _package_sha256(name))
        for requirement in map(Requirement, package.requires or []):
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(
                    (canonicalize_name(requirement.name), frozenset({"", *requirement.extras}))
                )
    for name in sorted(found.keys() - {_PROJECT, "cvc5", "z3-solver"}):
        yield found[name]


def _package_sha256(name: str) -> str | None:
    record = importlib.metadata.distribution(name).read_text("RECORD")
    return hashlib.sha256(record.encode()).hexdigest() if record else None


def _file_sha256(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
