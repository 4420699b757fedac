"""What plans keep to wishes, and which of them are the cheapest and the nearest, by looking at every state.

A wish is an automaton of its own, written from what the question says; it reads the lines of a plan, as people see
them, and the states between them. How a step is executed is the caller's: of a flow or of a PDDL model.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from random import Random
from typing import Any, Generic, TypeVar

from tests.support.dijkstra import cheapest

Line = TypeVar("Line", bound=Hashable)
Matches = Callable[[Any], bool]
Price = tuple[Fraction | int, int]


@dataclass(frozen=True)
class Wish:
    """``behind`` says what is remembered behind a line, None: the line must not come; ``is_met`` ends a plan.

    ``seeing`` says the same of each state, the first one and that behind each line.
    """

    text: str
    behind: Callable[[int, Any], int | None]
    is_met: Callable[[int], bool] = lambda remembered: True
    most: Fraction | int | None = None
    """what a plan may cost"""
    seeing: Callable[[int, Any], int | None] = lambda remembered, state: remembered

    def read(self, remembered: int, line: Any, state: Any) -> int | None:
        """Return what is remembered behind a line and the state that it leads to."""
        behind = self.behind(remembered, line)
        return None if behind is None else self.seeing(behind, state)


def drawn(draw: Random, patterns: Sequence[tuple[str, Matches]]) -> Wish:
    """Return a wish about steps, each given by how it is said and by which lines are meant."""
    (a, is_a), (b, is_b), (c, is_c) = (draw.choice(patterns) for _ in range(3))
    number = draw.randint(0, 2)
    return draw.choice(
        (
            Wish(f"must {a}", lambda n, line: max(n, int(is_a(line))), bool),
            Wish(f"must not {a}", lambda n, line: None if is_a(line) else 0),
            Wish(f"at least {number + 1} {a}", lambda n, line: min(n + is_a(line), 3), lambda n: n > number),
            Wish(f"at most {number} {a}", lambda n, line: n + is_a(line) if n + is_a(line) <= number else None),
            Wish(f"{a} before {b}", lambda n, line: None if is_b(line) and not n else max(n, int(is_a(line)))),
            Wish(f"{b} directly after {a}", lambda n, line: _directly(n, is_a(line), is_b(line)), lambda n: n == 2),
            Wish(
                f"{b} between {a} and {c}",
                lambda n, line: n + 1 if n < 3 and (is_a, is_b, is_c)[n](line) else n,
                lambda n: n == 3,
            ),
        )
    )


def about_states(draw: Random, said: str, holds: Callable[[Any], bool]) -> Wish:
    """Return a wish about a condition, given by how it is said and in which states it holds."""
    return draw.choice(
        (
            Wish(f"always {said}", _same, seeing=lambda n, state: 0 if holds(state) else None),
            Wish(f"never {said}", _same, seeing=lambda n, state: None if holds(state) else 0),
            Wish(f"sometime {said}", _same, bool, seeing=lambda n, state: max(n, int(holds(state)))),
            Wish(f"at end {said}", _same, bool, seeing=lambda n, state: int(holds(state))),
            Wish(f"at most once {said}", _same, seeing=lambda n, state: _stretch(n, holds(state))),
        )
    )


def about_two(draw: Random, one: tuple[str, Matches], other: tuple[str, Matches], step: tuple[str, Matches]) -> Wish:
    """Return a wish about two conditions, or about one and a step."""
    (f, is_f), (g, is_g), (a, is_a) = one, other, step
    return draw.choice(
        (
            Wish(
                f"{a} only if {f}",
                lambda n, line: None if is_a(line) and not n else n,
                seeing=lambda n, state: int(is_f(state)),
            ),
            Wish(
                f"(sometime-after {f} {g})",
                _same,
                lambda n: not n,
                seeing=lambda n, state: int((bool(n) or is_f(state)) and not is_g(state)),
            ),
            Wish(
                f"(sometime-before {f} {g})",
                _same,
                seeing=lambda n, state: None if is_f(state) and not n else max(n, int(is_g(state))),
            ),
        )
    )


def about_place(draw: Random, plan: Sequence[Any], step: tuple[str, Matches]) -> Wish:
    """Return a wish about the step at a place of a plan, the steps before which stay."""
    place, (a, is_a) = draw.randrange(len(plan)), step
    is_wanted = draw.random() < 0.5

    def behind(n: int, line: Any) -> int | None:
        if n < place:
            return n + 1 if line == plan[n] else None
        return n if n > place else place + 1 if is_a(line) is is_wanted else None

    said = f"{a} instead of step {place + 1}" if is_wanted else f"{a} not at step {place + 1}"
    return Wish(said, behind, lambda n: n > place)


def _same(remembered: int, line: Any) -> int:
    return remembered


def _stretch(remembered: int, holds: bool) -> int | None:
    """Return 1 in the only stretch in which something holds, and 2 behind it."""
    if holds:
        return 1 if remembered < 2 else None
    return 2 if remembered else 0


def _directly(behind: int, is_first: bool, is_second: bool) -> int:
    """Return 2 once the second came directly after the first, 1 behind the first."""
    return 2 if behind == 2 or (behind == 1 and is_second) else int(is_first)


class Planning(Generic[Line]):
    """Every plan: a first state, what can be done in one and what that costs, and where the goal is met."""

    def __init__(
        self,
        start: Hashable,
        moves: Callable[[Any], Iterable[tuple[Line, Hashable, Fraction | int]]],
        is_goal: Callable[[Any], bool],
    ) -> None:
        self.start, self.is_goal = start, is_goal
        self._moves = moves
        self._known: dict[Hashable, list[tuple[Line, Hashable, Fraction | int]]] = {}

    def moves(self, state: Hashable) -> list[tuple[Line, Hashable, Fraction | int]]:
        if state not in self._known:
            self._known[state] = list(self._moves(state))
        return self._known[state]

    def run(self, lines: Sequence[Line]) -> tuple[Hashable, Fraction | int] | None:
        """Return the state behind a plan and its cost; None where a step cannot be done."""
        state, total = self.start, Fraction(0)
        for line in lines:
            found = next(((after, cost) for each, after, cost in self.moves(state) if each == line), None)
            if found is None:
                return None
            state, total = found[0], total + found[1]
        return state, total

    def keeps(self, lines: Sequence[Line], wishes: Sequence[Wish]) -> bool:
        """Return whether a plan can be done, reaches the goal and keeps to wishes."""
        end = self.run(lines)
        if end is None or not self.is_goal(end[0]):
            return False
        return all(self.follows(lines, wish) and (wish.most is None or end[1] <= wish.most) for wish in wishes)

    def follows(self, lines: Sequence[Line], wish: Wish) -> bool:
        """Return whether a plan that can be done keeps to a wish, whatever it costs."""
        state, remembered = self.start, wish.seeing(0, self.start)
        for line in lines:
            state = next(after for each, after, _ in self.moves(state) if each == line)
            remembered = None if remembered is None else wish.read(remembered, line, state)
        return remembered is not None and wish.is_met(remembered)

    def least(self, wishes: Sequence[Wish], plan: Sequence[Line] | None, first: str, most: int) -> Price | str | None:
        """Return (cost, changed lines) of the best plan that keeps to wishes, None for none, or TOO_MANY.

        ``first`` is what counts first: "cost" or "edits"; with the latter the cost is left out, and has no limit.
        Without a plan nothing is changed.
        """
        given: Sequence[Line] = () if plan is None else plan
        first_seen = tuple(wish.seeing(0, self.start) for wish in wishes)
        if None in first_seen:
            return None
        begun = (self.start, first_seen, 0 if plan is not None else len(given))
        budget = min((wish.most for wish in wishes if wish.most is not None), default=inf) if first == "cost" else inf

        def moves(node: Any) -> Iterator[tuple[Any, Price]]:
            for cost, change, target in self._ways(node, wishes, given, counts=plan is not None):
                yield target, (cost if first == "cost" else 0, change)

        def is_end(node: Any) -> bool:
            state, remembered, place = node
            is_met = all(wish.is_met(each) for wish, each in zip(wishes, remembered, strict=True))
            return place == len(given) and is_met and self.is_goal(state)

        return cheapest(begun, moves, is_end, most=most, within=budget)  # type: ignore[no-any-return]

    def _ways(self, node: Any, wishes: Sequence[Wish], given: Sequence[Line], *, counts: bool) -> Iterator[Any]:
        state, remembered, place = node
        if place < len(given):
            yield 0, 1, (state, remembered, place + 1)
        for line, after, cost in self.moves(state):
            now = tuple(wish.read(each, line, after) for wish, each in zip(wishes, remembered, strict=True))
            if None in now:
                continue
            yield cost, int(counts), (after, now, place)
            if place < len(given) and given[place] == line:
                yield cost, 0, (after, now, place + 1)
