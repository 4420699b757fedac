"""Traces in texts that are no JSON as a whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from validator.adherence import read_trace
from validator.errors import InputError

CALLS: list[dict[str, Any]] = [{"name": "fetch", "arguments": {"page": 1}}, {"name": "store", "arguments": {}}]
ASKED = {
    "role": "assistant",
    "tool_calls": [
        {"id": f"c{n}", "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}
        for n, call in enumerate(CALLS)
    ],
}
TEXTS = {
    "as ReAct prints them": 'Thought: I fetch it.\nAction: fetch\nAction Input: {"page": 1}\nObservation: done\n'
    "Action: store\nAction Input: {}\nObservation: stored\nFinal Answer: done\n",
    "as a model writes them": "".join(f"<tool_call>{json.dumps(call)}</tool_call>\n" for call in CALLS),
    "values behind each other": "".join(map(json.dumps, CALLS)),
    "values on several lines each": "\n".join(json.dumps(call, indent=2) for call in CALLS),
    "as Python prints them": str([ASKED, {"role": "user", "content": None}]),
    "with a comma at the end": json.dumps(CALLS)[:-1] + ",]",
    "in a fence": f"```json\n{json.dumps(CALLS)}\n```",
}


@pytest.mark.parametrize("form", TEXTS)
def test_what_stands_around_the_values_is_taken_off(form: str) -> None:
    recording = read_trace(TEXTS[form])
    assert [str(call) for call in recording.calls] == ["(fetch page=1)", "(store)"]
    assert not recording.missed


@pytest.mark.parametrize("piece", [{"choices": [{"delta": {"content": "x"}}]}, {"type": "content_block_start"}])
def test_the_pieces_of_a_streamed_answer_are_missed(piece: dict[str, Any]) -> None:
    assert read_trace([ASKED, piece]).missed == ("the pieces of a streamed answer are not put together",)


def test_an_action_that_is_written_in_another_way_is_missed() -> None:
    text = "Action: fetch\nAction Input: 1\nObservation: done\nAction: store[2]\nObservation: stored\n"
    recording = read_trace(text)
    assert [str(call) for call in recording.calls] == ["(fetch 1)"] and recording.missed


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "f", "args": {}}, {"name": "g", "ar',
        '[{"name": "f"',
        "search(a)",
        '{"messages": [}',
        '{"a": 1} {"name":',
        "a: b\nc: d",
        'INFO {"name": "f", "args": {}}',
        'data: {"name": "f", "args": {}}',
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_trace(text)


def test_the_events_of_inspect_are_its_calls_without_the_spans_around_them() -> None:
    def event(kind: str, **own: object) -> dict[str, object]:
        return {"event": kind, "timestamp": "2026-03-01T10:00:00Z", **own}

    events = [
        event("span_begin", id="s", name="fetch", type="tool"),
        event("tool", id="c", function="fetch", arguments={"page": 1}, result="ok", span_id="s"),
        event("span_end", id="s"),
        event("info", data="note"),
    ]
    for value in (events, {"events": events}, [{"event": {"nested": 1}, "timestamp": 1}, *events]):
        recording = read_trace(value)  # type: ignore[arg-type]
        assert [(str(call), call.result) for call in recording.calls] == [("(fetch page=1)", "ok")]


def test_spans_that_tell_how_far_one_run_is_are_one_call() -> None:
    def span(name: str, start: int, **own: object) -> dict[str, object]:
        attributes = {"openinference.span.kind": "TOOL", **own}
        return {"span_id": name, "parent_id": "p", "name": name, "start_time": start, "attributes": attributes}

    spans = [
        span("fetch.start-3", 1, **{"input.value": '{"page": 1}'}),
        span("fetch.success-3", 2, **{"output.value": "ok"}),
        span("fetch.finish-3", 3),
        span("fetch.start-4", 4, **{"input.value": '{"page": 2}'}),
        span("fetch.error-4", 5),
    ]
    assert [str(call) for call in read_trace(spans).calls] == ["(fetch page=1)", "(fetch page=2)"]
