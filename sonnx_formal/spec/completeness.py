"""Whether each declared operator has all its files, and each folder of definitions an operator."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.operator import Operator
from sonnx_formal.spec.requirements.registry import documents

_PACKAGE = Path("sonnx_formal")


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
    """What is missing of an operator's definition and of its requirements."""
    definition = operator.definition
    modules = [definition.signature, *definition.modules.values()]
    for file in dict.fromkeys(map(theory_file, modules)):
        if not (library / file).is_file():
            purpose = f"the declaration of {operator} says that its definition is there"
            yield MissingFile(operator.name, "why3" / file, purpose)
    for document in dict.fromkeys(operator.documents.values()):
        if document not in documents():
            path = _PACKAGE / "spec/requirements" / f"sonnx-{operator.name}.toml"
            yield MissingFile(operator.name, path, f"no file has the requirements of {document}")


def theory_file(module: str) -> Path:
    """The file of a module: `ops/mul/definition.mlw` of `ops.mul.definition.MulInt8`."""
    return Path(*module.split(".")[:-1]).with_suffix(".mlw")
