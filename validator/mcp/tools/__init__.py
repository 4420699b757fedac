"""What an agent can ask: each tool is one function from texts to plain values.

Texts of a client are texts, never paths. ``feedback`` is the answer in words for a language model; the other values are
those of the library. Each function raises as the function of the library that it calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from validator.mcp.tools.calls import check_adherence, check_tool_calls
from validator.mcp.tools.models import list_models, repair_domain
from validator.mcp.tools.plans import check_flow, check_plan, compare_plans, follow_plan, read, repair_plan, solve
from validator.mcp.tools.questions import recognize_goal, why_not

__all__ = ["TOOLS"]

TOOLS: Mapping[str, Callable[..., Mapping[str, Any]]] = {
    "check_plan": check_plan,
    "repair_plan": repair_plan,
    "repair_domain": repair_domain,
    "read": read,
    "solve": solve,
    "recognize_goal": recognize_goal,
    "why_not": why_not,
    "follow_plan": follow_plan,
    "compare_plans": compare_plans,
    "check_flow": check_flow,
    "check_tool_calls": check_tool_calls,
    "check_adherence": check_adherence,
    "list_models": list_models,
}
"""Every tool by its name; the first argument is what the call may take."""
