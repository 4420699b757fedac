"""Flows and calls of tools: whether they would run, and whether those that ran follow a plan."""

from __future__ import annotations

from typing import Annotated, Any

from validator.mcp.shapes import Adhered, CheckedCalls, Seconds, SomeDomain, SomeProblem, Words
from validator.mcp.told import told
from validator.questions.given import some_model
from validator.questions.job import Bounds, plan_text

__all__ = ["check_adherence", "check_tool_calls"]


def check_tool_calls(
    bounds: Bounds,
    tools: Annotated[list[dict[str, Any]] | dict[str, Any], "tool specifications, as any provider writes them"],
    calls: Annotated[
        list[dict[str, Any]] | dict[str, Any] | str,
        'calls in any form, e.g. {"name", "arguments", "label"}; "$label.output$" is an earlier result',
    ],
    goals: Annotated[list[str] | None, "tools to be called, or outputs TOOL.OUTPUT to be known at the end"] = None,
    repair: Annotated[bool, "return the nearest list of calls that would run, in the form of the calls"] = True,
    time_limit: Seconds = None,
) -> CheckedCalls:
    """Say whether a list of tool calls would run one after the other, before any of them is made."""
    from validator.flow.tools.check import check_tool_calls as check

    report = check(tools, calls, goals=goals or (), repair=repair, time_limit=bounds.seconds(time_limit))
    return told(report, CheckedCalls)  # type: ignore[return-value]


def check_adherence(
    bounds: Bounds,
    trace: Annotated[
        str | list[Any] | dict[str, Any],
        "executed calls as JSON, or as a text of JSON, or JSON a line: messages, spans, or records of calls",
    ],
    plan: Annotated[
        str | list[Any], "the plan, a step a line or a list of steps; default: the one that the trace states"
    ] = "",
    domain: SomeDomain = None,
    problem: SomeProblem = None,
    templates: Words = None,
    require: Annotated[
        list[str] | None,
        "what has to be so, of plan, followed, sound, goal, no-harm; default: followed, with a model sound and goal",
    ] = None,
    time_limit: Seconds = None,
) -> Adhered:
    """Say how far the calls that an agent executed follow its plan; with a model, what each deviation did."""
    from validator.adherence import adhere, read_trace
    from validator.adherence.requirements import met, required
    from validator.adherence.text import adherence_text
    from validator.reading.traces.read import trace_value

    recording = read_trace(trace_value(plan_text(trace), "<trace>") if isinstance(trace, str) else trace)  # type: ignore[arg-type]
    stated = f"{plan_text(plan)}\n" if plan else None  # with a line end, no text is taken for a path
    model = some_model(domain, problem, templates)
    needed = required(require, with_model=model is not None)
    found = adhere(stated, recording, model=model, time_limit=bounds.seconds(time_limit))
    verdict = met(found, needed)
    lacking = f"{verdict.said}\n" if verdict.said else ""
    value = {**found.to_json(), "required": verdict.to_json()}
    return {"feedback": adherence_text(found) + lacking, "adherence": value}
