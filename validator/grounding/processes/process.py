"""A child process with a private directory, limits on time and memory, and a process group of its own.

The group is ended whole (TERM, then KILL). Nothing of a user's text reaches a command line.
"""

from __future__ import annotations

import os
import resource
import select
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from validator.errors import PlannerError
from validator.grounding.limits import Limits, Status, restrict
from validator.resources import UNLOADED

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
_LAST = 4000  # bytes
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
    """One child in its own process group, with a memory limit and a deadline; it reads ``given``, and prints to a file.

    The group is of this process's session, unless it ``has_session``: that would be a scheduling group of its own, and
    a planner then has as much of the processor as all threads of this process together.
    """

    def __init__(
        self,
        command: list[str],
        directory: Path,
        limits: Limits,
        given: bytes = b"",
        environment: Mapping[str, str] | None = None,
        *,
        has_session: bool = False,
    ) -> None:
        self._limits, self._rest = limits, b""
        source, printed = directory / "input", directory / "printed"
        source.write_bytes(given)
        with source.open("rb") as reads, printed.open("wb") as prints:
            self._child = subprocess.Popen[bytes](
                # What cannot be run is told by the system, not by the program that stands before it.
                [*(_tied() if os.access(command[0], os.X_OK) else ()), *command],
                cwd=directory,
                env=environment,
                stdin=reads,
                stdout=prints,
                stderr=subprocess.STDOUT,
                start_new_session=has_session,
                process_group=None if has_session else 0,
            )
        self._printed = printed.open("rb")
        # Should this process be killed, nobody is left to end the child.
        cpu = int(limits.seconds) + _GRACE
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
        if hasattr(self, "_printed"):
            self._printed.close()

    def wait(
        self, stop: Callable[[], bool] = lambda: False, read: Callable[[bytes], None] = lambda line: None
    ) -> int | None:
        """Wait for the end and return the exit code; None when the deadline came first, or ``stop`` said so.

        ``read`` is given each line of the output; ``stop`` is asked fifty times a second, however much is printed.
        """
        handle, ended = os.pidfd_open(self._child.pid), select.poll()
        ended.register(handle, select.POLLIN)
        try:
            while True:
                is_ended = bool(ended.poll(1000 * min(self._limits.seconds, _PULSE)))
                *lines, self._rest = (self._rest + self._printed.read()).split(b"\n")
                for line in lines:
                    read(line)
                if is_ended:
                    return self._child.wait()
                if self._limits.is_over() or stop():
                    return None
        finally:
            os.close(handle)

    def last_lines(self) -> bytes:
        """Return what was printed last."""
        self._printed.seek(max(0, os.fstat(self._printed.fileno()).st_size - _LAST))
        return self._printed.read()

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
