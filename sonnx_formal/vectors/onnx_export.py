"""Test vectors as ONNX backend tests: a folder a case, with a model, operands and the result.

The layout is that of the tests that ONNX comes with, for `load_model_tests(DIR, KIND)` of
`onnx.backend.test.loader` and for runtimes' own runners; the kinds are the operators, and apart
from them the hazards, which end some runtimes:

    DIR/mul/test_mul_float32_tie_0007/model.onnx
                                      data.json
                                      test_data_set_0/input_0.pb input_1.pb output_0.pb

`tests.json` says what they were generated from, and has the SHA-256 of every file.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, ClassVar

import onnx
from msgspec import Meta
from onnx import helper

from sonnx_formal.core import documents
from sonnx_formal.core.documents import Document, Part, Sha256
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import read_file
from sonnx_formal.spec.attributes import Attributes, AttributeValue
from sonnx_formal.spec.catalogue import instances, operators
from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.onnx_files import DATA, MODEL, RESULT, array_in, files_of, tensor_bytes
from sonnx_formal.spec.onnx_model import has_valid_model, model
from sonnx_formal.spec.operator import Arithmetic
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.archive import sha256
from sonnx_formal.vectors.manifest import Case, Origin, call_of
from sonnx_formal.vectors.storage import Difference

TESTS = "tests.json"
_TOLERANCE = "data.json"
_HAZARDS = "hazard"
_LONGEST = 64 << 20
_File = Annotated[
    str, Meta(pattern=r"^(model\.onnx|data\.json|test_data_set_0/(input_[0-9]+|output_0)\.pb)$")
]


class OnnxTest(Part, frozen=True):
    """A test, which is a case of the vectors."""

    folder: Annotated[str, Meta(pattern="^[a-z0-9_-]+/test_[a-z0-9_]+$")]
    """From the root: `mul/test_mul_float32_tie_0007`."""
    name: str
    """That of the case."""
    operator: str
    types: tuple[str, ...]
    case_class: CaseClass
    requirements: tuple[str, ...]
    attributes: dict[str, AttributeValue]
    sha256: dict[_File, Sha256]
    """Of its files, by their names in the folder."""


class OnnxTests(Document, frozen=True, tag="sonnx-formal/onnx-tests/1"):
    """All tests in a folder."""

    command: ClassVar[str] = "vectors --onnx DIR"
    origin: Origin
    tests: tuple[OnnxTest, ...]


def layout() -> list[str]:
    """The names of all else in the folder."""
    return [*(operator.name for operator in operators() if operator.onnx), _HAZARDS]


def export(root: Path, origin: Origin, cases: Iterable[Case]) -> None:
    """Write those cases that have a result and that ONNX has, to a folder. Raises `OSError`."""
    tests = []
    for case in cases:
        if has_valid_model(case.instance) and not case.violated:
            operator = case.instance.operator
            kind = _HAZARDS if case.case_class is CaseClass.HAZARD else operator.name
            folder = f"{kind}/test_{case.name.replace('-', '_')}"
            files = files_of(case.call, _model(case, origin))
            files[RESULT] = tensor_bytes(operator.output.name, case.expected)
            if _has_one_result(case):  # else the runner's own tolerance
                files[_TOLERANCE] = b'{"rtol": 0.0, "atol": 0.0}\n'
            (root / folder / DATA).mkdir(parents=True)
            for name, content in files.items():
                (root / folder / name).write_bytes(content)
            types = tuple(type_.name for type_ in case.instance.types)
            about = case.name, operator.name, types, case.case_class, case.requirements
            attributes = case.call.attributes.as_json()
            hashes = {name: sha256(content) for name, content in files.items()}
            tests.append(OnnxTest(folder, *about, attributes, hashes))
    documents.write(root / TESTS, OnnxTests(origin, tuple(tests)))


def read_tests(root: Path) -> OnnxTests:
    """Raises `UserError`."""
    return documents.decode(read_file(root / TESTS, _LONGEST), OnnxTests, root / TESTS)


def foreign(root: Path, tests: OnnxTests) -> list[str]:
    """The files that no test has."""
    ours = {TESTS, *(f"{test.folder}/{name}" for test in tests.tests for name in test.sha256)}
    every = (path for path in root.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted({str(path.relative_to(root)) for path in every} - ours)


def read_test(root: Path, test: OnnxTest) -> Iterator[Case | Difference]:
    """The case that a test stands for; or what is wrong with it, file by file."""
    files: dict[str, bytes] = {}
    sound = True
    for name, seal in test.sha256.items():
        path = root / test.folder / name
        try:
            files[name] = read_file(path, _LONGEST)
            what = None if sha256(files[name]) == seal else "its contents have changed"
        except UserError as error:
            what = str(error).removeprefix(f"{path}: ")
        if what:
            sound = False
            yield Difference(f"{test.folder}/{name}", test.name, what)
    if sound:
        try:
            case = _case(test, files)
        except Exception as error:  # whatever ONNX says
            yield Difference(test.folder, test.name, f"no such test: {error!r}")
        else:
            yield case


def _case(test: OnnxTest, files: dict[str, bytes]) -> Case:
    label = f"{test.operator}-{'-'.join(test.types)}"
    instance = next(each for each in instances() if each.name == label)
    made = onnx.ModelProto.FromString(files[MODEL])
    (node,) = made.graph.node
    arrays = {
        port.name: array_in(files[f"{DATA}/input_{number}.pb"])
        for number, port in enumerate(made.graph.input)
    }
    operands = tuple(arrays.get(name) for name in node.input)
    attributes = Attributes.of_json(instance.operator.attributes, test.attributes)
    call = call_of(instance, operands, attributes)
    result = array_in(files[RESULT])
    return Case(test.name, instance, call, test.case_class, test.requirements, result)


def _model(case: Case, origin: Origin) -> onnx.ModelProto:
    made = model(case.call, result=case.expected.shape)
    made.producer_name = "sonnx-formal"
    made.doc_string = f"{case.name}: {', '.join(case.requirements)}"
    properties = {
        "class": case.case_class.value,
        "requirements": " ".join(case.requirements),
        "seed": str(origin.seed),
        "formal_sources_sha256": origin.formal_sources_sha256,
        "oracle_sha256": origin.oracle_sha256,
    }
    helper.set_model_props(made, properties)
    return made


def _has_one_result(case: Case) -> bool:
    instance, arrays = case.instance, case.call.arrays
    if instance.multiplies_floats:
        return bool(arrays[0].shape[1] <= 1)
    floats = instance.type_of(instance.operator.output).family is Family.FLOAT
    several = instance.operator.arithmetic is Arithmetic.SUM and len(arrays) > 2  # noqa: PLR2004
    return not (instance.sums_floats or (floats and several))
