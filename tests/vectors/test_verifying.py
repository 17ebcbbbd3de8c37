"""`verify` says what is wrong, case by case."""

import json
import zipfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import BY_NAME, Array
from sonnx_formal.vectors.folder import verify
from sonnx_formal.vectors.manifest import read_manifest
from sonnx_formal.vectors.storage import Difference, to_member
from tests.vectors.test_storage import edit, rewritten, with_its_hashes, with_its_hashes_only


def differences(folder: Path) -> tuple[Difference, ...]:
    return verify(folder, lambda *_: None).differences


def change(
    folder: Path, element_type: str, member: str, new: Callable[[Array], Array]
) -> tuple[str, bytes]:
    """The file with a member that holds another array, of the same shape."""
    file = f"div-{element_type}.npz"
    with np.load(folder / file) as opened:
        old = opened[member]
    content = to_member(new(old), BY_NAME[element_type])
    return file, rewritten(
        folder / file, lambda name, before: content if name == f"{member}.npy" else before
    )


def test_sound_vectors(folder: Path) -> None:
    found = verify(folder, lambda *_: None)
    assert found.differences == ()
    assert found.verified == found.cases > 30


def test_says_how_far_it_is(folder: Path) -> None:
    steps: list[tuple[str, str]] = []
    verify(folder, lambda *step: steps.append(step))
    assert steps == [
        (f"verifying test vectors, {number}/3", f"{name}.npz")
        for number, name in enumerate(("div-real", "div-int8", "div-float16"))
    ]


def test_every_wrong_result_is_found(folder: Path) -> None:
    """Results of another division, vouched for by every hash."""

    def wrong(old: Array) -> Array:
        new = old.copy()
        new.flat[-1] = new.flat[-1] + np.int8(1)
        return new

    name = next(
        c.name for c in read_manifest(folder).files[1].cases if c.shapes["expected"] == (3,)
    )
    file, data = change(folder, "int8", f"{name}.expected", wrong)
    with_its_hashes(folder, data, file)
    [difference] = differences(folder)
    assert (difference.file, difference.case) == (file, name)
    assert difference.what == "the result is 8 at [2], the oracle says 7"


def test_signs_of_zeros_and_payloads_of_nans_count(folder: Path) -> None:
    entry = read_manifest(folder).files[2]
    with np.load(folder / entry.file) as opened:
        results = {case.name: opened[f"{case.name}.expected"] for case in entry.cases}
    for pattern, changed, text in [
        (0, 0x8000, "the result is -0 at"),
        (0x8000, 0, "the result is 0 at"),
        (0x7E00, 0x7E01, "the result is nan at"),
    ]:
        name, at = next(
            (name, np.flatnonzero(found)[0])
            for name, result in results.items()
            for found in [result.view(np.uint16) == pattern]
            if found.any()
        )

        def wrong(old: Array, at: int = int(at), bits: int = changed) -> Array:
            new = old.copy()
            new.view(np.uint16).flat[at] = bits
            return new

        file, data = change(folder, "float16", f"{name}.expected", wrong)
        sound = (folder / file).read_bytes()
        with_its_hashes(folder, data, file)
        [difference] = differences(folder)
        assert difference.case == name
        assert difference.what.startswith(text)
        with_its_hashes(folder, sound, file)


def test_wrong_fractions(folder: Path) -> None:
    def wrong(_: Array) -> Array:
        new = np.empty(3, object)
        new[:] = [Fraction(2), Fraction(3), Fraction(7, 2)]
        return new

    file, data = change(folder, "real", "div-real-example-0001.expected", wrong)
    with_its_hashes(folder, data, file)
    [difference] = differences(folder)
    assert str(difference) == (
        "div-real.npz: div-real-example-0001: the result is 7/2 at [2], the oracle says 7"
    )


def test_operands_outside_the_domain(folder: Path) -> None:
    file, data = change(folder, "int8", "div-int8-example-0001.b", np.zeros_like)
    with_its_hashes(folder, data, file)
    [difference] = differences(folder)
    assert difference.case == "div-int8-example-0001"
    assert difference.what.startswith("the operands violate SONNX-DIV.C2: ")


