"""A report as a tool tells it: fields and text, and in few words.

These are the verdict, the first faults, how many there are of each kind, and what changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from validator.checking.report import Report
from validator.execution.faults import sentences
from validator.repair.diff import unified

__all__ = ["CHECK", "short_feedback", "told"]

CHECK = (
    *("report_type", "determination", "reason", "proven", "failures", "unmet_goals", "cost", "repaired_plan"),
    *("repaired_cost", "plan_diff_str", "timeline", "is_understood", "question", "reading"),
)
"""the fields of a report that a check returns"""

_ENOUGH = 2000
"""characters of a report that is told whole"""
_FIRST = 5
_LONGEST = 300
_CONTEXT = 1


def short_feedback(report: Report) -> str:
    """Return ``Report.feedback`` where it is short; else its gist, with the diff in place of the repaired plan."""
    whole = report.feedback()
    if len(whole) <= _ENOUGH or not report.is_understood or report.no_plan is not None:
        return whole
    return "".join(f"{line}\n" for line in _gist(report))


def _gist(report: Report) -> Iterator[str]:
    yield report.feedback(with_repair=False).partition("\n")[0]
    lines = sentences(report.failures[:_FIRST], report.reference)
    yield from (line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in lines)
    rest = Counter(fault.kind.value for fault in report.failures[_FIRST:])
    if rest:
        kinds = ", ".join(f"{number} {kind.replace('_', ' ')}" for kind, number in rest.most_common())
        yield f"And {sum(rest.values())} more: {kinds}."
    if report.plan_diff_obj:
        yield f"The changes that make it {report.report_type.value}:" if report.proven else "Changes, not proven least:"
        yield unified(report.plan_diff_obj, _CONTEXT).rstrip("\n")


def told(report: Report, names: Sequence[str]) -> dict[str, Any]:
    """Return fields of a report, and the report in words, short for an agent and whole."""
    value = report.to_json()
    return {"feedback": short_feedback(report), "whole": report.feedback(), **{name: value[name] for name in names}}
