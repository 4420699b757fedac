"""Plans as language models tell them: who acts first, actions called by name, steps that are only hinted at."""

from __future__ import annotations

import pytest

from validator import check, prepare
from validator.reading.plan import Step
from validator.reading.tokens import tokenize

DOMAIN = """
(define (domain yard) (:requirements :strips :typing)
  (:types crane crate spot bay - object)
  (:predicates (at ?c - crane ?s - spot) (out ?c - crane ?b - bay) (holds ?c - crane ?k - crate) (free ?c - crane)
               (lies ?k - crate ?s - spot) (door ?s - spot ?b - bay))
  (:action leave :parameters (?c - crane ?s - spot ?b - bay) :precondition (and (at ?c ?s) (door ?s ?b))
    :effect (and (out ?c ?b) (not (at ?c ?s))))
  (:action enter :parameters (?c - crane ?b - bay ?s - spot) :precondition (and (out ?c ?b) (door ?s ?b))
    :effect (and (at ?c ?s) (not (out ?c ?b))))
  (:action shift :parameters (?c - crane ?s ?t - spot) :precondition (at ?c ?s)
    :effect (and (at ?c ?t) (not (at ?c ?s))))
  (:action hoist :parameters (?c - crane ?k - crate ?s - spot) :precondition (and (at ?c ?s) (lies ?k ?s) (free ?c))
    :effect (and (holds ?c ?k) (not (lies ?k ?s)) (not (free ?c))))
  (:action wash-crate :parameters (?k - crate ?c - crane) :precondition (holds ?c ?k) :effect (holds ?c ?k))
  (:action wash-spot :parameters (?s - spot) :precondition (and) :effect (and)))
"""
PROBLEM = """
(define (problem one) (:domain yard)
  (:objects crane1 crane2 - crane k1 k2 - crate s1 s2 s3 - spot b1 - bay)
  (:init (at crane1 s1) (at crane2 s3) (free crane1) (free crane2) (lies k1 s1) (lies k2 s2) (door s1 b1) (door s2 b1))
  (:goal (holds crane1 k1)))
"""
MODEL = prepare(DOMAIN, PROBLEM)


def steps(text: str) -> list[tuple[str, ...]]:
    return [(token.name, *token.args) for token in tokenize(text, MODEL.vocabulary).tokens if isinstance(token, Step)]


@pytest.mark.parametrize(
    ("sentence", "step"),
    [
        ("Crane1 shifts from s1 to s2.", ("shift", "crane1", "s1", "s2")),
        ("crane2 hoists k1 at s1", ("hoist", "crane2", "k1", "s1")),
        ("Crane1 leaves s1 for b1 -> crane1 is in b1, s1 is free", ("leave", "crane1", "s1", "b1")),
        ("shift crane1 from s1 to s2 -> crane1 is at s2", ("shift", "crane1", "s1", "s2")),
    ],
)
def test_who_acts_may_stand_first(sentence: str, step: tuple[str, ...]) -> None:
    assert steps(f"1. {sentence}") == [step]


@pytest.mark.parametrize(
    "text",
    [
        # the second part of a sentence
        "1. Hoist k1 with crane1 at s1, shift crane1 the other way round s1.",
        # items without a step before the first, and behind the last
        "1. Crane1 uses its left arm to turn k1 around at s1.\n2. Crane1 shifts from s1 to s2.",
        "1. Hoist k1 with crane1 at s1.\n2. For k2, turn it around and lower it with crane2.",
        # steps that are not written out
        "1. Hoist k1 with crane1 at s1.\n2. Repeat step 1 for k2.",
        "1. Hoist k1 with crane1 at s1.\n\nRepeat the above steps for k2.",
        "(hoist crane1 k1 s1)\n...\n(shift crane1 s1 s2)",
        # who acts, and what is done cannot be told
        "1. Hoist k1 with crane1 at s1.\n2. Crane1 shifts to the right.",
        # a verb of no action beside a word that is nothing of the model
        "1. Hoist k1 with crane1 at s1.\n2. Wash crane1 thoroughgoing.",
    ],
)
def test_what_is_left_out_of_a_plan_is_not_wrong(text: str) -> None:
    report = check(MODEL, None, text, repair=False)
    assert report.determination is not True, report
    assert not report.is_understood and report.determination is None, report


