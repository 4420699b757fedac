"""What any plan costs at least, by how often its steps are taken: operator counting (Pommerening et al. 2014).

However a plan goes, an atom becomes true at most as often as steps add it, and false at least as often as steps take
it away that ask for it: that holds of the goal's atoms, and of all others (the state equation, van den Briel et al.
2007). A value that steps only change by amounts that never change ends where it begins with what all steps add, and
the goal says where (Piacentini et al. 2018); what steps need that cannot be done without must be reached on the way.
The cheapest counts in fractions that agree with all of this cost no more than any plan.

What the solver answers is a guess: its dual values are rounded, and the bound that they prove is computed with
fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from math import ceil, gcd, lcm

from validator.execution.time.acts.effects import ADDITIVE
from validator.grounding.numbers.states import GroundStep
from validator.model.linear import Weights, linear
from validator.model.values import GroundAtom, Model
from validator.records import dataclass
from validator.repair.greedy.needs import Change, Gauge, Need, Requirements, as_float, changes
from validator.resources import loading

__all__ = ["least_cost"]

_LARGEST = 200_000
"""entries of a program that is solved"""

_ROUNDED = 2**16
"""Dual values are multiples of one part of so many."""


@dataclass(frozen=True, slots=True)
class _Row:
    """What the counts of steps add up to, at least, each with its entry."""

    entries: Mapping[int, Fraction]
    least: Fraction


@dataclass(frozen=True, slots=True)
class _Done:
    """What a step does whenever it is taken, and what it may do.

    ``unsure`` are values that it changes under a condition, or by what depends on the state.
    """

    needs: frozenset[Need]
    deletes: frozenset[GroundAtom]
    may_add: frozenset[GroundAtom]
    amounts: Mapping[GroundAtom, Fraction]
    unsure: frozenset[GroundAtom]


def least_cost(
    model: Model, steps: Sequence[GroundStep], prices: Sequence[Fraction], values: Weights, seconds: float
) -> Fraction:
    """Return what plans cost at least whose steps have some prices, none below zero; ``values`` are the first ones."""
    requirements = Requirements(model, model.problem.init, values)
    wanted = requirements.of(model.problem.goal, {})
    done = [_done(step, requirements) for step in steps]
    if wanted is None or requirements.derived or not steps:
        return Fraction(0)
    rows = [*_of_atoms(model, wanted, done), *_of_values(wanted, done, values)]
    rows += _of_landmarks(model.problem.init, wanted, done, values)
    if not rows or sum(len(row.entries) for row in rows) > _LARGEST:
        return Fraction(0)
    return _rounded_up(_bound(rows, prices, _duals(rows, prices, seconds)), prices)


def _done(step: GroundStep, requirements: Requirements) -> _Done:
    needs = requirements.of(step.action.precondition, step.binding) or frozenset()
    may_add, deletes, kept = set[GroundAtom](), set[GroundAtom](), set[GroundAtom]()
    amounts, unsure = dict[GroundAtom, Fraction](), set[GroundAtom]()
    for more, brought, numbers, binding in requirements.outcomes(step.action.effects, step.binding):
        for atom, positive in (need for need in brought if isinstance(need, tuple)):
            may_add |= {atom} if positive else set()
            kept |= {atom} if positive or more else set()
            deletes |= set() if positive else {atom}
        for change in changes(numbers, binding, requirements.known):
            amount = None if more else _amount(change)
            if amount is None:
                unsure.add(change.key)
            else:
                amounts[change.key] = amounts.get(change.key, Fraction(0)) + amount
    return _Done(needs, frozenset(deletes - kept), frozenset(may_add), amounts, frozenset(unsure))


def _amount(change: Change) -> Fraction | None:
    """Return what a change adds wherever it happens, None where that depends on the state."""
    weights = linear(change.value)
    if weights is None or change.operator not in ADDITIVE or any(weights[key] for key in weights if key):
        return None
    amount = weights.get((), Fraction(0))
    return amount if change.operator == "increase" else -amount


# --- rows --------------------------------------------------------------------------------------


def _of_atoms(model: Model, wanted: frozenset[Need], done: Sequence[_Done]) -> Iterator[_Row]:
    """Yield for each atom that it becomes true as often as it must."""
    init = set(model.problem.init)
    entries: dict[GroundAtom, dict[int, Fraction]] = {}
    for number, one in enumerate(done):
        for atom in one.may_add:
            entries.setdefault(atom, {})[number] = Fraction(1)
        for atom in one.deletes:
            if (atom, True) in one.needs:
                entries.setdefault(atom, {})[number] = Fraction(-1)
    for atom, row in entries.items():
        yield _Row(row, Fraction(((atom, True) in wanted) - (atom in init)))


def _of_values(wanted: frozenset[Need], done: Sequence[_Done], values: Weights) -> Iterator[_Row]:
    """Yield for each weighted sum of values in the goal that it ends where it must."""
    for gauge in wanted:
        weights = _counted(gauge, done, values) if isinstance(gauge, Gauge) else None
        if weights is None:
            continue
        row = {number: _gained(one, weights) for number, one in enumerate(done)}
        yield _Row({number: gain for number, gain in row.items() if gain}, -_now(weights, values))


def _of_landmarks(
    init: Set[GroundAtom], wanted: frozenset[Need], done: Sequence[_Done], values: Weights
) -> Iterator[_Row]:
    """Yield for each weighted sum of values that must be reached on the way that steps bring as much as it lacks.

    That is what all steps need which add an atom that must be added, or that all of such steps need.
    """
    adders: dict[GroundAtom, list[_Done]] = {}
    for one in done:
        for atom in one.may_add:
            adders.setdefault(atom, []).append(one)
    waiting, seen = list(wanted), set(wanted)
    while waiting:
        need = waiting.pop()
        if isinstance(need, Gauge):
            weights = _counted(need, done, values)
            if weights is not None:
                gains = {number: _gained(one, weights) for number, one in enumerate(done)}
                yield _Row({number: gain for number, gain in gains.items() if gain > 0}, -_now(weights, values))
        elif isinstance(need, tuple) and need[1] and need[0] not in init and need[0] in adders:
            common = frozenset.intersection(*(one.needs for one in adders[need[0]])) - seen
            seen |= common
            waiting += common


def _counted(gauge: Gauge, done: Sequence[_Done], values: Weights) -> Weights | None:
    """Return the weights of a gauge if it is a sum of values that all steps change by the same everywhere."""
    weights = linear(gauge.expression)
    if weights is None or any(key and key not in values for key in weights):
        return None
    return None if any(one.unsure & weights.keys() for one in done) else weights


def _now(weights: Weights, values: Weights) -> Fraction:
    return sum((weight * values[key] for key, weight in weights.items() if key), weights.get((), Fraction(0)))


def _gained(done: _Done, weights: Weights) -> Fraction:
    return sum((weights[key] * amount for key, amount in done.amounts.items() if key in weights), Fraction(0))


# --- the program -------------------------------------------------------------------------------


def _duals(rows: Sequence[_Row], prices: Sequence[Fraction], seconds: float) -> list[Fraction]:
    """Return what the rows are worth, none below zero; nothing where there is no answer."""
    try:
        with loading("numpy", "scipy"):
            from scipy.optimize import linprog
            from scipy.sparse import coo_array
    except MemoryError:
        return [Fraction(0)] * len(rows)
    cells = [
        (place, column, as_float(entry)) for place, row in enumerate(rows) for column, entry in row.entries.items()
    ]
    if not cells:
        return [Fraction(0)] * len(rows)
    places, columns, entries = zip(*cells, strict=True)
    matrix = coo_array((entries, (places, columns)), shape=(len(rows), len(prices))).tocsc()
    found = linprog(
        list(map(as_float, prices)),
        A_ub=-matrix,
        b_ub=[-as_float(row.least) for row in rows],
        method="highs-ds",
        options={"time_limit": seconds},
    )
    if found.status != 0:
        return [Fraction(0)] * len(rows)
    return [max(Fraction(round(-worth * _ROUNDED), _ROUNDED), Fraction(0)) for worth in found.ineqlin.marginals]


def _bound(rows: Sequence[_Row], prices: Sequence[Fraction], duals: Sequence[Fraction]) -> Fraction:
    """Return what the duals prove: made smaller until no step is worth more than it costs."""
    worth = [Fraction(0)] * len(prices)
    for row, dual in zip(rows, duals, strict=True):
        if dual:
            for column, entry in row.entries.items():
                worth[column] += dual * entry
    factor = Fraction(1)
    for each, price in zip(worth, prices, strict=True):
        if each > price:
            factor = min(factor, price / each)
    total = sum((dual * row.least for row, dual in zip(rows, duals, strict=True)), Fraction(0))
    return max(factor * total, Fraction(0))


def _rounded_up(bound: Fraction, prices: Iterable[Fraction]) -> Fraction:
    """Return the least sum of prices that is no less than a bound."""
    known = [price for price in prices if price]
    if not known:
        return Fraction(0)
    below = lcm(*(price.denominator for price in known))
    unit = Fraction(gcd(*(int(price * below) for price in known)), below)
    return ceil(bound / unit) * unit
