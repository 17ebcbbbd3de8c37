"""Tokens: what is code, and what is not."""

from sonnx_formal.prover.whyml import TokenKind, tokenize


def texts(text: str) -> list[str]:
    return [token.text for token in tokenize(text)]


def test_comments_are_left_out_and_operators_that_look_like_them_are_not() -> None:
    assert texts("a (* b (* c *) d *) e") == ["a", "e"]
    assert texts("(*) ( * ) (* never closed") == ["(", "*", ")", "(", "*", ")"]


def test_strings_and_attributes_are_one_token() -> None:
    tokens = tokenize('x "a (* \\" + b" [@expl:a + b] y')
    assert [token.kind for token in tokens] == [
        TokenKind.WORD,
        TokenKind.STRING,
        TokenKind.ATTRIBUTE,
        TokenKind.WORD,
    ]


def test_operators_are_whole() -> None:
    assert texts("a<->b/\\c <= d.e +. 1.0x") == [
        *("a", "<->", "b", "/\\", "c", "<=", "d", ".", "e", "+.", "1.0", "x")
    ]


def test_every_token_is_where_it_says() -> None:
    text = "let f' (x: 'a) =\n  x == 0x1F (* c *) § [1]"
    for token in tokenize(text):
        assert text[token.start : token.end] == token.text
    assert [token.text for token in tokenize(text) if token.kind is TokenKind.OTHER] == ["§"]
