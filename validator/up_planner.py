"""Modified planning problems solved by any unified-planning engine.

As a program (``python -m validator.up_planner ENGINE MODULE CLASS``) it solves the two PDDL files of the working
directory: the child of ``solve_with``. Importing this module imports unified-planning.
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
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from unified_planning.environment import Environment, get_environment
from unified_planning.io import PDDLReader
from unified_planning.model import MinimizeSequentialPlanLength
from unified_planning.model import Problem as UpProblem

from validator.edit import Move, Policy, bare
from validator.edit_problem import EditProblem, cheapest_edit_problem, cost_problem, dump, edit_problem
from validator.errors import ModelError, PlannerError, UnsupportedError, did_you_mean
from validator.execute import Simulator
from validator.plan import Plan, Step
from validator.planner import Limits, Status
from validator.repair import Optimum, Repair
from validator.up import model_from_up, plan_from_up

__all__ = ["UpPlanner", "installed", "solve_with"]

_MEMORY = 4 * 2**30
"""Bytes of address space for each process of an engine, unless told otherwise."""

_PATIENCE = 0.5
"""Seconds between the polite request to end and the other one."""

_GRACE = 5
"""Seconds of CPU beyond the limit, for each process of an engine."""

_FOREVER = 10**9

_ENDS = {
    "SOLVED_SATISFICING": Status.SOLVED,
    "SOLVED_OPTIMALLY": Status.SOLVED,
    "UNSOLVABLE_PROVEN": Status.UNSOLVABLE,
    "TIMEOUT": Status.TIME_LIMIT,
    "MEMOUT": Status.MEMORY_LIMIT,
}
"""What an engine's answer says; any other is none."""


class UpPlanner:
    """An installed engine with the problem that it is asked about; takes the part of Fast Downward in a check.

    An engine without action costs is given the form of the problem whose plan length tells the same. All methods
    raise what ``solve_with`` raises. The constructor raises PlannerError when no planner of the name is installed.
    """

    def __init__(self, name: str, problem: UpProblem) -> None:
        self.name = name
        self.problem = problem
        self._engine = installed(name, problem.environment)

    def repair(self, plan: Plan, policy: Policy, limits: Limits, *, with_goal: bool) -> Repair:
        """Return a repair of a plan that lacks the quality, nearest as far as the engine proves it."""
        problem = self._written(
            lambda by_length: edit_problem(self.problem, plan, with_goal=with_goal, policy=policy, by_length=by_length)
        )
        found = self._solve(problem, limits)
        if found.cost is None:
            return found
        # As it stands the plan lacks the quality, and lines that are no steps are skipped in any case.
        lower = min(found.cost, max(1, problem.forced_cost, found.lower_bound))
        return replace(found, lower_bound=lower, proven=lower == found.cost and _means_nearest(problem, found))

    def optimum(self, known: Plan | None, limits: Limits) -> tuple[Optimum, int]:
        """Return what the engine tells of the cheapest cost, and what costs are scaled by.

        ``known`` is a valid plan. The cost of a plan that is not called optimal is an upper bound only, with 0 as the
        lower one. Raises PlannerError also for an engine that the known plan proves wrong.
        """
        problem = self._written(lambda by_length: cost_problem(self.problem, by_length=by_length))
        found = self._solve(problem, limits)
        upper = None if known is None else self._cost(known.steps, problem.scale)
        if upper is not None and (found.status is Status.UNSOLVABLE or found.lower_bound > upper):
            said = "there is no plan" if found.cost is None else f"no plan is cheaper than {found.cost}"
            raise PlannerError(f"the engine '{self.name}' says that {said}, but a plan of cost {upper} is given")
        plan = None if known is None else tuple(map(bare, known.steps))
        if found.cost is not None and (upper is None or found.cost < upper):
            plan, upper = found.plan, found.cost
        return Optimum(status=found.status, lower=found.lower_bound, upper=upper, plan=plan), problem.scale

    def repair_to_cheapest(self, plan: Plan, optimum: Optimum, limits: Limits) -> Repair:
        """Return a cheapest plan near the observed one, given the proven cheapest cost."""
        problem = self._written(lambda _: cheapest_edit_problem(self.problem, plan, optimum))
        found = self._solve(problem, limits)
        if found.plan is not None and self._cost(found.plan, problem.scale) != optimum.upper:
            raise PlannerError(f"the engine '{self.name}' has no answer: its repaired plan is not a cheapest one")
        return found

    def _cost(self, steps: Sequence[Step], scale: int) -> int:
        """Return the cost of steps that execute, in scaled whole numbers."""
        simulator = Simulator(model_from_up(self.problem))
        cost = simulator.run([bare(step) for step in map(simulator.resolve, steps) if isinstance(step, Step)]).cost
        assert cost is not None
        return int((cost - simulator.initial_cost) * scale)

    def _written(self, form: Callable[[bool], EditProblem]) -> EditProblem:
        """Return a problem in the form for the engine: by plan length where it knows no costs."""
        by_length = "ACTIONS_COST" not in self._engine.supported_kind().features
        try:
            return form(by_length)
        except (ModelError, ValueError) as error:
            because = f"the engine '{self.name}' knows no action costs: " if by_length else ""
            raise UnsupportedError(f"{because}{error}") from error

    def _solve(self, problem: EditProblem, limits: Limits) -> Repair:
        return solve_with(self.name, problem, limits.seconds, limits.memory)


