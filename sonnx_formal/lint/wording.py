"""Names and messages that come from a file or a library, as this program prints them."""


def one_line(text: object) -> str:
    """The text on one line, without characters that would steer a terminal."""
    line = " ".join(str(text).split())
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in line)
