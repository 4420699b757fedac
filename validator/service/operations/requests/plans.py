"""Requests about plans: to read, to compare them, to find one, to ask why it is not another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from validator.reading.plan import Dialect
from validator.service.operations.requests.request import A_FLOW, WORDS, FlowDocument, PlanText, Request, Words

__all__ = ["Diff", "Metrics", "Plans", "Reading", "Record", "Redundancy", "WhyNot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Request):
    """A text in which a plan is said, to be shown beside what is read of it; without a model, by form alone.

    Without a model it may be the trace of an agent, whose calls are shown.
    """

    text: str
    domain: str | None = field(default=None, metadata={"description": "PDDL domain; with problem"})
    problem: str | None = field(default=None, metadata={"description": "PDDL problem; with domain"})
    dialect: Dialect | None = field(
        default=None, metadata={"description": "how the plan is written; default: recognised"}
    )
    strict: bool = field(default=False, metadata={"description": "take the text literally"})
    templates: Words | None = field(default=None, metadata={"description": WORDS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff(Request):
    """A diff to be applied to a plan, or a second plan to be compared with line by line; one of the two."""

    plan: str
    diff: str | None = field(
        default=None, metadata={"description": "a git-style diff, as a check returns it, to be applied to the plan"}
    )
    other: str | None = field(
        default=None, metadata={"description": "another plan: its diff from the first is returned"}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plans(Request):
    """A PDDL model or a flow of which the cheapest plan is looked for."""

    domain: str | None = field(default=None, metadata={"description": "PDDL domain; with problem"})
    problem: str | None = field(default=None, metadata={"description": "PDDL problem; with domain"})
    flow: FlowDocument | None = field(default=None, metadata={"description": A_FLOW})
    prefix: str = field(default="", metadata={"description": "steps of a flow that have happened"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Redundancy(Request):
    """A valid plan of which steps may be superfluous."""

    domain: str
    problem: str
    plan: PlanText
    templates: Words | None = field(default=None, metadata={"description": WORDS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics(Request):
    """Two or more plans to be compared."""

    plans: tuple[str, ...]
    domain: str | None = field(
        default=None, metadata={"description": "PDDL domain: what the plans do is compared as well"}
    )
    problem: str | None = field(default=None, metadata={"description": "PDDL problem; with domain"})
    metrics: tuple[str, ...] | None = field(default=None, metadata={"description": "default: all that can be computed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot(Request):
    """Questions about a plan of a PDDL model or of a flow: why not another one, and what if."""

    domain: str | None = field(default=None, metadata={"description": "PDDL domain; with problem"})
    problem: str | None = field(default=None, metadata={"description": "PDDL problem; with domain"})
    flow: FlowDocument | None = field(default=None, metadata={"description": A_FLOW})
    plan: PlanText | None = field(
        default=None, metadata={"description": "the plan that is asked about; default: a cheapest one"}
    )
    foil: PlanText | None = field(default=None, metadata={"description": "the user's own plan, if any"})
    questions: tuple[str | dict[str, Any], ...] = field(
        default=(),
        metadata={
            "description": "questions in words, PDDL 3 or JSON, such as 'never (at truck1 _)' or 'within cost 30'",
            "max_length": 100,
        },
    )
    dialogue: dict[str, Any] | None = field(
        default=None, metadata={"description": "the dialogue of the answer before, whose questions still hold"}
    )
    drop: tuple[int, ...] = field(
        default=(), metadata={"description": "numbers of questions of the dialogue that no longer hold, from 1"}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Request):
    """A record of a batch: a line of JSON with ``domain``, ``problem`` and ``plan`` as texts."""

    line: str
    number: int
