"""Attacks on repairs of domains: numbers, types, quantifiers, conditional effects, prices, facts, limits."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from benchmarks.attacks.kind import Kind, has_solver, outcome
from tests.support.domain_edits import Asked, UndefinedError, is_met, least_cost, parsed, random_asked
from validator.model_repair.cases import Given
from validator.model_repair.repair import repair_model
from validator.model_repair.result import ModelRepair, Status

__all__ = ["KINDS"]

_MOST = 2
"""edits that are tried together"""


def _attack(seed: int) -> Iterator[str]:
    """Repair a domain, half of them with hardly any time."""
    if not has_solver():
        yield outcome(False)
        return
    asked, draw = random_asked(seed), Random(f"domains {seed}")
    seconds = 30.0 if draw.random() < 0.7 else 10 ** draw.uniform(-3.0, -0.5)
    try:
        least = least_cost(asked, _MOST)
    except UndefinedError:
        return
    found = _repaired(asked, seconds)
    told = (asked, seconds, found, least)
    if found.status is Status.UNSUPPORTED:
        yield outcome(False)
        return
    assert least is None or found.lower_bound <= least, told
    match found.status:
        case Status.NOTHING_TO_DO:
            assert least == 0, told
        case Status.IMPOSSIBLE:
            assert not found.proven or least is None, told
        case Status.REPAIRED:
            assert not found.mends and found.cost is not None, told
            assert _does_right(asked, found), told
            few = len(found.edits) <= _MOST
            assert least is None or not found.proven or found.cost <= least, told
            assert not few or (least is not None and least <= found.cost), told
            for other in found.alternatives:
                assert other.cost == found.cost, told
        case _:
            assert seconds < 1 and not found.proven, told
    yield outcome(found.proven)


def _repaired(asked: Asked, seconds: float) -> ModelRepair:
    return repair_model(asked.text(), **_options(asked), time_limit=seconds)


def _options(asked: Asked) -> dict[str, Any]:
    cases = [
        Given(
            problem=problem.text(),
            plans=[_lines(plan) for plan in problem.plans],
            must_fail=[_lines(plan) for plan in problem.must_fail],
        )
        for problem in asked.problems
    ]
    return {
        "cases": cases,
        "protect": sorted(asked.protected),
        "costs": {kind: _number(price) for kind, price in asked.prices.items()},
        "facts": asked.facts,
    }


def _number(price: Fraction) -> str:
    return str(float(price))


def _lines(plan: tuple[tuple[str, ...], ...]) -> str:
    return "".join(f"({' '.join(step)})\n" for step in plan) or "; empty plan\n"


def _does_right(asked: Asked, found: ModelRepair) -> bool:
    """Read the repaired text with the brute force's own reader and execute all plans; facts are as the edits say."""
    problems = list(asked.problems)
    for edit in found.edits:
        if not edit.action:
            (number,) = edit.scope
            problem = problems[number]
            fact = tuple(edit.literal.strip("()").split())
            problems[number] = type(problem)(
                problem.objects, problem.init ^ {fact}, problem.values, problem.goal, problem.plans, problem.must_fail
            )
    return is_met(asked, parsed(found.domain_text), problems)


KINDS = (
    Kind(
        name="domains: numbers, prices, nested conditions, limits",
        against="all sets of up to two edits of the text",
        attack=_attack,
        share=6,
    ),
)
