"""The names that a model gives a plan text to be read by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from validator.errors import Names
from validator.model.values import Model
from validator.reading.arguments import Argument
from validator.reading.calls.model_names import step_of
from validator.reading.calls.values import folded
from validator.reading.lexicon import Lexicon, Templates
from validator.reading.plan import Span, Step, Unparsed

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
    lexicon: Lexicon | None = field(default=None, compare=False, repr=False)
    """How the names are said; None where there is no model."""

    @classmethod
    def of(cls, model: Model, templates: Templates | None = None) -> Vocabulary:
        actions = model.domain.actions.items()
        return cls(
            lexicon=Lexicon.of(model, templates),
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

    def action_of(self, name: str) -> str | None:
        """Return the action that a written name means, whatever its case and its joints; None for no action."""
        lower = name.lower()
        if self.lexicon is not None and lower not in self.actions:
            return next(map(str.lower, self.lexicon.action(name)), None)
        return lower if lower in self.actions else self.folded_actions.get(folded(name))

    def step(self, name: str, args: Sequence[str] | Mapping[str, str], span: Span) -> Step | Unparsed:
        """Return a step whose names are written in any of the usual ways; what is not known stays as it is written.

        Arguments by the names of the parameters come in the order of the action.
        """
        if self.lexicon is None:
            given = args.items() if isinstance(args, Mapping) else ((None, value) for value in args)
            return replace(step_of(name, tuple(Argument(key, value) for key, value in given), self), span=span)
        found = self.lexicon.step(name, args, span)
        if isinstance(found, Step):
            return found
        text = f"{name}({', '.join(args.values() if isinstance(args, Mapping) else args)})"
        return Unparsed(text=text, reason=found.reason, nearest=found.nearest, span=span)

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
