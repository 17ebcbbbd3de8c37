"""Documents on libsonnx that the report does not make, but takes: whether they hold now."""

from sonnx_formal.kernels.document import KernelLibrary
from sonnx_formal.kernels.targets import OnLibsonnx

SOURCE = "sonnx.c"


def why_stale(document: OnLibsonnx, kernels: KernelLibrary | None, library: str) -> str | None:
    """Why it says nothing of libsonnx as it is; None where it does.

    :param library: the hash of the formal library.
    """
    theirs = document.sonnx_c_sha256
    files = kernels.files if kernels else ()
    here = next((each.sha256 for each in files if each.name == SOURCE), None)
    if here is None:
        return f"nobody says which {SOURCE} is that of these sources"
    if theirs != here:
        return f"it is of another {SOURCE}: {theirs}, not {here}"
    if document.made.library_sha256 != library:  # which says what is expected
        return f"it is of other formal sources: {document.made.library_sha256}, not {library}"
    return None
