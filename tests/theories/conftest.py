"""One evaluator of the formal definitions for the whole test run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.theories.evaluator import Evaluator, build


@pytest.fixture(scope="session")
def evaluate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evaluator]:
    with Evaluator(build(tmp_path_factory.mktemp("extracted"))) as running:
        yield running
