"""The names that a model gives a plan text to be read by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from validator.errors import Names
from validator.model.values import Model
from validator.reading.calls.values import folded

__all__ = ["Vocabulary"]

_JOINTS = re.compile(r"[-_]+")


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Actions with their number of arguments and their parameters, objects, predicates and types, in lower case."""

    actions: Mapping[str, int] = field(default_factory=dict)
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    objects: frozenset[str] = frozenset()
    predicates: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()

    @classmethod
    def of(cls, model: Model) -> Vocabulary:
        actions = model.domain.actions.items()
        return cls(
            actions={name.lower(): len(action.parameters) for name, action in actions},
            parameters={
                name.lower(): tuple(parameter.name.lstrip("?").lower() for parameter in action.parameters)
                for name, action in actions
            },
            objects=frozenset(map(str.lower, model.problem.objects)),
            predicates=frozenset(map(str.lower, model.domain.predicates)),
            types=frozenset(map(str.lower, model.domain.types)),
        )

    @cached_property
    def names(self) -> Names:
        """Return the actions, to look for the one that an unknown name is most like."""
        return Names(self.actions)

    @cached_property
    def folded_actions(self) -> Mapping[str, str]:
        """Return the actions by their folded names, as far as these tell them apart."""
        return _by_folded(self.actions)

    @cached_property
    def folded_objects(self) -> Mapping[str, str]:
        """Return the objects by their folded names, as far as these tell them apart."""
        return _by_folded(self.objects)

    @cached_property
    def spoken(self) -> Mapping[tuple[str, ...], str]:
        """Return the actions by the words one would say: ``("pick", "up")`` for ``pick-up``."""
        return {tuple(_JOINTS.sub(" ", name).split()): name for name in self.actions}

    @cached_property
    def longest_spoken(self) -> int:
        return max(map(len, self.spoken), default=0)

    def spoken_action(self, words: list[str]) -> tuple[str, int] | None:
        """Return the action that the first words name, and how many words that takes."""
        for length in range(min(len(words), self.longest_spoken), 0, -1):
            action = self.spoken.get(tuple(words[:length]))
            if action is not None:
                return action, length
        return None


def _by_folded(names: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    twice: set[str] = set()
    for name in names:
        if found.setdefault(folded(name), name) != name:
            twice.add(folded(name))
    return {key: name for key, name in found.items() if key not in twice}
