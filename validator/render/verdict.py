"""The answer in a word or three, and what is told beside it of a text that was not understood as a whole."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from validator.reading.plan import NoPlan, Step, Token
from validator.records import dataclass

if TYPE_CHECKING:
    from validator.checking.report import Report


_LITERALLY = "--strict takes the text literally"
HELP = (
    "--templates FILE names actions and objects as the text says them; --dialect D says how its steps are written; "
    f"{_LITERALLY}"
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


def details(report: Report) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what a verdict means: headings, lines below each; an empty heading is for what its reason says before.

    That is how a text was read that was not understood as a whole, and in which outcomes a plan is right.
    """
    if report.outcomes is not None:
        yield from report.outcomes.details(report.report_type.value)
    reading = report.reading
    if reading is None or reading.is_literal:
        return
    if reading.missed:
        yield "" if report.determination is None else "not understood:", _some(reading.missed)
    if report.question:
        yield report.question, ()
    if report.is_understood:
        return
    plan = reading.plan
    if len(reading.candidates) > 1:
        yield "it may mean:", _some([f"{one.said}: {_in_a_row(one.plan.steps)}" for one in reading.candidates])
    elif plan.steps:
        ends = [end.start() for end in re.finditer("\n", plan.text)]
        placed = [_Placed(bisect(ends, token.span[0]) + 1, token) for token in plan.tokens]
        missed = {piece.line for piece in reading.missed}
        yield "read as steps:", _some([each for each in placed if each.is_step or each.line not in missed])
    yield f"help: {_LITERALLY if reading.is_of_flow else HELP}", ()


@dataclass(frozen=True)
class _Placed:
    """A step, or a text that may be several, that prints with its line."""

    line: int
    token: Token

    @property
    def is_step(self) -> bool:
        return isinstance(self.token, Step)

    def __str__(self) -> str:
        shown = str(self.token) if self.is_step else f"'{self.token}' (left open)"
        return f"line {self.line}: {shown}"


def _some(lines: Sequence[object]) -> tuple[str, ...]:
    left = len(lines) - _MOST
    return tuple(map(str, lines)) if left <= 1 else (*map(str, lines[:_MOST]), f"and {left} more")


def _in_a_row(steps: Sequence[Step]) -> str:
    left = len(steps) - _MOST
    return " ".join([*map(str, steps[:_MOST]), *([f"and {left} more steps"] if left > 0 else [])])
