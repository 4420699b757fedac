"""Small words that turn a step, and who acts: no right plan is called wrong, and no broken one right."""

from __future__ import annotations

import pytest

from validator import check, prepare
from validator.checking.prepared import Prepared

CINEMA = """
(define (domain cinema) (:requirements :typing) (:types person room reel lamp)
 (:predicates (at ?p - person ?r - room) (stored ?x - reel ?r - room) (carries ?p - person ?x - reel)
  (bright ?r - room) (dimmed ?r - room) (on ?l - lamp) (off ?l - lamp))
 (:action go :parameters (?p - person ?from ?to - room)
  :precondition (at ?p ?from) :effect (and (at ?p ?to) (not (at ?p ?from))))
 (:action fetch :parameters (?p - person ?x - reel ?r - room)
  :precondition (and (at ?p ?r) (stored ?x ?r)) :effect (and (carries ?p ?x) (not (stored ?x ?r))))
 (:action hand-over :parameters (?p ?q - person ?x - reel)
  :precondition (carries ?p ?x) :effect (and (carries ?q ?x) (not (carries ?p ?x))))
 (:action dim :parameters (?p - person ?r - room)
  :precondition (and (at ?p ?r) (bright ?r)) :effect (and (dimmed ?r) (not (bright ?r))))
 (:action turn-on :parameters (?l - lamp) :precondition (off ?l) :effect (and (on ?l) (not (off ?l))))
 (:action turn-off :parameters (?l - lamp) :precondition (on ?l) :effect (and (off ?l) (not (on ?l)))))
"""
OBJECTS = "sofia ben will - person foyer hall - room reel-a1 - reel red-lamp blue-lamp - lamp"
INIT = "(at sofia hall) (at ben hall) (at will hall) (stored reel-a1 hall) (bright hall) (on red-lamp) (off blue-lamp)"
CREW = "(and (carries ben reel-a1) (at sofia foyer) (dimmed hall))"
LAMPS = "(and (off red-lamp) (on blue-lamp))"
GO = "Sofia goes to the foyer."

NOT_WRONG = [
    (CREW, f"Ben fetches reel A1 for Sofia. {GO} Ben dims the hall."),
    (CREW, f"Ben (and not Sofia) fetches reel A1. {GO} Ben dims the hall."),
    (CREW, f"Ben fetches reel A1. Reason: it is needed. Ben dims the hall. {GO}"),
    (CREW, f"{GO[:-1]}, followed by Ben. Ben goes to the hall. Ben fetches reel A1. Ben dims the hall."),
    (CREW, f"Ben fetches reel A1. {GO} As Sofia did, Ben goes to the foyer. Ben goes to the hall. Ben dims the hall."),
    (CREW.replace("ben", "will"), "Will will fetch reel A1. Will will dim the hall. Sofia will go to the foyer."),
    (LAMPS, "Turn off the red lamp (and not the blue lamp). Turn on the blue lamp."),
    (LAMPS, "Red lamp off, blue lamp on."),
    ("(and (on red-lamp) (on blue-lamp))", "Turn on the red lamp after you have turned on the blue lamp."),
]
NOT_RIGHT = [
    (CREW, f"Sofia fetches reel A1. Ben hands it over to her. {GO} Ben dims the hall."),
    (CREW, f"Sofia fetches reel A1. Ben hands it over. {GO} Ben dims the hall."),
    (CREW, f"Ben fetches reel A1. {GO} She dims the hall."),
    (CREW, f"Ben fetches reel A1. Ben dims the hall. {GO[:-1]}, but comes back."),
    (CREW, f"Ben fetches reel A1. Ben dims the hall. {GO} All of this is then undone."),
    (LAMPS, "Leave the red lamp on. Turn on the blue lamp."),
    (LAMPS, "Turn the red lamp off. Turn the blue lamp on, then wander around."),
    (LAMPS, "Turn the red lamp off and on again. Turn on the blue lamp."),
    (LAMPS, "Turn the red lamp off and then on. Turn on the blue lamp."),
    (LAMPS, "The red lamp must be turned off.\n\nPlan:\n1. Turn on the blue lamp."),
]


def model(goal: str) -> Prepared:
    return prepare(CINEMA, f"(define (problem p) (:domain cinema) (:objects {OBJECTS}) (:init {INIT}) (:goal {goal}))")


@pytest.mark.parametrize(("goal", "text"), NOT_WRONG)
def test_a_right_plan_with_words_that_may_turn_a_step_is_not_called_wrong(goal: str, text: str) -> None:
    assert check(model(goal), plan=text, repair=False).determination is not False


@pytest.mark.parametrize(("goal", "text"), NOT_RIGHT)
def test_a_broken_plan_is_not_right_by_a_step_that_is_turned_or_done_by_another(goal: str, text: str) -> None:
    assert check(model(goal), plan=text, repair=False).determination is not True


