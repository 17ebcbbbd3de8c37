"""Rules that are violated against those that are listed: `misra.py` asks cppcheck."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.kernels.misra import (
    BAD_INPUT,
    LISTED,
    Deviation,
    Deviations,
    Origin,
    Violations,
    deviations,
    differences,
    extracted_lines,
    main,
)

BOTH = frozenset(Origin)
LIST = Deviations("2.10", (Deviation("8.14", BOTH, "arrays are apart"),))


def test_what_is_violated_as_listed_is_fine() -> None:
    found = Violations({("8.14", Origin.EXTRACTED): 3, ("8.14", Origin.WRITTEN): 1})
    assert differences(found, LIST) == []


def test_a_rule_that_is_not_listed() -> None:
    found = Violations({("8.14", where): 1 for where in Origin})
    found["15.5", Origin.WRITTEN] = 2
    (said,) = differences(found, LIST)
    assert said.startswith("rule 15.5 is violated in written text, 2 times: mend it, or list it")


def test_a_rule_that_is_not_violated_any_more() -> None:
    found = Violations({("8.14", Origin.EXTRACTED): 3})
    assert differences(found, LIST) == [
        "rule 8.14 is not violated in written text: take it out of misra.toml"
    ]


def test_the_list() -> None:
    listed = deviations(LISTED.read_text()).listed
    rules = [tuple(map(int, each.rule.split("."))) for each in listed]
    assert rules == sorted(set(rules))
    assert all(each.where and each.reason.endswith(".") for each in listed)


def test_lines_between_the_marks(files: Path) -> None:
    text = (files / "sonnx.c").read_text()
    lines, extracted = text.splitlines(), set(extracted_lines(text))
    heads = {n for n, line in enumerate(lines, 1) if line.startswith("static inline ")}
    assert heads
    assert heads <= extracted
    assert not any("sonnx_platform_check" in lines[number - 1] for number in extracted)


def test_cppcheck_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Path) -> None:
    monkeypatch.setattr("sonnx_formal.kernels.build.find_library_files", lambda: [files / "x"])
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(main)
    assert result.exit_code == BAD_INPUT
    assert "run `apt-get install cppcheck`" in result.stderr
