"""Calls of tools: whether they would run, and whether those that ran follow a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from validator.mcp.shapes import Adhered, CheckedCalls
from validator.mcp.told import told
from validator.mcp.tools.declared import tool_of
from validator.questions.adherence import Adherence, adhered
from validator.questions.job import Job
from validator.questions.tool_calls import ToolCalls, checked_calls

__all__ = ["check_adherence", "check_tool_calls"]


def _check(asked: ToolCalls, job: Job) -> Mapping[str, Any]:
    return told(checked_calls(asked, job), CheckedCalls)


def _adhere(asked: Adherence, job: Job) -> Mapping[str, Any]:
    from validator.adherence.text import adherence_text

    found, verdict = adhered(asked, job)
    lacking = f"{verdict.said}\n" if verdict.said else ""
    value = {**found.to_json(), "required": verdict.to_json()}
    return {"feedback": adherence_text(found) + lacking, "adherence": value}


check_tool_calls = tool_of(
    ToolCalls,
    _check,
    CheckedCalls,
    "Say whether a list of tool calls would run one after the other, before any of them is made.",
)
check_adherence = tool_of(
    Adherence,
    _adhere,
    Adhered,
    "Say how far the calls that an agent executed follow its plan; with a model, what each deviation did.",
)
