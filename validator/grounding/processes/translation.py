"""The translator of Fast Downward: PDDL in, the text of a finite-domain task out, or what it reaches first.

A run that met its limit rests, with all that it has in memory, and goes on in the next call. One run of a process rests
at a time, for two minutes at most; it ends with the process, whichever way that ends.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from threading import Lock, Timer
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias

from validator.errors import NotInstalledError, PlannerError
from validator.grounding.limits import Limits, Status
from validator.grounding.processes.leftovers import own_directory
from validator.grounding.processes.process import Process, failure, is_tied, refusals, status_of

if TYPE_CHECKING:
    from multiprocessing.util import Finalize

__all__ = ["reached", "translate"]

_OUTPUT = "output.sas"

_REST = 120.0
"""seconds for which a run rests"""

_WORTH = 0.5
"""seconds of which a run is worth the memory that it holds while it rests"""

_FILES = ("domain.pddl", "problem.pddl")

_TRANSLATOR = (
    *("-m", "fast_downward.translate", *_FILES),
    *("--keep-no-ops", "--keep-unimportant-variables", "--sas-file", _OUTPUT),
)
"""a program of Python, as those below"""

_REACHED = ("-P", str(Path(__file__).with_name("reached.py")), *_FILES, _OUTPUT)

_Key: TypeAlias = tuple[str, str, int]
"""domain, problem, and bytes of memory"""


def translate(
    domain: str,
    problem: str,
    limits: Limits,
    stop: Callable[[], bool] | None = None,
    *,
    may_rest: bool = False,
    anew: bool = True,
) -> str | Status:
    """Ground a PDDL task and return the text of the finite-domain task, or the limit that was met.

    ``stop`` is asked fifty times a second whether it is still wanted. A run that
    ``may_rest`` goes on in the next call for the same task and memory; without ``anew`` only such a run is
    gone on with, and none is begun. A limit on CPU time counts from the beginning: such a run does not rest. Raises
    PlannerError when the translator refuses its input or crashes.
    """
    if limits.seconds == 0:
        return Status.TIME_LIMIT
    may_rest = may_rest and limits.cpu is None and is_tied()
    key = domain, problem, limits.memory
    with refusals():
        run = _resting.taken(key) if may_rest else None
        if run is not None:
            run.process.resume(limits)
        elif anew:
            run = _Run(key, limits, may_rest=may_rest)
        else:
            return Status.TIME_LIMIT
        try:
            found = run.result(limits, stop)
            if found is None and may_rest and run.seconds >= _WORTH:
                _resting.keep(run)
                run = None
        finally:
            if run is not None:
                run.end()
    if found is None:
        return Status.TIME_LIMIT if limits.seconds == 0 else Status.STOPPED
    return found


def reached(domain: str, problem: str, limits: Limits) -> list[str] | Status:
    """Return the names of a PDDL task's ground actions that are reachable when nothing is deleted, or the limit met.

    Raises PlannerError as ``translate`` does.
    """
    if limits.seconds == 0:
        return Status.TIME_LIMIT
    with refusals():
        run = _Run((domain, problem, limits.memory), limits, _REACHED)
        try:
            found = run.result(limits, None)
        finally:
            run.end()
    return Status.TIME_LIMIT if found is None else found if isinstance(found, Status) else found.splitlines()


class _Run:
    """One run of the translator, in a directory of its own."""

    def __init__(
        self, key: _Key, limits: Limits, program: Sequence[str] = _TRANSLATOR, *, may_rest: bool = False
    ) -> None:
        if find_spec("fast_downward") is None:
            raise NotInstalledError("up-fast-downward")
        self.key = key
        self.seconds = 0.0
        """that it has had"""
        with ExitStack() as held:
            own = own_directory()
            held.callback(own.discard)
            self._directory = own.path
            for name, text in zip(_FILES, key[:2], strict=True):
                (own.path / name).write_text(text, encoding="utf-8")
            self._output = held.enter_context((own.path / "output").open("w+b"))
            process = Process([sys.executable, *program], own.path, limits, output=self._output, may_rest=may_rest)
            self.process = held.enter_context(process)
            self._held = held.pop_all()

    def result(self, limits: Limits, stop: Callable[[], bool] | None) -> str | Status | None:
        """Return what was written or the limit that was met; None when the time is over, or ``stop`` says so."""
        began = monotonic()
        code = self.process.wait(stop)
        self.seconds += monotonic() - began
        if code is None:
            return None
        if code == 0:
            return (self._directory / _OUTPUT).read_text(encoding="utf-8")
        self._output.seek(0)
        said = self._output.read()
        status = status_of(code, said, limits)
        if status is None and shutil.disk_usage(self._directory).free == 0:  # nor was there room to say so
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if status is None:
            raise PlannerError(failure("the translator", code, said))
        return status

    def end(self) -> None:
        """End the process, and remove its directory."""
        self._held.close()


class _Resting:
    """The run of this process that rests, if there is one."""

    def __init__(self) -> None:
        self._forget()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        """Leave the run to the process whose it is."""
        self._lock = Lock()
        self._run: _Run | None = None
        self._on_end: tuple[Finalize, Timer] | None = None

    def keep(self, run: _Run) -> None:
        """Let a run rest, in place of the one before."""
        from multiprocessing.util import Finalize  # as ``atexit``, and in processes that multiprocessing starts, too

        run.process.suspend()
        self.end()
        timer = Timer(_REST, self.end, (run,))
        timer.daemon = True
        with self._lock:
            self._run, self._on_end = run, (Finalize(None, run.end, exitpriority=0), timer)
            timer.start()

    def taken(self, key: _Key) -> _Run | None:
        """Return the run of a task, which rests no more; None where there is none."""
        run = self._take(lambda run: run.key == key)
        if run is not None and not run.process.is_running:  # the system took its memory
            run.end()
            return None
        return run

    def end(self, this: _Run | None = None) -> None:
        """End the run that rests; if one is given, only that one."""
        found = self._take(lambda run: this in (run, None))
        if found is not None:
            found.end()

    def _take(self, is_meant: Callable[[_Run], bool]) -> _Run | None:
        with self._lock:
            if self._run is None or self._on_end is None or not is_meant(self._run):
                return None
            for end in self._on_end:
                end.cancel()
            run, self._run = self._run, None
        return run


_resting = _Resting()
