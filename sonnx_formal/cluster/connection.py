"""The way to a cluster. Nothing of Dask is imported before somebody asks for one."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.site import Site


@contextmanager
def cluster_at(address: str | None, progress: Progress) -> Iterator[Site | None]:
    """The cluster whose scheduler has an address; without one, none.

    Raises `UserError` when there is no such cluster, or Dask is not installed.
    """
    if address is None:
        yield None
        return
    try:
        from sonnx_formal.cluster.client import Cluster  # noqa: PLC0415 (see above)
    except ModuleNotFoundError as error:
        raise UserError(
            f"--scheduler needs Dask ({error}): run `pip install 'sonnx-formal[cluster]'`"
        ) from None
    with closing(Cluster(address, progress)) as cluster:
        yield cluster
