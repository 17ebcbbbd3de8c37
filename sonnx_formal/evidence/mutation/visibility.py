"""Which modules can notice that a definition is another one."""

from sonnx_formal.prover.whyml.library import Library
from sonnx_formal.prover.whyml.modules import Declaration, Module


def modules_that_see(
    library: Library, file: str, module: str, definition: str
) -> list[tuple[str, str]]:
    """The other modules that use the module and name the definition, or what is defined by it.

    Files and modules, in the order in which a wrong definition is likely to be noticed.
    """
    users = library.users(file, module)
    names = _names(list(users.values()), definition)
    return [place for place, m in users.items() if place != (file, module) and m.words & names]


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
