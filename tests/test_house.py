"""Rules of the house that no tool checks: names of classes and loop variables, frozen values."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
PACKAGE = REPOSITORY / "sonnx_formal"


def nodes(*folders: Path) -> Iterator[tuple[str, ast.AST]]:
    """Each node of each module in these, or in the package, with the module's name."""
    for path in sorted(path for folder in folders or (PACKAGE,) for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield str(path.relative_to(REPOSITORY)), node


def test_a_class_has_its_name_for_itself() -> None:
    places = defaultdict(list)
    for path, node in nodes():
        if isinstance(node, ast.ClassDef):
            places[node.name].append(f"{path}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_a_variable_says_what_it_is() -> None:
    """None is called `one`, neither here nor in tests."""
    found = [
        f"{path}:{node.lineno}"
        for path, node in nodes(PACKAGE, REPOSITORY / "tests")
        if (isinstance(node, ast.Name) and node.id == "one")
        or (isinstance(node, ast.arg) and node.arg == "one")
    ]
    assert found == []


def test_values_never_change() -> None:
    """Structs and dataclasses are frozen, but for those that count, or that follow a run."""
    classes = [node for _, node in nodes() if isinstance(node, ast.ClassDef)]
    structs = {"Struct"}
    while more := {each.name for each in classes if structs & _bases(each)} - structs:
        structs |= more
    of_values = [each for each in classes if each.name in structs or _dataclass(each)]
    changing = {each.name for each in of_values if "frozen=True" not in _head(each)}
    assert changing == {"_Budget", "GoalRun", "_Group", "Schedule", "_Tally"}


def _bases(class_: ast.ClassDef) -> set[str]:
    return {ast.unparse(base) for base in class_.bases}


def _dataclass(class_: ast.ClassDef) -> bool:
    return any(ast.unparse(each).startswith("dataclass") for each in class_.decorator_list)


def _head(class_: ast.ClassDef) -> str:
    """What its decorators and the arguments of its declaration say."""
    return " ".join(map(ast.unparse, (*class_.decorator_list, *class_.keywords)))
