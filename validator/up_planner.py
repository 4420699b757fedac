"""Modified planning problems solved by any unified-planning engine.

As a program (``python -m validator.up_planner ENGINE``) it solves the two PDDL files of the working directory: the
child of ``solve_with``. Importing this module imports unified-planning.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path

from unified_planning.environment import get_environment
from unified_planning.io import PDDLReader
from unified_planning.model import Problem as UpProblem

from validator.edit import Move
from validator.edit_problem import EditProblem, dump
from validator.errors import PlannerError, did_you_mean
from validator.execute import Simulator
from validator.plan import Step
from validator.planner import Status
from validator.repair import Repair
from validator.up import model_from_up, plan_from_up

__all__ = ["solve_with"]

_MEMORY = 4 * 2**30
"""Bytes of address space for each process of an engine."""

_PATIENCE = 0.5
"""Seconds between the polite request to end and the other one."""


_ENDS = {
    "SOLVED_SATISFICING": Status.SOLVED,
    "SOLVED_OPTIMALLY": Status.SOLVED,
    "UNSOLVABLE_PROVEN": Status.UNSOLVABLE,
    "TIMEOUT": Status.TIME_LIMIT,
    "MEMOUT": Status.MEMORY_LIMIT,
}
"""What an engine's answer says; any other is none."""


def solve_with(engine_name: str, problem: EditProblem, time_limit: float) -> Repair:
    """Give a modified problem to an installed unified-planning engine, and return the repair that its plan stands for.

    The engine runs in a child process with a directory of its own; after ``time_limit`` seconds of wall clock all that
    it started is ended. ``proven`` is the engine's word: SOLVED_OPTIMALLY, or a proof that there is no plan.

    Raises PlannerError when the engine is not installed or does not support the problem, fails, gives up, or answers
    with a plan that does not execute.
    """
    _check_engine(engine_name, problem)
    with tempfile.TemporaryDirectory(prefix="plan-validator-", ignore_cleanup_errors=True) as name:
        directory = Path(name)
        writer = dump(problem, directory)
        if not _run(engine_name, directory, time_limit):
            return Repair(status=Status.TIME_LIMIT)
        answer = json.loads((directory / "answer.json").read_text(encoding="utf-8"))
    status = _ENDS.get(answer["status"])
    if status is None:
        raise PlannerError(f"the engine '{engine_name}' has no answer: {answer['status']}")
    if status is not Status.SOLVED or answer["plan"] is None:
        return Repair(status=status, proven=status is Status.UNSOLVABLE)
    names = [[str(writer.get_item_named(word).name) for word in words] for words in answer["plan"]]
    steps = [Step(name=action, args=tuple(args)) for action, *args in names]
    return _repaired(problem, steps, optimal=answer["status"] == "SOLVED_OPTIMALLY")


def _check_engine(name: str, problem: UpProblem) -> None:
    factory = problem.environment.factory
    if name not in factory.engines or not factory.engine(name).is_oneshot_planner():
        raise PlannerError(f"no planner '{name}' is installed{did_you_mean(name, factory.engines)}")
    kind = problem.kind
    if not factory.engine(name).supports(kind):
        raise PlannerError(f"the engine '{name}' does not support the problem: {', '.join(sorted(kind.features))}")


def _repaired(problem: EditProblem, steps: list[Step], *, optimal: bool) -> Repair:
    """Execute a plan of the modified problem and read it."""
    trace = Simulator(model_from_up(problem)).run(steps)
    if not trace.is_valid or trace.cost is None:
        faults = "; ".join(str(failure) for failure in trace.failures[:3])
        raise PlannerError(f"the planner's answer does not execute: {faults}")
    edits, cost = problem.edits(steps), int(trace.cost)
    insertions = cost - problem.weighting.skip * sum(edit.move is Move.SKIP for edit in edits)
    # With the policy keep, insertions together must cost less than one skipped step, or the sum means nothing.
    means_nearest = problem.weighting.insert == 0 or insertions < problem.weighting.skip
    return Repair(
        status=Status.SOLVED,
        edits=edits,
        cost=cost,
        lower_bound=cost if optimal else 0,
        proven=optimal and means_nearest,
    )


def _run(engine_name: str, directory: Path, time_limit: float) -> bool:
    """Run the child and return whether it ended in time. Raises PlannerError when it failed."""
    with (directory / "errors").open("w+b") as errors:
        child = subprocess.Popen(
            [sys.executable, "-m", __name__, engine_name],
            cwd=directory,
            # unified-planning starts engines in sessions of their own: this is what their processes are known by.
            env={**os.environ, "TMPDIR": str(directory)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        try:
            with suppress(ProcessLookupError):  # it has ended already
                resource.prlimit(child.pid, resource.RLIMIT_AS, (_MEMORY, _MEMORY))
                resource.prlimit(child.pid, resource.RLIMIT_CORE, (0, 0))
            code = child.wait(timeout=time_limit)
        except subprocess.TimeoutExpired:
            return False
        finally:
            _end(directory)
            child.wait()
        if code != 0:
            errors.seek(0)
            last = errors.read().decode("utf-8", "replace").strip().splitlines()[-1:]
            raise PlannerError(f"the engine '{engine_name}' failed: {''.join(last)}")
    return True


def _end(directory: Path) -> None:
    """End every process that was started for a directory: politely, then not."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + _PATIENCE
        for pid in _processes(directory):
            with suppress(OSError):
                os.kill(pid, signal_number)
        while _processes(directory) and time.monotonic() < deadline:
            time.sleep(0.02)


def _processes(directory: Path) -> list[int]:
    """Return the living processes whose temporary files go to a directory."""
    mark = os.fsencode(f"TMPDIR={directory}")
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found


def _solve(engine_name: str) -> None:
    """Solve the PDDL files of the working directory and write the answer beside them."""
    environment = get_environment()
    environment.credits_stream = None
    problem = PDDLReader(environment).parse_problem("domain.pddl", "problem.pddl")
    with warnings.catch_warnings(), environment.factory.OneshotPlanner(name=engine_name) as planner:
        # Numbers of PDDL are read as real ones, which an engine for whole ones would warn of.
        warnings.simplefilter("ignore")
        result = planner.solve(problem)
    steps = None if result.plan is None else plan_from_up(result.plan).steps
    plan = None if steps is None else [[step.name, *step.args] for step in steps]
    Path("answer.json").write_text(json.dumps({"status": result.status.name, "plan": plan}), encoding="utf-8")


if __name__ == "__main__":
    _solve(sys.argv[1])
