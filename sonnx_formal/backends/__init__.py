"""Implementations of the operators, ours and others', behind one small interface."""
