"""All declared operators, from `OPERATORS` in `spec.operators`, and the files that they need."""

import difflib
import importlib
import pkgutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec import operators as declarations
from sonnx_formal.spec.operator import Instance, Operator, System
from sonnx_formal.spec.requirements.registry import FOLDER, registry

_PACKAGE = Path("sonnx_formal")


@cache
def operators() -> tuple[Operator, ...]:
    """The operators: those of SONNX, then those of other systems, by their names."""
    found: list[Operator] = []
    for module in pkgutil.iter_modules(declarations.__path__):
        found += importlib.import_module(f"{declarations.__name__}.{module.name}").OPERATORS
    names = [operator.name for operator in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is declared twice in {declarations.__name__}")
    return tuple(sorted(found, key=lambda each: ([*System].index(each.system), each.name)))


def operator(name: str) -> Operator:
    """The operator of this name. Raises `UserError` where there is none."""
    known = {each.name: each for each in operators()}
    if name not in known:
        begins = [each for each in known if name.lower().startswith(each)]  # subtract, multiply
        near = begins or difflib.get_close_matches(name.lower(), known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"it is one of {', '.join(known)}"
        raise UserError(f"there is no operator {name!r}: {hint}")
    return known[name]


@cache
def instances() -> tuple[Instance, ...]:
    return tuple(instance for each in operators() for instance in each.instances())


def selected(operators: Collection[str], types: Collection[str]) -> list[Instance]:
    """The instances of these operators over these types, or of all. Raises `UserError` for none."""
    found = [
        instance
        for instance in instances()
        if not operators or instance.operator.name in operators
        if not types or any(type_.name in types for type_ in instance.types)
    ]
    if not found:
        asked = f"{' or '.join(operators)} over {' or '.join(types)}"
        raise UserError(f"no document has {asked}: leave --op or --type out")
    return found


@dataclass(frozen=True)
class MissingFile:
    """A file that an operator needs and that is not there."""

    operator: str
    path: Path
    """From the root of the repository."""
    purpose: str

    def __str__(self) -> str:
        return f"{self.path} is missing: {self.purpose}"


def missing_files(root: Path) -> Iterator[MissingFile]:
    """What is missing in the repository at `root`: also a declaration of what is defined."""
    for operator in operators():
        yield from missing_statements(root / "why3", operator)
        reference = _PACKAGE / "reference" / f"{operator.reference.function}.py"
        if not (root / reference).is_file():
            purpose = f"the function that is tested against the definition of {operator}"
            yield MissingFile(operator.name, reference, purpose)
    declared = {"why3" / theory_file(operator.definition.signature) for operator in operators()}
    for path in sorted((root / "why3/ops").glob("*/definition.mlw")):
        if (file := path.relative_to(root)) not in declared:
            name = path.parent.name
            purpose = f"no declaration says what {file} defines"
            yield MissingFile(name, _PACKAGE / f"spec/operators/{name}.py", purpose)


def missing_statements(library: Path, operator: Operator) -> Iterator[MissingFile]:
    definition = operator.definition
    modules = [definition.signature, *definition.modules.values()]
    for file in dict.fromkeys(map(theory_file, modules)):
        if not (library / file).is_file():
            purpose = f"the declaration of {operator} says that its definition is there"
            yield MissingFile(operator.name, "why3" / file, purpose)
    for document in dict.fromkeys(operator.documents.values()):
        if document not in registry().documents:
            path = Path(FOLDER) / f"sonnx-{operator.name}.toml"
            yield MissingFile(operator.name, path, f"no file has the requirements of {document}")


def theory_file(module: str) -> Path:
    """The file of a module: `ops/mul/definition.mlw` of `ops.mul.definition.MulInt8`."""
    return Path(*module.split(".")[:-1]).with_suffix(".mlw")
