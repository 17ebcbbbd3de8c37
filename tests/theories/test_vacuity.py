"""Every precondition of an operator, and of what is cited, is shown to be satisfiable by a witness.

That the witness satisfies it is a goal that ``make prove`` proves; that none is missing is checked
here, on the text of the library. So is that every symbol without a body has a definition in its
place somewhere.
"""

from sonnx_formal.evidence.vacuity import parameters, preconditions
from sonnx_formal.prover.library import Library
from tests.theories.evaluator import LIBRARY


def test_every_precondition_has_a_witness() -> None:
    found = {symbol.name: symbol.witnesses for symbol in preconditions(Library.read(LIBRARY))}
    assert "ops/mul/definition.mlw:Mul.mul" in found
    assert "accuracy/matmul_accuracy.mlw:MatMulFloat32Accuracy.entry_bound" in found
    assert {name for name, witnesses in found.items() if not witnesses} == set()


def test_every_parameter_has_a_definition_in_its_place() -> None:
    found = {symbol.name: symbol.witnesses for symbol in parameters(Library.read(LIBRARY), LIBRARY)}
    assert "ops/neg/definition.mlw:NegReal" in found["ops/elementwise/unary.mlw:UnaryFacts.apply"]
    assert {name for name, witnesses in found.items() if not witnesses} == set()
