"""Plans under way: the rest is checked, and repaired, from the state that is."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from validator import check, prepare, tokenize
from validator.cli import main
from validator.diff import DiffAction, apply_diff
from validator.errors import InputError, ModelError
from validator.metrics.sequences import lcs_length
from validator.monitor import check_rest
from validator.pddl import read_state
from validator.plan import Step
from validator.report import Report

pytestmark = pytest.mark.planner

DOMAIN = """(define (domain walk) (:requirements :strips :typing :action-costs) (:types place)
  (:predicates (at ?x - place) (next ?a ?b - place) (seen ?x - place))
  (:functions (total-cost) - number)
  (:action go :parameters (?a ?b - place) :precondition (and (at ?a) (next ?a ?b))
    :effect (and (not (at ?a)) (at ?b) (increase (total-cost) 2)))
  (:action look :parameters (?x - place) :precondition (at ?x) :effect (and (seen ?x) (increase (total-cost) 1))))"""
PROBLEM = """(define (problem w) (:domain walk) (:objects a b c - place)
  (:init (at a) (next a b) (next b a) (next b c) (next c b) (= (total-cost) 0))
  (:goal (and (seen b) (at a))) (:metric minimize (total-cost)))"""
PLAN = "(go a b)\n(look b)\n(go b a)\n"
PREPARED = prepare(DOMAIN, PROBLEM)
DELIVERY = Path(__file__).parents[1] / "domains" / "delivery"


def _lines(report: Report) -> list[str]:
    return [str(diff) for diff in report.plan_diff_obj]


@pytest.mark.parametrize("executed", range(4))
@pytest.mark.parametrize("quality", ["sound", "valid", "optimal"])
def test_the_rest_of_a_good_plan_is_good(executed: int, quality: str) -> None:
    report = check_rest(PREPARED, PLAN, executed=executed, quality=quality)
    assert (report.determination, report.cost) == (True, (5, 3, 2, 0)[executed])
    assert report.warnings == ()


def test_what_has_happened_stays() -> None:
    report = check_rest(PREPARED, PLAN, executed=1, state="(at c)")
    assert _lines(report) == [" (go a b)", "+(go c b)", " (look b)", " (go b a)"]
    assert (report.determination, report.proven, report.repaired_cost) == (False, True, 5)
    assert report.failures[0].step == 1
    assert report.warnings == ("after step 1, not as planned: (at b) is false, (at c) is true",)


def test_a_surprise_may_not_matter() -> None:
    report = check_rest(PREPARED, PLAN, executed=1, state="(at b) (seen c)")
    assert report.determination is True
    assert report.warnings == ("after step 1, not as planned: (seen c) is true",)


def test_a_surprise_may_make_the_rest_needless() -> None:
    report = check_rest(PREPARED, PLAN, executed=1, state="(at b) (seen b)", quality="optimal")
    assert (report.determination, report.cost) == (False, 3)
    assert _lines(report) == [" (go a b)", "-(look b)", " (go b a)"]
    assert report.optimal_cost is not None and report.optimal_cost.upper == 2


@pytest.mark.parametrize(("at", "seen"), [*product("abc", ("", "(seen b)"))])
@pytest.mark.parametrize("executed", [0, 1, 2, 3])
def test_the_repair_is_that_of_the_rest_alone(at: str, seen: str, executed: int) -> None:
    state = f"(at {at}) {seen}"
    problem = PROBLEM.replace("(at a) (next a b)", f"{state} (next a b)", 1)
    rest = "".join(PLAN.splitlines(keepends=True)[executed:])
    alone = check(DOMAIN, problem, rest)
    report = check_rest(PREPARED, PLAN, executed=executed, state=state)
    assert report.determination == alone.determination
    assert report.cost == alone.cost
    changes = [diff.diff_type for diff in report.plan_diff_obj if diff.diff_type]
    assert sorted(changes) == sorted(diff.diff_type for diff in alone.plan_diff_obj if diff.diff_type)
    if report.repaired_plan is not None:
        assert list(map(str, report.repaired_plan)) == [
            *PLAN.splitlines()[:executed],
            *map(str, alone.repaired_plan or ()),
        ]
        assert list(apply_diff(report.plan_diff_str, PLAN)) == list(map(str, report.repaired_plan))
        assert len(changes) == len(rest.split("\n")) - 1 + len(alone.repaired_plan or ()) - 2 * lcs_length(
            tokenize(rest).steps and [Step(name=each.name, args=each.args) for each in tokenize(rest).steps],
            alone.repaired_plan or (),
        )
    assert not any(diff.diff_type is DiffAction.DELETE for diff in report.plan_diff_obj[:executed])


def test_steps_that_the_model_does_not_allow_need_the_state() -> None:
    plan = "(go a c)\n(look b)\n"
    report = check_rest(PREPARED, plan, executed=1)
    assert report.determination is None
    assert "the state is not known" in report.reason
    assert [failure.step for failure in report.failures] == [0]
    assert check_rest(PREPARED, plan, executed=1, state="(at b)", quality="sound").determination is True


def test_a_goal_out_of_reach_from_here() -> None:
    problem = PROBLEM.replace("(next c b)", "")
    report = check_rest(prepare(DOMAIN, problem), PLAN, executed=1, state="(at c)")
    assert (report.determination, report.planner_response.no_solution) == (False, True)


def test_causes_and_goals_count_the_steps_of_the_whole_plan() -> None:
    report = check_rest(PREPARED, "(go a b)\n(look b)\n(go b a)\n(go b c)\n", executed=2, repair=False)
    (failure,) = report.failures
    assert failure.step == 3
    assert [cause.step for cause in failure.causes] == [2]
    report = check_rest(PREPARED, "(go a b)\n(look b)\n(go b a)\n(go a b)\n", executed=2, repair=False)
    assert [goal.last_held for goal in report.unmet_goals] == [2]


def test_explanations_count_them_as_well() -> None:
    report = check_rest(PREPARED, PLAN, executed=1, state="(at c)", explained=True)
    assert report.explanations == (
        "+(go c b) is needed: without it, step 2 (look b): (at b) is false (nothing made it true)",
    )


@pytest.mark.parametrize("executed", [-1, 4])
def test_more_steps_than_there_are_cannot_have_happened(executed: int) -> None:
    with pytest.raises(InputError, match=f"the plan has 3 steps; {executed} cannot have happened"):
        check_rest(PREPARED, PLAN, executed=executed)


def test_steps_of_one_time_happen_together() -> None:
    with pytest.raises(InputError, match="steps 1 and 2 happen at one time"):
        check_rest(PREPARED, "0: (go a b)\n0: (look a)\n", executed=1)


def test_an_unreadable_plan_is_never_an_empty_rest() -> None:
    report = check_rest(PREPARED, "I cannot find any.", executed=0, state="(at a) (seen b)")
    assert report.determination is False


def test_what_is_not_executed_is_unknown() -> None:
    problem = PROBLEM.replace("(:goal", "(:constraints (sometime (at b))) (:goal")
    prepared = prepare(DOMAIN, problem)
    assert check_rest(prepared, PLAN, executed=1).determination is True
    report = check_rest(prepared, PLAN, executed=1, state="(at b)")
    assert report.determination is None and "the rest from a state" in report.reason


# --- states --------------------------------------------------------------------------------------


def test_a_state_is_read_with_or_without_its_section() -> None:
    model = PREPARED.model
    facts = {("at", "a"), ("seen", "b")}
    for text in (
        "(at a) (seen b)",
        "(:init (at a) (seen b))",
        "; here\n(AT a) ; there\n (seen b)\n",
        "(:init(at a)(seen b)) ",
    ):
        assert read_state(text, model.domain, model.problem) == facts
    assert read_state("(:init)", model.domain, model.problem) == frozenset()


def test_fixed_facts_are_the_problems_unless_they_are_given() -> None:
    assert check_rest(PREPARED, PLAN, executed=0, state="(at a)").determination is True
    report = check_rest(PREPARED, PLAN, executed=0, state="(at a) (next a b)")
    assert (report.determination, report.planner_response.no_solution) == (False, True)


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("(at a)\n(sen b)", "undeclared predicate 'sen' (did you mean 'seen'?)", 2),
        ("(at d)", "undeclared object 'd'", 1),
        ("(at a b)", "", 1),
        ("(not (at a))", "a fact such as (on a b) was expected", 1),
        ("at a\n", "a fact such as", 1),
        ("(at a) ()", "a fact such as", 1),
        ("(= (total-cost) 3)", "a fact such as", 1),
        ("(:init (at a)", "'(' is not closed", 1),
    ],
)
def test_what_is_no_state_is_refused_with_its_place(text: str, said: str, line: int) -> None:
    with pytest.raises(ModelError) as caught:
        read_state(text, PREPARED.model.domain, PREPARED.model.problem)
    assert said in str(caught.value)
    assert caught.value.line == line


# --- the command ---------------------------------------------------------------------------------


def test_the_command_checks_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "state").write_text("(at van1 depot) (at bike1 pier) (in box1 van1) (at letter1 market)")
    files = [str(DELIVERY / name) for name in ("domain.pddl", "problem.pddl", "good.plan")]
    rest = ["--executed", "2", "--state", str(tmp_path / "state"), "--format", "json", "--explain"]
    assert main(["check", *files, "--executed", "4", "--no-repair"]) == 0
    capsys.readouterr()
    assert main(["check", *files, *rest]) == 1
    value = json.loads(capsys.readouterr().out)
    assert value["repaired_plan"][:2] == ["(load-van box1 van1 depot)", "(drive van1 depot market)"]
    assert (len(value["explanations"]), value["proven"], value["repaired_cost"]) == (2, True, 16)
    assert value["explanations"][0].startswith("+(ride bike1 pier school) is needed: without it, step 8 ")


def test_the_rest_of_a_flows_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flow, plan = tmp_path / "flow.json", tmp_path / "plan"
    operators = [
        {"name": "find", "inputs": ["city"], "outputs": ["hotel"]},
        {"name": "book", "inputs": ["hotel"], "outputs": ["booking"]},
    ]
    flow.write_text(json.dumps({"flow": "trip", "operators": operators, "goals": [{"operator": "book"}]}))
    plan.write_text("ask(city)\nbooking = book(hotel)\n")
    assert main(["check", str(flow), str(plan), "--executed", "1"]) == 1
    assert "\n  ask(city)\n+ hotel = find(city)\n  booking = book(hotel)\n" in capsys.readouterr().out
    plan.write_text("ask(city)\nhotel = find(city)\nbooking = book(hotel)\n")
    assert main(["check", str(flow), str(plan), "--executed", "2"]) == 0
    assert main(["check", str(flow), str(plan), "--executed", "4"]) == 2
    assert "the plan has 3 lines; 4 cannot have happened" in capsys.readouterr().err
    assert main(["check", str(flow), str(plan), "--state", str(plan)]) == 2
