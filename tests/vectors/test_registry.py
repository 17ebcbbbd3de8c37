"""The registry of requirements, held against all vectors that there are."""

from pathlib import Path

import pytest

from sonnx_formal.prover.provenance import BegunRun
from sonnx_formal.prover.sources import find_library
from sonnx_formal.report.trace.document import TraceRule
from sonnx_formal.report.trace.inputs import TraceEvidence
from sonnx_formal.report.trace.trace import trace
from sonnx_formal.spec.requirements.registry import registry
from sonnx_formal.vectors.manifest import read_manifest

OF_VECTORS = {TraceRule.MISSING_VECTOR, TraceRule.UNEXPECTED_VECTOR, TraceRule.NO_VECTOR}


@pytest.mark.long
def test_each_requirement_has_the_vectors_that_it_names(made: Path) -> None:
    evidence = TraceEvidence(BegunRun.of(find_library()), goals=(), vectors=read_manifest(made))
    faults = [each for each in trace(registry(), evidence).errors if each.rule in OF_VECTORS]
    assert faults == []
