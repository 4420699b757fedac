"""Edits of a list of calls, and what they cost: a change is 2, a value that the user has to say 3 more.

Half changes tell apart what is one change in any case: what the author wrote is trusted before what a tool could give, a
misspelling is likelier than another meaning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from validator.flow.tools.listed.calls import ToolCall
from validator.flow.tools.listed.references import Reference, replaced

__all__ = [
    "ANOTHER",
    "CHANGE",
    "DROP_ARGUMENT",
    "DROP_CALL",
    "FAR_TOOL",
    "Edited",
    "State",
    "added",
    "argument_renamed",
    "argument_set",
    "ask_cost",
    "is_said",
    "label_changed",
    "put",
    "reference_set",
    "unlike",
]

CHANGE = 2
"""a call moved, inserted, renamed; an argument's value, name or field changed"""
ASK = 3
"""a value that the user has to say, beside the change that puts it there"""
ASK_UNSAID = 6
"""the same where users do not know it: an id, a key, a coordinate"""
DROP_ARGUMENT = 3
"""an argument that the tool has not is left out"""
ANOTHER = 4
"""a reference to another call than the one that is named"""
FAR_TOOL = 6
"""another tool, the name of which is not near"""
DROP_CALL = 60
"""a call is left out: last of all"""


_UNSAID = frozenset(("id", "ids", "uuid", "guid", "key", "token", "hash", "coordinates"))
_UNSAID |= {"lat", "latitude", "lon", "lng", "long", "longitude"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def is_said(name: str) -> bool:
    """Return whether a user can say a value of this name; ids and coordinates other calls yield."""
    words = _WORD.findall(name)
    return not words or words[-1].casefold() not in _UNSAID


def ask_cost(name: str) -> int:
    return ASK if is_said(name) else ASK_UNSAID


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Calls that were edited: those of the list in their order, then new ones. ``doubt`` breaks ties between costs."""

    calls: tuple[ToolCall, ...]
    cost: int = 0
    doubt: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """What an edit makes of calls, and what it costs."""

    calls: tuple[ToolCall, ...]
    cost: int
    doubt: float = 0.0


def put(calls: tuple[ToolCall, ...], place: int, call: ToolCall) -> tuple[ToolCall, ...]:
    return (*calls[:place], call, *calls[place + 1 :])


def added(
    calls: tuple[ToolCall, ...], name: str, label: str, slot: int, needed: Mapping[str, bool]
) -> tuple[ToolCall, ...]:
    """Return the calls with a new one, of whose needed arguments nothing is decided yet."""
    opened = tuple(each for each, is_needed in needed.items() if is_needed)
    return (*calls, ToolCall(name=name, arguments={}, label=label, slot=slot, open=opened))


def argument_set(call: ToolCall, name: str, value: object) -> ToolCall:
    """Return a call with an argument, which is no longer open."""
    arguments = {**call.arguments, name: value}
    return replace(call, arguments=arguments, open=tuple(each for each in call.open if each != name))


def argument_renamed(call: ToolCall, old: str, new: str | None) -> ToolCall:
    """Return a call whose argument has another name, or is left out."""
    pairs = ((new if name == old else name, value) for name, value in call.arguments.items())
    return replace(call, arguments={name: value for name, value in pairs if name is not None})


def reference_set(call: ToolCall, argument: str, old: Reference, new: str) -> ToolCall:
    """Return a call in whose argument each writing of a reference is another text."""

    def change(text: str) -> str:
        return new if text.strip() == old.text else text.replace(old.text, new)

    return argument_set(call, argument, replaced(call.arguments[argument], change))


def label_changed(calls: tuple[ToolCall, ...], place: int, label: str) -> tuple[ToolCall, ...]:
    return put(calls, place, replace(calls[place], label=label, has_label=True))


def unlike(one: str, other: str) -> float:
    """Return from 0 to 1 how far two names differ; parts of the one that the other has count as alike."""
    one, other = one.casefold(), other.casefold()
    if one == other:
        return 0.0
    if len(one) + len(other) > 400:
        return 1.0
    rest = 1 - SequenceMatcher(None, one, other).ratio()
    return rest / 2 if one in other or other in one else rest
