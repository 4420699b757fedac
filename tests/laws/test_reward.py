"""The distances and labels that a model is trained on are those of a brute search."""

from __future__ import annotations

from random import Random

from hypothesis import assume

from tests.support.edit_oracle import CHEAP, Oracle, random_case
from tests.support.laws import law, text_of
from tests.support.random_worlds import PLAIN, random_plan, random_world, states_of, way_to_goal, with_goal_in_reach
from validator.checking.prepared import prepare
from validator.model.pddl import read_model
from validator.reward import score
from validator.reward.literals import Literals

LONG = 600.0


@law(20)
def test_a_score_says_what_a_brute_search_says(seed: int) -> None:
    draw = Random(seed)
    if draw.random() < 0.5:
        domain, problem, plan = random_case("strips", seed)
        oracle = Oracle(domain, problem)
    else:
        domain, problem = with_goal_in_reach(random_world(seed, CHEAP, PLAIN), draw)
        oracle = Oracle(domain, problem)
        plan = random_plan(oracle, draw, 8)
    assume(states_of(oracle, 300) is not None)
    prepared = prepare(read_model(domain, problem))
    assume(Literals.of(prepared.simulator) is not None)
    (found,) = score(prepared, [text_of(plan)], time_limit=LONG)
    right = oracle.nearest(plan, "valid", "edits", 1)
    if found.valid is None:
        return
    assert found.valid is (right is not None and right[0] == 0)
    assert found.no_plan is (right is None)
    assert right is None or found.distance == right[0], (domain, problem, plan, found)
    state, known = oracle.init, {str(step) for step in oracle.steps}
    for label, line in zip(found.steps, plan, strict=True):
        behind = next((after for step, after, _ in oracle.successors(state) if str(step) == line), None)
        assert label.executable is (behind is not None), (line, known, label)
        state = state if behind is None else behind
        assert label.goal_reachable in (None, way_to_goal(oracle, state) is not None), (domain, problem, plan, label)
