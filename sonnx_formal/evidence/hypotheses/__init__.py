"""Which preconditions proofs use, by the unsat cores of provers: is a contract too strong?"""
