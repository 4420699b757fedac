"""Files that hold several traces: lists of runs, each with its own conversation, and spans of several traces."""

from __future__ import annotations

from collections.abc import Mapping

from validator.reading.calls.keys import spelled
from validator.reading.calls.objects import Asked, read_object
from validator.reading.traces.chat.conversation import chat_units
from validator.reading.traces.chat.messages import Message, read_message
from validator.reading.traces.walk import units

__all__ = ["runs_of", "traces_of_spans"]

_WHOLE = frozenset(
    (
        *("observations", "tool_spans", "agent_spans", "trajectory", "generated_items", "resource_spans", "events"),
        *("intermediate_data", "conversation", "steps", "intermediate_steps", "new_items", "history", "chat_history"),
    )
)
"""Keys under which one run keeps all that is recorded of it, as a list."""


_NAMED = frozenset(
    (
        *("task_id", "trial", "trial_id", "session_id", "conversation_id", "thread_id", "eval_id", "instance_id"),
        *("sample_id", "example_id", "episode_id", "rollout_id", "trajectory_id"),
    )
)
"""Keys by which runs are told apart, and events of one run are not."""


def runs_of(value: object) -> list[object]:
    """Return the runs of a value that is a list of them, alone or under one key; nothing for any other.

    Requests of one conversation, of which each repeats the history before it, are one run; so are lists of calls, which
    may be calls that were made at once.
    """
    elements = _elements(value)
    if len(elements) < 2:
        return []
    if all(isinstance(each, list | tuple) for each in elements):
        return elements if all(map(_is_list_of_more, elements)) else []
    if not all(isinstance(each, Mapping) for each in elements):
        return []
    if all(_is_whole(each) for each in elements) or _are_named(elements):
        return elements
    conversations: list[list[Message]] = []
    for each in elements:
        messages = _conversation(each)
        if not messages or messages[0].role not in ("system", "user"):
            return []
        conversations.append(messages)
    seen: set[tuple[object, ...]] = set()
    for messages in conversations:
        essence = tuple(map(_essence, messages))
        if any(essence[:length] in seen for length in range(1, len(essence) + 1)):
            return []
        seen.add(essence)
    return elements


def _is_list_of_more(element: object) -> bool:
    """Return whether an element is a list of objects of which some are no bare calls."""
    if not isinstance(element, list | tuple) or not all(isinstance(each, Mapping) for each in element):
        return False
    calls = map(read_object, element)
    return not all(isinstance(call, Asked) and call.given is not None for call in calls)


def _are_named(elements: list[object]) -> bool:
    """Return whether elements name the runs that they are, each another one, and hold something of it."""
    names: set[tuple[tuple[object, str], ...]] = set()
    for each in elements:
        name = _name(each) if isinstance(each, Mapping) else ()
        if not name or name in names:
            return False
        names.add(name)
    return True


def _name(element: Mapping[str, object]) -> tuple[tuple[object, str], ...]:
    """Return the keys by which an element that holds something is told apart, with their values."""
    found = tuple([(key, str(element[key])) for key in element if spelled(str(key)) in _NAMED])
    return found if found and any(isinstance(each, list | Mapping) and each for each in element.values()) else ()


def _elements(value: object) -> list[object]:
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, Mapping) and read_message(value) is None:
        lists = [each for each in value.values() if isinstance(each, list) and len(each) > 1]
        if len(lists) == 1 and not any(isinstance(each, Mapping) and read_message(each) for each in lists[0]):
            return list(lists[0])
    return []


_SPAN = frozenset(("span_id", "parent_id", "attributes", "run_type", "op_name"))
"""Keys of what is part of a run, whatever lists it has."""


def _is_whole(element: object) -> bool:
    if not isinstance(element, Mapping) or not _SPAN.isdisjoint(spelled(str(key)) for key in element):
        return False
    return any(spelled(str(key)) in _WHOLE and isinstance(each, list) and each for key, each in element.items())


def _conversation(element: object) -> list[Message]:
    """Return the messages of the first list of messages in an element that is no message itself."""
    if not isinstance(element, Mapping) or read_message(element) is not None:
        return []
    found: list[Message] = []
    home: int | None = None
    for message, own in chat_units(element, lambda _: None):
        if home is None and own != 0:
            home = own
        if own == home:
            found.append(message)
    return found


def _essence(message: Message) -> tuple[object, ...]:
    calls = tuple((call.call_id, call.name) for call in message.calls)
    return message.role, message.texts, calls, tuple(answer.call_id for answer in message.answers)


def traces_of_spans(value: object) -> list[list[Mapping[str, object]]]:
    """Return the spans of each trace, in the order in which the traces come first; nothing for fewer than two."""
    found: dict[str, list[Mapping[str, object]]] = {}
    for span in units(value, lambda each: _trace(each) is not None, lambda _: None):
        found.setdefault(str(_trace(span)), []).append(span)
    return list(found.values()) if len(found) > 1 else []


def _trace(value: Mapping[str, object]) -> object:
    """Return the identity of the trace that an object is a span of; None for what is no span."""
    own = {spelled(str(key)): each for key, each in value.items()}
    context = own.get("context")
    inner = context if isinstance(context, Mapping) else own
    is_span = any(key in own for key in ("start_time", "start_time_unix_nano", "started_at", "span_id", "context"))
    trace = inner.get("trace_id", own.get("trace_id"))
    return trace if is_span and isinstance(trace, str | int) and trace != "" else None
