"""Which goals of the formal library have to serve a requirement."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from sonnx_formal.spec.requirements.files import read, text_of
from sonnx_formal.spec.requirements.notation import all_expanded

NAME = "operator_goals.toml"


@dataclass(frozen=True)
class Scaffolding:
    """Goals in the folders of the operators that need not serve a requirement."""

    files: tuple[str, ...]
    """Patterns: `ops/*_witnesses.mlw`."""
    goals: tuple[str, ...]
    """Symbols: `file.mlw:Module.goal`."""
    reason: str

    def covers(self, symbol: str) -> bool:
        """Whether a goal is among these."""
        file = symbol.partition(":")[0]
        return symbol in self.goals or any(fnmatchcase(file, one) for one in self.files)


@dataclass(frozen=True)
class OperatorGoals:
    """The rule: every goal in these folders that is no scaffolding is operator-level."""

    folders: tuple[str, ...]
    scaffolding: tuple[Scaffolding, ...]

    def includes(self, symbol: str) -> bool:
        """Whether a goal is operator-level."""
        return self.is_of_operators(symbol) and not any(
            one.covers(symbol) for one in self.scaffolding
        )

    def is_of_operators(self, name: str) -> bool:
        """Whether a file, or a goal by its symbol, is in one of the folders."""
        return any(name.startswith(f"{folder}/") for folder in self.folders)


@cache
def operator_goals() -> OperatorGoals:
    """The rule that the registry states."""
    return parse(NAME, text_of(NAME))


def parse(name: str, text: str) -> OperatorGoals:
    """The rule in a file. Raises `ValueError`, which names the file and the entry."""
    table = read(name, text, "operator_goals.schema.json")
    return OperatorGoals(
        folders=tuple(table["folders"]),
        scaffolding=tuple(
            Scaffolding(
                files=tuple(one.get("files", ())),
                goals=all_expanded(one.get("goals", ())),
                reason=one["reason"],
            )
            for one in table["scaffolding"]
        ),
    )
