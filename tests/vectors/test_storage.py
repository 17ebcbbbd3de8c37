"""Vectors are stored and come back bit by bit; damaged ones are refused, whatever the damage."""

import bisect
import hashlib
import io
import json
import os
import pickle
import random
import re
import resource
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.catalogue import instances, selected
from sonnx_formal.spec.element_types import BOOLEAN, MACHINE, NARROW_FLOATS, ElementType
from sonnx_formal.vectors import storage
from sonnx_formal.vectors.archive import BadArchiveError
from sonnx_formal.vectors.folder import make
from sonnx_formal.vectors.manifest import Case, Manifest, read_manifest
from sonnx_formal.vectors.storage import load
from tests.schemas import validate

FILE = "div-float16.npz"
REAL = "div-real.npz"
_FEW = ("mul", "ov-multiply-1")


def contents(case: Case) -> list[Any]:
    arrays = (*case.call.arrays, *(() if case.violated else (case.expected,)))
    plain = [[x.shape, x.tolist() if x.dtype == object else x.tobytes()] for x in arrays]
    named = [case.name, case.instance, case.case_class, case.requirements]
    placed = [operand is None for operand in case.call.operands]
    return [*named, case.call.attributes.as_json(), case.violated, placed, *plain]


def snapshot(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def refusal(directory: Path) -> str:
    """The message with which loading ends."""
    with pytest.raises(UserError) as error:
        list(load(directory))
    message = str(error.value)
    assert "\n" not in message
    assert len(message) < 800
    return message


def edit(directory: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest."""
    path = directory / "manifest.json"
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def entry(value: dict[str, Any], file: str = FILE) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in value["files"] if each["file"] == file)
    return found


def with_its_hashes(directory: Path, data: bytes, file: str = FILE) -> None:
    """Replace a file and let the manifest vouch for it: what is left are the deeper checks."""
    (directory / file).write_bytes(data)

    def vouch(value: dict[str, Any]) -> None:
        found = entry(value, file)
        found |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as opened:
                for case in found["cases"]:
                    for name, member in zip(("a", "b", "expected"), case["members"], strict=True):
                        content = opened.read(f"{case['name']}.{name}.npy")
                        seal = hashlib.sha256(content).hexdigest()
                        member |= {"bytes": len(content), "sha256": seal}
        except (KeyError, zipfile.BadZipFile):
            pass

    edit(directory, vouch)


def rewritten(
    path: Path, change: Callable[[str, bytes], bytes | None], compression: int = 0
) -> bytes:
    """The archive with each member changed, or left out."""
    made = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(made, "w", compression) as new:
        for info in old.infolist():
            content = change(info.filename, old.read(info))
            if content is not None:
                new.writestr(zipfile.ZipInfo(info.filename), content, compression)
    return made.getvalue()


def first_changed(content: Callable[[bytes], bytes]) -> Callable[[str, bytes], bytes]:
    """Changes the first member alone."""
    done: list[str] = []

    def change(name: str, old: bytes) -> bytes:
        if done:
            return old
        done.append(name)
        return content(old)

    return change


@pytest.mark.long
def test_what_is_loaded_is_what_was_generated(made: Path, every_case: list[Case]) -> None:
    assert [contents(case) for case in load(made)] == [contents(case) for case in every_case]


@pytest.mark.long
def test_same_seed_same_bytes(made: Path, tmp_path: Path) -> None:
    """In a process of its own, with other hash seeds and in another zone."""
    program = (
        "from sonnx_formal.vectors.folder import *; from pathlib import Path; "
        "from sonnx_formal.spec.catalogue import selected; "
        "make(selected((), ()), 0, Path('again'), lambda *_: None)"
    )
    environment = os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment, check=True)
    assert snapshot(tmp_path / "again") == snapshot(made)


def test_another_seed_other_bytes(few: Path, tmp_path: Path) -> None:
    make(selected(_FEW, ("int8",)), 1, tmp_path / "v", lambda *_: None)
    for name, content in snapshot(tmp_path / "v").items():
        assert content != (few / name).read_bytes()


@pytest.mark.long
def test_manifest_is_as_its_schema_says(made: Path) -> None:
    value = json.loads((made / "manifest.json").read_text())
    for file in value["files"]:  # the validator takes its time
        file["cases"] = file["cases"][:5] + file["cases"][-5:]
    validate(value, Manifest)
    assert value["origin"]["seed"] == 0
    assert set(value["origin"]["tools"]) == {
        *("sonnx-formal", "why3", "ocaml", "python", "numpy", "ml_dtypes", "onnx")
    }
    assert len(value["files"]) == len(instances()) >= 84


def test_manifest_comes_back_as_it_was(small: Path) -> None:
    assert documents.encode(read_manifest(small)) == (small / "manifest.json").read_bytes()


def test_numpy_alone_reads_the_files(few: Path) -> None:
    stored = {"bfloat16": "uint16", "float64": "float64", "int8": "int8"}
    for element_type, dtype in stored.items():
        with np.load(few / f"mul-{element_type}.npz", allow_pickle=False) as file:
            assert {file[name].dtype.name for name in file.files} == {dtype}
    with np.load(few / "div-real.npz", allow_pickle=False) as file:
        assert file["div-real-example-0004.expected"].tolist() == [[b"2", b"3", b"inf"]]


@pytest.mark.long
def test_no_file_has_pickle_or_a_time_in_it(made: Path) -> None:
    for path in made.glob("*.npz"):
        with zipfile.ZipFile(path) as opened:
            for info in opened.infolist():
                assert info.date_time == (1980, 1, 1, 0, 0, 0)
                assert info.compress_type == zipfile.ZIP_STORED
                assert b"|O" not in opened.read(info)[:128]


@pytest.mark.parametrize("type_", [*MACHINE, *NARROW_FLOATS], ids=str)
def test_every_bit_survives(type_: ElementType) -> None:
    """Those of real are in `test_what_is_loaded_is_what_was_generated`."""
    bits = np.random.default_rng(1).integers(0, 256, (3, 1, 5, type_.dtype.itemsize), np.uint8)
    bits[0, 0, 0] = 255  # a NaN with every bit set
    array = bits.view(type_.dtype).reshape(3, 1, 5)
    again = storage.from_member(storage.to_member(array, type_), type_, (3, 1, 5))
    assert again.dtype == array.dtype
    assert again.tobytes() == array.tobytes()


def test_truth_values_are_0_and_1() -> None:
    array = np.array([[True, False, True]])
    content = storage.to_member(array, BOOLEAN)
    assert storage.from_member(content, BOOLEAN, (1, 3)).tolist() == array.tolist()
    with pytest.raises(BadArchiveError, match="neither true nor false"):
        storage.from_member(content[:-1] + b"\2", BOOLEAN, (1, 3))


# --- Damage ---


def test_nothing_there(tmp_path: Path) -> None:
    message = refusal(tmp_path / "none")
    assert "none/manifest.json: No such file" in message


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "Not a directory" in refusal(tmp_path / "file")


@pytest.mark.long
def test_every_changed_bit_is_found_and_its_member_named(folder: Path) -> None:
    """Also that of a header, and of the directory at the end; but for the last 22 bytes."""
    chance = random.Random(5)
    for name in (FILE, REAL, "div-int8.npz"):
        path = folder / name
        sound = path.read_bytes()
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
        starts = [info.header_offset for info in infos]
        central = sound.index(b"PK\x01\x02")
        entries = [central]  # of the directory, which are 46 bytes and a name
        for info in infos:
            entries.append(entries[-1] + 46 + len(info.filename))
        assert entries[-1] == len(sound) - 22
        chosen = [chance.randrange(len(sound) - 22) for _ in range(12)]
        chosen += [chance.choice(infos).header_offset + at for at in range(30)]
        chosen += [entries[chance.randrange(len(infos))] + at for at in range(46)]
        for at in chosen:
            data = bytearray(sound)
            data[at] ^= 1 << chance.randrange(8)
            path.write_bytes(data)
            places = starts if at < central else entries
            owner = infos[bisect.bisect_right(places, at) - 1].filename.removesuffix(".npy")
            case, _, member = owner.partition(".")
            message = refusal(folder)
            assert message.startswith(f"{path}: {case}: ")
            assert f"its member {member} has changed" in message
        data = bytearray(sound)
        data[-chance.randint(1, 22)] ^= 1
        path.write_bytes(data)
        assert refusal(folder).startswith(f"{path}: the end of the archive has changed")
        path.write_bytes(sound)
    assert len(list(load(folder))) > 30


@pytest.mark.parametrize("length", [0, 1, 100, -1, -22])
def test_truncated(folder: Path, length: int) -> None:
    path = folder / FILE
    path.write_bytes(path.read_bytes()[:length])
    assert str(path) in refusal(folder)
    with_its_hashes(folder, path.read_bytes() or b"\0")
    assert str(path) in refusal(folder)


def test_too_long(folder: Path) -> None:
    path = folder / FILE
    path.write_bytes(path.read_bytes() + b"\0")
    assert f"{path}: " in refusal(folder)


def test_missing(folder: Path) -> None:
    (folder / FILE).unlink()
    assert f"{folder / FILE}: it is missing" in refusal(folder)


def test_renamed(folder: Path) -> None:
    (folder / FILE).rename(folder / "mul-float16.npz")
    assert f"{folder / FILE}: it is missing" in refusal(folder)


def test_swapped(folder: Path) -> None:
    (folder / FILE).rename(folder / "x")
    (folder / REAL).rename(folder / FILE)
    (folder / "x").rename(folder / REAL)
    assert "div-" in refusal(folder)


@pytest.mark.parametrize("name", ["notes.txt", "mul-float16.npz", ".hidden", "manifest.json~"])
def test_extra(folder: Path, name: str) -> None:
    (folder / name).write_text("")
    assert refusal(folder) == (f"{folder / name}: the manifest does not have it: move it elsewhere")


@pytest.mark.parametrize("name", [FILE, "manifest.json"])
def test_links_folders_and_pipes(folder: Path, name: str) -> None:
    path = folder / name
    moved = path.rename(folder.parent / "moved")
    path.symlink_to(moved)
    assert f"{path}: " in refusal(folder)
    path.unlink()
    path.mkdir()
    assert f"{path}: " in refusal(folder)
    path.rmdir()
    os.mkfifo(path)
    assert f"{path}: not a regular file" in refusal(folder)


def test_a_file_that_may_not_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    assert f"{folder / 'manifest.json'}: Permission denied" in refusal(folder)


REJECTED = "onnx-mul-6-int32-rejected-0001"
ACCEPTED = "onnx-mul-6-int32-axis-0001"


@pytest.mark.parametrize(
    ("name", "change", "complaint"),
    [
        (REJECTED, {"violated": "ONNX-MUL-6.B.C9"}, "did you mean ONNX-MUL-6.B.C"),
        (REJECTED, {"violated": None}, "its class is rejected, and it violates nothing"),
        (
            REJECTED,
            {"shapes": {"a": [2], "b": [2], "expected": [2]}},
            "of a, b, expected, not of a, b;",
        ),
        (REJECTED, {"class": "axis"}, "in the place of onnx-mul-6-int32-axis-…"),
        (REJECTED, {"attributes": {"axes": 1}}, "no attribute axes: it has axis, broadcast"),
        (REJECTED, {"attributes": {"axis": "1"}}, "the attribute axis is '1', not int"),
        (
            "onnx-mul-6-int32-axis-0001",
            {"violated": "ONNX-MUL-6.B.C1"},
            "its class is axis, and it violates",
        ),
        (
            "onnx-mul-6-int32-axis-0001",
            {"class": "rejected"},
            "in the place of onnx-mul-6-int32-rejected-…",
        ),
        (
            "onnx-mul-6-int32-axis-0001",
            {"shapes": {"a": [2], "b": [2]}},
            "shapes of a, b, not of a, b, expected",
        ),
    ],
)
def test_what_the_manifest_says_of_rejections_and_attributes(
    systems: Path, name: str, change: dict[str, Any], complaint: str
) -> None:
    def other(value: dict[str, Any]) -> None:
        (case,) = [c for file in value["files"] for c in file["cases"] if c["name"] == name]
        case |= change

    assert any(case.name == name for case in load(systems))
    edit(systems, other)
    assert re.search(complaint, refusal(systems))


def test_a_result_in_the_place_of_a_rejection(systems: Path) -> None:
    """The archive has just the members that the manifest speaks of."""

    def without(value: dict[str, Any]) -> None:
        (case,) = [c for file in value["files"] for c in file["cases"] if c["name"] == REJECTED]
        case["class"], case["shapes"]["expected"] = "axis", case["shapes"]["a"]
        del case["violated"]
        case["name"] = REJECTED.replace("rejected-0001", "axis-9999")

    edit(systems, without)
    assert "member" in refusal(systems)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", " is not JSON"),
        ("{", " is not JSON"),
        ("[" * 100_000, " is no sonnx-formal/vectors/4: Expected `object`, got `array`"),
        ('{"x": ' + "[" * 100_000, ""),
        ('{"schema": "sonnx-formal/vectors/4", "x": ' + 950 * "[" + 950 * "]" + "}", " is no "),
        ("[]", " is no sonnx-formal/vectors/4: Expected `object`, got `array`"),
        ("{}", ": its schema is None"),
        ('{"schema": "sonnx-formal/vectors/2"}', ": its schema is 'sonnx-formal/vectors/2'"),
        ('{"schema": "sonnx-formal/vectors/4"}', " is no sonnx-formal/vectors/4: Object missing"),
        ('{"schema": "sonnx-formal/vectors/4", "origin": ' + "9" * 5000 + "}", " is no "),
        ("\ufffe", " is not JSON"),
    ],
)
def test_manifest_that_is_none(folder: Path, text: str, complaint: str) -> None:
    (folder / "manifest.json").write_text(text)
    message = refusal(folder)
    assert message.startswith(f"{folder / 'manifest.json'}{complaint}")
    assert message.endswith(": write it anew with `sonnx-formal vectors`")


def _set(*keys: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(value: Any) -> None:
        for key in keys[:-1]:
            value = value[key]
        value[keys[-1]] = to

    return change


CASE = ("files", 0, "cases", 0)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (_set("files", 0, "file", to="../../etc/passwd"), "'../../etc/passwd' is in the place of"),
        (_set("files", 0, "file", to="/etc/passwd"), "'/etc/passwd' is in the place of"),
        (_set("files", 0, "file", to="mul-int8.npz\n"), "mul-int8.npz"),
        (_set("files", 0, "file", to="mul-int8.npz"), "mul-int8.npz"),
        (_set("files", 0, "types", to=["int16"]), "div-int16.npz"),
        (_set("files", 0, "operator", to="matmul"), "matmul"),
        (_set("files", 0, "operator", to="mat"), "mat is not defined over real"),
        (_set("files", 0, "types", to=["int9"]), "div is not defined over int9"),
        (_set("files", 0, "bytes", to=10**12), "Expected `int` <= 268435456"),
        (_set("files", 0, "bytes", to="12"), "Expected `int`, got `str`"),
        (_set("files", 0, "sha256", to="0" * 64), "its contents have changed"),
        (_set(*CASE, "name", to="div-int8-nominal-0001"), "div-int8-nominal-0001"),
        (_set(*CASE, "name", to="../x"), "../x: it is in the place of div-real-example-…"),
        (_set(*CASE, "class", to="hazard"), "in the place of"),
        (_set(*CASE, "class", to="dangerous"), "Invalid enum value 'dangerous'"),
        (_set(*CASE, "requirements", to=["SONNX-DIV.R9"]), "no requirement 'SONNX-DIV.R9'"),
        (_set(*CASE, "requirements", to=[]), "of length >= 1"),
        (_set(*CASE, "members", 1, "sha256", to="0" * 64), "-0001: its member b has changed"),
        (_set(*CASE, "members", to=[]), "div-real-example-0001: there are 0 members and 3 shapes"),
        (_set(*CASE, "shapes", "a", to=[10**9, 10**9]), "<= 4194304"),
        (_set(*CASE, "shapes", "a", to=[4194304] * 32), "its shape is (3,), not (4194304"),
        (_set(*CASE, "shapes", "a", to=[1] * 33), "of length <= 32"),
        (_set(*CASE, "shapes", "a", to=[-3]), ">= 0"),
        (_set(*CASE, "shapes", "a", to=[1, 3]), "its shape is (3,), not (1, 3)"),
        (_set(*CASE, "shapes", "a", to=[3.5]), "Expected `int`, got `float`"),
        (_set(*CASE, "shapes", "c", to=[3]), "shapes of a, b, expected, c, not of a, b, expected"),
        (_set("files", 0, "bytes", to=100), "at most 100 expected"),
        (_set("origin", "seed", to=float("nan")), "is not JSON"),
        (_set("origin", "seed", to=-1), ">= 0"),
        (_set("surprise", to=1), "unknown field `surprise`"),
        (_set("origin", "tools", to={"why3": "x" * 1000}), "of length <= 200"),
    ],
)
def test_manifest_with_a_change(
    folder: Path, change: Callable[[dict[str, Any]], None], complaint: str
) -> None:
    edit(folder, change)
    message = refusal(folder)
    assert complaint in message
    assert str(folder) in message


def test_names_that_are_there_twice(folder: Path) -> None:
    edit(folder, lambda value: value["files"].append(value["files"][0]))
    assert "is there twice" in refusal(folder)


def test_cases_that_are_there_twice(folder: Path) -> None:
    edit(folder, lambda value: entry(value)["cases"].append(entry(value)["cases"][0]))
    assert "div-float16-example-0001 is there twice" in refusal(folder)


# --- Files that the manifest vouches for ---


def npy(descr: str, shape: str, elements: bytes, fortran: bool = False) -> bytes:
    """An .npy file with any header."""
    header = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + elements


class Trap:
    """Unpickled, it leaves a file behind."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self._path,)


def pickled(path: Path) -> bytes:
    """An .npy file that executes something when NumPy is allowed to unpickle it."""
    return npy("'|O'", "(3,)", pickle.dumps(Trap(path)))


def test_pickle_is_not_executed(folder: Path, tmp_path: Path) -> None:
    sprung = tmp_path / "sprung"
    with_its_hashes(
        folder, rewritten(folder / REAL, first_changed(lambda _: pickled(sprung))), REAL
    )
    assert "div-real-example-0001: not an .npy file of plain elements" in refusal(folder)
    with_its_hashes(folder, pickled(sprung), REAL)
    assert "not a sound .npz file" in refusal(folder)
    assert not sprung.exists()
    with suppress(AttributeError):  # the trap is one
        np.load(io.BytesIO(pickled(sprung)), allow_pickle=True)
    assert sprung.exists()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not an .npy file"),
        (b"\x93NUMPY", "not an .npy file"),
        (npy("'<f2'", "(3,)", b"\0" * 5), "5 bytes of elements, not 2 times 3"),
        (npy("'<f2'", "(3,)", b"\0" * 7), "7 bytes of elements, not 2 times 3"),
        (npy("'<f4'", "(3,)", b"\0" * 12), "the type of its elements is <f4, not <f2"),
        (npy("'>f2'", "(3,)", b"\0" * 6), "not an .npy file"),
        (npy("'|S2'", "(3,)", b"\0" * 6), "is |S2, not <f2"),
        (npy("'<f2'", "(3, 1)", b"\0" * 6), "its shape is (3, 1), not (3,)"),
        (npy("'<f2'", "(3,)", b"\0" * 6, fortran=True), "not an .npy file"),
        (npy("'<f2'", "(1000000000000,)", b"\0" * 6), "its shape is (1000000000000,)"),
        (npy("[('x', '<f2')]", "(3,)", b"\0" * 6), "not an .npy file"),
        (npy("'<f2'", "(3,) * 10**9", b"\0" * 6), "not an .npy file"),
        (npy("__import__('os').abort()", "(3,)", b"\0" * 6), "not an .npy file"),
        (b"\x93NUMPY\x03\x00" + b"\xff" * 4 + b"(" * 100, "not an .npy file"),
    ],
)
def test_members_that_are_not_what_they_should_be(
    folder: Path, content: bytes, complaint: str
) -> None:
    with_its_hashes(folder, rewritten(folder / FILE, first_changed(lambda _: content)))
    message = refusal(folder)
    assert message.startswith(f"{folder / FILE}: div-float16-example-0001: ")
    assert complaint in message