def test_a_changed_bit_is_found_and_placed(folder: Path) -> None:
    path = folder / "div-int8.npz"
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("div-int8-example-0001.expected.npy")
    data[info.header_offset + 30 + len(info.filename) + info.file_size - 1] ^= 64
    path.write_bytes(data)
    found = verify(folder, lambda *_: None)
    assert [str(each) for each in found.differences] == [
        "div-int8.npz: div-int8-example-0001: its member expected has changed"
    ]
    assert found.verified == found.cases - 1  # which does not contradict it


def test_several_files_are_wrong_at_once(folder: Path) -> None:
    (folder / "div-real.npz").unlink()
    (folder / "div-int8.npz").write_bytes(b"PK")
    (folder / "notes").write_text("")
    found = verify(folder, lambda *_: None)
    assert [(each.file, each.case) for each in found.differences] == [
        ("notes", None),
        ("div-real.npz", None),
        ("div-int8.npz", None),
    ]
    assert "No such file" in found.differences[1].what
    assert found.differences[2].what == "its contents have changed"
    assert found.verified == len(read_manifest(folder).files[2].cases)


def test_damaged_archives_do_not_stop_it(folder: Path) -> None:
    with_its_hashes_only(folder, b"PK\x05\x06" + b"\xff" * 18)
    [difference] = differences(folder)
    assert difference.file == "div-float16.npz"


def test_other_formal_sources(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sonnx_formal.vectors.folder.formal_sources_sha256", lambda: "0" * 64)
    [difference] = differences(folder)
    assert difference.file == "manifest.json"
    assert "generated from other formal sources" in difference.what
    assert "here 000000000000…" in difference.what


def test_an_oracle_that_lies_is_contradicted_by_the_vectors(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lie(_: Oracle, call: Call) -> Array:
        return call.arrays[0]

    monkeypatch.setattr(Oracle, "evaluate", lie)
    found = verify(folder, lambda *_: None)
    assert len(found.differences) > 20
    assert all(each.case for each in found.differences)


def rejected(systems: Path) -> dict[str, str]:
    """The name of the first case that violates each requirement."""
    found: dict[str, str] = {}
    for file in read_manifest(systems).files:
        for case in file.cases:
            found.setdefault(case.violated or "", case.name)
    return found


@pytest.mark.parametrize(
    ("violated", "change", "what"),
    [
        (
            "ONNX-MUL-6.B.C2",
            {"violated": "ONNX-MUL-6.B.C1"},
            "the operands violate ONNX-MUL-6.B.C2: ",
        ),
        (
            "ONNX-MUL-6.ATTR.BROADCAST",
            {"attributes": {"broadcast": 0}},
            "the operands do not violate ONNX-MUL-6.ATTR.BROADCAST: the oracle has a result",
        ),
        (
            "OV-MULTIPLY-1.ATTR.AUTO_BROADCAST",
            {"attributes": {"auto_broadcast": "numpy"}},
            "the operands do not violate OV-MULTIPLY-1.ATTR.AUTO_BROADCAST: the oracle has a",
        ),
    ],
)
def test_rejections_are_asked_for_anew(
    systems: Path, violated: str, change: dict[str, Any], what: str
) -> None:
    name = rejected(systems)[violated]

    def other(value: dict[str, Any]) -> None:
        (case,) = [c for file in value["files"] for c in file["cases"] if c["name"] == name]
        case |= change

    assert verify(systems, lambda *_: None).differences == ()
    edit(systems, other)
    [difference] = differences(systems)
    assert difference.case == name
    assert difference.what.startswith(what)


def test_no_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    with pytest.raises(UserError, match=r"manifest\.json: No such file"):
        verify(folder, lambda *_: None)


def test_requirements_of_the_manifest_are_checked(folder: Path) -> None:
    def unknown(value: dict[str, Any]) -> None:
        value["files"][0]["cases"][0]["requirements"].append("SONNX-DIV.EX9")

    edit(folder, unknown)
    assert json.loads((folder / "manifest.json").read_text())
    with pytest.raises(UserError, match=r"did you mean SONNX-DIV\.EX"):
        verify(folder, lambda *_: None)
