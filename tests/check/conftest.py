"""What the tests of the cross-check share: the oracle, its cases, and a run of the check."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from sonnx_formal.check.crosscheck import CheckRequest, crosscheck
from sonnx_formal.check.document import CheckReport
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.spec.element_types import element_types
from sonnx_formal.spec.operator import Instance
from sonnx_formal.vectors.generate import generate
from sonnx_formal.vectors.manifest import Case

FAKES = Path(__file__).parents[1] / "backends"
REPOSITORY = Path(__file__).parents[2]
Check = Callable[..., CheckReport]


def over(name: str, *types: str) -> Instance:
    """The operator of this name over these types."""
    return Instance(operator(name), element_types(*types))


def failed(report: CheckReport) -> list[str]:
    """The implementations that had to pass and did not."""
    return [backend.name for backend in report.backends if backend.failed]


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    with Oracle(timeout=60) as running:
        running.build()
        yield running


@pytest.fixture(scope="session")
def check(oracle: Oracle) -> Check:
    """Check implementations on generated cases, those of each instance generated once."""

    @cache
    def generated(instance: Instance) -> list[Case]:
        return list(generate(instance, 0, oracle))

    def run(  # noqa: PLR0913 (what a test may ask for)
        backends: str,
        *instances: Instance,
        required: Sequence[str] = (),
        path: Path = FAKES,
        seconds: float = 30,
        cases: list[Case] | None = None,
        oracle: Oracle = oracle,
    ) -> CheckReport:
        request = CheckRequest(
            backends.split(","),
            instances,
            required=frozenset(required),
            seconds=seconds,
            environment=os.environ | {"PYTHONPATH": f"{path}:{REPOSITORY}"},
        )

        def chosen(_: Oracle, instance: Instance) -> list[Case]:
            return generated(instance) if cases is None else cases

        return crosscheck(request, chosen, oracle, lambda _: None)

    return run
