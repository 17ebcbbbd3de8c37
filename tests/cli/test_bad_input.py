"""What no command foresees: a machine that is out of order, odd names, an error of our own."""

import errno
import io
import os
import signal
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sonnx_formal.cli.main import cli
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.lint.examination import Examination, ProfileShare
from sonnx_formal.lint.profile import LintVerdict
from sonnx_formal.report.seal import SUMS, check_hashes
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import check_attributes
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.vectors.archive import BadArchiveError, from_archive, to_archive
from tests.cli.test_commands import COMMANDS, OPERANDS, Shell
from tests.lint.models import binary, save

COMMAND = [sys.executable, "-m", "sonnx_formal"]
HERE = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return Shell(monkeypatch, capsys)


@pytest.mark.parametrize("name", COMMANDS)
def test_an_error_of_our_own_has_a_code_of_its_own(shell: Shell, name: str) -> None:
    """1 would be read as a verdict."""

    def fail(*_: object, **__: object) -> None:
        raise ValueError("no such\n\x1b[31mthing")

    shell.monkeypatch.setattr(COMMANDS[name], "callback", fail)
    shell.monkeypatch.delenv("SONNX_FORMAL_TRACEBACK", raising=False)
    status, out, err = shell(name, *OPERANDS.get(name, ()))
    assert (status, out, err.count("\n")) == (70, "", 1)
    assert err.startswith(r"sonnx-formal: an error of this program: ValueError: no such \x1b[31mt")
    assert "please report it" in err
    shell.monkeypatch.setenv("SONNX_FORMAL_TRACEBACK", "1")
    status, _, err = shell(name, *OPERANDS.get(name, ()))
    assert status == 70
    assert err.startswith("Traceback (most recent call last):")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_has_the_code(shell: Shell, name: str) -> None:
    _, out, _ = shell(name, "--help")
    assert "  70   an error of this program: please report it\n" in out
    assert "  141  nobody reads the output any more\n" in out


@pytest.mark.parametrize("given", [("stability", "--budget"), ("check", "--timeout")])
def test_what_is_no_number_is_no_time(shell: Shell, given: tuple[str, str]) -> None:
    status, _, err = shell(*given, "nan")
    assert (status, "nan is no time" in err) == (2, True)


def test_a_full_device_is_said(tmp_path: Path) -> None:
    model = str(save(binary("Mul"), tmp_path))
    with Path("/dev/full").open("wb") as full:
        for arguments in (["eval", "mul", "--type", "int8", "2", "3"], ["lint", model]):
            done = subprocess.run(
                [*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, check=False, env=HERE
            )
            assert done.returncode == 2
            said = b"sonnx-formal: standard output cannot be written: No space left on device\n"
            assert done.stderr == said


def test_who_reads_no_more_hears_no_verdict(tmp_path: Path) -> None:
    """1 would be one: of `eval`, which writes by Click, and of `lint`, which writes by Rich."""
    model = str(save(binary("Mul"), tmp_path))
    for arguments in (["eval", "mul", "--type", "int8", "2", "3"], ["lint", model], ["--help"]):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            done = subprocess.run(
                [*COMMAND, *arguments], stdout=pipe, stderr=subprocess.PIPE, check=False, env=HERE
            )
        assert (done.returncode, done.stderr) == (141, b"")


def test_a_pipe_of_our_own_that_breaks_is_a_defect(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_given: object, **_more: object) -> int:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(cli, "main", breaks)
    code, out, err = shell("doctor")
    assert (code, out) == (70, "")
    assert err.startswith("sonnx-formal: an error of this program: BrokenPipeError: ")


def test_a_working_directory_that_is_gone_is_said(tmp_path: Path) -> None:
    (tmp_path / "m.mlw").write_text("module M goal g: true end\n")
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"cd {gone}; rmdir {gone}; exec {' '.join(COMMAND)} prove {tmp_path}/m.mlw"
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, text=True, check=False, env=HERE
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "sonnx-formal: the working directory is not there any more: change to one that is\n"
    )


