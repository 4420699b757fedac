"""Repairs of the same size in order, the likeliest first, each with what speaks for it and against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from validator.model.values import Atom, Domain, Not
from validator.model_repair.cases import Case
from validator.model_repair.edits import Edit, Kind
from validator.model_repair.ranking.context import Context, Entry, Place
from validator.model_repair.ranking.features import features
from validator.model_repair.ranking.weights import WEIGHTS

__all__ = ["ranked", "seen"]

_PLACES = {
    Kind.REMOVE_PRECONDITION: (Place.PRECONDITION, -1),
    Kind.ADD_PRECONDITION: (Place.PRECONDITION, 1),
    Kind.ADD_ADD: (Place.ADD, 1),
    Kind.REMOVE_ADD: (Place.ADD, -1),
    Kind.ADD_DELETE: (Place.DELETE, 1),
    Kind.REMOVE_DELETE: (Place.DELETE, -1),
}


def ranked(
    sets: Sequence[frozenset[Edit]], domain: Domain, cases: Sequence[Case]
) -> list[tuple[frozenset[Edit], tuple[str, ...]]]:
    """Return sets of edits in order; those that are equally likely stand in order of their words."""
    context = Context(domain, [case.model.problem.init for case in cases], [case.model.problem.goal for case in cases])
    values = {edit: _value(seen(context, edit)) for edits in sets for edit in edits}
    order = sorted(sets, key=lambda edits: (-round(sum(map(values.__getitem__, edits)), 6), sorted(map(str, edits))))
    return [(edits, ()) for edits in order]


def seen(context: Context, edit: Edit) -> Mapping[str, float]:
    """Return what is seen of the literal that an edit puts in, or with the sign turned of the one that it removes."""
    place, sign = _PLACES.get(edit.kind, (None, 0))
    inner = edit.formula.part if isinstance(edit.formula, Not) else edit.formula
    if place is None or not isinstance(inner, Atom):
        return {f"{edit.kind.value} of another kind": 1.0}
    entry = Entry(edit.action, place, inner, isinstance(edit.formula, Not))
    found = {name: sign * value for name, value in features(context, entry).items()}
    return {**found, edit.kind.value: 1.0}


def _value(found: Mapping[str, float]) -> float:
    return sum(WEIGHTS.get(name, 0.0) * value for name, value in found.items())
