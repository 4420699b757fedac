"""Edits made in the values of a domain, beside which its text is rewritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from validator.model.values import (
    TRUE,
    Action,
    And,
    Atom,
    Conditional,
    Domain,
    Effect,
    Exists,
    Forall,
    Formula,
    Imply,
    Literal,
    Or,
)
from validator.model_repair.edits import Edit, Kind, Path
from validator.records import replace

__all__ = ["applied"]


def applied(domain: Domain, edits: Iterable[Edit]) -> Domain:
    """Return a domain with edits of its literals made."""
    by_action: dict[str, list[Edit]] = {}
    for edit in edits:
        by_action.setdefault(edit.action, []).append(edit)
    changed = {name: _action(domain.actions[name], found) for name, found in by_action.items()}
    return replace(domain, actions={**domain.actions, **changed})


def _action(action: Action, edits: Sequence[Edit]) -> Action:
    cut = [place for edit in edits if edit.kind is Kind.REMOVE_PRECONDITION for place in edit.places]
    condition = _cut(action.precondition, cut) or TRUE
    more = tuple(edit.formula for edit in edits if edit.kind is Kind.ADD_PRECONDITION)
    gone = [
        place
        for edit in edits
        if edit.kind in (Kind.REMOVE_ADD, Kind.REMOVE_DELETE, Kind.REMOVE_CONDITION)
        for place in edit.places
    ]
    new = [
        (edit.scope, Literal(edit.formula, edit.kind is Kind.ADD_ADD))
        for edit in edits
        if edit.kind in (Kind.ADD_ADD, Kind.ADD_DELETE) and isinstance(edit.formula, Atom)
    ]
    effects = (*_effects(action.effects, gone, new), *(literal for scope, literal in new if not scope))
    return replace(action, precondition=And((condition, *more)) if more else condition, effects=effects)


def _below(places: Iterable[Path], number: int) -> list[Path]:
    """Return the rest of the places that lead into a part."""
    return [place[1:] for place in places if place and place[0] == number]


def _cut(formula: Formula, places: Sequence[Path]) -> Formula | None:
    """Return a condition without its parts at some places; None when it goes itself."""
    if not places:
        return formula
    if () in places:
        return None
    match formula:
        case And(parts):
            return And(tuple(_kept(parts, places)))
        case Or(parts):
            return Or(tuple(_kept(parts, places)))
        case Imply(premise, conclusion):
            return Imply(premise, _cut(conclusion, _below(places, 1)) or TRUE)
        case Forall(parameters, part):
            return Forall(parameters, _cut(part, _below(places, 0)) or TRUE)
        case Exists(parameters, part):
            return Exists(parameters, _cut(part, _below(places, 0)) or TRUE)
        case _:
            return formula


def _kept(parts: Sequence[Formula], places: Sequence[Path]) -> Iterator[Formula]:
    for number, part in enumerate(parts):
        left = _cut(part, _below(places, number))
        if left is not None:
            yield left


def _effects(effects: Sequence[Effect], gone: Sequence[Path], new: Sequence[tuple[Path, Literal]]) -> Iterator[Effect]:
    """Yield effects without the parts at some places, and with new ones in their scopes."""
    for number, effect in enumerate(effects):
        inside = _below(gone, number)
        if () in inside:
            continue
        if not isinstance(effect, Conditional):
            yield effect
            continue
        added = [(scope[1:], literal) for scope, literal in new if scope and scope[0] == number]
        inner = (*_effects(effect.effects, inside, added), *(literal for scope, literal in added if not scope))
        if inner:
            yield replace(effect, condition=_cut(effect.condition, _below(inside, -1)) or TRUE, effects=inner)
