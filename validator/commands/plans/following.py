"""``plan-validator check --follow``: steps and changes from standard input, a verdict at each."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from validator.commands.options import HAS, HAS_NOT, NO_ANSWER
from validator.errors import PlanError

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared
    from validator.checking.report import Report
    from validator.reading.plan import Plan

__all__ = ["follow"]


def follow(options: argparse.Namespace, prepared: Prepared, text: str) -> int:
    """Follow a plan, and return the exit code of the last verdict.

    A line that is not understood is told, and the stream goes on. Raises PlanError for a plan that is not understood.
    """
    from validator.checking.under_way.follow import Follower
    from validator.checking.under_way.stream import event_line, event_value, events
    from validator.reading.tokens import tokenize
    from validator.reading.understood import unclear

    plan = tokenize(text, prepared.vocabulary, options.dialect, strict=options.strict)
    if why := unclear(plan):
        raise PlanError(why)

    def repair(here: Prepared, rest: Plan) -> Report:
        return _repair(options, here, rest)

    follower = Follower(prepared, plan.tokens, None if options.no_repair else repair)
    event = None
    for event in events(follower, prepared, sys.stdin):
        print(json.dumps(event_value(event)) if options.format == "json" else event_line(event), flush=True)
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
