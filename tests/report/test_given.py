"""Documents that the report takes and does not make: those of other targets, and of speed."""

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from sonnx_formal.cli.report import report_command
from sonnx_formal.core.errors import UserError
from sonnx_formal.report import collection
from sonnx_formal.report.collection import outlook
from sonnx_formal.report.documents import GIVEN_KINDS, DocumentKind, read_documents
from sonnx_formal.report.evidence import Evidence, assemble
from sonnx_formal.report.gaps import Gap
from sonnx_formal.report.tables import GapClass
from sonnx_formal.report.views import page, summary
from tests.report.conftest import Documents, Write, typed
from tests.report.test_collection import collected
from tests.report.test_renderings import HOSTILE

Change = Callable[[Documents], object]
EACH = pytest.mark.parametrize("kind", GIVEN_KINDS, ids=lambda kind: kind.name)
OTHER = "b" * 64


def gaps(evidence: Evidence) -> dict[str, Gap]:
    return {gap.id: gap for gap in evidence.gaps}


def shown(evidence: Evidence, kind: DocumentKind) -> str:
    """The section of the page about it."""
    place = "kernel-speed" if kind.name == "kernel-speed" else "kernel-targets"
    return page(evidence).partition(f'<h3 id="{place}">')[2].partition("<h")[0]


def test_what_is_there_is_shown(documents: Documents, sources: dict[str, bytes]) -> None:
    evidence = assemble(typed(documents), sources)
    assert evidence.accepted
    assert not {kind.absent for kind in GIVEN_KINDS} & gaps(evidence).keys()
    targets, speed = (shown(evidence, kind) for kind in GIVEN_KINDS)
    assert "1,200 questions to 66 functions" in targets
    for said in ("gcc -O3", "s390x-gcc 12", "qemu 7", "x86_64", "as it should be", ">720<"):
        assert said in targets
    assert "options come after <code>-std=c11</code>" in targets
    assert '<td class="mono">-O0 -fexcess-precision=fast</td>' in targets
    rows = re.findall(r'<th scope="row">(\w+)</th>.*?<td class="n">([\d.]+)</td><td>', speed)
    assert rows == [("libsonnx", "1.00"), ("others", "1.50")]
    assert "- targets of libsonnx: 2 of 2 as they should be" in summary(evidence)


@EACH
def test_what_is_not_there_is_a_limitation(
    documents: Documents, sources: dict[str, bytes], kind: DocumentKind
) -> None:
    del documents[kind.name]
    evidence = assemble(typed(documents), sources)
    gap = gaps(evidence)[kind.absent]
    assert (gap.gap_class, gap.blocking, gap.count) == (GapClass.LIMITATION, False, 1)
    assert "`make " in gap.items[0]
    assert kind.name in evidence.missing
    assert evidence.accepted
    assert f"The document <code>{kind.name}</code> was not there" in shown(evidence, kind)
    assert "counts as blocking" not in shown(evidence, kind)


def of_other_text(documents: Documents, name: str) -> None:
    documents[name]["sonnx_c_sha256"] = OTHER


def of_other_definitions(documents: Documents, name: str) -> None:
    documents[name]["made"] = documents[name]["made"] | {"library_sha256": OTHER}


def of_nobody_knows_what(documents: Documents, _name: str) -> None:
    documents["kernels"]["files"][0]["name"] = "sonnx.h"


@EACH
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (of_other_text, f"it is of another sonnx.c: {OTHER}, not {'a' * 64}"),
        (of_other_definitions, f"it is of other formal sources: {OTHER}, not "),
        (of_nobody_knows_what, "nobody says which sonnx.c is that of these sources"),
    ],
)
def test_what_is_stale_is_said_and_nothing_of_it_is_shown(
    documents: Documents,
    sources: dict[str, bytes],
    kind: DocumentKind,
    change: Callable[[Documents, str], None],
    why: str,
) -> None:
    change(documents, kind.name)
    documents["targets"]["targets"][1]["result"]["other_differing"] = 3  # which says nothing now
    documents["kernel-speed"]["works"][0]["speeds"][1]["implementation"] = "another one"
    evidence = assemble(typed(documents), sources)
    assert any(why in item for item in gaps(evidence)[kind.absent].items)
    assert kind.name not in evidence.holding
    section = shown(evidence, kind)
    assert why in section
    assert '<span class="tag warn">stale</span>' in section
    assert "s390x" not in section
    assert "another one" not in section
    assert ("targets-differ" in gaps(evidence)) == ("targets" in evidence.holding)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"other_differing": 3}, "s390x -O0: 3 results differ, sonnx_platform_check() is 0"),
        ({"native_differing": 3}, "s390x -O0: 3 results differ, sonnx_platform_check() is 0"),
        ({"platform": 4}, "s390x -O0: 0 results differ, sonnx_platform_check() is 4"),
        ({"failure": "no end within 900 s"}, "s390x -O0: no end within 900 s"),
        ({"failure": "error: no", "compiled": False}, "s390x -O0: error: no"),
        ({"contracts": True, "native_differing": 1, "platform": 0}, "s390x -O0: 1 result differs,"),
        ({"contracts": True, "other_differing": 1, "platform": 1}, "s390x -O0: 1 result differs,"),
    ],
)
def test_a_target_that_is_not_as_it_should_be_is_blocking(
    documents: Documents, sources: dict[str, bytes], result: dict[str, object], said: str
) -> None:
    documents["targets"]["targets"][1]["result"].update(result)
    evidence = assemble(typed(documents), sources)
    gap = gaps(evidence)["targets-differ"]
    assert gap.blocking
    assert gap.items[0].startswith(said)
    assert len(gap.items) == 1
    assert not evidence.accepted
    assert '<span class="tag bad">' in shown(evidence, GIVEN_KINDS[0])
    assert "- targets of libsonnx: 1 of 2 as they should be" in summary(evidence)


