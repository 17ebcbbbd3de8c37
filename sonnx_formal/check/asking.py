"""Who is asked: which implementations are here, and what they say that they support."""

from collections.abc import Set

from sonnx_formal.backends.catalogue import OURS
from sonnx_formal.backends.process import NotAvailableError, Worker
from sonnx_formal.check.document import CheckedBackend
from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.operator import Instance


def asked(worker: Worker, required: Set[str]) -> CheckedBackend:
    """What is known of a backend. Raises `UserError` for a required one that is not installed."""
    name, version, missing = worker.name, None, None
    try:
        version = worker.version()
    except NotAvailableError as error:
        missing = str(error)
        if name in required:
            raise UserError(f"{name}, which is required, is not installed: {error}") from None
    return CheckedBackend(name, version, name in OURS, missing, name in required, failed=False)


def supports(worker: Worker, instance: Instance) -> bool:
    """Whether it says so; where it dies of the question, what it dies of is told by each trial."""
    try:
        return worker.supports(instance)
    except NotAvailableError:
        return True
