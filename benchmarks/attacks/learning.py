"""Attacks on flows that are learned from recorded runs: what is counted, and that no run contradicts them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from benchmarks.attacks.kind import Kind, outcome
from tests.support.random_recordings import (
    Fed,
    Made,
    always_before,
    declared,
    fed,
    random_runs,
    required,
    shown_to_yield,
)
from validator.flow.learned.learn import Learned, learn_flow
from validator.guard import PlanGuard

__all__ = ["KINDS"]


def _attack(seed: int) -> Iterator[str]:
    draw, runs = Random(f"learning {seed}"), random_runs(seed)
    support = draw.choice((1, 1, 2, 3))
    tools = declared(draw, runs) if draw.random() < 0.35 else []
    learned = learn_flow(tools or None, [[call.record for call in run] for run in runs], support=support)
    good = [[call for call in run if not call.is_failed] for run in runs]
    told = (runs, support, tools, learned)
    assert learned.runs == sum(map(bool, good)), told
    names = {call.name for run in good for call in run}
    assert dict(learned.called) == {name: sum(any(c.name == name for c in run) for run in good) for name in names}, told
    counts = {(each.tool, each.name): Fed(each.given, each.fed, dict(each.sources)) for each in learned.feeds}
    assert counts == fed(runs), (told, counts)
    for operator in learned.flow.operators:
        if operator.name in learned.declared:
            continue
        assert {each.item: each.required for each in operator.inputs} == required(runs, operator.name, support), (
            told,
            operator,
        )
        for output in operator.outputs:
            assert shown_to_yield(runs, operator.name, output.item) >= support, (told, operator)
    for slot in learned.flow.slots:
        given = sum(any(slot.item in call.arguments for call in run) for run in good)
        assert slot.desirability or given >= support, (told, slot)
    _compare_orders(learned, always_before(runs, support), told)
    yield outcome(True)
    for run in good:
        _replay(learned, run, told)
        yield outcome(True)


def _compare_orders(learned: Learned, expected: dict[tuple[str, str], int], told: object) -> None:
    """Compare the orders that are told, and those that follow from them, with those of all runs."""
    direct = {(each.first, each.then): each.runs for each in learned.precedences}
    assert direct.items() <= expected.items(), (told, expected)
    closed = set(direct)
    while more := {(a, d) for a, b in closed for c, d in closed if b == c} - closed:
        closed |= more
    assert closed == expected.keys(), (told, expected)


def _replay(learned: Learned, run: list[Made], told: object) -> None:
    """Guard a run by the flow that was learned from it."""
    guard = PlanGuard(learned.flow, repair=False)
    for call in run:
        decision = guard.before(call.name, call.arguments)
        assert decision, (told, run, call, decision)
        guard.after(decision, call.result)


KINDS = (
    Kind(
        name="flows learned from runs",
        against="a look through every run, each made again behind the flow's guard",
        attack=_attack,
        share=6,
    ),
)
