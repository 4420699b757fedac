"""Plans under way: the rest is checked, and repaired, from the state that is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.models import FUEL, FUEL_TRIP, WALK, WALK_PROBLEM
from tests.support.places import ROOT
from validator import check, prepare
from validator.checking.monitoring.monitor import check_rest
from validator.cli import main
from validator.errors import InputError, ModelError
from validator.model.pddl.initial import read_seen

pytestmark = pytest.mark.planner

PLAN = "(go a b)\n(look b)\n(go b a)\n"
PREPARED = prepare(WALK, WALK_PROBLEM)
DELIVERY = ROOT / "domains" / "delivery"


@pytest.mark.parametrize("executed", [-1, 4])
def test_more_steps_than_there_are_cannot_have_happened(executed: int) -> None:
    with pytest.raises(InputError, match=f"the plan has 3 steps; {executed} cannot have happened"):
        check_rest(PREPARED, PLAN, executed=executed)


def test_steps_of_one_time_happen_together() -> None:
    with pytest.raises(InputError, match="steps 1 and 2 happen at one time"):
        check_rest(PREPARED, "0: (go a b)\n0: (look a)\n", executed=1)


def test_an_unreadable_plan_is_never_an_empty_rest() -> None:
    report = check_rest(PREPARED, "I cannot find any.", executed=0, state="(at a) (seen b)", strict=True)
    assert report.determination is False
    report = check_rest(PREPARED, "I cannot find any.", executed=0, state="(at a) (seen b)")
    assert report.determination is None and not report.is_understood and not report.failures


def test_nothing_is_said_of_a_rest_with_a_piece_that_was_not_understood() -> None:
    report = check_rest(PREPARED, f"{PLAN}\n(look\n", executed=1)
    assert (report.determination, report.is_understood, report.failures) == (None, False, ())
    assert report.reading is not None and [missed.text for missed in report.reading.missed] == ["(look"]


def test_what_looks_back_at_times_is_unknown_from_a_state() -> None:
    problem = WALK_PROBLEM.replace("(:goal", "(:constraints (hold-after 1 (seen b))) (:goal")
    prepared = prepare(WALK, problem)
    assert check_rest(prepared, PLAN, executed=1).determination is not None
    report = check_rest(prepared, PLAN, executed=1, state="(at b)")
    assert report.determination is None and "the rest from a state" in report.reason


# --- states --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("(at a)\n(sen b)", "undeclared predicate 'sen' (did you mean 'seen'?)", 2),
        ("(at d)", "undeclared object 'd'", 1),
        ("(at a b)", "", 1),
        ("(not (and (at a)))", "a fact such as (on a b) was expected", 1),
        ("at a\n", "a fact such as", 1),
        ("(at a) ()", "a fact such as", 1),
        ("(at b)\n(= (total-cos) 3)", "undeclared function 'total-cos'", 2),
        ("(= (total-cost) b)", "a number was expected", 1),
        ("(:init (at a)", "'(' is never closed", 1),
    ],
)
def test_what_is_no_state_is_refused_with_its_place(text: str, said: str, line: int) -> None:
    with pytest.raises(ModelError) as caught:
        read_seen(text, PREPARED.model.domain, PREPARED.model.problem)
    assert said in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize("atom", [(), ("",), ("and",), ("not", "a"), ("at",), ("seen", "x")])
def test_an_atom_that_is_no_fact_is_no_state(atom: tuple[str, ...]) -> None:
    with pytest.raises(ModelError):
        check_rest(PREPARED, PLAN, executed=0, state=[("at", "a"), atom])


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
    assert value["explanations"][1].startswith("+8 (ride bike1 pier school) is needed: without it, step +9 ")


# --- changes, numbers and time --------------------------------------------------------------------


def test_what_contradicts_itself_is_refused() -> None:
    with pytest.raises(ModelError, match="is said to be true and false"):
        check_rest(PREPARED, PLAN, executed=1, changes="(seen b) (not (seen b))")
    with pytest.raises(ModelError, match="a state lists what holds"):
        check_rest(PREPARED, PLAN, executed=1, state="(at b) (not (seen b))")
    with pytest.raises(ValueError, match="give one of them"):
        check_rest(PREPARED, PLAN, executed=1, state="(at b)", changes="(seen b)")


# --- numbers and time ------------------------------------------------------------------------------

THERE = "(go a b)\n(go b c)\n"


def test_the_rest_of_a_plan_with_numbers() -> None:
    prepared = prepare(FUEL, FUEL_TRIP)
    report = check_rest(prepared, THERE, executed=1, repair=False)
    assert (report.determination, report.cost) == (True, 1)
    report = check_rest(prepared, THERE, executed=1, changes="(= (fuel) 0)", repair=False)
    assert report.determination is False and report.failures[0].step == 1
    assert report.warnings == ("after step 1, not as planned: (fuel) is 0",)
    report = check_rest(prepared, THERE, executed=1, state="(at b) (road a b) (road b c)", repair=False)
    assert report.determination is True
    assert "as planned, since the state does not tell: (fuel) = 1" in report.warnings
    report = check_rest(prepared, THERE, executed=1, state="(at b) (road b c)", is_complete=True, repair=False)
    assert report.determination is not True  # no value, no step that compares it
    report = check_rest(prepared, "(go a c)\n(go b c)\n", executed=1, repair=False)
    assert report.determination is None and "not possible in the model" in report.reason


TIMED = """(define (domain t) (:requirements :typing :durative-actions) (:types loc)
  (:predicates (at ?x - loc) (open ?x - loc) (lit))
  (:durative-action go :parameters (?x ?y - loc) :duration (= ?duration 5)
    :condition (and (at start (at ?x)) (at start (open ?y)))
    :effect (and (at start (not (at ?x))) (at end (at ?y))))
  (:durative-action light :parameters () :duration (= ?duration 2) :effect (at end (lit))))"""
WAY = """(define (problem p) (:domain t) (:objects a b c - loc)
  (:init (at a) (open b) (open c)) (:goal (and (at c) (lit))) (:metric minimize (total-time)))"""
DAY = "0: (go a b) [5]\n5.01: (go b c) [5]\n6: (light) [2]\n"


def test_what_is_still_under_way_is_in_no_state() -> None:
    prepared = prepare(TIMED, WAY)
    why = "step 2 is still under way when step 3 begins"
    report = check_rest(prepared, DAY, executed=2, repair=False)
    assert report.determination is True and why in report.warnings[0]
    report = check_rest(prepared, DAY, executed=2, state="(at b) (lit)", repair=False)
    assert report.determination is None and why in report.reason


def test_what_begins_at_once_may_interfere_with_what_has_just_ended() -> None:
    prepared = prepare(TIMED, WAY)
    for begin, determination in (("5.01", True), ("5", False)):
        plan = f"0: (go a b) [5]\n1: (light) [2]\n{begin}: (go b c) [5]\n"
        report = check_rest(prepared, plan, executed=2, repair=False)
        assert report.determination is check(prepared, None, plan, repair=False).determination is determination
    assert "step 1 ends when step 3 begins" in report.warnings[0]
    plan = "0: (go a b) [5]\n5: (light) [2]\n7.01: (go b c) [5]\n"
    assert check_rest(prepared, plan, executed=1, repair=False).warnings == ()


def test_a_step_that_does_not_fit_the_model_has_not_happened() -> None:
    report = check_rest(prepare(TIMED, WAY), "0: (go a)\n9: (light) [2]\n", executed=1, strict=True)
    assert (report.determination, report.repaired_plan) == (None, None)
    assert "not possible in the model" in report.reason
