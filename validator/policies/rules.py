"""Rules on the calls of a run, each an automaton: a state, what a call does to it, and whether a run may end in it.

Most are templates of Declare (Pesic, Schonenberg and van der Aalst 2007): absence, existence, precedence, response. A
call that failed was made, and did nothing: ``Never``, ``Allow``, ``OnlyIf`` and the second side of
``Before`` are about every call, all others about those that did not fail.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TypeAlias

from validator.policies.conditions import (
    Called,
    Comparison,
    Condition,
    Fact,
    Past,
    Pattern,
    calls_in,
    looks_at_every_call,
    parts_of,
)
from validator.policies.events import Event, History, Occurrence, Phase, phases_of
from validator.policies.values import Truth

State: TypeAlias = Hashable

BROKEN: State = "broken"
"""the state of a rule that no later call can mend"""
UNSURE: State = "unsure"
"""the state of a rule of which nothing is known any more"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a rule sees of a call.

    ``matches`` says for each of the rule's patterns whether the call is meant, ``holds`` whether its condition holds;
    ``failed`` whether the call failed, ``is_free`` whether its tool changes nothing.
    """

    matches: tuple[Truth, ...]
    holds: Truth = True
    failed: bool = False
    is_free: bool = False


@dataclass(frozen=True)
class Rule(ABC):
    """A rule, as an automaton. ``line`` is where it is written.

    ``is_free`` says which calls change nothing to it; None: those of tools that its policy calls read-only.
    """

    line: int | None = field(default=None, compare=False, kw_only=True)
    is_free: Callable[[Event], bool] | None = field(default=None, compare=False, repr=False, kw_only=True)

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """Return the calls that the rule speaks of, in the order of its fields."""
        values = (getattr(self, each.name) for each in fields(self))
        members = (member for value in values for member in (value if isinstance(value, tuple) else (value,)))
        return tuple(member for member in members if isinstance(member, Pattern))

    @property
    def parts(self) -> tuple[Comparison | Fact | Past, ...]:
        """Return what must, or must not, hold where a call is made that the rule speaks of."""
        return ()

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """Return the facts that it asks for."""
        return tuple(part for part in self.parts if isinstance(part, Fact))

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Return what it asks of the arguments of the call itself, beside its patterns."""
        return tuple(part for part in self.parts if isinstance(part, Comparison))

    @cached_property
    def conditions_on_past(self) -> tuple[Past, ...]:
        """Return what it asks of the calls before the one that is decided."""
        return tuple(part for part in self.parts if isinstance(part, Past))

    @cached_property
    def _past(self) -> tuple[Called, ...]:
        return tuple(call for part in self.conditions_on_past for call in calls_in(part))

    @cached_property
    def past(self) -> tuple[Pattern, ...]:
        """Return the calls that it looks for before the one that is decided."""
        return tuple(call.pattern for call in self._past)

    @property
    def is_closed(self) -> bool:
        """Return whether calls that the rule does not speak of matter to it too."""
        return False

    def remembered(self, history: History, event: Event) -> History:
        """Return a history behind a call, as far as the rule's condition may look at it."""
        if self.conditions_on_past and (self.is_closed or any(pattern.names(event.name) for pattern in self.past)):
            has_phases = any(call.phase is not Phase.CALL for call in self._past)
            for each in phases_of(event) if has_phases else (Occurrence(event),):
                history = history.extended(each)
        return history

    @property
    def start(self) -> State:
        return 0

    @abstractmethod
    def step(self, state: State, seen: Seen) -> State:
        """Return the state after a call, of which all is known."""

    def may_break(self, seen: Seen) -> bool:
        """Return whether a call breaks the rule in some state; without one that is known, this is what is known."""
        return not seen.is_free

    def is_met(self, state: State) -> bool:
        """Return whether a run that ends in a state keeps the rule."""
        return state != BROKEN

    def why(self, state: State) -> str:
        """Say what is wrong with a call that breaks the rule in a state."""
        return ""

    def missing(self, state: State) -> str:
        """Say what is missing where a run ends in a state that is not met."""
        return ""

    def wanted(self, state: State) -> Iterator[Pattern]:
        """Yield the calls that bring a rule further that a call has broken."""
        return iter(())


@dataclass(frozen=True)
class Never(Rule):
    """A call that is not to be made."""

    pattern: Pattern

    def __str__(self) -> str:
        return f"never {self.pattern}"

    def step(self, state: State, seen: Seen) -> State:
        return BROKEN if seen.matches[0] else state

    def why(self, state: State) -> str:
        return f"{self.pattern} must never be called"


