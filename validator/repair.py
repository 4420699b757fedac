"""The nearest plan that has a quality: the modified problem solved, every answer executed again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from validator.edit import LARGEST, Edit, EditTask, Move, Policy, Weighting, compile_edit, unmodified
from validator.errors import PlannerError
from validator.execute import Simulator
from validator.plan import Plan, Step, Token
from validator.planner import Limits, Outcome, Status, search
from validator.task import Task

__all__ = ["Optimum", "Repair", "find_optimum", "repair"]

FIRST_PLAN = "let(h, ff(transform=adapt_costs(one)), lazy_greedy([h], preferred=[h]))"
"""Finds some plan quickly; proves nothing about its cost."""

_SHARE = 0.7
"""of the time that is left, the part that the optimal search gets before a plan of any cost is looked for"""


def optimal_strategy(task: Task) -> str:
    """Return the search that proves a cheapest plan: its heuristic must be admissible on the task.

    LM-cut (Helmert and Domshlak 2009) handles neither conditional effects nor axioms; hmax is admissible with
    conditional effects, not with axioms.
    """
    if task.has_axioms:
        return "astar(blind())"
    return "astar(hmax())" if task.has_conditional_effects else "astar(lmcut())"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """The best way found from the observed plan to one with the quality.

    ``edits`` is None when none was found: with ``status`` UNSOLVABLE there is none, with a limit there may be.
    ``cost`` and ``lower_bound`` are costs of the modified task; ``proven`` says that they meet.
    """

    status: Status
    edits: tuple[Edit, ...] | None = None
    cost: int | None = None
    lower_bound: int = 0
    proven: bool = False

    @property
    def plan(self) -> tuple[Step, ...] | None:
        """Return the repaired plan, without times and outputs."""
        if self.edits is None:
            return None
        kept = (edit.token for edit in self.edits if edit.move is not Move.SKIP)
        return tuple(Step(name=token.name, args=token.args) for token in kept if isinstance(token, Step))


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """What is known of the cheapest plan's cost, in scaled integers; ``plan`` is one of the upper bound's cost."""

    status: Status
    lower: int
    upper: int | None = None
    plan: tuple[Step, ...] | None = None

    @property
    def is_proven(self) -> bool:
        return self.status is Status.UNSOLVABLE or self.lower == self.upper


def find_optimum(task: Task, known: Sequence[Step] | None, limits: Limits) -> Optimum:
    """Find the cost of the model's cheapest plan.

    ``known`` is a valid plan: as soon as the lower bound meets its cost, it is proven cheapest and the last and
    largest layer of the search is spared.
    """
    if task.is_relaxed_unsolvable:
        return Optimum(status=Status.UNSOLVABLE, lower=0)
    if task.goal == ():
        return Optimum(status=Status.SOLVED, lower=0, upper=0, plan=())
    upper = None if known is None else plan_cost(task, known)
    outcome = search(
        unmodified(task), optimal_strategy(task), limits, lambda bound: upper is not None and bound >= upper
    )
    if outcome.status is Status.SOLVED:
        own = [name for name in outcome.plan if name.startswith("i ")]
        steps = tuple(task.encoding.step(task.operators[int(name[2:])].name) for name in own)
        cost = outcome.cost or 0
        return Optimum(status=Status.SOLVED, lower=cost, upper=cost, plan=steps)
    plan = None if known is None else tuple(known)
    if outcome.status is Status.STOPPED and upper is not None:
        return Optimum(status=Status.SOLVED, lower=upper, upper=upper, plan=plan)
    return Optimum(status=outcome.status, lower=outcome.lower_bound, upper=upper, plan=plan)


def plan_cost(task: Task, steps: Sequence[Step]) -> int:
    """Return the cost of steps in the task's scaled integers."""
    return sum(min(task.operators[number].cost for number in task.by_step[step]) for step in steps)


