"""Implementations of the operators, ours and others', behind one small interface."""

from sonnx_formal.backends.backend import Backend, RefusedError
from sonnx_formal.backends.catalogue import NAMES, OUR_OWN

__all__ = ["NAMES", "OUR_OWN", "Backend", "RefusedError"]
