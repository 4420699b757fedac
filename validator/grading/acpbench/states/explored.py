"""States in order of breadth, up to a number of them: what is reached, and whether it is all."""

from __future__ import annotations

from collections.abc import Callable

from validator.grading.acpbench.states.space import Space
from validator.records import dataclass

__all__ = ["Explored", "explore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """States in order of their distance from the first; ``is_all`` says that no other can be reached.

    ``parents`` are the place of the state before each and the operator that led here. All states up to ``depth`` steps
    are there.
    """

    states: tuple[int, ...]
    depths: tuple[int, ...]
    parents: tuple[tuple[int, int], ...]
    depth: int
    is_all: bool

    def first(self, is_wanted: Callable[[int], bool]) -> int | None:
        """Return the place of the nearest state of a kind."""
        return next((place for place, state in enumerate(self.states) if is_wanted(state)), None)

    def path(self, place: int) -> list[int]:
        """Return the operators that lead to a state."""
        found: list[int] = []
        while place:
            place, operator = self.parents[place]
            found.append(operator)
        return found[::-1]


def explore(
    space: Space, state: int, most: int, *, avoiding: int = 0, until: int | None = None, to_goal: bool = False
) -> Explored:
    """Return the states that can be reached, the nearest first, up to a number of them.

    States with a fact of ``avoiding`` are not entered. ``until`` is a number of steps that is enough; with
    ``to_goal``, so is a state with the goal.
    """
    states, depths, parents = [state], [0], [(0, -1)]
    seen, place = {state}, 0
    while place < len(states) and len(states) <= most and (until is None or depths[place] < until):
        if to_goal and space.is_goal(states[place]):
            break
        for number, after in space.successors(states[place]):
            if after not in seen and not after & avoiding:
                seen.add(after)
                states.append(after)
                depths.append(depths[place] + 1)
                parents.append((place, number))
        place += 1
    is_all = place == len(states)
    depth = depths[-1] if is_all else depths[place]
    return Explored(states=tuple(states), depths=tuple(depths), parents=tuple(parents), depth=depth, is_all=is_all)
