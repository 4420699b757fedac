"""Running Fast Downward: the translator and the search, each a process of its own.

Every process has a private directory, limits on time and memory, and a process group of its own, which is ended
whole (TERM, then KILL). Nothing of a user's text reaches a command line. The planner is used as a program only: it
is under the GPL, this package is not.
"""

from __future__ import annotations

import errno
import os
import re
import resource
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from validator.errors import PlannerError
from validator.grounding.leftovers import private_directory
from validator.grounding.limits import Limits, Outcome, Status, restrict

__all__ = ["Limits", "Outcome", "Status", "compute", "search", "translate"]


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
    b"failed to map segment",
    b"cannot allocate memory",
    b"Cannot allocate memory",
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
_PULSE = 0.02  # seconds after which it is asked whether a silent search may go on: one that lost a race does

_BOUND = re.compile(rb"\bf = (\d+)")
_EXPANDED = re.compile(rb"(\d+) expanded\b|Expanded (\d+) state")
_TIME = re.compile(rb"^\[t=([\d.]+)s|Total time: ([\d.]+)s")
_COST = re.compile(r"; cost = (\d+) \(")


def translate(
    domain: str, problem: str, limits: Limits, stop: Callable[[], bool] | None = None, *, nice: int = 0
) -> str | Status:
    """Ground a PDDL task and return the text of the finite-domain task, or the limit that was met.

    ``stop`` is asked fifty times a second whether it is still wanted; ``nice`` is as for ``search``. Raises
    PlannerError when the translator refuses its input or crashes.
    """
    if limits.seconds == 0:
        return Status.TIME_LIMIT
    with _directory() as directory:
        (directory / "domain.pddl").write_text(domain, encoding="utf-8")
        (directory / "problem.pddl").write_text(problem, encoding="utf-8")
        options = ["--keep-no-ops", "--keep-unimportant-variables", "--sas-file", "output.sas"]
        command = [sys.executable, "-m", "fast_downward.translate", "domain.pddl", "problem.pddl", *options]
        with (directory / "output").open("w+b") as output:
            with _Process(command, directory, limits, stdout=output, stdin=subprocess.DEVNULL, nice=nice) as process:
                code = process.wait(stop)
            if code is None:
                return Status.TIME_LIMIT if limits.seconds == 0 else Status.STOPPED
            if code != 0:
                output.seek(0)
                said = output.read()
                status = _EXITS.get(code) or _limit_met(code, said, limits)
                if status is not None:
                    return status
                if shutil.disk_usage(directory).free == 0:  # nor was there room to say so
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                raise PlannerError(_failure("the translator", code, said))
        return (directory / "output.sas").read_text(encoding="utf-8")


def search(
    task: str,
    strategy: str,
    limits: Limits,
    stop: Callable[[int], bool] = lambda bound: False,
    *,
    nice: int = 0,
) -> Outcome:
    """Search a finite-domain task with a strategy of Fast Downward, such as ``astar(lmcut())``.

    With ``nice`` from 1 to 19, others of this process and its planners come first. ``stop`` is asked fifty times a
    second, and with each new lower bound, whether the search may end. Raises PlannerError when the search crashes or
    prints what cannot be read.
    """
    if limits.seconds == 0:
        return Outcome(status=Status.TIME_LIMIT)
    with _directory() as directory:
        command = [str(binary()), "--search", strategy, "--internal-plan-file", "plan"]
        with _Process(command, directory, limits, stdin=subprocess.PIPE, stdout=subprocess.PIPE, nice=nice) as process:
            if not process.feed(task.encode()):
                return Outcome(status=Status.TIME_LIMIT)
            bound, tail = 0, b""
            expanded, seconds = 0, None
            for line in process.lines():
                if found := _EXPANDED.search(line):
                    expanded = max(expanded, int(found[1] or found[2]))
                if found := _TIME.search(line):
                    seconds = float(found[1] or found[2])
                tail = (tail + line + b"\n")[-4000:] if line else tail
                if (found := _BOUND.search(line)) and int(found[1]) > bound:
                    bound = int(found[1])
                elif line:
                    continue
                if stop(bound):
                    return Outcome(status=Status.STOPPED, lower_bound=bound, expanded=expanded, seconds=seconds)
            code = process.wait()
        status = Status.TIME_LIMIT if code is None else _EXITS.get(code) or _limit_met(code, tail, limits)
        if status is None:
            raise PlannerError(_failure("the search", code or 0, tail))
        if status is not Status.SOLVED:
            return Outcome(status=status, lower_bound=bound, expanded=expanded, seconds=seconds)
        text = (directory / "plan").read_text(encoding="utf-8")
        priced = _COST.search(text)  # what was printed last may not have been read where the time was over
        if priced is None:
            raise PlannerError("the planner's plan is cut off")
        names = tuple(line.strip()[1:-1] for line in text.splitlines() if line.startswith("("))
        cost = int(priced[1])
        return Outcome(status=status, plan=names, cost=cost, lower_bound=bound, expanded=expanded, seconds=seconds)


