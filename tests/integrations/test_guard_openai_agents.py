"""OpenAI's Agents SDK itself: the guardrails stop a bad call of a scripted model, and the agent goes on."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("agents", reason="OpenAI's Agents SDK is not installed")

from agents import Agent, FunctionTool, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from tests.support import hostile
from validator.guard import PlanGuard
from validator.integrations.guards.openai_agents import guarded

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]


class Scripted(Model):
    def __init__(self, answers: list[Any]) -> None:
        self.answers = answers

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        return ModelResponse(output=[self.answers.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def _asks(name: str, number: int, **arguments: Any) -> ResponseFunctionToolCall:
    given = json.dumps(arguments)
    return ResponseFunctionToolCall(name=name, call_id=f"c{number}", arguments=given, type="function_call")


def _says(text: str) -> ResponseOutputMessage:
    content = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="m", content=[content], role="assistant", status="completed", type="message")


def test_a_bad_call_is_not_made_and_the_agent_is_told_why() -> None:
    made: list[str] = []

    @function_tool
    def verify(user: str) -> str:
        """Verify a user."""
        made.append("verify")
        return "verified"

    @function_tool
    def pay(user: str, amount: int) -> str:
        """Pay."""
        made.append("pay")
        return "paid"

    guard = PlanGuard("verify before pay\npay only if amount <= 10")
    answers = [
        _asks("pay", 1, user="u", amount=5),
        _asks("verify", 2, user="u"),
        _asks("pay", 3, user="u", amount=5000),
        _asks("pay", 4, user="u", amount=5),
        _says("done"),
    ]
    agent = Agent(name="a", model=Scripted(answers), tools=guarded(guard, [verify, pay]))
    result = asyncio.run(Runner.run(agent, "pay", run_config=RunConfig(tracing_disabled=True)))
    outputs = [item.output for item in result.new_items if item.type == "tool_call_output_item"]
    assert made == ["verify", "pay"]
    assert "needs verify before it" in outputs[0] and "amount <= 10" in outputs[2]
    assert (outputs[1], outputs[3]) == ("verified", "paid")
    assert [record["result"] for record in guard.trace] == ["verified", "paid"]


def test_no_hostile_spelling_and_no_failure_lets_a_call_through(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    guard = PlanGuard("never delete_policy")

    def output(name: str, arguments: str = "{}", guard: PlanGuard = guard) -> str:
        async def make(*_: Any) -> str:
            made.append(name)
            return "done"

        tool = FunctionTool(name=name, description="", params_json_schema={}, on_invoke_tool=make)
        asked = ResponseFunctionToolCall(name=name, call_id="c1", arguments=arguments, type="function_call")
        agent = Agent(name="a", model=Scripted([asked, _says("done")]), tools=guarded(guard, [tool]))
        result = asyncio.run(Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True)))
        return next(str(item.output) for item in result.new_items if item.type == "tool_call_output_item")

    for name in hostile.names("delete_policy"):
        assert output(name).startswith("Denied: ")
    for corrupt in ("{", "[1]", "5", '{"user": "u"', "\x00"):
        assert output("pay", corrupt, PlanGuard("pay only if amount <= 10")).startswith("Denied: ")
    monkeypatch.setattr(guard, "_judge", lambda *_: 1 / 0)
    assert "the guard failed" in output("pay")
    monkeypatch.setattr(guard, "before", lambda *_: 1 / 0)
    with pytest.raises(Exception, match="division by zero"):
        output("pay")
    assert made == []
