"""How a document was made: when, and in which time; and that each one says so."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sonnx_formal.core.documents import decode, encode
from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.provenance import MadeDocument, Provenance
from tests.made import MADE


class Poem(MadeDocument, frozen=True, tag="sonnx-formal/poem/1"):
    """Nothing else than how it was made."""

    command = "poem --json PATH"


def test_a_run_says_when_it_began_and_what_it_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")  # the date of the sources is not that of a run
    before = datetime.now(UTC)
    running = Provenance.of(tmp_path)
    made = running.ended(from_record=7)
    assert isinstance(made.began, datetime)
    assert isinstance(made.took, float)
    assert before <= made.began <= datetime.now(UTC)
    assert 0 <= made.took < 60
    assert made.from_record == 7
    an_hour_ago = Provenance.of(tmp_path, datetime.now(UTC) - timedelta(hours=1)).ended()
    assert isinstance(an_hour_ago.took, float)
    assert 3600 <= an_hour_ago.took < 3660
    assert decode(encode(Poem(made)), Poem, "poem.json").made == made


def test_a_clock_that_is_put_back_takes_no_time(tmp_path: Path) -> None:
    assert Provenance.of(tmp_path, datetime.now(UTC) + timedelta(hours=1)).ended().took == 0


def test_times_are_said_in_utc() -> None:
    said = "sonnx-formal 1; begun at 2026-11-02 23:05:07 UTC; took 1.5 s"
    assert str(MADE) == said
    text = encode(Poem(MADE)).decode()
    elsewhere = text.replace("2026-11-02T23:05:07.250000Z", "2026-11-03T08:05:07.250000+09:00")
    assert elsewhere != text
    assert str(decode(elsewhere.encode(), Poem, "poem.json").made) == said


@pytest.mark.parametrize("name", ["began", "took"])
def test_a_document_without_a_time_is_none(name: str, tmp_path: Path) -> None:
    made: dict[str, Any] = {"began": MADE.began, "took": MADE.took}
    del made[name]
    with pytest.raises(ValueError, match="it does not say when it was made"):
        Poem(Provenance(version="1", library_sha256="0" * 64, **made))
    text = b'{"schema": "sonnx-formal/poem/1", "made": {"version": "1", "library_sha256": "%s"}}'
    with pytest.raises(UserError, match=r"when it was made.*`sonnx-formal poem --json PATH`"):
        decode(text % (b"0" * 64), Poem, tmp_path / "poem.json")


@pytest.mark.parametrize("began", ["2026-11-02T23:05:07", "yesterday", "7"])
def test_a_time_of_no_zone_is_none(began: str) -> None:
    text = encode(Poem(MADE)).decode().replace("2026-11-02T23:05:07.250000Z", began)
    with pytest.raises(UserError, match=r"made\.began"):
        decode(text.encode(), Poem, "poem.json")
