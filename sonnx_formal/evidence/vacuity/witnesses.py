"""The preconditions of the library, and the goals that show that some operands satisfy each.

A witness is a declaration of a file of witnesses or examples that names what has the precondition:
it applies it to concrete operands, or states its hypotheses of them. That it holds is a goal.
"""

from collections.abc import Iterator, Mapping, Sequence

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.whyml.library import Library, is_evidence
from sonnx_formal.prover.whyml.modules import Declaration, Module


class WitnessedSymbol(Part, frozen=True):
    """Something with preconditions, or without a body, and its witnesses."""

    name: str
    """`<file>:<module>.<name>`."""
    preconditions: Count
    """Its clauses; of a symbol without a body, all of its contract."""
    witnesses: tuple[str, ...]
    """`<file>:<module>.<name>`, in the order of the library."""


def preconditions(library: Library) -> list[WitnessedSymbol]:
    """Each definition, program or lemma with a precondition, with its witnesses."""
    found = []
    for file, modules in library.modules.items():
        if is_evidence(file):
            continue
        for module in modules:
            counts = {d: count for d in module.declarations if (count := _requires(d))}
            users = library.users(file, module.name) if counts else {}
            for definition, count in counts.items():
                witnesses = tuple(_naming(users, definition.name))
                name = f"{file}:{module.name}.{definition.name}"
                found.append(WitnessedSymbol(name, count, witnesses))
    return found


def parameters(library: Library, given: Mapping[str, Sequence[str]]) -> list[WitnessedSymbol]:
    """Each symbol without a body, with the boundary witnesses that are given for it.

    :param given: the witnesses by the name of the symbol.
    :raises UserError: for a symbol or a witness that does not exist.
    """
    everything = {
        f"{file}:{module.name}.{declaration.name}": declaration
        for file, modules in library.modules.items()
        for module in modules
        for declaration in module.declarations
    }
    symbols = {name: d for name, d in everything.items() if "val" in d.head}
    unknown = [name for name in given if name not in symbols]
    unknown += [w for witnesses in given.values() for w in witnesses if w not in everything]
    if unknown:
        raise UserError(f"evidence/vacuity.toml: {unknown[0]} is not in the library: correct it")
    return [
        WitnessedSymbol(
            name,
            sum(clause.keyword in {"requires", "ensures"} for clause in declaration.clauses),
            tuple(given.get(name, ())),
        )
        for name, declaration in symbols.items()
    ]


def _requires(declaration: Declaration) -> int:
    """The number of preconditions; of a symbol without a body, they are its clones' to prove."""
    if "let" not in declaration.head:
        return 0
    return sum(clause.keyword == "requires" for clause in declaration.clauses)


def _naming(users: Mapping[tuple[str, str], Module], name: str) -> Iterator[str]:
    """The declarations of witnesses and examples, among the users of its module, that name it."""
    for (file, _module), module in users.items():
        if is_evidence(file):
            for declaration in module.declarations:
                if name in declaration.words:
                    yield f"{file}:{module.name}.{declaration.name}"
