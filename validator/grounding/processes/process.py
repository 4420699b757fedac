"""A child process with a private directory, limits on time and memory, and a process group of its own.

The group is ended whole (TERM, then KILL). Nothing of a user's text reaches a command line.
"""

from __future__ import annotations

import os
import resource
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO

from validator.errors import PlannerError
from validator.grounding.limits import Limits, Status, restrict
from validator.resources import UNLOADED

__all__ = ["Process", "failure", "refusals", "status_of"]


# Exit codes of Fast Downward 26 (driver/returncodes.py). Any other is a failure.
_EXITS = {
    0: Status.SOLVED,
    11: Status.UNSOLVABLE,
    12: Status.TIME_LIMIT,  # the strategy's own ``max_time``
    13: Status.STOPPED,  # nothing cheaper than the bound that it was given
    20: Status.MEMORY_LIMIT,
    21: Status.TIME_LIMIT,
    22: Status.MEMORY_LIMIT,
    23: Status.TIME_LIMIT,
    -signal.SIGXCPU: Status.TIME_LIMIT,
}

# How Python, and the loader of programs, say that no memory was left, wherever it was that it ran out.
_OUT_OF_MEMORY = (
    b"MemoryError",
    b"emergency_memory",
    *(word.encode() for word in UNLOADED),
    b"memory allocation failed",
    b"std::bad_alloc",
    b"SystemError: error return without exception set",  # where there was no memory for the exception
)

_TO_BEGIN = 64 * 2**20
"""bytes of address space in which either program begins: with less, it may end anyhow while it is still loaded"""

_REFUSED = 30
"""the first exit code by which a program says that it does not take its input, and so has begun"""

_GRACE = 5  # seconds of CPU beyond the limit
_FOREVER = 10**9
_CHUNK = 65536  # bytes
_PULSE = 0.02  # seconds after which it is asked whether a silent search may go on


@contextmanager
def refusals() -> Iterator[None]:
    """Make what the system refuses to a run the planner's failure."""
    try:
        yield
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise PlannerError(f"the planner could not be run: {where}{error.strerror}") from error


def status_of(code: int, output: bytes, limits: Limits) -> Status | None:
    """Return how a program ended, of its exit code and the last lines that it printed; None for a failure."""
    found = _EXITS.get(code)
    if found is not None:
        return found
    if limits.memory < _TO_BEGIN and code < _REFUSED:
        return Status.MEMORY_LIMIT
    last = b"\n".join(output.splitlines()[-5:])
    return Status.MEMORY_LIMIT if any(word in last for word in _OUT_OF_MEMORY) else None


def failure(what: str, code: int, output: bytes) -> str:
    """Say how a program failed: by its exit code, and what it printed last."""
    ended = f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
    last = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()][-3:]
    return f"{what} {ended}: {' | '.join(last)}"


@cache
def _tied() -> tuple[str, ...]:
    """Return what a command begins with so that it ends with this process, even if that is killed; Linux only."""
    program = shutil.which("setpriv")
    return () if program is None else (program, "--pdeathsig", "KILL", "--")


class Process:
    """One child in its own process group, with a memory limit and a deadline.

    Without a file for its ``output``, it is fed, and its lines are read.

    The group is of this process's session: a session of its own would be a scheduling group of its own, and a planner
    then has as much of the processor as all threads of this process together.
    """

    def __init__(self, command: list[str], directory: Path, limits: Limits, *, output: IO[bytes] | None = None) -> None:
        self._limits = limits
        self._child = subprocess.Popen[bytes](
            # What cannot be run is told by the system, not by the program that stands before it.
            [*(_tied() if os.access(command[0], os.X_OK) else ()), *command],
            cwd=directory,
            stdin=subprocess.PIPE if output is None else subprocess.DEVNULL,
            stdout=output or subprocess.PIPE,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        # Should this process be killed, nobody is left to end the child.
        cpu = int(min(limits.seconds, _FOREVER)) + _GRACE if limits.cpu is None else limits.cpu
        with suppress(ProcessLookupError):  # it has ended already
            restrict(self._child.pid, resource.RLIMIT_AS, limits.memory, limits.memory)
            restrict(self._child.pid, resource.RLIMIT_CORE, 0, 0)
            restrict(self._child.pid, resource.RLIMIT_CPU, cpu, cpu + _GRACE)

    @property
    def is_running(self) -> bool:
        return self._child.poll() is None

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def __del__(self) -> None:
        if hasattr(self, "_child"):  # an alarm can ring when the child runs, and before it is entered
            self.end()

    def end(self) -> None:
        """End what still runs."""
        if self.is_running:
            self.stop()
        for stream in (self._child.stdin, self._child.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()

    def feed(self, data: bytes) -> bool:
        """Give the process its input, and return whether that was done by the deadline.

        Its limits hold by then, whatever it reads. A process that ends early says why by its exit code.
        """
        stream = self._child.stdin
        assert stream is not None
        os.set_blocking(stream.fileno(), False)
        rest = memoryview(data)
        with suppress(BrokenPipeError), stream, selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_WRITE)
            while rest:
                if self._limits.seconds == 0:
                    return False
                if selector.select(timeout=min(self._limits.seconds, _PULSE)):
                    rest = rest[os.write(stream.fileno(), rest[:_CHUNK]) :]
        return True

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the output as they come, until its end or the deadline.

        An empty one comes between, fifty times a second, however much or little is printed.
        """
        stream = self._child.stdout
        assert stream is not None
        rest, last = b"", time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while self._limits.seconds > 0:
                if not selector.select(timeout=min(self._limits.seconds, _PULSE)):
                    yield b""
                    continue
                chunk = os.read(stream.fileno(), _CHUNK)
                if not chunk:
                    break
                *complete, rest = (rest + chunk).split(b"\n")
                yield from filter(None, complete)
                if time.monotonic() - last > _PULSE:
                    last = time.monotonic()
                    yield b""
        if rest:
            yield rest

    def wait(self, stop: Callable[[], bool] | None = None) -> int | None:
        """Wait for the end and return the exit code, or None when the deadline came first, or ``stop`` said so."""
        while True:
            seconds = max(self._limits.seconds, 0.01)
            try:
                return self._child.wait(timeout=seconds if stop is None else min(seconds, _PULSE))
            except subprocess.TimeoutExpired:
                if self._limits.seconds == 0 or (stop is not None and stop()):
                    return None

    def stop(self) -> None:
        """End the whole process group: politely, then not."""
        for number, patience in ((signal.SIGTERM, 0.5), (signal.SIGKILL, 10.0)):
            try:
                os.killpg(self._child.pid, number)
                self._child.wait(timeout=patience)
                return
            except ProcessLookupError:
                break
            except subprocess.TimeoutExpired:
                continue
        self._child.wait()
