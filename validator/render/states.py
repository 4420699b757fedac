"""The execution of a plan as plain values: what holds at first, what each step changes, which goals hold at the end."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

from validator.execution.links import causal_links
from validator.execution.simulator import Simulator
from validator.execution.trace import Trace
from validator.model.conditions import conjuncts, holds
from validator.model.pddl.write import atom_text, formula_text
from validator.reading.plan import Plan, Unparsed
from validator.render.json import stamped, times

if TYPE_CHECKING:
    from validator.checking.report import Report


MOST_STEPS = 500
"""steps of a plan up to which a page shows the states between them"""


def execution_value(simulator: Simulator, report: Report, *, with_links: bool = True) -> dict[str, Any]:
    """Return ``init``, ``states`` (one entry for each token of the plan that was checked), ``goals`` and ``links``.

    A link says which step (null: the initial state) made a condition true that another (null: the goal) needs; without
    ``with_links`` there are no goals and no links.
    ``place`` is the index of the step that a token is, or before which it stands. Empty for a model with features that
    are not executed, and where nothing is said of the plan. Where a piece was not understood, what comes from there on
    is not known.
    """
    is_read = report.is_understood and (report.determination is not None or report.reading is not None)
    if simulator.model.features or not is_read or report.no_plan is not None:
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
    goals = _goals(simulator, trace) if is_whole and with_links else []
    links = _links(simulator, plan, trace) if is_whole and with_links else []
    return {"init": sorted(map(atom_text, trace.init)), "states": steps, "goals": goals, "links": links}


def _links(simulator: Simulator, plan: Plan, trace: Trace) -> list[dict[str, Any]]:
    """Return the causal links; a step is its place among the steps, as in the states."""
    resolved = [simulator.resolve(token) for token in plan.tokens]
    places = [
        None if isinstance(token, Unparsed) else place for token, place in zip(resolved, plan.places, strict=True)
    ]
    return [
        {
            "producer": None if link.producer is None else places[link.producer],
            "condition": link.condition,
            "consumer": None if link.consumer is None else places[link.consumer],
        }
        for link in causal_links(simulator, resolved, trace)
    ]


def _goals(simulator: Simulator, trace: Trace) -> list[dict[str, Any]]:
    """Return each conjunct of the goal once, and whether it holds at the end."""
    *_, end = trace.states()
    state, missed = simulator.view(end), {found.literal: found.last_held for found in trace.unmet_goals}
    whole = {part: formula_text(part, {}) for part in conjuncts(simulator.model.problem.goal)}
    found = []
    for part, text in whole.items():
        is_true = holds(simulator.model, part, {}, state)
        found.append({"goal": text, "holds": is_true, "last_held": None if is_true else missed.get(text)})
    # A conjunct that is a formula of its own is missed by its parts.
    parts = {text: last for text, last in missed.items() if text not in whole.values()}
    return found + [{"goal": text, "holds": False, "last_held": last} for text, last in parts.items()]
