"""The rows of an alignment: every step and every call once, with a reason where they deviate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

from validator.adherence.align import Alignment
from validator.adherence.shares import Schemas, share
from validator.adherence.values import Row, RowKind
from validator.reading.calls import Argument, Call, Planned, same
from validator.reading.traces.recording import folded
from validator.records import replace

Layout: TypeAlias = tuple[tuple[int, bool, bool], ...]
"""(row, shows the step, shows the call)"""
_Side = TypeVar("_Side", Planned, Call)


class Keys:
    """Names as they are compared: folded without joints, except where one side tells two tools apart that way.

    ``declared`` are the names of the tools that there are.
    """

    def __init__(self, plan: Sequence[Planned], calls: Sequence[Call], declared: Iterable[str] = ()) -> None:
        self._apart: set[str] = set()
        for side in ({step.name for step in plan}, {call.name for call in calls}, set(declared)):
            spellings: dict[str, str] = {}
            for name in side:
                if spellings.setdefault(_letters(name), name) != name:
                    self._apart.add(_letters(name))

    def key(self, name: str) -> str:
        key = _letters(name)
        return name if key in self._apart else key

    def named(self, side: _Side) -> _Side:
        """Return a step or a call under its name as it is compared."""
        key = self.key(side.name)
        return side if key == side.name else replace(side, name=key)


def _letters(name: str) -> str:
    """Return a name without joints, by which ``BookIt`` is ``book_it``."""
    return folded(name).replace("_", "")


class Rows:
    """The rows of an alignment: every step and every call once."""

    def __init__(
        self,
        plan: Sequence[Planned],
        calls: Sequence[Call],
        alignment: Alignment,
        outside: Mapping[int, RowKind],
        steps: Sequence[Call],
        keys: Keys,
        schemas: Schemas,
    ) -> None:
        self.plan, self.calls, self.keys, self.schemas = plan, calls, keys, schemas
        self.alignment = alignment
        self.outside, self.steps = outside, steps
        self.partner = {step: (call, weight) for step, call, weight in alignment.pairs}
        self.moved = self._moved()
        self.rows: list[Row] = []
        self.layout: list[tuple[int, bool, bool]] = []

    def _moved(self) -> dict[int, int]:
        """Return the steps that were executed at another place, with the call that did so."""
        aligned = {call for call, _ in self.partner.values()}
        free: defaultdict[object, list[int]] = defaultdict(list)
        for index, call in enumerate(self.calls):
            if index not in aligned:
                free[self.keys.key(call.name)].append(index)
        found = {}
        for index, step in enumerate(self.plan):
            if index in self.partner or not step.is_readable:
                continue
            rivals = free[self.keys.key(step.name)]
            equal = next((call for call in rivals if self._is_equal(step, self.calls[call])), None)
            if equal is not None:
                rivals.remove(equal)
                found[index] = equal
        return found

    def _is_equal(self, step: Planned, call: Call) -> bool:
        return share(step.arguments, call.arguments, self.schemas.get(self.keys.key(call.name), ())) == 1

    def build(self) -> tuple[tuple[Row, ...], Layout]:
        taken = {call: step for step, call in self.moved.items()}
        executed = iter(self._lane())
        waiting: dict[int, int] = {}  # a moved step whose row is there already
        for step in (*self.alignment.planned, None):
            if step is not None and step not in self.partner:
                if step in self.moved:
                    self._moved_row(step, waiting, is_planned=True)
                else:
                    self._add(Row(kind=RowKind.MISSING, planned=self.plan[step], reason=_missing(self.plan[step])))
                continue
            upto = self.partner[step][0] if step is not None else None
            for index, call, kind in executed:
                if index is not None and index == upto:
                    break
                if kind is not None:
                    self._add(Row(kind=kind, executed=call, reason=_uncounted_reason(call, kind)))
                elif index in taken:
                    self._moved_row(taken[index], waiting, is_planned=False)
                else:
                    reason = f"Call {call.index + 1} {call} is not in the plan."
                    self._add(Row(kind=RowKind.EXTRA, executed=call, reason=reason))
            if step is not None:
                self._pair(step)
        return tuple(self.rows), tuple(self.layout)

    def _lane(self) -> Iterator[tuple[int | None, Call, RowKind | None]]:
        """Yield all calls in their order: counted ones with their index, the others with what they are."""
        order = iter(self.alignment.executed)
        for call in self.steps:
            kind = self.outside.get(call.index)
            if kind is not None:
                yield None, call, kind
            else:
                index = next(order)
                yield index, self.calls[index], None

    def _add(self, row: Row) -> None:
        self.layout.append((len(self.rows), row.planned is not None, row.executed is not None))
        self.rows.append(row)

    def _moved_row(self, step: int, waiting: dict[int, int], *, is_planned: bool) -> None:
        """Show one end of a moved step; the row is made at the first of the two."""
        if step in waiting:
            self.layout.append((waiting[step], is_planned, not is_planned))
            return
        waiting[step] = len(self.rows)
        planned, call = self.plan[step], self.calls[self.moved[step]]
        when = "later" if is_planned else "earlier"
        reason = f"Step {planned.index + 1} {planned} was executed {when} than planned, as call {call.index + 1}."
        self.layout.append((len(self.rows), is_planned, not is_planned))
        self.rows.append(Row(kind=RowKind.MOVED, planned=planned, executed=call, weight=Fraction(1), reason=reason))

    def _pair(self, step: int) -> None:
        index, weight = self.partner[step]
        planned, call = self.plan[step], self.calls[index]
        kind = RowKind.MATCHED if weight == 1 else RowKind.CHANGED
        reason = "" if weight == 1 else _changed(planned, call)
        self._add(Row(kind=kind, planned=planned, executed=call, weight=weight, reason=reason))


# --- reasons -------------------------------------------------------------------------------------


def _missing(step: Planned) -> str:
    if not step.is_readable:
        return f"Step {step.index + 1} cannot be read as a step, so that nothing is known of it: {step}"
    return f"Step {step.index + 1} {step} was not executed."


def _uncounted_reason(call: Call, kind: RowKind) -> str:
    end = "was made again at once" if kind is RowKind.RETRIED else "does not count"
    return f"Call {call.index + 1} {call} failed ({call.error}) and {end}."


def _changed(step: Planned, call: Call) -> str:
    details = "; ".join(_differences(step.arguments or (), call.arguments or ()))
    return f"Step {step.index + 1} {step} was executed with other arguments, as call {call.index + 1}: {details}."


def _differences(planned: Sequence[Argument], executed: Sequence[Argument]) -> Iterator[str]:
    if any(argument.name is None for argument in (*planned, *executed)):
        ours, theirs = (" ".join(argument.text for argument in side) or "none" for side in (planned, executed))
        yield f"{theirs} instead of {ours}"
        return
    ours_by, theirs_by = ({argument.name: argument for argument in side} for side in (planned, executed))
    for name, argument in ours_by.items():
        other = theirs_by.get(name)
        if other is None:
            yield f"{name} is left out"
        elif not argument.is_open and not same(argument, other):
            typed = " (a text)" if argument.text == other.text and other.is_string else ""
            yield f"{name} is {other.text}{typed} instead of {argument.text}"
    for name, argument in theirs_by.items():
        if name not in ours_by:
            yield f"{name} is {argument.text}, which the plan does not have"
