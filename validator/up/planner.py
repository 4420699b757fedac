"""Modified planning problems solved by any unified-planning engine.

Importing this module imports unified-planning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from unified_planning.environment import Environment, get_environment
from unified_planning.exceptions import UPException
from unified_planning.model import Problem as UpProblem

from validator.errors import ModelError, PlannerError, UnsupportedError, did_you_mean
from validator.execution.faults import sentences
from validator.execution.simulator import Simulator
from validator.grounding.limits import DEFAULT_MEMORY_LIMIT, Limits, Status
from validator.model.values import Model
from validator.reading.plan import Plan, Step, bare
from validator.records import replace
from validator.repair import Policy
from validator.repair.cheapest import Optimum
from validator.repair.edit import Move
from validator.repair.proved import Proved
from validator.up.edit_problem import EditProblem, cheapest_edit_problem, cost_problem, edit_problem
from validator.up.problems import model_from_up
from validator.up.process import solve


class UpPlanner:
    """An installed engine with the problem that it is asked about, which is the ``model``; stands in for our searches.

    An engine without action costs is asked for any plan, which may not be the nearest. All methods raise what
    ``solve_with`` raises. The constructor raises PlannerError when no planner of the name is installed.
    """

    def __init__(self, name: str, problem: UpProblem, model: Model) -> None:
        self.name = name
        self.problem = problem
        self.model = model
        self.has_costs = "ACTIONS_COST" in installed(name, problem.environment).supported_kind().features

    def repair(self, plan: Plan, policy: Policy, limits: Limits, *, with_goal: bool) -> Proved:
        """Return a repair of a plan that lacks the quality, nearest as far as the engine proves it."""

        def form() -> EditProblem:
            found = edit_problem(self.problem, plan, with_goal=with_goal, policy=policy, model=self.model)
            if not self.has_costs:
                found.clear_quality_metrics()
            return found

        problem, found = self._asked(form, limits)
        if found.upper is None:
            return found
        # As it stands the plan lacks the quality, and lines that are no steps are skipped in any case.
        lower = min(found.upper, max(1, problem.forced_cost, found.lower))
        return replace(found, lower=lower, proven=lower == found.upper and _means_nearest(problem, found))

    def optimum(self, known: Plan | None, limits: Limits) -> tuple[Optimum, int]:
        """Return what the engine tells of the cheapest cost, and what costs are scaled by.

        ``known`` is a valid plan. The cost of a plan that is not called optimal is an upper bound only, with 0 as the
        lower one. Raises PlannerError also for an engine that the known plan proves wrong.
        """
        problem, found = self._asked(lambda: cost_problem(self.problem, self.model), limits)
        upper = None if known is None else self._cost(known.steps, problem.scale)
        if upper is not None and (found.status is Status.UNSOLVABLE or found.lower > upper):
            said = "there is no plan" if found.upper is None else f"no plan is cheaper than {found.upper}"
            raise PlannerError(f"the engine '{self.name}' says that {said}, but a plan of cost {upper} is given")
        plan = None if known is None else tuple(map(bare, known.steps))
        if found.upper is not None and (upper is None or found.upper < upper):
            plan, upper = found.plan, found.upper
        optimum = Optimum(status=found.status, lower=found.lower, upper=upper, plan=plan, by=self.name)
        return optimum, problem.scale

    def repair_to_cheapest(self, plan: Plan, optimum: Optimum, limits: Limits) -> Proved:
        """Return a cheapest plan near the observed one, given the proven cheapest cost."""
        form = partial(cheapest_edit_problem, self.problem, plan, optimum, self.model)
        problem, found = self._asked(form, limits)
        if found.plan is not None and self._cost(found.plan, problem.scale) != optimum.upper:
            raise PlannerError(f"the engine '{self.name}' has no answer: its repaired plan is not a cheapest one")
        return found

    def _asked(self, form: Callable[[], EditProblem], limits: Limits) -> tuple[EditProblem, Proved]:
        """Return a modified problem, and what the engine makes of it."""
        try:
            problem = form()
        except (ModelError, ValueError, ArithmeticError, UPException) as error:
            raise UnsupportedError(str(error)) from error
        return problem, solve_with(self.name, problem, limits.seconds, limits.memory)

    def _cost(self, steps: Sequence[Step], scale: int) -> int:
        """Return the cost of steps that execute, in scaled whole numbers."""
        simulator = Simulator(self.model)
        own = [bare(step) for step in map(simulator.resolve, steps) if isinstance(step, Step)]
        cost = simulator.run(own).cost
        assert cost is not None
        return int((cost - simulator.initial_cost) * scale)


def installed(name: str, environment: Environment | None = None) -> Any:
    """Return the class of an engine that makes plans. Raises PlannerError when there is none of the name."""
    factory = get_environment(environment).factory
    planners = [other for other in factory.engines if factory.engine(other).is_oneshot_planner()]
    if name not in planners:
        near = did_you_mean(name, planners)
        plain = (other for other in planners if "[" not in other)  # the others are made of these
        raise PlannerError(f"no planner '{name}' is installed{near}; there are {', '.join(plain)}")
    return factory.engine(name)


def solve_with(
    engine_name: str,
    problem: EditProblem,
    time_limit: float,
    memory: int = DEFAULT_MEMORY_LIMIT,
) -> Proved:
    """Give a modified problem to an installed unified-planning engine, and return the repair that its plan stands for.

    The engine runs in a child process with a directory of its own; after ``time_limit`` seconds of wall clock all that
    it started is ended. ``memory`` is in bytes of address space, for each process.
    ``proven`` is the engine's word: SOLVED_OPTIMALLY, or a proof that there is no plan.

    Raises UnsupportedError when the engine does not support the problem, PlannerError when it is not installed, fails,
    gives up, or answers with a plan that does not execute.
    """
    engine = installed(engine_name, problem.environment)
    try:
        kind = problem.kind
    except (ArithmeticError, UPException) as error:  # a division by zero is simplified
        raise UnsupportedError(f"unified-planning fails on the problem: {error}") from error
    if not engine.supports(kind):
        lacking = sorted(kind.features - engine.supported_kind().features) or sorted(kind.features)
        raise UnsupportedError(f"the engine '{engine_name}' does not support the problem: {', '.join(lacking)}")
    answer = solve(engine_name, engine, problem, Limits.from_now(time_limit, memory))
    if answer.steps is None:
        return Proved(status=answer.status, proven=answer.status is Status.UNSOLVABLE, by=engine_name)
    return _repaired(problem, list(answer.steps), engine_name, optimal=answer.optimal)


def _repaired(problem: EditProblem, steps: list[Step], engine_name: str, *, optimal: bool) -> Proved:
    """Execute a plan of the modified problem and read it."""
    simulator = Simulator(model_from_up(problem))
    trace = simulator.run(Plan(parts=tuple(steps)))
    if trace.failures:
        faults = "; ".join(sentences(trace.failures[:3], steps))
        raise PlannerError(f"the planner's answer does not execute: {faults}")
    assert trace.cost is not None
    edits = problem.edits(steps)
    has_costs = bool(problem.quality_metrics)
    cost = int(trace.cost) if has_costs else sum(edit.move is not Move.KEEP for edit in edits)
    optimal = optimal and has_costs
    lower = cost if optimal else 0
    found = Proved(status=Status.SOLVED, edits=edits, upper=cost, lower=lower, by=engine_name)
    return replace(found, proven=optimal and _means_nearest(problem, found))


def _means_nearest(problem: EditProblem, found: Proved) -> bool:
    """Return whether the cheapest plan is the nearest: where insertions have costs, none may be spared by a skip."""
    weighting = problem.weighting
    if weighting.keep or weighting.insert == 0:
        return True
    skips = sum(edit.move is Move.SKIP for edit in found.edits or ())
    return skips * weighting.skip == problem.forced_cost
