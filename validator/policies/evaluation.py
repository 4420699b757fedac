"""Whether a formula holds of a call behind a history.

A formula is evaluated at a place of the history by its rows: the values of variables under which it holds. What is not
known of a call leaves a formula not known: it is evaluated by what is certain, and by whatever may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import isfinite
from typing import TypeAlias

from validator.policies.conditions import Comparison, Moment, Past, Pattern, Reference, Truth, compared
from validator.policies.events import ABSENT, UNKNOWN, Event, History, Occurrence, Phase
from validator.policies.formulas import (
    Aggregate,
    Called,
    Compare,
    Conjunction,
    Exists,
    Formerly,
    Formula,
    Kind,
    Negation,
    Previous,
    Since,
    Timepoint,
    Variable,
    calls_in,
    formula_text,
    has_windows,
    looks_at_every_call,
)
from validator.reading.values import canonical

_Row: TypeAlias = Mapping[str, object]
_Single: TypeAlias = Called | Compare | Timepoint | Negation


@dataclass(frozen=True)
class Temporal(Past):
    """A condition that a formula states; ``text`` is how Cedar writes it, empty where policies have words for it."""

    formula: Formula
    text: str = ""

    def __str__(self) -> str:
        return self.text or formula_text(self.formula)

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """Return the calls that it speaks of."""
        return tuple(call.pattern for call in calls_in(self.formula))

    @property
    def references(self) -> tuple[str, ...]:
        """Return the arguments of the call that is decided with which it compares those of calls before."""
        values = (each.value for pattern in self.patterns for each in pattern.comparisons)
        return tuple(value.path for value in values if isinstance(value, Reference))

    @property
    def achiever(self) -> Pattern | None:
        """Return a call that makes it true where that is made before; None where no single call does."""
        match self.formula:
            case Formerly(Called() as call) | Previous(Called() as call) | Since(_, Called() as call):
                return call.pattern if call.phase is Phase.CALL else None
        return None

    @cached_property
    def is_closed(self) -> bool:
        """Return whether calls that it does not speak of matter to it too."""
        return looks_at_every_call(self.formula)

    def holds(self, event: Event, moment: Moment) -> Truth:
        now = Occurrence(replace(event, failed=False, time=moment.time))
        return _truth(self.formula, moment.history, now)

    def reason(self, event: Event, moment: Moment, truth: Truth) -> str:
        """Say what decides that it has a truth of a call."""
        history = moment.history
        if truth is None:
            seen = (each.event for each in history if any(pattern.names(each.event.name) for pattern in self.patterns))
            if has_windows(self.formula) and (moment.time is None or any(each.time is None for each in seen)):
                return "a time is missing"
            return "what was called before is known only in part"
        certain = _Evaluation(history, Occurrence(replace(event, failed=False, time=moment.time)), False)
        match self.formula:
            case Compare(Aggregate() as total):
                value = certain.aggregate(total, len(history), {})
                if isinstance(value, int | float):
                    return f"the {total.kind} is {value}"
            case Formerly(Called() as call, window) if truth:
                for place in certain.places(call, window):
                    return f"{history[place].event} was called"
            case Formerly(Called(pattern)):
                return f"no such {pattern.name} was called"
        return f"'{self}' is {str(truth).lower()}"


def _truth(formula: Formula, history: History, now: Occurrence) -> Truth:
    """Return whether a formula holds of a call behind a history, None where that is not known."""
    certain = _Evaluation(history, now, False)
    if certain.holds(formula, len(history), {}):
        return True
    is_open = certain.met_unknown and _Evaluation(history, now, True).holds(formula, len(history), {})
    return None if is_open else False


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


class _Evaluation:
    """Finds the rows of formulas: those that are certain, or with ``may_be`` those that cannot be excluded.

    ``met_unknown`` says that something was not known, so that the two differ.
    """

    def __init__(self, history: History, now: Occurrence, may_be: bool) -> None:
        self.history, self.now, self.may_be = history, now, may_be
        self.is_in_order = now.event.time is not None and history.is_in_order()
        self.met_unknown = False

    def other(self, may_be: bool) -> _Evaluation:
        return self if may_be is self.may_be else _Evaluation(self.history, self.now, may_be)

    def at(self, place: int) -> Occurrence:
        return self.now if place == len(self.history) else self.history[place]

    def accepts(self, found: Truth) -> bool:
        if found is None:
            self.met_unknown = True
            return self.may_be
        return found

    def holds(self, formula: Formula, place: int, row: _Row) -> bool:
        return next(self.rows(formula, place, row), None) is not None

    def fails(self, formula: Formula, place: int, row: _Row) -> bool:
        """Return whether a formula does not hold: for certain, or with ``may_be`` if that cannot be excluded."""
        other = self.other(not self.may_be)
        found = other.holds(formula, place, row)
        self.met_unknown = self.met_unknown or other.met_unknown
        return not found

    def rows(self, formula: Formula, place: int, row: _Row) -> Iterator[_Row]:
        """Yield the extensions of a row under which a formula holds at a place."""
        match formula:
            case Called() | Compare() | Timepoint() | Negation():
                found = self._row(formula, place, row)
                if found is not None:
                    yield found
            case Conjunction(parts):
                yield from self._all(parts, place, row)
            case Exists(variable, part):
                inner = {name: value for name, value in row.items() if name != variable}
                outer = {variable: row[variable]} if variable in row else {}
                for each in self.rows(part, place, inner):
                    yield {name: value for name, value in each.items() if name != variable} | outer
            case Formerly(part, window, has_now):
                for before in self._before(part, place, window, has_now):
                    for each in self.rows(part, before, row):
                        yield each
                        if len(each) == len(row):  # it binds nothing, so that once is enough
                            return
            case Previous(part, window):
                if place > 0 and self.accepts(self._is_within(place - 1, place, window)):
                    yield from self.rows(part, place - 1, row)
            case Since():
                yield from self._since(formula, place, row)

    def _row(self, formula: _Single, place: int, row: _Row) -> _Row | None:
        """Return the one row of a formula that has at most one; None where it does not hold."""
        match formula:
            case Called():
                return self._called(formula, place, row)
            case Compare():
                return self._compared(formula, place, row)
            case Timepoint(variable):
                return {**row, variable: place} if row.get(variable, place) == place else None
            case Negation(part):
                return row if self.fails(part, place, row) else None

    def _all(self, parts: Sequence[Formula], place: int, row: _Row) -> Iterator[_Row]:
        for number, part in enumerate(parts):
            if not isinstance(part, _Single):
                for each in self.rows(part, place, row):
                    yield from self._all(parts[number + 1 :], place, each)
                return
            found = self._row(part, place, row)
            if found is None:
                return
            row = found
        yield row

    def places(self, part: Formula, window: int | None) -> Iterator[int]:
        """Yield the places before the call that is decided, in a window, at which a formula holds, the last first."""
        for place in self._before(part, len(self.history), window, has_now=False):
            if self.holds(part, place, {}):
                yield place

    # --- places ------------------------------------------------------------------------------------

    def _before(self, part: Formula, place: int, window: int | None, has_now: bool) -> Iterator[int]:
        """Yield the places in a window at which a formula may hold, the last first."""
        if has_now:
            yield place
        start, is_open = 0, window is not None
        if window is not None and self.is_in_order:
            time = self.at(place).event.time
            start, is_open = self.history.first_from((time or 0) - window), False
        for before in self._candidates(part, start, place):
            if not is_open or self.accepts(self._is_within(before, place, window)):
                yield before

    def _candidates(self, formula: Formula, start: int, end: int) -> Iterable[int]:
        """Return the places, the last first, at which a formula may hold by the name of the call there."""
        called = _first_call(formula)
        if called is None:
            return range(end - 1, start - 1, -1)
        return self.history.places_of(called.pattern.names, start, end)

    def _is_within(self, before: int, place: int, window: int | None) -> Truth:
        if window is None or before == place:
            return True
        one, other = self.at(before).event.time, self.at(place).event.time
        return None if one is None or other is None else other - one <= window  # calls count in the order of the run

    def _since(self, formula: Since, place: int, row: _Row) -> Iterator[_Row]:
        end = place + 1 if formula.has_now else place
        for before in self._before(formula.anchor, place, formula.window, formula.has_now):
            for found in self.rows(formula.anchor, before, row):
                if self._lasts(formula.left, before + 1, end, found):
                    yield found
                elif len(found) == len(row) and not self.met_unknown:  # nor does it from an earlier place
                    return

    def _lasts(self, formula: Formula, start: int, end: int, row: _Row) -> bool:
        """Return whether a formula holds at each of some places."""
        if not isinstance(formula, Negation):
            return all(self.holds(formula, at, row) for at in range(start, end))
        places = [*self._candidates(formula.part, start, end), *range(len(self.history), end)]
        return all(self.fails(formula.part, at, row) for at in places if at >= start)

    # --- calls and terms ---------------------------------------------------------------------------

    def _called(self, called: Called, place: int, row: _Row) -> _Row | None:
        at = self.at(place)
        if called.phase is Phase.CALL:
            is_meant = at.phase is not Phase.RESPONSE and not at.event.failed
        else:
            is_meant = at.phase is called.phase or (at.phase is Phase.CALL and called.phase is Phase.REQUEST)
        if not is_meant or not called.pattern.names(at.event.name):
            return None
        bound = dict(row)
        for each in called.pattern.comparisons:
            if not self.accepts(self._matches(each, at, place, bound)):
                return None
        return bound

    def _matches(self, comparison: Comparison, call: Occurrence, place: int, bound: dict[str, object]) -> Truth:
        """Return whether an argument is as a pattern asks; a variable that is not bound yet is bound to it."""
        if not comparison.path:
            return comparison.holds(call.event)
        actual, expected = call.value(comparison.path), comparison.value
        if isinstance(expected, Variable) and expected.name not in bound:
            if actual is UNKNOWN:
                self.met_unknown = True
            bound[expected.name] = _Unknown(place, comparison.path) if actual is UNKNOWN else actual
            return actual is not ABSENT
        if isinstance(expected, Reference | Variable):
            expected = self._value(expected, place, bound)
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
                found = self.now.event.value(path)
                return _Unknown(len(self.history), path) if found is UNKNOWN else found
            case Aggregate():
                return self.aggregate(term, place, row)
        return term

    def _compared(self, formula: Compare, place: int, row: _Row) -> _Row | None:
        left, right = formula.left, formula.right
        if isinstance(right, Variable) and right.name not in row:
            left, right = right, left
        if isinstance(left, Variable) and left.name not in row and formula.operator == "=":
            return {**row, left.name: self._value(right, place, row)}
        found = _order(self._value(formula.left, place, row), formula.operator, self._value(formula.right, place, row))
        return row if self.accepts(found) else None

    def aggregate(self, aggregate: Aggregate, place: int, row: _Row) -> object:
        names = aggregate.domain
        outer = {name: value for name, value in row.items() if name not in names}
        way = self.other(False)
        certain = {_columns(each, names): each for each in way.rows(aggregate.body, place, outer)}
        possible = certain
        if way.met_unknown:
            self.met_unknown = True
            possible = {_columns(each, names): each for each in self.other(True).rows(aggregate.body, place, outer)}
        if aggregate.kind is Kind.COUNT:
            return _range(_fewest_different(list(certain)), len(possible))
        sure = [each[aggregate.column] for each in certain.values()]
        unsure = [each[aggregate.column] for key, each in possible.items() if key not in certain]
        if not all(map(_is_summed, (*sure, *unsure))):
            return _Unknown(place, aggregate.column)
        total = _exact_sum(sure)
        low, high = (_exact_sum(each for each in unsure if sign * each > 0) for sign in (-1, 1))  # type: ignore[operator]
        return _range(total + low, total + high)


def _first_call(formula: Formula) -> Called | None:
    """Return the call that is at each place at which a formula holds; None where there need be none."""
    match formula:
        case Called():
            return formula
        case Conjunction(parts):
            return next(filter(None, map(_first_call, parts)), None)
        case Exists(_, part):
            return _first_call(part)
    return None


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
