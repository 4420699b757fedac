"""A guard as callbacks of Google's Agent Development Kit: ``LlmAgent(tools=[book], **callbacks(guard))``.

A denied call is answered with ``{"error": reason}`` in place of the tool.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from validator.guard import Decision, PlanGuard


def callbacks(guard: PlanGuard) -> dict[str, Callable[..., dict[str, Any] | None]]:
    """Return the callbacks before and after a tool, and for its errors, as arguments of an agent."""
    open_calls: dict[str, Decision] = {}

    def before(tool: Any, args: dict[str, Any], tool_context: Any) -> dict[str, Any] | None:
        decision = guard.before(tool.name, args)
        if not decision:
            return {"error": decision.message}
        open_calls[tool_context.function_call_id] = decision
        return None

    def after(tool: Any, args: dict[str, Any], tool_context: Any, tool_response: Any) -> dict[str, Any] | None:
        decision = open_calls.pop(tool_context.function_call_id, None)  # the ADK asks after denied calls as well
        if decision is not None:
            failed = tool_response.get("error") if isinstance(tool_response, dict) else None
            guard.after(decision, tool_response, error=failed)
        return None

    def on_error(tool: Any, args: dict[str, Any], tool_context: Any, error: Exception) -> dict[str, Any] | None:
        decision = open_calls.pop(tool_context.function_call_id, None)
        if decision is not None:
            guard.after(decision, error=error)
        return None

    return {"before_tool_callback": before, "after_tool_callback": after, "on_tool_error_callback": on_error}
