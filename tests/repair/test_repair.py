"""Repairs: the nearest plan with a quality, proven or said not to be, whatever the model."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

from tests.conformance.cases import Case, cases
from tests.support.depth import some
from tests.support.models import carry, gripper, limits, task_of
from tests.support.processes import children, running_in
from validator import Quality, Report, check
from validator.checking.check import Prepared, prepare
from validator.model.bundled import bundles
from validator.model.pddl import read_model
from validator.reading.tokens import tokenize
from validator.repair import Policy
from validator.repair.diff import apply_diff
from validator.repair.nearest import repair

pytestmark = pytest.mark.planner

ROADS = """
(define (domain roads) (:requirements :adl :action-costs)
  (:predicates (at ?x) (road ?x ?y) (lamp)) (:functions (total-cost))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y)) :effect (and (at ?y) (not (at ?x))))
  (:action on :parameters () :precondition (not (lamp)) :effect (lamp))
  (:action off :parameters () :precondition (lamp) :effect (not (lamp)))
  (:action look :parameters () :precondition (lamp)))
"""


def roads(goal: str, facts: str = "") -> str:
    init = f"(at a) (road a b) (road b c) (road c b) {facts}"
    return f"(define (problem q) (:domain roads) (:objects a b c d) (:init {init}) (:goal {goal}))"


def changes(report: Report) -> int:
    return sum(diff.diff_type is not None for diff in report.plan_diff_obj)


def confirm(report: Report, model: Prepared | tuple[str, str]) -> None:
    """Assert that the repaired plan of a report has the quality when it is checked from its text."""
    assert report.repaired_plan is not None
    text = "".join(f"{step}\n" for step in report.repaired_plan)
    domain, problem = (model, None) if isinstance(model, Prepared) else model
    again = check(domain, problem, text, quality=report.report_type, dialect="pddl")
    assert again.determination is True
    assert again.cost == report.repaired_cost


# --- what is nearest -----------------------------------------------------------------------------

BROKEN = "(go a b)\n(go b d)\n(look)\n(fly)\n"


def test_no_repair_asks_no_planner() -> None:
    report = check(ROADS, roads("(at c)"), BROKEN, repair=False)
    assert report.planner_response.status == "not asked"
    assert report.repaired_plan is None


# --- no plan at all ------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["edits", "keep"])
@pytest.mark.parametrize("quality", ["valid", "optimal"])
@pytest.mark.parametrize(
    "goal",
    ["(at d)", "(or)", "(and (at b) (at c))", "(and (at b) (not (at b)))", "(exists (?x) (and (at ?x) (not (at ?x))))"],
    ids=["relaxed", "never", "after search", "contradiction", "quantified"],
)
def test_that_there_is_no_plan_is_proven(goal: str, quality: str, policy: str) -> None:
    report = check(ROADS, roads(goal), "(go a b)", quality=quality, policy=policy)
    assert report.determination is False
    assert (report.planner_response.no_solution, report.proven, report.repaired_plan) == (True, True, None)
    assert "the goal cannot be reached (proven)" in report.reason


# --- costs ---------------------------------------------------------------------------------------

PRICES = """
(define (domain prices) (:requirements :strips :action-costs) (:predicates (at ?x) (road ?x ?y))
  (:functions (total-cost) (price ?x ?y))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y))
    :effect (and (at ?y) (not (at ?x)) (increase (total-cost) (price ?x ?y)))))
