"""A record is as it was written, or a clear error."""

from pathlib import Path

import pytest

from sonnx_formal.core.errors import UserError
from sonnx_formal.evidence.records.record import Record


def record(folder: Path) -> Record:
    return Record(folder / "evidence" / "r.json", "some/1", "make-it")


def test_a_line_a_task(tmp_path: Path) -> None:
    one, two = {"goal": "b.mlw:M.g.1", "n": 1}, {"goal": "a.mlw:M.g.1", "n": 2}
    here = record(tmp_path)
    assert here.read() == {}
    here.write({"1": one, "2": two})
    assert here.read() == {"1": one, "2": two}
    lines = here.path.read_text().splitlines()
    assert [line.strip()[:3] for line in lines[3:5]] == ['"2"', '"1"'], "sorted by goal"
    here.write({})
    assert here.read() == {}


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"schema": "other/1", "tasks": {}}',
     '{"schema": "some/1", "tasks": {"1": {}}}', '{"schema": "some/1", "tasks": {"1": 2}}'],
)  # fmt: skip
def test_a_damaged_record(tmp_path: Path, text: str) -> None:
    here = record(tmp_path)
    here.path.parent.mkdir()
    here.path.write_text(text)
    with pytest.raises(UserError, match=r"not a readable record .* run `sonnx-formal make-it`"):
        here.read()


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "evidence").write_text("a file")
    with pytest.raises(UserError, match="could not be written"):
        record(tmp_path).write({})
