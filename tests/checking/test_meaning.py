"""Plans told in words: what they leave out is taken from the state, and what is not understood is not wrong."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reading.lexicon.lexicon_models import BLOCKS
from validator import check
from validator.checking.prepared import Prepared, prepare
from validator.checking.words.meaning import Readings
from validator.model.bundled import bundle
from validator.reading import understood
from validator.reading.lexicon.clauses.coverage import Coverage
from validator.reading.plan import LEFT_OUT, Step
from validator.render.text import report_text

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


def test_arguments_with_labels_below_the_last_step_are_not_left_out(hall: Prepared) -> None:
    report = check(hall, plan=f"{SAID}\n\nObject: ball2\n")
    assert report.determination is None


def test_what_is_left_out_is_taken_from_the_state(hall: Prepared) -> None:
    report = check(hall, plan=SAID)
    assert report.determination is True
    assert tuple(map(str, report.reference)) == WHOLE
    assert any("'Move to hall2' was read as (move tom hall1 hall2)" in warning for warning in report.warnings)
    assert report.reading is not None
    assert report.reading.is_clear


@pytest.mark.parametrize(
    "said",
    ["1. Pick ball1.\n2. Move to hall3.\n3. Drop ball1.", "1. Pick ball2.\n2. Move to hall2."],
    ids=["no way reaches the goal", "no way can be executed"],
)
def test_a_plan_is_wrong_where_no_meaning_is_right(hall: Prepared, said: str) -> None:
    assert check(hall, plan=said, repair=False).determination is False


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("1. Pick ball1.\n2. Move.\n3. Drop ball1.", "it depends on which objects are meant"),
        ("1. Pick each ball.\n2. Move to hall2.", "it may mean other steps"),
        ("1. Pick ball1 each time.\n2. Move to hall2.", "'each' was not understood"),
        ("1. Pick ball1 on the floor.\n2. Move to hall2.\n3. Drop ball1.", "'floor' was not understood"),
        (
            "1. Pick ball1.\n2. Do not just move to hall3.\n3. Move to hall2.\n4. Drop ball1.",
            "'not' was not understood",
        ),
        ("1. Pick ball1.\n2. Do not move to hall3, but to hall2.\n3. Drop ball1.", "it may be denied as well"),
        ("1. Pick ball1.\n2. Move to hall3.\n3. Avoid this: drop ball1.", "it follows 'Avoid this:'"),
        ("1. Pick ball1.\n2. Drop ball1.\n\nDo not:\n- move to hall2\n- drop ball1", "it follows 'Do not:'"),
        ("1. Pick ball1.\n2. Move to hall3 or hall2.\n3. Drop ball1.", "'or' was not understood"),
        ("1. Pick ball1.\n2. Move to hall3.\n3. Undo step 2.\n4. Drop ball1.", "'undo' was not understood"),
        ("1. Pick ball1.\n2. Move to hall2.\n3. Drop ball1 zanted.", "'zanted' was not understood"),
        ("1. Wander around.\n2. Move to hall2.\n3. Drop ball1.", "line 1: 'Wander around': it names nothing"),
        ("My plan:\n- Wander.\n- Move to hall2.\n- Drop ball1.", "line 2: 'Wander': it names nothing"),
    ],
)
def test_what_is_not_understood_is_not_wrong(hall: Prepared, said: str, why: str) -> None:
    report = check(hall, plan=said, repair=False)
    assert report.determination is None
    assert why in report.reason


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("1. Pick ball1.\n2. Move.\n3. Drop ball1.", "line 2 means (move tom hall1 hall2)"),
        ("1. Pick ball1.\n2. Wander around.\n3. Drop ball1.", "line 2 means (move tom hall1 hall2)"),
        ("1. Pick ball1 on the floor.\n2. Move to hall2.\n3. Drop ball1.", "line 1 means (pick tom ball1 hall1 left)"),
        ("1. Pick ball1.\n2. Do not just move to hall3.\n3. Move to hall2.\n4. Drop ball1.", "line 2 means no step"),
        ("1. Pick ball1.\n2. Move to hall3 or hall2.\n3. Drop ball1.", "line 2 means (move tom hall1 hall2)"),
        ("1. Pick ball1.\n2. If it is safe, move to hall2.\n3. Drop ball1.", "line 2 means (move tom hall1 hall2)"),
        ("1. Pick ball1.\n2. Move to hall2.\n3. Drop ball1 zanted.", "line 3 means (drop tom ball1 hall2 left)"),
        ("1. Nimm ball1 auf.\n2. Move to hall2.\n3. Drop ball1.", "line 1 means (pick tom ball1 hall1 left)"),
        (
            "(pick tom ball1 hall1 left)\n(move tom hall1\n(drop tom ball1 hall2 left)",
            "line 2 means (move tom hall1 hall2)",
        ),
    ],
)
def test_an_unknown_answer_asks_what_would_settle_it(hall: Prepared, said: str, question: str) -> None:
    report = check(hall, plan=said, repair=False)
    assert report.determination is None
    assert report.question == f"valid if {question}"
    (supposed,) = report.settled_by
    lines = said.splitlines()
    name, *args = supposed.step.strip("()").split() or [""]
    is_formal = not name or said.startswith("(")
    lines[supposed.line - 1] = supposed.step if is_formal else hall.lexicon.say(Step(name=name, args=tuple(args)))
    assert check(hall, plan="\n".join(lines), repair=False).determination is True
    assert report.to_json()["question"] == report.question
    assert f"\n{report.question}\n" in report_text(report) and report.question in report._repr_html_()


@pytest.mark.parametrize(
    ("said", "quality", "lacking"),
    [
        ("1. Pick ball1.\n2. Wander around.\n3. Move to hall3.", "valid", "the goal is not reached"),
        ("1. Pick ball1.\n2. Move to hall3.\n3. Undo step 2.\n4. Drop ball1.", "valid", ""),  # a step may be undone
        ("1. Pick ball1.\n2. Wander.\n3. Drop ball2 in hall2.", "sound", "line 3 cannot be executed"),
        ("1. Pick ball1.\n2. Move to hall2.\n3. Drop ball1 zanted.", "valid", ""),  # line 3 settles it
        ("1. Pick ball1.\n2. Pick each ball.", "valid", ""),  # both lines were understood
    ],
)
def test_an_unknown_answer_says_what_the_steps_lack_that_were_read(
    hall: Prepared, said: str, quality: str, lacking: str
) -> None:
    report = check(hall, plan=said, repair=False, quality=quality)
    assert (report.determination, report.lacking_as_read) == (None, lacking)
    if lacking:
        assert report.question == f"not {quality} as far as it was read: {lacking}"
        assert f"\n{report.question}\n" in report_text(report)


@pytest.mark.parametrize(
    "said",
    [
        "1. Pick ball1.\n2. Head to hall2.\n3. Drop ball1.",
        "Tom picks ball1, then moves to hall3, then to hall2. He drops ball1 there.",
        "1. Pick ball1.\n2. Move from hall1 via hall3 to hall2.\n3. Drop it.",
        "| # | Do | What |\n|---|---|---|\n| 1 | pick | ball1 |\n| 2 | move | hall1 -> hall2 |\n| 3 | drop | ball1 |",
        "1. ball1 is picked by tom with the left hand.\n2. Move to hall2.\n3. ball1 is dropped. Now ball1 is in hall2.",
        "1. Pick the sphere ball1 with the claw left.\n2. Move to the chamber hall2.\n3. Drop ball1 in chamber hall2.",
        "1. Ball1 is grabbed.\n2. Tom is sent to hall2.\n3. Ball1 is released.",
        "| # | Do | What |\n|---|---|---|\n| 1 | Grab | ball1 |\n| 2 | Head | to hall2 |\n| 3 | Release | ball1 |",
        "Pick ball1, dann the courier moves to hall2, puis the courier drops ball1.",
        f"{SAID}\n\nIn short:\n{SAID}\n",
        "1. Pick ball1.\n2. Do not move to hall3.\n3. Move to hall2.\n4. Drop ball1.",
        "1. Pick ball1.\n2. Tom leaves hall1 and goes to hall2.\n3. Drop ball1.",
    ],
    ids=[
        *("another verb", "places in a row", "via", "a table", "passive", "a noun that describes"),
        *("passives of other verbs", "cells of other verbs", "joints of other languages", "a summary"),
        *("a step that is denied", "a step that says where from and where to"),
    ],
)
def test_the_model_decides_what_words_mean(hall: Prepared, said: str) -> None:
    report = check(hall, plan=said, repair=False)
    assert report.determination is True, report.reason


@pytest.mark.parametrize(
    "said",
    [
        "1. Pick ball1.\n2. Do not move to hall2.\n3. Drop ball1.",
        "1. Pick ball1.\n2. Tom does not move to hall2.\n3. Drop ball1 in hall1.",
        "1. Pick ball1.\n2. Ball1 is not dropped in hall2.\n3. Move to hall2.",
        "Tom did not pick ball1 and tom moved to hall2.",
    ],
)
def test_a_plan_without_a_step_that_it_denies_is_wrong(hall: Prepared, said: str) -> None:
    assert check(hall, plan=said, repair=False).determination is False


@pytest.mark.parametrize(
    ("said", "valid"),
    [
        ("1. Ball1 is picked up in hall1.\n2. Drop ball1 in hall2.", False),
        ("Pick ball1.\nBall1 is dropped in hall1.\nMove to hall2.", False),
        ("Pick ball1.\nBall1 is picked up in hall1.\nMove to hall2.\nDrop ball1.", None),
        ("Pick ball1. Tom is moved to hall2. Drop ball1.", True),
    ],
)
def test_a_passive_is_a_step_or_a_state(hall: Prepared, said: str, valid: bool | None) -> None:
    report = check(hall, plan=said, repair=False)
    assert report.determination is valid
    assert valid is not None or "it may tell a state or a step" in report.reason


@pytest.mark.parametrize(
    "said",
    [
        "Pick ball1 → Go to hall2: (move tom hall1 hall2) → Release ball1",
        "1. Pick ball1 carefully.\n2. (move tom hall1 hall2)\n3. Unhand ball1.",
        "Pick ball1. (move tom hall1 hall2). Then we leave ball1 in hall2.",
    ],
)
def test_sentences_beside_a_step_in_a_notation_may_be_steps(hall: Prepared, said: str) -> None:
    assert check(hall, plan=said, repair=False).determination is not False


@pytest.mark.parametrize(
    "thought", ["<think>Pick ball2. Then wander.</think>\n\n", "<thinking>drop ball1</thinking>\n"]
)
def test_thoughts_before_a_plan_in_words_change_nothing(hall: Prepared, thought: str) -> None:
    for said in ("Pick ball1. Go to hall2. Put it down.", "1. Pick ball1.\n2. Wander.\n3. Drop ball1.", "Drop ball1."):
        alone, behind = (check(hall, plan=before + said, repair=False) for before in ("", thought))
        assert behind.determination is alone.determination
        assert behind.reference == alone.reference


@pytest.mark.parametrize("word", ["Después", "Schließlich", "Zunächst", "Finalmente", "首先"])
def test_a_connective_of_another_language_says_nothing_else(hall: Prepared, word: str) -> None:
    assert check(hall, plan=f"{word}, pick ball1. {word}, move to hall2.", repair=False).determination is False


@pytest.mark.parametrize(
    "joint", [" -> ", " → ", "/", " and ", "; ", ", "], ids=["arrow", "sign", "slash", "and", "semicolon", "comma"]
)
@pytest.mark.parametrize("call", ["{}({})", "{} ({})"])
def test_arguments_of_calls_stand_between_any_signs(hall: Prepared, call: str, joint: str) -> None:
    steps = [step[1:-1].split() for step in WHOLE]
    right = "\n".join(call.format(name, joint.join(args)) for name, *args in steps)
    assert check(hall, plan=right, repair=False).determination is True
    assert check(hall, plan=right.partition("\n")[2], repair=False).determination is False


@pytest.mark.parametrize(
    "line", ["pick(tom, thing ball1, hall1, left)", "ball2: move to hall1, pick ball1", "[hall2] pick: ball1"]
)
def test_what_may_name_no_argument_is_no_fault(hall: Prepared, line: str) -> None:
    assert check(hall, plan=f"{line}\nMove to hall2.\nDrop ball1.", repair=False).determination is not False


@pytest.mark.parametrize(
    "named", ["both balls", "all balls", "the balls", "his balls", "both of the balls", "each ball"]
)
def test_the_objects_of_a_kind_are_several_steps(named: str) -> None:
    goal = "(and (in ball1 hall3) (in ball2 hall3))"
    problem = PROBLEM.replace("(in ball2 hall2)", "(in ball2 hall1)").replace("(in ball1 hall2)))", f"{goal}))")
    report = check(DOMAIN, problem, f"1. Pick {named}.\n2. Move to hall3.\n3. Drop {named}.", repair=False)
    assert report.determination is True, report.reason
    assert len(report.reference) == 5
    report = check(DOMAIN, problem, f"1. Pick {named}.\n2. Move to hall2.\n3. Drop {named}.", repair=False)
    assert report.determination is (False if "both" in named else None)  # not all of the kind may be meant


BOTH_BALLS = PROBLEM.replace("(in ball2 hall2)", "(in ball2 hall1)").replace("(in ball1 hall2)))", "(in ball2 hall3)))")


@pytest.mark.parametrize(
    "named",
    [
        *("both balls, ball1 and ball2", "the balls, ball1 and ball2", "the balls ball1 and ball2"),
        *("both balls (ball1 and ball2)", "both balls - ball1 and ball2", "ball1 and ball2, both balls"),
        *("the two balls", "ball1 in hall1, followed by ball2"),
    ],
)
def test_objects_that_are_named_by_their_kind_and_by_their_names_are_the_same(named: str) -> None:
    report = check(DOMAIN, BOTH_BALLS, f"Pick {named}. Move to hall3. Tom drops both.", repair=False)
    assert report.determination is True, report.reason
    assert len(report.reference) == 5


@pytest.mark.parametrize("named", ["ball1 as well as ball2", "balls", "three balls", "several balls"])
def test_what_may_be_several_objects_may_be_several_steps(named: str) -> None:
    said = f"Pick {named}. Move to hall3. Drop ball1, then ball2."
    assert check(DOMAIN, BOTH_BALLS, said, repair=False).determination is not False


@pytest.mark.parametrize(
    "said",
    [
        "Pick ball1. Tom moves ball1 to hall2. Drop ball1.",  # he carries it
        "Move to hall3 and on to hall2, picking ball1 in hall1. Drop ball1.",  # which is done before
        "Pick ball1. Move to hall2. Drop ball1. Pick ball2; ball1 is next.",
    ],
    ids=["what moves along", "a participle behind a chain", "next"],
)
def test_what_may_say_something_else_makes_no_plan_wrong(hall: Prepared, said: str) -> None:
    assert check(hall, plan=said, repair=False).determination is not False


@pytest.mark.parametrize("said", ["When it is done, drop ball1", "Tom starts by moving to hall2. Drop ball1"])
def test_what_only_says_when_a_step_begins_or_ends_hides_none(hall: Prepared, said: str) -> None:
    move = "" if "moving" in said else "Move to hall2. "
    assert check(hall, plan=f"Pick ball1. {move}{said}.", repair=False).determination is True


def test_a_step_that_is_told_in_two_parts_is_one(hall: Prepared) -> None:
    said = "1. Pick ball1.\n2. Tom leaves hall3 and goes to hall2.\n3. Drop ball1."
    assert check(hall, plan=said, repair=False).determination is not True


LAMPS = """
(define (domain lamps) (:requirements :typing :negative-preconditions)
  (:types lamp) (:predicates (lit ?l - lamp) (wired ?l - lamp))
  (:action activate :parameters (?l - lamp) :precondition (not (lit ?l)) :effect (lit ?l))
  (:action deactivate :parameters (?l - lamp) :precondition (lit ?l) :effect (not (lit ?l)))
  (:action connect :parameters (?l - lamp) :precondition (not (wired ?l)) :effect (wired ?l))
  (:action disconnect :parameters (?l - lamp) :precondition (wired ?l) :effect (not (wired ?l))))
