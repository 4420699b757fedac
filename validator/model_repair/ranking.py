"""Repairs of the same size in order: first those whose literals somebody who writes a domain would have written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from validator.model.values import Action, Atom, Conditional, Domain, Effect, Literal, Not
from validator.model_repair.edits import Edit, Kind
from validator.model_repair.space.actions import flat
from validator.records import dataclass

__all__ = ["ranked"]


class _Place(StrEnum):
    """Where a literal stands in an action."""

    PRECONDITION = "precondition"
    ADD = "add effect"
    DELETE = "delete effect"


_PLACES = {
    Kind.REMOVE_PRECONDITION: (_Place.PRECONDITION, -1),
    Kind.ADD_PRECONDITION: (_Place.PRECONDITION, 1),
    Kind.ADD_ADD: (_Place.ADD, 1),
    Kind.REMOVE_ADD: (_Place.ADD, -1),
    Kind.ADD_DELETE: (_Place.DELETE, 1),
    Kind.REMOVE_DELETE: (_Place.DELETE, -1),
}
_CONVERSE = {_Place.ADD: _Place.DELETE, _Place.DELETE: _Place.ADD}


@dataclass(frozen=True, slots=True)
class _Entry:
    """A literal of an action; a negative precondition is none."""

    action: str
    place: _Place
    atom: Atom


def ranked(sets: Sequence[frozenset[Edit]], domain: Domain) -> list[tuple[frozenset[Edit], tuple[str, ...]]]:
    """Return sets of edits in order, each with what speaks for it and against it beside what all have in common.

    A literal that is put in counts what speaks for it less what speaks against it, one that is removed the reverse;
    of sets that count the same those come first that put in fewer literals.
    """
    if len(sets) == 1:
        return [(sets[0], ())]
    entries = frozenset(entry for action in domain.actions.values() for entry in _entries(action))
    found = {edit: tuple(_seen(edit, entries)) for edit in frozenset.union(*sets)}
    common = frozenset.intersection(*sets)

    def key(edits: frozenset[Edit]) -> tuple[int, int, list[str]]:
        new = sum(_PLACES.get(edit.kind, (None, 0))[1] > 0 for edit in edits)
        return -sum(sign for edit in edits for sign, _ in found[edit]), new, sorted(map(str, edits))

    return [(edits, tuple(_reasons(edits - common, found))) for edits in sorted(sets, key=key)]


def _reasons(edits: frozenset[Edit], found: dict[Edit, tuple[tuple[int, str], ...]]) -> Iterator[str]:
    for edit in sorted(edits, key=str):
        for sign, what in found[edit]:
            yield f"{'for' if sign > 0 else 'against'} it: {edit}: the literal {what}"


def _entries(action: Action) -> Iterator[_Entry]:
    for part, _ in flat(action.precondition):
        if isinstance(part, Atom):
            yield _Entry(action.name, _Place.PRECONDITION, part)
    yield from _of_effects(action.name, action.effects)


def _of_effects(action: str, effects: Sequence[Effect]) -> Iterator[_Entry]:
    for effect in effects:
        if isinstance(effect, Literal):
            yield _Entry(action, _Place.ADD if effect.positive else _Place.DELETE, effect.atom)
        elif isinstance(effect, Conditional):
            yield from _of_effects(action, effect.effects)


def _seen(edit: Edit, entries: frozenset[_Entry]) -> Iterator[tuple[int, str]]:
    """Yield what speaks for an edit (1) and against it (-1), by its literal beside all others of the domain."""
    place, sign = _PLACES.get(edit.kind, (None, 0))
    atom = edit.formula.part if isinstance(edit.formula, Not) else edit.formula
    if place is None or not isinstance(atom, Atom):
        return
    others = entries - {_Entry(edit.action, place, atom)}
    for is_for, what in _evidence(_Entry(edit.action, place, atom), others):
        yield (sign if is_for else -sign), what


def _evidence(entry: _Entry, others: frozenset[_Entry]) -> Iterator[tuple[bool, str]]:
    """Yield whether something speaks for a literal or against it, in words."""
    atom, place, predicate = entry.atom, entry.place, entry.atom.predicate
    own = {(other.place, other.atom) for other in others if other.action == entry.action}
    places = {(other.action == entry.action, other.place) for other in others if other.atom.predicate == predicate}
    if place is _Place.PRECONDITION and (_Place.DELETE, atom) in own:
        yield True, "is deleted by the action"
    if place is _Place.DELETE and (_Place.PRECONDITION, atom) in own:
        yield True, "is a condition of the action"
    if place is _Place.ADD and (_Place.DELETE, atom) in own:
        yield False, "is deleted by the action"
    elif place in _CONVERSE and (False, _CONVERSE[place]) in places:
        yield True, "undoes another action"
    if place in _CONVERSE and not any(other in _CONVERSE for _, other in places):
        yield False, "is of a predicate that nothing else changes"
    if place is _Place.PRECONDITION and not any(True for _ in places):
        yield False, "is of a predicate that stands nowhere else"
    if len(set(atom.terms)) < len(atom.terms):
        yield False, "repeats a variable"
    if any(term[0] != "?" for term in atom.terms):
        yield False, "names a constant"
    if (True, place) in places:
        yield False, "stands there with other arguments"
    if any(_is_strange(entry, position, others) for position in range(len(atom.terms))):
        yield False, "is over variables of other kinds than elsewhere"
    if place is _Place.ADD and _begins_like(entry.action, predicate):
        yield True, "is named like the action"


def _is_strange(entry: _Entry, position: int, others: frozenset[_Entry]) -> bool:
    """Return whether a variable stands nowhere where those stand that are at its place of the predicate elsewhere."""
    roles: dict[tuple[str, str], set[tuple[str, int]]] = {}
    for other in others:
        for at, term in enumerate(other.atom.terms):
            roles.setdefault((other.action, term), set()).add((other.atom.predicate, at))
    place = entry.atom.predicate, position
    mine = roles.get((entry.action, entry.atom.terms[position]), set())
    standing = [kinds - {place} for kinds in roles.values() if place in kinds]
    return place not in mine and bool(standing) and not any(kinds & mine for kinds in standing)


def _begins_like(one: str, other: str) -> bool:
    """Return whether words of two names begin alike, as in calibrate and calibrated."""
    words = [[word[:5] for word in re.split(r"[^a-z]+", name) if len(word) > 4] for name in (one, other)]
    return not set(words[0]).isdisjoint(words[1])
