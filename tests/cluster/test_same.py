"""What a cluster finds out is what one machine finds out, and each document says who did."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from rich.console import Console

from sonnx_formal.cli.main import cli
from sonnx_formal.core.documents import Document, encode
from sonnx_formal.core.terminal import Progress
from sonnx_formal.evidence import certify, hypotheses, stability, vacuity
from sonnx_formal.evidence.inquiry import Effort, select
from sonnx_formal.evidence.mutation import mutate
from sonnx_formal.prover.certificate import certificate_path
from sonnx_formal.prover.document import document
from sonnx_formal.prover.provers import find_provers
from sonnx_formal.prover.site import Site
from tests.cluster.conftest import Machines
from tests.prover.fakes import Workshop, real_z3

FILES = {
    "ops/m.mlw": """\
module M
  use int.Int
  let function double (x: int) : int
    requires { [@expl:positive] x > 0 }
    requires { [@expl:small] x < 10 }
    ensures { result >= 2 }
  = x + x
  goal four: double 2 = 4
end
module Contradictory
  use int.Int
  axiom wrong: 1 = 2
  goal anything: 3 = 4
end
""",
    "ops/m_examples.mlw": """\
module E
  use int.Int
  use ops.m.M
  goal three: double 3 = 6
end
""",
}


def evidence(library: Path, effort: Effort, progress: Progress) -> dict[str, Document]:
    """What all slow commands write with `--json`, by command."""
    chosen = select(library, (), effort.jobs, progress)
    return {
        "certify": certify.certify(chosen, certify.certify_question(5), effort, progress),
        "hypotheses": hypotheses.find_use(chosen, hypotheses.cores_question(5), effort, progress),
        "mutate": mutate.mutate(library, (), effort, progress),
        "stability": stability.find_stability(library, (), effort, progress),
        "vacuity": vacuity.find_vacuity(library, (), effort, progress),
    }


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def found(library: Path, cluster: Site | None) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The documents, and the files of the library: certificate and records among them."""
    with Progress(Console(quiet=True)) as progress:
        documents = evidence(library, Effort(2, None, fresh=False, cluster=cluster), progress)
    return {name: to_builtins(each) for name, each in documents.items()}, contents(library)


def test_a_command_of_evidence_asks_the_cluster(
    machines: Machines,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    workshop.write("m.mlw", "module M goal g: 1 = 1 end")
    monkeypatch.setattr("sonnx_formal.cli.evidence.find_library", lambda: workshop.library)
    arguments = ["certify", "--scheduler", machines.address]
    assert cli.main(arguments, standalone_mode=False) == 0
    said = capsys.readouterr().out
    assert re.search(r"^worker tcp://\S+: 1 jobs$", said, re.MULTILINE)
    assert "1 of 1 goals have a proof" in said


@pytest.mark.long
def test_all_commands_find_out_the_same(workshop: Workshop, site: Site, cache: Path) -> None:
    for name, text in FILES.items():
        workshop.write(name, text)
    copy = Workshop(workshop.root / "copy")
    shutil.copytree(workshop.library, copy.library)
    here, there = certificate_path(workshop.library), certificate_path(copy.library)
    assert workshop.prove([real_z3()]).proved
    shutil.rmtree(cache)
    outcome = copy.prove([real_z3()], cluster=site)
    assert here.read_bytes() == there.read_bytes()
    workers = {str(verdict.worker) for run in outcome.report.runs for verdict in run.verdicts}
    written = encode(document(outcome.report))
    made = outcome.report.made
    assert workers
    assert made.elsewhere
    assert {*made.elsewhere} == workers
    assert made.by_others in str(made)
    assert all(name.startswith("tcp://") and name.encode() in written for name in workers)

    # With a second proof of each goal. Which goals have one before they are split, times decide.
    provers = [prover for prover in find_provers() if prover.name != "cvc4"]
    workshop.prove(provers, families=2)
    shutil.copy(here, there)
    shutil.rmtree(cache)
    copy.prove(provers, families=2, cluster=site)
    assert here.read_bytes() == there.read_bytes()

    on_one_machine = found(workshop.library, None)
    on_the_cluster = found(copy.library, site)
    for name, document_ in on_one_machine[0].items():
        alone, made = document_["made"], on_the_cluster[0][name]["made"]
        for each in (alone, made):  # when, and in which time
            del each["began"], each["took"]
        assert {*made.pop("elsewhere")} <= workers
    assert on_one_machine == on_the_cluster
    names = {"evidence/mutants.jsonl", "evidence/goals/ops/m.jsonl"}
    assert names <= on_the_cluster[1].keys(), on_the_cluster[1].keys()
    assert b'"failed"' in there.read_bytes()
