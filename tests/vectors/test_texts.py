"""Texts in the files of test vectors: without pickle, and as they were."""

import io

import numpy as np
import pytest

from sonnx_formal.spec.element_types import TEXT
from sonnx_formal.vectors.archive import BadArchiveError
from sonnx_formal.vectors.elements import array, boundaries
from sonnx_formal.vectors.storage import from_member, to_member

TEXTS = [*boundaries(TEXT), "a\0b"]


def test_every_text_survives() -> None:
    made = array(TEXT, TEXTS, (len(TEXTS), 1))
    content = to_member(made, TEXT)
    assert from_member(content, TEXT, made.shape).tolist() == made.tolist()
    assert np.load(io.BytesIO(content), allow_pickle=False).tolist() == made.tolist()


@pytest.mark.parametrize("shape", [(0,), (2, 0, 3)])
def test_nothing(shape: tuple[int, ...]) -> None:
    content = to_member(array(TEXT, [], shape), TEXT)
    assert from_member(content, TEXT, shape).shape == shape


def test_the_same_texts_give_the_same_bytes() -> None:
    wide = np.array(["a", "b"], "<U9")
    assert to_member(wide, TEXT) == to_member(wide.astype(">U1"), TEXT)


@pytest.mark.parametrize("code", [0x110000, 0xD800, 0xFFFFFFFF])
def test_what_is_no_character(code: int) -> None:
    content = to_member(np.array(["a"]), TEXT)
    with pytest.raises(BadArchiveError, match="no text of Unicode"):
        from_member(content[:-4] + code.to_bytes(4, "little"), TEXT, (1,))


def test_another_type() -> None:
    with pytest.raises(BadArchiveError, match="the type of its elements is"):
        from_member(to_member(np.array(["a"]), TEXT).replace(b"<U1", b"|S4"), TEXT, (1,))
