"""What of a plan under way is left, and does a surprise matter? The rest of a plan, or a stream of what happens."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from validator.checking.report import Report
from validator.errors import PlanError
from validator.questions.check import Check, LocalCheck, check, model_for
from validator.questions.job import Job, Lines, lines_of, plan_of
from validator.questions.question import Face, Use, option, question, refuse_unused
from validator.records import FIELDS

if TYPE_CHECKING:
    from validator.checking.monitoring.follow import Event
    from validator.checking.prepared import Prepared
    from validator.reading.plan import Plan

__all__ = ["UnderWay", "answer", "stream"]

_LITTLE = 0.01
"""seconds that a repair has in any case"""


@question
class UnderWay(Check):
    """A plan of which some steps have happened, and what is known of the world since; or a stream of both."""

    events: Lines | None = option(
        "in place of executed, state and changes, in order: steps, 'now FACTS', 'state FACTS', 'state-complete FACTS'",
        details="each is answered with a verdict",
        default=None,
        faces=frozenset((Face.AGENT,)),
    )


def answer(asked: UnderWay, job: Job) -> Report | list[Event]:
    """Return the report on the rest, or of a stream a verdict at first and after each event."""
    if asked.events is not None:
        return list(stream(asked, lines_of(asked.events, "events"), job))
    known = {name: getattr(asked, name) for name in getattr(Check, FIELDS)}
    if asked.repair:
        job.planner()
    return check(Check(**known), job)


def stream(
    asked: Check,
    lines: Iterable[str],
    job: Job,
    spelled: Callable[[str], str] = "'{}'".format,
    *,
    is_live: bool = False,
) -> Iterator[Event]:
    """Yield a verdict on a plan at first, and after each thing that happens.

    All repairs have one time limit together, each its own in a stream that ``is_live``. Raises PlanError for a plan
    that is not understood.
    """
    from validator.checking.monitoring.follow import Follower
    from validator.checking.monitoring.stream import events
    from validator.reading.understood import unclear

    if asked.flow is not None or asked.is_rest:
        raise ValueError("a stream of what happens is for PDDL models, and goes without what has happened before")
    refuse_unused(asked, Use.STREAM, spelled)
    if asked.repair:
        job.planner()
    model = model_for(asked)
    plan = plan_of(asked.plan, model, asked.dialect, job.bounds, strict=asked.strict)
    if why := unclear(plan):
        raise PlanError(why)
    limit = job.bounds.seconds(asked.time_limit) if is_live else job.seconds(asked)
    until = time.monotonic() + limit

    def repair(here: Prepared, rest: Plan) -> Report:
        left = limit if is_live else max(_LITTLE, until - time.monotonic())
        return _repaired(asked, here, rest, left, job)

    follower = Follower(model, plan.tokens, repair if asked.repair else None)
    yield from events(follower, model, lines)


def _repaired(asked: Check, here: Prepared, rest: Plan, left: float, job: Job) -> Report:
    from validator.checking.check import check as check_plan

    memory = job.bounds.memory_limit
    cache = asked.cache if isinstance(asked, LocalCheck) else None
    return check_plan(here, None, rest, policy=asked.nearest, time_limit=left, memory_limit=memory, cache=cache)
