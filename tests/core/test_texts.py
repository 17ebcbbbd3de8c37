"""Texts of strangers where they are shown."""

import io

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.core import texts
from sonnx_formal.core.terminal import PrintableHook

STEERS = "\x1b]0;title\x07\x1b[31mred\x9b\u202e\udcff\r"


def test_nothing_steers_a_terminal() -> None:
    shown = texts.printable(f"a\tb\n{STEERS}é")
    assert shown == r"a" + "\tb\n" + r"\x1b]0;title\x07\x1b[31mred\x9b\u202e\udcff\r" + "é"
    assert texts.one_line("a\n b\x1b") == r"a b\x1b"


def test_whatever_a_console_prints_goes_through_it() -> None:
    out = io.StringIO()
    console = Console(file=out, width=100)
    console.push_render_hook(PrintableHook())
    table = Table("name")
    table.add_row(Text("\x1b[2J"))
    console.print(table, "\x1b[2J\udcff", Text("x", "red"))
    assert "\x1b" not in out.getvalue()
    assert out.getvalue().count(r"\x1b[2J") == 2
    styled = io.StringIO()
    console = Console(file=styled, force_terminal=True, color_system="standard")
    console.push_render_hook(PrintableHook())
    console.print(Text("x", "red"))
    assert styled.getvalue() == "\x1b[31mx\x1b[0m\n"


def test_markdown_has_no_markup_of_others() -> None:
    assert texts.markdown("| <b>\n[x](y) `a_b` *c*") == r"\| \<b\> \[x\](y) `a_b` \*c\*"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula(start: str) -> None:
    assert texts.csv_cell(f"{start}1+1") == f"'{start}1+1"
    assert texts.csv_cell(f"1{start}1") == f"1{start}1"
