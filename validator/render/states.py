"""The execution of a plan as plain values: what holds at first, what each step changes, which goals hold at the end."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from validator.execution.simulator import Simulator
from validator.execution.trace import UnmetGoal
from validator.model.pddl.write import atom_text, formula_text
from validator.model.values import And
from validator.reading.plan import Plan, Unparsed
from validator.render.json import stamped, times

if TYPE_CHECKING:
    from validator.checking.report import Report

__all__ = ["execution_value"]


def execution_value(simulator: Simulator, report: Report) -> dict[str, Any]:
    """Return ``init``, ``states`` (one entry for each token of the plan that was checked) and ``goals``.

    ``place`` is the index of the step that a token is, or before which it stands. Empty for a model with features that
    are not executed, and where nothing is said of the plan. Where a piece was not understood, what comes from there on
    is not known.
    """
    if simulator.model.features or not report.is_understood or report.no_plan is not None:
        return {}
    plan = Plan(parts=report.reference)
    trace = simulator.run(plan)
    tokens = [] if plan.is_unreadable else list(zip(plan.tokens, plan.places, trace.changes, strict=True))
    is_whole = report.reading is None or report.reading.is_literal or not report.reading.missed
    if not is_whole:
        tokens = list(takewhile(lambda placed: not isinstance(placed[0], Unparsed), tokens))
    steps = [
        {
            "step": stamped(simulator.resolve(token)),
            **times(token),
            "place": place,
            "unread": isinstance(token, Unparsed),
            "added": sorted(map(atom_text, change.added)),
            "deleted": sorted(map(atom_text, change.deleted)),
        }
        for token, place, change in tokens
    ]
    goals = _goals(simulator, trace.unmet_goals) if is_whole else []
    return {"init": sorted(map(atom_text, trace.init)), "states": steps, "goals": goals}


def _goals(simulator: Simulator, unmet: Iterable[UnmetGoal]) -> list[dict[str, Any]]:
    goal = simulator.model.problem.goal
    parts = goal.parts if isinstance(goal, And) else (goal,)
    missed = {found.literal: found.last_held for found in unmet}
    texts = [formula_text(part, {}) for part in parts]
    whole = [{"goal": text, "holds": text not in missed, "last_held": missed.pop(text, None)} for text in texts]
    # A conjunct that is a formula of its own is missed by its parts.
    return whole + [{"goal": text, "holds": False, "last_held": last} for text, last in missed.items()]
