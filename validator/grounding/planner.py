"""Running Fast Downward: searches, each a process of its own.

The planner is used as a program only: it is under the GPL, this package is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from validator.errors import NotInstalledError, PlannerError
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.processes.leftovers import private_directory
from validator.grounding.processes.process import Process, failure, refusals, status_of

__all__ = ["Limits", "Outcome", "Status", "binary", "search"]


_BOUND = re.compile(rb"\bf = (\d+)")
_EXPANDED = re.compile(rb"(\d+) expanded\b|Expanded (\d+) state")
_TIME = re.compile(rb"^\[t=([\d.]+)s|Total time: ([\d.]+)s")
_COST = re.compile(r"; cost = (\d+) \(")


def search(
    task: str,
    strategy: str,
    limits: Limits,
    stop: Callable[[int], bool] = lambda bound: False,
) -> Outcome:
    """Search a finite-domain task with a strategy of Fast Downward, such as ``astar(lmcut())``.

    ``stop`` is asked fifty times a second, and with each new lower bound, whether the search may end. Raises
    PlannerError when the search crashes or prints what cannot be read.
    """
    if limits.seconds == 0:
        return Outcome(status=Status.TIME_LIMIT)
    with refusals(), private_directory() as directory:
        command = [str(binary()), "--search", strategy, "--internal-plan-file", "plan"]
        with Process(command, directory, limits) as process:
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
        status = Status.TIME_LIMIT if code is None else status_of(code, tail, limits)
        if status is None:
            raise PlannerError(failure("the search", code or 0, tail))
        if status is not Status.SOLVED:
            return Outcome(status=status, lower_bound=bound, expanded=expanded, seconds=seconds)
        text = (directory / "plan").read_text(encoding="utf-8")
        priced = _COST.search(text)  # what was printed last may not have been read where the time was over
        if priced is None:
            raise PlannerError("the planner's plan is cut off")
        names = tuple(line.strip()[1:-1] for line in text.splitlines() if line.startswith("("))
        cost = int(priced[1])
        return Outcome(status=status, plan=names, cost=cost, lower_bound=bound, expanded=expanded, seconds=seconds)


@cache
def binary() -> Path:
    """Return the path of the ``downward`` program. Raises NotInstalledError without it."""
    spec = find_spec("up_fast_downward")
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        found = Path(place) / "downward" / "builds" / "release" / "bin" / "downward"
        if found.is_file():
            return found
    raise NotInstalledError("up-fast-downward")
