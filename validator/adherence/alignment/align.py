"""The heaviest alignment of a plan with executed calls that keeps their order, exactly.

An alignment is a sequence of synchronous moves, model moves and log moves (van der Aalst 2016, "Process Mining"): a
step with its call, a step alone, a call alone. Steps and calls that happen at once have no order among them: the order
of a set is the one that suits the other side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, permutations, product
from math import factorial, inf, prod

from validator.adherence.alignment.chain import Found, heaviest
from validator.adherence.alignment.weights import Schemas, Weights, share
from validator.reading.calls import Call, Planned
from validator.records import dataclass, replace

__all__ = ["Alignment", "align", "batches"]

_ONE = Fraction(1)
_MAX_ORDERS = 150
"""Of a plan with sets, so many orders are tried against calls with sets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Which step was executed by which call.

    ``pairs`` are the synchronous moves: (index in the plan, index in the calls, weight). ``planned`` and ``executed``
    are all indices in an order that the sets of both sides allow and in which the pairs do not cross.
    """

    pairs: tuple[tuple[int, int, Fraction], ...]
    planned: tuple[int, ...]
    executed: tuple[int, ...]

    @property
    def weight(self) -> Fraction:
        # To add fractions takes long, and most are 1.
        parts = [weight for _, _, weight in self.pairs if weight is not _ONE]
        return sum(parts, Fraction(len(self.pairs) - len(parts)))


def align(plan: Sequence[Planned], calls: Sequence[Call], schemas: Schemas | None = None) -> Alignment:
    """Return a heaviest alignment; among equally heavy ones, one with most equal pairs, then with most pairs.

    Exact where the plan or the calls have no sets, and where both have and the plan's can be ordered in at most
    _MAX_ORDERS ways; so are the orders of a plan with dependencies. What is equal at both ends is aligned at once.
    """
    schemas = schemas or {}
    if any(step.after is not None for step in plan):
        return _heaviest_order(plan, calls, schemas)
    head = _common(plan, calls, schemas)
    first = len(head)
    back = _common(plan[first:][::-1], calls[first:][::-1], schemas)
    tail = [(len(plan) - 1 - step, len(calls) - 1 - call) for step, call in reversed(back)]
    ends = len(plan) - len(tail), len(calls) - len(tail)
    inner = _inner(plan[first : ends[0]], calls[first : ends[1]], schemas)
    equal, others = ([(step, call, _ONE) for step, call in each] for each in (head, tail))
    middle = [(first + step, first + call, weight) for step, call, weight in inner.pairs]
    return Alignment(
        pairs=(*equal, *middle, *others),
        planned=(*(step for step, _ in head), *(first + step for step in inner.planned), *(step for step, _ in tail)),
        executed=(*(call for _, call in head), *(first + call for call in inner.executed), *(call for _, call in tail)),
    )


# --- what both sides have in common ---------------------------------------------------------------


def _common(plan: Sequence[Planned], calls: Sequence[Call], schemas: Schemas) -> list[tuple[int, int]]:
    """Return equal pairs of all members of the first sets of both sides, as far as these can be paired one for one.

    No alignment is heavier than one that does so: whatever is paired with any of them otherwise weighs no more, and
    keeps nothing else from being paired. One side's set may be several sets of the other.
    """
    found: list[tuple[int, int]] = []
    sets = iter(batches(plan)), iter(batches(calls))
    while True:
        steps, made = ([*next(side, ())] for side in sets)
        side, other, more = (steps, made, sets[0]) if len(steps) < len(made) else (made, steps, sets[1])
        one_set = len(made)
        while len(side) < len(other) and (following := next(more, None)):
            side += following
        if not steps or len(steps) != len(made):
            return found
        pairs = list[tuple[int, int]]()
        for step in steps:
            call = next((call for call in made if _is_equal(plan[step], calls[call], schemas)), None)
            if call is None:
                return found
            made.remove(call)
            pairs.append((step, call))
        found += pairs if one_set == len(pairs) else sorted(pairs, key=lambda pair: pair[1])


def _is_equal(planned: Planned, executed: Call, schemas: Schemas) -> bool:
    if not planned.is_readable or planned.name != executed.name:
        return False
    if planned.arguments is not None and planned.arguments == executed.arguments:
        return True
    return share(planned.arguments, executed.arguments, schemas.get(planned.name, ())) == _ONE


# --- what is left ---------------------------------------------------------------------------------


def _inner(plan: Sequence[Planned], calls: Sequence[Call], schemas: Schemas) -> Alignment:
    weights = Weights(plan, calls, schemas)
    steps, made = batches(plan), batches(calls)
    planned = list(range(len(plan)))
    if len(plan) > len(steps):
        planned, (_, chain) = _best_order(weights, steps, made)
    else:
        _, chain = heaviest(planned, made, weights.of_calls, weights.base)
    executed = _ordered(made, {call: place for place, call in chain})
    pairs = ((planned[place], call) for place, call in chain)
    return Alignment(
        pairs=tuple((step, call, weights.share(step, call)) for step, call in pairs),
        planned=tuple(planned),
        executed=tuple(executed),
    )


def _best_order(
    weights: Weights, plan_batches: Sequence[Sequence[int]], call_batches: Sequence[Sequence[int]]
) -> tuple[list[int], Found]:
    """Return a plan with sets in the best order, and the heaviest chain for it.

    The sets of either side are put in the best order for the other's in turn, until nothing improves; that is exact
    where the calls have no sets. Else all orders up to _MAX_ORDERS are tried.
    """

    def chain(order: Sequence[int]) -> Found:
        return heaviest(order, call_batches, weights.of_calls, weights.base)

    planned = [index for batch in plan_batches for index in batch]
    found = chain(planned)
    while True:
        executed = _ordered(call_batches, {call: place for place, call in found[1]})
        better, turned = heaviest(executed, plan_batches, weights.of_steps, weights.base)
        if better <= found[0]:
            break
        planned = _ordered(plan_batches, {step: place for place, step in turned})
        found = chain(planned)
    orders = prod(factorial(len(batch)) for batch in plan_batches)
    if orders > _MAX_ORDERS or all(len(batch) == 1 for batch in call_batches):
        return planned, found
    for choice in product(*map(permutations, plan_batches)):
        order = [index for batch in choice for index in batch]
        other = chain(order)
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


# --- plans with dependencies ----------------------------------------------------------------------


def _heaviest_order(plan: Sequence[Planned], calls: Sequence[Call], schemas: Schemas) -> Alignment:
    """Return the heaviest alignment of the orders that a plan with dependencies allows.

    All are tried up to _MAX_ORDERS; beyond, the one in which the calls were made, as far as it is allowed.
    """
    place = {step.index: index for index, step in enumerate(plan)}
    before = [{place[each] for each in step.after or () if each in place} for step in plan]
    best: Alignment | None = None
    for order in _orders(plan, calls, before):
        found = align([replace(plan[index], after=None, batch=None) for index in order], calls, schemas)
        if best is None or found.weight > best.weight:
            pairs = tuple((order[step], call, weight) for step, call, weight in found.pairs)
            best = replace(found, pairs=pairs, planned=tuple(order[step] for step in found.planned))
        if best.weight == min(len(plan), len(calls)):
            break
    assert best is not None
    return best


def _orders(plan: Sequence[Planned], calls: Sequence[Call], before: Sequence[set[int]]) -> Iterator[list[int]]:
    """Yield orders in which each step comes after what it depends on: first the one of the calls."""
    yield _as_made(plan, calls, before)
    every = list(islice(_behind(before, []), _MAX_ORDERS + 1))
    yield from every if len(every) <= _MAX_ORDERS else ()


def _as_made(plan: Sequence[Planned], calls: Sequence[Call], before: Sequence[set[int]]) -> list[int]:
    """Return the order in which the steps were made, as far as it is allowed; the others as soon as they can be."""
    order: list[int] = []
    for call in calls:
        fitting = [index for index in _ready(before, order) if plan[index].name == call.name]
        equal = [index for index in fitting if plan[index].arguments == call.arguments]
        order += (equal or fitting)[:1]
    while ready := _ready(before, order):
        order.append(ready[0])
    return [*order, *(index for index in range(len(plan)) if index not in order)]


def _ready(before: Sequence[set[int]], order: Sequence[int]) -> list[int]:
    done = set(order)
    return [index for index, needed in enumerate(before) if index not in done and needed <= done]


def _behind(before: Sequence[set[int]], order: list[int]) -> Iterator[list[int]]:
    """Yield all orders that begin so."""
    if len(order) == len(before):
        yield order
    for index in _ready(before, order):
        yield from _behind(before, [*order, index])
