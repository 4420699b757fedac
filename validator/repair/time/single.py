"""One step moved, or dropped, at a time, each plan executed: for models whose course no order of parts tells.

Where a step is put are the times at which something happens in the execution of the observed plan, those times less
its duration, epsilon around all of these, and the middles between them. Where values change continuously, other times
may do as well: that nothing was found proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from validator.reading.plan import Step
from validator.records import replace
from validator.repair.time.grid import Grid

__all__ = ["dropped", "moved"]


def moved(
    steps: Sequence[Step],
    happening: Iterable[Fraction],
    grid: Grid,
    accepted: Callable[[Sequence[Step]], bool],
    stop: Callable[[], bool],
) -> tuple[int, Step] | None:
    """Return the step that moves least, with its new time, so that the plan is accepted; None where no single one does.

    ``happening`` are the times at which something happens in the plan as it is.
    """
    tries: list[tuple[int, int, Fraction]] = []
    for place, step in enumerate(steps):
        now = grid.units(step.time or Fraction(0))
        tries += [(abs(units - now), place, grid.time(units)) for units in _places(step, happening, grid)]
    for _, place, time in sorted(tries):
        if stop():
            return None
        candidate = replace(steps[place], time=time)
        if time != steps[place].time and accepted([*steps[:place], candidate, *steps[place + 1 :]]):
            return place, candidate
    return None


def dropped(steps: Sequence[Step], accepted: Callable[[Sequence[Step]], bool], stop: Callable[[], bool]) -> int | None:
    """Return the place of a step without which the plan is accepted."""
    for place in range(len(steps)):
        if stop():
            return None
        if accepted([*steps[:place], *steps[place + 1 :]]):
            return place
    return None


def _places(step: Step, happening: Iterable[Fraction], grid: Grid) -> Iterator[int]:
    """Yield times for a step, in units of the grid, in order and each once."""
    times = {grid.units(time) for time in happening} | {0}
    times |= {time - grid.units(step.duration or Fraction(0)) for time in times}
    times |= {time + way * grid.apart for time in times for way in (-1, 1)}
    critical = sorted(time for time in times if time >= 0)
    yield from critical
    yield from ((early + late) // 2 for early, late in pairwise(critical) if late - early > 1)
    yield critical[-1] + grid.scale
