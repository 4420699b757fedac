"""What was found is told where the time ends later, in what does not look at the clock: by every question."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from tests.adherence.test_adherence_model import DOMAIN as ERRAND
from tests.adherence.test_adherence_model import PLAN as ERRANDS
from tests.adherence.test_adherence_model import PROBLEM as TWO_ERRANDS
from tests.support.models import WALK, WALK_PROBLEM
from tests.support.places import ROOT
from validator import adhere, check, prepare, recognize_goals, repair_model, tokenize, why_not
from validator.adherence.values import Effect
from validator.alarms import OutOfTime
from validator.checking import explain
from validator.flow import check as flow_check
from validator.flow import planning as flow_planning
from validator.flow.check import check_flow
from validator.flow.model import Flow, Goal, GoalKind, Input, Operator, Output
from validator.flow.planning import plan_flow
from validator.model_repair.maxsat import Cheapest
from validator.model_repair.result import Status as RepairStatus
from validator.policies import conform
from validator.policies.policy import Policy
from validator.recognize import recognizer
from validator.recognize.posterior import Verdict
from validator.recognize.problem import Settings
from validator.repair import provers

pytestmark = pytest.mark.planner

BLOCKS = ROOT / "domains" / "blocks"
PLAN = "(go a b)\n(look b)\n(go b a)\n"
LOOP = "(go a b)\n(go b a)\n" + PLAN


def ring(*given: object, **named: object) -> NoReturn:
    raise OutOfTime


def after(times: int, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function after so many calls of which the time is over."""
    calls: list[object] = []

    def counted(*given: object, **named: object) -> Any:
        calls.append(given)
        if len(calls) > times:
            raise OutOfTime
        return function(*given, **named)

    return counted


# --- checks --------------------------------------------------------------------------------------


KEY = """(define (domain key) (:predicates (key) (in) (hot))
  (:action burn :parameters () :precondition (key) :effect (and (not (key)) (hot)))
  (:action open :parameters () :precondition (key) :effect (in)))"""
LOCKED = "(define (problem locked) (:domain key) (:init (key)) (:goal (and (in) (key))))"


def test_a_repair_stays_where_the_proof_that_no_line_more_can_be_kept_takes_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert check(KEY, LOCKED, "(burn)\n(open)", policy="keep").proven
    monkeypatch.setattr(provers, "compile_edit", ring)
    report = check(KEY, LOCKED, "(burn)\n(open)", policy="keep")
    assert (report.determination, report.proven) == (False, False)
    assert list(map(str, report.repaired_plan or ())) == ["(open)"]


# --- questions about a plan ----------------------------------------------------------------------


def test_of_a_question_all_is_told_that_was_found_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(late: tuple[object, str] | None, plan: str | None = LOOP) -> Any:
        with monkeypatch.context() as patched:
            if late is not None:
                patched.setattr(*late, ring)
            questions = ["must (go b a)", "must (look b)"]
            return why_not(prepare(WALK, WALK_PROBLEM), plan=plan, constraints=questions)

    inquiry = sys.modules["validator.foils.inquiry"]
    full = asked(None)
    assert full.best is not None and full.links and not full.reason
    met = "the time limit was met before all was known"
    for late, has in (
        ((inquiry.Inquiry, "_of_all"), ()),
        ((inquiry.Oracle, "optimum"), ("foil",)),
        ((inquiry.Inquiry, "_nearest_of_cheapest"), ("foil", "cheapest")),
        ((inquiry, "link_sentences"), ("foil", "cheapest", "best")),
    ):
        answer = asked(late)
        assert (answer.possible, answer.reason) == (True, met)
        for name in ("foil", "cheapest", "best"):
            assert getattr(answer, name) == (getattr(full, name) if name in has else None), (late, name)
    late_bound = asked((inquiry, "link_sentences"))
    assert late_bound.optimum == full.optimum
    without = asked((inquiry.Oracle, "possible"), plan=None)
    assert without.plan is None
    first = asked((type(prepare(WALK, WALK_PROBLEM)), "optimum"), plan=None)
    assert first.plan is not None and first.plan.cost is not None, "the plan that is asked about was found"


def test_of_redundant_steps_those_are_told_that_were_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain, "_proven", ring)
    prepared = prepare(WALK, WALK_PROBLEM)
    plan = tokenize(LOOP, prepared.vocabulary)
    found = explain.redundant_steps(prepared, plan)
    assert (found.steps, found.proven, found.reason) == ((0, 1), False, "the time limit was met before the proof")