"""
DARK = """
(define (problem dark) (:domain lamps) (:objects l1 l2 - lamp) (:init (lit l2) (wired l1))
  (:goal (and (lit l1) (not (lit l2)) (wired l2) (not (wired l1)))))
"""


@pytest.mark.parametrize(
    ("said", "valid", "why"),
    [
        ("Turn on l1. Turn l2 off. Hook up l2. Unplug l1.", True, ""),
        ("Light l1, extinguish l2, plug l2 in and unplug l1.", True, ""),
        ("L1 is illuminated, l2 is powered down, l2 is plugged in, l1 is unhooked.", True, ""),
        ("Here is how I wire l2:\n1. Turn l2 off.\n2. Hook it up.\n3. Unplug l1, then turn it on.", True, ""),
        ("Turn off l1. Turn l2 off. Hook up l2. Unplug l1.", None, "'turn' may mean deactivate or another action"),
        ("Turn on l1. Turn l2 on. Hook up l2. Unplug l1.", None, "'turn' may mean activate or another action"),
        ("Turn on l1. Turn off l2. Hook up l2. Hook up l1.", None, "'hook' may mean connect or another action"),
        ("Turn on l1. Turn off l2. Hook up l2. Mangle l1.", None, "no action is called 'mangle'"),
    ],
)
def test_a_verb_that_means_the_same_as_one_in_a_name_is_that_action(said: str, valid: bool | None, why: str) -> None:
    report = check(LAMPS, DARK, said, repair=False)
    assert report.determination is valid
    assert why in report.reason


TANKS = """
(define (domain tanks) (:requirements :typing) (:types tank) (:predicates (full ?t - tank) (smooth ?t - tank))
  (:action refuel :parameters (?t - tank) :effect (full ?t))
  (:action file :parameters (?t - tank) :effect (smooth ?t)))
