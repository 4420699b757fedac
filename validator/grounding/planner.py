"""Running Fast Downward: the translator and searches, each a process of its own; and which search a task is given.

The planner is used as a program only: it is under the GPL, this package is not.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from math import inf
from pathlib import Path

from validator.errors import NotInstalledError, PlannerError
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.processes.leftovers import private_directory
from validator.grounding.processes.process import Process, failure, refusals, status_of
from validator.grounding.task import Task

_OUTPUT = "output.sas"

_FILES = ("domain.pddl", "problem.pddl")

_TRANSLATOR = (
    *("-m", "fast_downward.translate", *_FILES),
    *("--keep-no-ops", "--keep-unimportant-variables", "--sas-file", _OUTPUT),
)
"""a program of Python, as those below"""

_REACHED = ("-P", str(Path(__file__).with_name("processes") / "reached.py"), *_FILES, _OUTPUT)

_BOUND = re.compile(rb"\bf = (\d+)")
_TIME = re.compile(rb"^\[t=([\d.]+)s|Total time: ([\d.]+)s")
_COST = re.compile(r"; cost = (\d+) \(")


def translate(domain: str, problem: str, limits: Limits, program: Sequence[str] = _TRANSLATOR) -> str | Status:
    """Ground a PDDL task and return the text of the finite-domain task, or the limit that was met.

    Another ``program`` takes the same files. Raises PlannerError when the translator refuses its input or crashes.
    """
    if limits.is_over():
        return Status.TIME_LIMIT
    if find_spec("fast_downward") is None:
        raise NotInstalledError("up-fast-downward")
    with refusals(), private_directory() as directory:
        for name, text in zip(_FILES, (domain, problem), strict=True):
            (directory / name).write_text(text, encoding="utf-8")
        with Process([sys.executable, *program], directory, limits) as process:
            code = process.wait()
            printed = process.last_lines()
        if code is None:
            return Status.TIME_LIMIT
        if code == 0:
            return (directory / _OUTPUT).read_text(encoding="utf-8")
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
    found = translate(domain, problem, limits, _REACHED)
    return found if isinstance(found, Status) else found.splitlines()


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
    if limits.is_over():
        return Outcome(status=Status.TIME_LIMIT)
    with refusals(), private_directory() as directory:
        bound, seconds, is_over = 0, None, False

        def read(line: bytes) -> None:
            nonlocal bound, seconds, is_over
            if found := _TIME.search(line):
                seconds = float(found[1] or found[2])
            if (found := _BOUND.search(line)) and int(found[1]) > bound and not is_over:
                bound = int(found[1])
                is_over = stop(bound)

        command = [str(binary()), "--search", strategy, "--internal-plan-file", "plan"]
        with Process(command, directory, limits, task.encode()) as process:
            code = process.wait(lambda: is_over or stop(bound), read)
            printed = process.last_lines()
        if is_over or (code is None and limits.seconds):
            return Outcome(status=Status.STOPPED, lower_bound=bound, seconds=seconds)
        status = Status.TIME_LIMIT if code is None else status_of(code, printed, limits)
        if status is None:
            raise PlannerError(failure("the search", code or 0, printed))
        if status is not Status.SOLVED:
            return Outcome(status=status, lower_bound=bound, seconds=seconds)
        text = (directory / "plan").read_text(encoding="utf-8")
        priced = _COST.search(text)  # what was printed last may not have been read where the time was over
        if priced is None:
            raise PlannerError("the planner's plan is cut off")
        names = tuple(line.strip()[1:-1] for line in text.splitlines() if line.startswith("("))
        return Outcome(status=status, plan=names, cost=int(priced[1]), lower_bound=bound, seconds=seconds)


@cache
def binary() -> Path:
    """Return the path of the ``downward`` program. Raises NotInstalledError without it."""
    spec = find_spec("up_fast_downward")
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        found = Path(place) / "downward" / "builds" / "release" / "bin" / "downward"
        if found.is_file():
            return found
    raise NotInstalledError("up-fast-downward")


# --- what the searches are called -----------------------------------------------------------------

_LM_CUT = (
    "astar(lmcut(), pruning=limited_pruning(pruning=atom_centric_stubborn_sets(), min_required_pruning_ratio=0.2))"
)
"""A* with LM-cut, and stubborn sets (Wehrle and Helmert 2014) for as long as they prune.

They cost nothing on competition models, and spare the orders of independent steps, of which flows are full: 0.02 s
where it takes 10 s without.
"""
_HMAX, _BLIND = "astar(hmax())", "astar(blind())"

_BETTER = "let(h, ff(), lazy_wastar([h], preferred=[h], w=2, max_time={seconds}{bound}))"


_GREEDY = "let(h, ff(), lazy_greedy([h], preferred=[h]{bound}))"
_LANDMARKS = (
    "let(h, ff(), let(l, landmark_sum(lm_reasonable_orders_hps(lm_rhw())),"
    " lazy_greedy([h, l], preferred=[h, l]{bound})))"
)

_FEW = 10_000
"""operators up to which landmarks guide the search for a first plan: of more they take longer than it does"""


def first_plan_strategy(task: Task, most: int | None = None) -> str:
    """Return a search for any plan, or one that costs so much at most.

    Landmarks guide it where they serve (LAMA, Richter and Westphal 2010).
    """
    strategy = _GREEDY if task.has_axioms or len(task.operators) > _FEW else _LANDMARKS
    return strategy.format(bound="" if most is None else f", bound={most + 1}")


def better(cost: int | None, seconds: float = inf) -> str:
    """Return weighted A* for a plan that costs less than the best one known, in so many CPU seconds.

    Greedy search would leave every observation unexplained that has a price.
    """
    limit = "infinity" if seconds == inf else f"{seconds}"
    return _BETTER.format(seconds=limit, bound="" if cost is None else f", bound={cost}")


def optimal_strategy(task: Task) -> str:
    """Return the search that proves a cheapest plan: its heuristic must be admissible on the task.

    LM-cut (Helmert and Domshlak 2009) and stubborn sets handle neither conditional effects nor axioms; hmax is
    admissible with conditional effects, not with axioms.
    """
    if task.has_axioms:
        return _BLIND
    return _HMAX if task.has_conditional_effects else _LM_CUT


def prover_of(strategy: str) -> str:
    """Return what an optimal search is called in reports."""
    return {
        _LM_CUT: "A* with LM-cut (Fast Downward)",
        _HMAX: "A* with hmax (Fast Downward)",
        _BLIND: "blind A* (Fast Downward)",
    }[strategy]
