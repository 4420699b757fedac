"""The parts of an action that can be removed, each with its edit and its place in the text.

A condition is taken apart where conjunctions are: at the top, and below quantifiers, disjunctions and consequences,
where leaving a conjunct out makes the whole weaker too. Equal literals of one conjunction are one edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from validator.model.values import (
    TRUE,
    Action,
    And,
    Atom,
    Conditional,
    Effect,
    Exists,
    Forall,
    Formula,
    Imply,
    Literal,
    Or,
    Parameter,
)
from validator.model_repair.edits import Edit, Kind, Path
from validator.records import dataclass

__all__ = ["Body", "Part", "Schema", "flat", "schema_of"]


@dataclass(frozen=True, slots=True)
class Part:
    """A condition: ``edit`` removes it; ``parts`` are its own parts where some of them can be removed."""

    formula: Formula
    edit: Edit | None = None
    parts: tuple[Part, ...] | None = None


@dataclass(frozen=True, slots=True)
class Body:
    """What happens together: the effect of an action, or one of its ``forall`` and ``when``.

    ``own`` are the variables quantified here, ``variables`` all that are bound, ``literals`` the effects (atom,
    positive, the edit that removes it).
    """

    scope: Path
    own: tuple[Parameter, ...]
    variables: Mapping[str, frozenset[str]]
    condition: tuple[Part, ...]
    literals: tuple[tuple[Atom, bool, Edit], ...]
    inner: tuple[Body, ...]

    def walk(self) -> Iterator[Body]:
        """Yield this body and all that stand in it."""
        yield self
        for body in self.inner:
            yield from body.walk()


@dataclass(frozen=True, slots=True)
class Schema:
    """An action with the parts that can be removed."""

    action: Action
    precondition: tuple[Part, ...]
    body: Body


def schema_of(action: Action) -> Schema:
    """Return the parts of an action."""
    variables = {parameter.name: parameter.types for parameter in action.parameters}
    body = _body(action.name, action.effects, (), (), variables, ())
    return Schema(action, _conjunction(action.name, Kind.REMOVE_PRECONDITION, action.precondition, (), ()), body)


def flat(formula: Formula, path: Path = ()) -> Iterator[tuple[Formula, Path]]:
    """Yield the conjuncts of a condition, each with its place."""
    if isinstance(formula, And):
        for number, part in enumerate(formula.parts):
            yield from flat(part, (*path, number))
    else:
        yield formula, path


def _conjunction(action: str, kind: Kind, formula: Formula, path: Path, base: Path) -> tuple[Part, ...]:
    """Return the conjuncts of a condition that stands at ``path`` of the one at ``base``."""
    copies: dict[Formula, list[Path]] = {}
    for part, place in flat(formula, path):
        copies.setdefault(part, []).append((*base, *place))
    found = []
    for part, places in copies.items():
        edit = Edit(kind, action, part, scope=(*base, *path), places=tuple(places))
        found.append(Part(part, edit, _inside(action, kind, part, places)))
    return tuple(found)


def _inside(action: str, kind: Kind, formula: Formula, places: list[Path]) -> tuple[Part, ...] | None:
    """Return the parts of a condition that is no conjunction, where conjunctions stand in them."""
    match formula:
        case Or(parts):
            children = list(enumerate(parts))
        case Imply(_, conclusion):
            children = [(1, conclusion)]
        case Forall(_, part) | Exists(_, part):
            children = [(0, part)]
        case _:
            return None
    if len(places) > 1 or not any(isinstance(child, And) and child != TRUE for _, child in children):
        return None
    (place,) = places
    return tuple(
        Part(child, None, _conjunction(action, kind, child, (number,), place) if isinstance(child, And) else None)
        for number, child in children
    )


def _body(
    action: str,
    effects: tuple[Effect, ...],
    own: tuple[Parameter, ...],
    condition: tuple[Part, ...],
    variables: Mapping[str, frozenset[str]],
    scope: Path,
) -> Body:
    copies: dict[tuple[Atom, bool], list[Path]] = {}
    inner = []
    for number, effect in enumerate(effects):
        place = (*scope, number)
        if isinstance(effect, Literal):
            copies.setdefault((effect.atom, effect.positive), []).append(place)
        elif isinstance(effect, Conditional):
            bound = {**variables, **{parameter.name: parameter.types for parameter in effect.parameters}}
            needs = _conjunction(action, Kind.REMOVE_CONDITION, effect.condition, (), (*place, -1))
            inner.append(_body(action, effect.effects, effect.parameters, needs, bound, place))
    literals = tuple(
        (atom, positive, Edit(kind, action, atom, scope=scope, places=tuple(places)))
        for (atom, positive), places in copies.items()
        for kind in (Kind.REMOVE_ADD if positive else Kind.REMOVE_DELETE,)
    )
    return Body(scope, own, variables, condition, literals, tuple(inner))
