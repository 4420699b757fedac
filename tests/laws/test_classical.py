"""Classical models of every kind: verdicts, repairs, optima, moves, claims, limits and redundant steps."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import combinations
from unittest.mock import patch

import pytest
from hypothesis import assume

from tests.support.edit_oracle import Oracle
from tests.support.laws import case_of, judged, law, scale_of, text_of
from tests.support.random_worlds import shouted, wrong_walk
from validator import Quality, check
from validator.checking.explain import redundant_steps
from validator.checking.monitoring.monitor import check_rest
from validator.checking.prepared import Prepared, prepare
from validator.checking.solve import solve
from validator.grounding import limits
from validator.model.pddl import read_model
from validator.reading.tokens import tokenize
from validator.repair.edit import Weighting

CLAIMS = ("There is no plan.", "No plan exists: the goal cannot be reached.", "NO PLAN")


@law(4, quick=30)
def test_a_verdict_its_cost_and_its_faults_are_those_of_execution(seed: int) -> None:
    texts, oracle, _, draw = case_of(seed, "w")
    plan = wrong_walk(oracle, draw, draw.randint(0, 5), draw.choice((0, 0, 1, 2)))
    report = check(*texts, shouted(plan, draw) or "; empty plan", repair=False)
    at_fault, state, cost = list[int](), oracle.init, oracle.begun
    for place, line in enumerate(plan):  # a step at fault changes nothing
        ways = [(after, price) for step, after, price in oracle.successors(state) if str(step) == line]
        if ways:
            state, cost = ways[0][0], cost + ways[0][1]
        else:
            at_fault.append(place)
    told = (texts, plan, report.failures, at_fault)
    assert report.determination is (not at_fault and oracle.is_goal(state)), told
    assert sorted({fault.step for fault in report.failures if fault.step is not None}) == at_fault, told
    assert any(fault.step is None for fault in report.failures) is not oracle.is_goal(state), told
    assert not report.determination or report.cost == cost, (told, report.cost, cost)


def solved(prepared: Prepared, oracle: Oracle, **limited: object) -> None:
    """Find a cheapest plan, or prove that there is none, and compare with Dijkstra over states."""
    least, found = oracle.nearest((), "optimal", "edits", 1), solve(prepared, **limited)  # type: ignore[arg-type]
    if found.plan is None:
        assert least is None or not found.proven, found
    else:
        end = oracle.run(map(str, found.plan))
        assert least is not None and end is not None and oracle.is_goal(end[0]), found
        assert oracle.begun + sum(end[1]) == found.cost, found
        assert found.cost == least[0] if found.proven else found.cost >= least[0], (found, least)
    assert None in (found.lower_bound, least) or found.lower_bound <= least[0], (found, least)  # type: ignore


@law(6, quick=4)
def test_nearest_and_cheapest_plans_are_those_of_dijkstra_over_states_and_places(seed: int) -> None:
    """Of long plans of larger models too, of which every other one is left to the late searches."""
    texts, oracle, *_ = case = case_of(seed, "psswd", 1000)
    plan = case.walk(12, (0, 1, 2, 4))
    prepared = prepare(read_model(*texts))
    for quality in Quality:
        for policy in ("edits", "keep"):
            report = check(prepared, None, text_of(plan), quality=quality, policy=policy)
            judged(report, oracle, plan, policy, scale_of(prepared))
    solved(prepared, oracle)


@law(2)
def test_a_plan_whose_lines_may_move_loses_as_few_as_any(seed: int) -> None:
    texts, *_ = case = case_of(seed, "s")
    prepared, plan = prepare(read_model(*texts)), case.walk(5)[:5]
    skip = Weighting.keeping(len(plan)).skip
    for quality in ("sound", "valid"):
        report = check(prepared, None, text_of(plan), policy="move", quality=quality)
        least = Oracle(*texts).moved(plan, quality, scale_of(prepared))
        assert report.determination is (least == (0, 0)), (quality, least, report.reason)
        if report.determination is False and report.proven:
            found = report.planner_response.cost
            assert found == (None if least is None else least[0] * skip + least[1]), (quality, least, found)


@law(4)
def test_a_text_that_claims_that_there_is_no_plan_is_right_if_there_is_none(seed: int) -> None:
    texts, oracle, _, draw = case_of(seed)
    report = check(*texts, draw.choice(CLAIMS))
    assert report.determination in (oracle.nearest((), "valid", "edits", 1) is None, None), (texts, report.reason)


@law(3)
def test_no_larger_set_of_steps_can_be_left_out(seed: int) -> None:
    texts, oracle, *_ = case = case_of(seed)
    steps = case.walk(6, (0, 0, 1), 1.0)[:9]
    end = oracle.run(steps)
    assume(end is not None and oracle.is_goal(end[0]))
    prepared = prepare(*texts)
    found = redundant_steps(prepared, tokenize(text_of(steps), prepared.vocabulary))

    def is_valid(some: tuple[str, ...]) -> bool:
        end = oracle.run(some)
        return end is not None and oracle.is_goal(end[0])

    kept = tuple(step for place, step in enumerate(steps) if place not in found.steps)
    fewest = next(size for size in range(len(steps) + 1) for part in combinations(steps, size) if is_valid(part))
    assert is_valid(kept) and (len(kept) == fewest or not found.proven), (texts, steps, found, fewest)


@law(2)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # an alarm may ring in a destructor
def test_a_limit_that_is_met_anywhere_leaves_an_answer_open_and_never_changes_it(seed: int) -> None:
    """Check after check on one model, which keeps what they found; the last one has time."""
    texts, oracle, _, draw = case = case_of(seed, "pswd", 1000)
    plan, prepared = case.walk(12, (0, 2, 5)), prepare(read_model(*texts))
    scale = scale_of(prepare(read_model(*texts)))
    for _ in range(5):
        here = prepare(read_model(*texts)) if draw.random() < 0.3 else prepared
        seconds, memory = 10 ** draw.uniform(-3.0, -0.3), draw.choice((2**31, int(2 ** draw.uniform(20, 29))))
        quality, policy = draw.choice(list(Quality)), draw.choice(("edits", "keep"))
        with ExitStack() as changed:
            if draw.random() < 0.5:  # the alarm rings as soon as the time is over, wherever the process is then
                changed.enter_context(patch.object(limits, "_LEAST", 0.0))
            if draw.random() < 0.2:
                solved(here, oracle, time_limit=seconds, memory_limit=memory)
                continue
            report = check(
                here, None, text_of(plan), quality=quality, policy=policy, time_limit=seconds, memory_limit=memory
            )
        judged(report, oracle, plan, policy, scale, is_limited=True)
    report = check(prepared, None, text_of(plan), quality=draw.choice(list(Quality)), time_limit=120)
    assert report.proven or report.planner_response.status == "cost limit", report.planner_response
    judged(report, oracle, plan, "edits", scale)


# --- plans under way -------------------------------------------------------------------------------


@law(6, quick=1)
def test_the_rest_of_a_plan_under_way_is_repaired_from_the_state_that_holds(seed: int) -> None:
    texts, _, states, draw = case = case_of(seed, "p")
    prepared, plan, policy = prepare(*texts), case.walk(5), draw.choice(("edits", "keep"))
    executed, state = draw.randint(0, len(plan)), draw.choice(states)
    report = check_rest(
        prepared, text_of(plan), executed=executed, state=sorted(state), policy=policy, strict=True, time_limit=60
    )
    judged(report, Oracle(*texts, state), plan, policy, scale_of(prepared), executed=executed)
    assert report.repaired_plan is None or list(map(str, report.repaired_plan[:executed])) == plan[:executed], report
