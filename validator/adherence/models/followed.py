"""One execution of calls on a flow, followed: which value each item has, and what left no call but was done."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from validator.adherence.models.binding import Binder, Bound, name_of
from validator.adherence.models.interpreted import Entry, State
from validator.flow.compiled.compile import Compiled
from validator.flow.plans.tokens import BASIC
from validator.flow.plans.tokens import Call as FlowCall
from validator.flow.silent_steps import Unrecorded
from validator.reading.calls import Argument, Call, Planned, folded, read_arguments
from validator.reading.plan import Constraint, Step, Token, Unparsed
from validator.records import dataclass

__all__ = ["Followed"]


class Followed:
    """Follows one execution. ``notes`` are the values that are not those which the trace recorded before."""

    def __init__(
        self,
        binder: Binder,
        compiled: Compiled,
        unrecorded: Unrecorded,
        bound: Mapping[Entry, Bound],
        steps: Mapping[Entry, Token],
        sides: Mapping[Entry, Planned | Call],
        entries: Sequence[Entry],
    ) -> None:
        self.binder, self.compiled, self.unrecorded = binder, compiled, unrecorded
        self.bound, self.steps, self.sides = bound, steps, sides
        self.entries, self.places = entries, {entry: place for place, entry in enumerate(entries)}
        self.values: dict[str, _Recorded | None] = {}
        self.notes: list[str] = []

    def is_denied(self, entry: Entry) -> bool:
        """Return whether the next value that is given for the target of a mapping is not that of its source."""
        pair = _mapped(self.bound[entry].token)
        if pair is None:
            return False
        own, given = self.values.get(pair[0]), self._next_value(entry, pair[1])
        if own is None or given is None or own.holds(_recorded(given.text)):
            return False
        self.notes.append(f"the values show that {self.bound[entry].token} was not done")
        return True

    def _next_value(self, entry: Entry, item: str) -> Argument | None:
        """Return the value that is given next for an input, unless the plan maps to it again before."""
        for later in self.entries[self.places[entry] + 1 :]:
            bound = self.bound[later]
            pair = _mapped(bound.token)
            if item in bound.values or (pair is not None and pair[1] == item):
                return bound.values.get(item)
        return None

    def before(self, entry: Entry, state: State) -> tuple[tuple[Step, ...], State]:
        """Return the steps that were done before an entry, and the state behind them."""
        step, bound = self.steps[entry], self.bound[entry]
        if not isinstance(step, Step) or not isinstance(bound.token, FlowCall) or bound.token.name in BASIC:
            return (), state
        known = {atom[1] for atom in state if atom[0] == "known"}
        wanted = {item: self._sources(item, bound, known) for item in bound.token.args}
        found, after = self.unrecorded.before(state, step, wanted)
        for each in found:
            self._took(self.compiled.outer(each), bound)
        self._compare(entry, bound)
        return found, after

    def _sources(self, item: str, bound: Bound, known: set[str]) -> list[str]:
        """Return the items whose value can have been given for an input, the likeliest first."""
        if item in bound.items:
            return [bound.items[item]]
        if item not in bound.values:
            return []
        given, own = _recorded(bound.values[item].text), self.values.get(item)
        is_known = self.compiled.items[item] in known
        if is_known and (own is None or own.holds(given)):
            return [item]
        others = [other for other in self.binder.analysis.sources(item) if other != item]
        at_hand = [other for other in others if self.compiled.items[other] in known]
        values = {other: found for other in at_hand if (found := self.values.get(other)) is not None}
        equal = [other for other, found in values.items() if found.holds(given)]
        if is_known:
            return [*equal, *(other for other in others if other not in at_hand), item]
        return [*equal, *(other for other in at_hand if other not in values), item]

    def _took(self, step: Step | Constraint, bound: Bound) -> None:
        """Take down what a step that leaves no call does to the values."""
        if isinstance(step, Constraint):
            return
        given = {item: _recorded(value.text) for item, value in bound.values.items()}
        if step.name == "map":
            source, target = step.args
            if self.values.get(source) is None and target in given:
                self.values[source] = given[target]  # what stood for the input was what was given
            self.values[target] = self.values.get(source)
        elif step.name == "ask":
            for item in step.args:
                self.values[item] = given.get(item)

    def _compare(self, entry: Entry, bound: Bound) -> None:
        for item, value in bound.values.items():
            own = self.values.get(item)
            if own is not None and not own.holds(_recorded(value.text)):
                number = self.sides[entry].index + 1
                self.notes.append(f"call {number} gives {item} the value {value.text}, which nothing before it has")

    def done(self, entry: Entry) -> None:
        """Take down what was executed: a planned step has no values that are recorded, a call has its result."""
        bound, side = self.bound[entry], self.sides[entry]
        if isinstance(side, Planned) and not isinstance(bound.token, Unparsed):
            self._took(bound.token, bound)
        operator = self.binder.flow.by_name.get(name_of(bound.token))
        result = side.result if isinstance(side, Call) else None
        for output in () if operator is None else operator.outputs:
            self.values[output.item] = None if result is None else _recorded(_output_of(result, output.item))


def _mapped(token: Token) -> tuple[str, str] | None:
    """Return the source and the target of a mapping; None for another step."""
    if not isinstance(token, FlowCall) or token.name != "map" or len(token.args) != 2:
        return None
    return token.args[0], token.args[1]


# --- recorded values -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A recorded value: its parts as texts without case, and of those the ones that may hold others."""

    parts: frozenset[str]
    texts: tuple[str, ...]

    def holds(self, value: _Recorded) -> bool:
        """Return whether a value is this one, or a part of it: all its parts are, or stand in a longer text of it."""
        return all(part in self.parts or any(part in text for text in self.texts) for part in value.parts)


def _recorded(value: Argument | object) -> _Recorded:
    """Return a value of JSON, or of an argument, as something to be compared; a text that is JSON counts as that."""
    parts = tuple(_parts(value.text if isinstance(value, Argument) else value))
    return _Recorded(frozenset(parts), tuple(part for part in parts if " " in part or "\n" in part))


def _parts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        inner = _read(value)
        if isinstance(inner, str):
            yield inner.strip().casefold()
        else:
            yield from _parts(inner)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _parts(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from _parts(each)
    else:
        (argument,) = read_arguments([value]) or (Argument(None, "null"),)
        yield argument.text


def _read(text: str) -> object:
    """Return the value of a text that is a JSON object, list or number, else the text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str) else value


def _output_of(result: object, item: str) -> object:
    """Return what a result says of one output: what stands under its name, where it has that, else all of it."""
    value = _read(result) if isinstance(result, str) else result
    if isinstance(value, Mapping):
        for name, each in value.items():
            if folded(str(name)) == folded(item):
                return each
    return result
