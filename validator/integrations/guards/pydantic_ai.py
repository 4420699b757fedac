"""A guard around a toolset of Pydantic AI: ``Agent(model, toolsets=[guarded(guard, FunctionToolset([book, pay]))])``.

A denied call is answered with the reason as its result, so that it does not use up a retry of the tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from validator.guard import PlanGuard


def guarded(guard: PlanGuard, toolset: Any) -> Any:
    """Return a toolset whose calls a guard is asked about. Raises ImportError without Pydantic AI."""
    from pydantic_ai.toolsets import WrapperToolset

    class Guarded(WrapperToolset):  # type: ignore[misc]
        async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
            decision = guard.before(name, tool_args)
            if not decision:
                return decision.message
            try:
                result = await super().call_tool(name, tool_args, ctx, tool)
            except Exception as error:
                guard.after(decision, error=error)
                raise
            guard.after(decision, result)
            return result

    return Guarded(toolset)
