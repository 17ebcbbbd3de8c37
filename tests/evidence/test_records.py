"""The record of goals is as it was written, or a clear error; answers stay with their task."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sonnx_formal.core.errors import UserError
from sonnx_formal.evidence.records import Consistency, Consistent, Context, Cores, GoalRecord
from sonnx_formal.prover.tasks import Task

FOUND = Consistency(Consistent.INCONCLUSIVE, {"z3": "5.4.0"})
CORES = Cores(1, {"z3 1": (0,)}, 5)


def subject(name: str, text: str) -> Context:
    task = Task.of(text)
    return Context(name, task, task.sha256)


A1, A2 = subject("a.mlw:M.g.1", "one"), subject("a.mlw:M.g.2", "two")
B, CONTEXT = subject("ops/b.mlw:M.g.1", "three"), subject("a.mlw:M", "four")


@pytest.fixture
def record(tmp_path: Path) -> GoalRecord:
    (tmp_path / "ops").mkdir()
    for file in ("a.mlw", "ops/b.mlw"):
        (tmp_path / file).touch()
    return GoalRecord(tmp_path)


def answers(*subjects: Context) -> dict[str, Consistency]:
    return {subject.task.sha256: FOUND for subject in subjects}


def names(record: GoalRecord) -> list[str]:
    return list(record.read())


def test_a_line_a_goal_and_a_file_a_file(record: GoalRecord, tmp_path: Path) -> None:
    assert record.read() == {}
    record.update([B, A2, A1], None, "consistent", answers(A1, A2, B))
    record.update([B, A2, A1], None, "cores", {A1.task.sha256: CORES})
    assert names(record) == ["a.mlw:M.g.1", "a.mlw:M.g.2", "ops/b.mlw:M.g.1"]
    lines = (tmp_path / "evidence/goals/a.jsonl").read_text().splitlines()
    assert [json.loads(line)["goal"] for line in lines] == ["M.g.1", "M.g.2"]
    assert list(json.loads(lines[0])) == ["goal", "task", "sources", "consistent", "cores"]
    assert record.answers("consistent") == answers(A1, A2, B)
    assert record.answers("cores") == {A1.task.sha256: CORES}
    assert record.answers("certified") == {}
    before = (tmp_path / "evidence/goals/ops/b.jsonl").stat()
    record.update([A2, A1], {"a.mlw"}, "cores", {A2.task.sha256: CORES})
    assert (tmp_path / "evidence/goals/ops/b.jsonl").stat().st_mtime_ns == before.st_mtime_ns


def test_what_is_no_more_is_dropped(record: GoalRecord, tmp_path: Path) -> None:
    record.update([A1, A2, B, CONTEXT], None, "consistent", answers(A1, A2, B, CONTEXT))
    record.update([A1], {"a.mlw"}, "cores", {})
    assert names(record) == ["a.mlw:M", "a.mlw:M.g.1", "ops/b.mlw:M.g.1"], "modules are not asked"
    changed = subject(CONTEXT.id, "another text")
    record.update([A1, changed], {"a.mlw"}, "consistent", {})
    assert names(record) == ["a.mlw:M.g.1", "ops/b.mlw:M.g.1"]
    record.update([A1], None, "cores", {})
    assert names(record) == ["a.mlw:M.g.1"]
    assert not (tmp_path / "evidence/goals/ops/b.jsonl").exists()


def test_answers_go_with_the_task(record: GoalRecord) -> None:
    record.update([A1], None, "consistent", answers(A1))
    record.update([A1], None, "cores", {A1.task.sha256: CORES})
    moved = subject("ops/b.mlw:N.other.1", "one")
    record.update([moved], None, "certified", {})
    ((name, line),) = record.read().items()
    assert (name, line.consistent, line.cores) == (moved.id, FOUND, CORES)


def test_programs_side_by_side_lose_nothing(record: GoalRecord) -> None:
    goals = [subject(f"a.mlw:M.g.{n}", str(n)) for n in range(30)]
    with ThreadPoolExecutor(8) as pool:
        done = [
            pool.submit(record.update, goals, None, field, {goal.task.sha256: answer})
            for goal in goals
            for field, answer in (("consistent", FOUND), ("cores", CORES))
        ]
        assert [future.result() for future in done] == [None] * 60
    assert record.answers("consistent") == answers(*goals)
    assert len(record.answers("cores")) == 30


def test_nothing_is_kept_about_other_files(record: GoalRecord, tmp_path: Path) -> None:
    elsewhere = tmp_path.parent / "elsewhere.mlw"
    elsewhere.touch()
    goals = [subject(f"{elsewhere}:M.g.1", "one"), subject("elsewhere.mlw:M.g.1", "two")]
    record.update(goals, [elsewhere.as_posix(), "elsewhere.mlw"], "consistent", answers(*goals))
    assert record.read() == {}
    assert not elsewhere.with_suffix(".jsonl").exists()


@pytest.mark.parametrize(
    "text",
    ["\n", "[]", "{}", '{"goal": "M.g.1"}', '{"goal": "M.g.1", "task": "0"}', "\xff",
     '{"goal": "M.g.1", "task": "%s", "consistent": {"finding": "who knows"}}' % ("0" * 64),
     '{"goal": "M.g.1", "task": "%s", "other": 1}' % ("0" * 64)],
)  # fmt: skip
def test_a_damaged_record(record: GoalRecord, tmp_path: Path, text: str) -> None:
    record.update([A1], None, "consistent", answers(A1))
    path = tmp_path / "evidence/goals/a.jsonl"
    with path.open("a", encoding="latin-1") as file:
        file.write(text)
    with pytest.raises(UserError, match=r"a\.jsonl:2 is no line of a record .* restore the file"):
        record.read()


def test_where_nothing_can_be_written(record: GoalRecord, tmp_path: Path) -> None:
    (tmp_path / "evidence").write_text("a file")
    with pytest.raises(UserError, match="could not be written"):
        record.update([A1], None, "consistent", answers(A1))
