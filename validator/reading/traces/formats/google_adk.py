"""Google's Agent Development Kit: the events of a session, and the cases of an evaluation set."""

from __future__ import annotations

from collections.abc import Mapping

from validator.reading.calls.keys import pick
from validator.reading.traces.chat.conversation import Conversation, chat_units
from validator.reading.traces.recorder import Recorder
from validator.reading.traces.spans.told import request
from validator.reading.traces.walk import units

__all__ = ["read_adk"]


def _is_session(value: Mapping[str, object]) -> bool:
    events = value.get("events")
    if not isinstance(events, list) or not events:
        return False
    return all(isinstance(each, Mapping) and "author" in each for each in events)


def _is_turn(value: Mapping[str, object]) -> bool:
    within = pick(value, ("intermediate_data",))
    return within is not None and isinstance(value[within], Mapping)


def _is_case(value: Mapping[str, object]) -> bool:
    turns = value.get("conversation")
    return isinstance(turns, list) and any(isinstance(turn, Mapping) and _is_turn(turn) for turn in turns)


def _is_query(value: Mapping[str, object]) -> bool:
    """Return whether an object is a turn of the older evaluation sets: a query, and the tools that it should use."""
    return "query" in value and isinstance(value.get("expected_tool_use"), list)


def read_adk(value: object, recorder: Recorder) -> None:
    """Read the sessions and the cases inside a JSON value.

    What else a session holds, its requests to models with the history and the declarations, says nothing more. The
    calls of a case are those that its author expects in each turn.
    """
    for unit in units(value, lambda each: _is_session(each) or _is_case(each) or _is_query(each), recorder.fields):
        recorder.take(unit)
        if _is_query(unit):
            _query(unit, recorder)
            continue
        conversation = Conversation(recorder)
        if _is_session(unit):
            recorder.format = "Google ADK session"
            for message, home in chat_units(unit["events"], lambda _: None):
                conversation.read(message, home)
            continue
        recorder.format = "Google ADK evaluation set"
        turns = unit["conversation"]
        for turn in turns if isinstance(turns, list) else ():
            if isinstance(turn, Mapping) and _is_turn(turn):
                _turn(turn, recorder)


def _query(unit: Mapping[str, object], recorder: Recorder) -> None:
    recorder.format = "Google ADK evaluation set"
    recorder.ask(unit["query"])
    uses = unit["expected_tool_use"]
    for use in uses if isinstance(uses, list) else ():
        if isinstance(use, Mapping):
            recorder.call(use.get("tool_name"), use.get("tool_input"))


def _turn(turn: Mapping[str, object], recorder: Recorder) -> None:
    asked = turn.get(pick(turn, ("user_content",)) or "")
    parts = asked.get("parts") if isinstance(asked, Mapping) else None
    for part in parts if isinstance(parts, list) else ():
        recorder.ask(request(part.get("text") if isinstance(part, Mapping) else None))
    data = turn[pick(turn, ("intermediate_data",)) or ""]
    assert isinstance(data, Mapping)
    events = data.get(pick(data, ("invocation_events",)) or "")
    if isinstance(events, list):
        conversation = Conversation(recorder)
        for message, home in chat_units(events, lambda _: None):
            conversation.read(message, home)
    uses = data.get(pick(data, ("tool_uses",)) or "")
    for use in uses if isinstance(uses, list) else ():
        if isinstance(use, Mapping):
            recorder.call(use.get("name"), use.get("args"), call_id=use.get("id"))
    answers = data.get(pick(data, ("tool_responses",)) or "")
    for answer in answers if isinstance(answers, list) else ():
        if isinstance(answer, Mapping):
            recorder.answer(answer.get("id"), answer.get("response"), None, answer.get("name"))
