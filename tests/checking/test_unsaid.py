"""Plans in words that leave arguments out, against all ways to fill them in."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.open_plans import open_plan
from validator import check
from validator.checking.prepared import Prepared, prepare
from validator.reading.plan import LEFT_OUT, Step

DOMAIN = """
(define (domain hall) (:requirements :typing)
  (:types room robot ball hand)
  (:predicates (at ?r - robot ?x - room) (in ?b - ball ?x - room) (free ?h - hand) (of ?h - hand ?r - robot)
    (holds ?h - hand ?b - ball))
  (:action move :parameters (?r - robot ?from ?to - room) :precondition (at ?r ?from)
    :effect (and (at ?r ?to) (not (at ?r ?from))))
  (:action pick :parameters (?r - robot ?b - ball ?x - room ?h - hand)
    :precondition (and (of ?h ?r) (at ?r ?x) (in ?b ?x) (free ?h))
    :effect (and (holds ?h ?b) (not (free ?h)) (not (in ?b ?x))))
  (:action drop :parameters (?r - robot ?b - ball ?x - room ?h - hand)
    :precondition (and (of ?h ?r) (at ?r ?x) (holds ?h ?b))
    :effect (and (in ?b ?x) (free ?h) (not (holds ?h ?b)))))
"""
PROBLEM = """
(define (problem two) (:domain hall)
  (:objects hall1 hall2 hall3 - room tom - robot ball1 ball2 - ball left right - hand)
  (:init (at tom hall1) (in ball1 hall1) (in ball2 hall2) (free left) (free right) (of left tom) (of right tom))
  (:goal (in ball1 hall2)))
"""
SAID = "1. Pick ball1.\n2. Move to hall2.\n3. Drop ball1."
WHOLE = ("(pick tom ball1 hall1 left)", "(move tom hall1 hall2)", "(drop tom ball1 hall2 left)")


@pytest.fixture(scope="module")
def hall() -> Prepared:
    return prepare(DOMAIN, PROBLEM)


SIDES = """
(define (problem sides) (:domain hall)
  (:objects hall1 hall2 - room robot1 robot2 - robot ball1 ball2 - ball lhand1 rhand1 lhand2 rhand2 - hand)
  (:init (at robot1 hall1) (at robot2 hall2) (in ball1 hall1) (in ball2 hall2) (free lhand1) (free rhand1) (free lhand2)
    (free rhand2) (of lhand1 robot1) (of rhand1 robot1) (of lhand2 robot2) (of rhand2 robot2))
  (:goal (in ball2 hall1)))
