"""The JSON schemas of what the operations return; that of a report is read off the values that are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from types import NoneType, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from validator.checking.report import Report
from validator.reading.beside import Taken
from validator.reading.plan import Completeness, NoPlan, Reading, Token

__all__ = ["PROBLEM", "RESULTS"]

Schema: TypeAlias = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_FLAG: Schema = {"type": "boolean"}
_PLAIN: Mapping[object, Schema] = {
    str: _TEXT,
    bool: _FLAG,
    int: {"type": "integer"},
    float: _NUMBER,
    Fraction: _NUMBER,
    NoneType: {"type": "null"},
}


def _schema_of(kind: Any) -> Schema:
    """Return the schema of what ``validator.render.json`` writes of a value of a type."""
    if kind == Token:
        return _TEXT
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind in (Reading, Any):
        return {}  # it has a shape of its own, or any
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return {"anyOf": [_schema_of(one) for one in inner]}
    if origin is tuple:
        return {"type": "array", "items": _schema_of(inner[0])}
    if origin is not None:
        return {"type": "object", "additionalProperties": _schema_of(inner[1])}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"type": "string", "enum": [member.value for member in kind]}
    assert isinstance(kind, type) and is_dataclass(kind), kind
    return _object({name: _schema_of(hint) for name, hint in _hints(kind).items()})


def _hints(kind: type) -> dict[str, Any]:
    from types import SimpleNamespace

    from validator.execution.timeline import Timeline
    from validator.repair.diff import StepDiff

    plans = dict.fromkeys(("SequentialPlan", "TimeTriggeredPlan"), SimpleNamespace)
    hidden = {**plans, "Timeline": Timeline, "StepDiff": StepDiff}
    hints = get_type_hints(kind, localns=hidden)
    return {field.name: hints[field.name] for field in fields(kind) if field.name != "up_plan"}


def _object(properties: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    return {"type": "object", "required": list(properties), "properties": {**properties, **(optional or {})}}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _report() -> Schema:
    schema = _schema_of(Report)
    failures = schema["properties"]["failures"]["items"]
    failures["properties"]["message"] = {"type": "string", "description": "the fault in words"}
    response = schema["properties"]["planner_response"]["properties"]
    response["no_solution"] = response["timeout"] = _FLAG
    schema["properties"]["question"] = {"type": "string", "description": "what would settle an unknown answer"}
    schema["properties"]["feedback"] = {"type": "string", "description": "the result in words, for a language model"}
    atoms = _list(_TEXT)
    step = {"step": _TEXT, "place": {"type": "integer"}, "unread": _FLAG, "added": atoms, "deleted": atoms}
    goal = {"goal": _TEXT, "holds": _FLAG, "last_held": _or_null({"type": "integer"})}
    whole = _or_null({"type": "integer"})
    link = {"producer": whole, "condition": _TEXT, "consumer": whole}
    schema["properties"] |= {"init": atoms, "states": _list(_object(step)), "goals": _list(_object(goal))}
    schema["properties"]["links"] = _list(_object(link))
    for steps in (schema["properties"]["plan_diff_obj"], schema["properties"]["states"]):
        steps["items"]["properties"] |= {"time": _NUMBER, "duration": _NUMBER}
    schema["properties"]["reading"] = _or_null(_reading())
    schema["description"] = Report.__doc__
    return schema


_WHOLE: Schema = {"type": "integer"}


def _reading() -> Schema:
    """Return the schema of how a text was understood, in a report."""
    missed = {"text": _TEXT, "reason": _TEXT, "line": _WHOLE, "column": _WHOLE, "nearest": _or_null(_TEXT)}
    return _object(
        {
            **_understanding(),
            "missed": _list(_object(missed)),
            "candidates": _list(_object({"said": _TEXT, "steps": _list(_TEXT), "is_marked": _FLAG})),
        }
    )


def _understanding() -> dict[str, Schema]:
    no_plan = {"enum": [*(kind.value for kind in NoPlan), None], "description": "what a text without a plan says"}
    return {
        "completeness": {"type": "string", "enum": [kind.value for kind in Completeness]},
        "no_plan": no_plan,
        "passed_over": _list(_TEXT),
    }


def _beside() -> Schema:
    """Return the schema of a text beside what was read of it."""
    span = {"type": "array", "items": _WHOLE, "minItems": 2, "maxItems": 2, "description": "in characters"}
    part = {
        "taken": {"type": "string", "enum": [kind.value for kind in Taken]},
        "text": _TEXT,
        "span": span,
        "line": _WHOLE,
        "column": _WHOLE,
        "step": _or_null(_TEXT),
        "number": _or_null(_WHOLE),
        "reason": _TEXT,
        "nearest": _or_null(_TEXT),
        "pattern": _or_null(_TEXT),
    }
    meant = {"said": _TEXT, "is_marked": _FLAG, "steps": _list(_TEXT), "lines": _or_null(span), "missed": _WHOLE}
    return _object(
        {
            "text": _TEXT,
            "summary": _TEXT,
            **_understanding(),
            "parts": _list(_object(part)),
            "candidates": _list(_object(meant)),
            "chosen": _WHOLE,
            "warnings": _list(_TEXT),
        },
        {"traces": _list({"type": "object"})},
    )


_OBJECT: Schema = {"type": "object"}
_PLAN = _object({"cost": _NUMBER, "steps": _list(_TEXT)})

RESULTS: Mapping[str, Schema] = {
    "validations": _report(),
    "tool-calls": _report(),
    "readings": _beside(),
    "diffs": _object({"plan": _list(_TEXT), "diff": _TEXT}),
    "plans": _object(
        {
            **dict.fromkeys(("status", "reason"), _TEXT),
            "proven": _FLAG,
            "lower_bound": _or_null(_NUMBER),
            "plans": _list(_PLAN),
        }
    ),
    "recognitions": _object(
        {
            "feedback": _TEXT,
            **dict.fromkeys(("recognition", "completion"), _or_null(_OBJECT)),
            "over_time": _or_null(_list(_OBJECT)),
        }
    ),
    "under-way": _object({"feedback": _TEXT, "report": _or_null(_report()), "events": _or_null(_list(_OBJECT))}),
    "adherence": _OBJECT,
    "metrics-of-plans": _object({"plans": _list(_OBJECT), "pairs": _list(_OBJECT)}),
    "redundancies": _object({"steps": _list({"type": "integer"}), "proven": _FLAG, "reason": _TEXT}),
    "model-repairs": _object(
        {
            **dict.fromkeys(("feedback", "status", "reason", "domain_text", "domain_diff"), _TEXT),
            **dict.fromkeys(("proven", "complete"), _FLAG),
            **dict.fromkeys(("mends", "words", "reasons", "warnings", "problem_diffs"), _list(_TEXT)),
            **dict.fromkeys(("edits", "alternatives"), _list(_OBJECT)),
            "cost": _or_null(_NUMBER),
            "lower_bound": _NUMBER,
            "compared": {"type": "integer"},
        }
    ),
    "why-not": _object({"feedback": _TEXT, "answer": _OBJECT}),
    "solve": _object({"status": _TEXT, "result": _OBJECT}),
    "validate": _object({"status": _TEXT, "result": _OBJECT, "validation": _OBJECT}),
    "parse": _list(_object({"location": _TEXT, "message": _TEXT, "position": _OBJECT, "severity": _TEXT})),
}

PROBLEM = _object(
    {"type": _TEXT, "title": _TEXT, "status": {"type": "integer"}},
    {
        "detail": _TEXT,
        "source": _TEXT,
        "line": {"type": "integer"},
        "column": {"type": "integer"},
        "excerpt": _TEXT,
        "errors": _list(_object({"pointer": _TEXT, "detail": _TEXT})),
    },
)
