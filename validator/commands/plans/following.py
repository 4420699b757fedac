"""``plan-validator check --follow``: steps and changes from standard input, a verdict at each."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from validator.commands.options import HAS, HAS_NOT, NO_ANSWER
from validator.errors import PlanError

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared
    from validator.checking.report import Report
    from validator.checking.under_way.follow import Event, Follower
    from validator.reading.plan import Plan

__all__ = ["follow"]

_TOLD = re.compile(r"(now|state|state-complete)\b\s*(.*)", re.IGNORECASE | re.DOTALL)


def follow(options: argparse.Namespace, prepared: Prepared, text: str) -> int:
    """Follow a plan, and return the exit code of the last verdict.

    A line is a step that was executed; ``now FACTS``, what is not as planned; ``state FACTS``, what holds. Raises
    PlanError for a line that is none of these, and for a plan that is not understood.
    """
    from validator.checking.under_way.follow import Follower
    from validator.reading.tokens import tokenize
    from validator.reading.understood import unclear

    plan = tokenize(text, prepared.vocabulary, strict=options.strict)
    if plan.reading is not None and (why := unclear(plan.reading)):
        raise PlanError(why)

    def repair(here: Prepared, rest: Plan) -> Report:
        return _repair(options, here, rest)

    follower = Follower(prepared, plan.tokens, None if options.no_repair else repair)
    event = None
    for event in _events(follower, prepared):
        print(json.dumps(_value(event)) if options.format == "json" else _line(event), flush=True)
    assert event is not None
    return {True: HAS, False: HAS_NOT, None: NO_ANSWER}[event.determination if not event.repaired else True]


def _repair(options: argparse.Namespace, here: Prepared, rest: Plan) -> Report:
    from validator.checking.check import check

    return check(
        here,
        None,
        rest,
        policy=options.policy,
        time_limit=options.time_limit,
        memory_limit=options.memory_limit,
        cache=options.cache,
    )


def _events(follower: Follower, prepared: Prepared) -> Iterator[Event]:
    from validator.reading.plan import Step
    from validator.reading.tokens import tokenize

    yield follower.begin()
    for number, line in enumerate(sys.stdin, start=1):
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
        tokens = tokenize(written, prepared.vocabulary, strict=True).tokens
        if len(tokens) != 1 or not isinstance(tokens[0], Step):
            message = "a step such as (stack a b), 'now (on a b) (not (clear b))' or 'state ...' was expected"
            error = PlanError(message, source="<stdin>")
            error.line = number
            raise error
        yield follower.step(tokens[0])


def _line(event: Event) -> str:
    verdict = {True: "VALID", False: "NOT VALID", None: "UNKNOWN"}[event.determination]
    parts = [f"{event.executed} {event.happened.value} {event.text}".rstrip(), verdict]
    if event.threats:
        parts.append(f"{len(event.threats)} threatened in {event.microseconds:.0f} us")
    elif event.happened.value in ("change", "state", "unplanned step") and event.determination:
        parts.append("nothing depends on it")
    parts += [event.reason] if event.reason else list(event.faults[:1])
    if event.repaired:
        proof = "proven nearest" if event.proven else "not proven nearest"
        parts.append(f"repaired: {event.kept} kept, {event.distance} changed ({proof})")
        parts.append(" ".join(map(str, event.rest)) or "nothing is left to do")
    return "; ".join((*parts, *(f"warning: {one}" for one in event.warnings)))


def _value(event: Event) -> dict[str, object]:
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
