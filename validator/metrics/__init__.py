"""How similar plans are: by their steps, by what they do in a model; GAICO's metrics among them.

lcs, jaccard, ...          two plans by their steps (distances)
states_distance, ...       two plans by their execution (effects)
compare                    two plans or more by each metric
PlanningLCS, ...           GAICO's classes; ``compat="gaico"`` is bit-equal to its code
tool_correctness           calls of tools against the expected ones

Plans in any form come in, a ``Score`` goes out. Open ``compare`` first: every metric by its name.
"""

from __future__ import annotations

from validator.metrics.compare import METRICS, Comparison, compare
from validator.metrics.distances import (
    actions_distance,
    edit_distance,
    jaccard,
    lcs,
    stability_distance,
    step_f1,
    step_precision,
    step_recall,
)
from validator.metrics.effects import (
    Link,
    causal_links,
    cost_ratio,
    links_distance,
    plan_cost,
    same_effect,
    same_states,
    states_distance,
    valid_prefix,
)
from validator.metrics.gaico import ActionSequenceDiff, PlanningJaccard, PlanningLCS
from validator.metrics.reading import PlanLike, Reading, Score, read
from validator.metrics.tools import ToolCorrectness, tool_correctness

__all__ = [
    "METRICS",
    "ActionSequenceDiff",
    "Comparison",
    "Link",
    "PlanLike",
    "PlanningJaccard",
    "PlanningLCS",
    "Reading",
    "Score",
    "ToolCorrectness",
    "actions_distance",
    "causal_links",
    "compare",
    "cost_ratio",
    "edit_distance",
    "jaccard",
    "lcs",
    "links_distance",
    "plan_cost",
    "read",
    "same_effect",
    "same_states",
    "stability_distance",
    "states_distance",
    "step_f1",
    "step_precision",
    "step_recall",
    "tool_correctness",
    "valid_prefix",
]
