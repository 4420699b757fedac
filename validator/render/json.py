"""Reports as JSON: the fields of ``Report`` under their own names, in the same order, without ``up_plan``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from validator.execution.faults import sentences
from validator.reading.plan import Constraint, Step, TimedStep, Token, Unparsed
from validator.render.reading import reading_value

if TYPE_CHECKING:
    from validator.checking.report import Report

__all__ = ["plain", "report_json", "report_value", "stamped", "times"]


_IN_OTHER_WORDS = frozenset(("failures", "reading", "reference", "plan_diff_obj", "planner_response"))
"""fields that have more, or other, in JSON than their own values"""


def report_value(report: Report) -> dict[str, object]:
    """Return a report as plain values.

    Steps are PDDL texts, those of ``reference`` with the time and the duration that they have; costs and times are
    integers, or floats where they are none. A failure has its sentence as ``message`` besides, and an entry of
    ``plan_diff_obj`` the ``time`` and ``duration`` of its step where it has them. ``reading`` is as
    ``validator.render.reading.reading_value`` has it.
    """
    value: dict[str, object] = {
        name: None if name in _IN_OTHER_WORDS else plain(getattr(report, name))
        for name in report.__dataclass_fields__
        if name != "up_plan"
    }
    value["failures"] = [
        {**_fields(failure), "message": sentence}
        for failure, sentence in zip(report.failures, sentences(report.failures, report.reference), strict=True)
    ]
    value["reading"] = reading_value(report.reading)
    value["reference"] = list(map(stamped, report.reference))
    value["plan_diff_obj"] = [{**_fields(diff), **times(diff.step)} for diff in report.plan_diff_obj]
    response = report.planner_response
    value["planner_response"] = {
        **_fields(response),
        "no_solution": response.no_solution,
        "timeout": response.timeout,
    }
    return value


def stamped(token: Token) -> str:
    """Return a token as a text; a step with the time and the duration that it has."""
    if isinstance(token, Step) and (token.time is not None or token.duration is not None):
        return str(TimedStep.of(token))
    return str(token)


def times(token: Token) -> dict[str, object]:
    """Return the ``time`` and the ``duration`` of a step, those that it has."""
    if not isinstance(token, Step):
        return {}
    known = {"time": token.time, "duration": token.duration}
    return {name: plain(value) for name, value in known.items() if value is not None}


_AS_THEY_ARE = frozenset((str, int, float, bool))


def report_json(report: Report, indent: int | None = 2) -> str:
    """Return a report as a JSON text."""
    return json.dumps(report_value(report), indent=indent, ensure_ascii=False)


def _fields(value: Any) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in value.__dataclass_fields__:
        item = getattr(value, name)
        found[name] = item if item is None or type(item) in _AS_THEY_ARE else plain(item)
    return found


def plain(value: object) -> object:
    """Return a value of the package in what JSON has: steps as texts, fractions as numbers, others by their fields."""
    kind = type(value)
    if value is None or kind in _AS_THEY_ARE:
        return value
    if kind is Step:
        return str(value)
    if isinstance(value, tuple | list | frozenset):
        return [item if type(item) is str else plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    if isinstance(value, Step | Constraint | Unparsed):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return _fields(value)