@pytest.mark.parametrize(
    "text",
    [b"1/0", b"2/4", b"-0", b"0x1", b" 1", b"1_0", b"1e9", b"nan", b"-inf", b"\xb2", b"1" * 5000],
)
def test_fractions_that_are_none(folder: Path, text: bytes) -> None:
    content = npy(f"'|S{len(text)}'", "(3,)", text * 3)
    with_its_hashes(folder, rewritten(folder / REAL, first_changed(lambda _: content)), REAL)
    assert "is not a fraction in lowest terms" in refusal(folder)


def test_a_compressed_file_is_refused_before_it_grows(folder: Path) -> None:
    """A zip bomb: 256 MiB of zeros in less than one."""
    zeros = bytes(1 << 20)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as bomb:
        with zipfile.ZipFile(folder / FILE) as old:
            names = old.namelist()
        with bomb.open(names[0], "w", force_zip64=True) as member:
            for _ in range(256):
                member.write(zeros)
        for name in names[1:]:
            bomb.writestr(name, b"")
    data = made.getvalue()
    assert len(data) < 1 << 20
    (folder / FILE).write_bytes(data)
    seal = hashlib.sha256(data).hexdigest()
    edit(folder, lambda value: entry(value).update(bytes=len(data), sha256=seal))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert f"{names[0]} is compressed or encrypted" in refusal(folder)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 100 << 10  # KiB


