"""How a document was made: when, and in which time; and that each one says so."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec import json

from sonnx_formal.core.documents import decode, encode
from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.provenance import BegunRun, MadeDocument
from tests.made import AS_JSON, MADE


class Poem(MadeDocument, frozen=True, tag="sonnx-formal/poem/1"):
    """Nothing else than how it was made."""

    command = "poem --json PATH"


def test_a_run_says_when_it_began_and_what_it_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")  # the date of the sources is not that of a run
    before = datetime.now(UTC)
    running = BegunRun.of(tmp_path)
    made = running.ended(from_record=7)
    assert before <= made.began <= datetime.now(UTC)
    assert 0 <= made.took < 60
    assert made.from_record == 7
    an_hour_ago = BegunRun.of(tmp_path, datetime.now(UTC) - timedelta(hours=1)).ended()
    assert 3600 <= an_hour_ago.took < 3660
    assert decode(encode(Poem(made)), Poem, "poem.json").made == made


def test_a_clock_that_is_put_back_takes_no_time(tmp_path: Path) -> None:
    assert BegunRun.of(tmp_path, datetime.now(UTC) + timedelta(hours=1)).ended().took == 0


def test_times_are_said_in_utc() -> None:
    said = "sonnx-formal 1; begun at 2026-11-02 23:05:07 UTC; took 1.5 s"
    assert str(MADE) == said
    text = encode(Poem(MADE)).decode()
    elsewhere = text.replace("2026-11-02T23:05:07.250000Z", "2026-11-03T08:05:07.250000+09:00")
    assert elsewhere != text
    assert str(decode(elsewhere.encode(), Poem, "poem.json").made) == said


@pytest.mark.parametrize("name", ["began", "took"])
def test_a_document_without_a_time_is_none(name: str) -> None:
    made = {field: value for field, value in AS_JSON.items() if field != name}
    text = json.encode({"schema": "sonnx-formal/poem/1", "made": made})
    with pytest.raises(
        UserError, match=rf"`{name}` - at `\$\.made`.*`sonnx-formal poem --json PATH`"
    ):
        decode(text, Poem, "poem.json")


@pytest.mark.parametrize("began", ["2026-11-02T23:05:07", "yesterday", "7"])
def test_a_time_of_no_zone_is_none(began: str) -> None:
    text = encode(Poem(MADE)).decode().replace("2026-11-02T23:05:07.250000Z", began)
    with pytest.raises(UserError, match=r"made\.began"):
        decode(text.encode(), Poem, "poem.json")
