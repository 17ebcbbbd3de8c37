"""An `.npz` file as an archive: its members by name, of which the same give the same bytes."""

import hashlib
import io
import struct
import zipfile
from collections.abc import Iterable, Mapping

_UNIX = 3
_ENCRYPTED = 1


_UNSOUND = (
    zipfile.BadZipFile, struct.error, OSError, EOFError, RuntimeError, ValueError, OverflowError
)  # fmt: skip
"""What `zipfile` raises of bytes that anybody may have made up."""


class BadArchiveError(Exception):
    """Not what was expected; the message says what."""


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def to_archive(members: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(f"{name}.npy")  # which is dated 1980
            info.create_system = _UNIX
            info.external_attr = 0o644 << 16
            archive.writestr(info, content)
    return file.getvalue()


def from_archive(data: bytes, names: Iterable[str]) -> dict[str, bytes]:
    """The members of an `.npz` file, which have to be the expected ones in the expected order.

    :raises BadArchiveError: when they are not, or are compressed, or contradict their checksums.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            found, expected = [each.filename for each in infos], [f"{name}.npy" for name in names]
            there, known = set(found), set(expected)
            for odd in (name for name in found if name not in known):
                raise BadArchiveError(f"it has a member that the manifest has not: {odd!r}")
            for missing in (name for name in expected if name not in there):
                raise BadArchiveError(f"its member {missing} is missing")
            if found != expected:
                raise BadArchiveError("its members are there twice, or in another order")
            for info in infos:
                if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & _ENCRYPTED:
                    raise BadArchiveError(f"{info.filename} is compressed or encrypted")
            # Members that overlap could be many times as long as the file, taken together.
            if sum(info.file_size for info in infos) > len(data):
                raise BadArchiveError("its members together are longer than the file")
            return {info.filename.removesuffix(".npy"): archive.read(info) for info in infos}
    except _UNSOUND as error:
        raise BadArchiveError(f"not a sound .npz file: {error}") from None
