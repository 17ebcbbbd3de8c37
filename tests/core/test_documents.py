"""Documents: what is written is read back, and what is wrong in a file is named."""

from pathlib import Path

import jsonschema
import msgspec
import pytest

from sonnx_formal.core import documents
from sonnx_formal.core.documents import Count, Document, Part, Sha256
from sonnx_formal.core.errors import UserError


class Fruit(Part, frozen=True):
    """A kind of fruit."""

    name: str
    pieces: Count
    digest: Sha256 | None = None


class Basket(Document, frozen=True, tag="sonnx-formal/basket/1"):
    """What is in a basket."""

    command = "basket --json PATH"

    fruits: tuple[Fruit, ...]


BASKET = Basket((Fruit("Äpfel", 3), Fruit("pear", 0, "0" * 64)))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "basket.json"
    documents.write(path, BASKET)
    assert documents.read(path, Basket) == BASKET
    assert path.read_text(encoding="utf-8").startswith('{\n "schema": "sonnx-formal/basket/1",\n')
    assert [file.name for file in path.parent.iterdir()] == ["basket.json"]


@pytest.mark.parametrize(
    "fruit",
    [Fruit("plum", -1), Fruit("plum", "many"), Fruit("plum", 1, "0123")],  # type: ignore[arg-type]
)
def test_a_value_of_another_type_is_not_written(fruit: Fruit, tmp_path: Path) -> None:
    path = tmp_path / "basket.json"
    with pytest.raises(msgspec.ValidationError, match=r"\$\.fruits\[0\]"):
        documents.write(path, Basket((fruit,)))
    assert not path.exists()


def test_a_value_that_comes_back_as_another_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(msgspec.ValidationError, match="Basket is read back as another"):
        documents.write(tmp_path / "basket.json", Basket([Fruit("plum", 1)]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not JSON"),
        ('{"schema": "\xff"}', "is not JSON"),
        ('{"x": ' * 100_000, "is not JSON"),
        ("[]", "is no sonnx-formal/basket/1: Expected `object`, got `array`"),
        ('{"fruits": []}', "its schema is None, not 'sonnx-formal/basket/1'"),
        ('{"schema": "sonnx-formal/basket/2"}', "'sonnx-formal/basket/2', not 'sonnx-formal/bas"),
        ('{"schema": "sonnx-formal/basket/1"}', "required field `fruits`"),
        (
            '{"schema": "sonnx-formal/basket/1", "fruits": [{"name": "plum", "pieces": "1"}]}',
            r"Expected `int`, got `str` - at `\$\.fruits\[0\]\.pieces`",
        ),
        (
            '{"schema": "sonnx-formal/basket/1", "fruits": [{"name": "a", "pieces": 1, "x": 1}]}',
            r"unknown field `x` - at `\$\.fruits\[0\]`",
        ),
    ],
)
def test_what_is_no_such_document_is_one_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "basket.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UserError, match=message) as raised:
        documents.read(path, Basket)
    said = str(raised.value)
    assert said.startswith(str(path))
    assert said.endswith("write it anew with `sonnx-formal basket --json PATH`")
    assert "\n" not in said


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file or directory: write it anew"):
        documents.read(tmp_path / "basket.json", Basket)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="could not be written"):
        documents.write(tmp_path / "file" / "basket.json", BASKET)


def test_the_schema_is_that_of_the_struct() -> None:
    schema = documents.schema(Basket)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    value = msgspec.json.decode(documents.encode(BASKET))
    validator.validate(value)
    for wrong in (
        value | {"schema": "sonnx-formal/basket/2"},
        value | {"weight": 1},
        value | {"fruits": [{"name": "plum"}]},
        value | {"fruits": [{"name": "plum", "pieces": -1}]},
        {"fruits": value["fruits"]},
    ):
        assert not validator.is_valid(wrong)
