"""Questions about facts that are derived from themselves: their conditions say what the axioms say."""

from __future__ import annotations

import pytest

from validator import prepare
from validator.checking.prepared import Prepared
from validator.errors import InputError
from validator.foils import why_not

pytestmark = pytest.mark.planner

_DOMAIN = """
(define (domain towers) (:requirements :strips :derived-predicates :negative-preconditions)
  (:predicates (on ?x ?y) (table ?x) (clear ?x) (above ?x ?y) (apart ?x ?y))
  (:derived (above ?x ?y) (or (on ?x ?y) (exists (?z) (and (above ?x ?z) (above ?z ?y)))))
  (:derived (apart ?x ?y) (and (not (above ?x ?y)) (not (above ?y ?x))))
  (:action down :parameters (?x ?y) :precondition (and (clear ?x) (on ?x ?y))
    :effect (and (table ?x) (not (on ?x ?y)) (clear ?y)))
  (:action stack :parameters (?x ?y) :precondition (and (clear ?x) (table ?x) (clear ?y) (not (= ?x ?y)))
    :effect (and (not (table ?x)) (on ?x ?y) (not (clear ?y)))))
"""


def _towers(names: str) -> Prepared:
    init = "(clear a) (on a b) (on b c) (table c) " + " ".join(f"(table {name}) (clear {name})" for name in names[3:])
    return prepare(
        _DOMAIN, f"(define (problem p) (:domain towers) (:objects {' '.join(names)}) (:init {init}) (:goal (on c a)))"
    )


@pytest.mark.deep
def test_a_question_about_what_is_derived_from_itself_is_answered() -> None:
    answer = why_not(_towers("abcd"), constraints=["at end (above c d)"], time_limit=60)
    assert answer.possible and answer.best is not None
    assert (answer.best.plan.cost, answer.best.proven) == (4, True)


@pytest.mark.deep
def test_what_can_hold_in_too_many_ways_is_not_asked_about() -> None:
    with pytest.raises(InputError, match="too many ways"):
        why_not(_towers("abcdefgh"), constraints=["sometime (above d e)"])
