"""The names that a model gives a plan text to be read by."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from validator.errors import Names
from validator.model.values import Model

if TYPE_CHECKING:
    from validator.reading.lexicon import Lexicon, Templates

__all__ = ["Vocabulary"]

_JOINTS = re.compile(r"[-_]+")


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Actions with their number of arguments, objects, predicates and types, all in lower case.

    ``model`` is what they are of, where there is one, and ``templates`` are how a user says it.
    """

    actions: Mapping[str, int] = field(default_factory=dict)
    objects: frozenset[str] = frozenset()
    predicates: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    model: Model | None = field(default=None, compare=False, repr=False)
    templates: Templates | None = None

    @classmethod
    def of(cls, model: Model, templates: Templates | None = None) -> Vocabulary:
        """Return the names of a model. Raises InputError for templates that do not fit it."""
        if templates is not None:
            templates.checked(model)
        return cls(
            model=model,
            templates=templates,
            actions={name.lower(): len(action.parameters) for name, action in model.domain.actions.items()},
            objects=frozenset(map(str.lower, model.problem.objects)),
            predicates=frozenset(map(str.lower, model.domain.predicates)),
            types=frozenset(map(str.lower, model.domain.types)),
        )

    @cached_property
    def lexicon(self) -> Lexicon | None:
        """Return how the model is said in words; None where only its names are known."""
        from validator.reading.lexicon import Lexicon

        return None if self.model is None else Lexicon(self.model, self.templates)

    @cached_property
    def names(self) -> Names:
        """Return the actions, to look for the one that an unknown name is most like."""
        return Names(self.actions)

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
