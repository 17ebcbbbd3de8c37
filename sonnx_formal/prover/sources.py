"""The `.mlw` files to prove, and the files that each of them may depend on."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import files_below, read_given

_WORD = re.compile(r"\w+")
_SUFFIXES = (".mlw", ".why", ".coma")  # the input formats that Why3 looks for on its load path


@dataclass(frozen=True)
class Source:
    """One file to prove."""

    path: Path
    """Absolute."""
    name: str
    """As shown, and as the first part of goal ids: relative to the library or to the cwd."""
    load_path: tuple[Path, ...]
    """The folders that Why3 searches for the modules that the file uses."""

    def size(self) -> int:
        """In bytes; zero where it cannot be read."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def digest(self) -> str:
        """SHA-256 of the file, its path and every file that it may depend on.

        Why3 has to name a file's stem to use one of its modules, so a file may depend on those of
        its load path whose name, and whose folders' names, occur as words in it; transitively. This
        takes in too much rather than too little. Raises `UserError` when a file cannot be read.
        """
        digests: dict[str, bytes] = {}
        listed: dict[str, list[_Listed]] = {}
        roots = {str(folder): os.path.realpath(folder) for folder in self.load_path}
        waiting = [str(self.path)]
        while waiting:
            path = waiting.pop()
            if path not in digests:
                digests[path], words = _examined(read_source(path))
                for folder, root in roots.items():
                    waiting.extend(_named_files(folder, words, {root}, listed))
        seal = hashlib.sha256(str(self.path).encode(errors="surrogateescape"))
        for path in sorted(digests):
            seal.update(f"\0{path}\0".encode(errors="surrogateescape"))
            seal.update(digests[path])
        return seal.hexdigest()


def find_library() -> Path:
    """The folder `why3/` of the clone that this package was installed from, else of the cwd.

    Raises `UserError` when there is none.
    """
    for root in (Path(__file__).resolve().parents[2], Path.cwd()):
        if (root / "why3").is_dir():
            return root / "why3"
    raise UserError(
        "the formal library (folder why3/) was not found: "
        "install with `pip install -e .` from a clone, or run inside one"
    )


def library_sources(library: Path) -> list[Source]:
    """Every file of the library, by name."""
    return [Source(path, shown(library, path), (library,)) for path in files_below(library, ".mlw")]


def library_sha256(library: Path) -> str:
    """SHA-256 of the names and texts of all files of a library. Raises `UserError`."""
    return texts_sha256({each.name: read_source(each.path) for each in library_sources(library)})


def texts_sha256(texts: Mapping[str, bytes]) -> str:
    """SHA-256 of the names and texts of files, in the order of their paths."""
    seal = hashlib.sha256()
    for name in sorted(texts, key=lambda name: Path(name).parts):
        seal.update(f"{name}\0{hashlib.sha256(texts[name]).hexdigest()}\n".encode())
    return seal.hexdigest()


def named_source(library: Path, given: Path) -> Source:
    """The file that the user gave, which may lie anywhere.

    Raises `UserError` when there is no such readable `.mlw` file.
    """
    if not given.exists():
        raise UserError(f"{given}: no such file")
    if given.is_dir() or given.suffix != ".mlw":
        raise UserError(f"{given}: not a .mlw file")
    read_source(given)
    return source_at(library, given.resolve())


def source_at(library: Path, path: Path) -> Source:
    """The file at an absolute path."""
    beside = () if path.is_relative_to(library) else (path.parent,)
    return Source(path, shown(library, path), (library, *beside))


def reading(sources: Sequence[Source]) -> str:
    """What is said while Why3 makes the goals of files."""
    return f"reading {len(sources)} file{'s' * (len(sources) != 1)} with Why3"


def shown(library: Path, path: Path) -> str:
    """How a path is written in ids and tables: relative to the library, else to the cwd."""
    for folder in (library, Path.cwd()):
        if path.is_relative_to(folder):
            return path.relative_to(folder).as_posix()
    return path.as_posix()


def read_source(path: Path | str) -> bytes:
    """The bytes of a source file. Raises `UserError` when it cannot be read."""
    return read_given(path)


@lru_cache(maxsize=1024)
def _examined(text: bytes) -> tuple[bytes, frozenset[str]]:
    """The SHA-256 of a text, and the words in it."""
    words = frozenset(_WORD.findall(text.decode(errors="replace")))
    return hashlib.sha256(text).digest(), words


@lru_cache(maxsize=4096)
def _words(name: str) -> frozenset[str]:
    return frozenset(_WORD.findall(Path(name).stem))


class _Listed(NamedTuple):
    """What is in a folder that Why3 may search."""

    path: str
    words: frozenset[str]
    """What has to occur in a file that may depend on it."""
    folder: str
    """Its real path, if it is a folder."""


def _named_files(
    folder: str, words: frozenset[str], seen: set[str], listed: dict[str, list[_Listed]]
) -> Iterator[str]:
    """The files below `folder` whose stem and folders are made of words of `words`.

    Why3 follows links to folders. Of the paths by which it may come to one folder, one is enough;
    and there may be very many, where links lead back and forth.

    :param seen: the real paths of the folders that were searched.
    :param listed: what is in the folders that were searched, for these words or others.
    """
    if folder not in listed:
        listed[folder] = _entries(folder)
    for path, wanted, real in listed[folder]:
        if not wanted <= words:
            continue
        if not real:
            yield path
        elif real not in seen:
            seen.add(real)
            yield from _named_files(path, words, seen, listed)


def _entries(folder: str) -> list[_Listed]:
    """The folders and the files that Why3 reads, in order; none where it cannot be searched."""
    try:
        with os.scandir(folder) as entries:
            found = [
                (each.path, each.name, _is_folder(each)) for each in entries if each.name[0] != "."
            ]
    except OSError:
        return []
    return [
        _Listed(path, _words(name), os.path.realpath(path) if is_folder else "")
        for path, name, is_folder in sorted(found)
        if is_folder or name.endswith(_SUFFIXES)
    ]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is one, or a link to one that is there."""
    return Path(entry.path).is_dir() if entry.is_symlink() else entry.is_dir()
