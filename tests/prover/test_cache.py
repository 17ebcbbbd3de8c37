"""The cache: what is damaged, foreign or unreachable costs time, never a wrong verdict."""

import errno
import json
import os
from pathlib import Path

import pytest

from sonnx_formal.core.files import write_atomically
from sonnx_formal.prover import cache as cache_module
from sonnx_formal.prover.cache import Cache
from tests.prover import fakes
from tests.prover.fakes import Workshop

ONE = "module M use int.Int goal g: 1 + 1 = 2 end"


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def store(cache: Path, warnings: list[str]) -> Cache:
    return Cache(cache, warnings.append)


def entry_of(cache: Path, kind: str) -> Path:
    (path,) = (cache / kind).rglob("*.json")
    return path


def test_keeps_values_by_key(store: Cache, warnings: list[str]) -> None:
    store.write("things", {"a": 1}, [1, 2])
    store.write("things", {"a": 2}, "other")
    assert store.read("things", {"a": 1}, list[int]) == [1, 2]
    assert store.read("things", {"a": 3}, str) is None
    assert store.read("others", {"a": 1}, str) is None
    assert warnings == []


@pytest.mark.parametrize(
    "tamper",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: text.replace("unknown", "valid"),
        lambda text: text.replace('"key":{"a":1}', '"key":{"a":2}'),
        lambda text: "[]",
        lambda text: "{}",
        lambda text: "\0" * len(text),
    ],
    ids=["truncated", "empty", "another verdict", "another key", "list", "object", "zeros"],
)
def test_a_tampered_entry_is_ignored_and_replaced(
    store: Cache, cache: Path, warnings: list[str], tamper: object
) -> None:
    assert callable(tamper)
    store.write("things", {"a": 1}, {"answer": "unknown"})
    path = entry_of(cache, "things")
    path.write_text(tamper(path.read_text()))
    assert store.read("things", {"a": 1}, dict) is None
    (warning,) = warnings
    assert str(path) in warning
    assert "\n" not in warning
    store.write("things", {"a": 1}, {"answer": "unknown"})
    assert store.read("things", {"a": 1}, dict) == {"answer": "unknown"}


def test_an_entry_moved_to_another_key_is_ignored(store: Cache, cache: Path) -> None:
    store.write("things", {"a": 1}, "valid")
    stolen = entry_of(cache, "things").read_text()
    store.write("others", {"a": 2}, "unknown")
    entry_of(cache, "others").write_text(stolen)
    assert store.read("others", {"a": 2}, str) is None


def test_a_tampered_verdict_is_proved_again(workshop: Workshop, cache: Path) -> None:
    workshop.write("m.mlw", ONE)
    no = workshop.fake("p", "p", fakes.UNKNOWN)
    assert not workshop.prove([no]).proved
    for path in (cache / "verdicts").rglob("*.json"):
        path.write_text(path.read_text().replace("unknown", "valid"))
    workshop.launches()
    outcome = workshop.prove([no])
    assert not outcome.proved
    assert workshop.launches() > 0
    assert "damaged or tampered" in outcome.said


def test_a_forged_export_of_an_easier_task_is_ignored(workshop: Workshop, cache: Path) -> None:
    workshop.write("m.mlw", "module M use int.Int goal g: 1 + 1 = 3 end")
    z3 = fakes.real_z3()
    assert not workshop.prove([z3]).proved
    for path in (cache / "exports").rglob("*.json"):
        entry = json.loads(path.read_text())
        entry["value"][0]["task"] = "(set-logic ALL)\n(assert false)\n(check-sat)\n"
        path.write_text(json.dumps(entry))
    assert not workshop.prove([z3]).proved


def test_failures_are_not_kept(workshop: Workshop) -> None:
    workshop.write("m.mlw", ONE)
    crashing = workshop.fake("p", "p", fakes.CRASH)
    workshop.prove([crashing])
    first = workshop.launches()
    workshop.prove([crashing])
    assert workshop.launches() == first > 0


def test_another_version_is_another_prover(workshop: Workshop) -> None:
    workshop.write("m.mlw", ONE)
    workshop.prove([workshop.fake("p", "p", fakes.UNSAT)])
    workshop.launches()
    workshop.prove([workshop.fake("p", "p", fakes.UNSAT, version="2.0")])
    assert workshop.launches() == 1


def test_an_unwritable_cache_is_one_warning(workshop: Workshop, cache: Path) -> None:
    workshop.write("m.mlw", ONE)
    cache.write_text("a file where the folder should be")
    outcome = workshop.prove([workshop.fake("p", "p", fakes.UNSAT)])
    assert outcome.proved
    assert outcome.said.count("\n") == 3  # it, what is proved, and the new certificate
    assert f"cache {cache}: " in outcome.said


def test_a_full_disk_is_one_warning(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    workshop.write("m.mlw", "module M use int.Int goal g: 1 + 1 = 2 goal h: 1 + 2 = 3 end")

    def full(path: Path, text: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(cache_module, "write_atomically", full)
    outcome = workshop.prove([workshop.fake("p", "p", fakes.UNSAT)])
    assert len(outcome.proved) == 2
    assert outcome.said.count("No space left on device") == 1
    assert "SONNX_FORMAL_CACHE" in outcome.said


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_atomically(path, "old")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="full"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
