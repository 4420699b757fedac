"""When steps happen, said around them in other forms than PDDL's."""

from __future__ import annotations

from fractions import Fraction

import pytest

from validator.model.pddl import read_domain, read_problem
from validator.model.values import Model
from validator.reading.tokens import Vocabulary, tokenize

DOMAIN = read_domain("""
(define (domain line) (:requirements :durative-actions)
  (:predicates (at ?x))
  (:durative-action roll :parameters (?x ?y) :duration (= ?duration 2)
    :condition (at start (at ?x)) :effect (and (at start (not (at ?x))) (at end (at ?y)))))
""")
PROBLEM = read_problem(
    "(define (problem one) (:domain line) (:objects a b c) (:init (at a)) (:goal (at c)))",
    DOMAIN,
)
KNOWN = Vocabulary.of(Model(domain=DOMAIN, problem=PROBLEM))


def test_a_step_with_a_duration_whose_action_is_a_letter_is_no_item_of_a_list() -> None:
    """Such lines were passed over as prose between others, and the plan judged without them."""
    domain = read_domain("""
    (define (domain letters) (:requirements :durative-actions) (:predicates (p))
      (:durative-action a :parameters () :duration (= ?duration 2) :condition (at start (p)) :effect (at end (p)))
      (:durative-action b :parameters () :duration (= ?duration 2) :condition (at start (p)) :effect (at end (p))))
    """)
    problem = read_problem("(define (problem q) (:domain letters) (:init (p)) (:goal (p)))", domain)
    plan = tokenize("(a) [2]\n(b) [2]\n2: (b) [2]", Vocabulary.of(Model(domain=domain, problem=problem)))
    assert [step.name for step in plan.steps] == ["a", "b", "b"]


@pytest.mark.parametrize(
    "line",
    [
        "{0}: {2} [{1}]",
        "- **{0}**: `{2}` [{1}]",
        "**{0}:** {2} [{1}]",
        "- At time {0}: {2} for {1} seconds",
        "At {0} s: {2} (duration: {1} s).",
        "t={0}: {2} [duration: {1}]",
        "{0}s: {2} ({1}s)",
        "{0}:\n{2} [{1}]\n",
    ],
)
def test_times_and_durations_may_be_said_in_words(line: str) -> None:
    text = "".join(f"{line.format(*step)}\n" for step in (("0.5", "2", "(roll a b)"), ("2.501", "2", "(roll b c)")))
    found = tokenize(text, KNOWN)
    assert [(str(step), step.time, step.duration) for step in found.steps] == [
        ("(roll a b)", Fraction(1, 2), 2),
        ("(roll b c)", Fraction(2501, 1000), 2),
    ]
    assert "".join(text[slice(*part.span)] for part in found.parts) == text


def test_a_range_is_from_when_to_when() -> None:
    found = tokenize("0.5 - 2.5: (roll a b)\n3 – 5: (roll b c)\n", KNOWN)
    assert [(step.time, step.duration) for step in found.steps] == [(Fraction(1, 2), 2), (3, 2)]


def test_a_decimal_comma_is_one() -> None:
    found = tokenize("0,5: (roll a b) [2,0]\n2,501: (roll b c) [2,0]\n", KNOWN)
    assert [(step.time, step.duration) for step in found.steps] == [(Fraction(1, 2), 2), (Fraction(2501, 1000), 2)]


@pytest.mark.parametrize(
    "text",
    [
        "- **1**: (roll a b) [2]\n- **2**: (roll b c) [2]\n",
        "0.5 (roll a b) 2.5\n2.6 (roll b c) 4.6\n",
        "0.5s: (roll a b) (2)\n2.6s: (roll b c) (2)\n",
    ],
)
def test_numbers_that_may_be_others_are_no_times(text: str) -> None:
    assert not any(step.duration for step in tokenize(text, KNOWN).steps if step.time is not None)
