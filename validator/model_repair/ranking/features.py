"""What can be seen of a literal in a domain: whether it looks as if somebody had meant it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from validator.model.values import Atom
from validator.model_repair.ranking.context import Context, Entry, Place

__all__ = ["features"]


def features(context: Context, entry: Entry) -> dict[str, float]:
    """Return what is seen of a literal, by name; the literal itself is left out of the domain it is compared with."""
    found = {"": 1.0, **dict(_alone(context, entry)), **dict(_among(context, entry))}
    found |= {Place.PRECONDITION: _condition, Place.ADD: _added, Place.DELETE: _deleted}[entry.place](context, entry)
    prefix = "not" if entry.negative else entry.place.value
    return {f"{prefix} {name}".strip(): value for name, value in found.items() if value}


# --- whatever the place --------------------------------------------------------------------------


def _alone(context: Context, entry: Entry) -> Iterator[tuple[str, float]]:
    """Yield what is seen of the literal's own words."""
    terms, predicate = entry.atom.terms, entry.atom.predicate
    yield "repeats a variable", len(set(terms)) < len(terms)
    yield "names a constant", any(term[0] != "?" for term in terms)
    yield "has no arguments", not terms
    yield "is named like the action", _alike(entry.action, predicate)
    declared = context.domain.predicates[predicate]
    types = context.actions[entry.action].types
    exact = [types[term] == parameter.types for term, parameter in zip(terms, declared, strict=True) if term in types]
    yield "types differ", exact.count(False) / len(exact) if exact else 0.0


def _among(context: Context, entry: Entry) -> Iterator[tuple[str, float]]:
    """Yield what other literals say of this one."""
    predicate = entry.atom.predicate
    added, deleted = (context.others(entry, place, predicate) for place in (Place.ADD, Place.DELETE))
    asked = context.others(entry, Place.PRECONDITION, predicate)
    changes = {other.action for other in (*added, *deleted)}
    yield "of a predicate that nothing changes", not changes
    yield "of a predicate that nothing adds", not added
    yield "of a predicate that nothing deletes", not deleted
    yield "of a predicate that nothing asks for", not asked and predicate not in context.goal
    yield "of a predicate that never holds", not added and predicate not in context.initial
    yield "of a predicate of the goal", predicate in context.goal
    yield "over variables of other kinds", _strange(context, entry)
    yield "in actions like this", _alike_with(context, entry)


def _strange(context: Context, entry: Entry) -> float:
    """Return the share of variables that have nothing in common with what stands at their places elsewhere."""
    seen = strange = 0
    for position, term in enumerate(entry.atom.terms):
        own = _kinds(context, entry, (entry.action, term)) if (entry.action, term) in context.roles else set()
        place = entry.atom.predicate, position
        standing = [variable for variable in context.standing.get(place, ()) if variable != (entry.action, term)]
        if not standing or term[0] != "?":
            continue
        seen += 1
        shared = any(
            one in (_kinds(context, entry, variable) if variable[0] == entry.action else context.kinds[variable])
            for variable in standing
            for one in own
            if one != place
        )
        strange += not shared and place not in own
    return strange / seen if seen else 0.0


def _kinds(context: Context, entry: Entry, variable: tuple[str, str]) -> set[tuple[str, int]]:
    """Return the places at which a variable stands, but for those of one literal."""
    return {(name, at) for name, at, other in context.roles[variable] if other != entry}


def _alike_with(context: Context, entry: Entry) -> float:
    """Return how alike the nearest action with such a literal is, less the nearest one without."""
    mine = context.signature(entry)
    having = {other.action for other in context.others(entry, entry.place, entry.atom.predicate)}
    best = {True: 0.0, False: 0.0}
    own = {(entry.place, entry.atom.predicate)}
    for name, signature in context.signatures.items():
        if name != entry.action:
            other, has = signature - own, name in having
            best[has] = max(best[has], len(mine & other) / (len(mine | other) or 1))
    return best[True] - best[False]


def _alike(one: str, other: str) -> bool:
    """Return whether words of two names begin alike, as in calibrate and calibrated."""
    words = [[word for word in re.split(r"[^a-z]+", name) if len(word) > 3] for name in (one, other)]
    return any(
        a[: max(4, min(len(a), len(b)) - 2)] == b[: max(4, min(len(a), len(b)) - 2)] for a in words[0] for b in words[1]
    )


# --- by place ------------------------------------------------------------------------------------


def _predicates(atoms: set[Atom]) -> set[str]:
    return {atom.predicate for atom in atoms}


def _sets(context: Context, entry: Entry) -> tuple[set[Atom], set[Atom], set[Atom]]:
    written = context.actions[entry.action]
    asked, added, deleted = (written.atoms(place, entry) for place in (Place.PRECONDITION, Place.ADD, Place.DELETE))
    return asked, added, deleted


def _condition(context: Context, entry: Entry) -> dict[str, float]:
    asked, added, deleted = _sets(context, entry)
    atom = entry.atom
    return {
        "is deleted here": atom in deleted,
        "is added here": atom in added,
        "deleted with other arguments": atom not in deleted and atom.predicate in _predicates(deleted),
        "added with other arguments": atom not in added and atom.predicate in _predicates(added),
        "asked with other arguments": atom.predicate in _predicates(asked),
        "alone": not asked,
    }


def _added(context: Context, entry: Entry) -> dict[str, float]:
    asked, added, deleted = _sets(context, entry)
    atom = entry.atom
    return {
        "is deleted here": atom in deleted,
        "is asked here": atom in asked,
        "deleted with other arguments": atom not in deleted and atom.predicate in _predicates(deleted),
        "asked with other arguments": atom not in asked and atom.predicate in _predicates(asked),
        "added with other arguments": atom.predicate in _predicates(added),
        "undoes another action": _inverse(context, entry, Place.DELETE, deleted),
        "nothing else is added": not added,
    }


def _deleted(context: Context, entry: Entry) -> dict[str, float]:
    asked, added, deleted = _sets(context, entry)
    atom = entry.atom
    return {
        "is added here": atom in added,
        "is asked here": atom in asked,
        "added with other arguments": atom not in added and atom.predicate in _predicates(added),
        "deleted with other arguments": atom.predicate in _predicates(deleted),
        "undoes another action": _inverse(context, entry, Place.ADD, added),
        "nothing else is deleted": not deleted,
    }


def _inverse(context: Context, entry: Entry, place: Place, opposite: set[Atom]) -> bool:
    """Return whether another action does the converse, and has the converse of another effect of this one as well."""
    back = Place.ADD if place is Place.DELETE else Place.DELETE
    predicates = _predicates(opposite)
    return any(
        bool(predicates & _predicates(context.actions[other.action].atoms(back, entry)))
        for other in context.others(entry, place, entry.atom.predicate)
        if other.action != entry.action
    )
