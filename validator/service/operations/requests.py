"""What can be asked, as values: the bodies of the requests, their defaults and their descriptions.

pydantic reads them from JSON strictly: a field that is not there, or of another type, is an error with its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from math import isfinite
from typing import Any, ClassVar, TypeAlias

from validator.adherence.values import FailedCalls
from validator.checking.report import Quality
from validator.errors import did_you_mean
from validator.reading.plan import Dialect
from validator.recognize.problem import SUBSTANTIAL, Method, Order, Posterior
from validator.repair.policy import Policy
from validator.service.given import ABOVE_ZERO, MOST_DIGITS, epsilon_of
from validator.service.problems import Problem, ProblemError

__all__ = [
    "Adherence",
    "Diff",
    "Metrics",
    "ModelRepair",
    "Pddl",
    "PddlPlan",
    "PddlTexts",
    "Plans",
    "PlansOfProblem",
    "Reading",
    "Recognition",
    "Record",
    "Redundancy",
    "Request",
    "ToolCalls",
    "UnderWay",
    "Validation",
    "WhyNot",
    "read_request",
    "reader",
]

_STRICT = {"extra": "forbid", "strict": True, "allow_inf_nan": False}
PlanText: TypeAlias = str | tuple[str, ...]
FlowDocument: TypeAlias = dict[str, Any] | str
Words: TypeAlias = dict[str, Any] | str

_EPSILON_SCHEMA: Mapping[str, Any] = {
    "anyOf": [
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "string", "pattern": ABOVE_ZERO, "maxLength": MOST_DIGITS},
        {"type": "null"},
    ]
}
_WORDS = "how the plan says the model in words: an object, or a text of YAML, as 'plan-validator templates' writes it"
_A_FLOW = "a flow, in place of domain and problem: an object, or a text of JSON or YAML"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What every request may say."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT

    time_limit: float | None = field(
        default=None, metadata={"description": "seconds for this request, not above the service's limit", "gt": 0}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation(Request):
    """A plan to be checked, of a PDDL model or of a flow."""

    domain: str | None = field(default=None, metadata={"description": "PDDL domain; with problem"})
    problem: str | None = field(default=None, metadata={"description": "PDDL problem; with domain"})
    flow: FlowDocument | None = field(default=None, metadata={"description": _A_FLOW})
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
            "json_schema_extra": _EPSILON_SCHEMA,
        },
    )
    tolerance: float | str | None = field(
        default=None,
        metadata={
            "description": "in place of epsilon, what VAL's -t means: acts at most a tenth of it apart happen at once, "
            "durations may be off by all of it, and no repair of a plan over time is looked for (PDDL models)",
            "json_schema_extra": _EPSILON_SCHEMA,
        },
    )
    trace: bool = field(
        default=False,
        metadata={"description": "add the timeline: what happens when, and the values over time (PDDL models)"},
    )
    templates: Words | None = field(default=None, metadata={"description": _WORDS})

    def __post_init__(self) -> None:
        _check_epsilon(self.epsilon)
        _check_epsilon(self.tolerance, "tolerance")
        if self.epsilon is not None and self.tolerance is not None:
            detail = "epsilon and tolerance are two ways to say how far apart acts must be; give one of them"
            raise _not_understood([{"pointer": "/tolerance", "detail": detail}])


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay(Request):
    """A plan of which some steps have happened, and what is known of the world since; or a stream of both."""

    domain: str | None = field(default=None, metadata={"description": "PDDL domain; with problem"})
    problem: str | None = field(default=None, metadata={"description": "PDDL problem; with domain"})
    flow: FlowDocument | None = field(default=None, metadata={"description": _A_FLOW})
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
    templates: Words | None = field(default=None, metadata={"description": _WORDS})


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
    templates: Words | None = field(default=None, metadata={"description": _WORDS})


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
    """A PDDL model or a flow of which the cheapest plan is looked for; flows can have several."""

    domain: str | None = field(default=None, metadata={"description": "PDDL domain; with problem"})
    problem: str | None = field(default=None, metadata={"description": "PDDL problem; with domain"})
    flow: FlowDocument | None = field(default=None, metadata={"description": _A_FLOW})
    plans: int = field(default=1, metadata={"description": "at most so many plans of a flow", "ge": 1, "le": 100})
    dearer: bool = field(
        default=False, metadata={"description": "plans of a flow that cost more than the cheapest too"}
    )
    prefix: str = field(default="", metadata={"description": "steps of a flow that have happened"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition(Request):
    """Observations, and the goals that may be behind them; without goals, the model's own is completed to a plan."""

    domain: str | None = field(default=None, metadata={"description": "PDDL domain; with problem"})
    problem: str | None = field(
        default=None, metadata={"description": "PDDL problem; with domain; its goal may be <HYPOTHESIS>"}
    )
    flow: FlowDocument | None = field(default=None, metadata={"description": _A_FLOW})
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
    tie_ratio: float | None = field(
        default=SUBSTANTIAL,
        metadata={
            "description": "equally probable goals come behind where what was seen is so many times less likely; "
            "null: all are best",
            "ge": 1,
        },
    )
    at_once: int = field(
        default=1, metadata={"description": "up to so many goals may be pursued together", "ge": 1, "le": 10}
    )
    cpu_limit: float = field(default=8.0, metadata={"description": "CPU seconds of all searches", "gt": 0, "le": 3600})
    search_limit: float | None = field(
        default=None, metadata={"description": "CPU seconds of each search; default: 0.1, then ever more", "gt": 0}
    )
    over_time: bool = field(default=False, metadata={"description": "answer after each observation as well"})
    templates: Words | None = field(default=None, metadata={"description": _WORDS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Adherence(Request):
    """A trace of executed calls, and the plan that they were to follow."""

    trace: str | dict[str, Any] | list[Any] = field(metadata={"description": "JSON, or JSON a line as a text"})
    plan: str | list[Any] | None = field(
        default=None, metadata={"description": "default: the plan that the trace states"}
    )
    domain: str | None = field(default=None, metadata={"description": "PDDL domain: the calls are executed as well"})
    problem: str | None = field(default=None, metadata={"description": "PDDL problem; with domain"})
    flow: FlowDocument | None = field(default=None, metadata={"description": _A_FLOW})
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
    templates: Words | None = field(default=None, metadata={"description": _WORDS})


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
class Redundancy(Request):
    """A valid plan of which steps may be superfluous."""

    domain: str
    problem: str
    plan: PlanText
    templates: Words | None = field(default=None, metadata={"description": _WORDS})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlansOfProblem:
    """Plans of a problem: which must be valid, and which must not be."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT

    problem: str
    plans: tuple[str, ...] = ()
    must_fail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRepair(Request):
    """A domain to be repaired, so that plans are valid and others are not."""

    domain: str
    problem: str
    plans: tuple[str, ...] = field(default=(), metadata={"description": "plans that must be valid"})
    must_fail: tuple[str, ...] = field(default=(), metadata={"description": "plans that must not be valid"})
    cases: tuple[PlansOfProblem, ...] = field(default=(), metadata={"description": "further problems with their plans"})
    protect: tuple[str, ...] = field(
        default=(), metadata={"description": "actions and predicates that stay as they are"}
    )
    costs: dict[str, float] | None = field(
        default=None, metadata={"description": "cost by kind of edit, such as 'remove precondition'; default: 1"}
    )
    facts: bool = field(default=False, metadata={"description": "initial facts of the problems may be edited too"})
    alternatives: int = field(
        default=5, metadata={"description": "how many other repairs of the same cost are told", "ge": 0, "le": 199}
    )
    joint: bool = field(default=False, metadata={"description": "edit the plans too, and say which is wrong"})
    weights: tuple[float, float] = field(
        default=(1.0, 1.0),
        metadata={"description": "with joint: what an edit of the domain and a changed line of a plan weigh"},
    )


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Request):
    """A record of a batch: a line of JSON with ``domain``, ``problem`` and ``plan`` as texts."""

    line: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pddl(Request):
    """A PDDL model, in the shape of planning.domains."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "ignore", "strict": True}

    domain: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PddlPlan(Pddl):
    """A PDDL model and a plan, in the shape of planning.domains and VS Code."""

    plan: str
    epsilon: float | str | None = field(
        default=None,
        metadata={
            "description": "how far apart acts that interfere must be; VS Code sends it as a header",
            "json_schema_extra": _EPSILON_SCHEMA,
        },
    )

    def __post_init__(self) -> None:
        _check_epsilon(self.epsilon)


@dataclass(frozen=True, slots=True, kw_only=True)
class PddlTexts(Request):
    """A PDDL domain and problems of it, in the shape of VS Code's parser service."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "ignore", "strict": True}

    domain: str
    problems: tuple[str, ...] = ()


def _check_epsilon(given: float | str | None, name: str = "epsilon") -> None:
    try:
        epsilon_of(given, name)
    except ValueError as error:
        raise _not_understood([{"pointer": f"/{name}", "detail": str(error)}]) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot(Request):
    """Questions about a plan of a PDDL model or of a flow: why not another one, and what if."""

    domain: str | None = field(default=None, metadata={"description": "PDDL domain; with problem"})
    problem: str | None = field(default=None, metadata={"description": "PDDL problem; with domain"})
    flow: FlowDocument | None = field(default=None, metadata={"description": _A_FLOW})
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


def read_request(kind: type[Request], text: str | bytes) -> Any:
    """Return a request from a JSON text. Raises ProblemError (status 400 or 422) that says what is wrong and where."""
    from pydantic import ValidationError

    try:
        request = reader(kind).validate_json(text)
        if any(isinstance(getattr(request, name), dict | list | tuple) for name in kind.__slots__):
            _check_numbers(text)  # the types of the other fields see to it
        return request
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
    if found[0]["type"] == "json_invalid":
        message = str(found[0]["msg"]).removeprefix("Invalid JSON: ")
        place = {name: int(number) for name, number in _PLACE.findall(message)}
        raise ProblemError(Problem(kind="json", status=400, title="The body is not JSON", detail=message, more=place))
    faults = [{"pointer": _pointer(kind, one["loc"]), "detail": _fault(kind, one)} for one in found[:_MOST_FAULTS]]
    raise _not_understood(faults)


_MAYBE_NO_NUMBER = re.compile(rb"NaN|Infinity|\d[eE]\+?\d{3}|\d{309}")


def _check_numbers(text: str | bytes) -> None:
    """Raise ProblemError for a number that is none, or too large for one: it would be lost where it is passed on."""
    if _MAYBE_NO_NUMBER.search(text if isinstance(text, bytes) else text.encode("utf-8", "replace")) is None:
        return
    try:
        json.loads(text, parse_constant=_number, parse_float=_number)
    except OverflowError as error:
        problem = Problem(kind="json", status=400, title="The body is not JSON", detail=str(error))
        raise ProblemError(problem) from None


def _number(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise OverflowError(f"{text[:40]} is no number of JSON, or too large a one")
    return number


def _not_understood(faults: Sequence[Mapping[str, str]]) -> ProblemError:
    """Return the problem of a request with faults: each has the ``pointer`` of its field, and a ``detail``."""
    said = "; ".join(f"{fault['pointer'] or 'the body'}: {fault['detail']}" for fault in faults[:3])
    return ProblemError(
        Problem(kind="request", status=422, title="The request is not understood", detail=said, more={"errors": faults})
    )


_PLACE = re.compile(r"(line|column) (\d+)")
_MOST_FAULTS = 20


def _pointer(kind: type[Request], place: Sequence[str | int]) -> str:
    """Return a JSON pointer (RFC 6901); the alternatives of a type are no part of it."""
    known = {name.name for name in fields(kind)}
    parts = [part for number, part in enumerate(place) if number == 0 or isinstance(part, int) or part in known]
    return "".join(f"/{str(part)[:100].replace('~', '~0').replace('/', '~1')}" for part in parts)


def _fault(kind: type[Request], fault: Mapping[str, Any]) -> str:
    if fault["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        return f"no such field{did_you_mean(str(fault['loc'][0]), [field.name for field in fields(kind)])}"
    return str(fault["msg"])


def reader(kind: type[Request]) -> Any:
    """Return the pydantic adapter of a request: ``validate_json``, ``dump_json``, ``json_schema``."""
    known: Any = kind
    return _reader(known)


@cache
def _reader(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
