"""What earlier runs found out, content-addressed: it makes a run fast, never a verdict true.

One small file an entry, written at once and atomically, so that a run may be killed at any moment.
An entry repeats what it is about and carries a checksum; one that does not fit is ignored.
"""

import dataclasses
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sonnx_formal.core.files import CACHE_VARIABLE, write_atomically
from sonnx_formal.core.processes import MEMORY_MIB
from sonnx_formal.prover.provers import Prover
from sonnx_formal.prover.tasks import Task
from sonnx_formal.prover.verdicts import CONCLUSIVE, Answer, Limits, ProverVerdict

Key = dict[str, Any]


class Cache:
    """A folder of entries. Trouble with it costs time, not results: it is reported to `warn`.

    With `readable=False` it only keeps what is found out, for later runs.
    """

    def __init__(self, folder: Path, warn: Callable[[str], None], *, readable: bool = True) -> None:
        self._folder = folder
        self._warn = warn
        self._readable = readable
        self._writable = True

    def read(self, kind: str, key: Key) -> Any | None:
        """The value that was written for this key, or None."""
        if not self._readable:
            return None
        path = self._path(kind, key)
        try:
            entry = json.loads(path.read_bytes())
            if entry["key"] == key and entry["sha256"] == _checksum(key, entry["value"]):
                return entry["value"]
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            self._warn(f"cache entry {path} ignored: {error.strerror}")
            return None
        except (ValueError, KeyError, TypeError):
            pass
        self._warn(f"cache entry {path} ignored: damaged or tampered with; it will be made anew")
        return None

    def write(self, kind: str, key: Key, value: Any) -> None:
        """Keep a value. When the disk is full or read-only, say so once and go on without."""
        if not self._writable:
            return
        path = self._path(kind, key)
        entry = {"key": key, "value": value, "sha256": _checksum(key, value)}
        try:
            write_atomically(path, json.dumps(entry))
        except OSError as error:
            self._writable = False
            self._warn(
                f"cache {self._folder}: {error.strerror}: what this run finds out is not kept "
                f"(free space, or set {CACHE_VARIABLE} to another folder)"
            )

    def verdict(
        self, prover: Prover, task: Task, strategy: str, limits: Limits | None
    ) -> ProverVerdict | None:
        """What this prover said about this task within these limits; conclusively if None."""
        value = self.read("verdicts", _verdict_key(prover.name, prover.version, task, limits))
        if value is None:
            return None
        return ProverVerdict(
            prover=prover.name,
            version=prover.version,
            family=prover.family,
            strategy=strategy,
            limits=limits,
            cached=True,
            **value | {"answer": Answer(value["answer"])},
        )

    def keep_verdict(self, task: Task, verdict: ProverVerdict) -> None:
        """Keep a verdict. A failure says nothing about the task, so it is not kept."""
        if verdict.answer is Answer.FAILURE:
            return
        limits = None if verdict.answer in CONCLUSIVE else verdict.limits
        value = {
            "answer": verdict.answer,
            "seconds": verdict.seconds,
            "steps": verdict.steps,
            "output": verdict.output,
        }
        self.write("verdicts", _verdict_key(verdict.prover, verdict.version, task, limits), value)

    def _path(self, kind: str, key: Key) -> Path:
        name = hashlib.sha256(_canonical(key)).hexdigest()
        return self._folder / kind / name[:2] / f"{name}.json"


def _verdict_key(prover: str, version: str, task: Task, limits: Limits | None) -> Key:
    """A conclusive answer holds whatever the limits were; any other only under the same ones."""
    bounds = dataclasses.asdict(limits) | {"memory_mib": MEMORY_MIB} if limits else None
    return {"task": task.sha256, "prover": prover, "version": version, "limits": bounds}


def _checksum(key: Key, value: Any) -> str:
    return hashlib.sha256(_canonical([key, value])).hexdigest()


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
