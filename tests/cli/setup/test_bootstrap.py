"""The bootstrap script, run in a copy of the tree with stubs in place of the real tools.

What the stubs cannot show (that the packages of a Debian release suffice) is tried by hand in fresh
machines; what they can is every decision that the script takes.
"""

import shutil
import signal
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
SCRIPT = Path("sonnx_formal/cli/setup/bootstrap.sh")
LOCK = Path("sonnx_formal/cli/setup/requirements.lock")
# What the script may take from the system: everything else is a stub, or not there.
SYSTEM_TOOLS = """
cat chmod cut dirname echo env flock mkdir mv printf rm sed sh sha256sum tail touch tr true xargs
"""

# Answers every probe, makes a virtual environment of itself, and logs what pip is asked to do.
PYTHON = """
case "$*" in
    -V) echo Python 3.11.0 ;;
    "-m venv "*) mkdir -p "$3/bin" && cat "$0" >"$3/bin/python" && chmod +x "$3/bin/python" ;;
    *"pip install"*) echo "pip $*" >>"$STUB_LOG"; exit ${PIP_STATUS:-0} ;;
esac
"""
# apt-get install brings the tools that prove needs, apt-get update nothing.
APT_GET = """
echo "$DEBIAN_FRONTEND apt-get $*" >>"$STUB_LOG"
case "$*" in *install*) mv "$STUB_HIDDEN"/* "$STUB_BIN" ;; esac
"""
SUDO = '[ "$1" = -n ] && shift; exec "$@"'
PROVING = ("why3", "ocamlopt", "ocamlfind", "cc")


@dataclass(frozen=True)
class Machine:
    """A machine on which only the stubs exist, with a copy of the repository's set-up files."""

    root: Path

    @property
    def bin(self) -> Path:
        return self.root / "bin"

    @property
    def tree(self) -> Path:
        return self.root / "tree"

    @property
    def log(self) -> list[str]:
        """What the stubs were asked to do since the last look."""
        file = self.root / "stub.log"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines

    def stub(self, name: str, body: str = ":", folder: str = "bin") -> None:
        path = self.root / folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def set_up(self, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": str(self.bin),
            "STUB_LOG": str(self.root / "stub.log"),
            "STUB_BIN": str(self.bin),
            "STUB_HIDDEN": str(self.root / "hidden"),
        }
        return subprocess.run(
            ["sh", self.tree / SCRIPT],
            env=environment | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )


@pytest.fixture
def bare(tmp_path: Path) -> Machine:
    """A user's machine, neither root nor sudo, with Python and nothing to prove with."""
    machine = Machine(tmp_path)
    for folder in (machine.bin, tmp_path / "hidden", machine.tree / SCRIPT.parent):
        folder.mkdir(parents=True)
    for name in (SCRIPT, LOCK, Path("pyproject.toml")):
        shutil.copy(REPOSITORY / name, machine.tree / name)
    for tool in SYSTEM_TOOLS.split():
        found = shutil.which(tool)
        assert found, tool
        (machine.bin / tool).symlink_to(found)
    machine.stub("id", "echo 1000")
    machine.stub("python3", PYTHON)
    machine.stub("apt-get", APT_GET)
    machine.stub("apt-cache")
    machine.stub("dpkg")
    for tool in PROVING:
        machine.stub(tool, folder="hidden")
    return machine


@pytest.fixture
def ready(bare: Machine) -> Machine:
    """A machine that has all the packages, and no virtual environment."""
    for tool in PROVING:
        bare.stub(tool)
    return bare


def test_neither_root_nor_sudo(bare: Machine) -> None:
    result = bare.set_up()
    assert result.returncode == 1
    assert "neither root nor may use sudo" in result.stderr
    assert (
        "apt-get update && apt-get install --no-install-recommends "
        "why3 ocaml-nox ocaml-findlib libzarith-ocaml-dev gcc libc6-dev cvc4\n"
    ) in result.stderr
    assert bare.log == []


def test_library_that_does_not_load(bare: Machine) -> None:
    bare.stub("python3", f'case "$*" in *CDLL*) exit 1 ;; esac\n{PYTHON}')
    assert "libc6-dev libpangoft2-1.0-0 libharfbuzz-subset0 " in bare.set_up().stderr


def test_sudo_that_is_refused(bare: Machine) -> None:
    bare.stub("sudo", "exit 1")
    result = bare.set_up()
    assert result.returncode == 1
    assert "neither root nor may use sudo" in result.stderr


def test_no_apt_get(bare: Machine) -> None:
    (bare.bin / "apt-get").unlink()
    result = bare.set_up()
    assert result.returncode == 1
    assert "these are missing: why3 ocaml-nox" in result.stderr
    assert "no apt-get" in result.stderr


