"""Attacks on verdicts, repairs and optima of models with all that the syntax of classical PDDL allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from random import Random
from unittest.mock import patch

from benchmarks.attacks.classical import repaired
from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, DEARER, Oracle
from tests.support.random_deliveries import random_delivery
from tests.support.random_schemas import Texts
from tests.support.random_worlds import random_world, shouted, states_of, wrong_walk
from validator import Quality, check
from validator.checking.prepared import prepare
from validator.checking.solve import solve
from validator.grounding.limits import Limits
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.repair import nearest
from validator.repair.search import uniform_cost

__all__ = ["KINDS"]

_PRICES = (CHEAP, DEAR, DEARER)

_MOST_STATES, _MOST_OF_DELIVERIES = 400, 1500
"""of a model whose plans are repaired"""


def _case(seed: int) -> tuple[Texts, Oracle, list[str], Random]:
    texts, draw = random_world(seed, _PRICES[seed % 3]), Random(f"worlds {seed}")
    oracle = Oracle(*texts)
    return texts, oracle, wrong_walk(oracle, draw, draw.randint(0, 5), draw.choice((0, 0, 1, 2))), draw


def _verdicts(seed: int) -> Iterator[str]:
    """Execute a plan twice: the verdict, the cost, and every step at fault."""
    texts, oracle, plan, draw = _case(seed)
    report = check(*texts, shouted(plan, draw) or "; empty plan", repair=False)
    at_fault, state, cost = _executed(oracle, plan)
    is_valid = not at_fault and oracle.is_goal(state)
    told = (texts, plan, report.failures, at_fault)
    assert report.determination is is_valid, told
    assert sorted({fault.step for fault in report.failures if fault.step is not None}) == at_fault, told
    assert any(fault.step is None for fault in report.failures) is not oracle.is_goal(state), told
    assert not is_valid or report.cost == cost, (told, report.cost, cost)
    yield outcome(True)


def _executed(oracle: Oracle, plan: Sequence[str]) -> tuple[list[int], frozenset[tuple[str, ...]], object]:
    """Return the places of the steps at fault, each of which changes nothing, the state at the end, and the cost."""
    at_fault, state, cost = list[int](), oracle.init, oracle.begun
    for place, line in enumerate(plan):
        ways = [(after, price) for step, after, price in oracle.successors(state) if str(step) == line]
        if ways:
            state, cost = ways[0][0], cost + ways[0][1]
        else:
            at_fault.append(place)
    return at_fault, state, cost


def _repairs(seed: int) -> Iterator[str]:
    """Repair a plan to each quality under each policy, and look for a cheapest one."""
    texts, oracle, plan, _ = _case(seed)
    if states_of(oracle, _MOST_STATES) is None:
        return
    prepared = prepare(read_model(*texts))
    for quality in Quality:
        for policy in ("edits", "keep"):
            yield repaired(prepared, oracle, plan, quality, policy)
    least, found = oracle.nearest((), "optimal", "edits", 1), solve(prepare(read_model(*texts)))
    if found.plan is None:
        assert least is None or not found.proven, (texts, found)
    else:
        end = oracle.run(map(str, found.plan))
        assert least is not None and end is not None and oracle.is_goal(end[0]), (texts, found)
        assert found.cost == least[0] if found.proven else found.lower_bound <= least[0], (texts, found, least)
    yield outcome(found.proven)


def _deliveries(seed: int) -> Iterator[str]:
    """Repair long plans with several faults, on models of some hundred states.

    The nearest repairs of every second one are left to cost partitioning, as far as it suits the model.
    """
    draw = Random(f"deliveries {seed}")
    texts = random_delivery(seed, _PRICES[seed % 3])
    oracle = Oracle(*texts)
    if states_of(oracle, _MOST_OF_DELIVERIES) is None:
        return
    plan = wrong_walk(oracle, draw, draw.randint(2, 12), draw.randint(1, 8), to_goal=True)
    prepared = prepare(read_model(*texts))
    task = prepared.task(Limits(deadline=float("inf"), memory=4 * 2**30))
    assert isinstance(task, Task)
    if seed % 2 and not (task.has_axioms or task.has_conditional_effects):
        with ExitStack() as changed:
            changed.enter_context(patch.object(uniform_cost, "_MOST_TRIED", 0))
            changed.enter_context(patch.object(nearest, "_A_STAR", 0.0))
            for quality in (Quality.SOUND, Quality.VALID):
                yield repaired(prepared, oracle, plan, quality, "edits")
    else:
        for quality in Quality:
            yield repaired(prepared, oracle, plan, quality, "edits" if seed % 4 else "keep")


def _kept(seed: int) -> Iterator[str]:
    """Repair long plans keeping what can be kept, where insertions cost nothing, decimals, or up to 10^7."""
    draw = Random(f"kept deliveries {seed}")
    texts = random_delivery(seed, _PRICES[1 + seed % 2])
    oracle = Oracle(*texts)
    if states_of(oracle, _MOST_OF_DELIVERIES) is None:
        return
    plan = wrong_walk(oracle, draw, draw.randint(15, 40), draw.randint(1, 10), to_goal=True)
    prepared = prepare(read_model(*texts))
    for quality in (Quality.SOUND, Quality.VALID):
        yield repaired(prepared, oracle, plan, quality, "keep")


KINDS = (
    Kind(name="verdicts: types, nested conditions", against="a second executor", attack=_verdicts, share=20),
    Kind(
        name="repair: types, nested conditions",
        against="Dijkstra over states and places of the plan",
        attack=_repairs,
        share=12,
    ),
    Kind(
        name="repair: long plans, late searches",
        against="Dijkstra over states and places of the plan",
        attack=_deliveries,
        share=6,
    ),
    Kind(
        name="repair: long plans, keep, dear steps",
        against="Dijkstra over states and places of the plan",
        attack=_kept,
        share=3,
    ),
)
