"""Requests about plans: to check, to read, to compare them, to find one, to ask why it is not another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from validator.checking.report import Quality
from validator.reading.plan import Dialect
from validator.repair.policy import Policy
from validator.service.operations.requests.request import (
    A_FLOW,
    EPSILON_SCHEMA,
    WORDS,
    FlowDocument,
    PlanText,
    Request,
    Words,
    check_epsilon,
    not_understood,
)

__all__ = ["Diff", "Metrics", "Plans", "Reading", "Record", "Redundancy", "UnderWay", "Validation", "WhyNot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation(Request):
    """A plan to be checked, of a PDDL model or of a flow."""

    domain: str | None = field(default=None, metadata={"description": "PDDL domain; with problem"})
    problem: str | None = field(default=None, metadata={"description": "PDDL problem; with domain"})
    flow: FlowDocument | None = field(default=None, metadata={"description": A_FLOW})
    plan: PlanText = field(metadata={"description": "the plan in any dialect, or a list of its steps"})
    quality: Quality = Quality.VALID
    policy: Policy | None = field(
        default=None, metadata={"description": "what 'nearest' means; default: edits, for flows move"}
    )
    repair: bool = field(default=True, metadata={"description": "look for the nearest plan that has the quality"})
    dialect: Dialect | None = field(
        default=None, metadata={"description": "how the plan is written; default: recognised"}
    )
    strict: bool = field(
        default=False,
        metadata={"description": "take the plan literally: what cannot be read is a fault of it (PDDL models)"},
    )
    explain: bool = field(default=False, metadata={"description": "say what each changed step is for (PDDL models)"})
    states: bool = field(
        default=False, metadata={"description": "add what each step changes, and the goals (PDDL models)"}
    )
    context: int | None = field(
        default=None, metadata={"description": "unchanged lines around a change of the diff; default: all", "ge": 0}
    )
    epsilon: float | str | None = field(
        default=None,
        metadata={
            "description": "how far apart acts that interfere must be in a plan over time (PDDL models): a number "
            "above 0, or its decimal text, which is taken exactly; default: 0.001",
            "json_schema_extra": EPSILON_SCHEMA,
        },
    )
    tolerance: float | str | None = field(
        default=None,
        metadata={
            "description": "in place of epsilon, what VAL's -t means: acts at most a tenth of it apart happen at once, "
            "durations may be off by all of it, and no repair of a plan over time is looked for (PDDL models)",
            "json_schema_extra": EPSILON_SCHEMA,
        },
    )
    trace: bool = field(
        default=False,
        metadata={"description": "add the timeline: what happens when, and the values over time (PDDL models)"},
    )
    templates: Words | None = field(default=None, metadata={"description": WORDS})

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)
        check_epsilon(self.tolerance, "tolerance")
        if self.epsilon is not None and self.tolerance is not None:
            detail = "epsilon and tolerance are two ways to say how far apart acts must be; give one of them"
            raise not_understood([{"pointer": "/tolerance", "detail": detail}])


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay(Request):
    """A plan of which some steps have happened, and what is known of the world since; or a stream of both."""

    domain: str | None = field(default=None, metadata={"description": "PDDL domain; with problem"})
    problem: str | None = field(default=None, metadata={"description": "PDDL problem; with domain"})
    flow: FlowDocument | None = field(default=None, metadata={"description": A_FLOW})
    plan: PlanText = field(metadata={"description": "the whole plan in any dialect, or a list of its steps"})
    executed: int = field(default=0, metadata={"description": "how many of its first lines have happened", "ge": 0})
    state: str | dict[str, Any] | None = field(
        default=None, metadata={"description": "what holds now, as facts; of a flow an object"}
    )
    state_complete: bool = field(default=False, metadata={"description": "the state is whole: nothing is added to it"})
    changes: str | None = field(
        default=None, metadata={"description": "what is not as planned, in place of a state: facts, (not FACT), values"}
    )
    events: tuple[str, ...] | None = field(
        default=None,
        metadata={
            "description": "in place of these: steps that were executed, 'now FACTS', 'state FACTS' or 'state-complete "
            "FACTS', each of which is answered with a verdict",
            "max_length": 1000,
        },
    )
    quality: Quality = Quality.VALID
    policy: Policy | None = field(
        default=None, metadata={"description": "what 'nearest' means; default: edits, for flows move"}
    )
    repair: bool = field(default=True, metadata={"description": "look for the nearest rest that has the quality"})
    strict: bool = field(default=False, metadata={"description": "take the plan literally (PDDL models)"})
    templates: Words | None = field(default=None, metadata={"description": WORDS})


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
