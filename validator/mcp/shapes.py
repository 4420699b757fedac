"""What the tools give: the shapes of the answers."""

from __future__ import annotations

from typing import Any, TypedDict

__all__ = [
    "Adhered",
    "Answered",
    "Check",
    "CheckedCalls",
    "Compared",
    "Followed",
    "Models",
    "Page",
    "Recognized",
    "RepairedDomain",
    "Shown",
    "Solution",
]


class Answer(TypedDict):
    """What every tool returns: ``feedback`` in words.

    The server adds ``more``, which is null where nothing was cut, or what was is too long to be kept, else a ``handle``
    and ``fields``: how many items or lines each field has that was cut.
    """

    feedback: str


class Page(TypedDict):
    """A part of what was cut; ``next`` is where the following one starts, null behind the last."""

    feedback: str
    field: str
    start: int
    next: int | None
    total: int


class Check(Answer):
    """The result of a check; ``determination`` is null when the answer is not known, and ``reason`` says why.

    Where ``is_understood`` is false, nothing is said of the plan: ``reading`` says which pieces were not understood,
    and ``question`` what would settle it.
    """

    report_type: str
    determination: bool | None
    reason: str
    proven: bool
    failures: list[dict[str, Any]]
    unmet_goals: list[dict[str, Any]]
    cost: float | None
    repaired_plan: list[str] | None
    repaired_cost: float | None
    plan_diff_str: str
    timeline: dict[str, Any] | None
    is_understood: bool
    question: str
    reading: dict[str, Any] | None


class CheckedCalls(Check):
    """The result of a check of tool calls: ``repaired_calls`` run, in the form in which the calls came.

    ``other_repairs`` are as near; ``repairs_found`` says how many such lists there are.
    """

    repaired_calls: list[Any] | dict[str, Any] | str | None
    other_repairs: list[Any]
    repairs_found: int


class Shown(Answer):
    """A text beside what was read of it: ``parts`` tile the text, ``candidates`` are the plans that it may mean.

    A text that is the trace of an agent has neither: ``traces`` has its calls and the plan that it states.
    """

    text: str
    completeness: str
    no_plan: str | None
    summary: str
    parts: list[dict[str, Any]]
    candidates: list[dict[str, Any]]
    chosen: int
    passed_over: list[str]
    warnings: list[str]
    traces: list[dict[str, Any]]


class RepairedDomain(Answer):
    """The likeliest of the smallest repairs of a domain, and the others; ``proven``: that no smaller one is there."""

    status: str
    reason: str
    proven: bool
    cost: float | None
    lower_bound: float
    edits: list[dict[str, str]]
    mends: list[str]
    words: list[str]
    reasons: list[str]
    domain_text: str
    domain_diff: str
    problem_diffs: list[str]
    alternatives: list[dict[str, Any]]
    compared: int
    complete: bool
    warnings: list[str]


class Solution(Answer):
    """The cheapest plan that was found; null without one. ``proven``: that it is cheapest, or that there is none."""

    status: str
    proven: bool
    lower_bound: float | None
    cost: float | None
    plan: list[str] | None


class Recognized(Answer):
    """The ranking of several goals, or the plan for the only one; ``over_time`` has one after each observation."""

    recognition: dict[str, Any] | None
    over_time: list[dict[str, Any]] | None
    completion: dict[str, Any] | None


class Answered(Answer):
    """The answer to questions about a plan."""

    answer: dict[str, Any]


class Followed(Answer):
    """The report on the rest of a plan; of a stream, in its place, a verdict on the whole plan and after each event."""

    report: dict[str, Any] | None
    events: list[dict[str, Any]] | None


class Compared(Answer):
    """Each plan, and the scores of each pair of them by the name of the metric."""

    plans: list[dict[str, Any]]
    pairs: list[dict[str, Any]]


class Adhered(Answer):
    """How far calls follow a plan: ``adherence`` has the score, and each step and call with a reason."""

    adherence: dict[str, Any]


class Models(Answer):
    """Bundled models, each with its name and what it is about; with the texts of the one that was asked for."""

    models: list[dict[str, Any]]
