"""What the sources name: ids of requirements, and tests."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.requirements.notation import ids_in

_SUFFIXES = {".mlw", ".py", ".ml", ".toml"}


def ids_used(root: Path) -> Mapping[str, tuple[str, ...]]:
    """The ids of requirements in the formal library and in the package, and the files with each.

    :param root: the folder with `why3/` and `sonnx_formal/`.
    :raises UserError: when a file cannot be read.
    """
    found: dict[str, list[str]] = {}
    for folder in ("why3", "sonnx_formal"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in _SUFFIXES:
                for identifier in ids_in(_text(path)):
                    found.setdefault(identifier, []).append(path.relative_to(root).as_posix())
    return {identifier: tuple(files) for identifier, files in found.items()}


def names_of_tests(root: Path) -> frozenset[str]:
    """The tests below `tests/`: `tests/file.py::test_name`. Raises `UserError`."""
    return frozenset(
        f"{path.relative_to(root).as_posix()}::{name}"
        for path in sorted((root / "tests").rglob("test_*.py"))
        for name in _functions(path)
    )


def _functions(path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(_text(path))
    except SyntaxError as error:
        raise UserError(f"{path}:{error.lineno}: {error.msg}") from None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}") from None
