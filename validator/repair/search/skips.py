"""That no plan keeps more of the observed steps: the proof that the policy ``keep`` needs beside the cheapest sum.

In a sum of skips and insertions a dear insertion outweighs a skip, whatever a skip costs. So the fewest skips are
proven by themselves, with insertions for nothing; only then is the cheapest sum the nearest plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.planner import search
from validator.grounding.strategies import optimal_strategy
from validator.records import replace
from validator.repair.edit import LARGEST, Edit, EditTask, Move, Weighting, compile_edit
from validator.repair.search.answer import Repair
from validator.repair.search.race import Race
from validator.resources import OutOfTime

__all__ = ["with_fewest_skips"]


def with_fewest_skips(race: Race, limits: Limits, again: Callable[[Weighting], Race]) -> Repair:
    """Run a race for the policy ``keep``: proven is a plan with proven fewest skips, and of these the cheapest.

    ``again`` makes a race with other weights: where a plan with fewer skips inserts for more than a skip costs.
    """
    found = race.run(limits)
    most = _free_skips(race.edit_task, found.edits)
    if not found.proven or not most:
        return found
    try:
        return _with_proof(race, found, most, limits, again)
    except OutOfTime:  # in what does not look at the clock
        return replace(found, proven=False, status=Status.TIME_LIMIT)


def _with_proof(race: Race, found: Repair, most: int, limits: Limits, again: Callable[[Weighting], Race]) -> Repair:
    """Return what a race found, or better, with whether no plan has fewer than ``most`` skips that may be spared."""
    with_goal = race.standing.with_goal
    task = compile_edit(race.edit_task.task, race.edit_task.tokens, Weighting.fewest_skips(), with_goal=with_goal)
    outcome = search(task.text, optimal_strategy(task.task), limits, lambda bound: bound >= most)
    if _is_fewest(outcome, most):
        return found
    if outcome.status is not Status.SOLVED:
        return replace(found, proven=False, status=outcome.status)
    keeping_more = task.edits(outcome.plan)
    return _cheapest(race, keeping_more, limits, again)


def _is_fewest(outcome: Outcome, skips: int) -> bool:
    """Return whether a search proved that no plan skips fewer tokens."""
    return outcome.lower_bound >= skips or (outcome.status is Status.SOLVED and outcome.cost == skips)


def _cheapest(race: Race, edits: tuple[Edit, ...], limits: Limits, again: Callable[[Weighting], Race]) -> Repair:
    """Return the cheapest plan with as few skips as ``edits``, which are proven fewest."""
    inserted = race.edit_task.cost(edits) - race.edit_task.weighting.skip * _skips(edits)
    dearer = replace(race.edit_task.weighting, skip=inserted + 1)
    if dearer.skip * (len(edits) + 2) > LARGEST:
        return replace(race.standing.checked(edits), status=Status.COST_LIMIT)
    second = again(dearer)
    second.standing.take(edits)
    found = second.run(limits)
    return found if _skips(found.edits or edits) == _skips(edits) else replace(found, proven=False)


def _free_skips(edit_task: EditTask, edits: Sequence[Edit] | None) -> int:
    """Return how many tokens are skipped that could be kept."""
    return _skips(edits or ()) - (len(edit_task.tokens) - len(edit_task.kept) if edits else 0)


def _skips(edits: Sequence[Edit]) -> int:
    return sum(edit.move is Move.SKIP for edit in edits)