"""


@pytest.mark.parametrize(("goal", "valid"), [("full", True), ("smooth", None)])
def test_verbs_that_look_alike_are_two(goal: str, valid: bool | None) -> None:
    problem = f"(define (problem one) (:domain tanks) (:objects t1 - tank) (:init) (:goal ({goal} t1)))"
    assert check(TANKS, problem, "Fill t1.", repair=False).determination is valid
    assert check(TANKS, problem, "First, t1 is filed.", repair=False).determination is (goal == "smooth")


@pytest.mark.parametrize("first", ["Take b off a.", "Remove b from a."])
@pytest.mark.parametrize("second", ["Put b onto c.", "Place b on top of c.", "Set b on c."])
@pytest.mark.parametrize("third", ["Grab a.", "Take a from the table."])
def test_a_verb_may_mean_an_action_that_takes_as_many_objects(first: str, second: str, third: str) -> None:
    """Put is a word of put-down, which takes one block."""
    said = f"{first} {second} {third} Put a on top of block b."
    assert check(BLOCKS, plan=said, repair=False).determination is True
    assert check(BLOCKS, plan=said.replace(second, ""), repair=False).determination is not True


@pytest.mark.parametrize("word", ["Then", "And", "We then", "The robot will", "Carefully"])
def test_place_behind_words_that_say_when_is_a_verb(word: str) -> None:
    said = f"Unstack b from a. {word} place b on c. Pick up a. Then place a on b."
    assert check(BLOCKS, plan=said, repair=False).determination is True


CUPS = """
(define (domain cups) (:requirements :typing) (:types cup spot)
  (:predicates (clean ?c - cup) (wrapped ?c - cup) (held ?c - cup) (at ?c - cup ?s - spot) (free))
  (:action grab :parameters (?c - cup ?s - spot) :precondition (and (free) (at ?c ?s))
    :effect (and (held ?c) (not (free)) (not (at ?c ?s))))
  (:action wash :parameters (?c - cup) :precondition (held ?c) :effect (clean ?c))
  (:action pack :parameters (?c - cup) :precondition (held ?c) :effect (wrapped ?c))
  (:action leave :parameters (?c - cup ?s - spot) :precondition (held ?c)
    :effect (and (free) (at ?c ?s) (not (held ?c)))))
