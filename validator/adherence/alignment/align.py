"""The heaviest alignment of a plan with executed calls that keeps their order, exactly.

Steps and calls that happen at once have no order among them: the order of a set is the one that suits the other side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import factorial, inf, prod

from validator.adherence.alignment.agreeing import agreeing
from validator.adherence.alignment.chain import Found, heaviest
from validator.adherence.alignment.dependencies import orders
from validator.adherence.alignment.ends import Ends
from validator.adherence.alignment.pairwise import Pairwise
from validator.adherence.alignment.weights import Schemas, Weights
from validator.reading.calls import Call, Planned
from validator.records import dataclass, replace

__all__ = ["Alignment", "align", "batches"]

_ONE = Fraction(1)
_MAX_ORDERS = 150
"""Of a plan with sets, so many orders are tried against calls with sets."""


_MANY_PAIRS = 250_000
"""Pairs of one name, from which on the places where the sequences agree are looked at before all pairs are"""

_PAIRS_A_PLACE = 6
"""Looking at a place takes as long as looking at three pairs: where they do not agree, half as long again is lost"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Which step was executed by which call.

    ``pairs`` are (index in the plan, index in the calls, weight). ``planned`` and ``executed`` are all indices in an
    order that the sets of both sides allow and in which the pairs do not cross.
    """

    pairs: tuple[tuple[int, int, Fraction], ...]
    planned: tuple[int, ...]
    executed: tuple[int, ...]
    weight: Fraction


def align(plan: Sequence[Planned], calls: Sequence[Call], schemas: Schemas | None = None) -> Alignment:
    """Return a heaviest alignment; among equally heavy ones, one with most equal pairs, then with most pairs.

    Exact where the plan or the calls have no sets, and where both have and the plan's can be ordered in at most
    _MAX_ORDERS ways; so are the orders of a plan with dependencies. What is equal at both ends is aligned at once.
    """
    if any(step.after is not None for step in plan):
        return _heaviest_order(plan, calls, schemas or {})
    whole = Ends(plan, calls, batches(plan), batches(calls), schemas or {})
    middle, made = (
        [index for batch in whole.plan for index in batch],
        [index for batch in whole.calls for index in batch],
    )
    inner = _inner(
        [plan[index] for index in middle],
        [calls[index] for index in made],
        schemas or {},
        _renumbered(whole.plan, middle),
        _renumbered(whole.calls, made),
    )
    pairs = (
        *((step, call, _ONE) for step, call in whole.head),
        *((middle[step], made[call], weight) for step, call, weight in inner.pairs),
        *((step, call, _ONE) for step, call in whole.tail),
    )
    planned = (
        *(step for step, _ in whole.head),
        *(middle[step] for step in inner.planned),
        *(step for step, _ in whole.tail),
    )
    executed = (
        *(call for _, call in whole.head),
        *(made[call] for call in inner.executed),
        *(call for _, call in whole.tail),
    )
    # To add fractions takes long, and most are 1.
    parts = [weight for _, _, weight in pairs if weight is not _ONE]
    weight = sum(parts, Fraction(len(pairs) - len(parts)))
    return Alignment(pairs=pairs, planned=planned, executed=executed, weight=weight)


def _renumbered(batches: Sequence[Sequence[int]], order: Sequence[int]) -> list[list[int]]:
    places = {index: place for place, index in enumerate(order)}
    return [[places[index] for index in batch] for batch in batches]


def _inner(
    plan: Sequence[Planned],
    calls: Sequence[Call],
    schemas: Schemas,
    plan_batches: Sequence[Sequence[int]],
    call_batches: Sequence[Sequence[int]],
) -> Alignment:
    if len(plan) == len(plan_batches) and len(calls) == len(call_batches):
        pairwise = Pairwise(plan, calls, schemas)
        chain = agreeing(pairwise, pairwise.pairs // _PAIRS_A_PLACE) if pairwise.pairs > _MANY_PAIRS else None
        if chain is not None:
            return Alignment(
                pairs=tuple((step, call, pairwise.share(step, call)) for step, call in chain),
                planned=tuple(range(len(plan))),
                executed=tuple(range(len(calls))),
                weight=Fraction(0),
            )
    weights = Weights(plan, calls, schemas)
    if any(len(batch) > 1 for batch in plan_batches):
        planned, (_, chain) = _best_order(weights, plan_batches, call_batches)
    else:
        planned = [index for batch in plan_batches for index in batch]
        _, chain = heaviest(planned, call_batches, weights.of_calls)
    executed = _ordered(call_batches, {call: place for place, call in chain})
    return Alignment(
        pairs=tuple((planned[place], call, weights.share(planned[place], call)) for place, call in chain),
        planned=tuple(planned),
        executed=tuple(executed),
        weight=Fraction(0),
    )


def _heaviest_order(plan: Sequence[Planned], calls: Sequence[Call], schemas: Schemas) -> Alignment:
    """Return the heaviest alignment of the orders that a plan with dependencies allows.

    All are tried up to _MAX_ORDERS; beyond, the one in which the calls were made, as far as it is allowed.
    """
    best: Alignment | None = None
    for order in orders(plan, calls, _MAX_ORDERS):
        found = align([replace(plan[index], after=None, batch=None) for index in order], calls, schemas)
        if best is None or found.weight > best.weight:
            pairs = tuple((order[step], call, weight) for step, call, weight in found.pairs)
            best = replace(found, pairs=pairs, planned=tuple(order[step] for step in found.planned))
        if best.weight == min(len(plan), len(calls)):
            break
    assert best is not None
    return best


def _best_order(
    weights: Weights, plan_batches: Sequence[Sequence[int]], call_batches: Sequence[Sequence[int]]
) -> tuple[list[int], Found]:
    """Return a plan with sets in the best order, and the heaviest chain for it.

    All orders are tried up to MAX_ORDERS. Beyond, the sets of either side are put in the
    best order for the other's in turn, until nothing improves; that is exact when the calls have no sets.
    """
    planned = [index for batch in plan_batches for index in batch]
    found = heaviest(planned, call_batches, weights.of_calls)
    while True:
        executed = _ordered(call_batches, {call: place for place, call in found[1]})
        better, turned = heaviest(executed, plan_batches, weights.of_steps)
        if better <= found[0]:
            break
        planned = _ordered(plan_batches, {step: place for place, step in turned})
        found = heaviest(planned, call_batches, weights.of_calls)
    orders = prod(factorial(len(batch)) for batch in plan_batches)
    if orders > _MAX_ORDERS or all(len(batch) == 1 for batch in call_batches):
        return planned, found
    for choice in product(*map(permutations, plan_batches)):
        order = [index for batch in choice for index in batch]
        other = heaviest(order, call_batches, weights.of_calls)
        if other[0] > found[0]:
            planned, found = order, other
    return planned, found


def batches(members: Sequence[Planned | Call]) -> list[list[int]]:
    """Return the indices of what has no order among itself together, the others alone."""
    found: list[list[int]] = []
    last: int | None = None
    for index, member in enumerate(members):
        if member.batch is None or member.batch != last:
            found.append([])
        found[-1].append(index)
        last = member.batch
    return found


def _ordered(batches: Sequence[Sequence[int]], places: Mapping[int, int]) -> list[int]:
    """Return all indices, those of a set in the order of the places that they are aligned with, the others behind."""
    return [
        index
        for batch in batches
        for index in (batch if len(batch) == 1 else sorted(batch, key=lambda member: places.get(member, inf)))
    ]
