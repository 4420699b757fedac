"""A guard as tool guardrails of OpenAI's Agents SDK: ``Agent(tools=guarded(guard, [book, pay]))``.

A denied call is answered with the reason. The SDK turns the errors of tools into texts before it asks a guardrail, so
that a call that failed is taken for one that did not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from validator.records import replace

if TYPE_CHECKING:
    from validator.guard import Decision, PlanGuard


def guarded(guard: PlanGuard, tools: Iterable[Any]) -> list[Any]:
    """Return function tools with a guard before and after their own guardrails. Raises ImportError without the SDK."""
    from agents import ToolGuardrailFunctionOutput, ToolInputGuardrail, ToolOutputGuardrail

    open_calls: dict[str, Decision] = {}

    def before(data: Any) -> Any:
        decision = guard.before({"name": data.context.tool_name, "arguments": data.context.tool_arguments or "{}"})
        if not decision:
            return ToolGuardrailFunctionOutput.reject_content(decision.message, decision.to_json())
        open_calls[data.context.tool_call_id] = decision
        return ToolGuardrailFunctionOutput.allow()

    def after(data: Any) -> Any:
        decision = open_calls.pop(data.context.tool_call_id, None)
        if decision is not None:
            guard.after(decision, data.output)
        return ToolGuardrailFunctionOutput.allow()

    first = ToolInputGuardrail(guardrail_function=before, name="plan-validator")
    last = ToolOutputGuardrail(guardrail_function=after, name="plan-validator")
    return [
        replace(
            tool,
            tool_input_guardrails=[*(tool.tool_input_guardrails or ()), first],
            tool_output_guardrails=[last, *(tool.tool_output_guardrails or ())],
        )
        for tool in tools
    ]