def repair(
    task: Task,
    simulator: Simulator,
    tokens: Sequence[Token],
    policy: Policy,
    limits: Limits,
    *,
    with_goal: bool,
    optimum: Optimum | None = None,
) -> Repair:
    """Find the nearest plan that is sound, with ``with_goal`` valid, with a proven ``optimum`` cheapest.

    Raises OverflowError when the costs do not fit 32 bits, PlannerError when the planner fails or answers with a
    plan that does not execute.
    """
    if with_goal and task.is_relaxed_unsolvable:
        return Repair(status=Status.UNSOLVABLE, proven=True)
    weighting = _weighting(tokens, policy, optimum, task)
    edit_task = compile_edit(task, tokens, weighting, with_goal=with_goal)
    best = _greedy(edit_task, simulator, with_goal)
    if optimum is not None and best is not None and best.cost is not None:
        best = best if plan_cost(task, best.plan or ()) == optimum.upper else None
    target = best.cost if best is not None else None
    share = 1.0 if best is not None and policy is Policy.EDITS else _SHARE
    first = Limits(deadline=limits.deadline - (1 - share) * limits.seconds, memory=limits.memory)
    forced = edit_task.forced_cost
    outcome = search(
        edit_task.text,
        optimal_strategy(task),
        first,
        lambda bound: target is not None and bound + forced >= target,
    )
    if outcome.status is Status.STOPPED and best is not None:
        return _proven(best)
    if outcome.status is Status.UNSOLVABLE:
        return Repair(status=Status.UNSOLVABLE, proven=True)
    if outcome.status is Status.SOLVED:
        found = _found(edit_task, outcome, simulator, with_goal)
        return _proven(found) if _means_nearest(edit_task, found) else found
    limit, lower = outcome.status, outcome.lower_bound + forced
    if limits.seconds > 0 and (best is None or policy is Policy.KEEP):
        outcome = search(edit_task.text, FIRST_PLAN, limits)
        if outcome.status is Status.SOLVED:
            some = _found(edit_task, outcome, simulator, with_goal)
            best = some if best is None or (some.cost or 0) < (best.cost or 0) else best
    if best is None:
        return Repair(status=limit, lower_bound=lower)
    return Repair(status=limit, edits=best.edits, cost=best.cost, lower_bound=lower)


def _weighting(tokens: Sequence[Token], policy: Policy, optimum: Optimum | None, task: Task) -> Weighting:
    if optimum is not None:
        most_edits = len(tokens) + len(optimum.plan or ())
        weighting = Weighting.cheapest(most_edits)
        dearest = max((operator.cost for operator in task.operators), default=0)
        if weighting.insert * ((optimum.upper or 0) + dearest + 1) + most_edits > LARGEST:
            raise OverflowError("the costs of the modified problem do not fit the planner's 32 bits")
        return weighting
    return Weighting.keeping(len(tokens)) if policy is Policy.KEEP else Weighting.edits()


def _proven(repaired: Repair) -> Repair:
    return Repair(
        status=Status.SOLVED,
        edits=repaired.edits,
        cost=repaired.cost,
        lower_bound=repaired.cost or 0,
        proven=True,
    )


def _found(edit_task: EditTask, outcome: Outcome, simulator: Simulator, with_goal: bool) -> Repair:
    """Read a plan of the modified task and execute the plan that it stands for."""
    edits = edit_task.edits(outcome.plan)
    repaired = Repair(status=Status.SOLVED, edits=edits, cost=edit_task.cost(edits), lower_bound=outcome.lower_bound)
    trace = simulator.run(Plan(parts=repaired.plan or ()))
    if not (trace.is_valid if with_goal else trace.is_sound):
        faults = "; ".join(str(failure) for failure in trace.failures[:3])
        raise PlannerError(f"the planner's answer does not execute: {faults}")
    return repaired


def _greedy(edit_task: EditTask, simulator: Simulator, with_goal: bool) -> Repair | None:
    """Return the plan without the steps that fail, if that has the quality: an upper bound at no cost."""
    kept = set(edit_task.kept)
    edits: list[Edit] = []
    trace = simulator.run(Plan(parts=tuple(_bare_tokens(edit_task.tokens))))
    failing = {failure.step for failure in trace.failures}
    places = Plan(parts=tuple(edit_task.tokens)).places
    for index, token in enumerate(edit_task.tokens):
        keep = index in kept and places[index] not in failing
        edits.append(Edit(move=Move.KEEP if keep else Move.SKIP, token=token))
    candidate = Repair(status=Status.SOLVED, edits=tuple(edits), cost=edit_task.cost(edits))
    again = simulator.run(Plan(parts=candidate.plan or ()))
    return candidate if (again.is_valid if with_goal else again.is_sound) else None


def _bare_tokens(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens without times and sets, so that they execute one after the other."""
    return [Step(name=token.name, args=token.args) if isinstance(token, Step) else token for token in tokens]


def _means_nearest(edit_task: EditTask, repaired: Repair) -> bool:
    """Return whether the cheapest plan is the nearest: insertions together must cost less than one skipped step."""
    weighting = edit_task.weighting
    if weighting.keep or weighting.insert == 0:
        return True
    skips = sum(edit.move is Move.SKIP for edit in repaired.edits or ())
    return (repaired.cost or 0) - skips * weighting.skip < weighting.skip
