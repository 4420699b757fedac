"""The parts of recognition by themselves: probabilities, landmarks, explanations by known plans, the picture."""

from __future__ import annotations

import time
from fractions import Fraction
from math import exp, inf, log
from xml.etree import ElementTree

import pytest

from tests.support.recognition_oracle import asked_of
from validator.grounding.limits import Limits
from validator.model.pddl import read_model
from validator.model.values import Model
from validator.recognize import Order, RecognitionProblem, Settings, Standing
from validator.recognize.answer import candidates
from validator.recognize.given.reading import read_goals, read_observations
from validator.recognize.picture import posterior_page, posterior_picture
from validator.recognize.problem import Candidate, Hypothesis, Method, Posterior, Recognition, Verdict
from validator.recognize.search.grounded import Grounded, Observed, ground_once, observed
from validator.recognize.search.known import Known
from validator.recognize.search.landmarks import find_landmarks

# --- probabilities ---------------------------------------------------------------------------------


DIFFERENCE, RG2010 = Posterior.DIFFERENCE, Posterior.RG2010


# --- ranks where something is not proven -----------------------------------------------------------


def known(
    low: int, high: int | None, score: float, *, base: bool = True, estimate: int | None = None, prior: int = 1
) -> Known:
    """Return a goal whose cost difference lies between bounds."""
    goal = read_goals("(lamp)", "", MODEL)[0].goal
    found = Known(hypothesis=Hypothesis(goal=goal, text="(lamp)", prior=Fraction(prior)))
    found.estimate = None if estimate is None else Fraction(estimate)
    found.landmark_score, found.cap = score, Fraction(50)
    if base:
        found.base_lower = found.base_upper = Fraction(10)
        found.lower, found.upper = Fraction(10 + low), None if high is None else Fraction(10 + high)
    return found


def ranked(*goals: Known, method: Method = Method.SOFT) -> tuple[list[int], list[Standing], bool]:
    greatest = max(one.hypothesis.prior for one in goals)
    for one in goals:
        prior = one.hypothesis.prior
        one.handicap = log(greatest / prior) if prior else inf
    _, found, exact = candidates(goals, Settings(), method, Fraction(5))
    values = [one.probability for one in sorted(found, key=lambda one: one.rank)]
    assert None in values or values == sorted(values, reverse=True)  # type: ignore[type-var]
    return [one.rank for one in found], [one.standing for one in found], exact


E, C, T, B = Standing.EXACT, Standing.CUT, Standing.TIMEOUT, Standing.BASE_UNKNOWN

ROOMS = """
(define (domain rooms) (:requirements :strips) (:constants b)
  (:predicates (at ?x) (door ?x ?y) (lamp) (key))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (door ?x ?y)) :effect (and (at ?y) (not (at ?x))))
  (:action light :parameters () :precondition (key) :effect (lamp))
  (:action fetch :parameters () :precondition (at b) :effect (key)))
"""
HOUSE = """
(define (problem p) (:domain rooms) (:objects a c d e)
  (:init (at a) (door a b) (door b a) (door b c) (door c d)) (:goal (and)))
"""
MODEL = read_model(ROOMS, HOUSE)


def test_a_goal_of_which_no_plan_is_known_may_have_none() -> None:
    """What its plans would cost at most says nothing of how probable it is at least, nor of the others at most."""
    reached, open_one = known(2, 2, 0.5), known(0, None, 0.5, base=False)
    open_one.cap = Fraction(3)
    _, found, exact = candidates((reached, open_one), Settings(), Method.SOFT, Fraction(50))
    assert [(one.least, one.most) for one in found] == [
        (pytest.approx(exp(-2) / (1 + exp(-2))), 1.0),
        (0.0, pytest.approx(1 / (1 + exp(-2)))),
    ]
    assert not exact
    _, (alone,), exact = candidates((open_one,), Settings(), Method.SOFT, Fraction(50))
    assert (alone.standing, exact) == (Standing.BASE_UNKNOWN, False)


@pytest.mark.parametrize(
    ("goals", "ranks", "standings", "exact"),
    [
        ([known(2, 2, 0.1), known(3, 3, 0.9), known(2, 2, 0.0)], [1, 3, 1], [E, E, E], True),
        ([known(1, 1, 0.1), known(7, 9, 0.9)], [1, 2], [E, C], True),
        # It could be better than what is proven: the cost of the plan that is known counts, not the hope.
        ([known(1, 1, 0.1), known(0, 9, 0.9)], [1, 2], [E, T], False),
        # Of one of which nothing is known landmarks are no reason to lead.
        ([known(1, 1, 0.1), known(0, None, 0.9, base=False)], [1, 2], [E, B], False),
        # It could be as good, and no better: what is proven stays.
        ([known(0, 0, 0.1), known(0, 9, 0.9), known(3, 3, 1.0)], [1, 3, 2], [E, T, E], False),
        # It is not proven, and yet no other can beat it.
        ([known(1, 2, 0.1), known(2, 2, 0.0), known(2, 9, 0.9)], [1, 2, 3], [T, E, T], False),
        ([known(1, 2, 0.1), known(3, 3, 0.0), known(4, 9, 0.9)], [1, 2, 3], [T, E, T], True),
        # It is not proven, and worse all the same.
        ([known(0, 0, 0.1), known(1, 9, 0.9)], [1, 2], [E, T], True),
        # An estimate stands for what is not proven.
        ([known(1, 1, 0.1), known(0, 9, 0.9, estimate=0)], [2, 1], [E, T], False),
        ([known(1, 1, 0.1), known(2, 9, 0.9, estimate=0)], [1, 2], [E, T], True),
        # The prior counts as a cost does: ln 100 is between 4 and 5.
        ([known(0, 0, 0.1), known(4, 4, 0.9, prior=100)], [2, 1], [E, E], True),
        ([known(0, 0, 0.1), known(5, 5, 0.9, prior=100)], [1, 2], [E, E], True),
        ([known(0, 0, 0.1), known(4, 9, 0.9, prior=100)], [1, 2], [E, T], False),
        ([known(0, 9, 0.1), known(4, 5, 0.9, prior=10**6)], [2, 1], [C, T], True),
        ([known(5, 5, 0.1), known(0, 0, 0.9, prior=0)], [1, 2], [E, Standing.EXCLUDED], True),
    ],
)
def test_ranks(goals: list[Known], ranks: list[int], standings: list[Standing], exact: bool) -> None:
    assert ranked(*goals) == (ranks, standings, exact)


