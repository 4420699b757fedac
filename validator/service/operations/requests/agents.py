"""Requests about what others did: observations of an agent, the trace of its calls, calls that it is about to make."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from validator.adherence.values import FailedCalls
from validator.recognize.problem import Method, Order, Posterior
from validator.service.operations.requests.request import A_FLOW, WORDS, FlowDocument, Request, Words

__all__ = ["Adherence", "Recognition", "ToolCalls"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition(Request):
    """Observations, and the goals that may be behind them; without goals, the model's own is completed to a plan."""

    domain: str | None = field(default=None, metadata={"description": "PDDL domain; with problem"})
    problem: str | None = field(
        default=None, metadata={"description": "PDDL problem; with domain; its goal may be <HYPOTHESIS>"}
    )
    flow: FlowDocument | None = field(default=None, metadata={"description": A_FLOW})
    observations: str | dict[str, Any] | list[Any] = field(
        metadata={
            "description": "one a line, such as (stack a b) or holds (on a b), of a flow hotel = find(city); of a flow "
            "also a trace of tool calls, as JSON or as its text"
        }
    )
    goals: str | list[Any] | None = field(
        default=None,
        metadata={"description": "candidate goals, one a line; of a flow a list of goals, as JSON or as its text"},
    )
    method: Method = Method.AUTO
    posterior: Posterior = Posterior.DIFFERENCE
    order: Order = Order.TOTAL
    beta: float = field(default=1.0, metadata={"description": "weight of a unit of cost", "gt": 0})
    discard_cost: float = field(default=2.0, metadata={"description": "price of an unexplained observation", "ge": 0})
    missing_cost: float = field(default=0.0, metadata={"description": "price of a step not observed", "ge": 0})
    threshold: float = field(
        default=0.0,
        metadata={"description": "of landmark scores: goals so near the best are the best", "ge": 0, "le": 1},
    )
    at_once: int = field(
        default=1, metadata={"description": "up to so many goals may be pursued together", "ge": 1, "le": 10}
    )
    cpu_limit: float = field(default=8.0, metadata={"description": "CPU seconds of all searches", "gt": 0, "le": 3600})
    search_limit: float | None = field(
        default=None, metadata={"description": "CPU seconds of each search; default: 0.1, then ever more", "gt": 0}
    )
    over_time: bool = field(default=False, metadata={"description": "answer after each observation as well"})
    templates: Words | None = field(default=None, metadata={"description": WORDS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Adherence(Request):
    """A trace of executed calls, and the plan that they were to follow."""

    trace: str | dict[str, Any] | list[Any] = field(metadata={"description": "JSON, or JSON a line as a text"})
    plan: str | list[Any] | None = field(
        default=None, metadata={"description": "default: the plan that the trace states"}
    )
    domain: str | None = field(default=None, metadata={"description": "PDDL domain: the calls are executed as well"})
    problem: str | None = field(default=None, metadata={"description": "PDDL problem; with domain"})
    failed_calls: FailedCalls = FailedCalls.FOLD
    require: tuple[str, ...] | None = field(
        default=None,
        metadata={
            "description": "what has to be so, of plan, followed, sound, goal, no-harm; default: followed, and with a "
            "model sound and goal as well"
        },
    )
    read_only: tuple[str, ...] | None = field(
        default=None,
        metadata={
            "description": "the tools that change nothing; default: as declared, by the model, or by their names"
        },
    )
    templates: Words | None = field(default=None, metadata={"description": WORDS})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalls(Request):
    """Tool calls that a language model made up, and the tools."""

    tools: list[dict[str, Any]] | dict[str, Any] = field(metadata={"description": "specifications, as published"})
    calls: list[dict[str, Any]] | dict[str, Any] | str = field(
        metadata={"description": "calls in any form: objects, a message, a graph, or a text such as '[f(x=1)]'"}
    )
    goals: tuple[str, ...] = field(
        default=(), metadata={"description": "tools to be called, or outputs TOOL.OUTPUT to be known"}
    )
    repair: bool = True
