"""Calls as policies look at them: a name, values by name, whether the call failed; and the calls before a call.

A history is extended call by call. Histories that go on from one another share what they have in common, so that a
long run costs no copies, and each of them is a value: equal where the same calls were made in the same order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum

from validator.reading.arguments import Argument, Arguments, read_argument
from validator.reading.calls import Call, Planned, folded, shown
from validator.reading.calls.objects import as_step
from validator.reading.calls.tools import look
from validator.reading.instants import instant
from validator.reading.plan import Step
from validator.reading.traces.paths import parsed
from validator.reading.values import canonical
from validator.texts import shortened


class _Mark(Enum):
    """A value that stands for none."""

    ABSENT = "what a call does not give"
    UNKNOWN = "what is not known of a call"


ABSENT, UNKNOWN = _Mark

MESSAGES = ("@user", "@assistant")
"""the names of what is no call: a message of the user, and one of the agent, each with its ``text``"""
FOLLOWING = -1
"""the time of a call that is made at once after the one before it"""


@dataclass(frozen=True, slots=True)
class Event:
    """A call that was made or is to be made, or a message (``MESSAGES``).

    ``values`` are its arguments by name; ``placed`` those whose names are not known. ``is_known`` is false where the
    arguments are not known at all. ``is_loose`` says that texts and numbers were not told apart where it was written.
    ``declared`` are the names of arguments that its tool has, None where they are not known. ``time`` is when it was
    made, in nanoseconds, None where that is not known, FOLLOWING for "at once after the call before it". ``result`` is
    what it returned, UNKNOWN where that is not known.
    """

    name: str
    values: Mapping[str, object] = field(default_factory=dict)
    placed: tuple[object, ...] = ()
    is_known: bool = True
    failed: bool = False
    is_loose: bool = False
    text: str = ""
    declared: frozenset[str] | None = field(default=None, compare=False)
    time: int | None = None
    result: object = field(default=UNKNOWN, compare=False)

    @property
    def key(self) -> str:
        return folded(self.name)

    @property
    def is_message(self) -> bool:
        return self.name in MESSAGES

    @property
    def arguments(self) -> Arguments | None:
        """Return the arguments as values with names and types; None where they are not known."""
        if not self.is_known:
            return None
        named = (_argument(name, value, self.is_loose) for name, value in self.values.items())
        return (*(_argument(None, value, self.is_loose) for value in self.placed), *named)

    @property
    def step(self) -> Step:
        """Return the call as a step of a plan."""
        return as_step(self.name, self.arguments)

    def __str__(self) -> str:
        return self.text or str(self.step)

    def value(self, path: str) -> object:
        """Return the value at a path such as ``payment.amount``, ABSENT, or UNKNOWN; ``result`` is what was returned.

        Names are compared exactly. A call that gives ``USER`` where ``user`` is asked for is not understood: whether
        that is the same is up to the server.
        """
        if not self.is_known:
            return UNKNOWN
        found = _at(self.values, path, self.declared)
        if found is ABSENT and path.partition(".")[0] == "result":
            return UNKNOWN if self.result is UNKNOWN else _at({"result": parsed(self.result)}, path)
        if found is ABSENT and self.placed:
            return UNKNOWN
        return UNKNOWN if _is_open(found) else found


def _argument(name: str | None, value: object, is_loose: bool) -> Argument:
    return Argument(name, value, None) if is_loose and isinstance(value, str) else read_argument(name, value)


def _at(value: object, path: str, declared: frozenset[str] | None = None) -> object:
    if not isinstance(value, Mapping):
        head, dot, rest = path.partition(".")
        inner = _member(value, head)
        return inner if not dot or inner is ABSENT else _at(inner, rest)
    found = _named_so(value, path, declared)
    head, dot, rest = path.partition(".")
    inner = _named_so(value, head, declared) if dot else ABSENT
    if inner is ABSENT or inner is UNKNOWN:
        return found if found is not ABSENT else inner
    return _at(inner, rest) if found is ABSENT else UNKNOWN


def _named_so(value: Mapping[str, object], name: str, declared: frozenset[str] | None) -> object:
    """Return the value of a name; UNKNOWN where another one looks like it, unless the tool declares which it takes."""
    if declared is not None and name not in declared:
        name = next((each for each in declared if look(each) == look(name)), name)
    if name in value and (declared is not None or len(value) == 1):
        return value[name]
    own, others = look(name), declared or ()
    if any(each != name and look(str(each)) == own and each not in others for each in value):
        return UNKNOWN
    return value.get(name, ABSENT)


def _member(value: object, place: str) -> object:
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    if is_list and place.isdecimal() and int(place) < len(value):  # type: ignore[arg-type]
        return value[int(place)]  # type: ignore[index]
    return ABSENT


def _is_open(value: object) -> bool:
    return isinstance(value, str) and value[:1] in "<${?.…" and Argument(None, value, True).is_open


def event_of(call: Call | Planned, schemas: Mapping[str, Sequence[str]] | None = None) -> Event:
    """Return a call as an event; ``schemas`` name the parameters of tools (folded) whose arguments have no names."""
    event = Event(call.name)
    if isinstance(call, Call):
        result = call.result if call.has_result else UNKNOWN
        event = replace(event, failed=call.error is not None, time=instant(call.time), result=result)
    if call.arguments is None:
        return replace(event, is_known=False, text=str(call))
    named, placed = _named(call.name, call.arguments, schemas or {})
    is_loose = any(each.is_string is None for each in call.arguments)
    text = shown(call.name, call.arguments)
    return replace(event, values=named, placed=placed, is_loose=is_loose, text=text)


def message_of(role: str, text: str) -> Event:
    """Return a message as an event. Raises ValueError for a role that is neither user nor assistant."""
    name = f"@{role}"
    if name not in MESSAGES:
        raise ValueError(f"a message is from user or assistant, not from {role!r}")
    line = shortened(" ".join(text.split()))
    return Event(name, {"text": text}, text=f"({name} {json.dumps(line, ensure_ascii=False)})")


def _named(
    name: str, arguments: Arguments, schemas: Mapping[str, Sequence[str]]
) -> tuple[dict[str, object], tuple[object, ...]]:
    named = {each.name: each.value for each in arguments if each.name is not None}
    placed = tuple(each.value for each in arguments if each.name is None)
    free = [each for each in schemas.get(folded(name), ()) if each not in named]
    if placed and len(placed) <= len(free):
        return {**named, **dict(zip(free, placed, strict=False))}, ()
    return named, placed


# --- the calls before -----------------------------------------------------------------------------


class Phase(StrEnum):
    """What of a call stands in a history: the call, or its request and its response where both are looked at."""

    CALL = "call"
    REQUEST = "request"
    RESPONSE = "response"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A call in a history, as what a condition sees of it."""

    event: Event
    phase: Phase = Phase.CALL
    _values: dict[str, object] = field(default_factory=dict, compare=False, repr=False)

    def value(self, path: str) -> object:
        """Return what ``Event.value`` does, which is asked again and again."""
        if path not in self._values:
            self._values[path] = self.event.value(path)
        return self._values[path]

    @property
    def key(self) -> tuple[object, ...]:
        """Return what tells it from others: name, arguments, whether it failed, and when it was made."""
        event = self.event
        values = canonical(dict(event.values)), repr(event.placed), event.is_known
        return event.key, values, event.failed, event.time, self.phase


