"""What is said when no plan does what was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from validator.automata.properties import WithinCost
from validator.foils.changed.changes import Change, Goal, OtherGoal, WithGoal, WithoutGoal
from validator.foils.compiled.solve import Oracle, Wish, changes_of
from validator.foils.findings import Reason
from validator.foils.impossible.conflicts import Conflicts, conflicts_one_by_one, minimal_conflicts
from validator.foils.impossible.excuses import excuse_for
from validator.foils.impossible.reasons import reason_for
from validator.model.conditions import conjuncts
from validator.records import replace

__all__ = ["conflicts_among", "why_impossible"]

_MOST_ONE_BY_ONE = 4
_MOST_REASONS = 4
"""conflicts of which a reason is looked for"""


def why_impossible(wishes: Sequence[Wish], oracle: Oracle) -> dict[str, Any]:
    """Return the fields of an answer that say why no plan keeps to wishes.

    With a budget the goals are wishes as well: which of them, and of the others, fit into it. Those that were asked for
    are then among them, so that a question for another goal is no wish of its own: each goal may be left out.
    """
    fixed = tuple(wish for wish in wishes if isinstance(wish, WithinCost))
    no_wishes = (WithinCost, WithGoal, WithoutGoal, OtherGoal) if fixed else (WithinCost,)
    asked: list[Wish | Goal] = [wish for wish in wishes if not isinstance(wish, no_wishes)]
    if fixed:
        goal = oracle.world(wishes).model.problem.goal
        asked += (Goal(goal=part) for part in conjuncts(goal))

    def possible(chosen: frozenset[int]) -> bool | None:
        if oracle.limits.seconds == 0:
            return None
        some = [asked[number] for number in sorted(chosen)]
        goals = [wish.goal for wish in some if isinstance(wish, Goal)] if fixed else None
        return oracle.possible((*(wish for wish in some if not isinstance(wish, Goal)), *fixed), goals)

    found = conflicts_among(asked, possible)
    conflicts = tuple(tuple(asked[number] for number in sorted(conflict)) for conflict in found.sets)
    fitting = tuple(tuple(asked[number] for number in sorted(each)) for each in found.fitting)
    reasons = (_reason(conflict, fixed, oracle) for conflict in conflicts[:_MOST_REASONS])
    is_unsolvable = not fixed and oracle.possible(changes_of(wishes)) is False
    return {
        "conflicts": conflicts,
        "fitting": fitting,
        "all_conflicts": found.complete,
        "reasons": tuple(reason for reason in reasons if reason is not None),
        "excuse": excuse_for(oracle.world(wishes), oracle.limits) if is_unsolvable else None,
    }


def conflicts_among(asked: Sequence[Wish | Goal], possible: Callable[[frozenset[int]], bool | None]) -> Conflicts:
    """Return the conflicts among wishes.

    Another model may have plans that this one has not. Where there are many wishes beside such changes, the changes
    hold in every set: what conflicts is told of that model.
    """
    changing = frozenset(
        number for number, wish in enumerate(asked) if isinstance(wish, Change) and not isinstance(wish, WithGoal)
    )
    if not changing:
        return minimal_conflicts(len(asked), possible)
    if len(asked) <= _MOST_ONE_BY_ONE:
        return conflicts_one_by_one(len(asked), possible)
    others = [number for number in range(len(asked)) if number not in changing]

    def all_of(chosen: frozenset[int]) -> frozenset[int]:
        return changing | {others[number] for number in chosen}

    found = minimal_conflicts(len(others), lambda chosen: possible(all_of(chosen)))
    return replace(
        found, sets=tuple(map(all_of, found.sets)), fitting=tuple(map(all_of, found.fitting)), complete=False
    )


def _reason(conflict: Sequence[Wish | Goal], fixed: Sequence[Wish], oracle: Oracle) -> Reason | None:
    return reason_for(conflict, fixed, oracle) if oracle.limits.seconds > 0 else None
