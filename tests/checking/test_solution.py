"""Cheapest plans of models: each is valid and optimal by the checker, none is found where there is none."""

from __future__ import annotations

import os
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from validator import check, solve
from validator.cli import main

pytestmark = pytest.mark.planner

DOMAIN = """(define (domain d) (:predicates (p) (q)) (:functions (total-cost))
  (:action dear :parameters () :effect (and (q) (increase (total-cost) 5)))
  (:action a :parameters () :precondition (p) :effect (and (q) (increase (total-cost) 1.5))))"""
PROBLEM = "(define (problem x) (:domain d) (:init (p) (= (total-cost) 2)) (:goal (q)) (:metric minimize (total-cost)))"


def test_a_cost_has_what_the_problem_begins_with() -> None:
    found = solve(DOMAIN, PROBLEM)
    assert (found.cost, found.lower_bound) == (Fraction(7, 2), Fraction(7, 2))
    assert list(map(str, found.plan or ())) == ["(a)"]


def test_a_plan_with_numbers_is_proven_cheapest() -> None:
    numeric = DOMAIN.replace("(total-cost))", "(total-cost) (f))", 1).replace(
        "(increase (total-cost) 5)", "(increase (f) 5)"
    )
    found = solve(numeric, PROBLEM)
    assert found.status == "solved" and found.proven
    assert found.cost == found.lower_bound


def test_a_plan_that_sets_a_value_in_two_ways_is_no_cheapest_plan() -> None:
    domain = """(define (domain d) (:predicates (done)) (:functions (x))
      (:action set :parameters () :effect (and (assign (x) 1) (assign (x) 2) (done))))"""
    problem = "(define (problem n) (:domain d) (:init (= (x) 0)) (:goal (done)))"
    assert solve(domain, problem).status == "unsolvable"
    report = check(domain, problem, "(set)", quality="optimal")
    assert report.determination is False and report.optimal_cost is None and report.planner_response.no_solution


def test_a_plan_for_another_metric_is_not_called_cheapest() -> None:
    found = solve(DOMAIN, PROBLEM.replace("minimize", "maximize"))
    assert (found.status, found.proven, found.lower_bound, len(found.plan or ())) == ("solved", False, None, 1)
    assert "the metric is not the minimum of total-cost" in found.reason


def test_the_command_tells_no_plan_from_none_found(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path_factory.mktemp("model")
    (folder / "d.pddl").write_text(DOMAIN)
    (folder / "p.pddl").write_text(PROBLEM.replace("(:goal (q))", "(:goal (not (p)))"))
    files = [str(folder / "d.pddl"), str(folder / "p.pddl")]
    assert main(["plan", *files]) == 1
    assert capsys.readouterr().out == "no plan: the goal cannot be reached (proven)\n"
    assert main(["plan", *files, "--no-outputs"]) == 2
    assert "--no-outputs is for flows" in capsys.readouterr().err


def test_a_model_that_is_never_read_to_the_end_ends_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[solve.__module__], "hard_limit", lambda seconds: seconds)
    os.mkfifo(tmp_path / "slow.pddl")  # nobody writes to it
    found = solve(tmp_path / "slow.pddl", tmp_path / "slow.pddl", time_limit=0.05)
    assert (found.status, found.reason, found.plan) == ("time limit", "the time limit was met", None)
