"""Time limits where nothing looks at the clock: reading and executing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.support.models import BOTH_STEPS, TWO_STEPS
from validator import adhere, check, conform, repair_model, solve
from validator.alarms import OutOfTime
from validator.checking import decision
from validator.checking.check import check as checked_in
from validator.checking.prepared import prepare
from validator.reward import score

OBJECTS = " ".join(f"o{number}" for number in range(60))
DOMAIN = """(define (domain many) (:requirements :adl) (:predicates (p ?a ?b) (u ?a))
  (:action x :parameters (?a) :effect (u ?a)
    :precondition (forall (?b ?c ?d) (or (p ?b ?c) (p ?c ?d) (= ?b ?b)))))"""
PROBLEM = f"(define (problem more) (:domain many) (:objects {OBJECTS}) (:init) (:goal (u o0)))"
ONE = "(define (domain one) (:predicates (p)) (:action x :effect (p)))"
TWO = "(define (problem two) (:domain one) (:init) (:goal (p)))"
WHERE = sys.modules[checked_in.__module__]


def test_an_execution_that_takes_longer_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare(DOMAIN, PROBLEM)
    monkeypatch.setattr(WHERE, "hard_limit", lambda seconds: 0.1)
    report = check(prepared, None, "(x o0)\n(x o1)", repair=False)
    assert (report.determination, report.proven, report.planner_response.status) == (None, False, "time limit")
    assert report.reason in (
        "the time limit was met while the plan was executed",
        "the time limit was met while the model and the plan were read",
    )


def test_what_execution_told_is_kept_where_the_user_ends_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """It depended on what the check was at: only its searches took the best that they had."""

    def ended(self: object, *given: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr("validator.checking.searches.PlanSearch.repaired", ended)
    report = check(prepare(ONE, TWO), None, "; empty plan")
    assert (report.determination, report.proven, report.planner_response.status) == (False, False, "interrupt")
    assert report.reason.endswith("; the check was interrupted before a repaired plan was found")
    monkeypatch.setattr(decision.Decision, "report", ended)
    with pytest.raises(KeyboardInterrupt):
        check(prepare(ONE, TWO), None, "; empty plan")


def test_a_repair_is_kept_where_the_report_on_it_takes_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    def ring(*given: object, **named: object) -> object:
        raise OutOfTime

    monkeypatch.setattr(decision, "replace", ring)  # where the cost of the repaired plan is told
    report = check(prepare(ONE, TWO), None, "; empty plan")
    assert (report.determination, report.proven) == (False, True)
    assert list(map(str, report.repaired_plan or ())) == ["(x)"]


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"time_limit": -1}, "time_limit must be a number of seconds, 0 or more, not -1"),
        ({"time_limit": "5"}, "time_limit must be a number of seconds, 0 or more, not '5'"),
        ({"time_limit": float("nan")}, "not nan"),
        ({"memory_limit": "4G"}, "memory_limit must be a whole number of bytes such as 4 \\* 2\\*\\*30, not '4G'"),
        ({"memory_limit": 0}, "not 0"),
    ],
)
def test_a_limit_that_is_none_is_refused(limits: dict[str, Any], said: str) -> None:
    model = (TWO_STEPS, BOTH_STEPS)
    asked: list[Callable[..., object]] = [partial(check, *model, "(a)\n"), partial(solve, *model)]
    if "time_limit" in limits:
        run = [{"name": "f", "arguments": {}}]
        asked += [partial(conform, "never g", run), partial(adhere, "f()", run), partial(score, model, ["(a)"])]
        asked += [partial(repair_model, *model, "(a)")]
    for ask in asked:
        with pytest.raises(ValueError, match=said):
            ask(**limits)
    assert check(*model, "(a)\n(b)\n", time_limit=float("inf")).determination is True
