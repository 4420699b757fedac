"""That no plan keeps more of the observed steps: the proof that the policy ``keep`` needs beside the cheapest sum.

In a sum of skips and insertions a dear insertion outweighs a skip, whatever a skip costs. So the fewest skips are
proven by themselves, with insertions for nothing; only then is the cheapest sum the nearest plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from validator.alarms import OutOfTime
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.planner import search
from validator.grounding.strategies import optimal_strategy, prover_of
from validator.records import replace
from validator.repair.edit import LARGEST, Edit, EditTask, Move, Weighting, compile_edit
from validator.repair.incumbent import Incumbent
from validator.repair.proved import Proved

__all__ = ["with_fewest_skips"]


_Search: TypeAlias = Callable[[Incumbent, Limits], Proved]


def with_fewest_skips(
    incumbent: Incumbent, limits: Limits, again: Callable[[Weighting], Incumbent], searched: _Search
) -> Proved:
    """Search for the policy ``keep``: proven is a plan with proven fewest skips, and of these the cheapest.

    ``again`` begins with other weights: where a plan with fewer skips inserts for more than a skip costs.
    """
    found = searched(incumbent, limits)
    most = _free_skips(incumbent.edit_task, found.edits)
    if not found.proven or not most:
        return found
    try:
        return _with_proof(incumbent, found, most, limits, again, searched)
    except OutOfTime:  # in what does not look at the clock
        return replace(found, proven=False, status=Status.TIME_LIMIT)


def _with_proof(
    incumbent: Incumbent,
    found: Proved,
    most: int,
    limits: Limits,
    again: Callable[[Weighting], Incumbent],
    searched: _Search,
) -> Proved:
    """Return what was found, or better, with whether no plan has fewer than ``most`` skips that may be spared."""
    edit_task, with_goal = incumbent.edit_task, incumbent.with_goal
    task = compile_edit(edit_task.task, edit_task.tokens, Weighting.fewest_skips(), with_goal=with_goal)
    strategy = optimal_strategy(task.task)
    outcome = search(task.text, strategy, limits, lambda bound: bound >= most)
    if _is_fewest(outcome, most):
        return found
    if outcome.status is not Status.SOLVED:
        return replace(found, proven=False, status=outcome.status)
    keeping_more = task.edits(outcome.plan)
    inserted = edit_task.cost(keeping_more) - edit_task.weighting.skip * _skips(keeping_more)
    dearer = replace(edit_task.weighting, skip=inserted + 1)
    if dearer.skip * (len(keeping_more) + 2) > LARGEST:
        return replace(incumbent.checked(keeping_more, prover_of(strategy)), status=Status.COST_LIMIT)
    second = again(dearer)
    second.take(keeping_more, prover_of(strategy))
    cheapest = searched(second, limits)
    fewest = _skips(keeping_more)
    return cheapest if _skips(cheapest.edits or keeping_more) == fewest else replace(cheapest, proven=False)


def _is_fewest(outcome: Outcome, skips: int) -> bool:
    """Return whether a search proved that no plan skips fewer tokens."""
    return outcome.lower_bound >= skips or (outcome.status is Status.SOLVED and outcome.cost == skips)


def _free_skips(edit_task: EditTask, edits: Sequence[Edit] | None) -> int:
    """Return how many tokens are skipped that could be kept."""
    return _skips(edits or ()) - (len(edit_task.tokens) - len(edit_task.kept) if edits else 0)


def _skips(edits: Sequence[Edit]) -> int:
    return sum(edit.move is Move.SKIP for edit in edits)
