"""Chats with tools as values: the calls of the model are the plan, what others say and what failed is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.reading.test_candidates import MODEL, RIGHT
from validator import check

Step = Sequence[str]
Chat = list[dict[str, Any]]
SPLIT = [step[1:-1].split() for step in RIGHT]
NAMES = ("c", "p")
ASKED = "Bring the crate. For example: (pick-up c2 ramp)"


def given(step: Step) -> dict[str, str]:
    return dict(zip(NAMES, step[1:], strict=True))


def openai(steps: Sequence[Step], results: Sequence[str]) -> Chat:
    chat: Chat = [{"role": "system", "content": "You move crates."}, {"role": "user", "content": ASKED}]
    for number, (step, result) in enumerate(zip(steps, results, strict=True)):
        function = {"name": step[0], "arguments": json.dumps(given(step))}
        call = {"id": f"c{number}", "type": "function", "function": function}
        chat.append({"role": "assistant", "content": None, "tool_calls": [call]})
        chat.append({"role": "tool", "tool_call_id": f"c{number}", "content": result})
    return [*chat, {"role": "assistant", "content": "Done. In short: (set-down c1 ramp)"}]


def anthropic(steps: Sequence[Step], results: Sequence[str]) -> Chat:
    chat: Chat = [{"role": "user", "content": ASKED}]
    for number, (step, result) in enumerate(zip(steps, results, strict=True)):
        call = {"type": "tool_use", "id": f"t{number}", "name": step[0], "input": given(step)}
        chat.append({"role": "assistant", "content": [{"type": "text", "text": "Now this."}, call]})
        answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": result, "is_error": result != "ok"}
        chat.append({"role": "user", "content": [answer]})
    return chat


def langchain(steps: Sequence[Step], results: Sequence[str]) -> Chat:
    chat: Chat = [{"type": "human", "data": {"content": ASKED}}]
    for number, (step, result) in enumerate(zip(steps, results, strict=True)):
        call = {"name": step[0], "args": given(step), "id": f"c{number}"}
        chat.append({"type": "ai", "data": {"content": "", "tool_calls": [call]}})
        status = "success" if result == "ok" else "error"
        answer = {"content": "x", "tool_call_id": f"c{number}", "name": step[0], "status": status}
        chat.append({"type": "tool", "data": answer})
    return chat


def gemini(steps: Sequence[Step], results: Sequence[str]) -> Chat:
    chat: Chat = [{"role": "user", "parts": [{"text": ASKED}]}]
    for step, result in zip(steps, results, strict=True):
        chat.append({"role": "model", "parts": [{"functionCall": {"name": step[0], "args": given(step)}}]})
        chat.append({"role": "function", "parts": [{"text": result}], "content": result})
    return chat


CHATS = [openai, anthropic, langchain, gemini]
WRITTEN: dict[str, Callable[[Chat], str]] = {
    "a list": json.dumps,
    "on lines": lambda chat: json.dumps(chat, indent=2),
    "under a key": lambda chat: json.dumps({"id": 7, "messages": chat}),
    "a message a line": lambda chat: "\n".join(map(json.dumps, chat)),
    "as Python prints it": repr,
}


def read_of(text: str) -> tuple[bool | None, list[str]]:
    report = check(MODEL, plan=f"{text}\n", repair=False)
    assert report.reading is not None
    return report.determination, list(map(str, report.reading.plan.steps))


@pytest.mark.parametrize("chat", CHATS)
@pytest.mark.parametrize("form", WRITTEN)
def test_the_calls_of_a_chat_are_the_plan(chat: Callable[..., Chat], form: str) -> None:
    assert read_of(WRITTEN[form](chat(SPLIT, ["ok", "ok"]))) == (True, RIGHT)
    assert read_of(WRITTEN[form](chat(SPLIT[:1], ["ok"]))) == (False, RIGHT[:1])


@pytest.mark.parametrize("chat", CHATS)
def test_a_call_that_an_error_answers_changed_nothing(chat: Callable[..., Chat]) -> None:
    wrong = ["set-down", "c1", "dock"]
    text = json.dumps(chat([wrong, *SPLIT], ["Error: nothing is held", "ok", "ok"]))
    assert read_of(text) == (True, RIGHT)
    assert read_of(json.dumps(chat([wrong, *SPLIT], ["ok", "ok", "ok"])))[0] is False


@pytest.mark.parametrize("chat", CHATS)
def test_a_call_of_a_tool_that_is_no_action_is_not_understood(chat: Callable[..., Chat]) -> None:
    assert read_of(json.dumps(chat([["look", "c1", "dock"], *SPLIT], ["ok", "ok", "ok"])))[0] is None


def test_of_a_chat_without_calls_what_the_model_says_counts() -> None:
    said = {"role": "assistant", "content": "\n".join(RIGHT)}
    asked = {"role": "user", "content": ASKED}
    assert read_of(json.dumps([asked, said])) == (True, RIGHT)
    draft = {"role": "assistant", "content": RIGHT[0]}
    assert read_of(json.dumps([asked, draft, {"role": "user", "content": "And then?"}, said]))[0] is None
