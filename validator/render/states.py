"""The execution of a plan as plain values: what holds at first, what each step changes, which goals hold at the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from validator.execution.simulator import Simulator
from validator.execution.trace import UnmetGoal
from validator.model.pddl.write import atom_text, formula_text
from validator.model.values import And
from validator.reading.plan import Plan, Unparsed
from validator.render.json import stamped, times

__all__ = ["execution_value"]


def execution_value(simulator: Simulator, plan: Plan) -> dict[str, Any]:
    """Return ``init``, ``states`` (one entry for each token of the plan) and ``goals``.

    ``place`` is the index of the step that a token is, or before which it stands. Empty for a model with features that
    are not executed.
    """
    if simulator.model.features:
        return {}
    trace = simulator.run(plan)
    tokens = [] if plan.is_unreadable else list(zip(plan.tokens, plan.places, trace.changes, strict=True))
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
    return {"init": sorted(map(atom_text, trace.init)), "states": steps, "goals": _goals(simulator, trace.unmet_goals)}


def _goals(simulator: Simulator, unmet: Iterable[UnmetGoal]) -> list[dict[str, Any]]:
    goal = simulator.model.problem.goal
    parts = goal.parts if isinstance(goal, And) else (goal,)
    missed = {found.literal: found.last_held for found in unmet}
    texts = [formula_text(part, {}) for part in parts]
    whole = [{"goal": text, "holds": text not in missed, "last_held": missed.pop(text, None)} for text in texts]
    # A conjunct that is a formula of its own is missed by its parts.
    return whole + [{"goal": text, "holds": False, "last_held": last} for text, last in missed.items()]
