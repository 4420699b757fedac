"""Inspect AI: logs of evaluations, whose samples hold a conversation, and beside it the events in which it came about.

The events tell every call again, with the requests to models around it: they count only where no conversation is kept,
or where they stand alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from validator.reading.traces.chat.conversation import Conversation, chat_units
from validator.reading.traces.recorder import Recorder
from validator.reading.traces.walk import units

__all__ = ["read_inspect"]


def _is_log(value: Mapping[str, object]) -> bool:
    samples = value.get("samples")
    is_list = isinstance(samples, list) and any(isinstance(each, Mapping) and _is_sample(each) for each in samples)
    return is_list and not {"eval", "plan", "status", "version"}.isdisjoint(value)


def _is_sample(value: Mapping[str, object]) -> bool:
    listed = value.get("messages") or value.get("events")
    return isinstance(listed, list) and "epoch" in value and "target" in value


_EVENTS = frozenset(
    (
        *(
            "tool",
            "model",
            "state",
            "store",
            "info",
            "score",
            "error",
            "logger",
            "sample_init",
            "sample_limit",
            "input",
        ),
        *("span_begin", "span_end", "step", "subtask", "approval", "sandbox", "compaction", "anchor", "branch"),
    )
)


def _is_event(value: Mapping[str, object]) -> bool:
    kind = value.get("event")
    return isinstance(kind, str) and kind in _EVENTS and "timestamp" in value


def _is_call(event: Mapping[str, object]) -> bool:
    return event.get("event") == "tool" and isinstance(event.get("function"), str)


def read_inspect(value: object, recorder: Recorder) -> None:
    """Read the samples inside a JSON value, else the events of one; there are some only where a tool is called."""
    events = list(units(value, lambda each: _is_log(each) or _is_sample(each) or _is_event(each), lambda _: None))
    if any(map(_is_call, events)) and all(map(_is_event, events)):
        recorder.format = "Inspect AI log"
        for event in events:
            recorder.take(event)
        _called(events, recorder)
        return
    for unit in units(value, lambda each: _is_log(each) or _is_sample(each), lambda _: None):
        recorder.take(unit)
        recorder.format = "Inspect AI log"
        samples = unit["samples"] if _is_log(unit) else [unit]
        for sample in samples if isinstance(samples, list) else ():
            if isinstance(sample, Mapping):
                _sample(sample, recorder)


def _sample(sample: Mapping[str, object], recorder: Recorder) -> None:
    conversation = Conversation(recorder)
    for message, home in chat_units(sample.get("messages"), lambda _: None):
        conversation.read(message, home)
    if sample.get("messages"):
        return
    _called(units(sample.get("events"), _is_call, lambda _: None), recorder)


def _called(events: Iterable[Mapping[str, object]], recorder: Recorder) -> None:
    for event in filter(_is_call, events):
        index = recorder.call(event.get("function"), event.get("arguments"), call_id=event.get("id"))
        recorder.result(index, event.get("result"), event.get("error"))
