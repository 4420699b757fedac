"""What is asked: the methods, their limits, and what one of them said of one problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from validator.recognize import (
    Method,
    Posterior,
    Settings,
)

__all__ = ["INDEXED", "METHODS", "SEARCH_LIMIT", "TIME_LIMIT", "Answer"]

SEARCH_LIMIT = 0.5
"""CPU seconds of each search"""
TIME_LIMIT = 120.0
"""seconds of the clock for each problem: far more than is needed, unless the machine is very busy"""

_TWO, _ONE = Fraction(2), Fraction(1)
METHODS: Mapping[str, Settings] = {
    "soft (price 2)": Settings(method=Method.SOFT, discard_cost=_TWO),
    "soft (price 1)": Settings(method=Method.SOFT, discard_cost=_ONE),
    "exact": Settings(method=Method.EXACT),
    "exact (rg2010)": Settings(posterior=Posterior.RG2010),
    "linear programs": Settings(method=Method.LINEAR),
    "landmarks": Settings(method=Method.LANDMARKS),
    "landmarks (uniqueness)": Settings(method=Method.UNIQUENESS),
}
INDEXED = {"soft (price 2)": "delta_soft2", "soft (price 1)": "delta_soft1", "exact": "delta_strict"}
"""method -> its costs in the index"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one method said of one problem; ``hit`` says that the true goal is among the ``size`` best.

    ``same`` and so on count its proven costs beside those that were proven before, where the method has such.
    """

    path: str
    noisy: bool
    level: int
    hit: bool
    size: int
    exact: bool
    cpu: float
    wall: float
    same: int = 0
    more: int = 0
    open: int = 0
    wrong: tuple[str, ...] = ()
    reread: bool = False