"""


def test_what_is_so_anyway_is_no_step() -> None:
    problem = """(define (problem p) (:domain cups) (:objects cup - cup shelf sink - spot)
      (:init (free) (at cup shelf) (wrapped cup)) (:goal (and (clean cup) (at cup sink))))"""
    text = "Grab the cup from the shelf. Now the cup is wrapped. Leave the cup at the sink."
    assert check(CUPS, problem, text, repair=False).determination is False


def test_a_verb_whose_action_is_named_whole_means_no_other() -> None:
    said = "Pick up b from a. Stack b on c. Pick up a. Stack a on b."
    assert check(BLOCKS, plan=said, repair=False).determination is None


VANS = """
(define (domain vans) (:requirements :typing :numeric-fluents)
  (:types place parcel van)
  (:predicates (at ?v - van ?p - place) (lies ?x - parcel ?p - place) (in ?x - parcel ?v - van))
  (:functions (fuel ?v - van))
  (:action drive :parameters (?v - van ?from ?to - place) :precondition (and (at ?v ?from) (>= (fuel ?v) 2))
    :effect (and (at ?v ?to) (not (at ?v ?from)) (decrease (fuel ?v) 2)))
  (:action load :parameters (?x - parcel ?v - van ?p - place) :precondition (and (at ?v ?p) (lies ?x ?p))
    :effect (and (in ?x ?v) (not (lies ?x ?p))))
  (:action unload :parameters (?x - parcel ?v - van ?p - place) :precondition (and (at ?v ?p) (in ?x ?v))
    :effect (and (lies ?x ?p) (not (in ?x ?v))))
  (:action refuel :parameters (?v - van ?p - place) :precondition (at ?v ?p) :effect (increase (fuel ?v) 3)))