def test_contraction_that_is_found_is_as_it_should_be(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    found = {"contracts": True, "native_differing": 151, "platform": 1}
    documents["targets"]["targets"][1]["result"].update(found)
    evidence = assemble(typed(documents), sources)
    assert evidence.accepted
    assert "contraction is found" in shown(evidence, GIVEN_KINDS[0])


def test_targets_that_were_left_out_are_named(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    documents["targets"]["left_out"] = ["riscv64 -O3"]
    gap = gaps(assemble(typed(documents), sources))["targets-not-run"]
    assert (gap.items, gap.blocking) == (("riscv64 -O3: it was left out",), False)


def test_names_of_others_are_no_markup(documents: Documents, sources: dict[str, bytes]) -> None:
    documents["targets"]["targets"][0].update(name=HOSTILE, compiler=HOSTILE, emulator=HOSTILE)
    documents["targets"]["targets"][0]["result"]["failure"] = HOSTILE
    documents["kernel-speed"]["works"][0]["speeds"][1]["implementation"] = HOSTILE
    documents["kernel-speed"]["works"][0]["title"] = HOSTILE
    text = page(assemble(typed(documents), sources))
    assert "<script" not in text
    assert text.count("&lt;script") > 5


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        ("targets", lambda d: d.update(schema="sonnx-formal/check/3"), "its schema is"),
        ("targets", lambda d: d.update(targets=[]), "length >= 1"),
        ("targets", lambda d: d.update(questions=0), ">= 1"),
        ("targets", lambda d: d["targets"][1].update(name="gcc -O3"), "gcc -O3 is there twice"),
        ("targets", lambda d: d.update(left_out=["gcc -O3"]), "gcc -O3 is there twice"),
        ("targets", lambda d: d["targets"][1].update(name=" "), "matching regex"),
        (
            "targets",
            lambda d: d["targets"][1]["result"].update(native_differing=1201),
            "s390x -O0: more results differ than were asked for",
        ),
        (
            "targets",
            lambda d: d["targets"][1]["result"].update(compiled=False),
            "what does not compile has a failure",
        ),
        ("targets", lambda d: d["targets"][1]["result"].update(passes=True), "unknown field"),
        ("targets", lambda d: d.update(sonnx_c_sha256="no"), "matching regex"),
        ("kernel-speed", lambda d: d.update(works=[]), "length >= 1"),
        ("kernel-speed", lambda d: d["works"][0]["speeds"][0].update(rate=0), ">= 1"),
        ("kernel-speed", lambda d: d.pop("processor"), "missing required field"),
    ],
)
def test_a_document_that_is_none(
    documents: Documents, written: Write, name: str, change: Change, why: str
) -> None:
    broken = copy.deepcopy(documents)
    change(broken[name])
    with pytest.raises(UserError, match=f"{name}.json.*{re.escape(why)}.*write it anew.*`make "):
        read_documents(written(broken))


@EACH
def test_a_broken_document_is_bad_input(
    documents: Documents, written: Write, tmp_path: Path, kind: DocumentKind
) -> None:
    folder = written(documents)
    (folder / kind.path()).write_text("{")
    done = CliRunner().invoke(report_command, ["--from", str(folder), "-o", str(tmp_path / "r")])
    assert isinstance(done.exception, UserError)
    assert f"{kind.name}.json is not JSON" in str(done.exception)


def test_given_documents_stay_and_are_looked_at_before_the_work(
    documents: Documents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "KINDS", GIVEN_KINDS)
    path, text = tmp_path / "targets.json", json.dumps(documents["targets"])
    path.write_text(text)
    collected(tmp_path, "")
    assert path.read_text() == text
    lines = [*outlook(tmp_path, "", ())]
    assert f"  targets      nothing  taken over from {path}" in lines
    absent = f"make bench 'ARGS=kernels --json {tmp_path}/kernel-speed.json'"
    assert any(line.endswith(f"not there, and left out: {absent}") for line in lines)
    path.write_text("{}")
    with pytest.raises(UserError, match='`make machines ARGS="--json PATH"`'):
        collected(tmp_path, "")
