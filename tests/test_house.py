"""Rules of the house that no tool checks: names of classes and loop variables, frozen values."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import msgspec

import sonnx_formal

REPOSITORY = Path(__file__).parents[1]
PACKAGE = REPOSITORY / "sonnx_formal"


def nodes() -> Iterator[tuple[str, ast.AST]]:
    """Each node of each module, with the module's name."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield str(path.relative_to(REPOSITORY)), node


def test_a_class_has_its_name_for_itself() -> None:
    places = defaultdict(list)
    for path, node in nodes():
        if isinstance(node, ast.ClassDef):
            places[node.name].append(f"{path}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_a_loop_says_what_it_goes_over() -> None:
    """No loop variable `one`."""
    found = [
        f"{path}:{node.target.lineno}"
        for path, node in nodes()
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension)
        if any(isinstance(name, ast.Name) and name.id == "one" for name in ast.walk(node.target))
    ]
    assert found == []


def test_values_never_change() -> None:
    """Structs and dataclasses are frozen, but for those that count, or that follow a run."""
    classes = {
        each
        for module in walk_packages(sonnx_formal.__path__, "sonnx_formal.")
        if not module.name.endswith("__main__")
        for each in vars(import_module(module.name)).values()
        if isinstance(each, type) and each.__module__.startswith("sonnx_formal.")
    }
    changing = {each.__name__ for each in classes if _changes(each)}
    assert changing == {"_Budget", "GoalRun", "_Group", "Schedule", "_Tally"}


def _changes(class_: type) -> bool:
    if issubclass(class_, msgspec.Struct):
        return not class_.__struct_config__.frozen
    parameters = getattr(class_, "__dataclass_params__", None)
    return parameters is not None and not parameters.frozen