"""
ROUND = """
(define (problem round) (:domain vans) (:objects depot mill farm - place box - parcel red - van)
  (:init (at red depot) (lies box mill) (= (fuel red) 2)) (:goal (and (lies box farm) (>= (fuel red) 1))))
"""


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("1. Drive red to the mill.\n2. Load the box.\n3. Refuel red.\n4. Drive to the farm.\n5. Unload it.", True),
        (
            "Red goes to the mill and picks up the box. It refuels, goes to the farm and drops the box there.",
            True,
        ),
        ("1. Drive to the mill.\n2. Load the box.\n3. Refuel it.\n4. Drive to the farm.\n5. Unload the box.", True),
        ("1. Drive to the mill.\n2. Load the box.\n3. Drive to the farm.\n4. Unload the box.", False),
        ("1. Drive to the mill.\n2. Load the box.\n3. Wash red.\n4. Drive to the farm.\n5. Unload the box.", None),
        (
            "1. Drive to the mill.\n2. Load the box.\n3. Refuel if it is low.\n4. Drive to the farm.\n5. Unload it.",
            None,
        ),
        ("1. Drive to the mill.\n2. Load the box.\n3. Go to the mill.\n4. Drive to the farm.\n5. Unload it.", None),
        ("(drive red depot mill)\n((  box)\n(loadbox red)\n(drive red mill farm)", None),
    ],
    ids=[
        *(
            "what is left out",
            "other verbs",
            "a pronoun",
            "no fuel",
            "a verb that can mean several actions",
            "a condition",
        ),
        "a verb of motion is no refuelling",
        "an unknown step beside what cannot be read",
    ],
)
def test_plans_of_models_with_numbers_are_read_in_the_same_way(said: str, verdict: bool | None) -> None:
    report = check(VANS, ROUND, said, repair=False)
    assert report.determination is verdict, report.reason


def test_a_repair_keeps_lines_that_can_mean_its_steps() -> None:
    """Without fuel red stays at the mill, where "unload the box" is another step than in the repaired plan."""
    report = check(VANS, ROUND, "1. Drive to the mill.\n2. Load the box.\n3. Drive to the farm.\n4. Unload the box.")
    assert report.determination is False
    assert report.proven
    changes = [str(diff) for diff in report.plan_diff_obj if diff.diff_type is not None]
    assert changes == ["+(refuel red mill)"]
    assert [str(step) for step in report.reference] == [
        "(drive red depot mill)",
        "(load box red mill)",
        "(drive red mill farm)",
        "(unload box red farm)",
    ]
    assert (
        "line 4: 'Unload the box' was read as (unload box red farm): so it is in the repaired plan" in report.warnings
    )


def test_steps_that_are_told_twice_without_a_mark_are_done_twice(hall: Prepared) -> None:
    lines = "Pick ball1\nMove to hall2\nDrop ball1\n"
    report = check(hall, plan=lines * 2, repair=False)
    assert (report.determination, len(report.reference)) == (True, 6)
    report = check(hall, plan=f"{lines}\nThis is the summary\n{lines}", repair=False)
    assert (report.determination, len(report.reference)) == (True, 3)
    assert "the text tells these steps twice; they are read as one plan" in report.warnings


@pytest.mark.parametrize(
    "said",
    [
        "1. Pick ball1.\n2. I smash it.\n3. Move to hall2.\n4. Drop ball1.",
        "1. Pick ball1.\n2. Tom is placed in hall2.\n3. Drop ball1.",
        "1. Pick ball1.\n2. Move to the left of hall2.\n3. Drop ball1.",
        "1. Pick ball1.\n2. Move to the room next to hall2.\n3. Drop ball1.",
        "1. Pick ball1.\n2. Move to the former hall2.\n3. Drop ball1.",
    ],
    ids=["another verb and a pronoun", "a step or a state", "a place beside it", "a room beside it", "another thing"],
)
def test_what_may_be_a_step_is_not_passed_over(hall: Prepared, said: str) -> None:
    assert check(hall, plan=said, repair=False).determination is None


_TOLD = ("Pick ball1.", "Move to hall2.", "Drop ball1.")


@pytest.mark.parametrize("mark", ["{0}", "- {0}", "{1}. {0}"])
@pytest.mark.parametrize("told", [each for each in product((False, True), repeat=3) if 0 < sum(each) < 3])
def test_sentences_among_formal_steps_are_not_passed_over(hall: Prepared, mark: str, told: tuple[bool, ...]) -> None:
    lines = [_TOLD[number] if is_told else WHOLE[number] for number, is_told in enumerate(told)]
    text = "\n".join(mark.format(line, number) for number, line in enumerate(lines, 1))
    assert check(hall, plan=text, repair=False).determination is not False


def test_a_plan_that_its_explanation_does_not_mend_is_wrong(hall: Prepared) -> None:
    text = "\n".join((*WHOLE[1:], "Then tom moves to hall3.", "The ball is dropped because tom is in hall2."))
    assert check(hall, plan=text, repair=False).determination is False


def test_a_verb_means_one_action_wherever_it_stands(hall: Prepared) -> None:
    said = "1. Handle ball1.\n2. Move to hall2.\n3. Handle ball1."
    assert check(hall, plan=said, repair=False).determination is None


def test_a_strict_reading_fills_in_nothing(hall: Prepared) -> None:
    assert check(hall, plan=SAID, strict=True, repair=False).determination is False


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
_SAID = {"move": ("", "from ", "to "), "pick": ("", "", "in ", "with the ")}


@st.composite
def _open_steps(draw: st.DrawFn) -> Step:
    """Draw a step that names one of its objects at least."""
    name = draw(st.sampled_from(sorted(_TYPES)))
    kinds = _TYPES[name]
    args = [draw(st.sampled_from((*_OBJECTS[kind], LEFT_OUT))) for kind in kinds]
    named = draw(st.integers(1, len(kinds) - 1))
    args[named] = draw(st.sampled_from(_OBJECTS[kinds[named]]))
    return Step(name=name, args=tuple(args))


def _in_words(step: Step) -> str:
    """Return a step in words, who does it first, without what is left out."""
    who, *others = step.args
    said = zip(_SAID.get(step.name, _SAID["pick"])[1:], others, strict=True)
    rest = " ".join(f"{before}{arg}" for before, arg in said if arg != LEFT_OUT)
    return f"{step.name.capitalize()} {rest}" if who == LEFT_OUT else f"{who.capitalize()} {step.name}s {rest}"


def _every(step: Step) -> list[Step]:
    given_args = zip(_TYPES[step.name], step.args, strict=True)
    choices = [_OBJECTS[kind] if arg == LEFT_OUT else (arg,) for kind, arg in given_args]
    return [Step(name=step.name, args=args) for args in product(*choices)]


@settings(max_examples=60, deadline=None)
@given(st.lists(_open_steps(), min_size=1, max_size=3))
def test_what_is_left_out_is_decided_by_all_ways_to_execute_it(steps: list[Step]) -> None:
    """Valid only where some way reaches the goal, not valid only where none does; one of them is shown."""
    prepared = prepare(DOMAIN, PROBLEM)
    text = "\n".join(f"{number}. {_in_words(step)}." for number, step in enumerate(steps, 1))
    report = check(prepared, plan=text, repair=False)
    reaches = any(prepared.simulator.run(way).is_valid for way in product(*map(_every, steps)))
    if all(LEFT_OUT not in step.args for step in steps):
        assert report.determination is reaches, text
    assert report.determination is not (not reaches), text
    if report.determination:
        shown = [token for token in report.reference if isinstance(token, Step)]
        assert prepared.simulator.run(shown).is_valid
        assert all(step in _every(said) for step, said in zip(shown, steps, strict=True))


KITCHEN = """
(define (domain kitchen) (:requirements :typing) (:types item bench cook)
  (:predicates (at ?i - item ?b - bench) (clean ?i - item) (tagged ?i - item) (with ?c - cook ?b - bench))
  (:action rinse :parameters (?c - cook ?i - item ?b - bench) :precondition (and (with ?c ?b) (at ?i ?b))
    :effect (clean ?i))
  (:action tag :parameters (?c - cook ?i - item ?b - bench) :precondition (and (with ?c ?b) (at ?i ?b) (clean ?i))
    :effect (tagged ?i)))
