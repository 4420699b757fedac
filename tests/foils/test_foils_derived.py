"""Questions about facts that are derived from themselves: their conditions say what the axioms say."""

from __future__ import annotations

import random
import time

import pytest

from validator import prepare
from validator.automata.facts import Facts, holds_in
from validator.checking.prepared import Prepared
from validator.errors import InputError
from validator.foils import why_not
from validator.foils.language.context import read_condition
from validator.grounding.limits import Limits
from validator.grounding.task import Task
from validator.model.conditions import holds

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


def _compare(prepared: Prepared, draw: random.Random) -> None:
    """Hold random conditions against the axioms in the states of a random walk."""
    task = prepared.task(Limits(deadline=time.monotonic() + 60, memory=2**31))
    assert isinstance(task, Task)
    facts, names = Facts(prepared.model, task), list(prepared.model.problem.objects)
    values, state = list(task.init), prepared.model.problem.init
    for _ in range(8):
        operator = draw.choice([one for one in task.operators if all(values[v] == x for v, x in one.needed.items())])
        for effect in operator.effect_values:
            values[effect.variable] = effect.value
        *_, state = prepared.simulator.run_from(state, [task.encoding.step(operator.name)]).states()
        x, y, z = (draw.choice(names) for _ in range(3))
        texts = [f"(above {x} {y})", f"(exists (?q) (above {x} ?q))"]
        if len(names) < 4:  # with four blocks it can hold in too many ways
            texts.append(f"(or (apart {x} {y}) (above {y} {z}))")
        for text in texts:
            condition = read_condition(text, prepared.model)
            for positive in (True, False):
                found = facts.condition(condition, positive=positive)
                wanted = holds(prepared.model, condition, {}, prepared.simulator.view(state)) is positive
                assert holds_in(found, values) is wanted, (text, positive)


def test_a_condition_says_what_recursive_axioms_say() -> None:
    _compare(_towers("abc"), random.Random(1))


@pytest.mark.deep
def test_conditions_in_many_states_say_what_recursive_axioms_say() -> None:
    for blocks in ("abc", "abcd"):
        prepared = _towers(blocks)
        for seed in range(20):
            _compare(prepared, random.Random(seed))


@pytest.mark.deep
def test_a_question_about_what_is_derived_from_itself_is_answered() -> None:
    answer = why_not(_towers("abcd"), constraints=["at end (above c d)"], time_limit=60)
    assert answer.possible and answer.best is not None
    assert (answer.best.plan.cost, answer.best.proven) == (4, True)


@pytest.mark.deep
def test_what_can_hold_in_too_many_ways_is_not_asked_about() -> None:
    with pytest.raises(InputError, match="too many ways"):
        why_not(_towers("abcdefgh"), constraints=["sometime (above d e)"])
