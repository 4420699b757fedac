"""Executing plans: names, undefined costs, and what happens at one time."""

from __future__ import annotations

import pytest

from validator.execution.simulator import Kind, Simulator, Trace
from validator.model.pddl import read_model
from validator.model.values import Model
from validator.reading.plan import Step
from validator.reading.tokens import Vocabulary, tokenize

ROOMS = """
(define (domain rooms)
  (:requirements :adl :action-costs)
  (:types room thing - object key box - thing)
  (:predicates (in ?r - room) (door ?a ?b - room) (at ?t - thing ?r - room) (held ?t - thing) (lit ?r - room) (done))
  (:functions (total-cost) (far ?a ?b - room))
  (:action go :parameters (?a ?b - room)
    :precondition (and (in ?a) (door ?a ?b)) :effect (and (in ?b) (not (in ?a)) (increase (total-cost) (far ?a ?b))))
  (:action take :parameters (?k - key ?r - room)
    :precondition (and (in ?r) (at ?k ?r)) :effect (and (held ?k) (not (at ?k ?r))))
  (:action push :parameters (?t - thing ?a ?b - room)
    :precondition (and (at ?t ?a) (not (= ?a ?b)) (not (lit ?b))) :effect (and (at ?t ?b) (not (at ?t ?a))))
  (:action switch :parameters (?r - room)
    :precondition (in ?r)
    :effect (and (when (lit ?r) (not (lit ?r))) (when (not (lit ?r)) (lit ?r))))
  (:action dark :parameters () :precondition (forall (?r - room) (not (lit ?r))) :effect (done))
  (:action any :parameters () :precondition (or (lit hall) (done)) :effect (done))
  (:action all :parameters () :effect (forall (?r - room) (lit ?r)))
  (:action wait :parameters ())
  (:constants)
)
"""
PROBLEM = """
(define (problem q) (:domain rooms)
  (:objects hall attic cellar - room k - key b - box)
  (:init (in hall) (door hall attic) (door attic hall) (door hall cellar) (at k attic) (at b hall)
         (= (far hall attic) 2) (= (far attic hall) 0.5) (= (total-cost) 0))
  (:goal (and (held k) (in hall) (not (lit attic))))
  (:metric minimize (total-cost)))
"""


def model(domain: str = ROOMS, problem: str = PROBLEM) -> Model:
    return read_model(domain.replace("(:constants)", "(:constants hall - room)"), problem)


SIMULATOR = Simulator(model())


def run(text: str, simulator: Simulator = SIMULATOR) -> Trace:
    return simulator.run(tokenize(text, Vocabulary.of(simulator.model)))


def kinds(trace: Trace) -> list[tuple[int | None, str]]:
    return [(failure.step, failure.kind.value) for failure in trace.failures if failure.kind is not Kind.GOAL]


def final(trace: Trace) -> frozenset[tuple[str, ...]]:
    *_, last = trace.states()
    return last


# --- sound and valid -----------------------------------------------------------------------------


def test_names_in_any_case_are_the_models() -> None:
    assert SIMULATOR.run([Step(name="Go", args=("HALL", "Attic"))]).is_sound


# --- malformed steps -----------------------------------------------------------------------------


def test_a_constraint_is_a_fault_where_the_model_has_none() -> None:
    assert kinds(run("[0] wait()\n[1] assert x")) == [(1, "constraint")]


# --- preconditions and causes --------------------------------------------------------------------


def test_an_undefined_cost_is_a_fault_of_its_own() -> None:
    failure = run("(go hall cellar)").failures[0]
    assert (failure.kind, failure.unmet) == (Kind.UNDEFINED_VALUE, ("(far hall cellar)",))


# --- at one time ---------------------------------------------------------------------------------

FLAGS = """
(define (domain flags) (:requirements :adl)
  (:predicates (p) (q) (r) (s) (t))
  (:action add-q :parameters () :precondition (p) :effect (q))
  (:action need-q :parameters () :precondition (q) :effect (r))
  (:action need-not-q :parameters () :precondition (not (q)) :effect (s))
  (:action del-p :parameters () :precondition (p) :effect (not (p)))
  (:action del-q :parameters () :effect (not (q)))
  (:action add-r :parameters () :effect (r))
  (:action need-p-or-r :parameters () :precondition (or (p) (r)) :effect (s))
  (:action del-r :parameters () :effect (not (r)))
  (:action copy :parameters () :effect (when (p) (t)))
  (:action add-p :parameters () :effect (p))
)
"""


def flags(init: str = "(p)") -> Simulator:
    return Simulator(read_model(FLAGS, f"(define (problem q) (:domain flags) (:init {init}) (:goal (and)))"))


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        # each reads the state before
        ("1: (add-q)\n1: (need-q)", [(1, "precondition")]),
        ("1: (add-q)\n1.0: (need-q)", [(1, "precondition")]),
        ("{add-q, need-q}", [(1, "precondition")]),
        # those that do not interfere all happen
        ("1: (add-q)\n1: (add-r)", []),
        ("add-q, {need-q, add-r}", []),
        ("{add-q, add-r}, {need-q, add-r}", []),
        # one undoes, changes or breaks what the other needs, adds or reads
        ("1: (add-q)\n1: (del-p)", [(1, "mutex")]),
        ("1: (del-p)\n1: (add-q)", [(1, "mutex")]),
        ("1: (add-q)\n1: (del-q)", [(1, "mutex")]),
        ("1: (add-q)\n1: (need-not-q)", [(1, "mutex")]),
        ("1: (copy)\n1: (del-p)", [(1, "mutex")]),
        # at one time, nothing that is read is touched, though it stays as it is; in a set, each order does the same
        ("1: (add-q)\n1: (add-p)", [(1, "mutex")]),
        ("1: (copy)\n1: (add-p)", [(1, "mutex")]),
        ("1: (need-p-or-r)\n1: (del-r)", [(1, "mutex")]),
        ("{add-q, add-p, copy}, {need-p-or-r, del-r}", []),
    ],
)
def test_steps_at_one_time(text: str, faults: list[tuple[int, str]]) -> None:
    trace = run(text, flags())
    assert kinds(trace) == faults
    if (1, "mutex") in faults:
        assert trace.failures[0].detail == "interferes with step 1 at the same time"  # counted from 1, as all text is


def test_independent_steps_have_all_their_effects_and_of_two_rivals_the_first() -> None:
    assert {("q",), ("r",)} <= final(run("1: (add-q)\n1: (add-r)", flags()))
    assert ("p",) in final(run("1: (add-q)\n1: (del-p)", flags()))


def test_steps_of_a_set_that_only_together_break_what_another_needs_are_mutex() -> None:
    assert not run("{need-p-or-r, del-p, del-r}", flags("(p) (r)")).is_sound
