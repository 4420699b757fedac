"""A call as a step of a model: names as the model spells them, arguments in the order of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol

from validator.reading.arguments import Arguments, in_order
from validator.reading.calls.values import as_step, folded
from validator.reading.lexicon import Lexicon
from validator.reading.plan import Step

__all__ = ["ModelNames", "NoNames", "is_written_for", "step_of"]


class ModelNames(Protocol):
    """The names of a model, in lower case: actions with their number of arguments and their parameters, and objects."""

    @property
    def actions(self) -> Mapping[str, int]: ...

    @property
    def parameters(self) -> Mapping[str, tuple[str, ...]]: ...

    @property
    def objects(self) -> AbstractSet[str]: ...

    @property
    def folded_actions(self) -> Mapping[str, str]:
        """Return the actions by their folded names, as far as these tell them apart."""

    @property
    def folded_objects(self) -> Mapping[str, str]: ...

    @property
    def lexicon(self) -> Lexicon | None:
        """Return how the names are said; None where there is no model."""


class NoNames:
    """The names of no model."""

    actions: Mapping[str, int] = MappingProxyType({})
    parameters: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    objects: AbstractSet[str] = frozenset()
    folded_actions: Mapping[str, str] = MappingProxyType({})
    folded_objects: Mapping[str, str] = MappingProxyType({})
    lexicon: Lexicon | None = None


def step_of(name: str, arguments: Arguments | None, names: ModelNames) -> Step:
    """Return a call as a step; of an action that the model has, arguments by the names of its parameters are put in
    their order, and others keep theirs.
    """
    action = name if name.lower() in names.actions else names.folded_actions.get(folded(name), name)
    parameters = names.parameters.get(action.lower())
    if names.lexicon is not None and not _is_exact(action, arguments, names):
        said = _said(name, arguments or (), names.lexicon)
        if said is not None:
            return replace(said, written=arguments)
    if parameters is None:
        return as_step(name, arguments)
    ordered = in_order(arguments or (), parameters)
    return Step(name=action, args=tuple(_object(each.text, names) for each in ordered), written=arguments)


def _is_exact(action: str, arguments: Arguments | None, names: ModelNames) -> bool:
    return action.lower() in names.actions and all(each.text.lower() in names.objects for each in arguments or ())


def _said(name: str, arguments: Arguments, lexicon: Lexicon) -> Step | None:
    """Return what a call means by the lexicon; None where that is not clear."""
    named = {each.name: each.text for each in arguments if each.name is not None}
    given = named if len(named) == len(arguments) else [each.text for each in arguments]
    found = lexicon.step(name, given, (0, 0)) if lexicon.action(name) else None
    return found if isinstance(found, Step) else None


def is_written_for(arguments: Arguments | None, names: ModelNames) -> bool:
    """Return whether a written call may be a step of the model: there, values by position are names of objects."""
    return not names.actions or all(
        each.name is not None or (each.is_string is not False and not any(sign in each.text for sign in " ()"))
        for each in arguments or ()
    )


def _object(text: str, names: ModelNames) -> str:
    return text if text.lower() in names.objects else names.folded_objects.get(folded(text), text)