@dataclass(frozen=True)
class Allow(Rule):
    """The only tools that may be called, beside those that change nothing."""

    allowed: tuple[Pattern, ...]

    def __str__(self) -> str:
        return f"allow {', '.join(map(str, self.allowed))}"

    @property
    def is_closed(self) -> bool:
        return True

    def step(self, state: State, seen: Seen) -> State:
        return state if seen.is_free or any(seen.matches) else BROKEN

    def may_break(self, seen: Seen) -> bool:
        return not seen.is_free and True not in seen.matches

    def why(self, state: State) -> str:
        return f"allowed are only {', '.join(map(str, self.allowed))}, and what is read-only"


@dataclass(frozen=True)
class OnlyIf(Rule):
    """A call that may be made only where a condition holds."""

    pattern: Pattern
    when: Condition

    def __str__(self) -> str:
        return f"{self.pattern} only if {self.when}"

    @cached_property
    def parts(self) -> tuple[Comparison | Fact | Past, ...]:
        return tuple(part for part, _ in parts_of(self.when))

    @cached_property
    def is_closed(self) -> bool:
        return any(map(looks_at_every_call, self.conditions_on_past))

    def step(self, state: State, seen: Seen) -> State:
        return BROKEN if seen.matches[0] and not seen.holds else state

    def why(self, state: State) -> str:
        return f"{self.pattern} may be called only if {self.when}"


@dataclass(frozen=True)
class AtMost(Rule):
    """A call that may be made so many times."""

    number: int
    pattern: Pattern

    def __str__(self) -> str:
        return f"at most {self.number} {self.pattern}"

    def step(self, state: State, seen: Seen) -> State:
        if not seen.matches[0] or seen.failed or not isinstance(state, int):
            return state
        return state + 1 if state < self.number else BROKEN

    def why(self, state: State) -> str:
        return f"{self.pattern} may be called at most {_times(self.number)}, and this call exceeds that"


@dataclass(frozen=True)
class AtLeast(Rule):
    """A call that is to be made so many times."""

    number: int
    pattern: Pattern

    def __str__(self) -> str:
        return f"at least {self.number} {self.pattern}"

    def step(self, state: State, seen: Seen) -> State:
        is_one = seen.matches[0] and not seen.failed and isinstance(state, int)
        return min(state + 1, self.number) if is_one else state  # type: ignore[operator]

    def may_break(self, seen: Seen) -> bool:
        return False

    def is_met(self, state: State) -> bool:
        return state == self.number

    def missing(self, state: State) -> str:
        done = f"succeeded {_times(state)}" if isinstance(state, int) and state else "never did"
        return f"{self.pattern} must succeed at least {_times(self.number)}, and {done}"


@dataclass(frozen=True)
class Before(Rule):
    """A call that needs another one before it."""

    first: Pattern
    second: Pattern

    def __str__(self) -> str:
        return f"{self.first} before {self.second}"

    def step(self, state: State, seen: Seen) -> State:
        if state == 0 and seen.matches[1]:
            return BROKEN
        return 1 if state == 0 and seen.matches[0] and not seen.failed else state

    def why(self, state: State) -> str:
        return f"{self.second} needs {self.first} before it"

    def wanted(self, state: State) -> Iterator[Pattern]:
        if state == 0:
            yield self.first


@dataclass(frozen=True)
class Then(Rule):
    """A call that needs another one after it."""

    first: Pattern
    second: Pattern

    def __str__(self) -> str:
        return f"{self.first} then {self.second}"

    def step(self, state: State, seen: Seen) -> State:
        if seen.failed:
            return state
        return 1 if seen.matches[0] else 0 if seen.matches[1] else state

    def may_break(self, seen: Seen) -> bool:
        return False

    def is_met(self, state: State) -> bool:
        return state == 0

    def missing(self, state: State) -> str:
        return f"{self.first} succeeded, and {self.second} did not succeed after it"


def _times(number: object) -> str:
    return "once" if number == 1 else f"{number} times"


# --- orders ---------------------------------------------------------------------------------------


_MOST_SETS = 4096
"""sets of steps that may have been done; with more, nothing is known of the order any more"""


@dataclass(frozen=True)
class Order(Rule):
    """Steps that are to be performed, and for each the numbers of those that come before it.

    An order is performed where each of its steps is a call of its own, after those that come before it. Which call is
    which step may be open: the state is the family of the sets of steps that may have been done, as bit masks.

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

    def may_break(self, seen: Seen) -> bool:
        return self.is_exact and not seen.is_free

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
    sizes: dict[int, list[int]] = {}
    for each in families:
        sizes.setdefault(each.bit_count(), []).append(each)
    larger = {size: [each for other in sizes if other > size for each in sizes[other]] for size in sizes}
    return frozenset(one for one in families if not any(one & other == one for other in larger[one.bit_count()]))


def _limited(families: Iterable[int]) -> State:
    found = frozenset(families)
    return found if len(found) <= _MOST_SETS else UNSURE
