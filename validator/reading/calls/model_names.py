"""A call as a step: as it is written, or as a model spells its names and orders its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from validator.reading.arguments import Arguments
from validator.reading.calls.values import as_step
from validator.reading.plan import Span, Step, Unparsed
from validator.records import replace

__all__ = ["ModelNames", "is_written_for", "step_of"]


class ModelNames(Protocol):
    """The names of a model: a plan text's vocabulary."""

    @property
    def actions(self) -> Mapping[str, int]: ...

    def step(self, name: str, args: Sequence[str] | Mapping[str, str], span: Span) -> Step | Unparsed: ...


def step_of(name: str, arguments: Arguments | None, names: ModelNames | None, span: Span = (0, 0)) -> Step | Unparsed:
    """Return a call as a step; where a model is known, with its names, in the order of its parameters."""
    if names is None or not names.actions:
        return replace(as_step(name, arguments), span=span)
    given = arguments or ()
    named = {each.name: each.text for each in given if each.name is not None}
    whole = bool(given) and len(named) == len(given)
    step = names.step(name, named if whole else [each.text for each in given], span)
    return replace(step, written=arguments) if isinstance(step, Step) else step


def is_written_for(arguments: Arguments | None, names: ModelNames | None) -> bool:
    """Return whether a written call may be a step of the model: there, values by position are names of objects."""
    return (
        names is None
        or not names.actions
        or all(
            each.name is not None or (each.is_string is not False and not any(sign in each.text for sign in " ()"))
            for each in arguments or ()
        )
    )
