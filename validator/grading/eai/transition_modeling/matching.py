"""Two operators compared: the literals that agree under the best naming of parameters and variables.

A predicted operator says the same as the gold one whatever its variables are called. Of all one-to-one mappings of
its parameters onto the gold parameters the one is taken under which most literals agree. Two trees agree in
literals that stand at corresponding places: the parts of a conjunction or disjunction in any order, by the
assignment with most agreement; a quantifier with a quantifier of its kind, its variables mapped likewise; a
conditional effect with a conditional effect. A part that stands alone agrees with a junction as a junction of one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import combinations, permutations
from math import perm
from typing import TypeAlias

from validator.grading.eai.transition_modeling.operators import Operator
from validator.grading.eai.transition_modeling.trees import (
    NOTHING,
    Junction,
    Leaf,
    Quantified,
    Tree,
    When,
    leaves,
)
from validator.metrics.assignment import heaviest_assignment
from validator.records import dataclass

# --- counts ---------------------------------------------------------------------------------------


INVENTED = "invented"
"""The category of predicates that the data set gives none: the model made them up."""


class Part(StrEnum):
    PRECONDITION = "precondition"
    EFFECT = "effect"


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """What one part of one operator of one task has of one predicate."""

    action: str
    part: Part
    predicate: str
    right: int = 0
    wrong: int = 0
    missed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return _share(self.right, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return _share(self.right, self.right + self.missed)

    @property
    def f1(self) -> float:
        return _share(2 * self.right, 2 * self.right + self.wrong + self.missed)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def total(counts: Iterable[Count]) -> Score:
    """Return the sum of counts."""
    sums: Counter[str] = Counter()
    for count in counts:
        sums.update(right=count.right, wrong=count.wrong, missed=count.missed)
    return Score(**sums)


def grouped(counts: Iterable[Count], key: Callable[[Count], str]) -> Mapping[str, Score]:
    """Return the sums by a key, sorted by it."""
    groups: defaultdict[str, list[Count]] = defaultdict(list)
    for count in counts:
        groups[key(count)].append(count)
    return {name: total(groups[name]) for name in sorted(groups)}


# --- two operators compared -----------------------------------------------------------------------


Binding: TypeAlias = Mapping[str, str]
"""Variables of the predicted operator, each with the gold variable that it stands for."""

_MOST_MAPPINGS = 5040
"""Seven parameters have so many; with more, the mapping is improved by exchanges until none helps."""

_MOST_BOUND = 120
"""Five variables of a quantifier have so many; more are taken in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartMatch:
    """The literals of a precondition or an effect, counted by predicate."""

    right: Counter[str]
    wrong: Counter[str]
    """predicted, not in the gold operator"""
    missed: Counter[str]
    """in the gold operator, not predicted"""

    @property
    def is_exact(self) -> bool:
        return not self.wrong and not self.missed


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """``parameters`` maps predicted parameters to gold ones."""

    precondition: PartMatch
    effect: PartMatch
    parameters: Mapping[str, str]


@lru_cache(maxsize=4096)
def compare(predicted: Operator, gold: Operator) -> Match:
    """Compare a predicted operator with the gold one under the best mapping of its parameters."""
    most = min(_size(predicted.precondition), _size(gold.precondition)) + min(
        _size(predicted.effect), _size(gold.effect)
    )
    best: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    mapping: Binding = {}
    for candidate in _mappings(predicted, gold):
        found = _agreement(predicted, gold, candidate)
        if best is None or _total(found) > _total(best):
            best, mapping = found, candidate
        if _total(best) == most:
            break
    assert best is not None
    return Match(
        precondition=_part(predicted.precondition, gold.precondition, best[0]),
        effect=_part(predicted.effect, gold.effect, best[1]),
        parameters=mapping,
    )


def missed(gold: Operator) -> Match:
    """Return the comparison of a gold operator with none at all."""
    return Match(
        precondition=_part(NOTHING, gold.precondition, ()), effect=_part(NOTHING, gold.effect, ()), parameters={}
    )


def _size(tree: Tree) -> int:
    return sum(1 for _ in leaves(tree))


def _total(found: tuple[tuple[str, ...], tuple[str, ...]]) -> int:
    return len(found[0]) + len(found[1])


def _agreement(predicted: Operator, gold: Operator, mapping: Binding) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (
        _common(predicted.precondition, gold.precondition, mapping),
        _common(predicted.effect, gold.effect, mapping),
    )


def _part(predicted: Tree, gold: Tree, right: Sequence[str]) -> PartMatch:
    counted = Counter(right)
    return PartMatch(
        right=counted,
        wrong=Counter(leaf.predicate for leaf in leaves(predicted)) - counted,
        missed=Counter(leaf.predicate for leaf in leaves(gold)) - counted,
    )


# --- mappings of parameters ----------------------------------------------------------------------


def _mappings(predicted: Operator, gold: Operator) -> Iterator[Binding]:
    """Yield the mappings to try, the most likely first: types, then names, then positions decide."""
    ours, theirs = predicted.parameters, gold.parameters
    few, many = sorted((len(ours), len(theirs)))
    if perm(many, few) > _MOST_MAPPINGS:
        yield from _climb(predicted, gold)
        return

    def likeness(places: Sequence[tuple[int, int]]) -> tuple[int, int, int]:
        return (
            sum(ours[one].types == theirs[other].types for one, other in places),
            sum(ours[one].name == theirs[other].name for one, other in places),
            sum(one == other for one, other in places),
        )

    for places in sorted(_injections(len(ours), len(theirs)), key=likeness, reverse=True):
        yield {ours[one].name: theirs[other].name for one, other in places}


