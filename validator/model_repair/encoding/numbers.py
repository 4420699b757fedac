"""The values of numeric fluents along a plan: edits of literals do not change them, and comparisons are constants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from validator.model.conditions import Binding
from validator.model.numeric import COMPARE, Missing, Situation, evaluate, fluent_key
from validator.model.values import Compare, Conditional, Effect, GroundAtom, NumericEffect
from validator.model_repair.cases import Case

__all__ = ["NotRepairedError", "compared", "courses"]


class NotRepairedError(Exception):
    """What a plan does with numbers depends on the edits, or is not defined."""


def courses(case: Case) -> list[Mapping[GroundAtom, Fraction]]:
    """Return the values before each step and at the end. Raises NotRepairedError."""
    values: dict[GroundAtom, Fraction] = dict(case.model.problem.values)
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
    for effect in effects:
        if isinstance(effect, Conditional) and any(_changes_numbers(effect.effects)):
            raise NotRepairedError("a conditional effect changes a number")
        if isinstance(effect, NumericEffect):
            key = fluent_key(effect.fluent, binding)
            change = evaluate(effect.value, binding, situation)
            before = situation.values.get(key, Fraction(0) if key == ("total-cost",) else None)
            if isinstance(change, Missing) or (before is None and effect.operator != "assign"):
                raise NotRepairedError(f"({' '.join(key)}) is changed by a value, or from one, that is not defined")
            yield key, _result(effect.operator, before or Fraction(0), change)


def _changes_numbers(effects: Iterable[Effect]) -> Iterator[bool]:
    for effect in effects:
        if isinstance(effect, Conditional):
            yield from _changes_numbers(effect.effects)
        else:
            yield isinstance(effect, NumericEffect)


def _result(operator: str, before: Fraction, change: Fraction) -> Fraction:
    match operator:
        case "assign":
            return change
        case "increase":
            return before + change
        case "decrease":
            return before - change
        case "scale-up":
            return before * change
    if not change:
        raise NotRepairedError("a value is scaled down by 0")
    return before / change


def compared(comparison: Compare, binding: Binding, situation: Situation) -> bool:
    """Return whether a comparison holds. Raises NotRepairedError for a value that is not defined."""
    sides = [evaluate(side, binding, situation) for side in (comparison.left, comparison.right)]
    left, right = sides
    if isinstance(left, Missing) or isinstance(right, Missing):
        raise NotRepairedError(str(next(side for side in sides if isinstance(side, Missing))))
    return COMPARE[comparison.comparator](left, right)
