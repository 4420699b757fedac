"""Plans under way: whole states, changes, numbers and time, causal links, the stream; beside plain execution."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from tests.checking.test_monitor import PLAN, PREPARED
from tests.support.models import FUEL, FUEL_TRIP, WALK, WALK_PROBLEM
from validator import prepare
from validator.checking.monitoring.monitor import check_rest
from validator.cli import main
from validator.errors import ModelError

FIXED = "the 4 facts of 'next' are the problem's, as the state has none that no action changes"


@pytest.mark.parametrize(
    ("changes", "valid", "said"),
    [
        ("(not (next b a))", False, "(next b a) is false"),
        ("(not (next b c)) (seen c)", True, "(next b c) is false, (seen c) is true"),
        ("(seen b)", True, "(seen b) is true"),
        ("", True, None),
    ],
)
def test_changes_are_told_alone(changes: str, valid: bool, said: str | None) -> None:
    report = check_rest(PREPARED, PLAN, executed=1, changes=changes, repair=False)
    assert report.determination is valid
    assert report.warnings == (() if said is None else (f"after step 1, not as planned: {said}",))


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


def test_the_rest_of_a_plan_over_time() -> None:
    prepared = prepare(TIMED, WAY)
    report = check_rest(prepared, DAY, executed=1, repair=False)
    assert (report.determination, report.cost) == (True, Fraction("5.01"))  # what is to come begins at 5
    report = check_rest(prepared, DAY, executed=1, changes="(not (open c))", repair=False)
    assert report.determination is False
    assert (report.failures[0].step, report.failures[0].time) == (1, Fraction("5.01"))
    assert [step.time for step in report.reference] == [0, Fraction("5.01"), 6]  # type: ignore[union-attr]


def test_what_is_still_under_way_is_in_no_state() -> None:
    prepared = prepare(TIMED, WAY)
    why = "step 2 is still under way when step 3 begins"
    report = check_rest(prepared, DAY, executed=2, repair=False)
    assert report.determination is True and why in report.warnings[0]
    report = check_rest(prepared, DAY, executed=2, state="(at b) (lit)", repair=False)
    assert report.determination is None and why in report.reason


def test_on_the_command_line(tmp_path: Path) -> None:
    for name, text in (("d.pddl", WALK), ("p.pddl", WALK_PROBLEM), ("plan", PLAN), ("changes", "(not (next b a))")):
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("d.pddl", "p.pddl", "plan")]
    assert main(["check", *files, "--executed", "1", "--changes", str(tmp_path / "changes"), "--no-repair"]) == 1
