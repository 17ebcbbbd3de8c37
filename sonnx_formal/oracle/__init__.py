"""The formal definitions at work: results computed by the program that Why3 extracts from them."""

from sonnx_formal.oracle.frames import Inadmissible, OracleError
from sonnx_formal.oracle.oracle import Oracle, OracleDied, OracleTimeout, evaluate

__all__ = ["Inadmissible", "Oracle", "OracleDied", "OracleError", "OracleTimeout", "evaluate"]
