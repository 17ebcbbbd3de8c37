"""`--fix`: explicit broadcasting, shown by runs to change nothing, then written."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import onnx

from sonnx_formal.core.files import write_atomically
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
    folder = examination.path.parent
    external = any(x.data_location == onnx.TensorProto.EXTERNAL for x in all_tensors(model))
    if external and output.parent.resolve() != folder.resolve():
        raise FixError(f"{output}: the model has external data, so that it has to stay beside it")
    chosen = broadcasts(examination)
    if not chosen:
        raise FixError(
            "there is no broadcasting that can be made explicit: none at all, or not with shapes"
            " that are known, outside functions, from opset 8 on"
        )
    original = with_inputs(model, fixed)
    changed = explicit(original, chosen)
    equivalence = require_same(original, changed, folder, step)
    after = examine(changed, output)
    try:
        write_atomically(output, changed.SerializeToString())
    except OSError as error:
        raise FixError(f"{output} could not be written: {error.strerror}") from None
    return Fix(output, tuple(each.name for each in chosen), equivalence, after)