def test_names_that_are_too_long_are_said(shell: Shell, tmp_path: Path) -> None:
    name = str(tmp_path / ("n" * 300))
    for arguments in (
        ("lint", name),
        ("prove", name),
        ("verify-report", name),
        ("eval", "mul", "--type", "int8", "--file", name, name),
        ("eval", "mul", "--type", "int8", "1", "1", "--json", name),
        ("vectors", "-o", name),
        ("vectors", "--verify", name),
        ("check", "--vectors", name),
    ):
        status, _, err = shell(*arguments)
        assert (status, err.count("\n")) == (3 if arguments[0] == "lint" else 2, 1)
        assert "File name too long" in err


def test_a_device_is_no_folder_of_documents(shell: Shell) -> None:
    status, _, err = shell("report", "--from", os.devnull)
    assert (status, err.count("\n")) == (2, 1)
    assert "/dev/null is not a folder" in err


def test_names_that_are_no_utf_8(tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff\x1b[31m.onnx")
    save(binary("Mul"), tmp_path, odd)
    done = subprocess.run(
        [*COMMAND, "lint", odd, "--json", "out.json", "--sarif", "out.sarif"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        env=HERE,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\udcff\x1b[31m.onnx: conforms" in done.stdout
    assert b"\x1b" not in done.stdout
    found = documents.read(tmp_path / "out.json", Examination)
    assert found.model == r"\udcff\x1b[31m.onnx"
    assert (tmp_path / "out.sarif").read_text()


def test_a_document_with_such_a_name_is_not_written(tmp_path: Path) -> None:
    path, share = tmp_path / "x.json", ProfileShare(0, 0, ())
    found = Examination("a\udcff", LintVerdict.CONFORMS, 0, 0, (), (), share, ())
    with pytest.raises(UserError, match=r"'a\\udcff' is no UTF-8"):
        documents.write(path, found)
    assert not path.exists()


@pytest.mark.parametrize("value", [1.0, True, "1", [1]])
def test_an_attribute_is_of_its_kind(value: object) -> None:
    mul = operator("onnx-mul-6")
    with pytest.raises(UserError, match=r"the attribute axis is .*, not int"):
        check_attributes(mul, Attributes.of({"axis": value}))


def _zip64(place: int) -> bytes:
    """An archive whose one member begins far beyond any file."""
    data = bytearray(to_archive({"x": b"abc"}))
    directory = data.index(b"PK\x01\x02")
    data[directory + 42 : directory + 46] = b"\xff" * 4
    extra = struct.pack("<HHQ", 1, 8, place)
    data[directory + 30 : directory + 32] = struct.pack("<H", len(extra))
    name_end = directory + 46 + len("x.npy")
    data[name_end:name_end] = extra
    end = data.index(b"PK\x05\x06")
    data[end + 12 : end + 16] = struct.pack("<I", end - directory)
    return bytes(data)


@pytest.mark.parametrize("place", [1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
def test_a_member_beyond_the_end_of_its_archive(place: int) -> None:
    data = _zip64(place)
    assert zipfile.ZipFile(io.BytesIO(data)).namelist() == ["x.npy"]
    with pytest.raises(BadArchiveError, match="not a sound"):
        from_archive(data, ["x"])


def _fifo(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("name", "make", "said"),
    [
        ("evidence.json", _fifo, "is a link, or no regular file"),
        ("added", _fifo, "does not have it: it was added"),
        ("evidence.json", lambda path: path.write_text('{"documents": ' + "[" * 950), ""),
        (SUMS, lambda path: path.write_bytes(b"\xff"), "cannot be read"),
    ],
)
def test_a_report_folder_is_looked_at_whatever_is_in_it(
    tmp_path: Path, name: str, make: Callable[[Path], object], said: str
) -> None:
    (tmp_path / SUMS).write_text(f"{'0' * 64}  evidence.json\n")
    (tmp_path / name).unlink(missing_ok=True)
    make(tmp_path / name)
    assert any(said in flaw.what for flaw in check_hashes(tmp_path).flaws)
