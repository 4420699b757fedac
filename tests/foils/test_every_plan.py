"""Answers to pairs of questions, beside every valid plan of a small model there is up to a length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations

import pytest

from tests.support.models import WALK, WALK_PROBLEM
from validator import prepare
from validator.foils import why_not

pytestmark = pytest.mark.planner

PLAN = ("(go a b)", "(look b)", "(go b a)")
LONGEST = 7
"""steps of the plans that are compared; the wishes need fewer"""

Plan = tuple[str, ...]


def comes_first(plan: Plan, first: str, others: Sequence[str]) -> bool:
    """Return whether a step comes before each of some others."""
    before = plan[: plan.index(first)] if first in plan else plan
    return not any(step in others for step in before)


WISHES: Mapping[str, Callable[[Plan], bool]] = {
    "must (look c)": lambda plan: "(look c)" in plan,
    "must not (look b)": lambda plan: "(look b)" not in plan,
    "must not (go c _)": lambda plan: not any(step.startswith("(go c") for step in plan),
    "(look a) before (go _ b)": lambda plan: comes_first(plan, "(look a)", ["(go a b)", "(go c b)"]),
    "(look c) before (look b)": lambda plan: comes_first(plan, "(look c)", ["(look b)"]),
    "at most 2 (go _ _)": lambda plan: sum(step.startswith("(go") for step in plan) <= 2,
    "at most 1 (look ?x)": lambda plan: sum(step.startswith("(look") for step in plan) <= 1,
    "must (go ?x c)": lambda plan: "(go b c)" in plan,
}


@cache
def valid_plans() -> tuple[Plan, ...]:
    """Return every valid plan up to a length, found by walking."""
    ends = {"a": "b", "b": "ac", "c": "b"}

    def walk(at: str, seen: frozenset[str], steps: Plan) -> Iterator[Plan]:
        if at == "a" and "b" in seen:
            yield steps
        if len(steps) < LONGEST:
            for to in ends[at]:
                yield from walk(to, seen, (*steps, f"(go {at} {to})"))
            yield from walk(at, seen | {at}, (*steps, f"(look {at})"))

    return tuple(walk("a", frozenset(), ()))


def keeping(wishes: Sequence[str]) -> list[Plan]:
    return [plan for plan in valid_plans() if all(WISHES[wish](plan) for wish in wishes)]


def cost(plan: Plan) -> int:
    return sum(2 if step.startswith("(go") else 1 for step in plan)


def edits(one: Plan, other: Plan) -> int:
    """Return how many steps are dropped and added between two plans, by the table of their beginnings."""
    row = list(range(len(other) + 1))
    for number, step in enumerate(one, 1):
        old, row = row, [number]
        for place, own in enumerate(other):
            row.append(old[place] if step == own else 1 + min(old[place + 1], row[place]))
    return row[-1]


ASKED = [*combinations(WISHES, 1), *combinations(WISHES, 2)]
SOME = [
    pytest.param(pair, id=" and ".join(pair), marks=[pytest.mark.deep] * (n % 7 > 0)) for n, pair in enumerate(ASKED)
]


@pytest.mark.parametrize("asked", SOME)
def test_the_answer_is_what_every_plan_says(asked: tuple[str, ...]) -> None:
    answer = why_not(prepare(WALK, WALK_PROBLEM), plan="".join(PLAN), constraints=asked, time_limit=60)
    good = keeping(asked)
    assert answer.possible is bool(good)
    assert answer.optimum is not None and answer.optimum.lower == answer.optimum.upper == 5
    if not good:
        texts = dict(zip(answer.constraints, asked, strict=True))
        parts = [frozenset(part) for size in range(len(asked) + 1) for part in combinations(asked, size)]
        cores = [part for part in parts if not keeping([*part])]
        least = {core for core in cores if not any(other < core for other in cores)}
        assert answer.all_conflicts and {frozenset(map(texts.get, part)) for part in answer.conflicts} == least  # type: ignore[arg-type]
        return
    assert answer.foil is not None and answer.cheapest is not None and answer.best is not None
    foil, best = (tuple(map(str, side.steps)) for side in (answer.foil, answer.best.plan))
    assert foil in good and answer.foil.cost == cost(foil)
    assert (answer.nearest, answer.edits) == (True, min(edits(PLAN, plan) for plan in good))
    least_cost = min(map(cost, good))
    assert answer.cheapest.lower == answer.cheapest.upper == least_cost
    assert best in good and cost(best) == answer.best.plan.cost == least_cost and answer.best.proven
    nearest = min(edits(PLAN, plan) for plan in good if cost(plan) == least_cost)
    assert not answer.best.nearest or answer.best.edits == nearest
