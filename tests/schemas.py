"""JSON against the schema of a kind of document."""

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from sonnx_formal.core.documents import Document, schema


def validate(value: Any, type_: type[Document]) -> None:
    """Raises `jsonschema.ValidationError` where it is not as the schema says."""
    _validator(type_).validate(value)


@cache
def _validator(type_: type[Document]) -> Draft202012Validator:
    """The schema itself is looked at once, which takes longer than most values do."""
    Draft202012Validator.check_schema(schema(type_))
    return Draft202012Validator(schema(type_))