"""
LEEK = """
(define (problem leek) (:domain kitchen) (:objects leek pan - item sink - bench ann - cook)
  (:init (at leek sink) (at pan sink) (with ann sink)) (:goal (tagged leek)))
"""


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("1. Give the leek a rinse.\n2. Put a tag on the leek.", True),
        ("1. The leek gets rinsed.\n2. The leek gets tagged by ann.", True),
        ("1. Put a tag on the leek.\n2. Give the leek a rinse.", None),
        ("1. The leek gets tagged.\n2. The leek gets rinsed.", False),
        *(
            (f"1. Rinse the leek.\n2. {line}.", None)
            for line in (
                *("Take the tag off the leek", "Give a tag to ann", "Put a tag in the sink", "Get a tag for the leek"),
            )
        ),
    ],
)
def test_light_verbs_leave_it_to_another_word_what_is_done(said: str, verdict: bool | None) -> None:
    assert check(KITCHEN, LEEK, said, repair=False).determination is verdict


@pytest.mark.parametrize(
    ("plan", "determination"),
    [
        (
            "Thought: b is on a.\nAction: unstack b from a\nObservation: you hold b\nThought: it is in the way\n"
            "Action: put it down\nObservation: ok\nAction: grab a\nObservation: you hold a\nAction: put it on b\n"
            "Observation: a is on b",
            True,
        ),
        ("> unstack b from a\nYou hold b.\n> put it down\nOk.\n> grab a\nYou hold a.\n> put it on b\nDone.", True),
        ("Agent: unstack b from a\nWorld: ok\nAgent: put it down\nWorld: ok", False),
        # What stands behind an answer without a label may be a step, or go on with the answer.
        ("Action: unstack b from a\nResult: b is held\nput b down\nAction: pick up a\nResult: ok\nput a on b", None),
        ("unstack b from a\n> put b down\nOk.\n> pick up a\nOk.\n> stack a on b\nOk.", None),
        ("Action: unstack b from a\nResult: b is held\nput b down\nAction: pick up a\nResult: a is held", False),
    ],
)
def test_commands_of_a_transcript_mean_what_a_plan_in_words_means(plan: str, determination: bool | None) -> None:
    assert check(prepare(BLOCKS), plan=plan).determination is determination


@pytest.mark.parametrize(
    ("last", "determination"),
    [("put it on b", True), ("put it down on b", True), ("put a down on b", None), ("put it on the table", None)],
)
def test_an_action_with_no_place_for_it_beside_an_object_is_another(last: str, determination: bool | None) -> None:
    plan = f"unstack b from a\nput b down\npick up a\n{last}"
    assert check(prepare(BLOCKS), plan=plan).determination is determination


def test_a_name_with_it_inside_is_no_pronoun() -> None:
    domain = DOMAIN.replace("pick", "j2it0y")
    steps = WHOLE[0].replace("pick", "J2it0y"), *WHOLE[1:]
    plan = "\n".join(f"{number}. {step[1:-1]}" for number, step in enumerate(steps, 1))
    assert check(prepare(domain, PROBLEM), plan=plan).determination is True


OFFICE = """
(define (domain office) (:requirements :typing) (:types room robot doc machine)
  (:predicates (in ?r - robot ?x - room) (stands ?m - machine ?x - room) (on ?m - machine) (printed ?d - doc)
    (carries ?r - robot ?d - doc) (lies ?d - doc ?x - room))
  (:action switch-on :parameters (?r - robot ?m - machine ?x - room)
    :precondition (and (in ?r ?x) (stands ?m ?x) (not (on ?m))) :effect (on ?m))
  (:action print :parameters (?r - robot ?d - doc ?m - machine ?x - room)
    :precondition (and (in ?r ?x) (stands ?m ?x) (on ?m)) :effect (and (printed ?d) (carries ?r ?d)))
  (:action walk :parameters (?r - robot ?x ?y - room) :precondition (in ?r ?x)
    :effect (and (in ?r ?y) (not (in ?r ?x))))
  (:action put-down :parameters (?r - robot ?d - doc ?x - room) :precondition (and (in ?r ?x) (carries ?r ?d))
    :effect (and (lies ?d ?x) (not (carries ?r ?d)))))
