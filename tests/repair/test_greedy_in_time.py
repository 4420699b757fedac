"""Plans over time in which steps must overlap: a match that burns while a fuse is mended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from fractions import Fraction
from functools import partial
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.depth import some
from tests.support.random_times import Sample, sample, shared, valid
from validator import check, solve
from validator.model.pddl import read_model
from validator.reading.plan import Step, TimedStep
from validator.repair.time.greedy.clock import Clock
from validator.repair.time.greedy.plans import OverlappingPlans
from validator.repair.time.greedy.snap_actions import whole_of
from validator.repair.time.greedy.states import Moments
from validator.repair.time.grid import Grid

CELLAR = """(define (domain cellar) (:requirements :durative-actions :typing :numeric-fluents) (:types match fuse)
  (:predicates (new ?m - match) (lit ?m - match) (whole ?f - fuse) (free) (open) (dry))
  (:functions (burns ?m - match) (oil))
  (:durative-action light :parameters (?m - match) :duration (= ?duration (burns ?m))
    :condition (and (at start (new ?m)) (over all (dry)))
    :effect (and (at start (not (new ?m))) (at start (lit ?m)) (at end (not (lit ?m)))))
  (:durative-action mend :parameters (?f - fuse ?m - match) :duration (and (>= ?duration 4) (<= ?duration 6))
    :condition (and (at start (free)) (over all (lit ?m)) (at start (>= (oil) 1)) (over all (open)))
    :effect (and (at start (not (free))) (at end (free)) (at end (whole ?f)) (at end (decrease (oil) 1))))
  (:durative-action fetch :parameters () :duration (= ?duration 2) :effect (at end (increase (oil) 1))))"""


def cellar(burns: Sequence[int], fuses: int, facts: str = "(open)", oil: int = 9) -> str:
    """Return a problem with a match for each number, which burns so long."""
    names = [f"m{n}" for n in range(len(burns))]
    matches = " ".join(f"(new {name}) (= (burns {name}) {long})" for name, long in zip(names, burns, strict=True))
    return f"""(define (problem dark) (:domain cellar)
      (:objects {" ".join(names)} - match {" ".join(f"f{n}" for n in range(fuses))} - fuse)
      (:init (free) (dry) (= (oil) {oil}) {matches} {facts})
      (:goal (and {" ".join(f"(whole f{n})" for n in range(fuses))})))"""


def text(plan: Sequence[Step]) -> str:
    return "\n".join(str(TimedStep.of(step)) for step in plan)


def first(domain: str, problem: str) -> tuple[Step, ...] | None:
    """Return the first plan of the searches among all steps of a model."""
    return plans(domain, problem).plan()


def plans(domain: str, problem: str) -> OverlappingPlans:
    """Return the searches among all steps of a model whose parameters have few objects."""
    model = read_model(domain, problem)
    fuses, matches = model.objects_of(frozenset(("fuse",))), model.objects_of(frozenset(("match",)))
    steps = [Step(name="fetch"), *(Step(name="light", args=(match,)) for match in matches)]
    steps += [Step(name="mend", args=(fuse, match)) for fuse in fuses for match in matches]
    grid = Grid.of([fact.time for fact in model.problem.timed], Fraction(1, 1000))
    return OverlappingPlans(Moments(model, grid), steps, model.problem.goal, lambda: False)


# --- plans ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("burns", "fuses", "facts", "oil", "lit"),
    [
        ([5], 1, "(open)", 9, 1),
        ([9] * 3, 5, "(open)", 9, 3),
        ([3, 3, 3, 7], 1, "(open)", 9, 1),
        ([9], 2, "(open)", 0, 1),
        ([5] * 2, 2, "(at 7 (open))", 9, 2),
        ([5] * 2, 1, "(at 3 (open)) (at 6 (not (open))) (at 20 (open))", 9, 1),
        ([5, 7], 1, "(open) (at 4.5 (not (dry))) (at 30 (dry))", 9, 1),
    ],
    ids=["once", "one after the other", "too short", "with numbers", "late", "in a window", "before a deadline"],
)
def test_a_match_burns_while_fuses_are_mended(burns: list[int], fuses: int, facts: str, oil: int, lit: int) -> None:
    problem = cellar(burns, fuses, facts, oil)
    plan = first(CELLAR, problem)
    assert plan is not None and check(CELLAR, problem, text(plan)).determination
    assert [step.name for step in plan].count("light") == lit


def test_what_can_start_does_before_something_ends() -> None:
    found = plans(CELLAR, cellar([9, 9], 1))
    burning = found.search.applied(found.moments.start, found.moments.ground(Step(name="light", args=("m0",))))
    assert burning is not None
    rest = found.search.plan(burning, ahead=True)
    assert rest is not None
    assert [whole_of(step).name for step in rest] == ["mend", "mend", "light"]


def test_steps_that_may_run_together_do() -> None:
    domain = """(define (domain line) (:requirements :durative-actions) (:predicates (dry ?x))
      (:durative-action dry :parameters (?x) :duration (= ?duration 9) :effect (at end (dry ?x))))"""
    problem = "(define (problem p) (:domain line) (:objects a b) (:init) (:goal (and (dry a) (dry b))))"
    model, steps = read_model(domain, problem), [Step(name="dry", args=(towel,)) for towel in "ab"]
    moments = Moments(model, Grid.of([], Fraction(1, 1000)))
    found = OverlappingPlans(moments, steps, model.problem.goal, lambda: False)
    plan = found.search.plan(moments.start)
    assert plan is not None
    assert [whole_of(step) == step for step in plan] == [True, True, False, False]


@pytest.mark.parametrize(
    ("burns", "facts"), [([3, 3], "(open)"), ([9], ""), ([9], "(at 1 (open)) (at 4 (not (open)))")]
)
def test_what_cannot_be_has_no_plan(burns: list[int], facts: str) -> None:
    assert first(CELLAR, cellar(burns, 1, facts)) is None


@pytest.mark.planner
@pytest.mark.parametrize(("burns", "fuses"), [([9], 1), ([9] * 4, 7)])
def test_plans_that_need_overlap_are_found(burns: list[int], fuses: int) -> None:
    found = solve(CELLAR, cellar(burns, fuses), time_limit=20)
    assert found.plan is not None and check(CELLAR, cellar(burns, fuses), text(found.plan)).determination


@pytest.mark.planner
@pytest.mark.parametrize(
    ("observed", "kept"),
    [
        ("0: (mend f0 m0) [4]", "(mend f0 m0)"),
        ("0: (light m1) [9]\n0: (mend f3 m1) [5]\n20: (fetch) [2]", "(mend f3 m1) [5]"),
    ],
)
def test_a_plan_that_lacks_a_match_gets_one(observed: str, kept: str) -> None:
    problem = cellar([9] * 6, 11, oil=11)
    report = check(CELLAR, problem, observed, time_limit=20)
    assert report.determination is False and report.repaired_plan is not None
    repaired = "\n".join(map(str, report.repaired_plan))
    assert check(CELLAR, problem, repaired).determination and kept in repaired


@pytest.mark.parametrize("make", [sample, shared], ids=["sample", "shared"])
@pytest.mark.parametrize("seed", some(range(20), 4))
def test_plans_of_random_models_are_valid_to_another_executor(make: Callable[[int], Sample], seed: int) -> None:
    for model in (make(10 * seed + more) for more in range(10)):
        read = read_model(model.domain, model.problem)
        moments = Moments(read, Grid.of([fact.time for fact in read.problem.timed], Fraction(1)))
        steps = [Step(name=name) for name in model.actions]
        looks = iter(range(_MOST_LOOKS))  # numbers without bounds have no end of states
        is_over = partial(_is_at_end, looks)
        plan = OverlappingPlans(moments, steps, read.problem.goal, is_over).plan()
        if plan is not None:
            assert valid(model, [(int(step.time or 0), step.name, int(step.duration or 0)) for step in plan]), model


_MOST_LOOKS = 5_000
"""questions whether the search of one plan is over"""


def _is_at_end(looks: Iterator[int]) -> bool:
    return next(looks, None) is None


# --- clocks --------------------------------------------------------------------------------------


class Whole:
    """A network with all that has passed, made complete anew whenever it changes."""

    def __init__(self) -> None:
        self.least: list[list[float]] = [[0]]
        self.now = 0
        self.waiting: list[int] = []

    def add(self) -> int:
        for row in self.least:
            row.append(-inf)
        self.least.append([-inf] * len(self.least) + [0])
        return len(self.least) - 1

    def state(self, *constraints: tuple[int, int, float]) -> bool:
        for early, late, gap in constraints:
            self.least[early][late] = max(self.least[early][late], gap)
        nodes = range(len(self.least))
        for by in nodes:
            for early in nodes:
                for late in nodes:
                    way = self.least[early][by] + self.least[by][late]
                    self.least[early][late] = max(self.least[early][late], way)
        return all(self.least[node][node] <= 0 for node in nodes)

    @property
    def shown(self) -> list[list[float]]:
        nodes = [self.now, *self.waiting]
        return [[self.least[early][late] for late in nodes] for early in nodes]


MOVES = st.tuples(
    st.sampled_from(("begin", "begin", "pass", "reach", "order")),
    st.integers(0, 9),
    st.integers(0, 9),
    st.integers(1, 6),
    st.sampled_from((0, 1, 3, None)),
)


@given(st.lists(MOVES, max_size=12))
def test_a_clock_says_as_much_as_the_whole_network(moves: list[tuple[str, int, int, int, int | None]]) -> None:
    clock, whole = Clock.at_start(), Whole()
    for number, (move, one, other, least, more) in enumerate(moves):
        before, waits = deepcopy(whole), len(whole.waiting)
        if move == "begin":
            after: Clock | None = clock.waits_for(Step(name=str(number)), least, None if more is None else least + more)
            node = whole.add()
            whole.waiting.append(node)
            bounds = [(whole.now, node, least)]
            bounds += [] if more is None else [(node, whole.now, -least - more)]
        elif move == "pass":
            after, node = clock.passed(least - 1), whole.add()
            bounds = [(whole.now, node, least - 1), *((node, late, 0) for late in whole.waiting)]
            whole.now = node
        elif move == "reach" and waits:
            after, node = clock.reached(clock.waiting[one % waits], least - 1), whole.waiting.pop(one % waits)
            bounds = [(whole.now, node, least - 1), *((node, late, 0) for late in whole.waiting)]
            whole.now = node
        elif move == "order" and waits:
            after = clock.ordered(one % waits, other % waits)
            bounds = [(whole.waiting[one % waits], whole.waiting[other % waits], 0)]
        else:
            continue
        assert whole.state(*bounds) is (after is not None)
        clock, whole = (clock, before) if after is None else (after, whole)
        assert clock.lags.tolist() == whole.shown
