"""Processes of a pool: replaced when they die, bounded in time and memory, and gone with the run that started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest

from tests.support.processes import is_running, wait_for
from validator.alarms import OutOfTime
from validator.workers.limits import guard
from validator.workers.pool import LocalPool, local_pool


@pytest.fixture(scope="module")
def pool() -> Iterator[LocalPool]:
    with local_pool(1) as found:
        yield found


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def endless() -> str:
    """Work beyond a limit of time; return whether that was said."""
    try:
        with guard(0.2, 2**30, is_exact=True):
            while True:
                time.sleep(0.01)
    except OutOfTime:
        return "time"


def greedy() -> str:
    """Take more memory than the limit; return whether that was said."""
    try:
        with guard(600, 2**27):
            return str(len(bytearray(2**29)))
    except MemoryError:
        return "memory"


def test_a_worker_that_is_killed_is_replaced(pool: LocalPool) -> None:
    (worker,) = pool.executors()
    before = worker.submit(os.getpid).result()
    with pytest.raises(BrokenExecutor) as caught:
        worker.submit(die).result()
    other = pool.replace(worker, caught.value)
    assert other.submit(os.getpid).result() != before
    assert pool.replace(other, ValueError("of what it worked on")) is other


def test_a_worker_that_does_not_come_back_is_ended_and_replaced(pool: LocalPool) -> None:
    (worker,) = pool.executors()
    before = worker.submit(os.getpid).result()
    worker.submit(time.sleep, 3600)
    other = pool.restart(worker)
    wait_for(lambda: not is_running(before))
    assert other.submit(os.getpid).result() != before


@pytest.mark.parametrize(("work", "limit"), [(endless, "time"), (greedy, "memory")])
def test_a_limit_ends_the_work_and_not_the_worker(pool: LocalPool, work: object, limit: str) -> None:
    (worker,) = pool.executors()
    before = worker.submit(os.getpid).result()
    assert worker.submit(work).result() == limit  # type: ignore[arg-type]
    assert worker.submit(os.getpid).result() == before


@pytest.mark.parametrize(
    "error",
    [
        ImportError("numpy.so: failed to map segment from shared object"),
        OSError(12, "Cannot allocate memory"),
        SyntaxError("'(' was never closed"),
    ],
)
def test_a_library_that_has_no_room_is_a_limit_of_memory(error: Exception) -> None:
    with pytest.raises(MemoryError), guard(60, 2**30):
        raise error
    with pytest.raises(ImportError, match="no such module"), guard(60, 2**30):
        raise ImportError("no such module")


def test_a_pool_that_is_left_ends_its_processes() -> None:
    with pytest.raises(ZeroDivisionError), local_pool(1) as pool:
        (worker,) = pool.executors()
        number = worker.submit(os.getpid).result()
        worker.submit(time.sleep, 3600)  # which nobody waits for
        1 / 0  # noqa: B018
    wait_for(lambda: not is_running(number))


_POOL = """
import os, sys
from validator.workers.pool import local_pool
if __name__ == "__main__":
    with local_pool(1) as pool:
        print(pool.executors()[0].submit(os.getpid).result(), flush=True)
        sys.stdin.read()
"""


def test_a_process_of_a_pool_ends_where_the_run_was_killed(tmp_path: Path) -> None:
    """It waited for work for good: the system's pool holds both ends of the pipe on which that comes."""
    script = tmp_path / "pool.py"
    script.write_text(_POOL)
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        worker = int(run.stdout.readline())
        run.kill()
    wait_for(lambda: not is_running(worker))
