"""Recorded trajectories: the steps are the plan, the states are passed over, steps that failed changed nothing."""

from __future__ import annotations

import pytest

from validator import check

DOMAIN = """(define (domain d) (:requirements :typing) (:types place) (:predicates (at ?p - place) (seen ?p - place))
  (:action go :parameters (?a ?b - place) :precondition (at ?a) :effect (and (at ?b) (not (at ?a))))
  (:action look :parameters (?a - place) :precondition (at ?a) :effect (seen ?a)))"""
PROBLEM = """(define (problem q) (:domain d) (:objects a b c - place) (:init (at a)) (:goal (seen b)))"""


@pytest.mark.parametrize(
    "text",
    [
        "((:init (at a))\n(operator: (go a b))\n(:state (at b))\n(operator: (look b))\n(:state (at b) (seen b))\n)",
        "(:trajectory\n\n(:state (at a))\n(:action (go a b))\n\n(:state (at b))\n(:action (look b))\n(:state (at b)))",
        "((:init (at a)) (operators: (go a b) (nop )) (:state (at b)) (operators: (nop ) (look b)) (:state (seen b)))",
        "((:init (at a))\n(operator: (go b c))\n(:transition_status (failure))\n(:state (at a))\n(operator: (go a b))\n"
        "(:transition_status (success))\n(:state (at b))\n(operator: (look b))\n(:state (at b)))",
        "(:trajectory (:objects a b - place) (:state (at a)) (:action go a b) (:state (at b)) (:action look b))",
    ],
)
def test_the_steps_of_a_trajectory_are_the_plan(text: str) -> None:
    report = check(DOMAIN, PROBLEM, text, repair=False)
    assert report.determination is True
    assert check(DOMAIN, PROBLEM, text.replace("look b", "look c"), repair=False).determination is False


def test_what_begins_like_a_trajectory_and_is_none_is_read_as_before() -> None:
    assert check(DOMAIN, PROBLEM, "(go a b)\n(look b)", repair=False).determination is True
    assert check(DOMAIN, PROBLEM, "((:init (at a)) (:state (at b)))", repair=False).determination is not True
