"""Types and shapes by ONNX's own inference."""

from collections.abc import Callable

import onnx
from onnx import shape_inference

from sonnx_formal.lint.errors import ModelError
from sonnx_formal.lint.wording import one_line

Note = Callable[[str], None]


def inferred(model: onnx.ModelProto, note: Note) -> onnx.ModelProto:
    """The model with a type at every value for which one was found, in inner graphs, too.

    :param note: is told where inference contradicts the model; it then goes on without that node.

    Raises `ModelError` if there is no inference at all.
    """
    try:
        return shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    except (shape_inference.InferenceError, ValueError, RuntimeError) as error:
        note(f"shape inference: {one_line(error)}")
    try:
        return shape_inference.infer_shapes(model, strict_mode=False, data_prop=True)
    except (shape_inference.InferenceError, ValueError, RuntimeError) as error:
        raise ModelError(f"shape inference is not possible: {error}") from None
