"""What is said when no plan does what was asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from validator.foils.changed.changes import Change, Goal
from validator.foils.compiled.properties import WithinCost
from validator.foils.compiled.solve import Oracle, Wish
from validator.foils.findings import Reason
from validator.foils.impossible.conflicts import minimal_conflicts
from validator.foils.impossible.excuses import excuse_for
from validator.foils.impossible.reasons import reason_for
from validator.model.conditions import conjuncts

__all__ = ["why_impossible"]

_MOST_REASONS = 4
"""conflicts of which a reason is looked for"""


def why_impossible(wishes: Sequence[Wish], oracle: Oracle) -> dict[str, Any]:
    """Return the fields of an answer that say why no plan keeps to wishes.

    With a budget the goals are wishes as well: which of them, and of the others, fit into it.
    """
    fixed = tuple(wish for wish in wishes if isinstance(wish, WithinCost))
    asked: list[Wish | Goal] = [wish for wish in wishes if not isinstance(wish, WithinCost)]
    if fixed:
        goal = oracle.world(wishes).prepared.model.problem.goal
        asked += (Goal(goal=part) for part in conjuncts(goal))

    def possible(chosen: frozenset[int]) -> bool | None:
        if oracle.limits.seconds == 0:
            return None
        some = [asked[number] for number in sorted(chosen)]
        goals = [wish.goal for wish in some if isinstance(wish, Goal)] if fixed else None
        return oracle.possible((*(wish for wish in some if not isinstance(wish, Goal)), *fixed), goals)

    found = minimal_conflicts(len(asked), possible)
    conflicts = tuple(tuple(asked[number] for number in sorted(conflict)) for conflict in found.sets)
    fitting = tuple(tuple(asked[number] for number in sorted(each)) for each in found.fitting)
    reasons = (_reason(conflict, fixed, oracle) for conflict in conflicts[:_MOST_REASONS])
    # A conflict of changes alone, or of nothing: the model itself has no plan.
    is_unsolvable = not fixed and any(all(isinstance(wish, Change) for wish in conflict) for conflict in conflicts)
    return {
        "conflicts": conflicts,
        "fitting": fitting,
        "all_conflicts": found.complete,
        "reasons": tuple(reason for reason in reasons if reason is not None),
        "excuse": excuse_for(oracle.world(wishes), oracle.limits) if is_unsolvable else None,
    }


def _reason(conflict: Sequence[Wish | Goal], fixed: Sequence[Wish], oracle: Oracle) -> Reason | None:
    return reason_for(conflict, fixed, oracle) if oracle.limits.seconds > 0 else None
