"""The JSON schema of every output, version 1: derived from the types that are written, where they are written as such.

``python -m validator.service.operations.results`` writes ``docs/report.schema.json``, which the wheel has as
``validator/report.schema.json`` and ``plan-validator schema`` prints. Version 1 may gain fields; none is removed, and
none changes its meaning.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from validator.adherence.values import Effect, Execution, Outcome, RowKind
from validator.checking.report import Interval, Quality, Report
from validator.checking.solve import Solution
from validator.execution.timeline import Timeline
from validator.foils.answers import Answer, Cheapest, Reason, Side
from validator.grounding.limits import Status
from validator.metrics.compare import Comparison
from validator.nondeterminism.outcomes import Outcomes
from validator.reading.annotated import Taken
from validator.reading.plan import Completeness, NoPlan, Reading, Token
from validator.reading.traces.recording import Sureness
from validator.recognize.problem import Method, Standing, Verdict
from validator.render.json import SCHEMA
from validator.repair.diff import StepDiff
from validator.scaffold import Ending

__all__ = ["OUTPUTS", "Schema", "a_list", "an_object", "or_null", "published"]

FILE = Path(__file__).parents[3] / "docs" / "report.schema.json"
"""in a checkout"""

Schema: TypeAlias = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_WHOLE: Schema = {"type": "integer"}
_FLAG: Schema = {"type": "boolean"}
_PLAIN: Mapping[object, Schema] = {
    str: _TEXT,
    bool: _FLAG,
    int: _WHOLE,
    float: _NUMBER,
    Fraction: _NUMBER,
    NoneType: {"type": "null"},
}


def an_object(properties: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    return {"type": "object", "required": list(properties), "properties": {**properties, **(optional or {})}}


def a_list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _choice(kind: type[Enum]) -> Schema:
    return {"type": "string", "enum": [member.value for member in kind]}


# --- from types ----------------------------------------------------------------------------------

_HIDDEN = {
    **dict.fromkeys(("SequentialPlan", "TimeTriggeredPlan"), SimpleNamespace),
    "Timeline": Timeline,
    "Outcomes": Outcomes,
    "StepDiff": StepDiff,
}
"""what annotations name that their module does not import when it runs"""


def _schema_of(kind: Any, texts: tuple[type, ...] = ()) -> Schema:
    """Return the schema of what ``validator.render.json`` writes of a value of a type.

    With ``texts``, only these dataclasses are objects; values of all others are written as texts.
    """
    if kind == Token:
        return _TEXT
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind in (Reading, Any):
        return {}  # it has a shape of its own, or any
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        found = [_schema_of(one, texts) for one in inner]
        distinct = [one for place, one in enumerate(found) if one not in found[:place]]
        return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
    if origin is tuple:
        if inner[-1] is ...:
            return a_list(_schema_of(inner[0], texts))
        members = [_schema_of(one, texts) for one in inner]
        return {"type": "array", "prefixItems": members, "minItems": len(members), "maxItems": len(members)}
    if origin is not None:
        return {"type": "object", "additionalProperties": _schema_of(inner[1], texts)}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _choice(kind)
    assert isinstance(kind, type) and is_dataclass(kind), kind
    if texts and kind not in texts:
        return _TEXT
    return an_object({name: _schema_of(hint, texts) for name, hint in _hints(kind).items()})


def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind, localns=_HIDDEN)
    return {field.name: hints[field.name] for field in fields(kind) if field.name != "up_plan"}


def _some(kind: type, names: Sequence[str], **others: Schema) -> dict[str, Schema]:
    """Return the schemas of some fields of a type, and of what is written beside them."""
    hints = _hints(kind)
    return {**{name: _schema_of(hints[name]) for name in names}, **others}


# --- plans ---------------------------------------------------------------------------------------

_TEXTS = a_list(_TEXT)
_LINK = or_null(_WHOLE)


def _report() -> Schema:
    schema = _schema_of(Report)
    known = schema["properties"]
    known["failures"]["items"]["properties"]["message"] = {"type": "string", "description": "the fault in words"}
    response = known["planner_response"]["properties"]
    response["no_solution"] = response["timeout"] = _FLAG
    known["question"] = {"type": "string", "description": "what would settle an unknown answer"}
    known["feedback"] = {"type": "string", "description": "over HTTP: the result in words, for a language model"}
    step = {"step": _TEXT, "place": _WHOLE, "unread": _FLAG, "added": _TEXTS, "deleted": _TEXTS}
    goal = {"goal": _TEXT, "holds": _FLAG, "last_held": or_null(_WHOLE)}
    link = {"producer": _LINK, "condition": _TEXT, "consumer": _LINK}
    known |= {"init": _TEXTS, "states": a_list(an_object(step)), "goals": a_list(an_object(goal))}
    known["links"] = a_list(an_object(link))
    for steps in (known["plan_diff_obj"], known["states"]):
        steps["items"]["properties"] |= {"time": _NUMBER, "duration": _NUMBER}
    known["reading"] = or_null(_reading())
    schema["description"] = Report.__doc__
    return schema


def _reading() -> Schema:
    """Return the schema of how a text was understood, in a report."""
    missed = {"text": _TEXT, "reason": _TEXT, "line": _WHOLE, "column": _WHOLE, "nearest": or_null(_TEXT)}
    candidate = {"said": _TEXT, "steps": _TEXTS, "is_marked": _FLAG}
    return an_object(
        {**_understanding(), "missed": a_list(an_object(missed)), "candidates": a_list(an_object(candidate))}
    )


def _understanding() -> dict[str, Schema]:
    no_plan = {"enum": [*(kind.value for kind in NoPlan), None], "description": "what a text without a plan says"}
    return {"completeness": _choice(Completeness), "no_plan": no_plan, "passed_over": _TEXTS}


def _beside() -> Schema:
    """Return the schema of a text beside what was read of it."""
    span = {"type": "array", "items": _WHOLE, "minItems": 2, "maxItems": 2, "description": "in characters"}
    part = {
        "taken": _choice(Taken),
        **dict.fromkeys(("text", "reason"), _TEXT),
        "span": span,
        **dict.fromkeys(("line", "column"), _WHOLE),
        **dict.fromkeys(("step", "nearest", "pattern"), or_null(_TEXT)),
        "number": or_null(_WHOLE),
    }
    meant = {"said": _TEXT, "is_marked": _FLAG, "steps": _TEXTS, "lines": or_null(span), "missed": _WHOLE}
    return an_object(
        {
            **dict.fromkeys(("text", "summary"), _TEXT),
            **_understanding(),
            "parts": a_list(an_object(part)),
            "candidates": a_list(an_object(meant)),
            "chosen": _WHOLE,
            "warnings": _TEXTS,
        },
        {"traces": a_list(_trace())},
    )


def _answer() -> Schema:
    """Return the schema of an answer to why-not, in which constraints and steps are texts."""
    kinds = (Side, Reason, Interval)
    hints = _hints(Answer)
    written = {name: _schema_of(kind, kinds) for name, kind in hints.items() if name not in ("best", *_UNWRITTEN)}
    best = {name: _schema_of(kind, kinds) for name, kind in _hints(Cheapest).items() if name != "plan"}
    side = _schema_of(Side, kinds)["properties"]
    return an_object(
        {**written, "sentences": _TEXTS, "edits": _WHOLE, "best": or_null(an_object({**side, **best, "edits": _WHOLE}))}
    )


_UNWRITTEN = ("facts", "links", "has_own_foil")
"""fields of an answer that ``sentences`` tells"""


# --- agents --------------------------------------------------------------------------------------


def _trace() -> Schema:
    argument = {"name": or_null(_TEXT), "value": _TEXT, "is_text": or_null(_FLAG)}
    call = {
        "index": _WHOLE,
        **dict.fromkeys(("name", "kind"), _TEXT),
        "arguments": or_null(a_list(an_object(argument))),
        **{name: {} for name in ("error", "id", "batch")},
        "inside": or_null(_WHOLE),
    }
    return an_object(
        {
            **dict.fromkeys(("format", "no_plan"), _TEXT),
            "task": or_null(_TEXT),
            "sureness": _choice(Sureness),
            "explained": _NUMBER,
            "calls": a_list(an_object(call, {"result": {}})),
            "tools": {"type": "object", "additionalProperties": _TEXTS},
            "plan": or_null(an_object({"source": _TEXT, "steps": _TEXTS})),
            **dict.fromkeys(("not_understood", "warnings"), _TEXTS),
        }
    )


def _adherence() -> Schema:
    ratios = ("accomplished", "score", "coverage", "precision", "f1", "order", "arguments")
    row = {
        "kind": _choice(RowKind),
        **dict.fromkeys(("step", "call"), or_null(_WHOLE)),
        **dict.fromkeys(("planned", "executed"), or_null(_TEXT)),
        "weight": _NUMBER,
        "reason": _TEXT,
    }
    more = {"error": _TEXT, "changes_nothing": _TEXT, "effect": _choice(Effect), "proof": _TEXT}
    execution = {name: _schema_of(kind) for name, kind in _hints(Execution).items()}
    required = {"holds": or_null(_FLAG), "broken": _TEXTS, "open": _TEXTS}
    passed = {"call": _WHOLE, "text": _TEXT, "why": _TEXT}
    return an_object(
        {
            "applicable": _FLAG,
            "outcome": _choice(Outcome),
            **dict.fromkeys(ratios, or_null(_NUMBER)),
            **dict.fromkeys(("reason", "plan_source", "trace_format", "diff"), _TEXT),
            "task": or_null(_TEXT),
            "trace_sureness": _choice(Sureness),
            "plan": or_null(_TEXTS),
            "calls": _TEXTS,
            "rows": a_list(an_object(row, more)),
            "passed_over": a_list(an_object(passed)),
            "not_understood": an_object({"plan": _TEXTS, "trace": _TEXTS}),
            "warnings": _TEXTS,
        },
        {"execution": an_object(execution), "required": an_object(required), "feedback": _TEXT},
    )


def _conformance() -> Schema:
    fault = {"call": or_null(_WHOLE), "reason": _TEXT, "certain": _FLAG}
    rule = {"rule": _TEXT, "line": or_null(_WHOLE), "kept": or_null(_FLAG), "faults": a_list(an_object(fault))}
    edit = {"kind": _TEXT, **dict.fromkeys(("call", "before"), or_null(_WHOLE)), "step": _TEXT}
    repair = {"proven": _FLAG, "cost": or_null(_NUMBER), "reason": _TEXT, "edits": or_null(a_list(an_object(edit)))}
    return an_object(
        {
            "kept": or_null(_FLAG),
            "summary": _TEXT,
            "calls": _TEXTS,
            "rules": a_list(an_object(rule)),
            "trace_format": _TEXT,
            "trace_sureness": _choice(Sureness),
            "warnings": _TEXTS,
        },
        {"repair": an_object({**repair, "diff": _TEXT})},
    )


def _loop() -> Schema:
    return an_object(
        {
            "end": _choice(Ending),
            "rounds": _WHOLE,
            "quality": _choice(Quality),
            "determination": or_null(_FLAG),
            "plan": or_null(_TEXTS),
            "diff": _TEXT,
            "proven": _FLAG,
            "seconds": _NUMBER,
        }
    )


# --- recognition and models ----------------------------------------------------------------------

_UNMATCHABLE = a_list(an_object({"observation": _WHOLE, "reason": _TEXT}))


def _recognition() -> Schema:
    pair: Schema = or_null({"type": "array", "items": or_null(_NUMBER), "minItems": 2, "maxItems": 2})
    candidate = {
        "goal": _TEXT,
        "lines": {"type": "array"},
        "rank": _WHOLE,
        "standing": _choice(Standing),
        **dict.fromkeys(("prior", "probability"), or_null(_NUMBER)),
        **dict.fromkeys(("probability_bounds", "cost", "difference"), pair),
        "plan": or_null(_TEXTS),
    }
    return an_object(
        {
            "verdict": _choice(Verdict),
            "method": _choice(Method),
            "exact": _FLAG,
            **dict.fromkeys(("best", "ranking"), a_list(_WHOLE)),
            "reason": _TEXT,
            **dict.fromkeys(("observations", "warnings"), _TEXTS),
            "unmatchable": _UNMATCHABLE,
            "candidates": a_list(an_object(candidate)),
        }
    )


def _completion() -> Schema:
    return an_object(
        {
            "goal": _TEXT,
            "status": _choice(Status),
            "proven": _FLAG,
            "cost": or_null(_NUMBER),
            **dict.fromkeys(("explained", "unexplained"), _WHOLE),
            "plan": or_null(_TEXTS),
            **dict.fromkeys(("diff", "warnings"), _TEXTS),
            "unmatchable": _UNMATCHABLE,
        }
    )


def _domain_repair() -> Schema:
    texts = dict.fromkeys(("domain_text", "domain_diff"), _TEXT)
    lists = dict.fromkeys(("words", "reasons"), _TEXTS)
    edits = a_list(an_object(dict.fromkeys(("kind", "action", "literal"), _TEXT)))
    return an_object(
        {
            **dict.fromkeys(("status", "reason"), _TEXT),
            **dict.fromkeys(("proven", "complete"), _FLAG),
            "cost": or_null(_NUMBER),
            "lower_bound": _NUMBER,
            "edits": edits,
            **texts,
            **lists,
            **dict.fromkeys(("mends", "warnings"), _TEXTS),
            "alternatives": a_list(an_object({"edits": edits, **texts, **lists})),
            "compared": _WHOLE,
        },
        {"feedback": _TEXT},
    )


# --- grading -------------------------------------------------------------------------------------


def _record() -> Schema:
    """Return the schema of a line of a batch, or of a suite; a record that could not be checked has an ``error``."""
    more = {
        "line": _WHOLE,
        "report": {"type": "object", "description": "as $defs/report; of a suite, the determination and the reason"},
        "error": an_object({"kind": _TEXT, "message": _TEXT}),
        **dict.fromkeys(("domain", "problem", "no_plan"), _TEXT),
        "task": {"type": ["string", "integer"]},
        "expected": {"type": ["boolean", "string"]},
        "agrees": _FLAG,
        **dict.fromkeys(("cpu", "planner_cpu"), _NUMBER),
    }
    return an_object({"id": {}, "verdict": _TEXT, "tags": {"type": "object"}}, more)


_NAMES = ("executed", "determination", "repaired", "proven", "kept", "distance", "reason", "warnings", "unread", "text")

OUTPUTS: Mapping[str, Schema] = {
    "report": _report(),
    "reading": _beside(),
    "traces": an_object({"traces": a_list(_trace())}),
    "solution": _schema_of(Solution),
    "answer": _answer(),
    "comparison": _schema_of(Comparison),
    "adherence": _adherence(),
    "conformance": _conformance(),
    "repair_loop": _loop(),
    "recognition": _recognition(),
    "completion": _completion(),
    "domain_repair": _domain_repair(),
    "record": _record(),
}
"""output -> its schema, without the version that it states"""


def _document() -> Schema:
    """Return the schema of all outputs: each is as one of ``$defs`` says, and states the version."""
    from validator.grading.acpbench import grades as acpbench
    from validator.grading.planbench import grades as planbench

    graded = {"planbench_grade": _schema_of(planbench.Grade), "acpbench_grade": _schema_of(acpbench.Grade)}
    outputs = {**OUTPUTS, **graded}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Outputs of plan-validator, version {SCHEMA}",
        "type": "object",
        "required": ["schema"],
        "properties": {"schema": {"const": SCHEMA}},
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in outputs],
        "$defs": outputs,
    }


def published() -> str:
    """Return the schema as the text that is published: a line for each member, and for each output."""
    whole = _document()
    outputs = ",\n".join(f"  {json.dumps(name)}: {json.dumps(each)}" for name, each in whole.pop("$defs").items())
    lines = "".join(f" {json.dumps(name)}: {json.dumps(each)},\n" for name, each in whole.items())
    return f'{{\n{lines} "$defs": {{\n{outputs}\n }}\n}}\n'


if __name__ == "__main__":
    FILE.write_text(published(), encoding="utf-8")
