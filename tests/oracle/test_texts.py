"""Elements that are texts: how users write them, and that the oracle gives each back as it was."""

import json

import numpy as np
import pytest

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Oracle, arrays
from sonnx_formal.oracle.evaluation import literals
from sonnx_formal.oracle.notation import element_text
from sonnx_formal.spec.element_types import TEXT

TEXTS = ["", "a", 'a "b", \\[c]', "1e5", "\n\t", "é", "e\u0301", "中文", "🙂", "x" * 70_000]
SHAPE = np.array([-1], np.int64)


def test_every_text_comes_back(oracle: Oracle) -> None:
    x = np.array(TEXTS).reshape(2, 5)
    result = oracle.apply("reshape", x, SHAPE, allowzero=0)
    assert result.tolist() == TEXTS
    assert oracle.apply("reshape", x[:, :0], SHAPE * 0, allowzero=1).shape == (0,)


def test_bytes_are_texts_of_utf_8(oracle: Oracle) -> None:
    encoded = np.array(["é".encode(), b""])
    assert oracle.apply("reshape", encoded, SHAPE, allowzero=0).tolist() == ["é", ""]
    for wrong in (np.array([b"\xff"]), np.array(["\ud800"])):
        with pytest.raises(TypeError, match="an element is no text"):
            arrays.tensor(wrong)


@pytest.mark.parametrize("element", TEXTS[:-1])
def test_what_is_shown_can_be_read(element: str) -> None:
    shown = element_text(element, TEXT)
    assert json.loads(shown) == element
    shape, found = literals(f"[{shown}, word]", TEXT)
    assert shape == (2,)
    assert [each.text for each in found] == [element, "word"]


@pytest.mark.parametrize("text", ['"a', '["a" "b"]', "[a,]", "", '"\\x"', '"a"b', '"\\ud800"'])
def test_what_is_no_text(text: str) -> None:
    with pytest.raises(UserError):
        literals(text, TEXT)
