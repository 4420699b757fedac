"""Pydantic AI itself: the toolset stops a bad call of a scripted model, and the agent goes on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="Pydantic AI is not installed")

from pydantic_ai import Agent, FunctionToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from tests.support import hostile
from validator.guard import PlanGuard
from validator.integrations.guards.pydantic_ai import guarded

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]


def test_a_bad_call_is_not_made_and_the_agent_is_told_why() -> None:
    made: list[str] = []

    def verify(user: str) -> str:
        made.append("verify")
        return "verified"

    def pay(user: str, amount: int) -> str:
        made.append("pay")
        return "paid"

    answers: list[Any] = [
        ToolCallPart("pay", {"user": "u", "amount": 5}),
        ToolCallPart("verify", {"user": "u"}),
        ToolCallPart("pay", {"user": "u", "amount": 5}),
        TextPart("done"),
    ]

    def scripted(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[answers.pop(0)])

    guard = PlanGuard("verify before pay")
    agent = Agent(FunctionModel(scripted), toolsets=[guarded(guard, FunctionToolset([verify, pay]))])
    result = agent.run_sync("pay")
    returned = [
        part.content for message in result.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)
    ]
    assert made == ["verify", "pay"]
    assert "needs verify before it" in str(returned[0]) and returned[1:] == ["verified", "paid"]
    assert [record["name"] for record in guard.trace] == ["verify", "pay"]


def test_no_hostile_spelling_and_no_failure_lets_a_call_through(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    class Inner(FunctionToolset):  # type: ignore[misc]
        async def call_tool(self, name: str, *_: Any, **__: Any) -> Any:
            made.append(name)

    guard = PlanGuard("never delete_policy")
    toolset = guarded(guard, Inner())

    async def call(name: str) -> Any:
        return await toolset.call_tool(name, {}, None, None)

    for name in hostile.names("delete_policy"):
        assert asyncio.run(call(name)).startswith("Denied: ")
    monkeypatch.setattr(guard, "_judge", lambda *_: 1 / 0)
    assert "the guard failed" in asyncio.run(call("pay"))
    assert made == []
