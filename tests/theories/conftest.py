"""One evaluator of the formal definitions for the whole test run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.theories.evaluator import Evaluator, find_program


@pytest.fixture(scope="session")
def evaluate() -> Iterator[Evaluator]:
    with Evaluator(find_program()) as running:
        yield running
