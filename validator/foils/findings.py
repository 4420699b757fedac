"""What was found for a question about a plan: plans beside each other, what each costs, and what stands in the way."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from validator.automata.constraints import Constraint
from validator.checking.report import Interval
from validator.foils.changes import Change, Goal, WithFact, WithoutFact
from validator.reading.plan import Token
from validator.records import dataclass
from validator.repair.diff import StepDiff, unified

__all__ = ["Cheapest", "Excuse", "Findings", "Price", "Reason", "Side", "Wish"]

Wish: TypeAlias = Constraint | Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A plan and its cost; without a cost when it is not valid, or the model's metric is not executed."""

    steps: tuple[Token, ...]
    cost: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cheapest:
    """A cheapest plan that does what was asked and, among those, the nearest.

    ``changes`` lead to it from the user's foil or, without one, from the plan; ``diff`` from the plan. ``proven`` says
    that none is cheaper, ``nearest`` that none as cheap has fewer changes.
    """

    plan: Side
    changes: tuple[StepDiff, ...] = ()
    diff: tuple[StepDiff, ...] = ()
    proven: bool = False
    nearest: bool = False

    @property
    def edits(self) -> int:
        """Return the number of changed lines."""
        return sum(diff.diff_type is not None for diff in self.changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why wishes cannot be met together, as a sentence; each is proven. ``kind`` says how it was found."""

    kind: str
    conflict: tuple[Wish | Goal, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Excuse:
    """Initial facts that would have to be otherwise for a plan to exist, the fewest if ``proven``, and such a plan.

    ``alternatives`` are other sets of as many changes.
    """

    changes: tuple[WithFact | WithoutFact, ...]
    plan: Side
    proven: bool
    alternatives: tuple[tuple[WithFact | WithoutFact, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a constraint costs: the cheapest plan that keeps to it ``alone``, and to all the others ``without`` it."""

    constraint: Wish
    alone: Interval
    without: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found.

    - ``possible``: whether a plan does what was asked; None when that is not known, and ``reason`` says why.
    - ``facts``: what executing the plan, the foil and parts of them says, a sentence each.
    - ``plan``: the plan that the question is about; None when none was given and none was found.
    - ``foil``: the plan that does what was asked and is nearest to the user's foil or, without one, to ``plan``.
      ``changes`` lead to it from there, ``nearest`` says that no fewer changed lines would do (proven).
    - ``diff``: from ``plan`` to ``foil``; empty without a plan.
    - ``best``: the cheapest plan that does what was asked, and of these the nearest; None where costs are not known.
    - ``links``: what the changed steps are there for, as causal links, a sentence each.
    - ``optimum``: the cost of the model's cheapest plan; ``cheapest``: that of the cheapest one that keeps to
      ``constraints``; ``prices``: what each of several ones costs.
    - ``conflicts``: the smallest sets of constraints that cannot hold together; ``all_conflicts`` says that there are
      no others. An empty set: the model has no plan at all.
    - ``fitting``: the largest sets of wishes that can hold together, where not all can; without ``all_conflicts`` there
      may be larger ones.
    - ``reasons``: why not, a sentence for each conflict. ``excuse``: what would have to be otherwise at first.
    - ``has_own_foil``: whether the user gave a foil.
    """

    constraints: tuple[Wish, ...]
    possible: bool | None
    reason: str = ""
    facts: tuple[str, ...] = ()
    plan: Side | None = None
    foil: Side | None = None
    changes: tuple[StepDiff, ...] = ()
    nearest: bool = False
    diff: tuple[StepDiff, ...] = ()
    links: tuple[str, ...] = ()
    optimum: Interval | None = None
    best: Cheapest | None = None
    cheapest: Interval | None = None
    prices: tuple[Price, ...] = ()
    conflicts: tuple[tuple[Wish | Goal, ...], ...] = ()
    fitting: tuple[tuple[Wish | Goal, ...], ...] = ()
    all_conflicts: bool = False
    reasons: tuple[Reason, ...] = ()
    excuse: Excuse | None = None
    has_own_foil: bool = False

    @property
    def edits(self) -> int:
        """Return the number of changed lines of the nearest plan."""
        return sum(diff.diff_type is not None for diff in self.changes)

    @property
    def shown(self) -> Cheapest | None:
        """Return the cheapest plan where it is another one than the nearest."""
        if self.best is None or self.foil is None:
            return None
        is_as_good = self.best.plan.cost == self.foil.cost and self.best.edits == self.edits
        return None if is_as_good or self.best.plan.steps == self.foil.steps else self.best

    @property
    def diff_text(self) -> str:
        """Return the diffs as git shows them, all lines as context: the user's foil repaired, the plan to each plan."""
        repaired = unified(self.changes, name="foil") if self.has_own_foil else ""
        nearest = unified(self.diff).replace("+++ plan (repaired)\n", "+++ foil\n", 1)
        if self.shown is None:
            return repaired + nearest
        cheapest = unified(self.shown.diff).replace("+++ plan (repaired)\n", "+++ cheapest\n", 1)
        return cheapest + repaired + nearest.replace("+++ foil\n", "+++ nearest\n", 1)
