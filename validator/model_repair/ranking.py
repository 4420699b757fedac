"""Repairs of the same size in order: first those whose literals somebody who writes a domain would have written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from validator.model.values import Action, Atom, Conditional, Domain, Effect, Literal, Not
from validator.model_repair.edits import Edit, Kind
from validator.model_repair.space import flat

__all__ = ["ranked"]

_CONDITION, _ADD, _DELETE = "precondition", "add effect", "delete effect"
_PLACES = {
    Kind.REMOVE_PRECONDITION: (_CONDITION, -1),
    Kind.ADD_PRECONDITION: (_CONDITION, 1),
    Kind.ADD_ADD: (_ADD, 1),
    Kind.REMOVE_ADD: (_ADD, -1),
    Kind.ADD_DELETE: (_DELETE, 1),
    Kind.REMOVE_DELETE: (_DELETE, -1),
}
"""where the literal of an edit stands, and whether it is put in there (1) or taken out"""
_CONVERSE = {_ADD: _DELETE, _DELETE: _ADD}

_Entry: TypeAlias = tuple[str, str, Atom]
"""An action, the place of a literal in it, and the atom; a negative precondition is none."""


def ranked(sets: Sequence[frozenset[Edit]], domain: Domain) -> list[tuple[frozenset[Edit], tuple[str, ...]]]:
    """Return sets of edits in order, each with what speaks for it and against it beside what all have in common.

    A literal that is put in counts what speaks for it less what speaks against it, one that is removed the reverse;
    of sets that count the same those come first that put in fewer literals.
    """
    entries = frozenset(entry for action in domain.actions.values() for entry in _entries(action))
    found = {edit: tuple(_reasons(edit, entries)) for edit in frozenset.union(*sets)}
    common = frozenset.intersection(*sets)

    def key(edits: frozenset[Edit]) -> tuple[int, int, list[str]]:
        new = sum(_PLACES.get(edit.kind, ("", 0))[1] > 0 for edit in edits)
        return -sum(sign for edit in edits for sign, _ in found[edit]), new, sorted(map(str, edits))

    def told(edits: frozenset[Edit]) -> tuple[str, ...]:
        return tuple(text for edit in sorted(edits - common, key=str) for _, text in found[edit])

    return [(edits, told(edits)) for edits in sorted(sets, key=key)]


def _entries(action: Action) -> Iterator[_Entry]:
    for part, _ in flat(action.precondition):
        if isinstance(part, Atom):
            yield action.name, _CONDITION, part
    waiting: list[Effect] = list(action.effects)
    while waiting:
        effect = waiting.pop()
        if isinstance(effect, Literal):
            yield action.name, _ADD if effect.positive else _DELETE, effect.atom
        elif isinstance(effect, Conditional):
            waiting += effect.effects


def _reasons(edit: Edit, entries: frozenset[_Entry]) -> Iterator[tuple[int, str]]:
    """Yield what speaks for an edit (1) and against it (-1), by its literal beside all others of the domain."""
    place, sign = _PLACES.get(edit.kind, ("", 0))
    atom = edit.formula.part if isinstance(edit.formula, Not) else edit.formula
    if not place or not isinstance(atom, Atom):
        return
    for is_for, what in _evidence(edit.action, place, atom, entries - {(edit.action, place, atom)}):
        speaks = sign if is_for else -sign
        yield speaks, f"{'for' if speaks > 0 else 'against'} it: {edit}: the literal {what}"


def _evidence(action: str, place: str, atom: Atom, others: frozenset[_Entry]) -> Iterator[tuple[bool, str]]:
    """Yield whether something speaks for a literal or against it, in words."""
    own = {(where, other) for name, where, other in others if name == action}
    places = {(name == action, where) for name, where, other in others if other.predicate == atom.predicate}
    if place == _DELETE and (_CONDITION, atom) in own:
        yield True, "is a condition of the action"
    if place != _DELETE and (_DELETE, atom) in own:
        yield place == _CONDITION, "is deleted by the action"
    elif place in _CONVERSE and (False, _CONVERSE[place]) in places:
        yield True, "undoes another action"
    if place in _CONVERSE and not any(where in _CONVERSE for _, where in places):
        yield False, "is of a predicate that nothing else changes"
    if any(term[0] != "?" for term in atom.terms):
        yield False, "names a constant"
    if (True, place) in places:
        yield False, "stands there with other arguments"
