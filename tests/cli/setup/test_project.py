"""The files around the code keep their promises to each other."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).parents[3]
PACKAGE = REPOSITORY / "sonnx_formal"
SUBJECTS = [
    "prove",
    "test",
    "test-all",
    "replay",
    "lint",
    "bench",
    "compare",
    "machines",
    "misra",
    "kernels",
    "vectors",
    "check",
    "report",
]
TARGETS = [*SUBJECTS, "clean", "help"]


def make(target: str, folder: Path = REPOSITORY) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", target],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


def locked_versions() -> dict[str, str]:
    lock = (REPOSITORY / "sonnx_formal/cli/setup/requirements.lock").read_text()
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", lock, re.MULTILINE))


def requirements() -> list[Requirement]:
    """What pyproject.toml asks for: to run, alone or in a cluster, to develop and to build."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    groups = (
        project["project"]["dependencies"],
        *project["project"]["optional-dependencies"].values(),
        project["dependency-groups"]["dev"],
        project["build-system"]["requires"],
    )
    return [Requirement(line) for group in groups for line in group]


@pytest.mark.parametrize("requirement", requirements(), ids=lambda each: each.name)
def test_lock_satisfies_the_project(requirement: Requirement) -> None:
    locked = locked_versions()[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(locked)


def test_every_locked_package_has_a_hash() -> None:
    lock = (REPOSITORY / "sonnx_formal/cli/setup/requirements.lock").read_text()
    entries = re.split(r"\n(?=[a-z])", re.sub(r"^#.*\n", "", lock, flags=re.MULTILINE))
    assert len(entries) == len(locked_versions())
    for entry in entries:
        assert "--hash=sha256:" in entry, entry


def test_lock_names_no_host_and_no_path() -> None:
    lock = (REPOSITORY / "sonnx_formal/cli/setup/requirements.lock").read_text()
    assert not re.search(r"://|--(extra-)?index|--find-links|--trusted|file:|\s/", lock)


@pytest.mark.parametrize("goal", ["help", ""])
def test_help_lists_every_target(goal: str) -> None:
    result = make(goal) if goal else make("--silent")
    assert result.returncode == 0
    for target in TARGETS:
        assert re.search(rf"^make {target}\s+\S", result.stdout, re.MULTILINE), target


def test_clean_needs_no_set_up_and_keeps_the_sources(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text((REPOSITORY / "Makefile").read_text())
    for stale in (
        "build/x",
        ".mypy_cache/x",
        "sonnx_formal/__pycache__/x",
        "tests/a/__pycache__/x",
    ):
        (tmp_path / stale).parent.mkdir(parents=True)
        (tmp_path / stale).touch()
    for kept in ("sonnx_formal/a.py", "tests/test_a.py"):
        (tmp_path / kept).touch()
    result = make("clean", tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"Makefile", "sonnx_formal/a.py", "tests/test_a.py"}


def test_ci_runs_the_tests_and_the_replay() -> None:
    script = (REPOSITORY / ".ci/run").read_text()
    called = set(re.findall(r"^target (\S+)$", script, re.MULTILINE))
    assert {"test-all", "replay", "lint"} <= called <= {"setup", *TARGETS}


@pytest.mark.parametrize("failing", ["lint", "replay", "test-all", None])
def test_ci_fails_when_one_target_fails(tmp_path: Path, failing: str | None) -> None:
    (tmp_path / ".ci").mkdir()
    script = tmp_path / ".ci/run"
    script.write_text((REPOSITORY / ".ci/run").read_text())
    (tmp_path / "Makefile").write_text(
        "setup:\nlint replay test-all:\n\t@echo ran $@; [ $@ != '" + (failing or "none") + "' ]\n"
    )
    result = subprocess.run(
        ["bash", script], capture_output=True, text=True, timeout=20, check=False
    )
    assert (result.returncode != 0) == (failing is not None)
    for target in ("lint", "replay", "test-all"):
        assert f"ran {target}" in result.stdout


def test_readme_names_only_targets_that_exist() -> None:
    readme = (REPOSITORY / "README.md").read_text()
    named = set(re.findall(r"(?:^|`|\$ )make ([a-z-]+)", readme, re.MULTILINE))
    assert {"prove", "test", "replay"} <= named <= set(TARGETS)


def test_readme_quotes_the_library_as_it_is() -> None:
    readme = (REPOSITORY / "README.md").read_text()
    (quoted,) = re.findall(r"```why3\n(.*?)```", readme, re.DOTALL)
    assert quoted in (REPOSITORY / "why3/ops/add/definition.mlw").read_text()


@pytest.mark.parametrize("path", [REPOSITORY / "README.md", *PACKAGE.glob("*/README.md")], ids=str)
def test_links_of_a_readme_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", path.read_text())
    assert [link for link in links if "://" not in link and not (path.parent / link).exists()] == []
    assert len(path.read_text().splitlines()) <= 200


def test_each_folder_says_what_it_is_for() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders - {path.parent.name for path in PACKAGE.glob("*/README.md")} == set()
