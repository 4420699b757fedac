"""The nearest plan of a model with numbers or trajectory constraints, and its cheapest plan.

``race`` looks for them and proves them; here stands what is asked of it, one proof after the other where one does not
suffice.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import ceil

from validator.grounding.limits import Status
from validator.grounding.numbers.action_costs import ActionCosts, action_costs
from validator.reading.plan import Step
from validator.records import replace
from validator.repair.alignment import aligned
from validator.repair.edit import Edit, Weighting
from validator.repair.numbers.answer import Answer, Asked
from validator.repair.numbers.race import Race
from validator.repair.policy import Policy

__all__ = ["cheapest", "nearest", "nearest_of_cheapest"]

_FINER = 1000
"""How much smaller differences of cost have to outweigh all changes, where the former ones did not."""


def nearest(asked: Asked) -> Answer:
    """Return the nearest plan with a quality. Raises PlannerError when the translator fails."""
    known = ActionCosts(model=asked.simulator.model)
    if asked.policy is not Policy.KEEP:
        found, _ = _nearest(asked, Weighting.edits(), known)
        return found
    fixed = action_costs(asked.simulator.model)
    if not isinstance(fixed, str) and fixed.is_fixed:
        known = fixed
    weighting, edits = Weighting.keeping(len(asked.tokens)), None
    while True:
        found, race = _nearest(asked, weighting, known, edits)
        fewer = race.with_fewer_skips(found) if found.prover else found
        if fewer is found:
            return found
        if fewer.edits is None:
            return replace(found, status=fewer.status, prover="")
        # A skip spared insertions that cost more than it: let it cost more than those of a plan with fewer.
        weighting, edits = replace(weighting, skip=ceil(race.inserted(fewer.edits)) + 1), fewer.edits


def _nearest(
    asked: Asked, weighting: Weighting, known: ActionCosts, edits: tuple[Edit, ...] | None = None
) -> tuple[Answer, Race]:
    """Return the best answer under some weights, given ``edits`` to a plan with the quality, and who looked for it."""
    race = Race(asked, asked.tokens, weighting, known)
    if edits is not None:
        race.best = Answer(status=Status.SOLVED, edits=edits, cost=race.cost(edits))
    race.least = Fraction(1)  # as it stands the plan lacks the quality
    choose = partial(asked.engines.for_plan, asked.tokens, asked.policy, with_goal=asked.with_goal)
    return race.run(choose), race


def cheapest(asked: Asked, known: ActionCosts, valid: Sequence[Step] | None) -> Answer:
    """Return the cheapest plan of the model, or none cheaper than a valid one: then the lower bound is its cost."""
    race = Race(asked, (), Weighting.own_costs(), known)
    if valid is not None:
        race.bound = race.cost(aligned((), valid))
    race.counts = known.is_fixed
    return race.run(asked.engines.for_cost)


def nearest_of_cheapest(asked: Asked, known: ActionCosts, plan: Sequence[Step]) -> Answer:
    """Return the nearest of the cheapest plans, of which ``plan`` is one; our own search alone looks for it."""
    edits, least = aligned(asked.tokens, plan), asked.metric(tuple(plan))
    most, steps = len(edits), None
    while True:
        race = Race(asked, asked.tokens, Weighting.cheapest(most), known)
        race.steps = steps
        race.best = Answer(status=Status.SOLVED, edits=edits, cost=race.cost(edits))
        found = race.search(lambda: ([], ()))
        assert found.plan is not None
        if asked.metric(found.plan) == least:
            return found
        most, steps = most * _FINER, race.steps  # fewer changes made up for a slightly higher cost


# --- side by side ------------------------------------------------------------------------------
