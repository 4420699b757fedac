"""Figures on a run: goal, plan, cost, dead ends, harm, permission, loops."""

from __future__ import annotations

from typing import Any

import pytest

from validator.policies.figures import (
    cost_ratio,
    goal_reached,
    no_dead_end,
    no_harm,
    no_loop,
    permission,
    plan_sound,
)

DOMAIN = """(define (domain d) (:predicates (p) (q) (lost))
  (:action a :parameters () :effect (p))
  (:action b :parameters () :precondition (and (p) (not (lost))) :effect (q))
  (:action c :parameters () :effect (lost))
  (:action undo :parameters () :effect (not (p))))"""
PROBLEM = "(define (problem x) (:domain d) (:init) (:goal (q)))"
MODEL = (DOMAIN, PROBLEM)


def run(names: str) -> list[dict[str, Any]]:
    return [{"name": name, "arguments": {}, "result": 1} for name in names.split()]


@pytest.mark.parametrize(("names", "value"), [("a b", 1), ("b", 0), ("a c", 0)])
def test_goal_reached(names: str, value: float) -> None:
    assert goal_reached(run(names), model=MODEL).value == value


@pytest.mark.parametrize(("plan", "value"), [("a()\nb()", 1), ("b()\na()", 0), ("a()", 1)])
def test_plan_sound(plan: str, value: float) -> None:
    assert plan_sound(run("a b"), model=MODEL, plan=plan).value == value


def test_a_plan_that_nobody_stated_has_no_score() -> None:
    assert plan_sound(run("a b"), model=MODEL).value is None


@pytest.mark.planner
@pytest.mark.parametrize(("names", "value"), [("a b", 1), ("a undo a b", 0.5), ("a", None)])
def test_cost_ratio(names: str, value: float | None) -> None:
    assert cost_ratio(run(names), model=MODEL).value == value


@pytest.mark.planner
@pytest.mark.parametrize(("names", "value"), [("a b", 1), ("a", 1), ("a c", 0)])
def test_no_dead_end(names: str, value: float) -> None:
    assert no_dead_end(run(names), model=MODEL, plan="a()\nb()").value == value


@pytest.mark.planner
@pytest.mark.parametrize(("names", "value"), [("a b", 1), ("a undo a b", 1), ("a c b", 0)])
def test_no_harm(names: str, value: float) -> None:
    assert no_harm(run(names), model=MODEL, plan="a()\nb()").value == value


@pytest.mark.parametrize(
    ("policy", "value"),
    [("never c", 0.75), ("allow a, c", 0.75), ("never c\nallow a, b, c", 0.75), ("a only if x > 1", 0.5)],
)
def test_permission(policy: str, value: float) -> None:
    assert permission(run("a b c a"), policy=policy).value == value


def test_permission_that_is_not_known_has_no_score() -> None:
    assert permission(run("a"), policy="a only if (known)").value is None


@pytest.mark.parametrize(
    ("names", "model", "value"),
    [
        ("a b", MODEL, 1),
        ("a a", MODEL, 1),  # the second is made in another state
        ("a a a", MODEL, pytest.approx(2 / 3)),
        ("a undo a b", MODEL, 0.75),
        ("a a", None, 1),
        ("get_x get_x b get_x", None, 0.75),
    ],
)
def test_no_loop(names: str, model: Any, value: float) -> None:
    assert no_loop(run(names), model=model).value == value
