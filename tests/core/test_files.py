"""Files that are none: devices, pipes, links; and names that are too long."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from sonnx_formal.core import files
from sonnx_formal.core.errors import UserError


def test_a_link_stays_one_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there/file").write_text("before")
    (tmp_path / "link").symlink_to("there/file")
    (tmp_path / "new").symlink_to("there/not yet")
    for name, end in (("link", "file"), ("new", "not yet")):
        files.write_file(tmp_path / name, "after")
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / "there" / end).read_text() == "after"
    assert sorted(files.names_in(tmp_path / "there")) == ["file", "not yet"]


def test_a_link_that_leads_to_itself_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UserError, match="could not be written: Too many levels"):
        files.write_file(tmp_path / "loop", "x")
    assert files.why_not_writable(tmp_path / "loop") == "Too many levels of symbolic links"


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    master, slave = os.openpty()
    (tmp_path / "terminal").symlink_to(os.ttyname(slave))
    assert files.why_not_writable(tmp_path / "terminal") == ""
    files.write_file(tmp_path / "terminal", "words")
    assert os.read(master, 100) == b"words"
    assert stat.S_ISCHR((tmp_path / "terminal").stat().st_mode)
    os.close(master)
    os.close(slave)


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    descriptor = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)  # there is a reader
    reader.start()
    content = bytes(1 << 20)  # more than a pipe holds
    files.write_file(tmp_path / "pipe", content)
    os.close(descriptor)
    reader.join()
    assert read == [content]
    assert stat.S_ISFIFO((tmp_path / "pipe").lstat().st_mode)


def test_nobody_is_waited_for_who_reads_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UserError, match="could not be written: nobody reads from it"):
        files.write_file(tmp_path / "pipe", "x")


@pytest.mark.parametrize(("stream", "descriptor"), [("stdout", 1), ("stderr", 2)])
def test_the_file_that_is_standard_output_is_not_replaced(
    tmp_path: Path, stream: str, descriptor: int
) -> None:
    program = (
        "import sys; from pathlib import Path; from sonnx_formal.core.files import write_file;"
        f"print('before', file=sys.{stream});"
        f"write_file(Path('/dev/fd/{descriptor}'), 'between\\n');"
        f"print('after', file=sys.{stream})"
    )
    with (tmp_path / "out").open("wb") as out:
        given: dict[str, Any] = {stream: out}
        subprocess.run([sys.executable, "-c", program], check=True, **given)
    assert (tmp_path / "out").read_text() == "before\nbetween\nafter\n"


def test_the_rights_of_a_file_stay(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("before")
    (tmp_path / "file").chmod(0o600)
    files.write_file(tmp_path / "file", "after")
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600


@pytest.mark.parametrize("length", [250, 255])
def test_a_name_may_be_as_long_as_the_system_has_them(tmp_path: Path, length: int) -> None:
    files.write_file(tmp_path / ("n" * length), "x")
    with files.replaced(tmp_path / ("f" * length), "marker", ()) as folder:
        (folder / "marker").touch()
    assert sorted(map(len, files.names_in(tmp_path))) == [length, length]


def test_a_name_that_is_too_long_is_said(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 256)
    with pytest.raises(UserError, match="File name too long"):
        files.write_file(path, "x")
    assert files.why_not_writable(path) == "File name too long"


def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        with pytest.raises(UserError, match="not a regular file: put the file itself"):
            files.read_given(tmp_path / name)
    with pytest.raises(UserError, match="put the file itself in its place"):
        files.read_file(tmp_path / "link")
    with pytest.raises(UserError, match="not a regular file"):
        files.read_given(Path(os.devnull))


def test_a_search_finds_neither_dot_files_nor_its_way_in_circles(tmp_path: Path) -> None:
    for name in ("b.mlw", ".b.mlw", ".dot/c.mlw", "a/c.mlw", "a/c.txt", "d.mlw/e.mlw"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "a/up").symlink_to("..")
    (tmp_path / ".#b.mlw").symlink_to("somebody@somewhere")
    os.mkfifo(tmp_path / "a/pipe.mlw")
    found = [path.relative_to(tmp_path).as_posix() for path in files.files_below(tmp_path, ".mlw")]
    assert found == ["a/c.mlw", "a/pipe.mlw", "b.mlw", "d.mlw/e.mlw"]
    assert files.files_below(tmp_path / "nowhere") == []


def test_a_file_that_does_not_tell_its_size_is_not_read_beyond_the_most() -> None:
    place = Path("/proc/self/status")
    assert place.stat().st_size == 0
    assert files.read_given(place)
    with pytest.raises(UserError, match="longer than the 10 bytes"):
        files.read_given(place, longest=10)
