"""What the tests of the cross-check share: the oracle, its cases, and a run of the check."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from sonnx_formal.check.crosscheck import Combination, Report, Request, crosscheck
from sonnx_formal.oracle import Oracle
from sonnx_formal.vectors.case import Case, Operator
from sonnx_formal.vectors.generate import generate

FAKES = Path(__file__).parents[1] / "backends"
Check = Callable[..., Report]


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    with Oracle(timeout=60) as running:
        running.build()
        yield running


@pytest.fixture(scope="session")
def check(oracle: Oracle) -> Check:
    """Check implementations on generated cases, each combination generated once."""

    @cache
    def generated(operator: Operator, element_type: str) -> list[Case]:
        return list(generate(operator, element_type, 0, oracle))

    def run(
        backends: str,
        *combinations: Combination,
        required: Sequence[str] = (),
        path: Path = FAKES,
        seconds: float = 30,
        cases: list[Case] | None = None,
    ) -> Report:
        request = Request(
            backends.split(","),
            combinations,
            required=frozenset(required),
            seconds=seconds,
            environment=os.environ | {"PYTHONPATH": str(path)},
        )

        def chosen(_: Oracle, operator: Operator, element_type: str) -> list[Case]:
            return generated(operator, element_type) if cases is None else cases

        return crosscheck(request, chosen, oracle, lambda _: None)

    return run
