"""Workers on a Dask cluster; the only module that imports ``distributed`` (extra ``cluster``)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from validator.errors import WorkerError

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Cluster", "cluster"]

_PATIENCE = 60


class Cluster:
    """The workers of a scheduler, one executor to each; a task goes to another worker when its own is gone.

    The scheduler itself sends the tasks of a worker that died elsewhere, and gives one up only after several deaths.
    """

    deaths = 2

    def __init__(self, client: Client) -> None:
        self._client = client
        self._turn = 0

    def executors(self) -> list[Executor]:
        """Wait for a first worker and return one executor for each there is. Raises WorkerError without any."""
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise WorkerError(f"the scheduler has no worker after {_PATIENCE} seconds") from None
        return [self._executor(address) for address in self._addresses()]

    def replace(self, broken: Executor, error: BaseException) -> Executor:
        """Return an executor for a worker that is there now. Raises WorkerError when the cluster is gone."""
        addresses = self._addresses() if self._client.status == "running" else []
        if isinstance(error, CancelledError) or not addresses:
            raise WorkerError("the cluster is gone; the same command goes on where it stopped")
        self._turn += 1
        return self._executor(addresses[self._turn % len(addresses)])

    def _addresses(self) -> list[str]:
        return sorted(self._client.scheduler_info(n_workers=-1)["workers"])

    def _executor(self, address: str) -> Executor:
        # A result is never taken from an earlier task, and what a record does is not done again by the scheduler.
        options = {"workers": [address], "allow_other_workers": True, "pure": False, "retries": 0}
        return cast("Executor", self._client.get_executor(**options))


@contextmanager
def cluster(address: str) -> Iterator[Cluster]:
    """Connect to a scheduler, as ``tcp://host:8786``. Raises WorkerError when that fails or Dask is missing."""
    try:
        from distributed import Client
    except ImportError:
        raise WorkerError("--cluster needs Dask: pip install 'plan-validator[cluster]'") from None
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise WorkerError(f"{address}: no Dask scheduler answers: {error}") from None
    with client:
        yield Cluster(client)