def solve_with(engine_name: str, problem: EditProblem, time_limit: float, memory: int = _MEMORY) -> Repair:
    """Give a modified problem to an installed unified-planning engine, and return the repair that its plan stands for.

    The engine runs in a child process with a directory of its own; after ``time_limit`` seconds of wall clock all that
    it started is ended. ``memory`` is in bytes of address space, for each process. ``proven`` is the engine's word:
    SOLVED_OPTIMALLY, or a proof that there is no plan.

    Raises UnsupportedError when the engine does not support the problem, PlannerError when it is not installed, fails,
    gives up, or answers with a plan that does not execute.
    """
    engine = installed(engine_name, problem.environment)
    _check_support(engine_name, engine, problem)
    limits = Limits(deadline=time.monotonic() + time_limit, memory=memory)
    try:
        with tempfile.TemporaryDirectory(prefix="plan-validator-", ignore_cleanup_errors=True) as name:
            directory = Path(name)
            writer = dump(problem, directory)
            met = _run(engine_name, engine, directory, limits)
            if met is not None:
                return Repair(status=met)
            answer = json.loads((directory / "answer.json").read_text(encoding="utf-8"))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise PlannerError(f"the engine '{engine_name}' could not be run: {where}{error.strerror}") from error
    status = _ENDS.get(answer["status"])
    if status is None:
        kind = UnsupportedError if answer["status"] == "UNSUPPORTED_PROBLEM" else PlannerError
        raise kind(f"the engine '{engine_name}' has no answer: {answer['status']}{answer['said']}")
    if status is not Status.SOLVED or answer["plan"] is None:
        return Repair(status=status, proven=status is Status.UNSOLVABLE)
    names = [[str(writer.get_item_named(word).name) for word in words] for words in answer["plan"]]
    steps = [Step(name=action, args=tuple(args)) for action, *args in names]
    return _repaired(problem, steps, optimal=answer["status"] == "SOLVED_OPTIMALLY")


def installed(name: str, environment: Environment | None = None) -> Any:
    """Return the class of an engine that makes plans. Raises PlannerError when there is none of the name."""
    factory = get_environment(environment).factory
    planners = [other for other in factory.engines if factory.engine(other).is_oneshot_planner()]
    if name not in planners:
        near = did_you_mean(name, planners)
        plain = (other for other in planners if "[" not in other)  # the others are made of these
        raise PlannerError(f"no planner '{name}' is installed{near}; there are {', '.join(plain)}")
    return factory.engine(name)


def _check_support(name: str, engine: Any, problem: EditProblem) -> None:
    kind = problem.kind
    if not engine.supports(kind):
        features = sorted(kind.features - engine.supported_kind().features) or sorted(kind.features)
        raise UnsupportedError(f"the engine '{name}' does not support the problem: {', '.join(features)}")


