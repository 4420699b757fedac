"""Attacks on what is proven of recognition, foils, flows, calls of tools, traces and repairs of domains."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import KINDS as MODELS
from tests.support.edit_oracle import Oracle, random_case
from tests.support.flow_attack import attack_calls, attack_flow, attack_planned
from tests.support.foil_questions import (
    compare_answer,
    compare_budget,
    compare_change,
    compare_excuse,
    compare_numbers,
)
from tests.support.recognition_oracle import RecognitionOracle, random_problem
from tests.support.tool_lists import TOOLS, cheapest, random_list, runs
from validator.adherence import adhere
from validator.checking.report import Interval
from validator.flow import check_tool_calls
from validator.flow.tools.declared.specifications import read_tools
from validator.flow.tools.listed.calls import bound
from validator.flow.tools.mended.search import nearest_lists
from validator.reading.calls.lists import read_list
from validator.recognize import Method, Order, Settings, Standing, recognize

__all__ = ["KINDS", "recognitions"]

_WIDE = 10.0**6
"""a margin that cuts no goal off"""


def recognitions(seed: int, seconds: float = 30.0) -> Iterator[str]:
    """Recognise with every way to explain observations, and with none."""
    kind, number = MODELS[seed % 4], seed // 4
    problem = random_problem(kind, number)
    draw = random.Random(f"recognition settings {seed}")
    price, missing = Fraction(draw.choice((1, 2, 4)), 2), Fraction(draw.choice((0, 1, 2)), 2)
    oracle = RecognitionOracle(*random_case(kind, number)[:2])
    for method, order, seen in (
        (Method.SOFT, Order.TOTAL, problem.observations),
        (Method.EXACT, Order.TOTAL, problem.observations),
        (Method.SOFT, Order.NONE, problem.observations),
        (Method.SOFT, Order.TOTAL, ()),
    ):
        own = Fraction(0) if method is Method.EXACT else missing
        settings = Settings(
            method=method, order=order, discard_cost=price, missing_cost=own, margin=_WIDE, time_limit=seconds
        )
        found = recognize(replace(problem, observations=seen), settings)
        for hypothesis, one in zip(problem.hypotheses, found.candidates, strict=True):
            base = oracle.without(hypothesis.goal, own)
            if method is Method.EXACT:
                total = oracle.explaining(hypothesis.goal, seen, None, own)
            elif order is Order.NONE:
                total = oracle.in_any_order(hypothesis.goal, seen, price, own)
            else:
                total = oracle.explaining(hypothesis.goal, seen, price, own)
            if one.standing is Standing.UNSOLVABLE:
                assert base is None, (hypothesis.text, base)
            elif one.standing is Standing.UNEXPLAINED:
                assert total is None, (hypothesis.text, total)
            elif one.standing is Standing.EXACT:
                assert base is not None and total is not None, hypothesis.text
                assert one.delta == Interval(lower=total - base, upper=total - base), (hypothesis.text, one.delta)
        yield outcome(found.exact)


def _tool_calls(seed: int) -> Iterator[str]:
    """Judge and mend a list of calls, and try every list of nearer edits."""
    calls = random_list(random.Random(f"calls {seed}"))
    report = check_tool_calls(TOOLS, calls)
    assert report.determination is runs(calls), calls
    if report.determination is False and report.repaired_calls is not None:
        assert runs(report.repaired_calls), (calls, report.repaired_calls)
        tools = read_tools(TOOLS)
        cost = nearest_lists(bound(read_list(calls), tools), tools, (), float("inf")).lists[0].cost
        assert not report.proven or cheapest(calls, min(cost, 7)) is None, (calls, report.repaired_calls)
    yield outcome(report.proven)


def _questions(compare: Callable[[random.Random], object], name: str) -> Callable[[int], Iterator[str]]:
    def attack(seed: int) -> Iterator[str]:
        yield outcome(compare(random.Random(f"{name} {seed}")) is not None)

    return attack


def _traces(seed: int) -> Iterator[str]:
    """Judge calls beside a plan by a model: the verdicts, and the call behind which the goal is lost."""
    draw = random.Random(f"trace {seed}")
    domain, problem, plan = random_case(MODELS[seed % 4], seed)
    oracle = Oracle(domain, problem)
    steps = [step.name for step in oracle.steps]
    made = [draw.choice(steps) for _ in range(draw.randint(1, 4))]
    planned = [name for name in (step.strip("()") for step in plan) if name in steps]
    calls = [{"name": name, "arguments": {}} for name in made]
    result = adhere([f"{name}()" for name in planned], calls, model=(domain, problem), time_limit=10).execution
    assert result is not None
    states = _states(oracle, made)
    assert result.sound is (len(states) > len(made)), (made, result)
    if result.sound:
        assert result.reaches_goal is oracle.is_goal(states[-1]), (made, result)
        lost = [place for place, state in enumerate(states) if _is_lost(oracle, state)]
        expected = lost[0] - 1 if lost and lost[0] else None
        assert result.reaches_goal or result.dead_end == expected, (made, result, lost)
    own = _states(oracle, planned)
    is_valid = len(own) > len(planned) and oracle.is_goal(own[-1])
    assert result.plan_is_valid in (is_valid, None), (planned, result)
    yield outcome(result.sound is not None and result.plan_is_valid is not None)


def _states(oracle: Oracle, names: list[str]) -> list[frozenset[tuple[str, ...]]]:
    states = [oracle.init]
    for name in names:
        after = [state for step, state, _ in oracle.successors(states[-1]) if step.name == name]
        if not after:
            break
        states.append(after[0])
    return states


def _is_lost(oracle: Oracle, start: frozenset[tuple[str, ...]]) -> bool:
    """Return whether no state with the goal can be reached."""
    seen, waiting = {start}, [start]
    while waiting:
        state = waiting.pop()
        if oracle.is_goal(state):
            return False
        for _, after, _ in oracle.successors(state):
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return True


_PLANS = "all plans up to six steps"

KINDS = (
    Kind(name="recognition", against="Dijkstra over states and observations", attack=recognitions, share=8),
    Kind(name="foils", against=_PLANS, attack=_questions(compare_answer, "foils"), share=7),
    Kind(name="foils: changed models", against=_PLANS, attack=_questions(compare_change, "changes"), share=2),
    Kind(name="foils: budgets", against=_PLANS, attack=_questions(compare_budget, "budgets"), share=3),
    Kind(name="foils: excuses", against="all states", attack=_questions(compare_excuse, "excuses"), share=2),
    Kind(name="foils: numbers", against=_PLANS, attack=_questions(compare_numbers, "numbers"), share=2),
    Kind(name="flows: plans", against="a second executor, all states", attack=attack_planned, share=6),
    Kind(name="flows: repair", against="a second executor, all states", attack=attack_flow, share=9),
    Kind(name="flows: calls of a trace", against="a second executor, all states", attack=attack_calls, share=5),
    Kind(name="traces", against="execution, all states", attack=_traces, share=4),
    Kind(name="tool calls", against="a second executor, all lists of nearer edits", attack=_tool_calls, share=25),
)
