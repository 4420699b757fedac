"""How a text was understood, for reports: as plain values, and as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from validator.reading.plan import Step
from validator.reading.reading import NoPlan, Reading
from validator.records import dataclass

if TYPE_CHECKING:
    from validator.checking.report import Report

__all__ = ["HELP", "HELP_IN_WORDS", "reading_lines", "reading_value", "verdict"]

HELP = (
    "--templates FILE names actions and objects as the text says them; --dialect D says how its steps are written; "
    "--strict takes the text literally"
)
"""What can be done where a text was not understood."""

HELP_IN_WORDS = (
    "What helps: steps written as (action object ...), with the names of the model; or templates, which say how the "
    "text names actions and objects; or a dialect, which says how its steps are written; or to take the text literally."
)
"""The same where there is no command line."""

_MOST = 40
"""pieces, steps and plans that are listed; the JSON of a report has all"""


def verdict(report: Report) -> str:
    """Return the answer in a word or three: ``VALID``, ``NOT VALID``, ``UNKNOWN``.

    Of a text that claims that there is no plan it is ``RIGHT`` or ``WRONG``.
    """
    if report.no_plan is NoPlan.CLAIM:
        return {True: "RIGHT", False: "WRONG", None: "UNKNOWN"}[report.determination]
    quality = report.report_type.value.upper()
    return {True: quality, False: f"NOT {quality}", None: "UNKNOWN"}[report.determination]


def reading_value(reading: Reading | None) -> dict[str, object] | None:
    """Return how a text was understood as plain values; None where no text was read."""
    if reading is None:
        return None
    return {
        "completeness": reading.completeness.value,
        "missed": [
            {
                "text": missed.text,
                "reason": missed.reason,
                "line": missed.line,
                "column": missed.column,
                "nearest": missed.nearest,
            }
            for missed in reading.missed
        ],
        "candidates": [
            {"said": one.said, "steps": list(map(str, one.plan.steps)), "is_marked": one.is_marked}
            for one in reading.candidates
        ],
        "no_plan": None if reading.no_plan is None else reading.no_plan.value,
        "passed_over": list(reading.passed_over),
        "translated_by": reading.translated_by or None,
    }


def reading_lines(report: Report) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what is to be told of the reading of a text that was not understood as a whole: headings, lines below each.

    An empty heading is for what the verdict's own reason says before.
    """
    reading = report.reading
    if reading is None or reading.is_literal:
        return
    if reading.missed:
        yield "" if report.determination is None else "not understood:", _some(reading.missed)
    if report.is_understood:
        return
    plan = reading.plan
    if len(reading.candidates) > 1:
        yield "it may mean:", _some([f"{one.said}: {_in_a_row(one.plan.steps)}" for one in reading.candidates])
    elif plan.steps:
        yield "read as steps:", _some([_Placed(plan.text, step) for step in plan.steps])
    yield f"help: {HELP}", ()


@dataclass(frozen=True)
class _Placed:
    """A step that prints with its line, which is counted only for those that are shown."""

    text: str
    step: Step

    def __str__(self) -> str:
        return f"line {self.text.count(chr(10), 0, self.step.span[0]) + 1}: {self.step}"


def _some(lines: Sequence[object]) -> tuple[str, ...]:
    left = len(lines) - _MOST
    return tuple(map(str, lines)) if left <= 1 else (*map(str, lines[:_MOST]), f"and {left} more")


def _in_a_row(steps: Sequence[Step]) -> str:
    left = len(steps) - _MOST
    return " ".join([*map(str, steps[:_MOST]), *([f"and {left} more steps"] if left > 0 else [])])
