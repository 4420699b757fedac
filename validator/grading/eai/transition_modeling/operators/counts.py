"""Counts of right, wrong and missed literals, and the precision, recall and F1 that they make."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum

from validator.records import dataclass

__all__ = ["INVENTED", "Count", "Part", "Score", "grouped", "total"]

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
