"""What a span tells by events of its own, as OpenTelemetry's conventions for GenAI had it: messages, one an event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from validator.reading.traces.spans.attributes import Attributes
from validator.reading.traces.walk import parsed

__all__ = ["told_by_events"]

_SAYS = ("message", "content", "gen_ai.event.content", "body")


def told_by_events(events: object) -> dict[str, object]:
    """Return the attributes that the events of a span stand for: messages, and what a tool was given and yielded."""
    asked, answered, given = [], [], None
    for name, own in _named(events):
        role, _, what = name.removeprefix("gen_ai.").partition(".")
        if name == "gen_ai.choice":
            answered.append(_message("assistant", own))
        elif what == "message" and role in ("system", "user", "assistant", "tool"):
            given = _content(own) if role == "tool" else given
            asked.append(_message(role, own))
        elif own.first(("gen_ai.input.messages", "gen_ai.output.messages")) is not None:
            return {key: own.get(key) for key in own}
    found: dict[str, object] = {}
    if asked or answered:
        found |= {"gen_ai.input.messages": asked, "gen_ai.output.messages": answered}
    if given is not None:
        found["gen_ai.tool.call.arguments"] = given
    if len(answered) == 1 and given is not None:
        found["gen_ai.tool.call.result"] = answered[0]["content"]
    return found


def _named(events: object) -> Iterator[tuple[str, Attributes]]:
    for event in events if isinstance(events, list) else ():
        if isinstance(event, Mapping):
            yield str(event.get("name") or ""), Attributes(event.get("attributes"), event.get("body"))


def _content(own: Attributes) -> object:
    return parsed(own.first(_SAYS))


def _message(role: str, own: Attributes) -> dict[str, object]:
    said = _content(own)
    if isinstance(said, Mapping) and ("content" in said or "tool_calls" in said or "toolUse" in said):
        return {"role": role, "content": None, **said}
    calls = parsed(own.get("tool_calls"))
    beside = {"tool_calls": calls} if isinstance(calls, list) else {}
    identity = own.first(("id", "tool_call_id"))
    return {"role": role, "content": said, **beside, **({"tool_call_id": identity} if role == "tool" else {})}
