"""The preconditions of the library, and the goals that show that some operands satisfy each.

A witness is a declaration of a file of witnesses or examples that names what has the precondition:
it applies it to concrete operands, or states its hypotheses of them. That it holds is a goal.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sonnx_formal.why3.errors import UserError
from sonnx_formal.whyml.library import Library, is_evidence
from sonnx_formal.whyml.modules import Declaration


@dataclass(frozen=True)
class Witnessed:
    """Something with preconditions, or without a body, and its witnesses."""

    name: str
    """`<file>:<module>.<name>`."""
    preconditions: int
    witnesses: tuple[str, ...]
    """`<file>:<module>.<name>`, in the order of the library."""


def preconditions(library: Library) -> list[Witnessed]:
    """Each definition, program or lemma with a precondition, with its witnesses."""
    evidence = _declarations(library, evidence=True)
    return [
        Witnessed(
            name,
            count,
            tuple(one for one, other in evidence.items() if declaration.name in other.words),
        )
        for name, declaration in _declarations(library, evidence=False).items()
        if "let" in declaration.head
        and (count := sum(clause.keyword == "requires" for clause in declaration.clauses))
    ]


def parameters(library: Library, given: Mapping[str, Sequence[str]]) -> list[Witnessed]:
    """Each symbol without a body, with the boundary witnesses that are given for it.

    :param given: the witnesses by the name of the symbol.
    :raises UserError: for a symbol or a witness that does not exist.
    """
    symbols = {
        name: declaration
        for name, declaration in _declarations(library, evidence=None).items()
        if "val" in declaration.head
    }
    evidence = _declarations(library, evidence=None)
    for name, witnesses in given.items():
        for unknown in [name] * (name not in symbols) + [w for w in witnesses if w not in evidence]:
            raise UserError(f"evidence/vacuity.toml: {unknown} is not in the library: correct it")
    return [
        Witnessed(
            name,
            sum(clause.keyword in {"requires", "ensures"} for clause in declaration.clauses),
            tuple(given.get(name, ())),
        )
        for name, declaration in symbols.items()
    ]


def read_boundaries(path: Path) -> dict[str, list[str]]:
    """The tables `[[boundary]]` of a file: `symbols`, and their `witnesses`.

    Raises `UserError`.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("boundary", [])
        return {
            str(symbol): [str(one) for one in table["witnesses"]]
            for table in tables
            for symbol in table["symbols"]
        }
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: [[boundary]]: {error}") from None


def _declarations(library: Library, *, evidence: bool | None) -> dict[str, Declaration]:
    """The declarations of the files of witnesses and examples, of the others, or of all."""
    return {
        f"{file}:{module.name}.{declaration.name}": declaration
        for file, modules in library.modules.items()
        if evidence is None or is_evidence(file) is evidence
        for module in modules
        for declaration in module.declarations
    }
