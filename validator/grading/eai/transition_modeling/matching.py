"""Two operators compared: the literals that agree under the best naming of parameters and variables.

A predicted operator says the same as the gold one whatever its variables are called. Of all one-to-one mappings of
its parameters onto the gold parameters the one is taken under which most literals agree, quantified variables mapped
likewise. Literals agree that are equal and stand in the same quantifiers and conditional effects; whether ``and`` or
``or`` joins them says only whether the operators are the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from itertools import islice, permutations
from math import perm
from typing import TypeAlias

from validator.grading.eai.transition_modeling.operators import Leaf, Operator
from validator.grading.summary import Confusion
from validator.metrics.assignment import heaviest_assignment
from validator.records import dataclass, replace

# --- counts ---------------------------------------------------------------------------------------


INVENTED = "invented"
"""The category of predicates that the data set gives none: the model made them up."""


class Part(StrEnum):
    PRECONDITION = "precondition"
    EFFECT = "effect"


@dataclass(frozen=True, slots=True, kw_only=True)
class Count(Confusion):
    """What one part of one operator of one task has of one predicate."""

    action: str
    part: Part
    predicate: str


def total(counts: Iterable[Count]) -> Confusion:
    """Return the sum of counts."""
    return sum(counts, Confusion())


def grouped(counts: Iterable[Count], key: Callable[[Count], str]) -> Mapping[str, list[Count]]:
    """Return counts by a key, sorted by it."""
    groups: defaultdict[str, list[Count]] = defaultdict(list)
    for count in counts:
        groups[key(count)].append(count)
    return {name: groups[name] for name in sorted(groups)}


def counted(
    action: str, part: Part, right: Iterable[str], wrong: Iterable[str], missed: Iterable[str]
) -> Iterator[Count]:
    """Yield a count for each predicate: in both, in the predicted operator only, in the gold operator only."""
    numbers = Counter(right), Counter(wrong), Counter(missed)
    for name in sorted({*numbers[0], *numbers[1], *numbers[2]}):
        both, ours, theirs = (each[name] for each in numbers)
        yield Count(action=action, part=part, predicate=name, right=both, wrong=ours, missed=theirs)


# --- two operators compared -----------------------------------------------------------------------


_MOST_MAPPINGS = 5040
"""Seven parameters have so many; of more, the likeliest are tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """``parameters`` maps predicted parameters to gold ones; ``is_same`` says that junctions agree as well."""

    counts: tuple[Count, ...]
    parameters: Mapping[str, str]
    is_same: bool = False


_Parts: TypeAlias = tuple[frozenset[Leaf], frozenset[Leaf]]


@lru_cache(maxsize=4096)
def compare(predicted: Operator, gold: Operator) -> Match:
    """Compare a predicted operator with the gold one under the best mapping of its parameters."""
    theirs = _parts(gold)
    best = (-1, False)
    match = missed(gold)
    for mapping in _mappings(predicted, gold):
        whole = {**mapping, **_bound_mapping(predicted, gold, mapping)}
        renamed = predicted.precondition, predicted.effect
        precondition, effect = (frozenset(_renamed(leaf, whole) for leaf in part) for part in renamed)
        ours = _loose(precondition), _loose(effect)
        is_same = (precondition, effect) == (gold.precondition, gold.effect)
        agreed = len(ours[0] & theirs[0]) + len(ours[1] & theirs[1]), is_same
        if agreed > best:
            best = agreed
            match = Match(counts=_compared(gold.name, ours, theirs), parameters=mapping, is_same=is_same)
        if is_same:
            break
    return match


def missed(gold: Operator) -> Match:
    """Return the comparison of a gold operator with none at all."""
    return Match(counts=_compared(gold.name, (frozenset(), frozenset()), _parts(gold)), parameters={})


@lru_cache(maxsize=1024)
def _parts(operator: Operator) -> _Parts:
    return _loose(operator.precondition), _loose(operator.effect)


def _loose(part: frozenset[Leaf]) -> frozenset[Leaf]:
    """Return literals with the quantifiers and conditions that they stand in, whatever junctions join them."""
    return frozenset(
        replace(leaf, within=tuple(kind for kind in leaf.within if kind not in ("and", "or"))) for leaf in part
    )


def _compared(action: str, ours: _Parts, theirs: _Parts) -> tuple[Count, ...]:
    return tuple(
        count
        for part, mine, other in zip(Part, ours, theirs, strict=True)
        for count in counted(
            action, part, *((leaf.predicate for leaf in some) for some in (mine & other, mine - other, other - mine))
        )
    )


def _renamed(leaf: Leaf, names: Mapping[str, str]) -> Leaf:
    """Return a predicted literal in gold names; a variable that stands for none is like no other."""
    terms = [names.get(term, f"{term} unmapped") if term.startswith("?") else term for term in leaf.terms]
    return replace(leaf, terms=tuple(sorted(terms) if leaf.predicate == "=" else terms))


def _mappings(predicted: Operator, gold: Operator) -> Iterator[Mapping[str, str]]:
    """Yield the mappings of parameters, the likeliest first: types, then names, then positions decide."""
    ours, theirs = predicted.parameters, gold.parameters
    few, many = sorted((len(ours), len(theirs)))

    def likeness(places: tuple[tuple[int, int], ...]) -> tuple[int, int, int]:
        return (
            sum(ours[one].types == theirs[other].types for one, other in places),
            sum(ours[one].name == theirs[other].name for one, other in places),
            sum(one == other for one, other in places),
        )

    orders = islice(permutations(range(many), few), min(perm(many, few), _MOST_MAPPINGS))
    pairs = (tuple(enumerate(order)) for order in orders)
    placed = pairs if len(ours) <= len(theirs) else (tuple((one, other) for other, one in each) for each in pairs)
    for places in sorted(placed, key=likeness, reverse=True):
        yield {ours[one].name: theirs[other].name for one, other in places}


def _bound_mapping(predicted: Operator, gold: Operator, mapping: Mapping[str, str]) -> Mapping[str, str]:
    """Return the mapping of quantified variables under which most literals agree, looked at from each of them."""
    ours = [_about(predicted, name) for name in predicted.bound]
    if not ours or not gold.bound:
        return {}
    theirs = [_about(gold, name) for name in gold.bound]
    weights = [
        [
            len(theirs[column] & {(place, _renamed(leaf, {**mapping, name: other})) for place, leaf in ours[row]})
            for column, other in enumerate(gold.bound)
        ]
        for row, name in enumerate(predicted.bound)
    ]
    return {predicted.bound[row]: gold.bound[column] for row, column in heaviest_assignment(weights)}


@lru_cache(maxsize=1024)
def _about(operator: Operator, name: str) -> frozenset[tuple[int, Leaf]]:
    """Return the literals with a quantified variable, other such left open, with the part that they are of."""
    open_ = dict.fromkeys({*operator.bound} - {name}, "*")
    return frozenset(
        (place, replace(leaf, terms=tuple(open_.get(term, term) for term in leaf.terms)))
        for place, part in enumerate(_parts(operator))
        for leaf in part
        if name in leaf.terms
    )