@pytest.mark.parametrize(
    "text",
    [
        "The goal holds already. Therefore, no actions are required.",
        "Everything is in its place: the optimal plan in this case is to do nothing.",
        "There is no need to take any action.",
        "The plan is empty.",
        "No plan is needed, as the goal holds already.",
    ],
)
def test_that_nothing_has_to_be_done_is_the_empty_plan(text: str) -> None:
    reached = PROBLEM.replace("(:goal (holds crane1 k1))", "(:goal (at crane1 s1))")
    assert check(DOMAIN, reached, text, repair=False).determination is True
    report = check(MODEL, None, text, repair=False)
    assert report.determination is False
    assert [str(failure.kind) for failure in report.failures] == ["goal"]


@pytest.mark.parametrize("text", ["; no step\n", "The plan is empty.", "crane1: s1", "1. hoist k1 with crane1"])
def test_a_model_without_actions_executes_no_step(text: str) -> None:
    still = DOMAIN[: DOMAIN.index("(:action")] + ")"
    reached = PROBLEM.replace("(:goal (holds crane1 k1))", "(:goal (at crane1 s1))")
    assert check(still, reached, text).determination is (None if "1" in text else True)


# --- models in the text of a plan -----------------------------------------------------------------


@pytest.mark.parametrize("quoted", [DOMAIN, PROBLEM, DOMAIN + PROBLEM, f"```pddl{DOMAIN.rstrip()[:-1]}```\n"])
def test_a_model_that_a_text_quotes_is_no_plan(quoted: str) -> None:
    report = check(MODEL, None, quoted, repair=False)
    assert report.determination is None and not report.is_understood
    beside = f"{quoted}\nThe plan:\n(hoist crane1 k1 s1)\n"
    assert steps(beside) == [("hoist", "crane1", "k1", "s1")]
    assert check(MODEL, None, beside, repair=False).determination is True


def test_a_table_of_other_names_is_not_understood() -> None:
    lines = ["(hoist_S crane1 k1 s1) [2]", "(hoist_E crane1 k1 s1) [2]"]
    assert check(MODEL, None, "".join(f"{line}\n" for line in lines), repair=False).determination is False
    table = "".join(f"{7 + number}\t0\t{number}\t3: {line}\n" for number, line in enumerate(lines))
    assert check(MODEL, None, table, repair=False).determination is None


def test_facts_in_a_connective_are_no_steps() -> None:
    assert steps("Goal: (and (at k1 s1))\n(hoist crane1 k1 s1)\n") == [("hoist", "crane1", "k1", "s1")]
    assert steps("(and (hoist crane1 k1 s1))\n") == [("hoist", "crane1", "k1", "s1")]


TOWERS = """
(define (domain towers) (:requirements :strips)
  (:predicates (on ?x ?y) (low ?x) (clear ?x) (free) (held ?x))
  (:action lift :parameters (?x) :precondition (and (clear ?x) (low ?x) (free)) :effect (and (held ?x) (not (free))))
  (:action stack :parameters (?x ?y) :precondition (and (held ?x) (clear ?y)) :effect (and (on ?x ?y) (free)))
  (:action unstack :parameters (?x ?y) :precondition (and (on ?x ?y) (clear ?x) (free)) :effect (held ?x))
  (:action turnover :parameters (?x) :precondition (held ?x) :effect (held ?x)))
"""
TOWER = """
(define (problem p) (:domain towers) (:objects ann bob cid)
  (:init (low ann) (low bob) (clear ann) (clear bob) (clear cid) (free)) (:goal (on ann bob)))
"""


def towers(text: str) -> tuple[list[str], int]:
    """Return the steps of a text about towers, and how many pieces of it were not understood."""
    plan = tokenize(text, prepare(TOWERS, TOWER).vocabulary)
    return [str(step) for step in plan.steps], len(plan.tokens) - len(plan.steps)


