"""The nearest plan that has a quality.

Three searches are asked one after the other, each for what the one before does not suit or could not prove in time
(``checking/seek.py`` asks the first two, which need no grounded model):

1. A* in this process, for small models (``search/a_star.py``);
2. for long plans, local search for some repair (``search/local_search.py``), then projections of the model onto the
   objects that matter (``projection/refine.py``);
3. ``repair``, on the grounded model: A* with LM-cut by Fast Downward for a moment, then cost partitioning, which first
   cuts long plans into windows around their faults, then A* again. A greedy search looks for a first plan while there
   is none.

Every plan is executed before it counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Event

from validator.alarms import OutOfTime
from validator.errors import NotInstalledError
from validator.execution.simulator import Simulator
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import search
from validator.grounding.strategies import optimal_strategy, prover_of
from validator.grounding.task import Task
from validator.reading.plan import Plan, Step, Token
from validator.repair.alignment import aligned
from validator.repair.cheapest import Optimum, plan_cost
from validator.repair.cost_partitioning.components import Components
from validator.repair.cost_partitioning.problem import Plain, Problem
from validator.repair.edit import LARGEST, Edit, Move, Weighting, compile_edit
from validator.repair.fewest_skips import with_fewest_skips
from validator.repair.incumbent import Incumbent, Progress
from validator.repair.policy import Policy
from validator.repair.proved import Proved, Prover
from validator.repair.search.first_plan import GREEDY, first_plan
from validator.resources import loading

__all__ = ["repair"]

_A_STAR = 0.3
"""seconds for A* before cost partitioning: the easier half of all repairs is proven by then"""

_SHARE = 0.5
"""of the time that is left, for cost partitioning where insertions have costs of their own; A* has the rest"""


def repair(
    task: Task,
    simulator: Simulator,
    tokens: Sequence[Token],
    policy: Policy,
    limits: Limits,
    *,
    with_goal: bool,
    optimum: Optimum | None = None,
    progress: Progress | None = None,
    known: Proved | None = None,
) -> Proved:
    """Find the nearest plan that is sound, with ``with_goal`` valid, with a proven ``optimum`` cheapest.

    ``known`` is what another search found, with steps that the task has. ``progress`` is called, from more than one
    thread, with the lower bound and the cost of the best plan so far.
    Raises OverflowError when the costs do not fit 30 bits, PlannerError when the planner fails or answers with a
    plan that does not execute.
    """
    if with_goal and task.is_relaxed_unsolvable:
        return Proved(status=Status.UNSOLVABLE, proven=True, by=Prover.RELAXATION)

    def prepared(weighting: Weighting) -> Incumbent:
        edit_task = compile_edit(task, tokens, weighting, with_goal=with_goal)
        cheapest = None if optimum is None else optimum.upper
        told = progress or (lambda lower, best: None)
        incumbent = Incumbent(edit_task, simulator, with_goal=with_goal, cheapest=cheapest, progress=told)
        _begin(incumbent, optimum)
        if known is not None:
            incumbent.raise_lower(known.lower - edit_task.forced_cost, Prover.PROJECTION)
        if known is not None and known.edits is not None:
            incumbent.take(known.edits, known.by)
        return incumbent

    incumbent = prepared(_weighting(tokens, policy, optimum, task))
    if optimum is None and policy is Policy.KEEP:
        return with_fewest_skips(incumbent, limits, prepared, _searched)
    return _searched(incumbent, limits)


def _searched(incumbent: Incumbent, limits: Limits) -> Proved:
    """Search until the best repair is proven, or the time is over."""
    status = Status.STOPPED
    try:
        if not incumbent.is_proven():
            status = _a_star(incumbent, limits.within(_A_STAR))
        if not incumbent.is_proven() and limits.seconds > 0:
            with _first_plan_beside(incumbent, limits):
                _cost_partitioning(incumbent, limits)
                if not incumbent.is_proven():
                    status = _a_star(incumbent, limits)
    except (OutOfTime, TimeoutError):
        status = Status.TIME_LIMIT
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return incumbent.result(status)


def _a_star(incumbent: Incumbent, limits: Limits) -> Status:
    """Search by Fast Downward, until a cheapest plan is found or the bound meets the best one."""
    edit_task = incumbent.edit_task
    strategy = optimal_strategy(edit_task.task)
    by = prover_of(strategy)

    def stop(bound: int) -> bool:
        incumbent.raise_lower(bound, by)
        return incumbent.is_proven()

    with incumbent.timed("A*"):
        outcome = search(edit_task.text, strategy, limits, stop)
    if outcome.status is Status.SOLVED:
        incumbent.settle(outcome.plan, by)
    elif outcome.status is Status.UNSOLVABLE:
        incumbent.exclude(by)
    return outcome.status


def _cost_partitioning(incumbent: Incumbent, limits: Limits) -> None:
    """Search with bounds of all variables added up; a task with axioms is left to A*."""
    edit_task, by = incumbent.edit_task, Prover.COST_PARTITIONING
    within = limits if edit_task.weighting.insert == 0 else limits.within(_SHARE * limits.seconds)

    def go_on(bound: int) -> bool:
        incumbent.raise_lower(bound, by)
        return not incumbent.is_proven() and within.seconds > 0

    def better(names: tuple[str, ...]) -> None:
        incumbent.take(edit_task.edits(names), by)

    # Without memory for it, or for NumPy itself, A* goes on.
    without = (TimeoutError, MemoryError, ImportError, NotInstalledError)
    with incumbent.timed("cost partitioning"), suppress(*without), loading("numpy"):
        from validator.repair.cost_partitioning.prove import prove  # NumPy, which most repairs never need

        problem: Problem | None = None
        if Components.suits(edit_task):
            problem = Components(edit_task, with_goal=incumbent.with_goal, is_over=lambda: not go_on(0))
        elif Plain.suits(edit_task):
            problem = Plain(edit_task, with_goal=incumbent.with_goal, is_over=lambda: not go_on(0))
        if problem is not None:
            known = incumbent.lower - edit_task.forced_cost
            found = prove(problem, incumbent.bound, go_on, limits.memory, better, known)
            if found.names is not None:
                better(found.names)
            incumbent.raise_lower(found.lower, by)


@contextmanager
def _first_plan_beside(incumbent: Incumbent, limits: Limits) -> Iterator[None]:
    """Look for any plan within, until there is one."""
    over = Event()

    def is_over() -> bool:
        return over.is_set() or incumbent.best is not None

    def look() -> None:
        edits = first_plan(incumbent.edit_task, limits, is_over)
        if edits is not None:
            incumbent.take(edits, GREEDY)

    if incumbent.best is not None or not incumbent.with_goal:
        yield
        return
    with ThreadPoolExecutor(max_workers=1) as pool:
        looking = pool.submit(look)
        try:
            yield
        finally:
            over.set()
        looking.result()


def _begin(incumbent: Incumbent, optimum: Optimum | None) -> None:
    """Take what is known without a search, and the bounds that hold in any case."""
    edit_task = incumbent.edit_task
    first = _without_failing(incumbent)
    if first is not None:
        incumbent.take(first, Prover.EXECUTION)
    if optimum is not None and optimum.plan is not None:
        cost = plan_cost(edit_task.task, optimum.plan)
        incumbent.raise_lower(edit_task.weighting.insert * cost, optimum.by)
        incumbent.take(aligned(edit_task.tokens, optimum.plan), optimum.by)
    elif first is None or edit_task.cost(first):
        # As it stands the plan lacks the quality, so that one change at least is needed.
        incumbent.raise_lower(1 - edit_task.forced_cost, Prover.EXECUTION)


def _weighting(tokens: Sequence[Token], policy: Policy, optimum: Optimum | None, task: Task) -> Weighting:
    if optimum is not None:
        most_edits = len(tokens) + len(optimum.plan or ())
        weighting = Weighting.cheapest(most_edits)
        dearest = max((operator.cost for operator in task.operators), default=0)
        if weighting.insert * ((optimum.upper or 0) + dearest + 1) + most_edits > LARGEST:
            raise OverflowError("the costs of the modified problem do not fit the planner's 30 bits")
        return weighting
    return Weighting.keeping(len(tokens)) if policy is Policy.KEEP else Weighting.edits()


def _without_failing(incumbent: Incumbent) -> tuple[Edit, ...] | None:
    """Return the plan without the steps that fail, if that has the quality: an upper bound at no cost."""
    tokens, simulator = incumbent.edit_task.tokens, incumbent.simulator
    kept = set(incumbent.edit_task.kept)
    trace = simulator.run(Plan(parts=tuple(_bare_tokens(tokens))))
    failing = {failure.step for failure in trace.failures}
    places = Plan(parts=tokens).places
    keeps = [index in kept and places[index] not in failing for index in range(len(tokens))]
    edits = tuple(
        Edit(move=Move.KEEP if keep else Move.SKIP, token=token) for keep, token in zip(keeps, tokens, strict=True)
    )
    again = simulator.run(Plan(parts=Proved(status=Status.SOLVED, edits=edits).plan or ()))
    return edits if (again.is_valid if incumbent.with_goal else again.is_sound) else None


def _bare_tokens(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens without times and sets, so that they execute one after the other."""
    return [Step(name=token.name, args=token.args) if isinstance(token, Step) else token for token in tokens]
