"""PDDL by unified-planning's reader: costs that it leaves numeric, names that it refuses, texts and paths."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from validator import ModelError, prepare
from validator.reading.plan import Step
from validator.up.pddl import read_up

pytestmark = pytest.mark.up

DOMAIN = """
(define (domain d) (:requirements :action-costs) (:predicates (p) (a)) (:functions (total-cost) (toll))
  (:action a :parameters () :effect (and (p) (increase (total-cost) 2) {more}))
  (:action b :parameters () :effect (p)))
"""
PROBLEM = "(define (problem q) (:domain d) (:init {init} (= (toll) 3)) (:goal (p)) {metric})"
METRIC = "(:metric minimize (total-cost))"


def cost_of(plan: str, *, init: str = "", metric: str = METRIC, more: str = "") -> list[Fraction | None]:
    """Return the cost of a plan, beyond the initial one, as it is read here and as unified-planning reads it."""
    texts = DOMAIN.format(more=more), PROBLEM.format(init=init, metric=metric)
    steps = [Step(name=name, args=()) for name in plan.split()]
    found = []
    for prepared in (prepare(*texts), prepare(read_up(*texts))):
        assert prepared.model.features == {}
        cost = prepared.simulator.run(steps).cost
        found.append(None if cost is None else cost - prepared.simulator.initial_cost)
    return found


@pytest.mark.parametrize(
    ("init", "plan", "cost"), [("", "b", 0), ("(= (total-cost) 0)", "a", 2), ("(= (total-cost) 7)", "a b a", 4)]
)
def test_total_cost_is_counted_whatever_it_starts_with(init: str, plan: str, cost: int) -> None:
    assert cost_of(plan, init=init) == [cost, cost]


def test_a_cost_with_a_condition_is_not_taken_for_one_without() -> None:
    text = DOMAIN.format(more="(when (p) (increase (total-cost) 1))")
    assert prepare(read_up(text, PROBLEM.format(init="", metric=METRIC))).model.features


def test_what_cannot_be_read_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "d.pddl").write_text("(define (domain d) (:strange))", encoding="utf-8")
    with pytest.raises(ModelError, match="unified-planning cannot read the model") as raised:
        read_up(tmp_path / "d.pddl", "(define (problem q))")
    assert raised.value.source == str(tmp_path / "d.pddl")
    with pytest.raises(OSError, match="No such file"):
        read_up(tmp_path / "none.pddl", "(define (problem q))")


@pytest.mark.parametrize(
    ("condition", "effect"), [("(and)", "(forall (?z - s) (p))"), ("(exists (?z - s) (a))", "(p)")]
)
def test_what_is_quantified_over_nothing_is_refused_because_it_is_read_otherwise(condition: str, effect: str) -> None:
    """Proofs of engines would be of another model: here the action never makes p true."""
    domain = f"""(define (domain d) (:requirements :adl) (:types s t) (:predicates (p) (a))
      (:action x :parameters () :precondition {condition} :effect (and {effect})))"""
    problem = "(define (problem q) (:domain d) (:objects {object}) (:init (a)) (:goal (p)))"
    assert read_up(domain, problem.format(object="o - s")) is not None
    with pytest.raises(ModelError, match="of which there are no objects"):
        read_up(domain, problem.format(object="o - t"))
