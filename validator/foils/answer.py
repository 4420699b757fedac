"""The answer to a question about a plan: two plans beside each other, what each costs, and what stands in the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from validator.checking.report import Interval
from validator.foils.compiled.constraints import Constraint
from validator.reading.plan import Token
from validator.repair.diff import StepDiff, unified
from validator.texts import decimal

__all__ = ["Answer", "Price", "Side"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A plan and its cost; without a cost when it is not valid, or the model's metric is not executed."""

    steps: tuple[Token, ...]
    cost: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a constraint costs: the cheapest plan that keeps to it ``alone``, and to all the others ``without`` it."""

    constraint: Constraint
    alone: Interval
    without: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was found.

    - ``possible``: whether a plan does what was asked; None when that is not known, and ``reason`` says why.
    - ``facts``: what executing the plan, the foil and parts of them says, a sentence each.
    - ``plan``: the plan that the question is about; None when none was given and none was found.
    - ``foil``: the plan that does what was asked and is nearest to the user's foil or, without one, to ``plan``.
      ``changes`` lead to it from there, ``nearest`` says that no fewer changed lines would do (proven).
    - ``diff``: from ``plan`` to ``foil``; empty without a plan.
    - ``links``: what the changed steps are there for, as causal links, a sentence each.
    - ``optimum``: the cost of the model's cheapest plan; ``cheapest``: that of the cheapest one that keeps to
      ``constraints``; ``prices``: what each of several ones costs.
    - ``conflicts``: the smallest sets of constraints that cannot hold together; ``all_conflicts`` says that there are
      no others. An empty set: the model has no plan at all.
    - ``has_own_foil``: whether the user gave a foil.
    """

    constraints: tuple[Constraint, ...]
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
    cheapest: Interval | None = None
    prices: tuple[Price, ...] = ()
    conflicts: tuple[tuple[Constraint, ...], ...] = ()
    all_conflicts: bool = False
    has_own_foil: bool = False

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the answer in words, one fact each."""
        return tuple(_sentences(self))

    @property
    def edits(self) -> int:
        """Return the number of changed lines."""
        return sum(diff.diff_type is not None for diff in self.changes)

    @property
    def diff_text(self) -> str:
        """Return the diffs as git shows them, all lines as context: the user's foil repaired, the plan to that."""
        repaired = unified(self.changes, name="foil") if self.has_own_foil else ""
        return repaired + unified(self.diff).replace("+++ plan (repaired)\n", "+++ foil\n", 1)

    def _repr_html_(self) -> str:
        """Return the answer as a notebook shows it."""
        from validator.foils.render import answer_text  # which imports this module
        from validator.render.html.page import preformatted

        return preformatted(answer_text(self))


def _sentences(answer: Answer) -> Iterator[str]:
    yield from answer.facts
    if answer.possible is None:
        yield f"Whether a plan does this is not known: {answer.reason}."
    elif not answer.possible:
        yield from _impossible(answer)
    if answer.foil is not None:
        yield from _foil(answer, answer.foil)
    yield from _costs(answer)
    if answer.possible and answer.reason:
        yield f"Not everything is proven: {answer.reason}."
    yield from answer.links


def _impossible(answer: Answer) -> Iterator[str]:
    yield "No plan does this (proven)."
    for conflict in answer.conflicts:
        if not conflict:
            yield "The goal cannot be reached, whatever is asked (proven)."
        elif len(conflict) == 1:
            yield f"Alone, this cannot be met: {conflict[0]}."
        else:
            yield f"These cannot be met together: {'; '.join(map(str, conflict))}."
    if answer.conflicts and not answer.all_conflicts:
        yield "There may be other conflicts, or smaller ones."


def _foil(answer: Answer, foil: Side) -> Iterator[str]:
    start = "foil" if answer.has_own_foil else "plan"
    proof = "proven" if answer.nearest else "not proven"
    cost = "" if foil.cost is None else f" and costs {decimal(foil.cost)}"
    if answer.edits == 0:
        yield f"The {start} does this as it stands{cost}." if answer.constraints else f"The {start} is valid{cost}."
        return
    wanted = "plan that does this" if answer.constraints else "valid plan"
    lines = f"{answer.edits} changed line{'s' if answer.edits != 1 else ''}"
    yield f"The {wanted} with the fewest changes to the {start} ({proof}) has {lines}{cost}."


def _costs(answer: Answer) -> Iterator[str]:
    plan, foil = answer.plan, answer.foil
    if plan is not None and plan.cost is not None:
        compared = _compared(plan.cost, None if foil is None else foil.cost, "that")
        yield f"The plan costs {decimal(plan.cost)}{compared}."
    if answer.cheapest is not None and answer.constraints:
        reference = None if plan is None else plan.cost
        compared = _compared(answer.cheapest.lower, reference, "the plan") if answer.cheapest.is_exact else ""
        yield f"The cheapest plan that does this costs {_interval(answer.cheapest)}{compared}."
    if answer.optimum is not None:
        yield f"The cheapest plan of all costs {_interval(answer.optimum)}."
    for price in answer.prices:
        alone, without = _interval(price.alone), f"{_interval(price.without)}{_saved(answer, price)}"
        yield f'With "{price.constraint}" alone, the cheapest plan costs {alone}; with the others alone, {without}.'


def _saved(answer: Answer, price: Price) -> str:
    if answer.cheapest is None or not answer.cheapest.is_exact or not price.without.is_exact:
        return ""
    saved = answer.cheapest.lower - price.without.lower
    return f": beside the others it adds {decimal(saved) if saved else 'nothing'}"


def _compared(cost: Fraction, other: Fraction | None, what: str) -> str:
    if other is None:
        return ""
    if cost == other:
        return f", as much as {what}"
    return f", {decimal(abs(cost - other))} {'more' if cost > other else 'less'} than {what}"


def _interval(interval: Interval) -> str:
    if interval.is_exact:
        return f"{decimal(interval.lower)} (proven)"
    known = "" if interval.upper is None else f" and at most {decimal(interval.upper)}"
    return f"at least {decimal(interval.lower)}{known} (not proven)"
