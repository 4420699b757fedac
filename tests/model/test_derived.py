"""Derived predicates of states that follow each other; what they are is held to an oracle by ``tests/laws``."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest

from validator.model import derived as closures
from validator.model.derived import Closure
from validator.model.pddl import read_model
from validator.model.values import (
    GroundAtom,
)


@pytest.mark.parametrize(("most", "computed"), [(closures._MOST_KEPT, 2), (0, 4)])
def test_a_state_that_comes_again_is_not_looked_at_again(
    most: int, computed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = read_model(
        "(define (domain d) (:predicates (e ?x) (p ?x)) (:derived (p ?x) (not (e ?x))))",
        "(define (problem q) (:domain d) (:objects a) (:init (e a)) (:goal (p a)))",
    )
    found: list[object] = []
    move = closures._Now.move

    def counted(now: closures._Now, state: frozenset[GroundAtom], values: Mapping[GroundAtom, Fraction]) -> None:
        found.append(state)
        move(now, state, values)

    monkeypatch.setattr(closures, "_MOST_KEPT", most)
    monkeypatch.setattr(closures._Now, "move", counted)
    closure, with_it, without = Closure(model), frozenset({("e", "a")}), frozenset[GroundAtom]()
    for _ in range(2):
        assert closure.extend(with_it) == with_it
        assert closure.extend(without) == {("p", "a")}
    assert len(found) == computed


def test_a_condition_that_holds_in_too_many_ways_to_take_apart_is_tested_whole() -> None:
    ways = " ".join("(or (e ?x ?x) (e ?x a) (not (e a ?x)))" for _ in range(8))
    model = read_model(
        f"(define (domain d) (:constants a b) (:predicates (e ?x ?y) (p ?x)) (:derived (p ?x) (and {ways})))",
        "(define (problem q) (:domain d) (:init (e a b) (e b a)) (:goal (p a)))",
    )
    assert Closure(model).extend(model.problem.init) == model.problem.init | {("p", "a"), ("p", "b")}