def test_optional_package_unknown_to_the_release(bare: Machine) -> None:
    bare.stub("apt-cache", "exit 100")
    assert "cvc4" not in bare.set_up().stderr


@pytest.mark.parametrize("privilege", ["root", "sudo"])
def test_packages_are_installed_once(bare: Machine, privilege: str) -> None:
    if privilege == "root":
        bare.stub("id", "echo 0")
    else:
        bare.stub("sudo", SUDO)
    assert bare.set_up().returncode == 0
    update, install, *pip = bare.log
    assert update.startswith("noninteractive apt-get ")
    assert update.endswith(" update")
    assert "--no-install-recommends why3 ocaml-nox" in install
    assert all(line.startswith("pip ") for line in pip)
    shutil.rmtree(bare.tree / ".venv")
    assert bare.set_up().returncode == 0
    assert not any("apt-get" in line for line in bare.log)


def test_package_that_installs_but_does_not_work(bare: Machine) -> None:
    bare.stub("id", "echo 0")
    bare.stub("why3", "exit 127", folder="hidden")
    result = bare.set_up()
    assert result.returncode == 1
    assert "still missing or does not work: why3\n" in result.stderr


def test_second_run_does_nothing(ready: Machine) -> None:
    first = ready.set_up()
    assert first.returncode == 0
    locked, project = ready.log
    assert "--require-hashes" in locked
    assert "--no-deps --no-build-isolation -e" in project
    second = ready.set_up()
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert ready.log == []


@pytest.mark.parametrize("name", [SCRIPT, LOCK])
def test_changed_set_up_remakes_the_environment(ready: Machine, name: Path) -> None:
    ready.set_up()
    leftover = ready.tree / ".venv/leftover"
    leftover.touch()
    with (ready.tree / name).open("a") as file:
        file.write("# changed\n")
    ready.set_up()
    assert not leftover.exists()
    assert ready.set_up().stderr == ""


def test_changed_project_is_only_reinstalled(ready: Machine) -> None:
    ready.set_up()
    assert len(ready.log) == 2
    with (ready.tree / "pyproject.toml").open("a") as file:
        file.write("# changed\n")
    ready.set_up()
    [line] = ready.log
    assert "--no-deps" in line


def test_moved_tree_is_set_up_again(ready: Machine) -> None:
    ready.set_up()
    assert len(ready.log) == 2
    moved = Machine(ready.root.rename(ready.root.with_name("elsewhere")))
    moved.set_up()
    assert len(moved.log) == 2


def test_failed_step_is_named_and_redone(ready: Machine) -> None:
    failed = ready.set_up(PIP_STATUS="3")
    assert failed.returncode == 1
    assert "install the locked packages" in failed.stderr
    assert "exit code 3" in failed.stderr
    assert str(ready.tree / "build/setup.log") in failed.stderr
    assert ready.set_up().returncode == 0
    assert ready.set_up().stderr == ""


@pytest.mark.parametrize("program", ["apt-get", "python3"])
def test_interrupted_set_up_says_how_to_go_on(bare: Machine, program: str) -> None:
    bare.stub("id", "echo 0")
    interrupt = "kill -INT $PPID; exit 1"
    if program == "apt-get":
        bare.stub(program, interrupt)
    else:
        bare.stub(program, PYTHON.replace("exit ${PIP_STATUS:-0}", interrupt))
    result = bare.set_up()
    assert result.returncode == -signal.SIGINT
    assert result.stderr.endswith("setup: interrupted: the same command again carries on\n")
    assert not (bare.tree / ".venv/.venv-stamp").exists()


def test_killed_set_up_leaves_nothing_that_counts(ready: Machine) -> None:
    """pip kills the script (its parent), as a power cut would."""
    ready.stub("python3", PYTHON.replace("exit ${PIP_STATUS:-0}", "kill -9 $PPID"))
    killed = ready.set_up()
    assert killed.returncode < 0
    ready.stub("python3", PYTHON)
    leftover = ready.tree / ".venv/leftover"
    leftover.touch()
    assert ready.set_up().returncode == 0
    assert not leftover.exists()


def test_python_that_will_not_do_is_passed_over(ready: Machine) -> None:
    ready.stub("python3", "exit 1")
    ready.stub("python3.12", PYTHON.replace("3.11.0", "3.12.7"))
    assert "make .venv with Python 3.12.7" in ready.set_up().stderr


def test_old_python_is_refused(ready: Machine) -> None:
    """The probe itself decides on the version: shown to a real Python that claims to be old."""
    program = "import sys; sys.version_info = (3, 10); exec(sys.argv[1])"
    python = f'[ "$1" = -c ] || exit 9; exec {sys.executable} -c "{program}" "$2"'
    ready.stub("python3", python)
    ready.stub("python3.13", PYTHON.replace("3.11.0", "3.13.1"))
    assert "make .venv with Python 3.13.1" in ready.set_up().stderr
