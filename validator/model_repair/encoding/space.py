"""The actions of a domain with their edits, and an action at one place of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from validator.model.values import Domain, Not
from validator.model_repair.edits import Edit, Kind
from validator.model_repair.space.actions import Body, Schema, schema_of
from validator.model_repair.space.candidates import Candidates, Terms, all_of
from validator.records import dataclass

__all__ = ["Occurrence", "Space", "space_of"]


class Space:
    """The actions of a domain with their edits, and what may be put into each of their parts."""

    def __init__(self, schemas: Mapping[str, Schema], candidates: Candidates) -> None:
        self.schemas = schemas
        self._candidates = candidates
        self._terms: dict[tuple[str, tuple[int, ...]], Terms] = {}
        self._added: dict[str, tuple[Edit, ...]] = {}

    def terms(self, action: str, body: Body) -> Terms:
        """Return what may stand where in a body of an action."""
        key = action, body.scope
        if key not in self._terms:
            self._terms[key] = self._candidates.terms(body.variables)
        return self._terms[key]

    def preconditions(self, action: str) -> tuple[Edit, ...]:
        """Return the edits that add a precondition, true or false, to an action."""
        if action not in self._added:
            schema = self.schemas[action]
            there = {part.formula for part in schema.precondition}
            self._added[action] = tuple(
                Edit(Kind.ADD_PRECONDITION, action, literal)
                for atom in all_of(self.terms(action, schema.body))
                for literal in (atom, Not(atom))
                if literal not in there
            )
        return self._added[action]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An action with its arguments at one place of a plan."""

    action: str
    binding: Mapping[str, str]


def space_of(domain: Domain, actions: Iterable[str]) -> Space:
    """Return what can be edited in some actions of a domain."""
    return Space({name: schema_of(domain.actions[name]) for name in actions}, Candidates(domain))
