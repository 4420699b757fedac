"""Metrics that execute the plans: figures by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator import prepare
from validator.checking.prepared import Prepared
from validator.metrics import (
    Link,
    causal_links,
    compare,
    cost_ratio,
    links_distance,
    plan_cost,
    same_effect,
    same_states,
    states_distance,
)
from validator.reading.plan import Step

# Two lamps and a door: (on ?x) switches a lamp on, the door needs both; (off ?x) undoes it.
DOMAIN = """(define (domain lamps) (:requirements :typing :negative-preconditions)
  (:types lamp) (:predicates (lit ?x - lamp) (open) (seen))
  (:action on :parameters (?x - lamp) :precondition (not (lit ?x)) :effect (lit ?x))
  (:action off :parameters (?x - lamp) :precondition (lit ?x) :effect (not (lit ?x)))
  (:action toggle :parameters (?x - lamp) :precondition (not (lit ?x)) :effect (lit ?x))
  (:action enter :parameters (?x ?y - lamp) :precondition (and (lit ?x) (lit ?y)) :effect (open))
  (:action look :parameters () :precondition (open) :effect (seen)))"""
PROBLEM = "(define (problem p) (:domain lamps) (:objects a b - lamp) (:init) (:goal (open)))"


@pytest.fixture(scope="module")
def lamps() -> Prepared:
    return prepare(DOMAIN, PROBLEM)


def step(name: str, *args: str) -> Step:
    return Step(name=name, args=args)


# --- states --------------------------------------------------------------------------------------


def test_state_distance_by_hand(lamps: Prepared) -> None:
    # States behind the steps: {a}, {a b}, {a b open} and {b}, {a b}: 1 apart, 0 apart, one without counterpart.
    assert states_distance("(on a)\n(on b)\n(enter a b)", "(on b)\n(on a)", lamps).value == pytest.approx(2 / 3)
    # {a}, {a b} and {a}, {}: 0, then nothing in common.
    assert states_distance("(on a)\n(on b)", "(on a)\n(off a)", lamps).value == pytest.approx(1 / 2)
    # {a b} and {a}: half of the atoms in common.
    assert states_distance("(on a)\n(on b)", "(on a)\n(on b)\n(off b)\n(on b)", lamps).value == pytest.approx(2 / 4)


def test_nothing_is_said_of_what_a_plan_does_that_was_not_understood(lamps: Prepared) -> None:
    half, whole = "1. on a\n2. light the other one\n3. on b\n", "(on a)\n(on b)"
    found = compare([half, whole], lamps)
    for name in ("states", "links", "same-states", "same-effect", "cost"):
        score = found.pairs[0].scores[name]
        assert score.value is None and "on line 2" in score.reason
    first, second = found.plans
    assert (first.is_sound, first.is_valid, first.valid_prefix, first.cost) == (None, None, None, None)
    assert (second.is_sound, second.valid_prefix) == (True, 2)


DISTANCES = (states_distance, links_distance)
walks = st.lists(st.sampled_from(["(on a)", "(on b)", "(off a)", "(off b)", "(toggle a)", "(enter a b)"]), max_size=6)


@given(walks, walks)
def test_laws(one: list[str], other: list[str]) -> None:
    model = prepare(DOMAIN, PROBLEM)
    for metric in (*DISTANCES, same_states, same_effect):
        found = metric(one, other, model)
        assert metric(other, one, model).value == found.value
        assert metric(one, one, model).value in ((0, None) if metric in DISTANCES else (True, None))
        assert isinstance(found.value, bool | None) or 0 <= found.value <= 1
    if same_states(one, other, model).value:
        assert states_distance(one, other, model).value == 0
        assert same_effect(one, other, model).value is True


# --- costs ---------------------------------------------------------------------------------------

PRICED = """(define (domain d) (:requirements :action-costs) (:predicates (p)) (:functions (total-cost))
  (:action dear :parameters () :effect (and (p) (increase (total-cost) 3)))
  (:action cheap :parameters () :effect (and (p) (increase (total-cost) 2)))
  (:action free :parameters () :effect (p)))"""
PRICED_PROBLEM = (
    "(define (problem q) (:domain d) (:init (= (total-cost) 0)) (:goal (p)) (:metric minimize (total-cost)))"
)


def test_cost_ratio() -> None:
    model = prepare(PRICED, PRICED_PROBLEM)
    assert plan_cost("(dear)\n(cheap)", model).value == 5
    assert cost_ratio("(dear)", "(cheap)", model).value == 1.5
    assert cost_ratio("(free)", "(free)\n(free)", model).value == 1
    assert cost_ratio("(dear)", "(free)", model).value is None
    assert cost_ratio("(dear)", "(free)", model).reason == "the reference costs 0, the generated plan 3"
    assert cost_ratio("a, b, c", "a, b").value == 1.5


# --- causal links --------------------------------------------------------------------------------


def test_links_name_the_last_step_that_made_a_condition_true(lamps: Prepared) -> None:
    links = causal_links("(on a)\n(off a)\n(toggle a)\n(on b)\n(enter a b)", lamps)
    assert links == {
        Link(producer=None, condition="(not (lit a))", consumer=step("on", "a")),
        Link(producer=step("on", "a"), condition="(lit a)", consumer=step("off", "a")),
        Link(producer=step("off", "a"), condition="(not (lit a))", consumer=step("toggle", "a")),
        Link(producer=None, condition="(not (lit b))", consumer=step("on", "b")),
        Link(producer=step("toggle", "a"), condition="(lit a)", consumer=step("enter", "a", "b")),
        Link(producer=step("on", "b"), condition="(lit b)", consumer=step("enter", "a", "b")),
        Link(producer=step("enter", "a", "b"), condition="(open)", consumer=None),
    }


def test_link_distance_by_hand(lamps: Prepared) -> None:
    # init-on a, init-on b, on a-enter, on b-enter, enter-goal; with toggle a two of the five differ.
    one, other = "(on a)\n(on b)\n(enter a b)", "(on b)\n(toggle a)\n(enter a b)"
    assert links_distance(one, other, lamps).value == pytest.approx(1 - 3 / 7)
    assert links_distance(one, "(on b)\n(on a)\n(enter a b)", lamps).value == 0
