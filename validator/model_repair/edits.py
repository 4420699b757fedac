"""The edits of a domain that a repair is made of, and what each costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

from validator.errors import InputError, did_you_mean
from validator.model.conditions import predicates
from validator.model.pddl.write import formula_text
from validator.model.values import Domain, Formula
from validator.records import dataclass, field
from validator.texts import decimal, exact

Path: TypeAlias = tuple[int, ...]
"""Where a part stands: the index of a child at each level, from the whole precondition or effect inwards."""


class Kind(StrEnum):
    """What an edit does. Effects add an atom or delete it; both can be missing or too many."""

    REMOVE_PRECONDITION = "remove precondition"
    ADD_PRECONDITION = "add precondition"
    ADD_ADD = "add effect"
    REMOVE_ADD = "remove add effect"
    ADD_DELETE = "add delete effect"
    REMOVE_DELETE = "remove delete effect"
    REMOVE_CONDITION = "remove effect condition"
    """of a conditional effect, which then happens more often"""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of an action, however many steps it touches.

    ``formula`` is the condition, or the atom of an effect. ``scope`` is the place of what holds it: ``()`` for the
    precondition or effect itself, else that of a quantified or conditional part. ``places`` are those of the copies
    that are removed.
    """

    kind: Kind
    action: str
    formula: Formula
    scope: Path = ()
    places: tuple[Path, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return f"{self.action}: {self.kind.value} {self.literal}"

    @property
    def literal(self) -> str:
        """Return the condition or the atom as PDDL text."""
        return formula_text(self.formula, {})


# --- costs -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """``of`` an edit in whole units, of which ``scale`` make the cost 1; None for one that is not allowed."""

    units: Mapping[Kind, int] = field(default_factory=dict)
    scale: int = 1
    protected: frozenset[str] = frozenset()

    def of(self, edit: Edit) -> int | None:
        if edit.action in self.protected:
            return None
        if not self.protected.isdisjoint(predicates(edit.formula)):
            return None
        return self.units.get(edit.kind, self.scale)

    def total(self, edits: Iterable[Edit]) -> Fraction:
        """Return what edits cost together."""
        return Fraction(sum(self.units.get(edit.kind, self.scale) for edit in edits), self.scale)


def costs_of(given: Mapping[str, Any] | None, domain: Domain, protect: Iterable[str]) -> Costs:
    """Return the costs by kind of edit, 1 where none is given, for a domain of which some names are protected.

    Raises InputError for what is no kind or no cost above 0, and for a protected name that the domain does not have.
    """
    costs = {_kind(name): _cost(name, value) for name, value in (given or {}).items()}
    names = frozenset(name.lower() for name in protect)
    known = {*domain.actions, *domain.predicates}
    for name in sorted(names - known):
        raise InputError(f"no action or predicate '{name}' is there to be protected{did_you_mean(name, known)}")
    scale = lcm(*(cost.denominator for cost in costs.values()))
    units = {kind: int(cost * scale) for kind, cost in costs.items()}
    return Costs(units=units, scale=scale, protected=names)


def _kind(name: str) -> Kind:
    try:
        return Kind(name.replace("_", " "))
    except ValueError:
        raise InputError(f"'{name}' is not a kind of edit{did_you_mean(name, list(Kind))}") from None


def _cost(name: str, value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InputError(f"the cost of '{name}' is a number above 0")
    try:
        cost = exact(value)
    except ValueError as error:
        raise InputError(f"the cost of '{name}': {error}") from None
    if not 0 < cost <= 10**6 or cost.denominator > 10**6:
        raise InputError(f"the cost of '{name}' is a number above 0 and at most a million, not {decimal(cost)}")
    return cost
