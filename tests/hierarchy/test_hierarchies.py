"""Plans of models in HDDL at the door of ``check``: with a decomposition and without, and the nearest plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hierarchy.errands import DOMAIN, LISTING, ORDERED, PLAN, PROBLEM
from tests.support.hierarchies import TooLargeError, with_plan
from tests.support.laws import command, law
from tests.support.naive_reference import distance
from validator import ModelError, PlanError, Quality, Report, check
from validator.alarms import OutOfTime

PROBLEMS = pytest.mark.parametrize("problem", [ORDERED, PROBLEM], ids=["total order", "partial order"])


def told(report: Report) -> str:
    return "; ".join(failure.detail for failure in report.failures)


def changes(report: Report) -> list[str]:
    return [str(diff) for diff in report.plan_diff_obj if diff.diff_type is not None]


# --- steps without a decomposition -----------------------------------------------------------------------


@PROBLEMS
def test_steps_that_execute_and_have_none_are_told_where_every_attempt_ends(problem: str) -> None:
    report = check(DOMAIN, problem, PLAN + "(walk home shop)\n")
    assert report.determination is False and report.failures[-1].step in (7, 8)
    assert changes(report) == ["-(walk home shop)"] and report.proven


def test_of_tasks_without_an_order_no_right_step_is_called_the_last_one() -> None:
    report = check(DOMAIN, PROBLEM, "".join(PLAN.splitlines(keepends=True)[:4]), repair=False)
    assert "have no decomposition into the steps from here on" in report.failures[0].detail


@pytest.mark.parametrize("step", ["(act)", "(act b b)", "(act c)"])
def test_a_step_that_does_not_fit_the_model_is_replaced(step: str) -> None:
    domain = """(define (domain d) (:requirements :hierarchy) (:predicates (p ?x))
      (:action act :parameters (?x) :precondition () :effect (p ?x)))"""
    problem = "(define (problem q) (:domain d) (:objects a b) (:htn :subtasks (and (act a) (act b))) (:init))"
    report = check(domain, problem, f"(act a)\n{step}\n", strict=True)
    assert (report.determination, report.proven) == (False, True)
    assert sorted(changes(report)) == ["+(act b)", f"-{step}"]


def test_what_is_not_looked_for_is_unknown() -> None:
    report = check(DOMAIN, PROBLEM, PLAN, quality=Quality.OPTIMAL)
    assert report.determination is None and "cheapest" in report.reason
    report = check(DOMAIN, PROBLEM, PLAN + "(walk home shop)\n", quality=Quality.OPTIMAL)
    assert (report.determination, report.report_type, report.repaired_plan) == (False, Quality.OPTIMAL, None)
    assert "cheapest" in report.reason
    assert check(DOMAIN, PROBLEM, "there is no plan").determination is None
    assert check(DOMAIN, PROBLEM, PLAN, time_limit=0).determination is None


def test_a_plan_that_is_not_read_in_time_is_no_empty_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    late = Report(report_type=Quality.VALID, determination=None, reason="the time limit was met", reference=())
    monkeypatch.setattr("validator.checking.check._plain", lambda *_: late)
    assert check(DOMAIN, PROBLEM, PLAN, repair=False).determination is None


def test_a_problem_that_has_no_plan_is_said_to_have_none() -> None:
    report = check(DOMAIN, PROBLEM.replace("deliver mug home", "take mug shop"), PLAN)
    assert report.determination is False and report.planner_response.no_solution and report.repaired_plan is None


def test_tasks_below_themselves_with_any_object_come_to_something_or_nothing() -> None:
    domain = """(define (domain d) (:requirements :hierarchy) (:predicates (p ?x))
      (:task t :parameters (?x)) (:task v :parameters (?x))
      (:method on :parameters (?x ?y) :task (t ?x) :subtasks (and (t ?y) (v ?y)))
      (:method do :parameters (?x) :task (t ?x) :subtasks (act ?x))
      (:method off :parameters (?x ?y) :task (v ?x) :subtasks (v ?y))
      (:method no :parameters (?x) :task (v ?x) :precondition (p ?x) :subtasks ())
      (:action act :parameters (?x)))"""
    problem = """(define (problem q) (:domain d) (:objects a b c)
      (:htn :parameters (?z) :subtasks (and (t a) (t ?z))) (:init (p c)))"""
    assert check(domain, problem, "(act b) (act c)").determination is True


def test_what_was_decided_stands_where_the_search_for_a_repair_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*given: object, **named: object) -> None:
        raise OutOfTime

    monkeypatch.setattr("validator.checking.nonclassical.hierarchies.nearest", ended)
    report = check(DOMAIN, PROBLEM, PLAN + "(walk home shop)\n")
    assert report.determination is False and report.failures and not report.proven
    assert report.planner_response.status == "time limit"


# --- stated decompositions -------------------------------------------------------------------------------


@PROBLEMS
def test_a_decomposition_is_verified(problem: str, tmp_path: Path) -> None:
    assert check(DOMAIN, problem, LISTING).determination is True
    assert check(DOMAIN, problem, f"; planner output\nTime: 3 s\n{LISTING}solved\n").determination is True
    assert check(DOMAIN, problem, f"\ufeff{LISTING}").determination is True
    again = LISTING.replace("-> fetch 11 1 12 4", "-> fetch 4 12 1 11")  # in whatever order they are listed
    assert check(DOMAIN, problem, again).determination is True
    top = LISTING.replace("root 10 20", "root 30\n30 __top -> __top_method 10 20")  # PANDA's task for the network
    assert check(DOMAIN, problem, top).determination is True


@pytest.mark.parametrize(
    ("old", "new", "step", "said"),
    [
        ("13 get-to post -> walk-there 3 14", "13 get-to post -> fetch 3 14", 2, "it decomposes (deliver ...), not"),
        ("-> walk-there 3 14", "-> walk-their 3 14", 2, "no such method (did you mean 'walk-there'?)"),
        ("-> fetch 11 1 12 4", "-> fetch 11 1 12", 0, "its subtask 'leave' is missing"),
        ("-> fetch 11 1 12 4", "-> fetch 11 1 12", 3, "4 (leave book post): the step belongs to no task"),
        ("-> fetch 11 1 12 4", "-> fetch 11 1 12 4 6", 0, "'walk' is not a subtask of it"),
        ("-> walk-there 3 14", "-> walk-there 2 14", 1, "lists already"),
        ("-> walk-there 3 14", "-> walk-there 3 19", None, "lists 19, which is the number of no task"),
        ("root 10 20", "root 20", 4, "its subtask 'deliver' is missing"),
        ("20 deliver mug home", "20 deliver mug shop", 0, "is (deliver mug shop), where (deliver mug home) is needed"),
        ("14 get-to post -> here", "14 get-to shop -> here", 2, "where (get-to post) is needed"),
        ("11 get-to home -> here", "11 get-to home -> walk-there", None, "'walk', 'get-to' are missing"),
        ("root 10 20", "root 10 5", 0, "'take' is not a subtask of it"),
        ("20 deliver mug home", "20 delivr mug home", 4, "unknown task 'delivr' (did you mean 'deliver'?)"),
    ],
)
def test_faults_are_told_at_the_method_and_the_step(old: str, new: str, step: int | None, said: str) -> None:
    assert old in LISTING
    report = check(DOMAIN, ORDERED, LISTING.replace(old, new))
    assert report.determination is False
    assert any(said in failure.detail and failure.step == step for failure in report.failures), report.failures
    assert report.plan_diff_obj and not changes(report)  # the steps themselves have a decomposition
    assert "another decomposition" in report.reason


def test_an_order_that_is_not_kept_and_a_condition_that_is_false_are_faults() -> None:
    both = ORDERED.replace(
        "(b (deliver book post)) (m (deliver mug home))", "(m (deliver mug home)) (b (deliver book post))"
    )
    report = check(DOMAIN, both, LISTING, repair=False)
    assert "20 (deliver mug home) is not before 10 (deliver book post)" in told(report)
    there = DOMAIN.replace(":precondition (at ?to)\n", ":precondition (and (at ?to) (held ?p))\n")
    there = there.replace("here :parameters (?to - place)", "here :parameters (?to - place ?p - parcel)")
    report = check(there, ORDERED, LISTING, repair=False)
    assert "11 (get-to home), method 'here': its condition (and (at home) (held ?p)) is false" in told(report)
    assert "14 (get-to post)" not in told(report)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("2 walk home shop", "x walk home shop", "the number of a task was expected, not 'x'"),
        ("2 walk home shop", "1 walk home shop", "1 is the number of two tasks"),
        ("12 get-to post -> walk-there 2 13", "12 get-to post", "'NUMBER TASK ARGUMENT ... -> METHOD"),
        ("-> walk-there 2 13", "-> <walk-there;get-to[shop];here;1;0,-1> 2 13", "name of PANDA's compiled model"),
        ("2 walk home shop", "2 __method_precondition_fetch home", "'pandaPIparser -c' converts the plan"),
    ],
)
def test_a_listing_that_cannot_be_read_is_an_error_with_its_place(old: str, new: str, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        check(DOMAIN, ORDERED, LISTING.replace(old, new))


# --- models ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (":task (deliver ?p ?to)", ":task (delivr ?p ?to)", "undeclared task 'delivr' .did you mean 'deliver'"),
        (":task (deliver ?p ?to)", ":task (deliver ?p)", "task 'deliver' takes 2 arguments, got 1"),
        (":task (deliver ?p ?to)", ":task (take ?p ?to)", "'take' is an action, which no method decomposes"),
        ("(< t1 t2)", "(< t1 t3)", "no subtask is called 't3'"),
        ("(< t1 t2)", "(< t1 t2) (< t2 t1)", "ordered in a circle"),
        ("(not (= ?a ?to))", "(at ?a)", "constraints other than equalities"),
        (":subtasks ()", ":subtasks () :effect (at ?to)", "effects of tasks and methods are not supported"),
        ("(:task get-to :parameters", "(:task walk :parameters", "'walk' is declared twice|undeclared task"),
        (":ordered-subtasks", ":ordred-subtasks", "not a part of a method .did you mean ':ordered-subtasks'"),
    ],
)
def test_what_is_wrong_with_a_model_is_told_at_its_place(old: str, new: str, said: str) -> None:
    assert old in DOMAIN
    with pytest.raises(ModelError, match=said) as caught:
        check(DOMAIN.replace(old, new), PROBLEM, PLAN)
    assert caught.value.line is not None


@pytest.mark.parametrize(
    ("section", "condition", "said"),
    [("(:derived (near) (at home))", "(near)", "derived"), ("(:functions (fuel))", "(> (fuel) 1)", "numbers|numeric")],
)
def test_conditions_of_methods_that_are_not_followed_are_refused(section: str, condition: str, said: str) -> None:
    domain = DOMAIN.replace("(held ?p - parcel))", f"(held ?p - parcel) (near))\n{section}").replace(
        ":precondition (at ?to)\n    :subtasks ()", f":precondition {condition}\n    :subtasks ()"
    )
    assert condition in domain and section in domain
    with pytest.raises(ModelError, match=said):
        check(domain, PROBLEM, PLAN)


def test_constants_sorts_and_free_variables() -> None:
    domain = """(define (domain d) (:types big small - thing) (:constants c - big)
        (:predicates (seen ?x - thing)) (:task look :parameters (?x - thing))
        (:method m :parameters (?x - thing) :task (look ?x) :subtasks (see ?x) :constraints (and (sortof ?x - big)))
        (:action see :parameters (?x - thing) :effect (seen ?x)))"""
    problem = """(define (problem p) (:domain d) (:objects s - small)
        (:htn :parameters (?y - thing) :subtasks (and (a (look c)) (b (look ?y)))
          :constraints (not (= ?y c))) (:init))"""
    assert check(domain, problem, "(see c)\n(see c)", repair=False).determination is False
    assert check(domain, problem.replace(":constraints (not (= ?y c))", ""), "(see c)\n(see c)").determination is True
    assert check(domain, problem, "(see c)\n(see s)", repair=False).determination is False
    assert check(domain.replace("- big)))", "- thing)))", 1), problem, "(see c)\n(see s)").determination is True


def test_the_command_has_the_exit_codes_of_other_checks(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("d.hddl", "p.hddl", "good.plan", "bad.plan")]
    for path, text in zip(paths, (DOMAIN, PROBLEM, LISTING, PLAN + "(walk home shop)\n"), strict=True):
        path.write_text(text)
    domain, problem, good, bad = map(str, paths)
    assert command("check", domain, problem, good)[0] == 0
    code, output = command("check", "--explain", domain, problem, bad)
    assert code == 1 and "-(walk home shop)" in output and "deliver book post -> fetch" in output
    assert command("check", "--format", "json", domain, problem, bad)[0] == 1
    assert command("check", "--format", "html", domain, problem, bad)[0] == 1
    assert command("check", problem, domain, good)[0] == 2
    assert command("check", "--tolerance", "1", domain, problem, good)[0] == 2
    assert command("check", "--dump-problem", str(tmp_path), domain, problem, good)[0] == 2
    assert "the policy edits" in command("check", "--policy", "keep", domain, problem, bad)[1]


# --- random models -----------------------------------------------------------------------------------------


@law(30)
@pytest.mark.parametrize("is_total", [True, False], ids=["total order", "partial order"])
def test_plans_of_random_models_are_judged_and_repaired_as_all_their_plans_say(seed: int, is_total: bool) -> None:
    case, own = with_plan(seed, is_total=is_total)
    try:
        plans = case.plans(len(own) + 3)
    except TooLargeError:
        return
    text = "".join(f"({' '.join(step)})\n" for step in own) or ";\n"
    nearest = min((distance(own, plan) for plan in plans), default=99)
    is_near = nearest <= 4  # the others may have nearer plans with more steps
    report = check(case.domain(), case.problem(), text, repair=is_near, time_limit=600)
    assert report.determination is (own in plans), (case, own, report)
    if is_near and not report.determination:
        assert report.proven and len(changes(report)) == nearest, (case, own, nearest, report)