"""
MEMO = """
(define (problem memo) (:domain office) (:objects lobby lab - room rob - robot memo - doc laser - machine)
  (:init (in rob lobby) (stands laser lobby)) (:goal (lies memo lab)))
"""
PRINTS = ("Switch on the laser.", "Print the memo.", "Walk to the lab.", "Put the memo down.")


@pytest.mark.parametrize(
    "before",
    [
        *("Rob performs the following steps:", "The steps for rob are as follows:", "Rob should take these actions:"),
        *("To print the memo, rob does the following:", "Rob can print the memo with these steps:", "rob does this:"),
        *("In order to print the memo, rob needs to do the following:", "To print the memo:"),
    ],
)
def test_what_announces_the_steps_is_none_of_them(before: str) -> None:
    office = prepare(OFFICE, MEMO)
    text = "\n".join((before, *PRINTS))
    assert check(office, plan=text).determination is True
    assert check(office, plan=text.replace(PRINTS[1], "")).determination is not True


@pytest.mark.parametrize(
    ("plan", "determination"),
    [
        ("To print the memo, switch on the laser. Then print it. To finish, walk to the lab and put it down.", True),
        ("In order to print it, rob switches on the laser. Rob prints the memo, walks to the lab, puts it down.", True),
        ("Switch on the laser. To print the memo, walk to the lab. Put the memo down.", None),
        ("Switch on the laser.\nContinue by printing the memo.\nI would walk to the lab next.\nPut it down.", True),
        ("Switch on the laser.\nI would have printed the memo.\nWalk to the lab.\nPut the memo down.", None),
        ("Switch on the laser.\nPrint the memo.\nWalk to the lab.\nFinish by putting the memo down.", True),
    ],
)
def test_what_a_step_is_done_for_is_no_step(plan: str, determination: bool | None) -> None:
    assert check(prepare(OFFICE, MEMO), plan=plan).determination is determination


@pytest.mark.parametrize(
    "text",
    [
        *("pick(" * 400, "[(" * 400, "f(x = " * 400, "((pick ball1)" * 400),
        f"plan = {[('pick', {'b': 'ball1'})] * 400}",
        json.dumps(json.dumps([{"action": "pick", "args": ["ball1"]}] * 400)),
        f"plan([{', '.join(['pick(ball1)'] * 400)}]).",
        f"<table>{'<tr><td>1</td><td>pick</td><td>ball1</td></tr>' * 400}</table>",
    ],
)
def test_many_pieces_on_one_line_are_not_understood_in_linear_work(
    hall: Prepared, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed = _calls(monkeypatch, Readings, "followed")
    covered = _calls(monkeypatch, Coverage, "of")
    assert check(hall, plan=f"{text}\n", repair=False).determination is None
    assert sum(len(lines) for _, lines, *_ in followed) <= 20 * 400
    assert len(covered) <= 4 * 400


def test_a_text_of_many_steps_in_a_string_is_looked_at_once(hall: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = _calls(monkeypatch, understood, "_is_formal")
    steps = "\n".join(f"{number}. {WHOLE[number % 2 + 1]}" for number in range(200))
    assert check(hall, plan=json.dumps({"plan": steps}), repair=False).determination is False
    assert len(looked) == 1


def _calls(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[tuple[Any, ...]]:
    """Return the list to which the arguments of each call will be added."""
    calls: list[tuple[Any, ...]] = []
    called = getattr(owner, name)

    def counting(*args: Any) -> Any:
        calls.append(args)
        return called(*args)

    monkeypatch.setattr(owner, name, counting)
    return calls


def test_a_plan_that_was_read_in_part_has_no_cost() -> None:
    report = check(bundle("blocks").domain, bundle("blocks").problem, "1. Lift b from d.\n2. Place c on a.\n")
    assert (report.determination, report.cost) == (False, None)
