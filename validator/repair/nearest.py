"""The nearest plan that has a quality: one search after the other, each for what the ones before could not prove.

1. Small models: A* in this process (``a_star.py``; ``numbers/search.py`` where conditions are more than literals).
2. Long plans, before the model is grounded: local search for some repair (``local_search.py``), then projections
   of the model onto the objects that matter (``projection/refine.py``).
3. The grounded model: A* by Fast Downward for a moment, then cost partitioning (``cost_partitioning/prove.py``), then
   A* again. While no plan is known, a greedy search comes before that.

Every plan is executed before it counts. A search is imported where it begins, as most repairs need the first one only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Protocol

from validator.alarms import OutOfTime
from validator.execution.simulator import Simulator
from validator.grounding.limits import Limits, Status
from validator.reading.plan import Token
from validator.repair import Policy
from validator.repair.edit import EditTask, Move, compile_edit
from validator.repair.proved import Proved, Prover

if TYPE_CHECKING:
    from validator.grounding.task import Task
    from validator.repair.cheapest import Optimum
    from validator.repair.incumbent import Incumbent, Progress
    from validator.repair.literals import GroundModel


_LONG = 60
"""steps of a plan from which on local search and projections come before the model is grounded"""

_A_STAR = 0.3
"""seconds for A* before cost partitioning: the easier half of all repairs is proven by then"""


class Ungrounded(Protocol):
    """A model, and how large it seems to be; ``checking.prepared.Prepared`` is one."""

    @property
    def simulator(self) -> Simulator: ...
    @property
    def small(self) -> GroundModel | None: ...
    @property
    def is_small(self) -> bool: ...
    @property
    def is_large(self) -> bool: ...
    @property
    def is_grounded(self) -> bool: ...


def nearest_without_grounding(
    model: Ungrounded,
    tokens: Sequence[Token],
    limits: Limits,
    *,
    with_goal: bool,
    progress: Progress,
    clock: Callable[[str], AbstractContextManager[object]],
) -> Proved | None:
    """Return the nearest plan by the policy ``edits``, proven or not; None where no search suits.

    The plan lacks the quality, so that one change at least is needed.
    """
    if model.is_small and (small := _in_process(model, tokens, limits, with_goal=with_goal)) is not None:
        progress(small.lower, small.upper)
        return small
    is_large = model.is_large and not model.is_grounded
    if not is_large and len(tokens) < _LONG:
        return None
    from validator.repair.local_search import repair_locally
    from validator.repair.projection.refine import repair_by_projection

    with clock("repair: local search"):
        edits = repair_locally(model.simulator, tokens, limits.is_over, with_goal=with_goal)
    known = None if edits is None else Proved.of(edits, lower=1, by=Prover.LOCAL_SEARCH)
    if known is not None:
        progress(known.lower, known.upper)
    if known is not None and known.proven:
        return known
    with clock("repair: projections"):
        return repair_by_projection(
            model.simulator, tokens, limits, with_goal=with_goal, progress=progress, known=known
        )


def _in_process(model: Ungrounded, tokens: Sequence[Token], limits: Limits, *, with_goal: bool) -> Proved | None:
    if model.small is not None:
        from validator.repair.a_star import nearest_in

        edits = nearest_in(model.small, tokens, with_goal=with_goal)
    else:
        from validator.repair.numbers.search import nearest_of_few_steps

        edits = nearest_of_few_steps(model.simulator, tokens, limits, with_goal=with_goal)
    if edits is None:
        return None
    return Proved.of(edits, lower=sum(edit.move is not Move.KEEP for edit in edits), by=Prover.A_STAR)


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
    clock: Callable[[str], AbstractContextManager[object]] = nullcontext,
) -> Proved:
    """Find the nearest plan that is sound, with ``with_goal`` valid, with a proven ``optimum`` cheapest.

    ``known`` is what another search found, with steps that the task has. ``progress`` is called with the lower bound
    and the cost of the best plan so far, ``clock`` with the name of each phase.
    Raises OverflowError when the costs do not fit 30 bits, PlannerError when the planner fails or answers with a
    plan that does not execute.
    """
    from validator.repair.incumbent import begun, weighting_of

    if with_goal and task.is_relaxed_unsolvable:
        return Proved(status=Status.UNSOLVABLE, proven=True, by=Prover.RELAXATION)
    told = progress or (lambda lower, best: None)

    def begin(edit_task: EditTask) -> Incumbent:
        return begun(
            edit_task, simulator, with_goal=with_goal, optimum=optimum, progress=told, known=known, clock=clock
        )

    if optimum is None and policy is Policy.MOVE:
        from validator.repair.moves import compile_moves, repair_with_moves

        keep = partial(repair, task, simulator, tokens, Policy.KEEP, with_goal=with_goal, progress=progress)
        return repair_with_moves(begin(compile_moves(task, tokens, with_goal=with_goal)), limits, keep)
    weighting = weighting_of(tokens, policy, optimum, task)
    incumbent = begin(compile_edit(task, tokens, weighting, with_goal=with_goal))
    if optimum is None and policy is Policy.KEEP:
        from validator.repair.provers import with_fewest_skips

        return with_fewest_skips(incumbent, limits, begin, _searched)
    return _searched(incumbent, limits)


def _searched(incumbent: Incumbent, limits: Limits) -> Proved:
    """Search until the best repair is proven, or the time is over."""
    from validator.repair.provers import find_any_plan, prove_by_a_star, prove_by_cost_partitioning

    status = Status.STOPPED
    try:
        if not incumbent.is_proven():
            status = prove_by_a_star(incumbent, limits.within(_A_STAR))
        if not incumbent.is_proven() and not limits.is_over():
            prove_by_cost_partitioning(incumbent, limits)
        if incumbent.best is None and not incumbent.is_proven():
            find_any_plan(incumbent, limits)
        if not incumbent.is_proven() and not limits.is_over():
            status = prove_by_a_star(incumbent, limits)
    except (OutOfTime, TimeoutError):
        status = Status.TIME_LIMIT
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return incumbent.result(status)