def goals() -> recognizer.Recognition:
    return recognize_goals(WALK, WALK_PROBLEM, "(go a b)", "(at b)\n(at c)", Settings(time_limit=20))


def test_goals_are_ranked_by_what_was_known_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognizer._Recognizer, "_rounds", ring)
    found = goals()
    assert not found.exact and found.observations
    monkeypatch.setattr(recognizer, "observed", ring)
    found = goals()
    assert (found.verdict, found.exact) == (Verdict.NO_ANSWER, False)
    assert found.reason == "the time limit was met before the goals were compared"


def test_a_policy_of_a_trace_that_was_not_read_in_time_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit was for the repair alone: 100,000 calls were read and followed for as long as it took."""
    monkeypatch.setattr(sys.modules[conform.__module__], "read_trace", ring)
    found = conform("never pay", [{"name": "pay", "arguments": {}}])
    assert (found.kept, found.reason) == (None, "the time limit was met before all was read")


# --- models, traces, policies --------------------------------------------------------------------


DOMAIN = (BLOCKS / "domain.pddl").read_text()
FLAWED = DOMAIN.replace("(held ?top) (clear ?below)\n", "(held ?top)\n")


@pytest.mark.parametrize("late", [(Cheapest, "refuse"), ("validator.model_repair.repair._ranked", "")])
def test_a_repair_of_a_model_is_told_without_the_others_of_its_cost(
    late: tuple[object, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pysat")
    where, name = late
    if isinstance(where, str):
        ranked = sys.modules["validator.model_repair.repair"]._ranked
        rung: list[object] = []

        def once(*given: Any) -> Any:
            if not rung:
                rung.append(given)
                raise OutOfTime
            return ranked(*given)

        monkeypatch.setattr(where, once)
    else:
        monkeypatch.setattr(where, name, ring)
    found = repair_model(FLAWED, BLOCKS / "problem.pddl", BLOCKS / "good.plan")
    assert (found.status, found.cost, found.proven) == (RepairStatus.REPAIRED, 1, True)
    assert (found.alternatives, found.is_complete) == ((), False)
    assert check(found.domain_text, BLOCKS / "problem.pddl", BLOCKS / "good.plan", repair=False).determination


@pytest.mark.parametrize("late", ["_reachable", "_effect"])
def test_how_calls_execute_is_told_though_their_deviations_are_not_judged(
    late: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = [{"name": "unlock", "arguments": {}}, {"name": "bake", "arguments": {"i": "bread"}}]
    monkeypatch.setattr(f"validator.adherence.proof._Judge.{late}", ring)
    found = adhere(ERRANDS, calls, model=(ERRAND, TWO_ERRANDS), time_limit=60)
    assert found.execution is not None
    assert (found.execution.sound, found.execution.reaches_goal) == (False, False)
    assert found.execution.faults
    assert {row.effect for row in found.rows if row.is_deviation} == {Effect.UNKNOWN}
    assert ("the time limit was met" in found.execution.reason) is (late != "_effect")


def test_what_calls_have_broken_stays_broken_where_the_rest_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [{"name": name, "arguments": {}} for name in ("pay", "look", "look")]
    monkeypatch.setattr(Policy, "after", after(2, Policy.after))
    found = conform("never pay\nat least 1 ship\nat most 1 look", calls, repair=False)
    assert [each.kept for each in found.findings] == [False, None, None]
    assert (found.kept, found.reason) == (False, "")
    assert found.findings[1].faults[-1].said == "call 3: the time limit was met here"
    monkeypatch.undo()
    monkeypatch.setattr(Policy, "after", after(0, Policy.after))
    assert conform("never pay", calls).kept is None


CHAIN = Flow(
    name="chain",
    operators=(Operator(name="find", inputs=(Input(item="city"),), outputs=(Output(item="hotel"),)),),
    goals=((Goal(kind=GoalKind.KNOWN, subject="hotel"),),),
)


def test_a_flow_that_was_not_compiled_in_time_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow_check, "Checked", ring)
    report = check_flow(CHAIN, "hotel = find(city)")
    assert (report.determination, report.proven, report.planner_response.status) == (None, False, "time limit")
    monkeypatch.setattr(flow_planning, "_planned", ring)
    found = plan_flow(CHAIN)
    assert (found.plan, found.status, found.proven) == (None, "time limit", False)
