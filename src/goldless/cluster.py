"""Dask at work: on a cluster if there is one, else on the threads of this process.

Everything that is computed lazily is computed here, with a bar that shows how far it has come, where that is asked
for, and with a sentence when the cluster is gone.
"""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import dask
from dask import delayed
from dask.diagnostics import ProgressBar
from distributed import CancelledError, Client, KilledWorker, LocalCluster, default_client, progress, wait
from distributed.client import ClosedClientError
from distributed.comm.core import CommClosedError
from distributed.scheduler import NoValidWorkerError

from goldless import cores
from goldless.errors import ClusterError

#: Seconds in which a scheduler must answer.
ANSWER = 10

#: Seconds that a cluster may be without any worker, or a scheduler not be reached.
PATIENCE = 60

#: Parts that are added up at a time.
FAN_IN = 16

#: What small arrays a graph may hold before Dask warns of them: distributions of many columns are rightly there.
LARGEST_GRAPH = "1GB"

_GONE = (CancelledError, ClosedClientError, CommClosedError, KilledWorker, NoValidWorkerError, TimeoutError)


@contextmanager
def connect(address: str) -> Iterator[Client]:
    """Start a cluster on this machine, or connect to one, for as long as the context lasts.

    Parameters
    ----------
    address : str
        "local", which starts a worker process for each core, or the address of a scheduler, such as
        "tcp://10.0.0.1:8786".

    Yields
    ------
    distributed.Client
        The client, which all that follows uses.

    Examples
    --------
    >>> import dask.array as da
    >>> import goldless as gl
    >>> with gl.blocks.connect("local"):  # doctest: +SKIP
    ...     found = gl.evaluate(da.from_array(gl.simulate(random_state=0).scores, chunks=(250, -1)))
    """
    if address == "local":
        with (
            LocalCluster(n_workers=cores.count(), threads_per_worker=1, dashboard_address=":0") as here,
            Client(here) as client,
        ):
            yield client
        return
    try:
        client = Client(address, timeout=ANSWER)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"There is no Dask scheduler at {address!r} ({error}). Start it, or use 'local' for this machine."
        ) from error
    with client:
        yield client


def client() -> Client | None:
    """Give the client of the cluster in use, if there is one."""
    try:
        return default_client()
    except ValueError:
        return None


def reaches(path: Path) -> bool:
    """Say whether every worker sees a path of this machine."""
    there = client()
    if there is None:
        return True
    seen = there.run(path.exists, on_error="ignore").values()
    return bool(seen) and all(seen)


def compute(lazy: Any, *, show: bool) -> Any:
    """Compute what is small: one object, or a list of them."""
    with _sentence(), dask.config.set({"distributed.admin.large-graph-warning-threshold": LARGEST_GRAPH}):
        there = client()
        if there is None:
            with cores.plain_blas(), _bar(show):
                return dask.compute(lazy)[0]
        futures = there.compute(lazy)
        _finish(there, futures, show)
        return there.gather(futures)


def total(parts: list[Any], *, show: bool) -> Any:
    """Add up parts, a few at a time and in their order; None adds nothing."""
    while len(parts) > 1:
        parts = [delayed(_added)(parts[start : start + FAN_IN]) for start in range(0, len(parts), FAN_IN)]
    return compute(parts[0], show=show)


def _added(parts: list[Any]) -> Any:
    there = [part for part in parts if part is not None]
    return reduce(add, there) if there else None


def persist(lazy: list[Any], *, show: bool) -> list[Any]:
    """Compute what is large and leave it where it is: with the workers, or in this process."""
    with _sentence(), dask.config.set({"distributed.admin.large-graph-warning-threshold": LARGEST_GRAPH}):
        there = client()
        if there is None:
            with cores.plain_blas(), _bar(show):
                return list(dask.persist(*lazy))
        held = there.persist(lazy)
        _finish(there, held, show)
        return list(held)


def _bar(show: bool) -> AbstractContextManager[Any]:
    return ProgressBar(minimum=1.0, out=sys.stderr) if show else nullcontext()


def _finish(there: Client, lazy: Any, show: bool) -> None:
    """Wait until all is done; give up on a cluster that stays without workers."""
    if show:
        progress(lazy, notebook=False)
    alone = 0
    while True:
        try:
            wait(lazy, timeout=1)
            return
        except TimeoutError:
            alone = 0 if _works(there) else alone + 1
            if alone >= PATIENCE:
                raise


def _works(there: Client) -> bool:
    """Say whether the cluster has workers."""
    try:
        return bool(there.nthreads())
    except OSError:
        return False


@contextmanager
def _sentence() -> Iterator[None]:
    """Say in words that the cluster is gone."""
    try:
        yield
    except _GONE as error:
        raise ClusterError(
            f"The Dask cluster stopped answering ({type(error).__name__}: {error}). Nothing that was written before is "
            "lost. See the logs of its workers, which often ran out of memory: smaller partitions help. Then start it "
            "again and repeat the call; with gl.blocks.read(..., folder=...) ranks that were finished are used again."
        ) from error