def test_he_stands_for_who_acted_last() -> None:
    told = f"Ben fetches reel A1. He dims the hall. {GO}"
    assert check(model(CREW), plan=told, repair=False).determination is True


@pytest.mark.parametrize(("rest", "expected"), [("", False), ("Ben dims the hall.", None)])
def test_a_clause_that_no_action_takes_is_one_step_or_none(rest: str, expected: bool | None) -> None:
    report = check(model(CREW), plan=f"Ben fetches reel A1 from the foyer to Sofia. {GO} {rest}", repair=False)
    assert report.determination is expected


@pytest.mark.parametrize(
    "text",
    [
        f"{GO} Ben dims the hall. Before you do so, Ben fetches reel A1. Ben turns on the blue lamp.",
        f"{GO} Ben dims the hall, but not before he has fetched reel A1.",
        f"{GO} Ben dims the hall. This comes after fetching reel A1.",
        f"{GO} Ben dims the hall. Ben fetches reel A1, but do that first.",
        f"{GO} Ben dims the hall once reel A1 has been fetched.",
        f"Ben dims the hall, once he has fetched reel A1. {GO}",
        f"Ben dims the hall, who fetched reel A1. {GO}",
    ],
)
def test_words_of_time_may_move_a_step(text: str) -> None:
    needs_reel = CINEMA.replace(
        "(bright ?r)) :effect (and (dimmed", "(bright ?r) (carries ?p reel-a1)) :effect (and (dimmed"
    )
    domain = needs_reel.replace("(:predicates", "(:constants reel-a1 - reel) (:predicates")
    objects = OBJECTS.replace("reel-a1 - reel ", "")
    problem = f"(define (problem p) (:domain cinema) (:objects {objects}) (:init {INIT}) (:goal {CREW}))"
    assert check(domain, problem, text, repair=False).determination is not False
    assert check(domain, problem, f"{GO} Ben dims the hall. Ben fetches reel A1.", repair=False).determination is False


@pytest.mark.parametrize(
    "text",
    [
        f"Ben fetches reel A1. {GO} Ben dims the hall. That never happened.",
        f"Ben fetches reel A1. {GO} Ben dims the hall, but not today.",
        f"Ben fetches reel A1. {GO} Ben wants to dim the hall.",
        f"Ben fetches reel A1. {GO} Ben should have dimmed the hall.",
        f"Ben fetches reel A1. {GO} Ben should dim the hall, but he is out of reach.",
        f"Ben fetches reel A1. {GO} Normally Ben dims the hall.",
        f"Follow these steps, except step 3:\n1. Ben fetches reel A1.\n2. {GO}\n3. Ben dims the hall.",
        f"1. Ben fetches reel A1\n2. {GO[:-1]}\n3. Ben dims the hall - N/A",
        f"Ben fetches reel A1. {GO} Stop before dimming the hall with Ben.",
        f"Ben fetches reel A1. {GO}\n\nBacklog:\n- Ben dims the hall",
    ],
)
def test_what_is_denied_wished_or_put_off_is_not_done(text: str) -> None:
    assert check(model(CREW), plan=text, repair=False).determination is not True


def test_him_is_who_was_named() -> None:
    goal = "(carries will reel-a1)"
    told = "Ben fetches reel A1. Sofia goes to the foyer. Ben hands it over to Will."
    assert check(model(goal), plan=told, repair=False).determination is True
    assert check(model(goal), plan=told.replace("to Will", "to him"), repair=False).determination is not False


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Turn off red lamp. Turn on the blue lamp.", True),
        ("Turn on blue lamp. Turn off red lamp.", True),
        ("Turn off blue lamp. Turn on the red lamp.", False),
    ],
)
def test_the_particle_of_a_verb_leads_to_no_object(text: str, expected: bool) -> None:
    assert check(model(LAMPS), plan=text, repair=False).determination is expected


@pytest.mark.parametrize(("name", "expected"), [("Jones", True), ("the young Jones", None), ("Smith", None)])
def test_the_last_word_of_a_name_is_enough_where_no_other_has_it(name: str, expected: bool | None) -> None:
    problem = "(define (problem p) (:domain cinema) (:objects old-jones - person hall foyer - room)"
    problem += " (:init (at old-jones hall)) (:goal (at old-jones foyer)))"
    assert check(CINEMA, problem, f"{name} goes to the foyer.", repair=False).determination is expected


@pytest.mark.parametrize(("times", "expected"), [(("9:30", "10:15"), True), (("10:15", "9:30"), None)])
def test_clock_times_that_fall_leave_the_order_open(times: tuple[str, str], expected: bool | None) -> None:
    text = f"{times[0]} Turn off the red lamp\n{times[1]} Turn on the blue lamp"
    assert check(model(LAMPS), plan=text, repair=False).determination is expected
