"""A repair of a long plan by windows around its faults, each repaired by itself, from left to right.

Where a step cannot be executed, the steps around it become a problem of their own: from the state before them to what
the steps behind need (the regression of their preconditions). What comes out is a repair and no proof: the nearest plan
may change steps far from a fault. The bounds of the whole plan often prove it all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from time import thread_time
from typing import Protocol

from validator.repair.cost_partitioning.change import Choice
from validator.repair.cost_partitioning.layers import Swept
from validator.repair.cost_partitioning.problem import Problem, Stretch

__all__ = ["in_windows"]

_MARGINS = (8, 32)
"""steps of a window before and behind a fault"""

_SHORT = 60
"""steps of a plan that is not cut"""

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
        better: Callable[[tuple[str, ...]], None],
    ) -> Swept: ...


def in_windows(
    problem: Problem,
    prove: Prove,
    lower: int,
    bound: Callable[[], float],
    go_on: Callable[[], bool],
    memory: int,
    better: Callable[[tuple[str, ...]], None],
    seconds: float,
) -> None:
    """Call ``better`` with repairs of a long plan, until one costs ``lower``, for so many CPU seconds."""
    if problem.length < _SHORT:
        return
    until = thread_time() + seconds
    for margin in _MARGINS:
        if go_on() and lower < bound() and thread_time() < until:
            names = _Walk(problem, prove, go_on, memory, until).run(margin)
            if names is not None:
                better(names)


class _Walk:
    """Executes a plan, and repairs what fails."""

    def __init__(self, problem: Problem, prove: Prove, go_on: Callable[[], bool], memory: int, until: float) -> None:
        self._problem, self._prove, self._go_on, self._memory = problem, prove, go_on, memory
        self._until = until
        self._operators = {change.number: change for change in problem.alike.operators}

    def run(self, margin: int) -> tuple[str, ...] | None:
        """Return the edits of a repair; None where some window has none, or it is over."""
        problem, length = self._problem, self._problem.length
        names: list[str] = []
        states: dict[int, Sequence[int]] = {0: problem.init}
        """before each step since the last window"""
        first, begun, place = 0, 0, 0
        """the end of the last window, the edits up to there, and the step at hand"""
        while True:
            behind = self._kept(states[place], place) if place < length else None
            if behind is not None:
                names.append(f"k {place}")
                place += 1
                states[place] = behind
                continue
            if place == length and self._reaches(states[place]):
                return tuple(names)
            start, end = max(first, place - margin), min(length, place + margin + 1)
            found = self._solved(states[start], start, end)
            if found is None and place < length:
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
            first, begun, place, states = end, len(names), end, {end: state}

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

    def _solved(self, state: Sequence[int], start: int, end: int) -> list[str] | None:
        """Return the edits of a window: with what all steps behind need, or only those that are near."""
        length = self._problem.length
        for horizon in (length, end - start) if end < length else (length,):
            goal = None if end == length else self._needs(end, min(length, end + horizon))
            best: list[tuple[str, ...]] = []
            now = thread_time()
            until = now + _SHARE * (self._until - now)
            if until <= now:
                return None

            def go_on(_: int, until: float = until) -> bool:
                return thread_time() < until and self._go_on()

            stretch = Stretch.of(self._problem, start, end, state, goal)
            try:
                found = self._prove(stretch, lambda: inf, go_on, self._memory, best.append)
            except TimeoutError:
                continue
            names = found.names or (best[-1] if best else None)
            if names is not None:
                return [_shifted(name, start) for name in names]
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
