"""Partial orders of steps.

An order is performed where each of its steps is a call of its own, after those that come before it. Which call is
which step may be open: the state is the family of the sets of steps that may have been done, as bit masks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from validator.policies.conditions import Pattern
from validator.policies.rules import BROKEN, Rule, Seen, State

__all__ = ["Order", "places_before"]

_MOST_SETS = 4096


@dataclass(frozen=True)
class Order(Rule):
    """Steps that are to be performed, and for each the numbers of those that come before it.

    ``is_exact`` says that nothing else may be called, beside tools that change nothing; ``names`` are what the steps
    are called in the text, where they have names.
    """

    steps: tuple[Pattern, ...]
    after: tuple[tuple[int, ...], ...]
    is_exact: bool = False
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{'exactly' if self.is_exact else 'order'} {', '.join(self._chains())}"

    def _chains(self) -> Iterator[str]:
        behind = {number for before in self.after for number in before}
        shown = set[int]()
        for number, before in enumerate(self.after):
            first = [self._name(each, shown) for each in before]
            if len(first) == 1:
                yield f"{first[0]} < {self._name(number, shown)}"
            elif first:
                yield f"{{{', '.join(first)}}} < {self._name(number, shown)}"
            elif number not in behind:
                yield self._name(number, shown)

    def _name(self, number: int, shown: set[int]) -> str:
        name, pattern = self.names[number] if self.names else "", str(self.steps[number])
        is_first = number not in shown
        shown.add(number)
        if not name:
            return pattern
        return f"{name}: {pattern}" if is_first else name

    @property
    def is_closed(self) -> bool:
        return self.is_exact

    @property
    def start(self) -> State:
        return frozenset((0,))

    @cached_property
    def _needs(self) -> tuple[int, ...]:
        return tuple(sum(1 << number for number in before) for before in self.after)

    @cached_property
    def _all(self) -> int:
        return (1 << len(self.steps)) - 1

    def step(self, state: State, seen: Seen) -> State:
        if not isinstance(state, frozenset):
            return state
        meant = [number for number, matches in enumerate(seen.matches) if matches]
        done = {
            family | 1 << number
            for family in state
            for number in meant
            if not family >> number & 1 and family & self._needs[number] == self._needs[number]
        }
        if self.is_exact:
            found = done | (state if seen.is_free else frozenset())
            if not found:
                return BROKEN
            return state if seen.failed else _limited(found)
        return state if seen.failed or not done else _limited(_largest(done | state))

    def is_met(self, state: State) -> bool:
        return isinstance(state, frozenset) and self._all in state

    def _next(self, state: State) -> Iterator[int]:
        """Yield the steps that can be done next, of what may have been done the most."""
        families: Iterable[int] = state if isinstance(state, frozenset) else ()
        most = max(families, key=int.bit_count, default=0)
        for number, needs in enumerate(self._needs):
            if not most >> number & 1 and most & needs == needs:
                yield number

    def why(self, state: State) -> str:
        following = list(self.wanted(state))
        if not following:
            return "all steps are done, and nothing else may be called"
        return f"the next step is {' or '.join(map(str, following))}"

    def missing(self, state: State) -> str:
        return f"not performed in order: {', '.join(map(str, self.left(state)))}"

    def left(self, state: State) -> Iterator[Pattern]:
        """Yield the steps that are not done, where the most may have been."""
        most = max(state, key=int.bit_count) if isinstance(state, frozenset) else 0
        yield from (step for number, step in enumerate(self.steps) if not most >> number & 1)

    def wanted(self, state: State) -> Iterator[Pattern]:
        yield from (self.steps[number] for number in self._next(state))


def places_before(needs: Mapping[str, Iterable[str]]) -> tuple[tuple[int, ...], ...]:
    """Return for each step, by name, the numbers of those before it. Raises ValueError for an order in a circle."""
    from graphlib import CycleError, TopologicalSorter

    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        raise ValueError(f"the order goes in a circle: {' < '.join(reversed(error.args[1]))}") from None
    places = {name: place for place, name in enumerate(needs)}
    return tuple(tuple(places[each] for each in before) for before in needs.values())


def _largest(families: set[int] | frozenset[int]) -> frozenset[int]:
    """Return the sets that no other one contains: whatever can be done after a set can be done after a larger one."""
    return frozenset(one for one in families if not any(one != other and one & other == one for other in families))


def _limited(families: Iterable[int]) -> frozenset[int]:
    found = frozenset(families)
    if len(found) > _MOST_SETS:
        raise ValueError(f"an order whose calls may stand for its steps in more than {_MOST_SETS} ways is not decided")
    return found
