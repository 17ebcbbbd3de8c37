"""The ledger and what it is about: each difference is found."""

import importlib.metadata
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from sonnx_formal.core.errors import UserError
from sonnx_formal.evidence.trust.base import (
    LEDGER,
    Believed,
    BelievedDriver,
    Ledger,
    Symbols,
    TrustedBase,
    compare,
    read_ledger,
    trusted_base,
)
from sonnx_formal.evidence.trust.drivers import read_drivers
from sonnx_formal.evidence.trust.granted import IMPLICIT
from sonnx_formal.evidence.trust.tools import find_tools
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.tasks import DRIVER


def complete(base: TrustedBase) -> Ledger:
    """A ledger that accounts for all of it."""
    used = {*IMPLICIT, *(each.name for each in base.theories)}
    return Ledger(
        parameter=(Symbols("m.mlw:M", ("t", "f"), "a reason"),),
        assumed=(),
        stdlib=(
            Believed(
                names=tuple(each.name for each in base.theories),
                trusted_for="something",
                detected_by="something",
            ),
        ),
        driver=tuple(
            BelievedDriver(
                names=(driver.name,),
                sha256=driver.sha256 if driver.ours else None,
                theories=tuple(n for n in driver.theories() if driver.ours or n in used),
                trusted_for="printing",
                detected_by="tests",
            )
            for driver in base.drivers
        ),
        tool=(
            Believed(
                names=tuple(each.name for each in base.tools),
                trusted_for="something",
                detected_by="something",
            ),
        ),
        assumption=(),
    )


def differences(base: TrustedBase, ledger: Ledger) -> list[str]:
    return [str(difference) for difference in compare(base, ledger)]


def test_nothing_differs(library: Path) -> None:
    base = trusted_base(library, find_why3(), Ledger())
    assert differences(base, complete(base)) == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("module M axiom wrong: false end", "axiom wrong of n.mlw:M (line 1 of n.mlw)"),
        ("module M val f () : int end", "val f of n.mlw:M"),
        ("module M let f () = assume { false } end", "assume f of n.mlw:M"),
        ("module M use real.Square end", "theory real.Square"),
        ("module M use ieee_float.Float32 end", "theory ieee_float.GenericFloat"),
    ],
)
def test_what_is_new_is_unaccounted(library: Path, text: str, what: str) -> None:
    base = trusted_base(library, find_why3(), Ledger())
    ledger = complete(base)
    (library / "n.mlw").write_text(text)
    found = differences(trusted_base(library, find_why3(), Ledger()), ledger)
    assert any(each.startswith(f"unaccounted: {what}") for each in found), found


def test_what_is_gone_is_said(library: Path) -> None:
    base = trusted_base(library, find_why3(), Ledger())
    ledger = complete(base)
    (library / "m.mlw").write_text("module M type t end")
    found = differences(trusted_base(library, find_why3(), Ledger()), ledger)
    assert "gone: f of m.mlw:M: take it out of [[parameter]] of trusted_base.toml" in found
    assert "gone: theory int.Int: take it out of [[stdlib]] of trusted_base.toml" in found


def test_tools_and_drivers(library: Path) -> None:
    base = trusted_base(library, find_why3(), Ledger())
    ledger = complete(base)
    names = ledger.tool[0].names
    others = (*(name for name in names if name != "z3"), "oracle")
    other = structs.replace(ledger.tool[0], names=others)
    drivers = (structs.replace(ledger.driver[0], sha256="0" * 64), *ledger.driver[2:])
    found = differences(base, structs.replace(ledger, tool=(other,), driver=drivers))
    assert [each.partition(": say")[0].partition(": look")[0] for each in found] == [
        "unaccounted: driver smt-libv2.gen",
        "unaccounted: driver smtlib.drv as it is now",
        "unaccounted: tool z3",
        "gone: tool oracle: take it out of [[tool]] of trusted_base.toml",
    ]


def test_packages_are_followed_to_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = {
        "sonnx-formal": ["numpy>=2", "z3-solver", "rich[all]", "is-for-windows; os_name == 'nt'"],
        "rich": ["Pygments", "colours; extra == 'all'", "sonnx-formal"],
        "numpy": None,
    }

    def requires(name: str) -> list[str] | None:
        if name not in needed:
            raise PackageNotFoundError(name)
        return needed[name]

    monkeypatch.setattr(importlib.metadata, "requires", requires)
    tools = {tool.name: tool for tool in find_tools(find_why3())}
    assert {"colours", "numpy", "pygments", "rich"} <= tools.keys()
    assert not {"is-for-windows", "sonnx-formal", "z3-solver"} & tools.keys()
    assert (tools["numpy"].version, tools["colours"].version) == (np.__version__, None)


def test_a_driver_is_read_with_those_that_it_imports() -> None:
    why3 = find_why3()
    ours, *theirs = read_drivers(DRIVER, why3.drivers)
    assert (ours.name, ours.ours, ours.theories()) == (
        "smtlib.drv", True, ["int.EuclideanDivision"],
    )  # fmt: skip
    assert [(each.name, each.ours) for each in theirs] == [
        ("smt-libv2.gen", False),
        ("discrimination.gen", False),
    ]
    lines = {(each.theory, each.kind, each.text) for each in (*ours.mappings, *theirs[0].mappings)}
    assert ("int.EuclideanDivision", "syntax", 'function div "(div %1 %2)"') in lines
    assert ("int.EuclideanDivision", "remove", "prop Mod_bound") in lines
    assert ("int.Int", "syntax", 'function (*)  "(* %1 %2)"') in lines
    assert ("real.Real", "syntax", 'function (/)  "(/ %1 %2)"') in lines


def test_theories_are_followed_through_the_standard_library(library: Path) -> None:
    found = {each.name: each for each in trusted_base(library, find_why3(), Ledger()).theories}
    assert {"int.Int", "int.EuclideanDivision", "int.Abs", "algebra.Ring"} <= found.keys()
    assert "relations.TotalOrder" in found
    assert not any(name.startswith("real.") for name in found)
    assert found["int.EuclideanDivision"].axioms == 2 or find_why3().version != "1.5.1"
    assert found["algebra.Assoc"].axioms == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("what is this", "not readable TOML"),
        ("parameter = 1", r"Expected `array`, got `int` - at `\$\.parameter`"),
        (
            '[[tool]]\nnames = ["z3"]\ntrusted_for = " "',
            r"matching regex .* at `\$\.tool\[0\]\.trusted_for`",
        ),
        ('[[tool]]\nnames = "z3"', r"Expected `array`, got `str` - at `\$\.tool\[0\]\.names`"),
        ('[[assumption]]\nid = "A"\ntext = "t"\ndetected_by = "d"\n' * 2, "A is listed twice"),
    ],
)
def test_a_ledger_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / LEDGER).write_text(text)
    with pytest.raises(UserError, match=message):
        read_ledger(tmp_path)


def test_a_ledger_that_lists_each_once(tmp_path: Path) -> None:
    entry = '[[assumption]]\nid = "{}"\ntext = "t"\ndetected_by = "d"\n'
    (tmp_path / LEDGER).write_text(entry.format("A") + entry.format("B"))
    assert [each.id for each in read_ledger(tmp_path).assumption] == ["A", "B"]
