"""A plan made cheaper stretch by stretch."""

from __future__ import annotations

import pytest

from tests.support.models import carry, gripper, limits, task_of
from validator import prepare
from validator.model.pddl import read_model
from validator.reading.plan import Step
from validator.repair.cheapest import cheaper_plan

pytestmark = pytest.mark.planner


@pytest.mark.parametrize("most", [0, 30])
def test_detours_are_taken_out(most: int) -> None:
    prepared = prepare(read_model(*gripper(4)))
    task = task_of(prepared)
    good = [Step(name=words[0], args=tuple(words[1:])) for words in map(_words, carry(4).splitlines())]
    move = next(step for step in good if step.name == "move")
    there_and_back = [move, Step(name="move", args=move.args[::-1])]
    place = good.index(move)
    long = [*good[:place], *there_and_back, *good[place:]]
    found = cheaper_plan(task, long, max(most, len(good)) if most else 0, limits(), lambda: False)
    assert prepared.simulator.run(list(found)).is_valid
    assert len(found) <= (len(long) if most else len(good))
    assert cheaper_plan(task, long, 0, limits(), lambda: True) == tuple(long)


def test_a_cheaper_plan_with_conditional_effects_is_found_in_one_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.grounding.axioms._MOST_COPIES", 0)  # so that they stay
    domain = """(define (domain d) (:predicates (at ?p) (seen ?p) (lit))
      (:action go :parameters (?a ?b) :precondition (at ?a)
        :effect (and (not (at ?a)) (at ?b) (when (lit) (seen ?b))))
      (:action light :parameters () :effect (lit)))"""
    problem = "(define (problem p) (:domain d) (:objects a b c) (:init (at a)) (:goal (and (at c) (seen c))))"
    task = task_of(prepare(read_model(domain, problem)))
    assert task.has_conditional_effects
    long = [Step(name="light"), *(Step(name="go", args=tuple(way)) for way in ("ab", "ba", "ac"))]
    assert cheaper_plan(task, long, 0, limits(), lambda: False) == (long[0], long[-1])
    assert cheaper_plan(task, (long[0], long[-1]), 0, limits(), lambda: False) == (long[0], long[-1])


def _words(line: str) -> list[str]:
    return line[1:-1].split()