"""


def prices(first: str, second: str, direct: str) -> str:
    values = " ".join(
        f"(= (price {way}) {value})" for way, value in (("a b", first), ("b c", second), ("a c", direct)) if value
    )
    return (
        "(define (problem q) (:domain prices) (:objects a b c) (:goal (at c)) (:metric minimize (total-cost))"
        f" (:init (at a) (road a b) (road b c) (road a c) {values}))"
    )


@pytest.mark.parametrize("values", [("-1", "2", "3"), ("1e12", "1", "1"), ("0.0000000001", "1", "1")])
def test_costs_that_the_planner_cannot_hold_are_said_so(values: tuple[str, str, str]) -> None:
    report = check(PRICES, prices(*values), "(go a b)\n(go b c)\n", quality="optimal")
    assert (report.determination, report.planner_response.plan) == (None, ())
    assert "cannot be given the model" in report.reason


@pytest.mark.parametrize("scale", [10**8, 19 * 10**7])
def test_costs_of_thirty_bits_prove_nothing_false(scale: int) -> None:
    """Fast Downward holds the cost of a path in 30 bits."""
    report = check(
        PRICES, prices(str(5 * scale), str(5 * scale), str(11 * scale)), "(go a c)", quality="optimal", time_limit=5
    )
    assert report.determination is not True


def test_a_metric_to_be_maximized_is_not_decided() -> None:
    problem = prices("1", "1", "1").replace("(:metric minimize (total-cost))", "(:metric maximize (total-cost))")
    report = check(PRICES, problem, "(go a c)", quality="optimal")
    assert (report.determination, report.cost, report.optimal_cost) == (None, 1, None)
    assert check(PRICES, problem, "(go a c)").determination is True


# --- laws on many plans --------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=str(case))
        for case in cases()
        if case.level in ("classical", "axioms") and case.verdict != "model_error"
    ][::2],
)
def test_a_conformance_plan_is_sound_if_and_only_if_the_nearest_sound_one_is_itself(case: Case) -> None:
    report = check(*case.files, quality="sound", strict=case.verdict == "malformed", strict_pddl=True)
    if report.determination is False:
        assert report.proven
        assert report.planner_response.cost is not None and report.planner_response.cost > 0
        assert changes(report) > 0
    else:
        assert report.determination is True
        assert cheapest_edit(*case.files) == 0


def cheapest_edit(domain: Path, problem: Path, plan: Path) -> int | None:
    """Return what the planner says the nearest sound plan costs, without asking the execution first."""
    prepared = prepare(read_model(domain, problem))
    read = tokenize(plan.read_bytes().decode(), prepared.vocabulary)
    tokens = tuple(map(prepared.simulator.resolve, read.tokens))
    return repair(task_of(prepared), prepared.simulator, tokens, Policy.EDITS, limits(), with_goal=False).upper


# A repair in a household takes seconds: one of each is enough.
PLANS = [
    pytest.param(plan, id=f"{model.name}/{plan.name}")
    for model in bundles()
    for plan in model.plans
    if model.name not in ("behavior", "virtualhome") or plan.name in ("broken-dry-rag.plan", "broken-too-far.plan")
]
SOME_PLANS = some(PLANS, 12)
_ENOUGH = 120.0
"""seconds, for a proof beside whatever else the machine does"""


@pytest.mark.parametrize("plan", SOME_PLANS)
def test_a_repaired_bundled_plan_has_the_quality_and_its_diff_applies(plan: Path) -> None:
    folder = plan.parent
    for quality in Quality:
        files = folder / "domain.pddl", folder / "problem.pddl", plan
        report = check(*files, quality=quality, context=1, time_limit=_ENOUGH)
        assert report.proven
        if report.determination:
            assert report.plan_diff_str == ""
            continue
        assert changes(report) > 0
        confirm(report, (str(folder / "domain.pddl"), str(folder / "problem.pddl")))
        assert apply_diff(report.plan_diff_str, plan.read_text()) == tuple(map(str, report.repaired_plan or ()))


# --- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize("quality", list(Quality))
@pytest.mark.parametrize("policy", ["edits", "keep"])
@pytest.mark.parametrize("seconds", [0.001, 0.05])
def test_with_hardly_any_time_the_answer_is_still_decided_by_execution(
    quality: Quality, policy: str, seconds: float
) -> None:
    domain, problem = gripper(3)
    options = {"quality": quality, "policy": policy, "time_limit": seconds}
    broken = check(prepare(read_model(domain, problem)), None, "(move y x)\n", **options)  # type: ignore[arg-type]
    assert broken.determination is False
    good = check(prepare(read_model(domain, problem)), None, carry(3), **options)  # type: ignore[arg-type]
    assert good.determination in ((True,) if quality is not Quality.OPTIMAL else (False, None))


@pytest.mark.deep
def test_an_optimum_that_is_not_proven_in_time_is_an_interval() -> None:
    domain, problem = gripper(16)
    report = check(domain, problem, carry(16), quality="optimal", time_limit=3)
    assert (report.determination, report.cost) == (None, 64)
    assert report.optimal_cost is not None
    assert 0 < report.optimal_cost.lower < 64 == report.optimal_cost.upper
    assert "time limit" in report.reason


def test_memory_that_does_not_suffice_for_the_optimum_is_a_limit() -> None:
    prepared = prepare(read_model(*gripper(3)))
    task_of(prepared)
    report = check(prepared, None, "(move y x)", quality="optimal", memory_limit=10 * 2**20)
    assert report.determination is False
    assert report.planner_response is not None and report.planner_response.status == "memory limit"
    assert not report.proven


# --- side by side --------------------------------------------------------------------------------


def test_threads_may_share_a_prepared_model() -> None:
    prepared = prepare(read_model(ROADS, roads("(at c)")))
    plans = ["(go a b)", "(go b c)", "", "(go a b)\n(go b c)"] * 3
    with ThreadPoolExecutor(4) as executor:
        reports = list(executor.map(lambda plan: check(prepared, None, plan, quality="optimal"), plans))
    assert [report.determination for report in reports] == [False, False, False, True] * 3
    assert {report.repaired_cost for report in reports} == {Fraction(2), None}


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = children()
    domain, problem = gripper(12)
    check(domain, problem, carry(12), quality="optimal", time_limit=1.0)
    check(domain, problem, "(move y x)", time_limit=0.3)
    assert (list(tmp_path.iterdir()), running_in(tmp_path), children()) == ([], [], before)


# --- comparing only ------------------------------------------------------------------------------


def test_a_cheaper_plan_disproves_before_the_cheapest_cost_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    # Blind search needs long for sixteen balls, and a plan that carries one ball a time is far from the cheapest.
    monkeypatch.setattr("validator.repair.cheapest.optimal_strategy", lambda task: "astar(blind())")
    prepared = prepare(read_model(*gripper(16)))
    steps = [line for line in carry(16).split("\n") if line.strip()]
    detour = ["(move x y)", "(move y x)"]
    report = check(prepared, None, "\n".join([*detour, *steps]), quality="optimal", repair=False, time_limit=60)
    assert report.determination is False
    assert report.optimal_cost is not None
    assert report.optimal_cost.upper is not None
    assert report.cost is not None
    assert report.optimal_cost.lower <= report.optimal_cost.upper < report.cost
    assert "a plan of cost" in report.reason


@pytest.mark.parametrize("quality", ["sound", "valid"])
def test_costs_that_the_planner_does_not_take_leave_a_repair_that_keeps_steps(quality: str) -> None:
    domain = """(define (domain d) (:requirements :strips :action-costs) (:predicates (a) (b) (c))
      (:functions (total-cost))
      (:action x :precondition (a) :effect (and (b) (increase (total-cost) 123.4567891234)))
      (:action y :precondition (b) :effect (and (c) (increase (total-cost) 98765432.1))))"""
    problem = """(define (problem p) (:domain d) (:init (a) (= (total-cost) 0)) (:goal (c))
      (:metric minimize (total-cost)))"""
    report = check(domain, problem, "(y)\n", quality=quality, policy="keep")
    assert report.determination is False
    assert report.repaired_plan is not None
    assert [str(step) for step in report.repaired_plan] == ["(x)", "(y)"]
    assert not report.proven
    assert report.planner_response.status == "cost limit"
