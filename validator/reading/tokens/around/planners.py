"""What planners print: where in it the plan stands, and whether it says that there is none.

A planner that goes on looking prints one plan after another; the last one is its answer.
"""

from __future__ import annotations

import re

from validator.reading.plan import Span
from validator.records import dataclass

__all__ = ["Printed", "printed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """The output of a planner: who printed it, where its last plan stands, and how many there are."""

    planner: str
    span: Span
    plans: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Format:
    planner: str
    begins: re.Pattern[str]
    """right before the first step"""
    ends: re.Pattern[str]
    """right behind the last step"""


def _format(planner: str, begins: str, ends: str) -> _Format:
    flags = re.MULTILINE
    return _Format(planner=planner, begins=re.compile(begins, flags), ends=re.compile(ends, flags))


_FORMATS = (
    _format(
        "LPG",
        r"^(?:Last plan|Plan) computed:[^\n]*\n(?:\s*Time: \(ACTION\)[^\n]*\n)?",
        r"^\s*(?:METRIC_VALUE|Solution number|Total time)",
    ),
    _format("FF", r"^ff: found legal plan as follows[^\n]*\n", r"^\s*(?:time spent|total (?:cost|time)|plan cost)"),
    _format(
        "ENHSP",  # which has no line before the plan of a problem of PDDL+
        r"^(?:Found Plan:|Problem Solved(?=[ \t\r]*\n[ \t]*[\d(]))[^\n]*\n",
        r"^\s*(?:Plan-Length|Duration|Metric|Planning Time)",
    ),
    _format(
        "Fast Downward",  # whose driver ends with "Solution found."
        r"^(?:\[t=[^\]\n]*\] )?Solution found(?!\.[ \t]*$)[^\n]*\n(?:(?:\[t=[^\]\n]*\] )?Actual search time[^\n]*\n)?",
        r"^(?:\[t=[^\]\n]*\] )?Plan length:",
    ),
    _format(
        "POPF", r"^(?:[^\n;(]*\(\d[^\n;]*)?;;;; Solution Found[^\n]*\n", r"^\s*(?:;;;;|\* All goal deadlines|Cost:)"
    ),
    _format(
        "POPF",  # OPTIC goes on looking behind each plan: "b (9.000 | 4.004)" for a better value, "(G)" for a goal
        r"^; Plan found with metric[^\n]*\n",
        r"^\s*(?:;(?!.*\()\s*(?:Plan found|All goal|Error)"
        r"|\* All goal deadlines|b \(\d|\(G\)|Resorting to|Running WA\*)",
    ),
    _format(
        "TFD",  # which prints each plan once more where it moves its steps
        r"^(?:Found new plan|Rescheduled Plan|new Plan):[^\n]*\n",
        r"^\s*(?:Rescheduled Plan|new Plan|Solution with|Plan length|Makespan|Evaluated)",
    ),
    _format("PANDA", r"^SOLUTION SEQUENCE[^\n]*\n", r"^(?!\s*\d+:)"),
    _format("LAPKT", r"^Plan found with cost: [^\n]*\n(?=\s*1\. \()", r"^(?!\s*\d+\. \()"),
    _format("PlanSys2", r"^>[ \t]+get plan[ \t\r]*\nplan:[ \t\r]*\n", r"^(?![ \t]*[\d(])"),
    _format("PlanSys2", r"\bExecuting Plan with \d+ actions[ \t\r]*\n", r"^(?![ \t]*\()"),
    _format("Madagascar", r"^PLAN FOUND:[^\n]*\n", r"^\s*(?:\d+ actions in the plan|total time)"),
)
_HINT = re.compile(
    r"[Pp]lan computed|found legal plan|Found Plan:|Solution found|Solution Found|Plan found|Found new plan|"
    r"Rescheduled Plan|new Plan:|PLAN FOUND|SOLUTION SEQUENCE|Problem Solved|> +get plan|"
    r"Executing Plan with"
)


def printed(text: str) -> Printed | None:
    """Return where the plan stands in the output of a planner, or None for another text."""
    if _HINT.search(text) is None:
        return None
    for kind in _FORMATS:
        begins = list(kind.begins.finditer(text))
        if begins:
            start = begins[-1].end()
            ends = kind.ends.search(text, start)
            return Printed(planner=kind.planner, span=(start, ends.start() if ends else len(text)), plans=len(begins))
    return None
