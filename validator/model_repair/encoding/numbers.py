"""The values of numeric fluents along a plan: edits of literals do not change them, and comparisons are constants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from validator.execution.time.acts.effects import Update, collect, combined
from validator.model.conditions import Binding
from validator.model.numeric import COMPARE, Missing, Situation, evaluate
from validator.model.values import Compare, Conditional, Effect, GroundAtom, NumericEffect
from validator.model_repair.cases import Case

__all__ = ["NotRepairedError", "compared", "courses"]

_TOTAL_COST = ("total-cost",)
"""which is 0 at first where nothing is said"""


class NotRepairedError(Exception):
    """What a plan does with numbers depends on the edits or is not defined, or a fact is derived from itself."""


def courses(case: Case) -> list[Mapping[GroundAtom, Fraction]]:
    """Return the values before each step and at the end. Raises NotRepairedError."""
    values: dict[GroundAtom, Fraction] = {_TOTAL_COST: Fraction(0), **case.model.problem.values}
    found: list[Mapping[GroundAtom, Fraction]] = []
    for name, args in case.steps:
        found.append(values)
        action = case.model.domain.actions[name]
        binding = dict(zip((parameter.name for parameter in action.parameters), args, strict=True))
        values = {**values, **dict(_changed(action.effects, binding, _situation(case, values)))}
    return [*found, values]


def _situation(case: Case, values: Mapping[GroundAtom, Fraction]) -> Situation:
    return Situation(model=case.model, atoms=frozenset(), values=values)


def _changed(
    effects: Iterable[Effect], binding: Binding, situation: Situation
) -> Iterator[tuple[GroundAtom, Fraction]]:
    """Yield each value that a step changes, once, however many of its effects do."""
    if any(_changes_numbers(effect.effects) for effect in effects if isinstance(effect, Conditional)):
        raise NotRepairedError("a conditional effect changes a number")
    update = collect((one for one in effects if isinstance(one, NumericEffect)), binding, situation, Update())
    if update.undefined:
        raise NotRepairedError(str(update.undefined[0]))
    for key, changes in update.changes.items():
        value = combined(key, changes, situation.values.get(key))
        if isinstance(value, str):
            raise NotRepairedError(value)
        yield key, value


def _changes_numbers(effects: Iterable[Effect]) -> bool:
    return any(
        _changes_numbers(effect.effects) if isinstance(effect, Conditional) else isinstance(effect, NumericEffect)
        for effect in effects
    )


def compared(comparison: Compare, binding: Binding, situation: Situation) -> bool:
    """Return whether a comparison holds. Raises NotRepairedError for a value that is not defined."""
    sides = [evaluate(side, binding, situation) for side in (comparison.left, comparison.right)]
    left, right = sides
    if isinstance(left, Missing) or isinstance(right, Missing):
        raise NotRepairedError(str(next(side for side in sides if isinstance(side, Missing))))
    return COMPARE[comparison.comparator](left, right)
