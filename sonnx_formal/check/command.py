"""The command `check`: from what a user asks for to a report."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from sonnx_formal.backends import NAMES
from sonnx_formal.backends.catalogue import COMMAND_PREFIX, check_name
from sonnx_formal.check.crosscheck import Cases, Combination, Report, Request, crosscheck
from sonnx_formal.check.progress import Progress
from sonnx_formal.check.summary import as_json, exit_status, print_summary
from sonnx_formal.oracle import Oracle
from sonnx_formal.vectors.case import Case, Operator
from sonnx_formal.vectors.combinations import COMBINATIONS
from sonnx_formal.vectors.generate import generate
from sonnx_formal.vectors.storage import load
from sonnx_formal.why3.errors import UserError

__all__ = ["Asked", "as_json", "exit_status", "print_summary", "run"]


@dataclass(frozen=True)
class Asked:
    """What a user asks for; empty means all."""

    backends: tuple[str, ...]
    required: tuple[str, ...]
    operators: tuple[str, ...]
    types: tuple[str, ...]
    vectors: Path | None
    seed: int
    seconds: float


def run(asked: Asked, console: Console) -> Report:
    """The cross-check.

    :raises UserError: for a mistake of the user's, or when the oracle gives no answer.
    """
    required = _names(asked.required)
    backends = dict.fromkeys([*(_names(asked.backends) or NAMES), *required])
    combinations = [
        (operator, element_type)
        for operator, element_type in COMBINATIONS
        if (not asked.operators or operator.value in asked.operators)
        and (not asked.types or element_type in asked.types)
    ]
    if not combinations:
        raise UserError(
            f"no document has {' or '.join(asked.operators)} over {' or '.join(asked.types)}"
        )
    cases = _stored(asked.vectors) if asked.vectors else _generated(asked.seed)
    request = Request(
        list(backends), combinations, required=frozenset(required), seconds=asked.seconds
    )
    with Oracle() as oracle, Progress(console) as progress:
        return crosscheck(request, cases, oracle, progress)


def _names(options: tuple[str, ...]) -> list[str]:
    names = []
    for option in options:
        # A command may have commas of its own.
        parts = [option] if option.startswith(COMMAND_PREFIX) else option.split(",")
        names += [part.strip() for part in parts]
    for name in names:
        check_name(name)
    return names


def _generated(seed: int) -> Cases:
    def cases(oracle: Oracle, operator: Operator, element_type: str) -> Iterator[Case]:
        return generate(operator, element_type, seed, oracle)

    return cases


def _stored(folder: Path) -> Cases:
    by_combination: dict[Combination, list[Case]] = {}
    for case in load(folder):
        by_combination.setdefault((case.operator, case.element_type), []).append(case)

    def cases(_oracle: Oracle, operator: Operator, element_type: str) -> list[Case]:
        return by_combination.get((operator, element_type), [])

    return cases
