"""Whether a condition holds of a call behind a history: the one evaluator of all policies.

A condition is evaluated at a place of the history by its rows: the values of variables under which it holds. A row is
certain, or only may be one, where what is not known of a call decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, permutations
from math import isfinite
from typing import TypeAlias

from validator.model.conditions import both, opposite
from validator.policies.conditions import (
    Aggregate,
    And,
    Atom,
    Block,
    Called,
    Compare,
    Comparison,
    Condition,
    Exists,
    Fact,
    Formerly,
    Kind,
    Not,
    Or,
    Past,
    Previous,
    Reference,
    Since,
    Timepoint,
    Variable,
    calls_in,
    has_windows,
)
from validator.policies.events import ABSENT, NO_HISTORY, UNKNOWN, History, Occurrence, Phase
from validator.policies.values import Truth, compared
from validator.reading.values import canonical

Holds: TypeAlias = Callable[[Atom], Truth]
"""Whether a fact holds."""
_Row: TypeAlias = Mapping[str, object]
_Found: TypeAlias = tuple[_Row, bool]
"""a row, and whether it is certain"""


@dataclass(frozen=True, slots=True)
class _Unknown:
    """The value of an argument of a call that is not known: it may be any value."""

    place: int
    path: str


@dataclass(frozen=True, slots=True)
class _Range:
    """A number of which only bounds are known."""

    low: int | float
    high: int | float


@dataclass(frozen=True, slots=True)
class Moment:
    """What a condition is evaluated on: a call that is decided, the facts that hold, and the calls before it.

    ``is_negated`` says that the condition stands behind a "not". There, as in a total, a call without the argument that
    is compared with those before may be like any of these: else a call could be allowed by leaving it out.
    """

    now: Occurrence
    fact: Holds
    history: History = NO_HISTORY
    is_negated: bool = False

    @property
    def negated(self) -> Moment:
        return replace(self, is_negated=not self.is_negated)

    def holds(self, condition: Condition) -> Truth:
        """Return whether a condition holds of the call."""
        return self._holds(condition, len(self.history), {})

    def reason(self, condition: Past, truth: Truth) -> str:
        """Say what decides that a condition on the calls before has a truth."""
        if truth is None:
            patterns = [call.pattern for call in calls_in(condition)]
            seen = (each.event for each in self.history if any(one.names(each.event.name) for one in patterns))
            if has_windows(condition) and (self.now.event.time is None or any(each.time is None for each in seen)):
                return "a time is missing"
            return "what was called before is known only in part"
        match condition:
            case Compare(Aggregate() as total):
                value = self._aggregate(total, len(self.history), {})
                if isinstance(value, int | float):
                    return f"the {total.kind} is {value}"
            case Formerly(Called() as call, window) if truth:
                for place, is_within in self._places(len(self.history), window, has_now=False):
                    if is_within and self._holds(call, place, {}):
                        return f"{self.history[place].event} was called"
            case Formerly(Called(pattern)):
                return f"no such {pattern.name} was called"
        return f"'{condition}' is {str(truth).lower()}"

    def _at(self, place: int) -> Occurrence:
        return self.now if place == len(self.history) else self.history[place]

    def _holds(self, condition: Condition, place: int, row: _Row) -> Truth:
        """Return whether a condition holds at a place under the values of a row, and perhaps of more variables."""
        found: Truth = False
        for _, is_certain in self._rows(condition, place, row):
            if is_certain:
                return True
            found = None
        return found

    def _rows(self, condition: Condition, place: int, row: _Row) -> Iterable[_Found]:
        """Return the extensions of a row under which a condition holds at a place."""
        match condition:
            case Called():
                return self._called(condition, place, row)
            case And(parts):
                return self._all(parts, place, row)
            case Or(parts):
                return chain.from_iterable(self._rows(part, place, row) for part in parts)
            case Not(part):
                return _if(opposite(self.negated._holds(part, place, row)), row)
            case Comparison():
                return _if(condition.holds(self.now.event), row)
            case Fact():
                atom = condition.ground(self.now.event)
                return _if(None if atom is None else self.fact(atom), row)
            case Compare():
                return self._compared(condition, place, row)
            case Timepoint(variable):
                return [({**row, variable: place}, True)] if row.get(variable, place) == place else []
            case Exists(variable, part):
                return self._some(variable, part, place, row)
            case Formerly() | Previous() | Since():
                return self._before(condition, place, row)
            case Block(part):
                return self._rows(part, place, row)
        raise TypeError(f"no condition: {condition}")

    def _all(self, parts: Sequence[Condition], place: int, row: _Row) -> Sequence[_Found]:
        found: list[_Found] = [(row, True)]
        for part in parts:
            found = [
                (longer, is_certain and is_sure)
                for each, is_certain in found
                for longer, is_sure in self._rows(part, place, each)
            ]
        return found

    def _some(self, variable: str, part: Condition, place: int, row: _Row) -> Iterator[_Found]:
        inner = {name: value for name, value in row.items() if name != variable}
        outer = {variable: row[variable]} if variable in row else {}
        for each, is_certain in self._rows(part, place, inner):
            yield {name: value for name, value in each.items() if name != variable} | outer, is_certain

    def _before(self, condition: Formerly | Previous | Since, place: int, row: _Row) -> Iterator[_Found]:
        """Yield the rows of what held before, the last first, and with ``since`` has lasted."""
        has_now = not isinstance(condition, Previous) and condition.has_now
        end = place + 1 if has_now else place
        for before, is_within in self._places(place, condition.window, has_now):
            if isinstance(condition, Previous) and before < place - 1:
                return
            for each, is_certain in self._rows(condition.part, before, row):
                lasts: Truth = True
                if isinstance(condition, Since):
                    lasts = both(self._holds(condition.left, later, each) for later in range(before + 1, end))
                is_certain = is_within and is_certain and lasts is True
                if lasts is not False:
                    yield each, is_certain
                # It binds nothing: what holds for certain, or has ended since, is as it is from any earlier place.
                if len(each) == len(row) and (is_certain or lasts is False):
                    return

    def _places(self, place: int, window: int | None, has_now: bool) -> Iterator[tuple[int, bool]]:
        """Yield the places before one, the last first, and whether each is in a window for certain."""
        if has_now:
            yield place, True
        for before in range(place - 1, -1, -1):
            is_within = self._is_within(before, place, window)
            if is_within is not False:
                yield before, is_within is True
            elif self.history.is_in_order:
                return

    def _is_within(self, before: int, place: int, window: int | None) -> Truth:
        if window is None or before == place:
            return True
        one, other = self._at(before).event.time, self._at(place).event.time
        return None if one is None or other is None else other - one <= window  # calls count in the order of the run

    # --- calls and terms ---------------------------------------------------------------------------

    def _called(self, called: Called, place: int, row: _Row) -> Sequence[_Found]:
        at = self._at(place)
        if called.phase is Phase.CALL:
            is_meant = at.phase is not Phase.RESPONSE and not at.event.failed
        else:
            is_meant = at.phase is called.phase or (at.phase is Phase.CALL and called.phase is Phase.REQUEST)
        if not is_meant or not called.pattern.names(at.event.name):
            return ()
        bound, is_certain = dict(row), True
        for each in called.pattern.comparisons:
            matches = self._matches(each, at, place, bound)
            if matches is False:
                return ()
            is_certain = is_certain and matches is True
        return [(bound, is_certain)]

    def _matches(self, comparison: Comparison, call: Occurrence, place: int, bound: dict[str, object]) -> Truth:
        """Return whether an argument is as a pattern asks; a variable that is not bound yet is bound to it."""
        if not comparison.path:
            return comparison.holds(call.event)
        actual, expected = call.value(comparison.path), comparison.value
        if isinstance(expected, Variable) and expected.name not in bound:
            bound[expected.name] = _Unknown(place, comparison.path) if actual is UNKNOWN else actual
            return actual is not ABSENT
        if isinstance(expected, Reference | Variable):
            is_reference = isinstance(expected, Reference)
            expected = self._value(expected, place, bound)
            if expected is ABSENT and is_reference and self.is_negated:
                return None
            if actual is ABSENT or expected is ABSENT:
                return False
        if isinstance(expected, _Unknown):
            return None
        return comparison.compares(actual, expected, call.event.is_loose)

    def _value(self, term: object, place: int, row: _Row) -> object:
        match term:
            case Variable(name):
                return row.get(name, ABSENT)
            case Reference(path):
                found = self.now.value(path)
                return _Unknown(len(self.history), path) if found is UNKNOWN else found
            case Aggregate():
                return self._aggregate(term, place, row)
        return term

    def _compared(self, condition: Compare, place: int, row: _Row) -> Sequence[_Found]:
        left, right = condition.left, condition.right
        if isinstance(right, Variable) and right.name not in row:
            left, right = right, left
        if isinstance(left, Variable) and left.name not in row and condition.operator == "=":
            return [({**row, left.name: self._value(right, place, row)}, True)]
        one, other = self._value(condition.left, place, row), self._value(condition.right, place, row)
        return _if(_order(one, condition.operator, other), row)

    def _aggregate(self, aggregate: Aggregate, place: int, row: _Row) -> object:
        names = aggregate.domain
        outer = {name: value for name, value in row.items() if name not in names}
        found: dict[tuple[object, ...], _Found] = {}
        for each, is_certain in replace(self, is_negated=True)._rows(aggregate.body, place, outer):
            key = _columns(each, names)
            found[key] = each, is_certain or (key in found and found[key][1])
        if aggregate.kind is Kind.COUNT:
            return _range(_fewest_different([key for key, (_, is_sure) in found.items() if is_sure]), len(found))
        sure = [each[aggregate.column] for each, is_sure in found.values() if is_sure]
        unsure = [each[aggregate.column] for each, is_sure in found.values() if not is_sure]
        if not all(map(_is_summed, (*sure, *unsure))):
            return _Unknown(place, aggregate.column)
        total = _exact_sum(sure)
        low, high = (_exact_sum(each for each in unsure if sign * each > 0) for sign in (-1, 1))  # type: ignore[operator]
        return _range(total + low, total + high)


def _if(truth: Truth, row: _Row) -> Sequence[_Found]:
    """Return the row under which something has a truth; none where that is false."""
    return () if truth is False else [(row, truth is True)]


def _columns(row: _Row, names: Sequence[str]) -> tuple[object, ...]:
    return tuple(_key(row.get(name, ABSENT)) for name in names)


def _is_summed(value: object) -> bool:
    """Return whether a value is a number that is neither infinite nor NaN."""
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and isfinite(value))


def _exact_sum(values: Iterable[object]) -> Fraction:
    """Return the sum of numbers as they are written: 0.1 is a tenth."""
    every = list(values)
    if all(isinstance(each, int) for each in every):
        return Fraction(sum(every))  # type: ignore[arg-type]
    return sum((Fraction(str(value)) for value in every), Fraction(0))


def _plain(number: Fraction | int) -> int | float:
    return int(number) if number == int(number) else float(number)


def _fewest_different(rows: Sequence[tuple[object, ...]]) -> int:
    """Return how many different rows there are at least, whatever the values are that are not known."""
    known = {row for row in rows if not any(isinstance(each, _Unknown) for each in row)}
    columns = [column for column in zip(*rows, strict=True) if not any(isinstance(each, _Unknown) for each in column)]
    return max(len(known), len(set(zip(*columns, strict=True))), 1 if rows else 0)


def _range(low: Fraction | int, high: Fraction | int) -> object:
    return _plain(low) if low == high else _Range(_plain(low), _plain(high))


def _key(value: object) -> object:
    is_plain = isinstance(value, int | _Unknown) or value is ABSENT
    return value if is_plain and not isinstance(value, bool) else canonical(value)


def _order(one: object, operator: str, other: object) -> Truth:
    """Return how two values compare, of which one or both may be known by bounds only."""
    if isinstance(one, _Unknown) or isinstance(other, _Unknown):
        return None
    if one is ABSENT or other is ABSENT:
        return False
    if not isinstance(one, _Range) and not isinstance(other, _Range):
        return compared(one, operator, other)
    found = {compared(left, operator, right) for left in _ends(one) for right in _ends(other)}
    if operator in ("=", "!="):
        is_apart = any(compared(left[1], "<", right[0]) for left, right in permutations((_ends(one), _ends(other))))
        return operator == "!=" if is_apart else None
    return found.pop() if len(found) == 1 else None


def _ends(value: object) -> tuple[object, object]:
    return (value.low, value.high) if isinstance(value, _Range) else (value, value)
