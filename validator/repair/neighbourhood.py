"""A cheaper plan out of a plan: stretches of it solved again, each to optimality, with the rest kept.

A stretch leads from the state before it to what the rest of the plan needs as it stands. Stretches overlap by half and
grow, until none gets cheaper (large neighbourhood search, Shaw 1998; for plans: Siddiqui and Haslum 2015); first with
operators on the variables that the stretch changes only, of which a planner is started much sooner. What a search on
the whole task does not find in time, such as a detour less in a long plan, is found so as long as it is local.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from validator.grounding.limits import SHORT, Limits, Status
from validator.grounding.operators import Operator, Value
from validator.grounding.planner import optimal_strategy, search
from validator.grounding.task import Task
from validator.reading.plan import Step
from validator.records import replace
from validator.repair.edit import unmodified

__all__ = ["cheaper_plan"]

_SHORTEST = 8
"""steps of the first stretches"""


def cheaper_plan(
    task: Task, steps: Sequence[Step], most: int, limits: Limits, is_over: Callable[[], bool]
) -> tuple[Step, ...]:
    """Return the cheapest plan found on the way from a plan of the task to one that costs ``most`` at most.

    The plan itself comes back for tasks with axioms, conditional effects or a goal that is no conjunction.
    """
    if task.has_axioms or task.has_conditional_effects or task.goal is None:
        return tuple(steps)
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
        return self.is_over() or self.limits.seconds <= 0

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
