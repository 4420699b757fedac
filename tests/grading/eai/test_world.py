"""Worlds of many objects: the same semantics as the simulator's, and states that do not change."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.depth import some
from validator.execution.simulator import Simulator
from validator.grading.eai.world.executor import World
from validator.grading.eai.world.state import State
from validator.model.bundled import Bundle, bundles
from validator.model.pddl import read_domain, read_model, read_problem
from validator.model.values import Model
from validator.reading.plan import Plan, Step

MODELS = [pytest.param(model, id=model.name) for model in bundles()]


def agree(model: Model, steps: list[Step]) -> None:
    """Hold a world to the simulator along some steps; one that fails changes nothing."""
    simulator, world = Simulator(model), World(model.domain, dict(model.problem.objects))
    trace = simulator.run(Plan(parts=tuple(steps)))
    failed = {failure.step for failure in trace.failures if failure.step is not None}
    state = State.of(model.problem.init)
    for number, (step, expected) in enumerate(zip(steps, list(trace.states())[1:], strict=True)):
        action = model.domain.actions[step.name]
        runs = world.failing(action, step.args, state) is None
        assert runs == (number not in failed), step
        if runs:
            state = world.result(action, step.args, state)
        assert set(state) == expected, step


@pytest.mark.parametrize("model", some(MODELS, 3))
def test_a_world_agrees_with_the_simulator_on_random_steps(model: Bundle) -> None:
    read = read_model(model.domain, model.problem)
    options = [
        (action.name, [read.objects_of(parameter.types) for parameter in action.parameters])
        for action in read.domain.actions.values()
    ]
    options = [(name, kinds) for name, kinds in options if all(kinds)]
    step = st.sampled_from(options).flatmap(
        lambda found: st.tuples(*(st.sampled_from(kind) for kind in found[1])).map(
            lambda args: Step(name=found[0], args=args)
        )
    )

    @settings(max_examples=25)
    @given(st.lists(step, max_size=12))
    def check(steps: list[Step]) -> None:
        agree(read, steps)

    check()


DOMAIN = """(define (domain d) (:requirements :adl :derived-predicates)
  (:types box - object place - object)
  (:predicates (at ?b - box ?p - place) (next ?p ?q - place) (linked ?p ?q - place) (mark ?p - place) (lit))
  (:derived (linked ?p ?q - place) (or (next ?p ?q) (exists (?r - place) (and (next ?p ?r) (linked ?r ?q)))))
  (:action none :parameters () :precondition CONDITION :effect (lit)))"""
PROBLEM = """(define (problem p) (:domain d) (:objects b c - box x y z - place)
  (:init (at b x) (next x y) (next y z) (next z x) (mark y)) (:goal (lit)))"""


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("(linked x x)", True),
        ("(forall (?p ?q - place) (linked ?p ?q))", True),
        ("(exists (?p - place) (and (at b ?p) (mark ?p)))", False),
        ("(exists (?b - box ?p - place) (and (at ?b ?p) (next ?p y)))", True),
        ("(forall (?b - box) (exists (?p - place) (at ?b ?p)))", False),
        ("(forall (?p - place) (imply (mark ?p) (linked x ?p)))", True),
        ("(exists (?b - box) (forall (?p - place) (not (at ?b ?p))))", True),
        ("(exists (?p - place) (and (or (mark ?p) (at b ?p)) (not (= ?p x)) (not (= ?p y))))", False),
        ("(and)", True),
        ("(or)", False),
        ("(not (lit))", True),
        ("(exists (?p - place) (and (not (mark ?p)) (or (at c ?p) (next ?p x))))", True),
    ],
)
def test_conditions(condition: str, holds: bool) -> None:
    domain = read_domain(_with(DOMAIN.replace("CONDITION", condition)))
    problem = read_problem(PROBLEM.replace("(:objects b c - box x y z - place)", "(:objects)"), domain)
    world = World(domain, dict(problem.objects))
    assert (world.failing(domain.actions["none"], (), State.of(problem.init)) is None) is holds


def _with(text: str) -> str:
    """Declare the objects of the problem as constants, so that conditions can name them."""
    return text.replace("(:predicates", "(:constants b c - box x y z - place)\n  (:predicates", 1)
