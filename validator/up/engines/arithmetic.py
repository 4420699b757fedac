"""Which models engines compute as they are executed here: exactly, and with all effects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction

from validator.execution.time.metric import numeric_effects
from validator.model.values import Action, Model

__all__ = ["is_computed_alike"]

_LARGEST_DENOMINATOR = 2**20


def is_computed_alike(model: Model) -> bool:
    """Return whether engines can be trusted to compute the values of a model as they are.

    That is so for what binary floating point does not round (whole numbers and halves, quarters and so on of them,
    without divisions), and where no action changes a function by more than one effect: ENHSP then drops some.
    """
    parts = (model.problem.values, model.problem.goal, *model.domain.actions.values())
    if not all(_is_binary(value) for part in parts for value in _numbers(part)):
        return False
    return not any(_changes_twice(action) for action in model.domain.actions.values())


def _changes_twice(action: Action) -> bool:
    changed = [effect.fluent.function for effect in numeric_effects(action.effects)]
    return len(set(changed)) < len(changed)


def _is_binary(value: Fraction | None) -> bool:
    if value is None:
        return False
    size = value.denominator
    return size & (size - 1) == 0 and size <= _LARGEST_DENOMINATOR


def _numbers(part: object) -> Iterator[Fraction | None]:
    """Yield every number in a part of a model, None for a division."""
    if isinstance(part, Fraction):
        yield part
    elif isinstance(part, Mapping):
        yield from _numbers(tuple(part.values()))
    elif isinstance(part, tuple):
        for item in part:
            yield from _numbers(item)
    elif is_dataclass(part):
        if getattr(part, "operator", None) in ("/", "scale-down"):
            yield None
        for inner in fields(part):
            yield from _numbers(getattr(part, inner.name))
