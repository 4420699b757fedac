"""Reports as JSON: the fields of ``Report`` under their own names, in the same order, without ``up_plan``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction

from validator.plan import Constraint, Step, Unparsed
from validator.report import Report, sentences

__all__ = ["report_json", "report_value"]


def report_value(report: Report) -> dict[str, object]:
    """Return a report as plain values.

    Steps are PDDL texts; costs are integers, or floats where they are none; a failure has its sentence as
    ``message`` besides.
    """
    value = {field.name: _plain(getattr(report, field.name)) for field in fields(report) if field.name != "up_plan"}
    value["failures"] = [
        {**_fields(failure), "message": sentence}
        for failure, sentence in zip(report.failures, sentences(report.failures, report.reference), strict=True)
    ]
    response = report.planner_response
    value["planner_response"] = {
        **_fields(response),
        "no_solution": response.no_solution,
        "timeout": response.timeout,
    }
    return value


def report_json(report: Report, indent: int | None = 2) -> str:
    """Return a report as a JSON text."""
    return json.dumps(report_value(report), indent=indent, ensure_ascii=False)


def _fields(value: object) -> dict[str, object]:
    assert is_dataclass(value)
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    if isinstance(value, Step | Constraint | Unparsed):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [_plain(item) for item in value]
    return _fields(value)
