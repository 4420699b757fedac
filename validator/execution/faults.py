"""Faults in words: each as one line, for people and for language models."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Sequence

from validator.execution.trace import Cause, Failure, Kind, Origin
from validator.reading.plan import Span, TimedStep, Token, Unparsed, bare
from validator.texts import MOST_LISTED, decimal


def numbered(step: int) -> str:
    """Return how people refer to a step, which they count from 1."""
    return f"step {step + 1}"


class Places:
    """Where the tokens of a plan stand in its text."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self.steps: list[Token] = []
        self._unread: dict[int, list[Unparsed]] = {}
        self.last: Span = (0, 0)
        for token in tokens:
            if token.span[1] > self.last[1]:
                self.last = token.span
            if isinstance(token, Unparsed):
                self._unread.setdefault(len(self.steps), []).append(token)
            if not isinstance(token, Unparsed) or token.reading is not None:
                self.steps.append(token)

    def step(self, index: int) -> Span:
        """Return where a step stands."""
        return self.steps[index].span if index < len(self.steps) else self.last

    def span(self, failure: Failure) -> Span:
        """Return where a fault is; each piece that cannot be read is told once."""
        unread = self._unread.get(failure.step or 0, [])
        if failure.kind is Kind.SYNTAX and unread:
            said = next((token for token in unread if failure.detail.startswith(f"{token}: ")), unread[0])
            if len(unread) > 1:
                unread.remove(said)
            return said.span
        return self.last if failure.step is None else self.step(failure.step)


def lines_of(failures: Sequence[Failure], reference: Iterable[Token], text: str) -> list[int | None]:
    """Return for each fault the line of the text on which its step stands; None without a step or a text."""
    places, starts = Places(reference if failures else ()), [0, *(match.end() for match in re.finditer("\n", text))]
    spans = [None if failure.step is None else places.span(failure) for failure in failures]
    return [None if span is None or not any(span) else bisect(starts, span[0]) for span in spans]


def sentences(
    failures: Sequence[Failure], reference: Sequence[Token], named: Callable[[int], str] = numbered, text: str = ""
) -> list[str]:
    """Return each fault as one line; ``named`` says how it refers to a step, by the index of the step.

    ``text`` is what the steps were read from: its lines are named where they are not the numbers of the steps.
    """
    placed, lines = Places(reference if failures else ()).steps, lines_of(failures, reference, text)
    is_told = "\n" in text.strip()
    found = []
    for failure, line in zip(failures, lines, strict=True):
        is_other = is_told and line is not None and failure.step is not None and line != failure.step + 1
        found.append(_sentence(failure, placed, named, f", line {line}" if is_other else ""))
    return found


def _sentence(failure: Failure, placed: Sequence[Token], named: Callable[[int], str], at: str) -> str:
    if failure.step is None:
        near = _near(failure)
        when = f" {failure.detail}" if failure.kind is Kind.GOAL and failure.detail else ""
        return f"Goal{when}: {_unmet(failure, named)}" if failure.kind is Kind.GOAL else f"Plan: {failure.detail}{near}"
    shown = ""
    if failure.kind is not Kind.SYNTAX and failure.step < len(placed):
        step = placed[failure.step]
        shown = f" {bare(step) if isinstance(step, TimedStep) else step}"
    return f"{named(failure.step).capitalize()}{shown}{at}: {said(failure, named)}"


def said(failure: Failure, named: Callable[[int], str] = numbered) -> str:
    """Return what is wrong with a step, without the step."""
    near = _near(failure)
    at = "" if failure.time is None else f"at {decimal(failure.time)}: "
    detail = failure.detail
    if failure.kind is Kind.UNKNOWN_OBJECT:
        detail = f"{'s' if ', ' in detail else ''} {_quoted(detail)}"
        near = f" (did you mean {_quoted(failure.nearest)}?)" if failure.nearest else ""
    shown = _SAY[failure.kind].format(detail=detail, time=_time(failure), at=at)
    return f"{shown}{near}{_unmet(failure, named)}"


def _near(failure: Failure) -> str:
    """Return the name that may be meant, unless the fault names it already."""
    is_new = failure.nearest and f"'{failure.nearest}'" not in failure.detail
    return f" (did you mean '{failure.nearest}'?)" if is_new else ""


def _quoted(names: str) -> str:
    return ", ".join(f"'{name}'" for name in names.split(", "))


def _time(failure: Failure) -> str:
    if failure.time is None:
        return ""
    if failure.until is None:
        return f" (at {decimal(failure.time)})"
    return f" (from {decimal(failure.time)} to {decimal(failure.until)})"


_SAY = {
    Kind.SYNTAX: "cannot be read: {detail}",
    Kind.CONSTRAINT: "{detail}",
    Kind.UNKNOWN_ACTION: "unknown action '{detail}'",
    Kind.WRONG_ARITY: "wrong number of arguments: {detail}",
    Kind.UNKNOWN_OBJECT: "unknown object{detail}",
    Kind.WRONG_TYPE: "wrong type: {detail}",
    Kind.WRONG_ARGUMENT: "wrong argument: {detail}",
    Kind.WRONG_OUTPUT: "wrong outputs: {detail}",
    Kind.PRECONDITION: "{at}",
    Kind.UNDEFINED_VALUE: "{at}reads a value that is not defined: ",
    Kind.CONFLICT: "{at}conflicting effects: {detail}",
    Kind.AT_START: "at start{time}: ",
    Kind.OVER_ALL: "over all{time}: ",
    Kind.AT_END: "at end{time}: ",
    Kind.DURATION: "{detail}",
    Kind.MUTEX: "{detail}",
    Kind.GOAL: "",
}


def _unmet(failure: Failure, named: Callable[[int], str]) -> str:
    if failure.kind is Kind.CONSTRAINT:
        return ""
    if not failure.causes:
        return ", ".join(failure.unmet)
    told = [f"{cause.literal} is false{_why(cause, named)}" for cause in failure.causes]
    more = len(told) - MOST_LISTED
    return "; ".join(told if more <= 1 else [*told[:MOST_LISTED], f"and {more:,} more are false"])


def _why(cause: Cause, named: Callable[[int], str]) -> str:
    if cause.detail:
        return f": {cause.detail}" if cause.origin is Origin.COMPARISON else f" ({cause.detail})"
    match cause.origin:
        case Origin.DELETED:
            return f" ({named(cause.step or 0)} deleted it)"
        case Origin.NEVER_ADDED:
            return " (nothing made it true)"
        case Origin.ADDED:
            return f" ({named(cause.step or 0)} made the atom true)"
        case Origin.INITIAL:
            return " (the atom holds from the beginning)"
        case Origin.COMPOUND | Origin.COMPARISON:
            return ""
