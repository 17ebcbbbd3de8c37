"""Which modules can notice that a definition is another one."""

from sonnx_formal.whyml.library import Library
from sonnx_formal.whyml.modules import Declaration, Module

_Place = tuple[str, str]


def modules_that_see(
    library: Library, file: str, module: str, definition: str
) -> list[tuple[str, str]]:
    """The other modules that use the module and name the definition, or what is defined by it.

    Files and modules, in the order in which a wrong definition is likely to be noticed.
    """
    everything = {
        (name, one.name): one for name in library.dependents(file) for one in library.modules[name]
    }
    users = _users(everything, (file, module))
    names = _names(list(users.values()), definition)
    return [place for place, one in users.items() if place != (file, module) and one.words & names]


def _users(everything: dict[_Place, Module], start: _Place) -> dict[_Place, Module]:
    """The module and those that use or clone it, through others, too."""
    users = {start}
    grown = True
    while grown:
        more = {
            place
            for place, module in everything.items()
            if place not in users and users & {_place(place[0], used) for used in module.uses}
        }
        grown = bool(more)
        users |= more
    return {place: module for place, module in everything.items() if place in users}


def _place(file: str, used: str) -> _Place:
    """`a.b.C` is module C of a/b.mlw; C is a module of the same file."""
    *folders, module = used.split(".")
    return ("/".join(folders) + ".mlw" if folders else file), module


def _names(users: list[Module], definition: str) -> set[str]:
    """The definition, and what is defined by it in these modules, through others, too."""
    defining = [d for module in users for d in module.declarations if _gives_meaning(d)]
    names = {definition}
    grown = True
    while grown:
        more = {d.name for d in defining if d.name not in names and d.words & names}
        grown = bool(more)
        names |= more
    return names


def _gives_meaning(declaration: Declaration) -> bool:
    """Whether others can rest on it: a definition, or a program with a contract."""
    return declaration.is_definition or (
        "let" in declaration.head and "lemma" not in declaration.head
    )
