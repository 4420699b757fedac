"""Plans over time that are there soon: by greedy search for plans in which one step follows another, and for others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from validator.grounding.limits import Limits
from validator.model.values import And, Formula, Model
from validator.reading.plan import Step
from validator.repair.greedy.search import Greedy
from validator.repair.numbers.first import cheaper_plans, near_plans, without_each
from validator.repair.time.grid import Grid
from validator.repair.time.sequential import in_a_row, least_duration, sequential
from validator.resources import loading

if TYPE_CHECKING:
    from validator.repair.time.overlap.plans import OverlappingPlans

__all__ = ["SequentialPlans", "searches"]

_SHARE = 0.5
"""of the time that is left, for each search, at most"""


def searches(
    model: Model, grid: Grid, steps: Sequence[Step], observed: Sequence[Step] = (), *, with_goal: bool, limits: Limits
) -> Iterator[SequentialPlans | OverlappingPlans]:
    """Yield searches for plans in which one step follows another, then for those in which steps overlap.

    Take the second one where the first has found nothing. ``observed`` is a plan beside them, in order of time.
    """
    with loading("numpy"):
        from validator.repair.time.overlap.plans import OverlappingPlans  # NumPy, which few plans need
        from validator.repair.time.overlap.relevant import relevant
        from validator.repair.time.overlap.states import Moments

    goal = model.problem.goal if with_goal else And(())
    is_over = partial(_is_over, limits.within(_SHARE * limits.seconds))
    try:
        moments = Moments(model, grid)
        bare = [Step(name=step.name, args=step.args) for step in observed]
        steps = relevant(moments, steps, goal, bare, is_over)
        yield SequentialPlans(model, grid, steps, goal, bare, is_over)
        is_over = partial(_is_over, limits.within(_SHARE * limits.seconds))
        yield OverlappingPlans(moments, steps, goal, observed, is_over)
    except TimeoutError:
        return


def _is_over(limits: Limits) -> bool:
    return not limits.seconds


class SequentialPlans:
    """Greedy searches for sequential plans of a model over time: from 0 on, and after all timed facts.

    ``observed`` is a plan beside them, in order of time. ``is_over`` ends everything: the preparation with a
    TimeoutError.
    """

    def __init__(
        self,
        model: Model,
        grid: Grid,
        steps: Sequence[Step],
        goal: Formula,
        observed: Sequence[Step],
        is_over: Callable[[], bool],
    ) -> None:
        self.model = model
        self.grid = grid
        self.observed = observed
        begins = {False: Fraction(0)}
        if model.problem.timed:
            begins[True] = max(fact.time for fact in model.problem.timed) + grid.time(grid.apart)
        self._from = [
            (begin, Greedy(sequential(model, with_facts=late), steps, goal, is_over)) for late, begin in begins.items()
        ]

    def near(self) -> Iterator[tuple[Step, ...]]:
        """Yield plans, those first that are likely to keep most of the observed one."""
        for begin, greedy in self._from:
            plans = near_plans(greedy, self.observed, without_each(self.observed))
            yield from self._timed(plans, greedy, begin)

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
