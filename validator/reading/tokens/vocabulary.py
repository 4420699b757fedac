"""The names that a model gives a plan text to be read by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from validator.errors import Names
from validator.model.values import Model
from validator.reading.plan import Span, Step, Unparsed
from validator.records import dataclass, field
from validator.texts import letters

if TYPE_CHECKING:
    from validator.reading.lexicon import Lexicon, Templates


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Actions with their number of arguments, objects, predicates, types and events, all in lower case.

    ``model`` is what they are of, where there is one, and ``templates`` are how a user says it.
    """

    actions: Mapping[str, int] = field(default_factory=dict)
    objects: frozenset[str] = frozenset()
    predicates: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Action -> the names of its parameters, without question marks."""
    events: frozenset[str] = frozenset()
    """What happens by itself in PDDL+, and is no action."""
    model: Model | None = field(default=None, compare=False, repr=False)
    templates: Templates | None = None
    lines: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict, init=False, compare=False, repr=False)
    """The steps that were read before, by what stands in their parentheses: what is written of a model repeats."""
    placed: dict[tuple[str, int], Step] = field(default_factory=dict, init=False, compare=False, repr=False)
    """The same by their lines, and where in the text these begin."""

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
            events=frozenset(event.name.lower() for event in model.domain.events),
            parameters={
                name.lower(): tuple(parameter.name.lstrip("?").lower() for parameter in action.parameters)
                for name, action in model.domain.actions.items()
            },
        )

    @cached_property
    def lexicon(self) -> Lexicon | None:
        """Return how the model is said in words; None where only its names are known."""
        from validator.reading.lexicon import Lexicon

        return None if self.model is None else Lexicon(self.model, self.templates)

    @cached_property
    def alike(self) -> Mapping[str, frozenset[str]]:
        """Return the actions, and the objects, that only their case tells apart, by what they are in lower case."""
        found: dict[str, frozenset[str]] = {}
        for names in () if self.model is None else (self.model.domain.actions, self.model.problem.objects):
            lower = Counter(map(str.lower, names))
            for name in (each for each in names if lower[each.lower()] > 1):
                found[name.lower()] = found.get(name.lower(), frozenset()) | {name}
        return found

    @property
    def has_time(self) -> bool:
        """Return whether the steps of the model take time, so that numbers beside them may be when and how long."""
        return self.model is not None and bool(self.model.domain.durative)

    @cached_property
    def parameter_names(self) -> frozenset[str]:
        """Return the names of the parameters of all actions, as keys are spelled."""
        return frozenset(name.replace("-", "_") for names in self.parameters.values() for name in names)

    @cached_property
    def names(self) -> Names:
        """Return the actions, to look for the one that an unknown name is most like."""
        return Names(self.actions)

    @cached_property
    def spoken(self) -> Mapping[tuple[str, ...], str]:
        """Return the actions by the words one would say: ``("pick", "up")`` for ``pick-up``; none that two share."""
        found: dict[tuple[str, ...], list[str]] = {}
        for name in self.actions:
            found.setdefault(tuple(re.sub(r"[-_]+", " ", name).split()), []).append(name)
        return {words: names[0] for words, names in found.items() if len(names) == 1}

    @cached_property
    def parted(self) -> re.Pattern[str] | None:
        """Return what finds names of several words where actions stand: ``put down(a)``, ``(put down a)``."""
        found = [
            " ".join(words)
            for words, name in self.spoken.items()
            if len(words) > 1
            and len(name) == len(" ".join(words))
            and words[0] not in self.actions
            and self.objects.isdisjoint(words[1:])
        ]
        if not found:
            return None
        names = "|".join(re.escape(name) for name in sorted(found, key=len, reverse=True))
        return re.compile(
            rf"(?<![\w-])(?:{names})(?=[ ]?\()|(?<=\()(?:{names})(?=(?P<given>(?:\s++[^\s()]++)*+)\s*+\))",
            re.IGNORECASE,
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the words of the names of actions and objects."""
        return frozenset(word for name in (*self.actions, *self.objects) for word in re.split(r"[-_\d]+", name) if word)

    @cached_property
    def longest_spoken(self) -> int:
        return max(map(len, self.spoken), default=0)

    @cached_property
    def joined(self) -> Mapping[str, str]:
        """Return the actions by their letters and digits alone: ``pickup`` for ``pick-up``, ``pick_up``, ``PickUp``."""
        found: dict[str, list[str]] = {}
        for name in self.actions:
            found.setdefault(letters(name), []).append(name)
        return {joined: names[0] for joined, names in found.items() if len(names) == 1}

    def written(self, name: str) -> str | None:
        """Return the action that a name is, joined in any way: ``put_down`` and ``PutDown`` for ``put-down``.

        Verbs that only mean one are none: words of prose do.
        """
        lower = name.lower()
        return lower if lower in self.actions else self.joined.get(letters(lower))

    def action_of(self, name: str) -> str | None:
        """Return the action that a written name means, whatever its case and its joints; None for no action."""
        lower = name.lower()
        if self.lexicon is not None and lower not in self.actions:
            return next(map(str.lower, self.lexicon.action(name)), None)
        return self.written(lower)

    def step(self, name: str, args: Sequence[str] | Mapping[str, str], span: Span) -> Step | Unparsed:
        """Return a step whose names are written in any of the usual ways; what is not known stays as it is written.

        Arguments by the names of the parameters come in the order of the action.
        """
        if self.lexicon is not None:
            from validator.reading.lexicon import Unclear

            found = self.lexicon.step(name, args, span)
            if isinstance(found, Unclear):
                values = args.values() if isinstance(args, Mapping) else args
                text = f"{name}({', '.join(values)})"
                return Unparsed(text=text, reason=found.reason, nearest=found.nearest, span=span)
            return found
        action = self.action_of(name)
        if isinstance(args, Mapping):
            from validator.reading.arguments import placed  # which a plain list of steps does not need

            values, wanted = list(args.values()), self.parameters.get(action or "", ())
            args = [values[place] for place in placed(list(args), wanted, str.lower)]
        return Step(name=action or name, args=tuple(args), span=span)

    def spoken_action(self, words: list[str]) -> tuple[str, int] | None:
        """Return the action that the first words name, and how many words that takes."""
        for length in range(min(len(words), self.longest_spoken), 0, -1):
            action = self.spoken.get(tuple(words[:length]))
            if action is not None:
                return action, length
        return None
