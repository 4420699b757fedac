"""The cost of a model's cheapest plan: A* on the unmodified task, and beside it a known plan that is made cheaper.

A plan becomes cheaper by stretches of it that are solved again, each to optimality, with the rest kept. A stretch leads
from the state before it to what the rest of the plan needs as it stands. Stretches overlap by half and grow, until none
gets cheaper (large neighbourhood search, Shaw 1998; for plans: Siddiqui and Haslum 2015); first with operators on the
variables that the stretch changes only, of which a planner is started much sooner. What a search on the whole task does
not find in time, such as a detour less in a long plan, is found so as long as it is local.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

from validator.grounding.limits import HEAD_START, SHORT, Limits, Status
from validator.grounding.operators import Operator, Value
from validator.grounding.planner import better, optimal_strategy, prover_of, search
from validator.grounding.task import Task, step_costs
from validator.reading.plan import Step
from validator.records import dataclass, replace
from validator.repair.edit import LARGEST, own_steps, unmodified
from validator.repair.proved import Prover


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """What is known of the cheapest plan's cost, in scaled integers; ``plan`` is one of the upper bound's cost."""

    status: Status
    lower: int
    upper: int | None = None
    plan: tuple[Step, ...] | None = None
    by: str = ""
    """the search that proved the lower bound"""

    @property
    def is_proven(self) -> bool:
        return self.status is Status.UNSOLVABLE or self.lower == self.upper


def find_optimum(
    task: Task, known: Sequence[Step] | None, limits: Limits, *, enough: int | None = None, most: int | None = None
) -> Optimum:
    """Find the cost of the model's cheapest plan.

    ``known`` is a valid plan: as soon as the lower bound meets its cost, it is proven cheapest and the last and
    largest layer of the search is spared. Beside a proof that takes long it is made cheaper, until it costs ``enough``,
    and then nothing more is asked for. The proof ends as well where every plan costs more than ``most``. Nothing is
    proven with costs that do not fit the 30 bits of the search, which could then take a dear plan for a cheap one.
    """
    if task.is_relaxed_unsolvable:
        return Optimum(status=Status.UNSOLVABLE, lower=0, by=Prover.RELAXATION)
    if task.goal == ():
        return Optimum(status=Status.SOLVED, lower=0, upper=0, plan=(), by=Prover.EXECUTION)
    plan, upper = (None, None) if known is None else (tuple(known), plan_cost(task, known))
    strategy, over = optimal_strategy(task), Event()
    by = prover_of(strategy)

    def stop(bound: int) -> bool:
        return (upper is not None and bound >= upper) or (most is not None and bound > most) or over.is_set()

    with ThreadPoolExecutor(max_workers=1) as pool:
        try:
            proof = pool.submit(search, unmodified(task), strategy, limits, stop)
            wait([proof], timeout=min(HEAD_START, limits.seconds))
            if plan is not None and enough is not None and not proof.done():
                plan = cheaper_plan(task, plan, enough, limits, proof.done)
                upper = plan_cost(task, plan)
            if upper is None or enough is None or upper > enough:
                wait([proof])
        finally:
            over.set()
    outcome = proof.result()
    if outcome.status is Status.SOLVED:
        found = own_steps(task, outcome.plan)
        cost = plan_cost(task, found)
        if upper is None or cost < upper:
            plan, upper = found, cost
    is_met = outcome.status is Status.SOLVED or (
        outcome.status is Status.STOPPED and outcome.lower_bound >= (upper or 0)
    )
    if upper is None or not is_met:
        lower = outcome.lower_bound if upper is None else min(outcome.lower_bound, upper)
        return Optimum(status=outcome.status, lower=lower, upper=upper, plan=plan, by=by)
    if upper + task.dearest > LARGEST:  # a path that is looked at before may have overflowed
        return Optimum(status=Status.COST_LIMIT, lower=0, upper=upper, plan=plan, by=by)
    return Optimum(status=Status.SOLVED, lower=upper, upper=upper, plan=plan, by=by)


def plan_cost(task: Task, steps: Sequence[Step]) -> int:
    """Return the cost of steps in the task's scaled integers."""
    return sum(step_costs(task, steps))


# --- a cheaper plan out of a plan -----------------------------------------------------------------

_SHORTEST = 8
"""steps of the first stretches"""


