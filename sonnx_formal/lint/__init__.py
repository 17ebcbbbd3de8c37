"""Whether the nodes of an ONNX model are inside the SONNX profile."""

import os
import sys
from pathlib import Path
from types import ModuleType

import onnx

from sonnx_formal.lint.examination import Examination, examine
from sonnx_formal.lint.model import check, read


def lint(model: onnx.ModelProto | str | os.PathLike[str]) -> Examination:
    """Judge a model, in memory or in a file, as the command does. Raises `ModelError`."""
    if not isinstance(model, onnx.ModelProto):
        return examine(read(Path(model)), Path(model))
    path = Path("model")
    check(path, model)
    return examine(model, path)


class _Package(ModuleType):
    """This package is itself the function: `sonnx_formal.lint` names both."""

    __call__ = staticmethod(lint)


sys.modules[__name__].__class__ = _Package