def test_members_that_overlap_are_refused(folder: Path) -> None:
    """Every entry of the directory claims to be the whole file."""
    data = bytearray((folder / FILE).read_bytes())
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        data[at + 20 : at + 28] = len(data).to_bytes(4, "little") * 2
        at = data.find(b"PK\x01\x02", at + 4)
    with_its_hashes_only(folder, bytes(data))
    assert "its members together are longer than the file" in refusal(folder)


def with_its_hashes_only(directory: Path, data: bytes) -> None:
    (directory / FILE).write_bytes(data)
    seal = hashlib.sha256(data).hexdigest()
    edit(directory, lambda value: entry(value).update(bytes=len(data), sha256=seal))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda name, old: None if "0001.b" in name else old, "is missing"),
        (lambda _, old: old, None),
    ],
)
def test_members_missing(
    folder: Path, change: Callable[[str, bytes], bytes | None], complaint: str | None
) -> None:
    with_its_hashes_only(folder, rewritten(folder / FILE, change))
    if complaint:
        assert complaint in refusal(folder)
    else:
        assert list(load(folder))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("../../outside.npy", "a member that the manifest has not: '../../outside.npy'"),
        ("/outside.npy", "a member that the manifest has not: '/outside.npy'"),
        ("div-float16-example-0001.a.npy", "there twice, or in another order"),
    ],
)
def test_members_too_many(folder: Path, name: str, complaint: str) -> None:
    made = io.BytesIO((folder / FILE).read_bytes())
    with zipfile.ZipFile(made, "a") as more:
        more.writestr(name, b"")
    with_its_hashes_only(folder, made.getvalue())
    assert complaint in refusal(folder)
    assert {path.name for path in folder.parent.iterdir()} == {"vectors"}


