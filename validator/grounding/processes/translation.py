"""The translator of Fast Downward: PDDL in, the text of a finite-domain task out, or what it reaches first."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from validator.errors import NotInstalledError, PlannerError
from validator.grounding.limits import Limits, Status
from validator.grounding.processes.leftovers import private_directory
from validator.grounding.processes.process import Process, failure, refusals, status_of

__all__ = ["reached", "translate"]

_OUTPUT = "output.sas"

_FILES = ("domain.pddl", "problem.pddl")

_TRANSLATOR = (
    *("-m", "fast_downward.translate", *_FILES),
    *("--keep-no-ops", "--keep-unimportant-variables", "--sas-file", _OUTPUT),
)
"""a program of Python, as those below"""

_REACHED = ("-P", str(Path(__file__).with_name("reached.py")), *_FILES, _OUTPUT)


def translate(
    domain: str, problem: str, limits: Limits, stop: Callable[[], bool] | None = None, *, program: Sequence[str] = ()
) -> str | Status:
    """Ground a PDDL task and return the text of the finite-domain task, or the limit that was met.

    ``stop`` is asked fifty times a second whether it is still wanted. Another ``program`` takes the same files. Raises
    PlannerError when the translator refuses its input or crashes.
    """
    if limits.seconds == 0:
        return Status.TIME_LIMIT
    if find_spec("fast_downward") is None:
        raise NotInstalledError("up-fast-downward")
    with refusals(), private_directory() as directory, (directory / "output").open("w+b") as output:
        for name, text in zip(_FILES, (domain, problem), strict=True):
            (directory / name).write_text(text, encoding="utf-8")
        command = [sys.executable, *(program or _TRANSLATOR)]
        with Process(command, directory, limits, output=output) as process:
            code = process.wait(stop)
        if code is None:
            return Status.TIME_LIMIT if limits.seconds == 0 else Status.STOPPED
        if code == 0:
            return (directory / _OUTPUT).read_text(encoding="utf-8")
        output.seek(0)
        printed = output.read()
        status = status_of(code, printed, limits)
        if status is None and shutil.disk_usage(directory).free == 0:  # nor was there room to say so
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if status is None:
            raise PlannerError(failure("the translator", code, printed))
        return status


def reached(domain: str, problem: str, limits: Limits) -> list[str] | Status:
    """Return the names of a PDDL task's ground actions that are reachable when nothing is deleted, or the limit met.

    Raises PlannerError as ``translate`` does.
    """
    found = translate(domain, problem, limits, program=_REACHED)
    return found if isinstance(found, Status) else found.splitlines()