def _injections(ours: int, theirs: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield every way to pair as many positions as there are on the shorter side."""
    if ours <= theirs:
        yield from (tuple(enumerate(order)) for order in permutations(range(theirs), ours))
    else:
        yield from (
            tuple((one, other) for other, one in enumerate(order)) for order in permutations(range(ours), theirs)
        )


def _climb(predicted: Operator, gold: Operator) -> Iterator[Binding]:
    """Yield better and better mappings, each from the one before by an exchange of two parameters."""
    names = [parameter.name for parameter in predicted.parameters]
    images = [parameter.name for parameter in gold.parameters]
    images += [""] * (len(names) - len(images))
    best, improved = -1, True
    while improved:
        improved = False
        for one, other in [(0, 0), *combinations(range(len(images)), 2)]:
            images[one], images[other] = images[other], images[one]
            candidate = {name: image for name, image in zip(names, images, strict=False) if image}
            value = _total(_agreement(predicted, gold, candidate))
            if value > best:
                best, improved = value, True
                yield candidate
            else:
                images[one], images[other] = images[other], images[one]


# --- trees ---------------------------------------------------------------------------------------


def _common(predicted: Tree, gold: Tree, binding: Binding) -> tuple[str, ...]:
    """Return the predicates of the literals in which two trees agree."""
    match predicted, gold:
        case Leaf(), Leaf():
            return (gold.predicate,) if _renamed(predicted, binding) == _own(gold) else ()
        case Quantified(), Quantified():
            return _common_quantified(predicted, gold, binding)
        case When(), When():
            condition = _common(predicted.condition, gold.condition, binding)
            return condition + _common(predicted.effect, gold.effect, binding)
        case Junction(), Junction() if predicted.kind == gold.kind:
            return _common_parts(predicted.parts, gold.parts, binding)
        case _:
            alone = [
                _common_parts((predicted,), gold.parts, binding) if isinstance(gold, Junction) else (),
                _common_parts(predicted.parts, (gold,), binding) if isinstance(predicted, Junction) else (),
            ]
            return max(alone, key=len)


def _renamed(leaf: Leaf, binding: Binding) -> tuple[str, bool, tuple[str, ...]]:
    """Return a predicted literal in gold names; a variable that stands for none is like no other."""
    terms = tuple(binding.get(term, f"{term} unmapped") if term.startswith("?") else term for term in leaf.terms)
    return _own(Leaf(leaf.predicate, terms, leaf.positive))


def _own(leaf: Leaf) -> tuple[str, bool, tuple[str, ...]]:
    terms = tuple(sorted(leaf.terms)) if leaf.predicate == "=" else leaf.terms
    return leaf.predicate, leaf.positive, terms


def _common_quantified(predicted: Quantified, gold: Quantified, binding: Binding) -> tuple[str, ...]:
    if predicted.kind != gold.kind:
        return ()
    ours, theirs = predicted.variables, gold.variables
    few, many = sorted((len(ours), len(theirs)))
    in_order = tuple((place, place) for place in range(few))
    orders = _injections(len(ours), len(theirs)) if perm(many, few) <= _MOST_BOUND else iter((in_order,))
    outer = {name: image for name, image in binding.items() if name not in ours}
    best: tuple[str, ...] = ()
    for places in orders:
        inner = {**outer, **{ours[one]: theirs[other] for one, other in places}}
        best = max(best, _common(predicted.part, gold.part, inner), key=len)
    return best


def _common_parts(predicted: Sequence[Tree], gold: Sequence[Tree], binding: Binding) -> tuple[str, ...]:
    """Return what the parts of two junctions have in common: equal literals first, then the best assignment."""
    waiting = Counter(_own(part) for part in gold if isinstance(part, Leaf))
    found: list[str] = []
    ours: list[Tree] = []
    for part in predicted:
        key = _renamed(part, binding) if isinstance(part, Leaf) else None
        if key is not None and waiting[key]:
            waiting[key] -= 1
            found.append(key[0])
        else:
            ours.append(part)
    theirs = [part for part in gold if not isinstance(part, Leaf) or _take(waiting, _own(part))]
    return (*found, *_assigned(ours, theirs, binding))


def _take(waiting: Counter[tuple[str, bool, tuple[str, ...]]], key: tuple[str, bool, tuple[str, ...]]) -> bool:
    """Return whether a literal is still unmatched, and take one such out."""
    if not waiting[key]:
        return False
    waiting[key] -= 1
    return True


def _assigned(predicted: Sequence[Tree], gold: Sequence[Tree], binding: Binding) -> tuple[str, ...]:
    table = [
        [() if isinstance(one, Leaf) and isinstance(other, Leaf) else _common(one, other, binding) for other in gold]
        for one in predicted
    ]
    if not any(any(row) for row in table):
        return ()
    pairs = heaviest_assignment([[len(cell) for cell in row] for row in table])
    return tuple(name for row, column in pairs for name in table[row][column])
