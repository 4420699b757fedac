"""What each edit costs, and which are not allowed at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import lcm
from typing import Any

from validator.errors import InputError, did_you_mean
from validator.model.conditions import predicates
from validator.model.values import Domain
from validator.model_repair.edits import LITERALS, Edit, Kind
from validator.records import dataclass, field
from validator.texts import decimal, exact

__all__ = ["Costs", "costs_of"]

_FACTS = frozenset((Kind.ADD_FACT, Kind.REMOVE_FACT))


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """``of`` an edit in whole units, of which ``scale`` make the cost 1; None for one that is not allowed."""

    units: Mapping[Kind, int] = field(default_factory=dict)
    scale: int = 1
    protected: frozenset[str] = frozenset()
    kinds: frozenset[Kind] = LITERALS

    def of(self, edit: Edit) -> int | None:
        if edit.kind not in self.kinds or edit.action in self.protected:
            return None
        if not self.protected.isdisjoint(predicates(edit.formula)):
            return None
        return self.units.get(edit.kind, self.scale)

    @property
    def mend(self) -> int:
        """Return what a mend costs that might have been another."""
        return self.units.get(Kind.MEND, self.scale)

    def total(self, edits: Iterable[Edit]) -> Fraction:
        """Return what edits cost together."""
        return Fraction(sum(self.units.get(edit.kind, self.scale) for edit in edits), self.scale)


def costs_of(
    given: Mapping[str, Any] | None, domain: Domain, protect: Iterable[str], *, with_facts: bool = False
) -> Costs:
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
    return Costs(units=units, scale=scale, protected=names, kinds=LITERALS | (_FACTS if with_facts else frozenset()))


def _kind(name: str) -> Kind:
    try:
        return Kind(name.replace("_", " "))
    except ValueError:
        raise InputError(f"'{name}' is no kind of edit{did_you_mean(name, list(Kind))}") from None


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
