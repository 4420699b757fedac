"""LangChain itself: the middleware stops a bad call of a scripted model, and the agent goes on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("langchain", reason="LangChain is not installed")

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool

from tests.support import hostile
from validator.guard import PlanGuard
from validator.integrations.guards.langchain import GuardMiddleware

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


def _asks(name: str, number: int, **args: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"c{number}", "type": "tool_call"}])


def _agent(made: list[str], guard: PlanGuard) -> Any:
    @tool
    def verify(user: str) -> str:
        """Verify a user."""
        made.append("verify")
        return "verified"

    @tool
    def pay(user: str, amount: int) -> str:
        """Pay."""
        made.append("pay")
        return "paid"

    answers = [_asks("pay", 1, user="u", amount=5), _asks("verify", 2, user="u"), _asks("pay", 3, user="u", amount=5)]
    model = Scripted(messages=iter([*answers, AIMessage("done")]))
    return create_agent(model, [verify, pay], middleware=[GuardMiddleware(guard)])


def test_a_bad_call_is_not_made_and_the_agent_is_told_why() -> None:
    made: list[str] = []
    guard = PlanGuard("verify before pay")
    result = _agent(made, guard).invoke({"messages": [("user", "pay")]})
    answers = [message for message in result["messages"] if isinstance(message, ToolMessage)]
    assert made == ["verify", "pay"]
    assert [answer.status for answer in answers] == ["error", "success", "success"]
    assert "needs verify before it" in str(answers[0].content) and "Call instead: verify" in str(answers[0].content)
    assert [record["name"] for record in guard.trace] == ["verify", "pay"]


@pytest.mark.anyio
async def test_the_same_where_the_agent_runs_asynchronously() -> None:
    made: list[str] = []
    await _agent(made, PlanGuard("verify before pay")).ainvoke({"messages": [("user", "pay")]})
    assert made == ["verify", "pay"]


def test_no_hostile_spelling_and_no_failure_lets_a_call_through(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def handler(request: Any) -> Any:
        made.append(request.tool_call["name"])
        return ToolMessage("done", tool_call_id="c1")

    guard = PlanGuard("never delete_policy")
    middleware = GuardMiddleware(guard)
    for name in hostile.names("delete_policy"):
        request = SimpleNamespace(tool_call={"name": name, "args": {}, "id": "c1"})
        assert middleware.wrap_tool_call(request, handler).status == "error"  # type: ignore[arg-type]
    monkeypatch.setattr(guard, "_judge", lambda *_: 1 / 0)
    request = SimpleNamespace(tool_call={"name": "pay", "args": {}, "id": "c1"})
    assert "the guard failed" in str(middleware.wrap_tool_call(request, handler).content)  # type: ignore[arg-type]
    assert made == []
