"""Edits of a list of calls, and what they cost: a change is 2, a value that the user has to say 3 more.

Half changes tell apart what is one change in any case: what the author wrote is trusted before what a tool could give,
a misspelling is likelier than another meaning.
"""

from __future__ import annotations

from collections.abc import Mapping

from validator.flow.tools.declared.fitting import Path
from validator.flow.tools.declared.names import is_said
from validator.flow.tools.listed.calls import ToolCall
from validator.flow.tools.listed.references import Reference, replaced
from validator.records import dataclass, replace

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
    "label_changed",
    "place_of",
    "put",
    "reference_set",
    "written_as",
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


def place_of(state: State, place: int) -> int:
    """Return where a call stands in the list that was given; a new one, where it belongs at the latest."""
    call = state.calls[place]
    return call.slot if call.place is None else call.place


def written_as(label: str, path: Path) -> str:
    return Reference(label=label, path=path, text="$$").written(label, path)
