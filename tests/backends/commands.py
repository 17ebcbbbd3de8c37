"""A user's command: `python commands.py HOW model.onnx A.pb B.pb C.pb`."""

import os
import sys
from pathlib import Path

import onnx
from onnx import numpy_helper

from sonnx_formal import reference as ops


def main() -> None:
    how, *files = sys.argv[1:]
    model, left, right, output = map(Path, files)
    match how:
        case "right":
            (node,) = onnx.load(model).graph.node
            a, b = (numpy_helper.to_array(onnx.load_tensor(one)) for one in (left, right))
            result = getattr(ops, node.op_type.lower())(a, b)
            onnx.save_tensor(numpy_helper.from_array(result), output)
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
