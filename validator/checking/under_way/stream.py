"""A stream as lines of text: what is told of the world goes in, what is told of the plan comes out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from validator.checking.prepared import Prepared
from validator.checking.under_way.follow import Event, Follower
from validator.errors import PlanError
from validator.reading.plan import Step
from validator.reading.tokens import tokenize
from validator.reading.understood import unclear

__all__ = ["event_line", "event_value", "events"]

_TOLD = re.compile(r"(now|state|state-complete)\b\s*(.*)", re.IGNORECASE | re.DOTALL)


def events(follower: Follower, prepared: Prepared, lines: Iterable[str], source: str = "<stdin>") -> Iterator[Event]:
    """Yield a verdict on the whole plan, and one after each line.

    A line is a step that was executed; ``now FACTS``, what is not as planned; ``state FACTS``, what holds. Raises
    PlanError for a line that is none of these.
    """
    yield follower.begin()
    for number, line in enumerate(lines, start=1):
        written = line.partition(";")[0].strip()
        if not written:
            continue
        if told := _TOLD.fullmatch(written):
            kind = told[1].lower()
            if kind == "now":
                yield follower.change(told[2])
            else:
                yield follower.state(told[2], is_complete=kind == "state-complete")
            continue
        step = _step(written, prepared)
        if step is None:
            message = "a step such as (stack a b), 'now (on a b) (not (clear b))' or 'state ...' was expected"
            error = PlanError(message, source=source)
            error.line = number
            raise error
        yield follower.step(step)


def _step(written: str, prepared: Prepared) -> Step | None:
    """Return the one step that a line is, in the notation of the model or in words; None for anything else."""
    for is_strict in (True, False):
        plan = tokenize(written, prepared.vocabulary, strict=is_strict)
        is_clear = plan.reading is None or not unclear(plan.reading)
        if is_clear and len(plan.tokens) == 1 and isinstance(plan.tokens[0], Step):
            return plan.tokens[0]
    return None


def event_line(event: Event) -> str:
    """Return a verdict in one line."""
    verdict = {True: "VALID", False: "NOT VALID", None: "UNKNOWN"}[event.determination]
    parts = [f"{event.executed} {event.happened.value} {event.text}".rstrip(), verdict]
    if event.threats:
        parts.append(f"{len(event.threats)} threatened in {event.microseconds:.0f} us")
    elif event.microseconds and event.determination:
        parts.append("nothing depends on it")
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
        "matters": event.matters,
        "threats": [
            {"fact": f"({' '.join(one.atom)})", "is_true": one.is_true, "step": one.step, "certain": one.certain}
            for one in event.threats
        ],
        "microseconds": round(event.microseconds, 1),
        "faults": list(event.faults),
        "rest": list(map(str, event.rest)),
        "repaired": event.repaired,
        "proven": event.proven,
        "kept": event.kept,
        "distance": event.distance,
        "reason": event.reason,
        "warnings": list(event.warnings),
    }
