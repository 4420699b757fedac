"""Windows around the faults of a long plan: repairs of the whole plan from left to right, and bounds that add up.

Where a step cannot be executed, the steps around it become a problem of their own: from the state before them to what
the steps behind need (the regression of their preconditions). The nearest plan may change steps far from a fault, so
that what comes out is a repair and no proof. The same steps from any state and to any state are another problem. Every
change of a repair stands at one place, so what windows that do not overlap cost at least in this way adds up. Often
the sum meets the cost of the repair, and the plan is proven without a search of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from time import thread_time
from typing import Protocol

from validator.repair.cost_partitioning.change import Choice
from validator.repair.cost_partitioning.layers import Swept
from validator.repair.cost_partitioning.problem import Problem, Stretch

__all__ = ["LONG", "in_windows"]

LONG = 60
"""steps of a plan from which on it is cut"""

_MARGINS = (6, 24)
"""steps of a window before and behind a fault"""

_MORE = 3
"""changes that a window may need more than from any state to any state, before it is given up"""

_SHARE = 0.5
"""of the CPU seconds that are left, for a window"""


class Prove(Protocol):
    """Proves a problem, as ``prove.prove`` does."""

    def __call__(
        self,
        problem: Problem,
        bound: Callable[[], float],
        go_on: Callable[[int], bool],
        memory: int,
        better: Callable[[tuple[str, ...]], None] = ...,
    ) -> Swept: ...


def in_windows(
    problem: Problem,
    prove: Prove,
    lower: int,
    bound: Callable[[], float],
    go_on: Callable[[int], bool],
    memory: int,
    better: Callable[[tuple[str, ...]], None],
    seconds: float,
    *,
    wide: bool,
) -> int:
    """Return what a repair of a long plan costs at least, and call ``better`` with repairs, for so many CPU seconds.

    It ends when they meet; ``lower`` is known before. With ``wide`` windows that have no repair are made larger.
    """
    until = thread_time() + seconds
    for margin in _MARGINS if wide else _MARGINS[:1]:
        if go_on(lower) and lower < bound() and thread_time() < until:
            walk = _Walk(problem, prove, lambda: go_on(0), memory, until)
            names = walk.run(margin, is_wide=wide)
            lower = max(lower, walk.lower)
            if names is not None:
                better(names)
                break
    return lower


class _Walk:
    """Executes a plan, and repairs what fails."""

    def __init__(self, problem: Problem, prove: Prove, go_on: Callable[[], bool], memory: int, until: float) -> None:
        self._problem, self._prove, self._go_on, self._memory = problem, prove, go_on, memory
        self._until = until
        self._operators = {change.number: change for change in problem.alike.operators}
        self.lower = 0
        """what the windows cost at least, added up"""

    def run(self, margin: int, *, is_wide: bool) -> tuple[str, ...] | None:
        """Return the edits of a repair; None where some window has none, or it is over."""
        problem, length = self._problem, self._problem.length
        names: list[str] = []
        states: dict[int, Sequence[int]] = {0: problem.init}
        """before each step since the last window"""
        first, begun, place, bounded = 0, 0, 0, 0
        """the end of the last window, the edits up to there, the step at hand, and the end of what has a bound"""
        known: dict[int, int] = {}
        """the last step since the last window that reads or sets each variable"""
        while True:
            behind = self._kept(states[place], place) if place < length else None
            if behind is not None:
                names.append(f"k {place}")
                known |= dict.fromkeys((variable for step in problem.steps[place] for variable in step.touched), place)
                place += 1
                states[place] = behind
                continue
            if place == length and self._reaches(states[place]):
                return tuple(names)
            start, end = max(first, place - margin), min(length, place + margin + 1)
            least = 0
            cause = self._cause(states[place], place, known)
            if place >= bounded and (cause >= 0 or not bounded):
                least = self._least(max(bounded, cause - margin), end)
                self.lower, bounded = self.lower + least, end
            most = least + _MORE if problem.is_unit else inf
            found = self._solved(states[start], start, end, most, is_wide=is_wide)
            if found is None and place < length and is_wide and thread_time() < self._until:
                names.append(f"s {place}")
                place += 1
                states[place] = states[place - 1]
                continue
            if found is None:
                return None
            names[begun + start - first :] = found
            state = self._executed(states[start], found)
            if state is None:
                return None
            first, begun, place, states, known = end, len(names), end, {end: state}, {}

    def _kept(self, state: Sequence[int], place: int) -> list[int] | None:
        ways = (step.after(state) for step in self._problem.steps[place])
        return next((behind for behind in ways if behind is not None), None)

    def _executed(self, state: Sequence[int], names: Sequence[str]) -> Sequence[int] | None:
        """Return the state behind edits."""
        found: Sequence[int] | None = state
        for name in names:
            kind, number = name.split()
            if found is not None and kind == "k":
                found = self._kept(found, int(number))
            elif found is not None and kind == "i":
                found = self._operators[int(number)].after(found)
        return found

    def _reaches(self, state: Sequence[int]) -> bool:
        return all(any(_holds(state, choice) for choice in choices) for choices in self._problem.stages)

    def _cause(self, state: Sequence[int], place: int, known: Mapping[int, int]) -> int:
        """Return the last step that reads or sets a variable whose value fails the step at a place, or the goal.

        Return -1 where none does since the last window: from any state nothing fails then.
        """
        stages = self._problem.stages
        if place < self._problem.length:
            stages = [[(*step.need.items(), *step.maps.items()) for step in self._problem.steps[place]]]
        causes = [
            max(known.get(asked[0], -1) for asked in choice if not _holds(state, (asked,)))
            for choices in stages
            for choice in choices
            if not _holds(state, choice)
        ]
        return min(causes, default=-1)

    def _least(self, start: int, end: int) -> int:
        """Return what a window costs at least, from any state to any state."""
        until = self._until_half()
        try:
            stretch = Stretch.anywhere(self._problem, start, end)
            return self._prove(
                stretch, lambda: inf, lambda _: thread_time() < until and self._go_on(), self._memory
            ).lower
        except TimeoutError:
            return 0

    def _until_half(self) -> float:
        """Return when half of the CPU seconds that are left are spent."""
        now = thread_time()
        return now + _SHARE * (self._until - now)

    def _solved(self, state: Sequence[int], start: int, end: int, most: float, *, is_wide: bool) -> list[str] | None:
        """Return the edits of a window: with the values that are named there; else, if ``is_wide``, with all of them.

        A window whose edits cost more than ``most`` has none.
        """
        length = self._problem.length
        far = None if end == length else self._needs(end, length)
        near = None if end == length else self._needs(end, min(length, end + end - start))
        for goal, is_narrow in ((far, True), (near, True), (far, False), (near, False))[: 4 if is_wide else 2]:
            best: list[tuple[str, ...]] = []
            until = self._until_half()
            if until <= thread_time():
                return None

            def go_on(lower: int, until: float = until) -> bool:
                return lower <= most and thread_time() < until and self._go_on()

            stretch = Stretch.of(self._problem, start, end, state, goal, is_narrow=is_narrow)
            try:
                found = self._prove(stretch, lambda: inf, go_on, self._memory, best.append)
            except TimeoutError:
                continue
            names = found.names or (best[-1] if best else None)
            if names is not None:
                return [_shifted(name, start) for name in names]
            if found.lower and not is_wide:  # it is too dear, and what is needed far away would be so later
                return None
        return None

    def _needs(self, start: int, end: int) -> Choice:
        """Return what steps between two places need, and the goal, where the second one is the end of the plan."""
        needs: dict[int, int] = {}
        if end == self._problem.length:
            certain = [choices[0] for choices in self._problem.stages if len(choices) == 1]
            needs = {variable: value for choice in certain for variable, value in choice if isinstance(value, int)}
        for steps in reversed(self._problem.steps[start:end]):
            for variable in {variable for step in steps for variable in step.touched}:
                needs.pop(variable, None)
            if len(steps) == 1:
                needs |= steps[0].need
        return tuple(needs.items())


def _holds(state: Sequence[int], choice: Choice) -> bool:
    return all(
        state[variable] == asked if isinstance(asked, int) else state[variable] in asked.before
        for variable, asked in choice
    )


def _shifted(name: str, start: int) -> str:
    kind, number = name.split()
    return name if kind == "i" else f"{kind} {int(number) + start}"
