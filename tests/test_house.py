"""Rules of the house that no tool checks: names of classes and loop variables, frozen values."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from symtable import SymbolTable, symtable

REPOSITORY = Path(__file__).parents[1]
PACKAGE = REPOSITORY / "sonnx_formal"


def texts(*folders: Path) -> Iterator[tuple[str, str]]:
    """The name of each module in these, with its text."""
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        yield str(path.relative_to(REPOSITORY)), path.read_text(encoding="utf-8")


@cache
def classes() -> list[tuple[str, ast.ClassDef]]:
    """Those of the package, each with the name of its module."""
    every = ((path, node) for path, text in texts(PACKAGE) for node in ast.walk(ast.parse(text)))
    return [(path, node) for path, node in every if isinstance(node, ast.ClassDef)]


def scopes(table: SymbolTable) -> Iterator[SymbolTable]:
    yield table
    for inner in table.get_children():
        yield from scopes(inner)


def test_a_class_has_its_name_for_itself() -> None:
    places = defaultdict(list)
    for path, node in classes():
        places[node.name].append(f"{path}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_a_variable_says_what_it_is() -> None:
    """None is called `one`, neither here nor in tests; the method of a format is."""
    found = [
        f"{path}:{scope.get_lineno()}"
        for path, text in texts(PACKAGE, REPOSITORY / "tests")
        for scope in scopes(symtable(text, path, "exec"))
        if "one" in scope.get_identifiers() and not scope.lookup("one").is_namespace()
    ]
    assert found == []


def test_values_never_change() -> None:
    """Structs and dataclasses are frozen, but for those that count, or that follow a run."""
    every = [node for _, node in classes()]
    structs = {"Struct"}
    while more := {each.name for each in every if structs & _bases(each)} - structs:
        structs |= more
    of_values = [each for each in every if each.name in structs or _dataclass(each)]
    changing = {each.name for each in of_values if "frozen=True" not in _head(each)}
    assert changing == {"_Budget", "GoalRun", "_Group", "Schedule", "_Tally"}


def _bases(class_: ast.ClassDef) -> set[str]:
    return {ast.unparse(base) for base in class_.bases}


def _dataclass(class_: ast.ClassDef) -> bool:
    return any(ast.unparse(each).startswith("dataclass") for each in class_.decorator_list)


def _head(class_: ast.ClassDef) -> str:
    """What its decorators and the arguments of its declaration say."""
    return " ".join(map(ast.unparse, (*class_.decorator_list, *class_.keywords)))
