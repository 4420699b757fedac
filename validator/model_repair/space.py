"""The actions of a domain with their edits: what can be removed, and the literals that may be put in.

A condition is taken apart where conjunctions are: at the top, and below quantifiers, disjunctions and consequences,
where leaving a conjunct out makes the whole weaker too. Equal literals of one conjunction are one edit. What may be put
in is every declared predicate over the variables of a place and the constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

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
    GroundAtom,
    Imply,
    Literal,
    Not,
    Or,
    Parameter,
)
from validator.model_repair.edits import Edit, Kind, Path
from validator.records import dataclass


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


@dataclass(frozen=True, slots=True)
class Schema:
    """An action with the parts that can be removed."""

    action: Action
    precondition: tuple[Part, ...]
    body: Body


def _schema_of(action: Action) -> Schema:
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


# --- what may be put in ------------------------------------------------------------------------------

Terms = Mapping[str, tuple[tuple[str, ...], ...]]
"""predicate -> for each place the variables and constants whose type fits"""


def grounding_to(terms: Terms, fact: GroundAtom, binding: Mapping[str, str]) -> Iterator[Atom]:
    """Yield the candidates that become a fact under a binding."""
    places = terms.get(fact[0])
    if places is None:
        return
    matching = []
    for allowed, value in zip(places, fact[1:], strict=True):
        found = [term for term in allowed if binding.get(term, term) == value]
        if not found:
            return
        matching.append(found)
    for chosen in product(*matching):
        yield Atom(fact[0], chosen)


class Space:
    """Some actions of a domain with their edits, and the atoms that may be put into each of their parts.

    A term fits a place when some object can be of both types; derived predicates and equality are never put in.
    """

    def __init__(self, domain: Domain, actions: Iterable[str]) -> None:
        self.schemas = {name: _schema_of(domain.actions[name]) for name in actions}
        self._domain = domain
        derived = {axiom.predicate for axiom in domain.axioms}
        self._predicates = {
            name: parameters
            for name, parameters in domain.predicates.items()
            if name not in derived and not name.startswith("=")
        }
        self._fits: dict[tuple[frozenset[str], frozenset[str]], bool] = {}
        self._terms: dict[tuple[str, Path], Terms] = {}
        self._added: dict[str, tuple[Edit, ...]] = {}

    def terms(self, action: str, body: Body) -> Terms:
        """Return what may stand where in a body of an action."""
        key = action, body.scope
        if key not in self._terms:
            known = {**self._domain.constants, **body.variables}
            self._terms[key] = {
                name: tuple(
                    tuple(term for term, types in known.items() if self._may_be(types, parameter.types))
                    for parameter in parameters
                )
                for name, parameters in self._predicates.items()
            }
        return self._terms[key]

    def _may_be(self, given: frozenset[str], wanted: frozenset[str]) -> bool:
        found = self._fits.get((given, wanted))
        if found is None:
            above = self._domain.types.ancestors
            found = not wanted.isdisjoint(above(given)) or not given.isdisjoint(above(wanted))
            self._fits[given, wanted] = found
        return found

    def preconditions(self, action: str) -> tuple[Edit, ...]:
        """Return the edits that add a precondition, true or false, to an action."""
        if action not in self._added:
            schema = self.schemas[action]
            there = {part.formula for part in schema.precondition}
            terms = self.terms(action, schema.body)
            atoms = (Atom(name, chosen) for name, places in terms.items() for chosen in product(*places))
            self._added[action] = tuple(
                Edit(Kind.ADD_PRECONDITION, action, literal)
                for atom in atoms
                for literal in (atom, Not(atom))
                if literal not in there
            )
        return self._added[action]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An action with its arguments at one place of a plan."""

    action: str
    binding: Mapping[str, str]
