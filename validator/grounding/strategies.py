"""The searches of Fast Downward that prove a cheapest plan, and those that look for a better one."""

from __future__ import annotations

from math import inf

from validator.grounding.task import Task

__all__ = ["SECOND_PROOF", "better", "first_plan_strategy", "has_second_proof", "optimal_strategy", "prover_of"]

_LM_CUT = (
    "astar(lmcut(), pruning=limited_pruning(pruning=atom_centric_stubborn_sets(), min_required_pruning_ratio=0.2))"
)
"""A* with LM-cut, and stubborn sets (Wehrle and Helmert 2014) for as long as they prune.

They cost nothing on competition models, and spare the orders of independent steps, of which flows are full: 0.02 s
where it takes 10 s without.
"""
_HMAX, _BLIND = "astar(hmax())", "astar(blind())"

SECOND_PROOF = "astar(cpdbs(patterns=hillclimbing(max_time=2)))"
"""A* with pattern databases (Haslum et al. 2007), which prove cheapest costs that LM-cut is too slow for."""

_BETTER = "let(h, ff(), lazy_wastar([h], preferred=[h], w=2, max_time={seconds}{bound}))"


_GREEDY = "let(h, ff(), lazy_greedy([h], preferred=[h]{bound}))"
_LANDMARKS = (
    "let(h, ff(), let(l, landmark_sum(lm_reasonable_orders_hps(lm_rhw())),"
    " lazy_greedy([h, l], preferred=[h, l]{bound})))"
)

_FEW = 10_000
"""operators up to which landmarks guide the search for a first plan: of more they take longer than it does"""


def first_plan_strategy(task: Task, most: int | None = None) -> str:
    """Return a search for any plan, or one that costs so much at most.

    Landmarks guide it where they serve (LAMA, Richter and Westphal 2010).
    """
    strategy = _GREEDY if task.has_axioms or len(task.operators) > _FEW else _LANDMARKS
    return strategy.format(bound="" if most is None else f", bound={most + 1}")


def better(cost: int | None, seconds: float = inf) -> str:
    """Return weighted A* for a plan that costs less than the best one known, in so many CPU seconds.

    Greedy search would leave every observation unexplained that has a price.
    """
    limit = "infinity" if seconds == inf else f"{seconds}"
    return _BETTER.format(seconds=limit, bound="" if cost is None else f", bound={cost}")


def optimal_strategy(task: Task) -> str:
    """Return the search that proves a cheapest plan: its heuristic must be admissible on the task.

    LM-cut (Helmert and Domshlak 2009) and stubborn sets handle neither conditional effects nor axioms; hmax is
    admissible with conditional effects, not with axioms.
    """
    if task.has_axioms:
        return _BLIND
    return _HMAX if task.has_conditional_effects else _LM_CUT


def prover_of(strategy: str) -> str:
    """Return what an optimal search is called in reports."""
    return {
        _LM_CUT: "A* with LM-cut (Fast Downward)",
        SECOND_PROOF: "A* with pattern databases (Fast Downward)",
        _HMAX: "A* with hmax (Fast Downward)",
        _BLIND: "blind A* (Fast Downward)",
    }[strategy]


def has_second_proof(task: Task) -> bool:
    """Return whether pattern databases can be built: they know neither conditional effects nor axioms."""
    return not task.has_axioms and not task.has_conditional_effects
