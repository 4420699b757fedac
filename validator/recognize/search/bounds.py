"""What is known of one candidate goal while it is searched for."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, log

from validator.reading.plan import Step
from validator.recognize.problem import Hypothesis
from validator.recognize.search.grounded import Observed, Ways
from validator.records import dataclass, field, replace
from validator.repair.edit import Edit

__all__ = ["Known"]

_ZERO = Fraction(0)


@dataclass(slots=True, eq=False)
class Known:
    """Bounds of one goal's costs: ``base`` without the observations, the others with them.

    ``floor`` and ``cap`` bound the cost difference whatever is searched: nothing is saved by observations, and
    leaving all of them unexplained is always possible where it is allowed. ``avoiding`` is the cost of
    the cheapest plan that does not explain all observations. ``handicap`` is what its prior takes from the goal, as a
    cost: 0 for the most probable one. ``estimate`` is what the cost difference is thought to be.
    """

    hypothesis: Hypothesis
    handicap: float = 0.0
    estimate: Fraction | None = None
    ways: Ways = ()
    landmark_score: float | None = None
    base_lower: Fraction = _ZERO
    base_upper: Fraction | None = None
    lower: Fraction = _ZERO
    upper: Fraction | None = None
    floor: Fraction = _ZERO
    cap: Fraction | None = None
    nothing_seen: bool = False
    edits: tuple[Edit, ...] | None = None
    is_unsolvable: bool = False
    is_unexplained: bool = False
    avoiding_lower: Fraction = _ZERO
    avoiding_upper: Fraction | None = None
    cannot_avoid: bool = False
    plans: list[tuple[Step, ...]] = field(default_factory=list)
    """plans for the goal, whatever they explain"""
    tried: float = 0.0
    """the CPU seconds that were not enough"""
    is_open: bool = False
    """whether all would be proven, if it were known what else was observed"""

    @classmethod
    def nothing(cls, hypotheses: Sequence[Hypothesis], beta: float) -> list[Known]:
        """Return candidate goals of which nothing is known but what their priors are worth beside the greatest."""
        priors = [float(one.prior) for one in hypotheses]
        worth = [log(max(priors) / prior) / beta if prior else inf for prior in priors]
        return [cls(hypothesis=one, handicap=cost) for one, cost in zip(hypotheses, worth, strict=True)]

    @property
    def is_base_proven(self) -> bool:
        return self.base_upper is not None and self.base_lower >= self.base_upper

    @property
    def is_reached(self) -> bool:
        """Return whether some plan for the goal is known."""
        return self.base_upper is not None or self.upper is not None or bool(self.plans)

    @property
    def least(self) -> Fraction:
        """Return a lower bound of the cost difference."""
        return self.floor if self.base_upper is None else max(self.floor, self.lower - self.base_upper)

    @property
    def most(self) -> Fraction | None:
        """Return an upper bound of the cost difference if the goal has a plan, None without one."""
        if self.upper is None:
            return self.cap
        reached = self.upper - self.base_lower
        return reached if self.cap is None else min(reached, self.cap)

    @property
    def is_exact(self) -> bool:
        """Return whether the difference is proven; for that, some plan for the goal has to be known.

        Where nothing was seen, any plan will do: the difference is 0 for every goal that can be reached.
        """
        most = self.most
        has_plan = self.base_upper is not None or (self.nothing_seen and bool(self.plans))
        return has_plan and most is not None and self.least >= most

    def handicapped(self, difference: Fraction | None) -> float:
        """Return a cost difference as it counts beside those of other goals; infinite for one without a bound."""
        return inf if difference is None else float(difference) + self.handicap

    @property
    def point(self) -> Fraction | None:
        """Return what stands for the cost difference: the estimate between the bounds, without one the upper bound.

        A lower bound would reward a goal for being hard to search for. None where nothing is known.
        """
        most = self.most
        if self.estimate is not None:
            return max(self.least, self.estimate if most is None else min(self.estimate, most))
        return most if self.base_upper is not None or self.is_exact else None

    @property
    def has_plan(self) -> bool:
        return not self.is_unsolvable and not self.is_unexplained

    @property
    def needs_avoiding(self) -> bool:
        """Return whether the plans that do not explain the observations matter: else the cheapest plan is one."""
        return self.has_plan and self.least <= 0 and self.base_upper is not None

    def explain(self, cost: Fraction, edits: tuple[Edit, ...]) -> None:
        """Take a way to explain the observations, if it is cheaper than the one known."""
        if self.upper is None or cost < self.upper:
            self.upper, self.edits = cost, edits

    def with_more(self) -> Known:
        """Return what is known whatever else was observed: bounds from below alone.

        What stands for the difference stays the same.
        """
        return replace(self, upper=None, cap=None, estimate=self.point, is_open=self.is_exact)

    def begin(self, observed: Observed, known: int | None) -> None:
        """Take other observations into account: what bounds the difference, whatever is searched.

        Of them the first ``known`` were those of before, whose bounds from below hold for more of them; None means that
        they are others altogether. Those that cannot be explained are paid for.
        """
        self.lower = _ZERO if known is None else self.lower
        self.is_unexplained = self.is_unexplained and known is not None
        self.upper, self.edits, self.estimate = None, None, None
        self.avoiding_lower, self.avoiding_upper = _ZERO, None
        self.nothing_seen = self.cannot_avoid = not observed.tokens
        self.tried = 0.0
        self.floor = observed.forced or _ZERO
        self.cap = observed.total_price
