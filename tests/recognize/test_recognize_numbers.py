"""Goals in models with numbers, against a search over places and fuel that knows nothing of PDDL."""

from __future__ import annotations

from dataclasses import replace

import pytest

from validator.errors import UnsupportedError
from validator.grounding.limits import Status
from validator.model.pddl import read_domain, read_problem
from validator.model.values import Model
from validator.recognize import (
    Method,
    Posterior,
    RecognitionProblem,
    Settings,
    Standing,
    Verdict,
    complete,
    follow,
    recognize,
)
from validator.recognize.inputs.reading import read_goals, read_observations
from validator.recognize.search import numbers

DOMAIN = """
(define (domain drive) (:requirements :typing :numeric-fluents) (:types place)
  (:predicates (at ?x - place) (road ?x ?y - place)) (:functions (fuel) (spent))
  (:action go :parameters (?x ?y - place) :precondition (and (at ?x) (road ?x ?y) (>= (fuel) 2))
    :effect (and (not (at ?x)) (at ?y) (decrease (fuel) 2) (increase (spent) 1)))
  (:action refuel :parameters () :precondition (<= (fuel) 3)
    :effect (and (increase (fuel) 3) (increase (spent) 2))))
"""
PLACES = "abcd"
Roads = frozenset[tuple[str, str]]


def problem_of(roads: Roads, fuel: int, seen: str, goals: str) -> RecognitionProblem:
    facts = "".join(f"(road {x} {y})" for x, y in sorted(roads))
    text = f"""(define (problem p) (:domain drive) (:objects {" ".join(PLACES)} - place)
      (:init (at a) {facts} (= (fuel) {fuel}) (= (spent) 0)) (:goal (and)) (:metric minimize (spent)))"""
    domain = read_domain(DOMAIN)
    model = Model(domain=domain, problem=read_problem(text, domain))
    return RecognitionProblem(
        model=model, hypotheses=read_goals(goals, "goals", model), observations=read_observations(seen, "seen", model)
    )


LINE = frozenset((("a", "b"), ("b", "c"), ("b", "a")))


@pytest.mark.planner
def test_observations_are_completed_to_a_plan() -> None:
    problem = problem_of(LINE, 2, "(refuel)\n(go c d)\n", "(at c)\n")
    found = complete(problem)
    assert found.plan is not None and found.proven
    assert sorted(map(str, found.plan)) == ["(go a b)", "(go b c)", "(refuel)"]
    assert (found.cost, found.explained, found.unexplained) == (4, 1, 1)
    assert not complete(problem, Settings(method=Method.EXACT)).plan


def test_a_limit_that_is_met_while_grounding_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers, "reachable_steps", lambda *_: Status.TIME_LIMIT)
    problem = problem_of(LINE, 2, "(refuel)\n", "(at c)\n")
    found = complete(problem)
    assert (found.status, found.plan, found.proven) == (Status.TIME_LIMIT, None, False)
    assert recognize(problem).reason == "the time limit was met while the model was grounded"


@pytest.mark.planner
def test_observations_may_come_one_by_one() -> None:
    problem = problem_of(LINE, 4, "(go a b)\n(go b c)\n", "(at c)\n(at b)\n(at a)\n")
    answers = list(follow(replace(problem, observations=()), problem.observations, Settings()))
    assert [one.best for one in answers] == [(0, 1, 2), (0, 1), (0,)]


@pytest.mark.planner
def test_what_is_not_met_in_time_has_bounds() -> None:
    problem = problem_of(LINE, 2, "(refuel)\n", "(at c)\n(at d)\n(>= (fuel) 100)\n")
    free = problem.model.domain.actions["refuel"]
    domain = replace_action(problem.model, free)
    found = recognize(replace(problem, model=domain), Settings(cpu_limit=0.3))
    assert found.verdict is Verdict.RANKED and not found.exact and 0 in found.best
    assert found.candidates[1].standing is Standing.BASE_UNKNOWN
    assert found.candidates[1].base is not None and found.candidates[1].base.upper is None


def replace_action(model: Model, action: object) -> Model:
    """Return the model in which fuel has no limit, so that its states have no end."""
    text = DOMAIN.replace(":precondition (<= (fuel) 3)", "")
    assert text != DOMAIN and action is not None
    return Model(domain=read_domain(text), problem=model.problem)


def test_what_no_search_is_for_is_not_known_in_words_that_are_true() -> None:
    problem = problem_of(LINE, 2, "(refuel)\n", "(at c)\n(at b)\n")
    for settings in (Settings(method=Method.LANDMARKS), Settings(posterior=Posterior.RG2010)):
        found = recognize(problem, settings)
        assert found.verdict is Verdict.NO_ANSWER and "needs the planner: it searches classical models" in found.reason
    timed = DOMAIN.replace(
        "(:action refuel", "(:durative-action wait :parameters () :duration (= ?duration 1))\n(:action refuel"
    )
    domain = read_domain(timed.replace(":numeric-fluents", ":numeric-fluents :durative-actions"))
    over_time = replace(problem, model=Model(domain=domain, problem=problem.model.problem))
    found = recognize(over_time)
    assert found.verdict is Verdict.NO_ANSWER and "without time" in found.reason and "durative-actions" in found.reason
    with pytest.raises(UnsupportedError, match="durative-actions"):
        complete(over_time)