LIFT, STACK, LIFT_CID = THREE = ["(lift ann)", "(stack ann bob)", "(lift cid)"]
OF_TOWERS: dict[str, tuple[list[str], int]] = {
    # a clause before the order
    "1. Lift ann.\n2. Since ann is clear and nothing is held, lift ann.": ([LIFT, LIFT], 0),
    "1. Lift ann.\n2. Now that bob is clear (ann was moved away), lift bob.": ([LIFT, "(lift bob)"], 0),
    "1. Lift ann.\n2. Since bob is not held, lift bob.": ([LIFT, "(lift bob)"], 0),
    "1. Lift ann.\n2. While holding it, then stack ann on top of cid.": ([LIFT, "(stack ann cid)"], 0),
    # a remark, orders below a step, sentences that go on in the next line
    "1. Lift ann.\n2. Stack ann on top of bob.\n3. After stacking ann on bob, nothing is left.": ([LIFT, STACK], 0),
    "1. Lift the ann:\n   * Stack the ann on top of the bob\n2. Lift the cid:\n   * Lift the cid\n   * It is clear.": (
        [LIFT, LIFT_CID],
        1,
    ),
    "1. Lift the ann,\n   then stack the ann on top of the bob\n2. Lift the cid and\n   stack it on ann.": (
        [*THREE, "(stack cid ann)"],
        0,
    ),
    # under is not on top of
    "1. Unstack ann from on top of bob.\n2. Lift cid.": (["(unstack ann bob)", LIFT_CID], 0),
    "1. Unstack ann from under bob.\n2. Lift cid.": ([LIFT_CID], 1),
    # one line
    **dict.fromkeys(
        [
            "Lift ann & stack it on bob & lift cid",
            "Step 1: lift ann, Step 2: stack ann on top of bob, Step 3: lift cid",
            "(1) lift ann, (2) stack ann on top of bob, (3) lift cid",
            "First lift ann; second, stack it on bob; third, lift cid.",
            "`lift ann`, `stack ann bob`, `lift cid`",
            "- [x] Lift ann\n- [X] Stack ann on bob\n- [ ] Lift cid",
            "Execute lift(ann), stack(ann, bob), lift(cid).",
            *(sign.join(["lift ann", "stack ann on bob", "lift cid"]) for sign in (", ", "; ", " -> ", ", then ")),
        ],
        (THREE, 0),
    ),
}


@pytest.mark.parametrize("text", OF_TOWERS)
def test_sentences_about_towers(text: str) -> None:
    assert towers(text) == OF_TOWERS[text]


@pytest.mark.parametrize("count", [30, 150])
def test_a_chain_may_be_long(count: int) -> None:
    text = "Lift ann, " + ", ".join(["stack ann on bob", "unstack ann from on top of bob"] * count)
    steps, missed = towers(text)
    assert (len(steps), missed) == (2 * count + 1, 0)


def test_a_verb_and_its_particle_may_be_one_word_in_the_name() -> None:
    assert towers("1. Turn over ann.\n2. Turn ann over.\n3. Turnover ann.") == (["(turnover ann)"] * 3, 0)


FORMS = {
    "items": "1. Lift the ann\n2. Stack the ann on the bob\n3. Lift the cid\n",
    "lines": "Lift the ann\nStack the ann on the bob\nLift the cid\n",
    "formal": "(lift ann)\n(stack ann bob)\n(lift cid)\n",
    "calls": "lift(ann)\nstack(ann, bob)\nlift(cid)\n",
    "values": '["lift ann", "stack ann bob", "lift cid"]\n',
    "paragraph": "Lift the ann, stack it on the bob, and lift the cid.\n",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("", "\nThis plan lifts ann, stacks it on bob, and then lifts cid."),
        ("", "So we lift ann, stack it on bob, and lift the cid."),
        ("", "\nExplanation: First lift ann, then stack it on the bob. Lift the cid."),
        ("We need to lift ann. Then stack it on bob and lift cid.\n\n", ""),
        ("First lift ann, and stack it on bob. Then lift cid.\n\n", ""),
    ],
)
def test_a_plan_is_told_once_however_often_it_is_said(form: str, before: str, behind: str) -> None:
    steps, missed = towers(before + FORMS[form] + behind)
    assert steps == ["(lift ann)", "(stack ann bob)", "(lift cid)"] or missed


def test_a_part_of_another_line_may_be_done_again() -> None:
    steps, missed = towers("Lift the ann, stack it on the bob, and lift the cid.\nLift the ann, and lift the cid.")
    assert steps == ["(lift ann)", "(stack ann bob)", "(lift cid)"] and missed
