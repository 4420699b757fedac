"""Google's ADK itself: the callbacks stop a bad call of a scripted model, and the agent goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

pytest.importorskip("google.adk", reason="Google's ADK is not installed")

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools import FunctionTool
from google.genai import types

from tests.support import hostile
from validator.guard import PlanGuard
from validator.integrations.guards.google_adk import callbacks

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]


class Scripted(BaseLlm):
    answers: list[Any]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        yield LlmResponse(content=types.Content(role="model", parts=[self.answers.pop(0)]))


def _asks(name: str, **args: Any) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name=name, args=args))


def _responses(guard: PlanGuard, answers: list[Any], tools: list[Any]) -> list[Any]:
    """Return what an agent is told of the calls that a scripted model asks for."""
    model = Scripted(model="scripted", answers=[*answers, types.Part(text="done")])
    agent = LlmAgent(name="a", model=model, tools=tools, **callbacks(guard))

    async def run() -> list[Any]:
        runner = InMemoryRunner(agent=agent, app_name="t")
        session = await runner.session_service.create_session(app_name="t", user_id="u")
        asked = types.Content(role="user", parts=[types.Part(text="pay")])
        return [each async for each in runner.run_async(user_id="u", session_id=session.id, new_message=asked)]

    return [part.response for event in asyncio.run(run()) for part in event.get_function_responses()]


def test_a_bad_call_is_not_made_and_the_agent_is_told_why() -> None:
    made: list[str] = []

    def verify(user: str) -> dict[str, str]:
        """Verify a user."""
        made.append("verify")
        return {"status": "verified"}

    def pay(user: str, amount: int) -> dict[str, str]:
        """Pay."""
        made.append("pay")
        return {"status": "paid"}

    guard = PlanGuard("verify before pay")
    answers = [_asks("pay", user="u", amount=5), _asks("verify", user="u"), _asks("pay", user="u", amount=5)]
    responses = _responses(guard, answers, [verify, pay])
    assert made == ["verify", "pay"]
    assert "needs verify before it" in responses[0]["error"]
    assert responses[1:] == [{"status": "verified"}, {"status": "paid"}]
    assert [record["name"] for record in guard.trace] == ["verify", "pay"]


def test_no_hostile_spelling_and_no_failure_lets_a_call_through(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def make() -> dict[str, str]:
        """Do it."""
        made.append("made")
        return {"status": "done"}

    def response(name: str) -> Any:
        tool = FunctionTool(make)
        tool.name = name
        return _responses(guard, [_asks(name)], [tool])[0]

    guard = PlanGuard("never delete_policy")
    for name in hostile.names("delete_policy"):
        assert response(name)["error"].startswith("Denied: ")
    monkeypatch.setattr(guard, "_judge", lambda *_: 1 / 0)
    assert "the guard failed" in response("pay")["error"]
    monkeypatch.setattr(guard, "before", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        response("pay")
    assert made == []
