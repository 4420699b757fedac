"""A stream as lines of text: what is reported of the world goes in, what is reported of the plan comes out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from validator.checking.monitoring.follow import Event, Follower
from validator.checking.prepared import Prepared
from validator.errors import InputError, PlanError
from validator.reading.plan import Step
from validator.reading.tokens import tokenize
from validator.reading.understood import unclear
from validator.texts import no_path

__all__ = ["event_line", "event_value", "events"]

_TOLD = re.compile(r"(now|state-complete|state)\b\s*(.*)", re.IGNORECASE | re.DOTALL)


_RECORDED = re.compile(r"\(?\s*\(\s*:?(init|state|action|operator):?(?=[\s(])\s*(.*)\)", re.IGNORECASE | re.DOTALL)
"""a line of a recorded trajectory: ``(:state (at a))``, ``(:action (go a b))``, ``(operator: (go a b))``"""

_FRAME = re.compile(r"\(\s*(:trajectory)?|\)")
"""what stands around a recorded trajectory"""

_EXPECTED = "a step such as (stack a b), 'now (on a b) (not (clear b))' or 'state ...' was expected"


def events(follower: Follower, prepared: Prepared, lines: Iterable[str]) -> Iterator[Event]:
    """Yield a verdict on the whole plan, and one after each line, or after each of the steps that a line tells.

    A line is a step that was executed; ``now FACTS``, what is not as planned; ``state FACTS``, what holds; or one of a
    recorded trajectory, in which a state is written out after each step. One that is none of these, or that cannot be
    read, is told with its place; after it the state is not known until one is told.
    """
    yield follower.begin()
    for number, line in enumerate(lines, start=1):
        written, told = line.partition(";")[0].strip(), line.strip()
        if not written or _FRAME.fullmatch(written):
            continue
        column = line.index(written) + 1
        try:
            yield from _events(follower, prepared, written, told, f"line {number}, column {column}: ")
        except InputError as error:
            column += _offset(written, error)
            yield follower.unread(written, f"line {number}, column {column}: {error.message}")


def _events(follower: Follower, prepared: Prepared, written: str, told: str, where: str) -> Iterator[Event]:
    """Yield the verdicts after a line, ``told`` with what may be a remark. Raises InputError for one not to be read."""
    if recorded := _RECORDED.fullmatch(written):
        kind, inner = recorded[1].lower(), recorded[2]
        if kind in ("init", "state"):
            inner = inner.removesuffix(")") if inner.count(")") > inner.count("(") else inner
            yield follower.state(no_path(inner))
            return
        told = inner if inner.startswith("(") else f"({inner})"
    facts = _TOLD.fullmatch(written)
    if facts is None or recorded:
        steps = _steps(told, prepared)
        if not steps:
            raise PlanError(_EXPECTED)
        yield from (follower.step(step, where=where) for step in steps)
        return
    kind = facts[1].lower()
    if not facts[2] and kind != "state-complete":  # in which nothing holds, which is not said by chance
        raise PlanError("facts were expected", text=written, offset=len(written))
    if kind == "now":
        yield follower.change(no_path(facts[2]))
    else:
        yield follower.state(no_path(facts[2]), is_complete=kind == "state-complete")


def _offset(written: str, error: InputError) -> int:
    """Return where in a line an error is, whose column counts in the facts where it is one of facts."""
    told = _TOLD.fullmatch(written)
    facts_at = told.start(2) if told is not None and told[2] else 0
    return facts_at + (error.column or 1) - 1


def _steps(told: str, prepared: Prepared) -> tuple[Step, ...]:
    """Return the steps that a line tells, in the notation of the model or in words; empty for anything else.

    In words a semicolon parts steps, which in the notation of the model begins a remark: what is read as more is told.
    """
    found: tuple[Step, ...] = ()
    for is_strict in (True, False):
        plan = tokenize(told, prepared.vocabulary, strict=is_strict)
        steps = tuple(token for token in plan.tokens if isinstance(token, Step))
        if not unclear(plan) and len(steps) == len(plan.tokens) and len(steps) > len(found):
            found = steps
    return found


def event_line(event: Event) -> str:
    """Return a verdict in one line."""
    verdict = {True: "VALID", False: "NOT VALID", None: "UNKNOWN"}[event.determination]
    parts = [f"{event.executed} {event.happened.value} {event.text}".rstrip(), verdict]
    parts += [event.reason] if event.reason else list(event.faults[:1])
    if event.repaired:
        proof = "proven nearest" if event.proven else "not proven nearest"
        parts.append(f"repaired: {event.kept} kept, {event.distance} changed ({proof})")
        parts.append(" ".join(map(str, event.rest)) or "nothing is left to do")
    return "; ".join((*parts, *(f"warning: {one}" for one in event.warnings)))


def event_value(event: Event) -> dict[str, object]:
    """Return a verdict as plain values."""
    return {
        "event": event.happened.value,
        "text": event.text,
        "executed": event.executed,
        "determination": event.determination,
        "faults": list(event.faults),
        "rest": list(map(str, event.rest)),
        "repaired": event.repaired,
        "proven": event.proven,
        "kept": event.kept,
        "distance": event.distance,
        "reason": event.reason,
        "warnings": list(event.warnings),
        "unread": event.unread,
    }
