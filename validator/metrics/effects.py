"""How similar two plans are by what they do in a model: states, costs, causal links.

A plan that does not execute has no states, so that a distance from it is None with the first fault as its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import zip_longest

from validator.execution.links import causal_links as links_of
from validator.execution.trace import Failure, Kind
from validator.metrics.distances import shared_part
from validator.metrics.reading import ModelLike, PlanLike, Reading, Score, read
from validator.model.values import GroundAtom
from validator.reading.plan import Step, Token, bare
from validator.records import dataclass


def states_distance(generated: PlanLike, reference: PlanLike, model: ModelLike | None = None) -> Score:
    """Return the state-based distance of Nguyen et al. 2012 (first in Srivastava et al. 2007), from 0 to 1.

    The states after the first, the second, ... happening are compared by 1 less their Jaccard similarity; a state to
    which the shorter plan has no counterpart counts 1; the sum is divided by the number of states of the longer plan.
    Derived atoms are no part of a state.
    """
    one, other = read(generated, model), read(reference, model)
    longest = max(len(one.happenings), len(other.happenings))
    return _of_executed(one, other, lambda: float(_apart(one, other) / longest) if longest else 0.0)


def same_states(generated: PlanLike, reference: PlanLike, model: ModelLike | None = None) -> Score:
    """Return whether the plans go through the same states one by one, whatever their steps are called."""
    one, other = read(generated, model), read(reference, model)
    missing = object()
    pairs = zip_longest(_states(one), _states(other), fillvalue=missing)
    return _of_executed(one, other, lambda: all(first == second for first, second in pairs), if_one=False)


def same_effect(generated: PlanLike, reference: PlanLike, model: ModelLike | None = None) -> Score:
    """Return whether the plans end in the same state; a plan that executes and one that does not never do."""
    one, other = read(generated, model), read(reference, model)
    return _of_executed(one, other, lambda: _final(one) == _final(other), if_one=False)


def valid_prefix(plan: PlanLike, model: ModelLike | None = None) -> int:
    """Return how many steps execute from the initial state before the first fault; all of them in a sound plan.

    The plan up to there is the longest prefix that is sound (Howey, Long, Fox 2004, VAL, which stops there).
    """
    reading = read(plan, model)
    if reading.trace.is_sound:
        return sum(1 for _ in reading.plan.steps)
    return min(failure.step or 0 for failure in _faults(reading))


def plan_cost(plan: PlanLike, model: ModelLike | None = None) -> Score:
    """Return the cost of a plan: by the model's metric, without a model the number of its steps."""
    reading = read(plan, model)
    if reading.simulator is None:
        return Score(value=len(reading.steps))
    fault = unsound(reading)
    if fault:
        return Score(value=None, reason=f"the plan does not execute: {fault}")
    if reading.trace.cost is None:
        return Score(value=None, reason="the model's metric is none that is executed")
    cost = reading.trace.cost
    return Score(value=int(cost) if cost.denominator == 1 else float(cost))


def cost_ratio(generated: PlanLike, reference: PlanLike, model: ModelLike | None = None) -> Score:
    """Return the generated plan's cost over the reference's; below 1 the generated plan is the cheaper one.

    The inverse of the quality score of the planning competitions since 2008 (Helmert, Do, Refanidis 2008), with the
    reference in place of the best known plan.
    """
    one, other = read(generated, model), read(reference, model)
    reasons = not_executed(one, other) if one.simulator is not None else []
    priced = plan_cost(one)
    cost, of = priced.value, plan_cost(other).value
    if reasons or cost is None or of is None:
        return Score(value=None, reason="; ".join(reasons) or priced.reason)
    if cost == of:
        return Score(value=1.0)
    if not of:
        return Score(value=None, reason=f"the reference costs 0, the generated plan {cost}")
    return Score(value=cost / of)


# --- causal links (McAllester and Rosenblitt 1991) -------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """``producer`` (None: the initial state) made true the condition that ``consumer`` (None: the goal) needs."""

    producer: Token | None
    condition: str
    consumer: Token | None


def links_distance(generated: PlanLike, reference: PlanLike, model: ModelLike | None = None) -> Score:
    """Return 1 less the Jaccard similarity of the causal links: the causal distance of Nguyen et al. 2012.

    The initial state and the goal are producer and consumer as well. None for a plan that does not execute.
    """
    one, other = read(generated, model), read(reference, model)
    reasons = not_executed(one, other)
    if reasons:
        return Score(value=None, reason="; ".join(reasons))
    first, second = causal_links(one), causal_links(other)
    return Score(value=1 - shared_part(first, second))


def causal_links(plan: PlanLike, model: ModelLike | None = None) -> frozenset[Link]:
    """Return the causal links of a plan that executes.

    The producer of a condition is the last step before the consumer by which it became true; the conjuncts of a
    precondition have one each. A conjunct that is no literal (a disjunction, a quantified or derived condition) is one
    condition. Raises ValueError for a plan that does not execute.
    """
    reading = read(plan, model)
    fault = unsound(reading)
    if fault:
        raise ValueError(f"only a plan that executes has causal links: {fault}")
    assert reading.simulator is not None
    tokens = [reading.simulator.resolve(token) for token in reading.plan.tokens]
    plain = [bare(token) if isinstance(token, Step) else token for token in tokens]
    return frozenset(
        Link(
            producer=None if link.producer is None else plain[link.producer],
            condition=link.condition,
            consumer=None if link.consumer is None else plain[link.consumer],
        )
        for link in links_of(reading.simulator, tokens, reading.trace)
    )


# --- faults and states -----------------------------------------------------------------------------


def unsound(reading: Reading) -> str:
    """Return the first fault of a plan that does not execute, or an empty text."""
    if reading.trace.is_sound:
        return ""
    fault = _faults(reading)[0]
    detail = fault.detail or ", ".join(fault.unmet)
    place = "" if fault.step is None else f"step {fault.step + 1}, "
    return f"{place}{fault.kind}: {detail}"


def not_executed(generated: Reading, reference: Reading) -> list[str]:
    """Return of each plan that does not execute why."""
    faults = (("generated", unsound(generated)), ("reference", unsound(reference)))
    return [f"the {name} plan does not execute: {fault}" for name, fault in faults if fault]


def _faults(reading: Reading) -> list[Failure]:
    return [failure for failure in reading.trace.failures if failure.kind is not Kind.GOAL]


def _of_executed(
    one: Reading, other: Reading, measure: Callable[[], float | bool], *, if_one: bool | None = None
) -> Score:
    """Return a measure of two plans that execute; ``if_one`` is the answer where exactly one does."""
    found = not_executed(one, other)
    if found:
        return Score(value=if_one if len(found) == 1 else None, reason="; ".join(found))
    return Score(value=measure())


def _states(reading: Reading) -> Iterator[frozenset[GroundAtom]]:
    """Yield the state after each happening."""
    ends = {happening[-1] for happening in reading.happenings}
    for index, state in enumerate(reading.trace.states(), start=-1):
        if index in ends:
            yield state


def _final(reading: Reading) -> frozenset[GroundAtom]:
    *_, last = reading.trace.states()
    return last


def _apart(one: Reading, other: Reading) -> Fraction:
    """Return the sum of the distances between states in the same place."""
    total = Fraction(0)
    for first, second in zip_longest(_states(one), _states(other)):
        if first is None or second is None:
            total += 1
        elif first != second:
            total += 1 - Fraction(len(first & second), len(first | second))
    return total