# --- landmarks -------------------------------------------------------------------------------------


def problem_of(goals: str, seen: str, model: Model = MODEL) -> RecognitionProblem:
    return asked_of(goals, seen, model)


def grounded_of(problem: RecognitionProblem) -> Grounded:
    facts = tuple({one.fact: None for one in problem.observations if one.fact is not None})
    found = ground_once(problem, facts, Limits(deadline=time.monotonic() + 60, memory=2**32))
    assert isinstance(found, Grounded)
    return found


def observed_in(
    problem: RecognitionProblem, grounded: Grounded, order: Order = Order.TOTAL, price: Fraction | None = Fraction(2)
) -> Observed:
    reachable, facts, seen = grounded.task.by_step, grounded.facts, problem.observations
    return observed(problem, reachable, facts, seen, price=price, missing=Fraction(0), order=order)


@pytest.mark.planner
def test_the_share_of_landmarks_that_were_seen() -> None:
    """Landmarks of (at d), but for the initial ones: at b, at c, at d; of (lamp): at b, key, lamp."""
    problem = problem_of("(at d)\n(lamp)\n(at e)\n(at a)\n(or (at c) (lamp))", "(go b c)")
    grounded = grounded_of(problem)
    scores = find_landmarks(grounded).scores(observed_in(problem, grounded).seen)
    assert scores[:4] == [pytest.approx(2 / 3), pytest.approx(1 / 3), None, 1.0]
    assert scores[4] == 1.0  # both ways lead through b
    assert [len(goal) for goal in grounded.goals] == [1, 1, 0, 1, 2]


# --- the picture -----------------------------------------------------------------------------------


def answer(*shares: float | None, number: int = 0) -> Recognition:
    seen = read_observations("(go a b)\n" * number, "obs", MODEL)
    goals = tuple(
        Candidate(
            hypothesis=Hypothesis(goal=read_goals("(lamp)", "", MODEL)[0].goal, text=f"(goal <{place}>)"),
            standing=Standing.EXACT,
            rank=1,
            probability=share,
        )
        for place, share in enumerate(shares)
    )
    return Recognition(
        method=Method.SOFT, verdict=Verdict.RANKED, candidates=goals, best=(0,), exact=True, observations=seen
    )


def test_the_picture_has_a_line_for_each_goal() -> None:
    answers = [answer(*[1 / 8] * 8), answer(0.5, *[0.5 / 7] * 7, number=1), answer(0.9, *[0.1 / 7] * 7, number=2)]
    root = ElementTree.fromstring(posterior_picture(answers))
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}polyline")) == 8
    names = [text.text or "" for text in root.findall(f"{space}text")]
    assert sum(name.startswith("(goal <") for name in names) == 6
    assert "(goal <0>) (0.900)" in names


def test_a_line_is_interrupted_where_there_is_no_probability() -> None:
    picture = posterior_picture([answer(0.5, 0.5), answer(None, None, number=1), answer(0.5, 0.5, number=2)])
    assert "polyline" not in picture
    assert picture.count("<circle") == 4


def test_the_page_escapes_what_people_wrote() -> None:
    page = posterior_page([answer(0.5, 0.5), answer(0.6, 0.4, number=1)])
    assert "(goal &lt;0&gt;)" in page and "<0>" not in page
    assert "<svg" in page and page.startswith("<!DOCTYPE html>")


def test_the_settings_are_checked() -> None:
    for wrong in (
        {"beta": 0.0},
        {"workers": 0},
        {"discard_cost": Fraction(-1)},
        {"posterior": Posterior.RG2010, "method": Method.SOFT},
        {"posterior": Posterior.RG2010, "order": Order.NONE},
    ):
        with pytest.raises(ValueError):
            Settings(**wrong)  # type: ignore[arg-type]


@pytest.mark.planner
def test_a_landmark_that_all_goals_have_counts_less_for_uniqueness() -> None:
    goals = "(at d)\n(at c), (lamp)"
    found = grounded_of(problem_of(goals, ""))
    seen = observed_in(problem_of(goals, "(go a b)\n(go b c)"), found).seen
    # (at b), (at c) are of both; (at d) of the first; (key), (lamp) of the second alone
    assert find_landmarks(found).scores(seen, is_unique=True) == [pytest.approx(1 / 2), pytest.approx(1 / 3)]
    assert find_landmarks(found).scores(seen)[0] == pytest.approx(2 / 3)