def _repaired(problem: EditProblem, steps: list[Step], *, optimal: bool) -> Repair:
    """Execute a plan of the modified problem and read it."""
    trace = Simulator(model_from_up(problem)).run(steps)
    if not trace.is_valid or trace.cost is None:
        faults = "; ".join(str(failure) for failure in trace.failures[:3])
        raise PlannerError(f"the planner's answer does not execute: {faults}")
    cost = problem.cost(len(steps), int(trace.cost))
    found = Repair(
        status=Status.SOLVED, edits=problem.edits(steps), cost=cost, lower_bound=cost if optimal else 0, proven=optimal
    )
    return replace(found, proven=optimal and _means_nearest(problem, found))


def _means_nearest(problem: EditProblem, found: Repair) -> bool:
    """Return whether the cheapest plan is the nearest: insertions together must cost less than one skipped step."""
    weighting = problem.weighting
    if weighting.keep or weighting.insert == 0:
        return True
    skips = sum(edit.move is Move.SKIP for edit in found.edits or ())
    return (found.cost or 0) - skips * weighting.skip < weighting.skip


def _run(name: str, engine: Any, directory: Path, limits: Limits) -> Status | None:
    """Run the child to its end, or return the limit that it met. Raises PlannerError when it failed."""
    path = os.pathsep.join(str(Path(place).resolve()) for place in sys.path)
    with (directory / "errors").open("w+b") as errors:
        child = subprocess.Popen(
            [sys.executable, "-m", "validator.up_planner", name, engine.__module__, engine.__qualname__],
            cwd=directory,
            # unified-planning starts engines in sessions of their own: this is what their processes are known by.
            env={**os.environ, "PYTHONPATH": path, "TMPDIR": str(directory)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        try:
            with suppress(ProcessLookupError):  # it has ended already
                resource.prlimit(child.pid, resource.RLIMIT_AS, (limits.memory, limits.memory))
                resource.prlimit(child.pid, resource.RLIMIT_CORE, (0, 0))
                # Should this process be killed, nobody is left to end the child.
                seconds = int(min(limits.seconds, _FOREVER)) + _GRACE
                resource.prlimit(child.pid, resource.RLIMIT_CPU, (seconds, seconds))
            code = child.wait(timeout=limits.seconds)
        except subprocess.TimeoutExpired:
            return Status.TIME_LIMIT
        except KeyboardInterrupt:
            return Status.INTERRUPTED
        finally:
            _end(directory)
            child.wait()
        if code == 0:
            return None
        errors.seek(0)
        last = "".join(errors.read().decode("utf-8", "replace").strip().splitlines()[-1:])
        if last.startswith("MemoryError"):
            return Status.MEMORY_LIMIT
        ended = f"was ended by signal {-code}" if code < 0 else f"failed: {last}"
        raise PlannerError(f"the engine '{name}' {ended}")


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


def _solve(name: str, module: str, implementation: str) -> None:
    """Solve the PDDL files of the working directory and write the answer beside them."""
    environment = get_environment()
    environment.credits_stream = None
    environment.error_used_name = False
    if name not in environment.factory.engines:  # it was added by hand where the child was started
        environment.factory.add_engine(name, module, implementation)
    problem = PDDLReader(environment).parse_problem("domain.pddl", "problem.pddl")
    if not problem.quality_metrics:  # PDDL has no word for the plan's length
        problem.add_quality_metric(MinimizeSequentialPlanLength())
    with warnings.catch_warnings(), environment.factory.OneshotPlanner(name=name) as planner:
        # Numbers of PDDL are read as real ones, which an engine for whole ones would warn of.
        warnings.simplefilter("ignore")
        result = planner.solve(problem)
    steps = None if result.plan is None else plan_from_up(result.plan).steps
    plan = None if steps is None else [[step.name, *step.args] for step in steps]
    answer = {"status": result.status.name, "plan": plan, "said": _last_words(result.log_messages)}
    Path("answer.json").write_text(json.dumps(answer), encoding="utf-8")


def _last_words(messages: list[Any] | None) -> str:
    """Return the last line that an engine logged, in parentheses."""
    lines = [line.strip() for message in messages or () for line in message.message.splitlines() if line.strip()]
    return f" ({lines[-1]})" if lines else ""


if __name__ == "__main__":
    _solve(*sys.argv[1:])
