"""Tool calls as plans: would this list of JSON calls run with these tools?

Tools come as OpenAI functions, as MCP tools, or in the way of NESTFUL (Basu et al. 2024): a name, parameters and output
parameters. A call is ``{"name": ..., "arguments": {...}, "label": "var1"}``; an argument that is ``$var1.city`` (or
``$var1.city$``) stands for an output of the call that has the label, ``$var1`` for its only one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from validator.checking.check import check
from validator.checking.report import Quality, Report
from validator.errors import ModelError, did_you_mean
from validator.flow.model import (
    Flow,
    FlowOptions,
    Goal,
    GoalKind,
    ItemState,
    Map,
    MemoryItem,
    Slot,
)
from validator.flow.plans.checked import Checked
from validator.flow.plans.diffs import by_calls
from validator.flow.plans.shape import Expanded
from validator.flow.tools.calls import ToolCalls, read_calls
from validator.flow.tools.specifications import Tool, operators_from_tools, read_tools
from validator.reading.plan import Token
from validator.repair.diff import StepDiff
from validator.repair.edit import Policy

__all__ = ["check_tool_calls", "operators_from_tools"]


def check_tool_calls(
    tools: Iterable[Mapping[str, Any]],
    calls: Iterable[Mapping[str, Any]],
    *,
    goals: Iterable[str] = (),
    quality: Quality | str | None = None,
    repair: bool = True,
    time_limit: float = 30.0,
) -> Report:
    """Say whether calls of tools would run one after the other, and what is wrong with them.

    ``goals`` are tools that are to be called, or outputs (``TOOL.OUTPUT``) that are to be known; without goals the
    quality is SOUND, else VALID. Unknown tools and arguments, missing ones, and references to later calls or to outputs
    that a tool does not have are faults, each with its call. Raises ModelError for tools and calls that cannot be read.
    """
    known = {tool.name: tool for tool in read_tools(tools)}
    reading = ToolCalls(known, read_calls(calls))
    wanted = tuple(goals)
    flow = Flow(
        name="tool calls",
        operators=tuple(tool.operator for tool in known.values()),
        goals=((*(_goal(name, known) for name in wanted),),) if wanted else (),
        memory=tuple(MemoryItem(item=name, state=ItemState.KNOWN) for name in reading.literals),
        slots=tuple(Slot(item=each.item, desirability=0) for tool in known.values() for each in tool.operator.outputs),
        maps=tuple(Map(source=source, target=target) for source, target in dict.fromkeys(reading.maps)),
        options=FlowOptions(retries=False, multi_instance=False, map_types=False, lookahead=0),
    )
    expanded = Expanded(tuple(reading.tokens), tuple(reading.origins))
    checked = Checked(flow, expanded, compare_outputs=False, faults=reading.faults)
    report = check(
        checked.compiled.prepared,
        None,
        checked.plan,
        quality=quality or (Quality.VALID if wanted else Quality.SOUND),
        policy=Policy.KEEP,
        repair=repair,
        time_limit=time_limit,
    )

    def diffs(found: Iterable[StepDiff], repaired: Sequence[Token]) -> Iterator[StepDiff]:
        return by_calls(found, reading.written, expanded, repaired)

    return checked.report(report, reading.written, diffs, str)


def _goal(name: str, tools: Mapping[str, Tool]) -> Goal:
    if name in tools:
        return Goal(kind=GoalKind.OPERATOR, subject=name)
    outputs = [f"{tool.name}.{output}" for tool in tools.values() for output in tool.outputs]
    if name not in outputs:
        raise ModelError(f"goals: no tool is or yields '{name}'{did_you_mean(name, (*tools, *outputs))}")
    return Goal(kind=GoalKind.KNOWN, subject=name)
