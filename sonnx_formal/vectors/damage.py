"""Where a file of vectors is not what was written: in which member of which case, or about it."""

from bisect import bisect_right
from itertools import accumulate

import numpy as np

from sonnx_formal.vectors.archive import sha256, to_archive
from sonnx_formal.vectors.manifest import FileEntry

_MEMBER_HEADER, _DIRECTORY_ENTRY = 30, 46
"""Bytes in front of the contents of a member, and in the directory at the end; then its name."""
Changes = dict[str | None, list[str]]
"""In words, by case; None for what belongs to no case."""


def damage(data: bytes, entry: FileEntry) -> tuple[dict[str, bytes], Changes]:
    """The members of a file whose hash is wrong, and what has changed, which is at least one thing.

    The manifest says where everything has to be; what the file itself says of that is not asked.
    There are no members where none is sound.
    """
    owners = [
        (case.name, name, member)
        for case in entry.cases
        for name, member in zip(case.shapes, case.members, strict=True)
    ]
    names = [len(f"{case}.{name}.npy") for case, name, _ in owners]
    parts = [
        _MEMBER_HEADER + length + member.bytes
        for length, (_, _, member) in zip(names, owners, strict=True)
    ]
    ends = [*accumulate([*parts, *(_DIRECTORY_ENTRY + length for length in names)])]
    contents: dict[str, bytes] = {}
    changed: dict[tuple[str, str], str] = {}
    for end, (case, name, member) in zip(ends, owners, strict=False):
        contents[f"{case}.{name}"] = content = data[end - member.bytes : end]
        if sha256(content) != member.sha256:
            changed[case, name] = f"its member {name} has changed"
    if len(changed) == len(owners):
        return {}, {None: ["its contents have changed"]}
    changes: Changes = {}
    if len(data) != entry.bytes:
        changes[None] = [f"it is {len(data)} bytes long, not {entry.bytes}"]
    else:
        sound = to_archive(contents)[: len(data)]
        bytes_ = (np.frombuffer(each, np.uint8) for each in (sound, data[: len(sound)]))
        for place in np.flatnonzero(np.not_equal(*bytes_)).tolist():
            part = bisect_right(ends, place)
            if part == len(ends):
                changes[None] = ["the end of the archive has changed"]
                continue
            case, name, _ = owners[part % len(owners)]
            changed.setdefault((case, name), f"the header of its member {name} has changed")
    for (case, _), what in changed.items():
        changes.setdefault(case, []).append(what)
    return contents, changes or {None: ["its contents have changed"]}
