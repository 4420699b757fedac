"""Whether a formula holds of a call behind a history.

A formula is evaluated at a place of the history by its rows: the values of variables under which it holds. A row is
certain, or only may be one, where what is not known of a call decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import isfinite
from typing import TypeAlias

from validator.model.conditions import both, opposite
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
    sees_phases,
)
from validator.reading.values import canonical

_Row: TypeAlias = Mapping[str, object]
_Found: TypeAlias = tuple[_Row, bool]
"""a row, and whether it is certain"""


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
    def sees_phases(self) -> bool:
        """Return whether it tells requests from responses."""
        return sees_phases(self.formula)

    @cached_property
    def is_closed(self) -> bool:
        """Return whether calls that it does not speak of matter to it too."""
        return looks_at_every_call(self.formula)

    def holds(self, event: Event, moment: Moment) -> Truth:
        evaluation = self._evaluation(event, moment)
        return evaluation.holds(self.formula, len(evaluation.history), {})

    def _evaluation(self, event: Event, moment: Moment) -> _Evaluation:
        now = Occurrence(replace(event, failed=False, time=moment.time))
        return _Evaluation(moment.history, now, lacks_match=moment.is_negated)

    def reason(self, event: Event, moment: Moment, truth: Truth) -> str:
        """Say what decides that it has a truth of a call."""
        evaluation = self._evaluation(event, moment)
        history = evaluation.history
        if truth is None:
            seen = (each.event for each in history if any(pattern.names(each.event.name) for pattern in self.patterns))
            if has_windows(self.formula) and (moment.time is None or any(each.time is None for each in seen)):
                return "a time is missing"
            return "what was called before is known only in part"
        match self.formula:
            case Compare(Aggregate() as total):
                value = evaluation.aggregate(total, len(history), {})
                if isinstance(value, int | float):
                    return f"the {total.kind} is {value}"
            case Formerly(Called() as call, window) if truth:
                for place, is_within in evaluation.places(len(history), window, has_now=False):
                    if is_within and evaluation.holds(call, place, {}):
                        return f"{history[place].event} was called"
            case Formerly(Called(pattern)):
                return f"no such {pattern.name} was called"
        return f"'{self}' is {str(truth).lower()}"


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
class _Evaluation:
    """Finds the rows of formulas at the places of a history, and of the call that is decided behind it.

    Where ``lacks_match``, as behind "not" and in a total, a call without the argument that is compared with those
    before may be like any of these: else a call could be allowed by leaving it out.
    """

    history: History
    now: Occurrence
    lacks_match: bool = False

    def at(self, place: int) -> Occurrence:
        return self.now if place == len(self.history) else self.history[place]

    def holds(self, formula: Formula, place: int, row: _Row) -> Truth:
        """Return whether a formula holds at a place under the values of a row, and perhaps of more variables."""
        found: Truth = False
        for _, is_certain in self.rows(formula, place, row):
            if is_certain:
                return True
            found = None
        return found

    def rows(self, formula: Formula, place: int, row: _Row) -> Iterable[_Found]:
        """Return the extensions of a row under which a formula holds at a place."""
        match formula:
            case Called():
                return self._called(formula, place, row)
            case Compare():
                return self._compared(formula, place, row)
            case Timepoint(variable):
                return [({**row, variable: place}, True)] if row.get(variable, place) == place else []
            case Conjunction(parts):
                return self._all(parts, place, row)
            case Negation(part):
                other = replace(self, lacks_match=not self.lacks_match)
                return _rows(opposite(other.holds(part, place, row)), row)
            case Exists(variable, part):
                return self._some(variable, part, place, row)
        return self._before(formula, place, row)

    def _all(self, parts: Sequence[Formula], place: int, row: _Row) -> Sequence[_Found]:
        found: list[_Found] = [(row, True)]
        for part in parts:
            found = [
                (longer, is_certain and is_sure)
                for each, is_certain in found
                for longer, is_sure in self.rows(part, place, each)
            ]
        return found

    def _some(self, variable: str, part: Formula, place: int, row: _Row) -> Iterator[_Found]:
        inner = {name: value for name, value in row.items() if name != variable}
        outer = {variable: row[variable]} if variable in row else {}
        for each, is_certain in self.rows(part, place, inner):
            yield {name: value for name, value in each.items() if name != variable} | outer, is_certain

    def _before(self, formula: Formerly | Previous | Since, place: int, row: _Row) -> Iterator[_Found]:
        """Yield the rows of what held before, the last first, and with ``since`` has lasted."""
        has_now = not isinstance(formula, Previous) and formula.has_now
        end = place + 1 if has_now else place
        for before, is_within in self.places(place, formula.window, has_now):
            if isinstance(formula, Previous) and before < place - 1:
                return
            for each, is_certain in self.rows(formula.part, before, row):
                lasts: Truth = True
                if isinstance(formula, Since):
                    lasts = both(self.holds(formula.left, later, each) for later in range(before + 1, end))
                is_certain = is_within and is_certain and lasts is True
                if lasts is not False:
                    yield each, is_certain
                # It binds nothing: what holds for certain, or has ended since, is as it is from any earlier place.
                if len(each) == len(row) and (is_certain or lasts is False):
                    return

    def places(self, place: int, window: int | None, has_now: bool) -> Iterator[tuple[int, bool]]:
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
        one, other = self.at(before).event.time, self.at(place).event.time
        return None if one is None or other is None else other - one <= window  # calls count in the order of the run

    # --- calls and terms ---------------------------------------------------------------------------

    def _called(self, called: Called, place: int, row: _Row) -> Sequence[_Found]:
        at = self.at(place)
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
            if expected is ABSENT and is_reference and self.lacks_match:
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
                return self.aggregate(term, place, row)
        return term

    def _compared(self, formula: Compare, place: int, row: _Row) -> Sequence[_Found]:
        left, right = formula.left, formula.right
        if isinstance(right, Variable) and right.name not in row:
            left, right = right, left
        if isinstance(left, Variable) and left.name not in row and formula.operator == "=":
            return [({**row, left.name: self._value(right, place, row)}, True)]
        one, other = self._value(formula.left, place, row), self._value(formula.right, place, row)
        return _rows(_order(one, formula.operator, other), row)

    def aggregate(self, aggregate: Aggregate, place: int, row: _Row) -> object:
        names = aggregate.domain
        outer = {name: value for name, value in row.items() if name not in names}
        found: dict[tuple[object, ...], _Found] = {}
        for each, is_certain in replace(self, lacks_match=True).rows(aggregate.body, place, outer):
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


def _rows(truth: Truth, row: _Row) -> Sequence[_Found]:
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
