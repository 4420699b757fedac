"""Texts that tell several plans: a draft and an answer, a correction, the same plan twice, in several notations."""

from __future__ import annotations

import pytest

from validator import check, prepare
from validator.checking.prepared import Prepared

DOMAIN = """(define (domain kitchen) (:requirements :strips :typing) (:types fish plate)
  (:predicates (raw ?f - fish) (cooked ?f - fish) (on ?f - fish ?p - plate) (free ?p - plate) (garnished ?f - fish))
  (:action cook :parameters (?f - fish) :precondition (raw ?f) :effect (and (cooked ?f) (not (raw ?f))))
  (:action serve :parameters (?f - fish ?p - plate)
   :precondition (and (cooked ?f) (free ?p)) :effect (and (on ?f ?p) (not (free ?p))))
  (:action garnish :parameters (?f - fish) :precondition (cooked ?f) :effect (garnished ?f)))"""
PROBLEM = """(define (problem dinner) (:domain kitchen) (:objects trout bass - fish p1 p2 - plate)
  (:init (raw trout) (raw bass) (free p1) (free p2)) (:goal (and (on trout p1) (garnished trout))))"""

WORDS = "1. Cook the trout.\n2. Serve the trout on p1.\n3. Garnish the trout."
PDDL = "- (cook trout)\n- (serve trout p1)\n- (garnish trout)"
CALLS = "cook(trout)\nserve(trout, p1)\ngarnish(trout)"
WRONG = {
    "words": "1. Serve the trout on p1.\n2. Cook the trout.\n3. Garnish the trout.",
    "pddl": "(serve trout p1)\n(cook trout)\n(garnish trout)",
    "calls": "```\nserve(trout, p1)\ncook(trout)\n```",
}
CORRECTIONS = (
    "Oops, the order was wrong. Correct plan:",
    "Actually, I made a mistake above. Here is the corrected plan:",
    "Wait, that is not right. Let me redo this.",
    "## Final plan",
)


@pytest.fixture(scope="module")
def model() -> Prepared:
    return prepare(DOMAIN, PROBLEM)


@pytest.mark.parametrize("right", [WORDS, PDDL, CALLS], ids=["words", "pddl", "calls"])
@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_a_correction_is_the_plan_or_leaves_it_open(model: Prepared, right: str, wrong: str, correction: str) -> None:
    assert check(model, None, f"My plan:\n{wrong}\n\n{correction}\n{right}").determination is not False
    assert check(model, None, f"My plan:\n{right}\n\n{correction}\n{wrong}").determination is not True


@pytest.mark.parametrize(
    "text",
    [
        f"A draft:\n{CALLS}\n\n{PDDL}",
        f"Initial idea:\n{PDDL}\n\n{CALLS}\n\nExplanation:\n{WORDS}",
        f"## Thinking\n{WORDS}\n\nHere is the plan:\n```\n{WORDS}\n```\n\nDetails:\n{WORDS}",
        f"{PDDL}\n\n{PDDL}",
    ],
)
def test_a_right_plan_that_is_told_again_is_not_called_wrong(model: Prepared, text: str) -> None:
    assert check(model, None, text).determination is not False


@pytest.mark.parametrize("again", [WORDS, CALLS, "cook trout serve trout p1 garnish trout"])
def test_an_answer_that_says_the_plan_again_hides_no_verdict(model: Prepared, again: str) -> None:
    assert check(model, None, f"Plan:\n{PDDL}\n\nFinal answer:\n{again}").determination is True
    assert check(model, None, f"Plan:\n{WRONG['pddl']}\n\nThis reaches the goal.").determination is False


def test_a_plan_that_goes_wrong_twice_is_wrong(model: Prepared) -> None:
    assert check(model, None, f"{WRONG['pddl']}\n\n{WRONG['pddl']}").determination is False


def test_a_rejected_plan_is_no_plan(model: Prepared) -> None:
    report = check(model, None, f"Rejected plan:\n{CALLS}\n\nFinal plan:\n{WRONG['words']}")
    assert report.determination is not True
