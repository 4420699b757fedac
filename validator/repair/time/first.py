"""Plans over time that are there soon: by greedy search for plans in which one step follows another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from validator.model.values import And, Model
from validator.reading.plan import Step
from validator.repair.greedy.search import Greedy
from validator.repair.numbers.first import cheaper_plans, near_plans, without_each
from validator.repair.time.grid import Grid
from validator.repair.time.sequential import in_a_row, least_duration, sequential

__all__ = ["FirstPlans"]


class FirstPlans:
    """Greedy searches for sequential plans of a model over time: from 0 on, and after all timed facts.

    ``is_over`` ends everything: the preparation with a TimeoutError.
    """

    def __init__(
        self, model: Model, grid: Grid, steps: Sequence[Step], *, with_goal: bool, is_over: Callable[[], bool]
    ) -> None:
        self.model = model
        self.grid = grid
        goal = model.problem.goal if with_goal else And(())
        begins = {False: Fraction(0)}
        if model.problem.timed:
            begins[True] = max(fact.time for fact in model.problem.timed) + grid.time(grid.apart)
        self._from = [
            (begin, Greedy(sequential(model, with_facts=late), steps, goal, is_over)) for late, begin in begins.items()
        ]

    def near(self, observed: Sequence[Step]) -> Iterator[tuple[Step, ...]]:
        """Yield plans, those first that are likely to keep most of an observed one, which is in order of time."""
        steps = [Step(name=step.name, args=step.args) for step in observed]
        for begin, greedy in self._from:
            yield from self._timed(near_plans(greedy, steps, without_each(steps)), greedy, begin)

    def quick(self) -> Iterator[tuple[Step, ...]]:
        """Yield plans whose steps take less and less time together."""
        for begin, greedy in self._from:
            yield from self._timed(cheaper_plans(greedy, self._durations(greedy)), greedy, begin)

    def _timed(self, plans: Iterable[tuple[Step, ...]], greedy: Greedy, begin: Fraction) -> Iterator[tuple[Step, ...]]:
        """Yield plans that begin at a time."""
        for plan in plans:
            timed = in_a_row(self.model, greedy.states, plan, self.grid, begin)
            if timed is not None:
                yield timed

    def _durations(self, greedy: Greedy) -> list[float]:
        """Return how long steps last in the initial state, which guides the search, right or not."""
        situation = greedy.states.situation(greedy.states.start)
        found = (least_duration(self.model, ground, situation, self.grid) for ground in greedy.steps)
        return [float(self.grid.time(units or self.grid.apart)) for units in found]
