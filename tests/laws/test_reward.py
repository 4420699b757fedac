"""The distances and labels that a model is trained on are those of a brute search."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import assume

from tests.support.edit_oracle import CHEAP, Oracle, random_case
from tests.support.laws import law, text_of
from tests.support.random_worlds import (
    PLAIN,
    Texts,
    random_world,
    states_of,
    way_to_goal,
    with_goal_in_reach,
    wrong_walk,
)
from validator.checking.prepared import prepare
from validator.model.pddl import read_model
from validator.reward import Score, score

LONG = 600.0


PLANS = 10
"""of each model"""


@law(4)
def test_scores_say_what_a_brute_search_says(seed: int) -> None:
    draw = Random(seed)
    if draw.random() < 0.5:
        domain, problem, plan = random_case("strips", seed)
    else:
        domain, problem = with_goal_in_reach(random_world(seed, CHEAP, PLAIN), draw)
        plan = []
    if draw.random() < 0.5:
        problem = problem.replace("(:metric minimize (total-cost))", "")
    oracle = Oracle(domain, problem)
    plans = [plan, *(wrong_walk(oracle, draw, draw.randint(0, 8), draw.randint(0, 3)) for _ in range(PLANS - 1))]
    assume(states_of(oracle, 300) is not None)
    prepared = prepare(read_model(domain, problem))
    assume(prepared.small is not None and prepared.small.goal is not None)
    for lines, found in zip(plans, score(prepared, map(text_of, plans), time_limit=LONG), strict=True):
        if found.valid is not None:
            compared((domain, problem), oracle, lines, found)


def compared(texts: Texts, oracle: Oracle, plan: Sequence[str], found: Score) -> None:
    """Compare a score with Dijkstra over states and places, and its labels with the shortest ways from each state."""
    right = oracle.nearest(plan, "valid", "edits", 1)
    assert found.valid is (right is not None and right[0] == 0)
    assert found.no_plan is (right is None)
    assert right is None or found.distance == right[0], (texts, plan, found)
    state, rest = oracle.init, way_to_goal(oracle, oracle.init)
    is_counted = "metric" not in texts[1]
    for label, line in zip(found.steps, plan, strict=True):
        behind = next((after for step, after, _ in oracle.successors(state) if str(step) == line), None)
        assert label.executable is (behind is not None), (texts, plan, label)
        state = state if behind is None else behind
        before, rest = rest, way_to_goal(oracle, state)
        assert label.goal_reachable is (rest is not None), (texts, plan, label)
        begins = behind is not None and before is not None and rest is not None and len(rest) + 1 == len(before)
        assert label.on_cheapest in ((begins,) if is_counted else (None, False)), (texts, plan, label)
