"""Executing plans: what a step needs and does, why it fails, what happens at one time, derived predicates."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from validator.execution.simulator import Kind, Measure, Origin, Simulator, Trace
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


@pytest.mark.parametrize(
    ("text", "kind", "detail", "nearest"),
    [
        ("(goo hall attic)", Kind.UNKNOWN_ACTION, "goo", "go"),
        ("(fly)", Kind.UNKNOWN_ACTION, "fly", None),
        ("(go hall)", Kind.WRONG_ARITY, "go takes 2, got 1", None),
        ("(wait hall)", Kind.WRONG_ARITY, "wait takes 0, got 1", None),
        ("(go hall atic)", Kind.UNKNOWN_OBJECT, "atic", "attic"),
        ("(go ?a attic)", Kind.UNKNOWN_OBJECT, "?a", None),
        ("(take b hall)", Kind.WRONG_TYPE, "b is box, take ?k needs key", None),
        ("()", Kind.SYNTAX, "(): an action name was expected between the parentheses", None),
        ("(wait", Kind.SYNTAX, "(wait: ')' was expected", None),
    ],
)
def test_a_malformed_step(text: str, kind: Kind, detail: str, nearest: str | None) -> None:
    failure = run(f"(wait)\n{text}").failures[0]
    assert (failure.step, failure.kind, failure.detail, failure.nearest) == (1, kind, detail, nearest)


def test_a_constraint_is_a_fault_where_the_model_has_none() -> None:
    assert kinds(run("[0] wait()\n[1] assert x")) == [(1, "constraint")]


# --- preconditions and causes --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "step", "causes"),
    [
        ("(go attic hall)", 0, [("(in attic)", Origin.NEVER_ADDED, None)]),
        ("(go hall attic)\n(wait)\n(go hall cellar)", 2, [("(in hall)", Origin.DELETED, 0)]),
        ("(take k hall)", 0, [("(at k hall)", Origin.NEVER_ADDED, None)]),
        ("(push b hall hall)", 0, [("(not (= hall hall))", Origin.COMPOUND, None)]),
        ("(all)\n(push b hall attic)", 1, [("(not (lit attic))", Origin.ADDED, 0)]),
        ("(any)", 0, [("(or (lit hall) (done))", Origin.COMPOUND, None)]),
        (
            "(all)\n(dark)",
            1,
            [(f"(not (lit {room}))", Origin.ADDED, 0) for room in ("hall", "attic", "cellar")],
        ),
        (
            "(push k hall hall)",
            0,
            [("(at k hall)", Origin.NEVER_ADDED, None), ("(not (= hall hall))", Origin.COMPOUND, None)],
        ),
    ],
)
def test_an_unmet_precondition_says_what_is_false_and_why(
    text: str, step: int, causes: list[tuple[str, Origin, int | None]]
) -> None:
    failure = run(text).failures[0]
    assert (failure.step, failure.kind) == (step, Kind.PRECONDITION)
    assert [(cause.literal, cause.origin, cause.step) for cause in failure.causes] == causes
    assert failure.unmet == tuple(literal for literal, *_ in causes)


def test_an_undefined_cost_is_a_fault_of_its_own() -> None:
    failure = run("(go hall cellar)").failures[0]
    assert (failure.kind, failure.unmet) == (Kind.UNDEFINED_VALUE, ("(far hall cellar)",))


# --- the goal ------------------------------------------------------------------------------------


def test_the_goal_says_which_conjuncts_are_false_and_when_each_held() -> None:
    trace = run("(go hall attic)\n(all)\n(wait)")
    assert [(goal.literal, goal.last_held) for goal in trace.unmet_goals] == [
        ("(held k)", None),
        ("(in hall)", -1),
        ("(not (lit attic))", 0),
    ]


# --- cost ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "measure", "cost"),
    [
        ("(:metric minimize (total-cost))", Measure.TOTAL_COST, 2),
        ("", Measure.LENGTH, 2),
        ("(:metric maximize (total-cost))", None, 2),
        ("(:metric minimize (total-time))", None, 2),
        ("(:metric minimize (* 2 (total-cost)))", None, 4),
        ("(:metric minimize (+ (total-time) (/ (total-cost) 0)))", None, None),
    ],
)
def test_what_the_cost_is(metric: str, measure: Measure | None, cost: int | None) -> None:
    simulator = Simulator(model(problem=PROBLEM.replace("(:metric minimize (total-cost))", metric)))
    assert simulator.measure is measure
    assert run("(go hall attic)\n(wait)", simulator).cost == cost


def test_the_cost_of_a_sum_is_exact() -> None:
    domain = (
        "(define (domain d) (:functions (total-cost) (f)) (:action a :parameters ()"
        " :effect (and (increase (total-cost) (/ (f) 3)) (increase (total-cost) (- (* 2 (f)) (+ 0.1 0.2))))))"
    )
    problem = "(define (problem q) (:domain d) (:init (= (f) 1)) (:goal (and)) (:metric minimize (total-cost)))"
    assert run("(a)", Simulator(read_model(domain, problem))).cost == Fraction(1, 3) + 2 - Fraction(3, 10)


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
)
"""


def flags(init: str = "(p)", goal: str = "(and)") -> Simulator:
    return Simulator(read_model(FLAGS, f"(define (problem q) (:domain flags) (:init {init}) (:goal {goal}))"))


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


def test_steps_that_only_together_break_what_another_needs_are_mutex() -> None:
    assert not run("1: (need-p-or-r)\n1: (del-p)\n1: (del-r)", flags("(p) (r)")).is_sound


# --- derived predicates --------------------------------------------------------------------------


CONDITIONAL = """(define (domain turns)
  (:types piece place - object corner - place)
  (:constants c1 - corner)
  (:predicates (at ?x - object ?y - object) (free ?x - object) (done))
  (:action turn :parameters (?p - piece) :effect (and
    (forall (?x - place ?y - place) (when (at ?x ?y) (and (not (at ?x ?y)) (at ?y ?x))))
    (forall (?x - corner) (when (and (free ?x) (at ?p ?x) (exists (?y - place ?z - piece) (at ?z ?y))) (not (free ?x))))
    (forall (?x - place) (when (at c1 ?x) (forall (?x - piece) (when (at ?x ?x) (done))))))))"""


@pytest.mark.parametrize("seed", range(20))
def test_with_few_atoms_conditional_effects_are_read_off_them_and_do_the_same(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    objects = {"piece": ["p1", "p2", "p3"], "place": ["l1", "l2"], "corner": ["c1", "c2", "c3"]}
    names = [name for each in objects.values() for name in each]
    atoms = {f"(at {rng.choice(names)} {rng.choice(names)})" for _ in range(rng.randint(0, 6))}
    atoms |= {f"(free {name})" for name in rng.sample(names, 2)}
    declared = " ".join(f"{' '.join(set(each) - {'c1'})} - {kind}" for kind, each in objects.items())
    problem = f"(define (problem p) (:domain turns) (:objects {declared}) (:init {' '.join(atoms)}) (:goal (done)))"
    simulator = Simulator(read_model(CONDITIONAL, problem))
    steps = [Step(name="turn", args=(rng.choice(objects["piece"]),)) for _ in range(3)]
    found = simulator.run(steps)
    monkeypatch.setattr("validator.model.conditions.prod", lambda sizes: 0)  # by all tuples of objects
    assert Simulator(read_model(CONDITIONAL, problem)).run(steps) == found
