"""A guard as middleware of LangChain 1 and LangGraph.

    create_agent(model, tools, middleware=[GuardMiddleware(guard)])

A denied call is answered with a tool message of status ``error`` that says why.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

try:
    from langchain.agents.middleware import AgentMiddleware
except ImportError:
    AgentMiddleware = None

if TYPE_CHECKING:
    from validator.guard import Decision, PlanGuard


class GuardMiddleware(AgentMiddleware or object):  # type: ignore[misc]
    """Asks a guard before each tool call. Raises ImportError without LangChain."""

    def __init__(self, guard: PlanGuard) -> None:
        if AgentMiddleware is None:
            raise ImportError("validator.integrations.guards.langchain needs the package langchain, version 1")
        super().__init__()
        self.guard = guard

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Make a call that the guard allows, and answer one that it denies."""
        decision = self.guard.before(request.tool_call["name"], request.tool_call["args"])
        if not decision:
            return _denied(request, decision)
        try:
            return self._made(decision, handler(request))
        except Exception as error:
            self.guard.after(decision, error=error)
            raise

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Do the same for agents that run asynchronously."""
        decision = self.guard.before(request.tool_call["name"], request.tool_call["args"])
        if not decision:
            return _denied(request, decision)
        try:
            answer = await handler(request)
        except Exception as error:
            self.guard.after(decision, error=error)
            raise
        return self._made(decision, answer)

    def _made(self, decision: Decision, answer: Any) -> Any:
        content = getattr(answer, "content", None)
        failed = getattr(answer, "status", None) == "error"
        self.guard.after(decision, content, error=content if failed else None)
        return answer


def _denied(request: Any, decision: Decision) -> Any:
    from langchain.messages import ToolMessage

    call = request.tool_call
    return ToolMessage(content=decision.message, tool_call_id=call["id"], name=call["name"], status="error")
