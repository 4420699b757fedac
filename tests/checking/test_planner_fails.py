"""What a planner refuses or fails at never decides the answer of a check: the verdict of execution stands."""

from __future__ import annotations

import pytest

from validator import check
from validator.checking.report import Quality
from validator.errors import PlannerError

AXIOMS = """(define (domain m) (:requirements :adl :derived-predicates) (:predicates (a) (b) (d ?x) (e ?x))
(:derived (d ?x) (a))
(:derived {})
(:action off :parameters () :precondition (a) :effect (not (a)))
(:action go :parameters (?x) :precondition (not (d ?x)) :effect (b)))"""
PROBLEM = "(define (problem p) (:domain m) (:objects o q) (:init (a)) (:goal (b)))"
RECURSIVE = (
    "(d ?x) (forall (?y) (d ?y))",
    "(d ?x) (not (exists (?y) (not (d ?y))))",
    "(d ?x) (and (e ?x) (forall (?y) (imply (e ?y) (d ?y))))",
    "(d ?x) (forall (?y) (or (exists (?z) (and (e ?z) (d ?y))) (d ?y)))",
)


@pytest.mark.parametrize("quality", Quality)
@pytest.mark.parametrize("policy", ["edits", "keep"])
@pytest.mark.parametrize("axiom", RECURSIVE)
def test_axioms_that_are_recursive_under_forall_are_repaired(axiom: str, policy: str, quality: Quality) -> None:
    report = check(AXIOMS.format(axiom), PROBLEM, "(go o)\n", quality=quality, policy=policy)
    assert report.determination is False and report.failures
    if quality is not Quality.SOUND:
        assert list(map(str, report.repaired_plan or ())) == ["(off)", "(go o)"] and report.proven


@pytest.mark.parametrize("quality", [Quality.VALID, Quality.OPTIMAL])
@pytest.mark.parametrize("plan", ["(go o)\n", "(off)\n(go o)\n"])
def test_a_planner_that_fails_leaves_the_verdict(plan: str, quality: Quality, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: object, **options: object) -> None:
        raise PlannerError("the translator failed: it is out of ideas")

    monkeypatch.setattr("validator.checking.searches.PlanSearch.nearest", fails)
    monkeypatch.setattr("validator.checking.searches.PlanSearch.cheapest", fails)
    report = check(AXIOMS.format("(e ?x) (a)"), PROBLEM, plan, quality=quality)
    is_valid = "off" in plan
    assert report.determination is ((None if quality is Quality.OPTIMAL else True) if is_valid else False)
    assert bool(report.failures) is not is_valid
    assert "out of ideas" in report.reason or report.determination