"""


@pytest.mark.parametrize(
    "taken",
    [
        "Robot2 picks up ball2 with its left hand in hall2.",
        "Robot2 uses its left hand to pick up ball2 in hall2.",
        "Robot2 uses lhand2 to pick up ball2 in hall2.",
    ],
)
def test_the_letter_of_a_name_may_be_said_as_an_adjective(taken: str) -> None:
    steps = f"1. {taken}\n2. Robot2 moves from hall2 to hall1.\n3. Robot2 drops ball2 in hall1."
    text = f"{steps}\n\nNow ball1 and ball2 are in hall1."
    report = check(DOMAIN, SIDES, text, fill_in=True)
    assert report.determination is True
    assert [str(step) for step in report.reference] == [
        "(pick robot2 ball2 hall2 lhand2)",
        "(move robot2 hall2 hall1)",
        "(drop robot2 ball2 hall1 lhand2)",
    ]


def test_arguments_with_labels_below_the_last_step_are_not_left_out(hall: Prepared) -> None:
    report = check(hall, plan=f"{SAID}\n\nObject: ball2\n", fill_in=True)
    assert report.determination is None


def test_what_is_left_out_is_said_and_not_taken(hall: Prepared) -> None:
    report = check(hall, plan=SAID)
    assert report.determination is None
    assert "with what is left out taken from the state (--fill-in) it is valid" in report.reason
    assert (
        "'Pick ball1' as (pick tom ball1 hall1 left), 'Move to hall2' as (move tom hall1 hall2), ..." in report.reason
    )


def test_what_is_left_out_is_taken_from_the_state(hall: Prepared) -> None:
    report = check(hall, plan=SAID, fill_in=True)
    assert report.determination is True
    assert tuple(map(str, report.reference)) == WHOLE
    assert any("'Move to hall2' was read as (move tom hall1 hall2)" in warning for warning in report.warnings)
    assert report.reading is not None
    assert report.reading.is_clear


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("1. Pick ball1.\n2. Move to hall3.\n3. Drop ball1.", "none of the ways to fill in what is left out reach"),
        ("1. Pick ball2.\n2. Move to hall2.", "line 1: 'Pick ball2' cannot be executed, whatever it leaves out"),
        ("1. Pick ball1.\n2. Move.\n3. Drop ball1.", "only some ways to fill in what is left out reach the goal"),
        ("1. Pick each ball.\n2. Move to hall2.", "could not be read"),
        ("1. Pick ball1 on the floor.\n2. Move to hall2.\n3. Drop ball1.", "could not be read"),
        ("1. Pick ball1.\n2. Vacuum hall2.\n3. Drop ball1.", "could not be read"),
    ],
)
def test_nothing_is_said_where_the_state_does_not_tell(hall: Prepared, said: str, why: str) -> None:
    report = check(hall, plan=said, fill_in=True)
    assert report.determination is None
    assert why in report.reason


def test_the_cheapest_cost_is_not_asked_of_a_plan_that_may_be_several(hall: Prepared) -> None:
    report = check(hall, plan=SAID, fill_in=True, quality="optimal")
    assert report.determination is None
    assert "whose costs may differ" in report.reason


def test_a_strict_reading_fills_in_nothing(hall: Prepared) -> None:
    assert check(hall, plan=SAID, fill_in=True, strict=True, repair=False).determination is False


_OBJECTS = {
    "room": ("hall1", "hall2", "hall3"),
    "robot": ("tom",),
    "ball": ("ball1", "ball2"),
    "hand": ("left", "right"),
}
_TYPES = {
    "move": ("robot", "room", "room"),
    "pick": ("robot", "ball", "room", "hand"),
    "drop": ("robot", "ball", "room", "hand"),
}


@st.composite
def _open_steps(draw: st.DrawFn) -> Step:
    name = draw(st.sampled_from(sorted(_TYPES)))
    return Step(name=name, args=tuple(draw(st.sampled_from((*_OBJECTS[kind], LEFT_OUT))) for kind in _TYPES[name]))


def _every(step: Step) -> list[Step]:
    given_args = zip(_TYPES[step.name], step.args, strict=True)
    choices = [_OBJECTS[kind] if arg == LEFT_OUT else (arg,) for kind, arg in given_args]
    return [Step(name=step.name, args=args) for args in product(*choices)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(_open_steps(), min_size=1, max_size=2), min_size=1, max_size=3))
def test_all_ways_that_can_be_executed_agree(pieces: list[list[Step]]) -> None:
    """A plan is filled in if and only if some way can be executed, and all that can reach the goal."""
    prepared = prepare(DOMAIN, PROBLEM)
    report = check(prepared, plan=open_plan(pieces), fill_in=True, repair=False)
    ways = product(*([step for way in piece for step in _every(way)] for piece in pieces))
    traces = [prepared.simulator.run(way) for way in ways]
    reached = [trace.is_valid for trace in traces if trace.is_sound]
    assert (report.determination is True) == (bool(reached) and all(reached))
    if report.determination is True:
        steps = [token for token in report.reference if isinstance(token, Step)]
        assert prepared.simulator.run(steps).is_valid
        assert all(
            step in [one for way in piece for one in _every(way)] for step, piece in zip(steps, pieces, strict=True)
        )
