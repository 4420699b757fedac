"""Types for the translator, where it has to go through all objects of one: what quantified effects range over.

Elsewhere types are static predicates, which its logic program joins with all other conditions. For a quantified effect
it tries every object tuple there is: of a type, where one is declared. Its types are a tree, and an object has one; so
sets of objects are declared of which any two are apart, or one is within the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from validator.model.values import Conditional, Effect, Model
from validator.records import dataclass

__all__ = ["declared"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """Types with their objects, each after those that it is within."""

    types: Sequence[tuple[str, frozenset[str]]]

    def of(self, objects: Iterable[str]) -> str | None:
        """Return the type of just these objects, None where none is declared."""
        wanted = frozenset(objects)
        return next((name for name, declared in self.types if declared == wanted), None)

    def hierarchy(self) -> str:
        """Return the declarations of the types."""
        return " ".join(f"{name} - {self._least(objects, place)}" for place, (name, objects) in enumerate(self.types))

    def typed(self, name: str) -> str:
        """Return the type of an object."""
        return self._least(frozenset((name,)), len(self.types))

    def _least(self, objects: frozenset[str], before: int) -> str:
        around = (name for name, declared in reversed(self.types[:before]) if objects <= declared)
        return next(around, "object")


def declared(model: Model) -> Declared:
    """Return types for what the quantified effects of a model range over, as far as they are a tree."""
    ranges = {types for action in model.domain.actions.values() for types in _ranges(action.effects)}
    sets = {frozenset(model.objects_of(types)) for types in ranges}
    taken: list[frozenset[str]] = []
    for objects in sorted(sets, key=lambda objects: (-len(objects), sorted(objects))):
        if all(objects <= other or objects.isdisjoint(other) for other in taken):
            taken.append(objects)
    return Declared(types=tuple((f"k{number}", objects) for number, objects in enumerate(taken)))


def _ranges(effects: Iterable[Effect]) -> Iterator[frozenset[str]]:
    for effect in effects:
        if isinstance(effect, Conditional):
            yield from (parameter.types for parameter in effect.parameters)
            yield from _ranges(effect.effects)
