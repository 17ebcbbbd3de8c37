"""The documents that `vectors --json` writes: what was made, or what was found of vectors."""

from collections import Counter
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from sonnx_formal.core.documents import Count, Document, Part
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.manifest import Manifest


class Generation(Document, frozen=True, tag="sonnx-formal/vectors-generation/1"):
    """Test vectors were generated and written."""

    command: ClassVar[str] = "vectors --json PATH"
    directory: str
    onnx_directory: str | None
    """Where the ONNX backend tests are, if there are any."""
    seed: Count
    files: Count
    bytes: Count
    cases: Count
    classes: dict[str, dict[CaseClass, Count]]
    """The number of cases by operator and class."""
    seconds: Annotated[float, Meta(ge=0)]

    @classmethod
    def of(
        cls, manifest: Manifest, directory: Path, onnx_directory: Path | None, seconds: float
    ) -> "Generation":
        """What became of the files of a manifest."""
        classes: dict[str, Counter[CaseClass]] = {}
        for file in manifest.files:
            mine = classes.setdefault(file.operator, Counter())
            mine.update(case.case_class for case in file.cases)
        return cls(
            directory=str(directory),
            onnx_directory=str(onnx_directory) if onnx_directory else None,
            seed=manifest.origin.seed,
            files=len(manifest.files),
            bytes=sum(file.bytes for file in manifest.files),
            cases=manifest.count,
            classes={operator: dict(each) for operator, each in classes.items()},
            seconds=round(seconds, 3),
        )


class Difference(Part, frozen=True):
    """Something that is not as it should be."""

    file: str
    case: str | None
    """null where the file as a whole is meant."""
    what: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.case, self.what) if part)


class Verification(Document, frozen=True, tag="sonnx-formal/vectors-verification/1"):
    """Test vectors were held against their hashes and against the oracle."""

    command: ClassVar[str] = "vectors --verify DIR --json PATH"
    directory: str
    cases: Count
    verified: Count
    """Cases whose expected result is what the oracle says."""
    differences: tuple[Difference, ...]
