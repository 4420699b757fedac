"""Workers on a Dask cluster; the only module that imports ``distributed`` (extra ``cluster``)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from validator.errors import WorkerError
from validator.resources import of_extra

if TYPE_CHECKING:
    from distributed import Client

_PATIENCE = 60
_EVERY = 1.0


class Cluster:
    """The workers of a scheduler, one executor to each.

    A task is for one worker only: Dask leaves a task of which the worker is gone lying when no other is there at that
    moment, and counts no deaths for tasks of its own. So the run looks itself which workers are gone.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._executors: dict[str, Executor] = {}
        self._looked = 0.0

    def executors(self) -> list[Executor]:
        """Wait for a first worker and return one executor for each there is. Raises WorkerError without any."""
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise WorkerError(f"the scheduler has no worker after {_PATIENCE} seconds") from None
        self._executors = {address: self._executor(address) for address in self._addresses()}
        return list(self._executors.values())

    def replace(self, broken: Executor, error: BaseException) -> Executor:
        """Return the same executor: whether its worker is gone is seen later."""
        if isinstance(error, CancelledError):
            self._addresses()
        return broken

    def changes(self) -> tuple[frozenset[Executor], list[Executor]]:
        """Return the executors of workers that are gone and of workers that came; the scheduler is asked at times.

        Raises WorkerError when the scheduler is gone.
        """
        now = time.monotonic()
        if now - self._looked < _EVERY:
            return frozenset(), []
        self._looked = now
        there = self._addresses()
        gone = {address: executor for address, executor in self._executors.items() if address not in there}
        came = {address: self._executor(address) for address in there if address not in self._executors}
        self._executors = {address: self._executors[address] for address in self._executors if address in there} | came
        return frozenset(gone.values()), list(came.values())

    def _addresses(self) -> list[str]:
        try:
            if self._client.status == "running":
                return sorted(self._client.nthreads())
        except (OSError, TimeoutError, RuntimeError):
            pass
        raise WorkerError("the cluster is gone; run the same command again to resume")

    def _executor(self, address: str) -> Executor:
        # Each task is a new one, also with equal records.
        return cast("Executor", self._client.get_executor(workers=[address], pure=False, retries=0))


@contextmanager
def cluster(address: str) -> Iterator[Cluster]:
    """Connect to a scheduler, as ``tcp://host:8786``. Raises WorkerError when that fails or Dask is missing."""
    try:
        from distributed import Client
    except ImportError:
        raise WorkerError(
            f"a cluster needs the package 'distributed' (Dask): pip install {of_extra('cluster')}"
        ) from None
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise WorkerError(f"{address}: no Dask scheduler answers: {error}") from None
    with client:
        yield Cluster(client)
