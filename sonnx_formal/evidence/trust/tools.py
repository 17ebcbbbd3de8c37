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

from sonnx_formal.core.errors import UserError
from sonnx_formal.evidence.trust.granted import Trusted
from sonnx_formal.prover.installation import Why3, first_line
from sonnx_formal.prover.provers import FAMILIES, find_provers

_PROJECT = "sonnx-formal"


class TrustedTool(Trusted, frozen=True, kw_only=True):
    """A tool, found or not."""

    version: str | None = None
    sha256: str | None = None
    """Of the program; of a Python package, of the list of its files and their checksums."""


def find_tools(why3: Why3) -> Iterator[TrustedTool]:
    """Why3, provers and checker, C, OCaml, Python, and the packages that the project runs with."""
    yield _file("why3", why3.version, why3.path)
    provers = {prover.name: prover for prover in find_provers()}
    for name in FAMILIES:
        if name not in provers:
            yield TrustedTool(name=name)
        elif name == "cvc5":
            yield _package(name)
        else:
            yield _file(name, provers[name].version, provers[name].command[0])
    yield _program("ethos", "ethos", "--show-config")
    yield _program("cc", "cc", "--version")
    yield _program("ocaml", "ocamlopt", "-version")
    yield _zarith()
    yield _file("python", platform.python_version(), Path(sys.executable).resolve())
    yield from _packages()


def _file(name: str, version: str, path: str | Path) -> TrustedTool:
    try:
        sha256 = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        sha256 = None
    return TrustedTool(name=name, version=version, sha256=sha256)


def _program(name: str, program: str, option: str) -> TrustedTool:
    """A program that ends the first line of what it says of itself with its version."""
    path = shutil.which(program)
    if path is None:
        return TrustedTool(name=name)
    return _file(name, first_line([path, option]).rpartition(" ")[2].rstrip("."), path)


def _zarith() -> TrustedTool:
    """The arbitrary-precision integers of the programs that Why3 extracts."""
    try:
        version = first_line(["ocamlfind", "query", "-format", "%v", "zarith"])
        folder = Path(first_line(["ocamlfind", "query", "zarith"]))
    except UserError:
        return TrustedTool(name="zarith")
    return _file("zarith", version, folder / "zarith.a")


def _package(name: str) -> TrustedTool:
    try:
        package = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return TrustedTool(name=name)
    record = package.read_text("RECORD")
    sha256 = hashlib.sha256(record.encode()).hexdigest() if record else None
    return TrustedTool(name=name, version=package.version, sha256=sha256)


def _packages() -> list[TrustedTool]:
    """What the project needs to run, and what that needs; the provers among it are named above."""
    needed: set[tuple[str, str]] = set()
    waiting = [(_PROJECT, "")]
    while waiting:
        name, extra = waiting.pop()
        try:
            requirements = map(Requirement, importlib.metadata.requires(name) or [])
        except importlib.metadata.PackageNotFoundError:
            continue
        found = {
            (canonicalize_name(requirement.name), wanted)
            for requirement in requirements
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra})
            for wanted in ("", *requirement.extras)
        }
        waiting += found - needed
        needed |= found
    names = {name for name, _extra in needed} - {_PROJECT, "cvc5", "z3-solver"}
    return [_package(name) for name in sorted(names)]