def compute(program: Path, given: bytes, limits: Limits, stop: Callable[[], bool], *, nice: int = 0) -> bytes | None:
    """Run a Python program that reads a file ``input`` and writes ``result``; None when it wrote none, or was ended.

    ``stop`` and ``nice`` are as for ``translate``.
    """
    if limits.seconds == 0:
        return None
    with _directory() as directory:
        (directory / "input").write_bytes(given)
        command = [sys.executable, "-P", str(program)]  # what lies beside it shadows nothing
        with (
            (directory / "output").open("wb") as output,
            _Process(command, directory, limits, stdout=output, stdin=subprocess.DEVNULL, nice=nice) as process,
        ):
            code = process.wait(stop)
        result = directory / "result"
        return result.read_bytes() if code == 0 and result.is_file() else None


@cache
def binary() -> Path:
    """Return the path of the ``downward`` program. Raises PlannerError when it is not installed."""
    spec = find_spec("up_fast_downward")
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        found = Path(place) / "downward" / "builds" / "release" / "bin" / "downward"
        if found.is_file():
            return found
    raise PlannerError("Fast Downward is not installed; install the package 'up-fast-downward'")


@contextmanager
def _directory() -> Iterator[Path]:
    """Yield a private directory for one process; what the system refuses there is the planner's failure."""
    try:
        with private_directory() as directory:
            yield directory
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise PlannerError(f"the planner could not be run: {where}{error.strerror}") from error


@cache
def _tied() -> tuple[str, ...]:
    """Return what a command begins with so that it ends with this process, even if that is killed; Linux only."""
    program = shutil.which("setpriv")
    return () if program is None else (program, "--pdeathsig", "KILL", "--")


def _limit_met(code: int, output: bytes, limits: Limits) -> Status | None:
    """Return the limit that a program met which had no memory left to say so by its exit code."""
    if limits.memory < _TO_BEGIN and code < _REFUSED:
        return Status.MEMORY_LIMIT
    last = b"\n".join(output.splitlines()[-5:])
    return Status.MEMORY_LIMIT if any(word in last for word in _OUT_OF_MEMORY) else None


def _failure(what: str, code: int, output: bytes) -> str:
    ended = f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
    last = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()][-3:]
    return f"{what} {ended}: {' | '.join(last)}"


class _Process:
    """One child in its own process group, with a memory limit and a deadline.

    The group is of this process's session: a session of its own would be a scheduling group of its own, and a planner
    then has as much of the processor as all threads of this process together.
    """

    def __init__(
        self,
        command: list[str],
        directory: Path,
        limits: Limits,
        *,
        stdin: IO[bytes] | int,
        stdout: IO[bytes] | int,
        nice: int = 0,
    ) -> None:
        self._limits = limits
        self._child = subprocess.Popen(
            # What cannot be run is told by the system, not by the program that stands before it.
            [*(_tied() if os.access(command[0], os.X_OK) else ()), *command],
            cwd=directory,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        try:
            restrict(self._child.pid, resource.RLIMIT_AS, limits.memory, limits.memory)
            restrict(self._child.pid, resource.RLIMIT_CORE, 0, 0)
            # Should this process be killed, nobody is left to end the child.
            seconds = int(min(limits.seconds, _FOREVER)) + _GRACE if limits.cpu is None else limits.cpu
            restrict(self._child.pid, resource.RLIMIT_CPU, seconds, seconds + _GRACE)
            if nice:
                os.setpriority(os.PRIO_PROCESS, self._child.pid, os.getpriority(os.PRIO_PROCESS, 0) + nice)
        except ProcessLookupError:
            pass  # it has ended already

    def __enter__(self) -> _Process:
        return self

    def __exit__(self, *error: object) -> None:
        if self._child.poll() is None:
            self.stop()
        if self._child.stdout is not None:
            self._child.stdout.close()

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
        for signal_number, patience in ((signal.SIGTERM, 0.5), (signal.SIGKILL, 10.0)):
            try:
                os.killpg(self._child.pid, signal_number)
                self._child.wait(timeout=patience)
                return
            except ProcessLookupError:
                break
            except subprocess.TimeoutExpired:
                continue
        self._child.wait()