def test_random_damage_that_the_manifest_vouches_for(folder: Path) -> None:
    """It is refused, or does no harm; there is no other error than the one for users."""
    sound = (folder / FILE).read_bytes()
    chance = random.Random(6)
    central = sound.find(b"PK\x01\x02")
    refused: list[str] = []
    for _ in range(20):
        data = bytearray(sound)
        low = central if chance.getrandbits(1) else 0
        for _ in range(chance.randint(1, 8)):
            data[chance.randrange(low, len(data))] = chance.getrandbits(8)
        with_its_hashes_only(folder, bytes(data))
        try:
            list(load(folder))
        except UserError as error:
            refused.append(str(error))
    assert len(refused) > 8
    assert all(str(folder / FILE) in message for message in refused)


# --- Writing ---


def test_other_peoples_folders_are_left_alone(folder: Path) -> None:
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(UserError, match=r"has something else in it \(thesis.txt\)"):
        make(selected(_FEW, ("int8",)), 0, folder, lambda *_: None)
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "div-int8.npz").write_text("not of a folder of ours: no manifest")
    with pytest.raises(UserError, match="has something else in it"):
        make(selected(_FEW, ("int8",)), 0, folder, lambda *_: None)
    assert [path.name for path in folder.iterdir()] == ["div-int8.npz"]


