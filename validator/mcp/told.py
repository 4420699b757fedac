"""A report in few words: the verdict, the first faults, how many there are of each kind, and what changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from validator.checking.report import Report
from validator.execution.faults import sentences
from validator.repair.diff import unified

__all__ = ["short_feedback"]

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
    told = sentences(report.failures[:_FIRST], report.reference)
    yield from (line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in told)
    rest = Counter(fault.kind.value for fault in report.failures[_FIRST:])
    if rest:
        kinds = ", ".join(f"{number} {kind.replace('_', ' ')}" for kind, number in rest.most_common())
        yield f"And {sum(rest.values())} more: {kinds}."
    if report.plan_diff_obj:
        yield f"The changes that make it {report.report_type.value}:" if report.proven else "Changes, not proven least:"
        yield unified(report.plan_diff_obj, _CONTEXT).rstrip("\n")
