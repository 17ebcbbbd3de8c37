"""Arrays in an `.npz` file, without pickle: the same arrays, the same bytes.

Members are stored as they are, in the order in which they were given. What is read is held against
the names, types and shapes that are expected before memory is taken for it: the file itself decides
nothing, and nothing in it is evaluated.
"""

import io
import re
import struct
import zipfile
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import prod

import numpy as np
from numpy.lib import format as npy

from sonnx_formal.oracle.frames import INFINITY
from sonnx_formal.spec.element_types import BOOLEAN, Array, ElementType, Family
from sonnx_formal.vectors.elements import Shape, array

_ALWAYS = (1980, 1, 1, 0, 0, 0)  # in the place of the time at which a member was made
_UNIX = 3
_ENCRYPTED = 1
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(?P<type>[<|][a-zA-Z][0-9]{1,9})', "
    rb"'fortran_order': False, 'shape': (?P<shape>\([0-9, ]*\)), \} *\n",
    re.DOTALL,
)
_TEXTS = re.compile(r"\|S[1-9][0-9]*")
_FRACTION = re.compile(r"-?[0-9]+(/[0-9]+)?")


class BadArchiveError(ValueError):
    """Not what was expected; the message says what."""


def to_member(elements: Array, type_: ElementType) -> bytes:
    """An array as an `.npy` file: of bfloat16, bit patterns; of real, ASCII texts."""
    file = io.BytesIO()
    npy.write_array(file, _stored(elements, type_), (1, 0), allow_pickle=False)
    return file.getvalue()


def to_archive(members: Mapping[str, bytes]) -> bytes:
    """An `.npz` file of `.npy` files by their names."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(f"{name}.npy", _ALWAYS)
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
            _check_names([info.filename for info in infos], [f"{name}.npy" for name in names])
            for info in infos:
                if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & _ENCRYPTED:
                    raise BadArchiveError(f"{info.filename} is compressed or encrypted")
            # Members that overlap could be many times as long as the file, taken together.
            if sum(info.file_size for info in infos) > len(data):
                raise BadArchiveError("its members together are longer than the file")
            return {info.filename.removesuffix(".npy"): archive.read(info) for info in infos}
    except BadArchiveError:
        raise
    except (zipfile.BadZipFile, struct.error, OSError, EOFError, RuntimeError, ValueError) as error:
        raise BadArchiveError(f"not a sound .npz file: {error}") from None


def from_member(content: bytes, type_: ElementType, shape: Shape) -> Array:
    """The array in an `.npy` file.

    :raises BadArchiveError: when it is not of the type or of the shape.
    """
    header = _HEADER.match(content)
    if header is None:
        raise BadArchiveError("not an .npy file of plain elements, version 1.0, in C order")
    if header["shape"].decode() != repr(shape):
        raise BadArchiveError(f"its shape is {header['shape'].decode()}, not {shape}")
    found, wanted = header["type"].decode(), _stored(array(type_, [], (0,)), type_).dtype.str
    if not (found == wanted or (type_.family is Family.REAL and _TEXTS.fullmatch(found))):
        raise BadArchiveError(f"the type of its elements is {found}, not {wanted}")
    elements = memoryview(content)[header.end() :]
    size = np.dtype(found).itemsize
    if len(elements) != size * prod(shape):
        raise BadArchiveError(f"{len(elements)} bytes of elements, not {size} times {prod(shape)}")
    if type_.family is Family.REAL:
        texts = np.frombuffer(elements, found).tolist()
        return array(type_, [_fraction(text) for text in texts], shape)
    patterns = np.frombuffer(elements, type_.pattern.newbyteorder("<")).astype(type_.pattern)
    if type_ is BOOLEAN and np.any(patterns > 1):
        raise BadArchiveError("an element is neither true nor false")
    return patterns.view(type_.dtype).reshape(shape)


def _check_names(found: list[str], expected: list[str]) -> None:
    if found == expected:
        return
    odd = [name for name in found if name not in set(expected)]
    missing = [name for name in expected if name not in set(found)]
    if odd:
        raise BadArchiveError(f"it has a member that the manifest has not: {odd[0]!r}")
    if missing:
        raise BadArchiveError(f"its member {missing[0]} is missing")
    raise BadArchiveError("its members are there twice, or in another order")


def _stored(elements: Array, type_: ElementType) -> Array:
    """The elements as they are stored."""
    if type_.family is Family.REAL:
        texts = [str(element).encode() for element in elements.ravel()]
        return np.array(texts, f"S{max(map(len, texts), default=1)}").reshape(elements.shape)
    patterns = elements.view(type_.pattern).astype(type_.pattern.newbyteorder("<"))
    if type_.name == "bfloat16":  # NumPy alone does not know it
        return patterns
    return patterns.view(type_.dtype.newbyteorder("<"))


def _fraction(text: bytes) -> Fraction | float:
    if text == b"inf":
        return INFINITY
    try:
        written = text.decode("ascii")
        if _FRACTION.fullmatch(written):
            fraction = Fraction(written)
            if str(fraction) == written:
                return fraction
    except (ValueError, ZeroDivisionError):
        pass
    raise BadArchiveError(f"{text[:40]!r} is not a fraction in lowest terms")
