"""A user's command: `python commands.py HOW model.onnx A.pb B.pb … C.pb`."""

import os
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from sonnx_formal import reference as ops


def main() -> None:
    how, *files = sys.argv[1:]
    model, *operands, output = map(Path, files)
    match how:
        case "right":
            (node,) = onnx.load(model).graph.node
            arrays = [numpy_helper.to_array(onnx.load_tensor(file)) for file in operands]
            result = getattr(ops, node.op_type.lower())(*arrays)
            onnx.save_tensor(numpy_helper.from_array(result), output)
        case "lists":
            loaded = onnx.load(model)
            names = [path.name for path in operands]
            assert names == [f"{input_.name}.pb" for input_ in loaded.graph.input], names
            onnx.save_tensor(numpy_helper.from_array(np.array(len(names))), output)
        case "dies":
            os.abort()
        case "refuses":
            sys.exit("there is no such operator")
        case "writes nothing":
            pass
        case "writes rubbish":
            output.write_bytes(b"rubbish")


if __name__ == "__main__":
    main()
