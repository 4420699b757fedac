"""Streamed answers: calls whose arguments come in pieces, as each provider sends them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from validator.adherence import read_trace

GIVEN = '{"room": "R7", "nights": [1, 2]}'
PIECES = [GIVEN[:5], GIVEN[5:17], GIVEN[17:]]


def _openai(*pieces: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"id": "s", "choices": [{"index": 0, "delta": {"tool_calls": list(pieces)}, "finish_reason": finish}]}


def _piece(index: int | None, arguments: str, **beside: Any) -> dict[str, Any]:
    place = {} if index is None else {"index": index}
    name = {"name": beside.pop("name")} if "name" in beside else {}
    return {**place, **beside, "function": {**name, "arguments": arguments}}


def _gemini(**call: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": call}]}}]}


def _cohere(kind: str, **message: Any) -> dict[str, Any]:
    return {"type": kind, "index": 0, "delta": {"message": message}}


STREAMS: dict[str, list[dict[str, Any]]] = {
    "OpenAI": [
        _openai(_piece(0, "", id="a", type="function", name="reserve")),
        *(_openai(_piece(0, each)) for each in PIECES),
        _openai(_piece(1, "{}", id="b", type="function", name="list_rooms")),
    ],
    "OpenAI's shape, all calls at one place": [
        _openai(_piece(0, GIVEN, id="a", name="reserve")),
        _openai(_piece(0, "{}", id="b", name="list_rooms")),
    ],
    "OpenAI's shape, neither places nor identities": [
        _openai(_piece(None, GIVEN, name="reserve")),
        _openai(_piece(None, "{}", name="list_rooms")),
    ],
    "OpenAI's shape, the name in each piece": [
        *(_openai(_piece(0, each, id="a", name="reserve")) for each in PIECES),
        _openai(_piece(1, "{}", id="b", name="list_rooms")),
    ],
    "Anthropic": [
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Well."}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "a", "name": "reserve", "input": {}},
        },
        *(
            {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": each}}
            for each in PIECES
        ),
        {"type": "content_block_stop", "index": 1},
        {
            "type": "content_block_start",
            "index": 2,
            "content_block": {"type": "tool_use", "id": "b", "name": "list_rooms", "input": {}},
        },
        {"type": "content_block_stop", "index": 2},
        {"type": "message_stop"},
    ],
    "Anthropic, whole calls where the message begins": [
        {
            "type": "message_start",
            "message": {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "a", "name": "reserve", "input": json.loads(GIVEN)},
                    {"type": "tool_use", "id": "b", "name": "list_rooms", "input": {}},
                ],
            },
        },
        {"type": "message_stop"},
    ],
}
OTHERS: dict[str, list[dict[str, Any]]] = {
    "Bedrock": [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "a", "name": "reserve"}}}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": GIVEN}}}},
    ],
    "Cohere": [
        _cohere("tool-call-start", tool_calls={"id": "a", "function": {"name": "reserve", "arguments": ""}}),
        _cohere("tool-call-delta", tool_calls={"function": {"arguments": GIVEN}}),
        {"type": "tool-call-end", "index": 0},
    ],
    "Gemini's interactions": [
        {"event_type": "step.start", "index": 1, "step": {"type": "function_call", "id": "a", "name": "reserve"}},
        {"event_type": "step.delta", "index": 1, "delta": {"type": "arguments_delta", "arguments": GIVEN}},
    ],
    "Gemini": [
        _gemini(name="reserve", willContinue=True),
        _gemini(partialArgs=[{"jsonPath": "$.room", "stringValue": "R"}]),
        _gemini(),
    ],
}


@pytest.mark.parametrize("form", OTHERS)
def test_other_streams_are_known_and_not_understood(form: str) -> None:
    found = read_trace([{"role": "user", "content": "Go on"}, *OTHERS[form]])
    assert found.calls == () and found.missed and not found.says_none


@pytest.mark.parametrize("form", STREAMS)
def test_the_pieces_of_a_stream_are_put_together(form: str) -> None:
    for trace in (
        STREAMS[form],
        "\n".join(map(json.dumps, STREAMS[form])),
        [{"event": each} for each in STREAMS[form]],
    ):
        found = read_trace(trace)
        assert [str(call) for call in found.calls] == ["(reserve room=R7 nights=[1, 2])", "(list_rooms)"]
        assert [call.arguments is None for call in found.calls] == [False, False]
        assert not found.missed


def test_what_a_server_found_for_a_streamed_call_is_its_result() -> None:
    begun = {"type": "server_tool_use", "id": "a", "name": "look_up", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "a", "content": [{"title": "Rooms"}]}
    trace = [
        {"type": "message_start", "message": {"role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": begun},
        {"type": "content_block_delta", "index": 0, "delta": {"partial_json": '{"q": "rooms"}'}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": found},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_stop"},
    ]
    (call,) = read_trace(trace).calls
    assert (str(call), call.result) == ("(look_up q=rooms)", [{"title": "Rooms"}])


@pytest.mark.parametrize("form", STREAMS)
def test_a_stream_that_is_cut_off_never_has_other_calls(form: str) -> None:
    whole = STREAMS[form]
    for length in range(1, len(whole)):
        try:
            names = [call.name for call in read_trace([*whole[:length], {"role": "user", "content": "Go on"}]).calls]
        except ValueError:
            continue
        assert names == ["reserve", "list_rooms"][: len(names)]


def test_a_call_that_begins_without_its_type_is_a_call() -> None:
    """It was said that no call was made."""
    trace = [
        {"type": "content_block_start", "index": 0, "content_block": {"id": "a", "name": "list_rooms", "input": {}}},
        {"type": "content_block_stop", "index": 0},
        {"role": "user", "content": "Go on"},
    ]
    found = read_trace(trace)
    assert [str(call) for call in found.calls] == ["(list_rooms)"] and not found.says_none
