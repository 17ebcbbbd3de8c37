"""What earlier runs found out, content-addressed: it makes a run fast, never a verdict true.

One small file an entry, written at once and atomically, so that a run may be killed at any moment.
An entry repeats what it is about and carries a checksum; one that does not fit is ignored.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from msgspec import DecodeError, Raw, Struct, to_builtins
from msgspec.json import decode, encode
from msgspec.structs import replace

from sonnx_formal.core.files import CACHE_VARIABLE, write_atomically
from sonnx_formal.core.processes import MEMORY_MIB
from sonnx_formal.prover.provers import CONCLUSIVE, Answer, Limits, Prover, ProverVerdict
from sonnx_formal.prover.tasks import Task

Key = dict[str, Any]
_Value = TypeVar("_Value")


class _Entry(Struct, frozen=True):
    """A file of the cache."""

    key: Key
    sha256: str
    """Of the key and of the value as they are written."""
    value: Raw


class Cache:
    """A folder of entries. Trouble with it costs time, not results: it is reported to `warn`.

    With `readable=False` it only keeps what is found out, for later runs.
    """

    def __init__(self, folder: Path, warn: Callable[[str], None], *, readable: bool = True) -> None:
        self._folder = folder
        self._warn = warn
        self._readable = readable
        self._writable = True

    def read(self, kind: str, key: Key, type_: type[_Value]) -> _Value | None:
        """The value that was written for this key, or None."""
        if not self._readable:
            return None
        path = self._path(kind, key)
        why: str | None = "damaged or tampered with; it will be made anew"
        try:
            entry = decode(path.read_bytes(), type=_Entry)
            if entry.key == key and entry.sha256 == _checksum(key, entry.value):
                return decode(entry.value, type=type_)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            why = error.strerror
        except (DecodeError, UnicodeDecodeError, RecursionError):
            pass
        self._warn(f"cache entry {path} ignored: {why}")
        return None

    def write(self, kind: str, key: Key, value: Any) -> None:
        """Keep a value. When the disk is full or read-only, say so once and go on without."""
        written = Raw(encode(value))
        entry = encode(_Entry(key, _checksum(key, written), written))
        self._change(lambda: write_atomically(self._path(kind, key), entry))

    def drop(self, kind: str, key: Key) -> None:
        """Keep the value for this key no longer."""
        self._change(lambda: self._path(kind, key).unlink(missing_ok=True))

    def _change(self, change: Callable[[], None]) -> None:
        if not self._writable:
            return
        try:
            change()
        except OSError as error:
            self._writable = False
            self._warn(
                f"cache {self._folder}: {error.strerror}: what this run finds out is not kept "
                f"(free space, or set {CACHE_VARIABLE} to another folder)"
            )

    def verdict(self, prover: Prover, task: Task, limits: Limits | None) -> ProverVerdict | None:
        """What this prover said about this task within these limits; conclusively if None."""
        key = _verdict_key(prover.name, prover.version, task, limits)
        found = self.read("verdicts", key, ProverVerdict)
        if found is None:
            return None
        family = prover.family
        return replace(found, family=family, limits=limits, cached=True)

    def keep_verdict(self, task: Task, verdict: ProverVerdict) -> None:
        """Keep a verdict, unless it says nothing about the task."""
        partial = verdict.core is not None and verdict.answer is not Answer.VALID
        if not partial and verdict.answer is not Answer.FAILURE:
            limits = None if verdict.answer in CONCLUSIVE else verdict.limits
            key = _verdict_key(verdict.prover, verdict.version, task, limits)
            self.write("verdicts", key, verdict)

    def _path(self, kind: str, key: Key) -> Path:
        name = _checksum(key)
        return self._folder / kind / name[:2] / f"{name}.json"


def _verdict_key(prover: str, version: str, task: Task, limits: Limits | None) -> Key:
    """A conclusive answer holds whatever the limits were; any other only under the same ones."""
    bounds = to_builtins(limits) | {"memory_mib": MEMORY_MIB} if limits else None
    about = {"task": task.sha256, "prover": prover, "version": version, "limits": bounds}
    return about | {"format": 5}


def _checksum(key: Key, value: bytes | Raw = b"") -> str:
    return hashlib.sha256(encode(key, order="sorted") + bytes(value)).hexdigest()
