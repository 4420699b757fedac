"""When steps happen and how long they take, where that stands around them in other forms than PDDL's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from validator.reading.plan import Span
from validator.records import dataclass

__all__ = ["Timed", "timed_steps"]

_TIME = r"\d{1,30}+(?:\.\d{1,30}+)?"
_COLUMNS = re.compile(
    rf"^[^\S\n]*+(?P<time>{_TIME})[^\S\n]++(?P<step>\([^()\n]++\))[^\S\n]++(?P<duration>{_TIME})[^\S\n]*+$",
    re.MULTILINE,
)
_BRACKETS = re.compile(
    rf"^[^\S\n]*+(?P<step>\([^()\n]++\))[^\S\n]*+"
    rf"\[[^\S\n]*+(?P<time>{_TIME})[^\S\n]*+,[^\S\n]*+(?P<duration>{_TIME})[^\S\n]*+\][^\S\n]*+$",
    re.MULTILINE,
)
"""``5.001 (move a b) 5`` and ``(move a b) [5.001, 5]``, as PlanSys2 prints steps"""
_STAMPED = re.compile(rf"^[^\S\n]*+{_TIME}[^\S\n]*+:[^\S\n]*+\(", re.MULTILINE)
_SECONDS = r"(?:[^\S\n]?s(?:ec(?:onds?)?)?\b)?"
_SAID = re.compile(
    r"^[^\S\n]*+(?:[-+*•][^\S\n]++|\d{1,6}+[.)][^\S\n]++)?+(?P<bold>\*\*|__)?"
    r"(?P<said>(?:at[^\S\n]++)?(?:time\b|t(?=[^\S\n]*+=))?[^\S\n]*+=?)[^\S\n]*+"
    rf"(?P<time>{_TIME}|\d{{1,30}}+,\d{{1,30}}+){_SECONDS}"
    rf"(?:[^\S\n]*+[-–][^\S\n]*+(?P<end>{_TIME}){_SECONDS})?[^\S\n]*+:?(?(bold)(?P=bold))[^\S\n]*+[:,]?\s*+"
    r"`?(?P<step>\([^()\n]++\))`?[^\S\n]*+"
    r"(?(end)|(?:\[|\((?=[^)\n]*[a-z])|for\b|(?=dur))[^\S\n]*+(?:dur(?:ation)?\b)?[^\S\n]*+[=:]?[^\S\n]*+"
    rf"(?P<duration>{_TIME}|\d{{1,30}}+,\d{{1,30}}+){_SECONDS}[^\S\n]*+[\])]?)[^\S\n]*+\.?[^\S\n]*+$",
    re.MULTILINE | re.IGNORECASE,
)
"""``- **0.5**: `(move a b)` [2]``, ``At time 0.5: (move a b) for 2 seconds``, ``t=0,5: (move a b) [duration: 2]``,
``0.5 - 2.5: (move a b)``; VAL puts the time on a line of its own"""
_INTERVALS = re.compile(
    r"^[^\S\n]*+(?:[-+*•][^\S\n]++|\d{1,6}+[.)][^\S\n]++)?+(?:(?P<opens>\[)|from\b)[^\S\n]*+"
    rf"(?P<time>{_TIME}){_SECONDS}[^\S\n]*+(?:,|-|–|to\b|until\b)[^\S\n]*+(?P<end>{_TIME}){_SECONDS}[^\S\n]*+"
    r"(?(opens)[\])])[^\S\n]*+[:,]?[^\S\n]*+(?P<step>(?:[\w-]++)?\([^()\n]++\))[^\S\n]*+[.,;]?[^\S\n]*+$",
    re.MULTILINE | re.IGNORECASE,
)
"""``[0, 5] (move a b)``, ``from 0 to 5: (move a b)``: when a step begins, and when it ends"""
_GROUPS = re.compile(
    rf"\((?!(?:dur(?:ation)?\b)?[^\S\n]*+[=:]?[^\S\n]*+\d{{1,30}}+(?:[.,]\d{{1,30}}+)?{_SECONDS}\))", re.IGNORECASE
)
"""the parentheses that are no duration"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """The times and durations of steps by their places, and what stands around these."""

    hidden: tuple[Span, ...]
    times: Mapping[int, Fraction]
    durations: Mapping[int, Fraction]


def timed_steps(text: str) -> Timed | None:
    """Return the times of steps that have them in columns, in brackets behind them or in words; else None."""
    said = [*_SAID.finditer(text)] if _STAMPED.search(text) is None else []
    are_times = any(match["said"] or match["end"] or not match["time"].isdigit() for match in said)  # or they count
    if are_times and len(said) == len(_GROUPS.findall(text)):
        return _timed(said)
    between = [*_INTERVALS.finditer(text)]
    if between and len(between) == len(_GROUPS.findall(text)):
        are_ends = all(Fraction(match["time"]) < Fraction(match["end"]) for match in between)
        return _timed(between) if are_ends else None  # or the second number may be how long it takes
    found = [*_COLUMNS.finditer(text)] or [*_BRACKETS.finditer(text)]
    is_told = any(Fraction(match["duration"]) < Fraction(match["time"]) for match in found)
    if not found or (len(found) > 1 and not is_told):  # or the second number may be the end
        return None
    return _timed(found)


def _timed(found: Sequence[re.Match[str]]) -> Timed:
    times, durations, hidden = {}, {}, []
    for match in found:
        start, end = match.span("step")
        hidden += [(match.start(), start), (end, match.end())]
        given = match.groupdict()
        times[start] = _number(match["time"])
        durations[start] = _number(given["end"]) - times[start] if given.get("end") else _number(match["duration"])
    return Timed(hidden=tuple(hidden), times=times, durations=durations)


def _number(text: str) -> Fraction:
    return Fraction(text.replace(",", "."))
