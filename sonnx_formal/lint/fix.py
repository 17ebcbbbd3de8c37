"""`--fix`: explicit broadcasting, shown by runs to change nothing, then written."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx

from sonnx_formal.lint.equivalence import Equivalence, Step, require_same
from sonnx_formal.lint.errors import FixError
from sonnx_formal.lint.examination import Examination, examine
from sonnx_formal.lint.explicit import broadcasts, explicit
from sonnx_formal.lint.fixed_inputs import FixedInput, with_inputs
from sonnx_formal.lint.protobuf import all_tensors


@dataclass(frozen=True, eq=False)
class Fix:
    """What was changed, and what there is to say about the result."""

    output: Path
    explicit: tuple[str, ...]
    """The nodes that are broadcast explicitly now."""
    equivalence: Equivalence
    after: Examination
    """Of the model that was written."""


def fix(
    model: onnx.ModelProto,
    examination: Examination,
    fixed: Sequence[FixedInput],
    output: Path,
    step: Step,
) -> Fix:
    """Write the model with explicit broadcasting, and with the inputs that were given.

    :param step: is told what goes on.

    Raises `FixError` if nothing can be made explicit, if the runs differ or are not possible, or
    if the file cannot be written; nothing is written then.
    """
    _check_external_data(model, examination.path, output)
    chosen = broadcasts(examination)
    if not chosen:
        raise FixError(
            "there is no broadcasting that can be made explicit: none at all, or not with shapes"
            " that are known, outside functions, from opset 8 on"
        )
    original = with_inputs(model, fixed)
    changed = explicit(original, chosen)
    equivalence = require_same(original, changed, examination.path.parent, step)
    after = examine(changed, output)
    _write(output, changed.SerializeToString())
    return Fix(output, tuple(one.node.name for one in chosen), equivalence, after)


def _check_external_data(model: onnx.ModelProto, path: Path, output: Path) -> None:
    external = any(one.data_location == onnx.TensorProto.EXTERNAL for one in all_tensors(model))
    if external and output.parent.resolve() != path.parent.resolve():
        raise FixError(f"{output}: the model has external data, so that it has to stay beside it")


def _write(path: Path, content: bytes) -> None:
    """As a whole or not at all."""
    temporary = None
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        temporary = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise FixError(f"{path} could not be written: {error.strerror}") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
