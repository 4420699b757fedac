"""Values that change as polynomials of time: roots against polynomials made of them, flows against closed forms."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator import Report, check
from validator.execution.simulator import Kind
from validator.execution.time.polynomials import ONE, Algebraic, Polynomial, Root, at, near, plus, real_roots, times

RATIONAL = st.fractions(-5, 5, max_denominator=6)
NUMBERS = st.integers(2, 30).filter(lambda number: isqrt(number) ** 2 != number)
"""numbers whose square roots are irrational"""


def product(rational: list[Fraction], squares: list[int]) -> Polynomial:
    whole = ONE
    for root in rational:
        whole = times(whole, (-root, Fraction(1)))
    for square in squares:
        whole = times(whole, (Fraction(-square), Fraction(0), Fraction(1)))
    return whole


@given(st.lists(st.tuples(st.lists(RATIONAL, max_size=3), st.lists(NUMBERS, max_size=2)), min_size=1, max_size=3))
def test_the_roots_of_products_are_those_of_their_factors(parts: list[tuple[list[Fraction], list[int]]]) -> None:
    span = Fraction(4)
    found = real_roots([product(*part) for part in parts], span)
    rational = {root for part, _ in parts for root in part if 0 < root <= span}
    squares = {square for _, part in parts for square in part if square <= 16}
    wanted = sorted([*map(float, rational), *(square**0.5 for square in squares)])
    assert [float(near(point)) for point in found] == pytest.approx(wanted, abs=1e-5)
    assert {point for point in found if isinstance(point, Fraction)} == rational


@given(NUMBERS, st.lists(RATIONAL, max_size=4), st.lists(RATIONAL, max_size=4))
def test_values_at_an_irrational_time_compare_as_they_are(
    square: int, one: list[Fraction], other: list[Fraction]
) -> None:
    (root,) = real_roots([product([], [square])], Fraction(30))
    assert isinstance(root, Root)

    def exact(of: list[Fraction]) -> tuple[Fraction, Fraction]:
        """Return a and b of a + b * sqrt(square)."""
        even = sum((value * square ** (power // 2) for power, value in enumerate(of) if power % 2 == 0), Fraction(0))
        odd = sum((value * square ** (power // 2) for power, value in enumerate(of) if power % 2), Fraction(0))
        return even, odd

    (a, b), (c, d) = exact(one), exact(other)
    left, right = at(plus((), tuple(one)), root), at(plus((), tuple(other)), root)
    difference, factor = a - c, b - d  # difference + factor * sqrt(square) > 0 is decided by squares
    is_more = (
        (difference > 0 or factor**2 * square > difference**2)
        if factor > 0
        else (difference > 0 and difference**2 > factor**2 * square)
    )
    is_equal = difference == 0 and factor == 0
    assert (left == right) is is_equal
    assert (left > right) is (is_more and not is_equal)


def test_a_value_at_an_irrational_time_computes_as_a_fraction_does() -> None:
    (root,) = real_roots([product([], [2])], Fraction(3))
    x = at((Fraction(0), Fraction(1)), root)
    assert isinstance(x, Algebraic)
    assert x * x == 2
    assert 3 - x * x == 1
    assert Fraction(1) + x > Fraction(24, 10)
    assert not x * x - 2
    assert -x / Fraction(2) < 0
    assert round(Fraction(*x.as_integer_ratio()), 3) == Fraction(1414, 1000)


# --- plans ---------------------------------------------------------------------------------------

THROW = """(define (domain throw) (:requirements :fluents :durative-actions :time :continuous-effects)
  (:predicates (done) (hit)) (:functions (height) (speed) (gravity) (fuel))
  (:durative-action fly :parameters () :duration (> ?duration 0)
    :condition (over all (COMPARISON))
    :effect (and (increase (height) (* #t (speed))) (decrease (speed) (* #t (gravity))) (at end (done))))
  EXTRA)
"""
START = "(= (fuel) 0) (= (height) 0) (= (speed) 20) (= (gravity) 10)"  # highest at 2, with 20; down at 4


def thrown(plan: str, comparison: str, goal: str = "(done)", extra: str = "") -> Report:
    domain = THROW.replace("COMPARISON", comparison).replace("EXTRA", extra)
    problem = f"(define (problem q) (:domain throw) (:init {START}) (:goal {goal}))"
    return check(domain, problem, plan, repair=False)


@pytest.mark.parametrize(
    ("duration", "comparison", "goal", "valid"),
    [
        ("4", "> (height) 0", "(and (done) (= (height) 0) (= (speed) -20))", True),
        ("4.001", "> (height) 0", "(done)", False),
        ("3", "<= (height) 20", "(= (height) 15)", True),
        ("3", "< (height) 20", "(done)", False),  # at 2 only, where it is exactly 20
        ("3", "< (height) 20.001", "(done)", True),
        ("2", "< (* (height) (speed)) 154", "(done)", True),
        ("2", "< (* (height) (speed)) 153", "(done)", False),  # more from 0.77 to 0.92, both irrational
    ],
)
def test_invariants_over_motion_with_acceleration_are_exact(
    duration: str, comparison: str, goal: str, valid: bool
) -> None:
    assert thrown(f"0: (fly) [{duration}]", comparison, goal).determination is valid


def test_a_broken_invariant_tells_its_interval_also_where_that_is_irrational() -> None:
    (failure,) = thrown("0: (fly) [4]", "< (height) 10").failures
    assert (failure.kind, failure.time, failure.until) == (
        Kind.OVER_ALL,
        Fraction("0.585786"),  # 2 - sqrt 2
        Fraction("3.414214"),
    )


def test_an_event_happens_where_a_polynomial_is_zero() -> None:
    event = "(:event land :parameters () :precondition (and (< (speed) 0) (<= (height) 15)) :effect (hit))"
    stop = event.replace(":effect (hit)", ":effect (and (hit) (assign (speed) 0) (assign (gravity) 0))").replace(
        "(< (speed) 0)", "(< (speed) 0) (not (hit))"
    )
    report = thrown("0: (fly) [4]", "> (height) 0", "(and (hit) (= (height) 15))", stop)
    assert report.determination
    irrational = stop.replace("15", "10")
    report = thrown("0: (fly) [4]", "> (height) 0", "(and (hit) (= (height) 10) (= (speed) 0))", irrational)
    assert report.determination
    assert thrown("0: (fly) [4]", "> (height) 10", "(hit)", irrational).failures[0].time == 0
    (failure,) = thrown("0: (fly) [4]", "< (height) 21", "(not (hit))", irrational).failures
    assert failure.unmet == ("(not (hit))",)


@pytest.mark.parametrize(
    ("effect", "goal", "said"),
    [
        # What an event at an irrational time leaves alone goes on as it was; 2 + sqrt 2 is when the height is 10.
        ("(hit)", "(and (hit) (= (height) 0) (= (speed) -20))", ""),
        ("(and (hit) (increase (height) 5))", "(and (= (height) 5) (= (speed) -20))", ""),
        ("(and (hit) (increase (speed) 1))", "(hit)", "(height) changes in another way from an irrational time on"),
        ("(and (hit) (assign (gravity) 0))", "(hit)", "(speed) changes in another way from an irrational time on"),
    ],
)
def test_values_go_on_through_an_event_at_an_irrational_time(effect: str, goal: str, said: str) -> None:
    condition = "(and (< (speed) 0) (not (hit)) (<= (height) 10))"
    event = f"(:event land :parameters () :precondition {condition} :effect {effect})"
    report = thrown("0: (fly) [4]", "> (speed) -100", goal, event)
    assert report.determination is (None if said else True)
    assert said in report.reason


def test_a_process_that_stops_at_an_irrational_time_leaves_what_is_a_fraction() -> None:
    runs = (
        "(:process more :parameters () :precondition (and (not (hit)) (<= (height) 10)) :effect (increase (fuel) {}))"
    )
    clock = runs.format("#t")
    report = thrown("0: (fly) [4]", "> (speed) -100", "(done)", clock)
    assert report.determination is None
    assert "(fuel) has an irrational value from about 0.585786 on" in report.reason
    twice = runs.format("(* #t (speed))")
    report = thrown("0: (fly) [4]", "> (speed) -100", "(= (fuel) 0)", twice)
    assert report.determination


@pytest.mark.parametrize(
    ("rate", "said"),
    [("(* #t (/ 1 (height)))", "depends on itself"), ("(* #t (/ 1 (speed)))", "is not a polynomial of time")],
)
def test_what_is_no_polynomial_is_open(rate: str, said: str) -> None:
    process = f"(:process more :parameters () :precondition (not (hit)) :effect (increase (height) {rate}))"
    report = thrown("0: (fly) [1]", "> (speed) 0", "(done)", process)
    assert report.determination is None
    assert said in report.reason
