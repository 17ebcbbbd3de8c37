"""Which goals of the formal library have to serve a requirement."""

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from sonnx_formal.spec.requirements.entries import RegistryFile, files
from sonnx_formal.spec.requirements.notation import all_expanded


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
        return symbol in self.goals or any(fnmatchcase(file, pattern) for pattern in self.files)


@dataclass(frozen=True)
class OperatorGoals:
    """The rule: every goal in these folders that is no scaffolding is operator-level."""

    folders: tuple[str, ...]
    scaffolding: tuple[Scaffolding, ...]

    def includes(self, symbol: str) -> bool:
        """Whether a goal is operator-level."""
        return self.is_of_operators(symbol) and not any(
            each.covers(symbol) for each in self.scaffolding
        )

    def is_of_operators(self, name: str) -> bool:
        """Whether a file, or a goal by its symbol, is in one of the folders."""
        return any(name.startswith(f"{folder}/") for folder in self.folders)


@cache
def operator_goals() -> OperatorGoals:
    """The rule that the registry states."""
    return rule_in(file for _, file in files())


def rule_in(registry: Iterable[RegistryFile]) -> OperatorGoals:
    """The rule that files state together."""
    everything = tuple(registry)
    return OperatorGoals(
        folders=tuple(folder for file in everything for folder in file.folders),
        scaffolding=tuple(
            Scaffolding(entry.files, all_expanded(entry.goals), entry.reason)
            for file in everything
            for entry in file.scaffolding
        ),
    )
