"""Every executable definition of the formal library is evaluated by some test."""

from __future__ import annotations

from tests.theories.evaluator import Evaluator, definitions_in_sources


def test_every_definition_can_be_evaluated(evaluate: Evaluator) -> None:
    evaluated = {name.rsplit(".", 1)[1] for name in evaluate.names()}
    assert definitions_in_sources() - evaluated == set()
