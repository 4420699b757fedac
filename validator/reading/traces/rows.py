"""Logs and steps: rows of the table of formats that are no messages, and the messages that say the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TypeAlias

from validator.reading.calls.objects import CallRequest, first_value, read_object
from validator.reading.traces.formats import Entry, formats, plain
from validator.reading.traces.messages import Message, is_message, read_message
from validator.reading.traces.parts import Answer, Part, read_part, written_call
from validator.reading.traces.paths import at, meets, parsed, value_at
from validator.records import replace

_Object: TypeAlias = Mapping[str, object]
_MCP = "MCP messages"
"""whose logs have both sides"""


def row_of(value: _Object) -> Entry | None:
    """Return the entry of the table that an object is a row of; None for what is none."""
    if not meets(value, formats()["any"]["rows"]):
        return None
    fit = (row for row in formats()["rows"] if meets(value, row.when))
    return next((row for row in fit if "@step_with_calls" not in row.says or _calls_of(value)[0]), None)


def said_by(row: Entry, value: _Object) -> Iterator[object]:
    """Yield what a row says, in order: messages, and chats that are read as any other."""
    for each in row.says:
        if isinstance(each, Mapping):
            paths = {key: path for key, path in each.items() if key != "each"}
            told = (read_message(plain(part, paths)) for part in at(value, each.get("each", "")))
            yield from (replace(message, is_log=row.name == _MCP) for message in told if message is not None)
        elif each.startswith("@"):
            yield from _SAYS[each](value)
        else:
            for chat in at(value, each):
                yield Message(role="user", texts=(chat,)) if isinstance(chat, str) else chat


# --- steps ---------------------------------------------------------------------------------------

_THOUGHTS = ("thought", "thinking", "reasoning", "response", "log", "message", "model_output")
_OBSERVED = ("observation", "observations", "tool_output", "result", "output")


def _pairs(value: _Object) -> Iterator[Message]:
    """Yield what LangChain's pairs of an action and what was observed say."""
    for pair in at(value, "intermediate_steps[]"):
        if isinstance(pair, list | tuple) and len(pair) == 2:
            action, seen = pair
            stored = action.get("kwargs") if isinstance(action, Mapping) and action.get("lc") else None
            yield from _step({"action": stored or action, "observation": seen})
        elif isinstance(pair, Mapping):
            yield from _step(pair)


def _step(step: _Object) -> Iterator[Message]:
    """Yield what a step says: its thoughts with its calls, and what was observed."""
    (told, holder), is_guessed = _calls_of(step), False
    step = {**holder, **step}
    if not told:
        call, is_guessed = _acted(step)
        told = [] if call is None else [Part(call=call)]
    observed = first_value(step, _OBSERVED)
    results = value_at(observed, "results") if isinstance(observed, Mapping) else value_at(step, "tool_results")
    if isinstance(results, list):
        answers = [read_part({"type": "tool_result", **each}) for each in results if isinstance(each, Mapping)]
    else:
        answers = []
        if len(told) == 1 and observed is not None:
            told = [replace(told[0], answer=Answer(value=observed, error=step.get("error") or None))]
    texts = tuple(text for key in _THOUGHTS if isinstance(text := step.get(key), str))
    is_asked_at_once = step.get("type") == "tool_calls"  # a step of a run of OpenAI's Assistants
    if all(part.answer for part in told) and not is_asked_at_once:  # what was done, one after the other
        yield from (Message(role="assistant", told=(part,)) for part in told[:-1])
        told = told[-1:]
    yield Message(role="assistant", texts=texts, told=(*told, *answers), is_guessed=is_guessed)


def _calls_of(value: _Object) -> tuple[list[Part], _Object]:
    """Return the calls that stand in an object or in its details, none of which is a message, and what holds them."""
    around = () if is_message(value) else (value, *at(value, "*"))
    for part in around:
        for listed in at(part, "tool_calls") + at(part, "toolCalls") if isinstance(part, Mapping) else ():
            calls = [read_part(call, is_call=True) for call in listed] if isinstance(listed, list) else []
            if any(each.call for each in calls) and isinstance(part, Mapping) and not is_message(part):
                return [each for each in calls if each.call], part
    return [], {}


def _asked_first(value: _Object) -> Iterator[Message]:
    """Yield what the user asks first in the history beside steps, which says them again."""
    history = (read_message(each) for each in at(value, "history[]") if isinstance(each, Mapping))
    asked = (each for each in history if each is not None and each.role == "user" and not each.raw.get("is_demo"))
    yield from islice(asked, 1)


def _piece(piece: _Object) -> Iterator[Message]:
    yield Message(role="assistant", missed=("the pieces of a streamed answer are not put together",))


def _in_envelope(row: _Object) -> Iterator[Message]:
    """Yield the message of a row of Claude Code, with the call of an agent inside which it stands, if it does."""
    identity, inner = row.get("parent_tool_use_id"), row["message"]
    inside = identity if isinstance(identity, str) and identity else "" if row.get("isSidechain") is True else None
    message = read_message(inner) if isinstance(inner, Mapping) else None
    if message is not None:
        yield replace(message, inside=inside)


def _named_by_action(event: _Object) -> Iterator[Message]:
    """Yield the call of an event of OpenHands that names no tool; what it was given stands among other things."""
    thought = value_at(event, "args.thought")
    texts = (thought,) if isinstance(thought, str) else ()
    yield Message(role="assistant", texts=texts, told=(Part(call=CallRequest(name=str(event["action"]))),))


_FIRST = re.compile(r"\s*(?P<name>[^\s(\[{;|&<>]+)")


def _acted(step: _Object) -> tuple[CallRequest | None, bool]:
    """Return what a step did: a call as an object or as it is written, else a command with its name, which is a guess.

    How the rest of a command is split into arguments is not recorded, so that they are unknown.
    """
    action = parsed(step.get("action"))
    if isinstance(action, Mapping):
        call = read_object(action)
        return (call if isinstance(call, CallRequest) else None), False
    if not isinstance(action, str):
        return None, False
    beside = read_object(step)
    if isinstance(beside, CallRequest) and beside.given is not None:
        return beside, False
    written = written_call(action)
    if written is not None:
        return written, False
    match = _FIRST.match(action)
    return (None, False) if match is None else (CallRequest(name=match["name"]), True)


_SAYS: Mapping[str, Callable[[_Object], Iterator[Message]]] = {
    "@piece": _piece,
    "@in_envelope": _in_envelope,
    "@asked_first": _asked_first,
    "@named_by_action": _named_by_action,
    "@pairs": _pairs,
    "@step": _step,
    "@step_with_calls": _step,
}
"""The functions of the table, for what no paths say."""