class History:
    """Calls in order. Histories that go on from one another share a list, of which each sees the first calls.

    ``is_in_order`` says that the time of each call is known, and none is before the one in front of it.
    """

    __slots__ = ("_calls", "_hash", "is_in_order", "size")

    def __init__(self, calls: list[Occurrence], size: int, hashed: int, *, is_in_order: bool) -> None:
        self._calls, self.size, self._hash, self.is_in_order = calls, size, hashed, is_in_order

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, place: int) -> Occurrence:
        return self._calls[place]

    def __iter__(self) -> Iterator[Occurrence]:
        return iter(self._calls[: self.size])

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History):
            return NotImplemented
        if self.size != other.size or self._hash != other._hash:
            return False
        return self._calls is other._calls or all(a.key == b.key for a, b in zip(self, other, strict=True))

    def extended(self, occurrence: Occurrence) -> History:
        """Return the history behind one more call."""
        calls, time = self._calls, occurrence.event.time
        if not self.size or len(calls) != self.size:  # another history may go on from here
            calls = calls[: self.size]
        last = calls[-1].event.time if calls else time
        is_later = self.is_in_order and time is not None and last is not None and last <= time
        calls.append(occurrence)
        return History(calls, self.size + 1, hash((self._hash, occurrence.key)), is_in_order=is_later)


NO_HISTORY = History([], 0, 0, is_in_order=True)


def phases_of(event: Event) -> Iterator[Occurrence]:
    """Yield the request of a call, and its response where it did not fail and its result is known."""
    yield Occurrence(event, Phase.REQUEST)
    if not event.failed and event.result is not UNKNOWN:
        values = {**event.values, "output": event.result}
        yield Occurrence(replace(event, values=values), Phase.RESPONSE)