def test_an_old_folder_is_replaced_as_a_whole(folder: Path) -> None:
    make(selected(_FEW, ("int8",)), 0, folder, lambda *_: None)
    names = [each.name for each in selected(_FEW, ("int8",))]
    assert names == ["mul-int8", "ov-multiply-1-int8"]
    assert set(snapshot(folder)) == {"manifest.json", *(f"{name}.npz" for name in names)}
    assert {path.name for path in folder.parent.iterdir()} == {"vectors"}


@pytest.mark.parametrize("there_before", [True, False])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_interrupted_writing_changes_nothing(
    folder: Path, there_before: bool, error: BaseException | type[BaseException]
) -> None:
    before = snapshot(folder)
    if not there_before:
        shutil.rmtree(folder)

    def fail(said: str, _current: str) -> None:
        if ", 1/" in said:
            raise error

    with pytest.raises((KeyboardInterrupt, UserError)) as raised:
        make(selected(_FEW, ("int8", "real")), 0, folder, fail)
    if raised.type is UserError:
        assert "No space left on device: nothing was changed" in str(raised.value)
    left = {path.name for path in folder.parent.iterdir()}
    assert left == ({"vectors"} if there_before else set())
    if there_before:
        assert snapshot(folder) == before


def test_interrupted_exchange_puts_the_old_folder_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(folder)
    rename = Path.rename
    monkeypatch.setattr(
        Path,
        "rename",
        lambda self, target: _interrupt() if self.name == "new" else rename(self, target),
    )
    with pytest.raises(KeyboardInterrupt):
        make(selected(_FEW, ("int8",)), 0, folder, lambda *_: None)
    assert snapshot(folder) == before


def _interrupt() -> Path:
    raise KeyboardInterrupt