def cheaper_plan(
    task: Task, steps: Sequence[Step], most: int, limits: Limits, is_over: Callable[[], bool]
) -> tuple[Step, ...]:
    """Return the cheapest plan found on the way from a plan of the task to one that costs ``most`` at most.

    For tasks with axioms, conditional effects or a goal that is no conjunction it is that of one search on the whole.
    """
    if task.has_axioms or task.has_conditional_effects or task.goal is None:
        cost = plan_cost(task, steps)
        outcome = search(unmodified(task), better(cost), limits, lambda _: is_over())
        found = own_steps(task, outcome.plan) if outcome.status is Status.SOLVED else tuple(steps)
        return found if plan_cost(task, found) < cost else tuple(steps)
    walk = _Walk(task, steps, limits, is_over)
    for is_near in (True, False):
        length = _SHORTEST
        while walk.cost > most and length < 2 * len(walk.operators) and not walk.is_done:
            if not walk.sweep(length, most, is_near=is_near):
                length *= 2
    return tuple(task.encoding.step(operator.name) for operator in walk.operators)


class _Walk:
    """A plan's operators, and the states before each of them and at the end."""

    def __init__(self, task: Task, steps: Sequence[Step], limits: Limits, is_over: Callable[[], bool]) -> None:
        self.task, self.goal = task, task.goal or ()
        self.limits, self.is_over = limits, is_over
        self.strategy = optimal_strategy(task)
        self.operators: list[Operator] = []
        self.states: list[list[int]] = [list(task.init)]
        for step in steps:
            operator = task.way(step, self.states[-1])
            assert operator is not None
            self._append(operator)
        self.tried: set[tuple[tuple[int, ...], tuple[Value, ...], frozenset[int] | None, int]] = set()

    @property
    def cost(self) -> int:
        return sum(operator.cost for operator in self.operators)

    @property
    def is_done(self) -> bool:
        return self.is_over() or self.limits.is_over()

    def _append(self, operator: Operator) -> None:
        self.operators.append(operator)
        self.states.append(operator.after(self.states[-1]))

    def sweep(self, length: int, most: int, *, is_near: bool) -> bool:
        """Solve stretches of a length from the beginning to the end; return whether the plan got cheaper.

        With ``is_near`` only with operators on the variables that a stretch changes.
        """
        before, start = self.cost, 0
        while start < len(self.operators) and self.cost > most and not self.is_done:
            if not self._solve(start, min(len(self.operators), start + length), is_near=is_near):
                start += length // 2
        return self.cost < before

    def _solve(self, start: int, end: int, *, is_near: bool) -> bool:
        """Put something cheaper in the place of a stretch, if there is any and it is found in time."""
        stretch, needs = self.operators[start:end], self._needs(end)
        cost = sum(operator.cost for operator in stretch)
        within = frozenset(variable for operator in stretch for variable in operator.effect) if is_near else None
        key = tuple(self.states[start]), needs, within, cost
        if not cost or not needs or key in self.tried:
            return False
        self.tried.add(key)
        found = self._cheapest(self.states[start], needs, within, cost)
        if found is None or sum(operator.cost for operator in found) >= cost:
            return False
        rest = self.operators[end:]
        del self.operators[start:], self.states[start + 1 :]
        for operator in (*found, *rest):
            self._append(operator)
        return True

    def _cheapest(
        self, state: Sequence[int], needs: tuple[Value, ...], within: frozenset[int] | None, cost: int
    ) -> list[Operator] | None:
        """Return the cheapest way from a state to what is needed; None where none costs less, or the time is up."""
        task = replace(self.task, goal=needs)
        if within is not None:
            near = tuple(each for each in task.operators if each.effect.keys() <= within)
            task = replace(task, operators=near)
        text = unmodified(task, state)
        outcome = search(text, self.strategy, self.limits.within(SHORT), lambda low: low >= cost or self.is_over())
        if outcome.status is not Status.SOLVED:
            return None
        return [task.operators[int(name[2:])] for name in outcome.plan if name.startswith("i ")]

    def _needs(self, end: int) -> tuple[Value, ...]:
        """Return what the plan behind a place needs."""
        needs = dict(self.goal)
        for operator in reversed(self.operators[end:]):
            for variable in operator.effect:
                needs.pop(variable, None)
            needs |= operator.needed
        return tuple(sorted(needs.items()))
