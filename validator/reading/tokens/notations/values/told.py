"""What records tell of themselves: when they are done, whether they failed, their order, of which run they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from validator.reading.calls.keys import spelled
from validator.reading.tokens.notations.values.value import Value

__all__ = ["are_disordered", "go_back", "has_failed", "mappings", "run_of", "runs_of", "times_of"]

_TIMES = ("time", "start_time", "dispatch_time", "start", "begin", "at", "t")
_ENDS = ("end", "end_time", "finish", "until")
_DURATIONS = ("duration", "dur", "length")
_NUMBER = re.compile(r"\s*+(\d{1,30}+(?:\.\d{1,30}+)?)\s*+s?\s*+")


def mappings(value: Value) -> Iterator[Value]:
    """Yield the mappings in a value, the outer ones first."""
    if value.kind == "mapping":
        yield value
    for inner in (*value.items(), *(one for _, one in value.pairs())):
        yield from mappings(inner)


def times_of(value: Value) -> tuple[Fraction, Fraction | None] | None:
    """Return when an object says that its step begins, and how long it takes."""
    own = {spelled(name): match[1] for name, inner in value.pairs() if (match := _NUMBER.fullmatch(inner.text))}
    time = next((own[name] for name in _TIMES if name in own), None)
    duration = next((own[name] for name in _DURATIONS if name in own), None)
    if time is None:
        return None
    end = next((own[name] for name in _ENDS if name in own and duration is None), None)
    if end is not None and Fraction(end) > Fraction(time):
        return Fraction(time), Fraction(end) - Fraction(time)
    return Fraction(time), None if duration is None else Fraction(duration)


_RUNS = (
    "plan_id",
    "run",
    "run_id",
    "trace_id",
    "episode",
    "episode_id",
    "trial",
    "case_id",
    "problem_id",
    "instance_id",
)
"""columns and keys that say of which plan a row is a step"""


def run_of(row: Value) -> str:
    """Return of which plan a row says by a number or a name that it is a step; "" for one that does not."""
    own = {spelled(key): inner.text for key, inner in row.pairs()}
    return next((f"{name} {own[name]}" for name in _RUNS if own.get(name)), "")


def runs_of(rows: Sequence[Value]) -> Sequence[Sequence[Value]]:
    """Return the rows of each plan apart, where all say of which one they are."""
    runs: dict[str, list[Value]] = {}
    for row in rows:
        runs.setdefault(run_of(row), []).append(row)
    return [rows] if "" in runs else list(runs.values())


_FAILED = frozenset(("failed", "failure", "error", "rejected", "refused", "illegal"))


def has_failed(value: Value) -> bool:
    """Return whether a record of what was done says that it failed: no change comes of that."""
    own = {spelled(name): inner.text.lower() for name, inner in value.pairs()}
    return own.get("success", own.get("succeeded")) == "false" or own.get("status") in _FAILED


_COUNTS = frozenset(("step", "order", "index", "idx", "number", "no", "n", "id", "step_id", "step_number", "seq"))


def are_disordered(items: Sequence[Value]) -> bool:
    """Return whether items say by numbers that they are to be taken in another order than theirs."""
    numbers = [
        next(
            (int(inner.text) for name, inner in item.pairs() if spelled(name) in _COUNTS and inner.text.isdecimal()), -1
        )
        for item in items
        if item.kind == "mapping"
    ]
    return len(numbers) > 1 and -1 not in numbers and len(set(numbers)) == len(numbers) and numbers != sorted(numbers)


def go_back(rows: Sequence[Value]) -> bool:
    """Return whether rows tell times that do not follow each other as the rows do."""
    times = [time for row in rows for time in (times_of(row),) if time is not None]
    begins = [begin for begin, _ in times]
    return len(begins) == len(rows) and begins != sorted(begins)
