"""Whether the Mul, Div and MatMul nodes of an ONNX model are inside the SONNX profile."""
