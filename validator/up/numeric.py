"""Numbers with bounds: in unified-planning, a step that would take one out of its bounds cannot be executed.

For an action without duration that is a condition on the state before the step, put on top of its preconditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

from validator.model.values import (
    TRUE,
    And,
    Arithmetic,
    Compare,
    Equal,
    Expression,
    Fluent,
    Forall,
    Formula,
    Imply,
    Not,
    Number,
    NumericEffect,
    Or,
)
from validator.up.expressions import ExpressionReader

_FALSE = Or(())
_MOST_EFFECTS = 4
"""The conditions on effects that may change one number together double with each."""


def narrowed(action: Any) -> dict[str, Any]:
    """Return the types of an action's number parameters, with the bounds of the fluents that they distinguish.

    A fluent of a number out of its bounds is no expression in unified-planning, so that no step has such a number.
    Read are only fluents that each step needs: in conditions that stand alone, and in effects without one.
    """
    conditions = [part.arg(0) if part.is_not() else part for part in _conjuncts(getattr(action, "preconditions", ()))]
    found: dict[str, Any] = {}
    for fluent in (*conditions, *_targets(action)):
        if not fluent.is_fluent_exp():
            continue
        for argument, place in zip(fluent.args, fluent.fluent().signature, strict=True):
            if argument.is_parameter_exp() and argument.type.is_int_type() and place.type.is_int_type():
                parameter = argument.parameter()
                found[parameter.name] = _both(found.get(parameter.name, parameter.type), place.type, fluent)
    return found


def _conjuncts(conditions: Iterable[Any]) -> Iterator[Any]:
    for condition in conditions:
        if condition.is_and():
            yield from _conjuncts(condition.args)
        else:
            yield condition


def _targets(action: Any) -> Iterator[Any]:
    """Yield the fluents that an action changes in any case."""
    if hasattr(action, "preconditions"):  # a durative action has effects at several times
        yield from (effect.fluent for effect in action.effects if effect.condition.is_true() and not effect.forall)


def _both(kind: Any, other: Any, node: Any) -> Any:
    """Return the type of the numbers that two types have in common."""
    lower, upper = (
        [bound for bound in bounds if bound is not None]
        for bounds in ((kind.lower_bound, other.lower_bound), (kind.upper_bound, other.upper_bound))
    )
    least, most = max(lower, default=None), min(upper, default=None)
    if least is not None and most is not None and least > most:
        return kind
    return node.environment.type_manager.IntType(least, most)


def note_bounds(read: ExpressionReader, effects: Iterable[Any], place: str) -> None:
    """Note that effects change numbers with bounds, where no step can be refused for it.

    In a plan over time the bounds are watched; without time nothing is.
    """
    for effect in effects:
        fluent = effect.fluent.fluent()
        if any(bound is not None for bound in _bounds(fluent)):
            if read.is_over_time:
                read.watched.setdefault(fluent.name, fluent)
            else:
                read.feature("bounded-numbers", f"{effect.fluent} in {place}")


def watched_bounds(read: ExpressionReader) -> tuple[Formula, ...]:
    """Return of each number whose bounds are watched that it is within them, whatever it is of."""
    found: list[Formula] = []
    for fluent in read.watched.values():
        parameters = read.parameters(fluent.signature)
        value = Fluent(fluent.name, tuple(parameter.name for parameter in parameters))
        inside = And(tuple(_compared(value, fluent)))
        found.append(Forall(parameters, inside) if parameters else inside)
    return tuple(found)


def within_bounds(read: ExpressionReader, effects: Iterable[Any], place: str) -> Iterator[Formula]:
    """Yield what must hold before a step with these effects, so that it leaves every number in its bounds."""
    groups: dict[Any, list[Any]] = {}
    for effect in effects:
        if any(bound is not None for bound in _bounds(effect.fluent.fluent())):
            groups.setdefault(effect.fluent.fluent(), []).append(effect)
    for group in groups.values():
        if len(group) > _MOST_EFFECTS or (len(group) > 1 and any(effect.forall for effect in group)):
            note_bounds(read, group, place)
            continue
        for number in range(len(group)):
            yield from _kept(read, group, number)


def _bounds(fluent: Any) -> tuple[Fraction | None, Fraction | None]:
    kind = fluent.type
    if not kind.is_int_type() and not kind.is_real_type():
        return None, None
    lower, upper = (None if bound is None else Fraction(bound) for bound in (kind.lower_bound, kind.upper_bound))
    return lower, upper


def _kept(read: ExpressionReader, group: list[Any], number: int) -> Iterator[Formula]:
    """Yield for each set of later effects that may change the same number what must hold if just they do."""
    effect, change = group[number], read.change(group[number])
    variables = read.parameters(effect.forall)
    earlier = [_hits(read, change, other) for other in group[:number]]
    later = [(other, _hits(read, change, other)) for other in group[number + 1 :]]
    if change.operator == "assign":  # with any other change it conflicts, which execution finds
        earlier, later = [], []
    for size in range(len(later) + 1):
        for together in combinations(later, size):
            apart = earlier + [hits for other, hits in later if (other, hits) not in together]
            premises = [read.formula(effect.condition), *(hits for _, hits in together)]
            premises += [Not(hits) for hits in apart if hits != _FALSE]
            if _FALSE in premises or Not(TRUE) in premises:
                continue
            changes = [change, *(read.change(other) for other, _ in together)]
            if any(found.operator == "assign" for found in changes[1:]):
                continue
            inside = And(tuple(_compared(_after(changes), effect.fluent.fluent())))
            premise = And(tuple(part for part in premises if part != TRUE))
            kept = inside if premise == TRUE else Imply(premise, inside)
            yield Forall(variables, kept) if variables else kept


def _hits(read: ExpressionReader, change: NumericEffect, other: Any) -> Formula:
    """Return when another effect happens and changes the same number."""
    pairs = zip(change.fluent.terms, read.change(other).fluent.terms, strict=True)
    parts = [Equal(one, two) for one, two in pairs if one != two]
    if any(not part.left.startswith("?") and not part.right.startswith("?") for part in parts):
        return _FALSE
    condition = read.formula(other.condition)
    return And((*parts, *(() if condition == TRUE else (condition,))))


def _after(changes: list[NumericEffect]) -> Expression:
    """Return the value of the first one's fluent after all of the changes."""
    if changes[0].operator == "assign":
        return changes[0].value
    value: Expression = changes[0].fluent
    for change in changes:
        value = Arithmetic("+" if change.operator == "increase" else "-", (value, change.value))
    return value


def _compared(value: Expression, fluent: Any) -> Iterator[Formula]:
    lower, upper = _bounds(fluent)
    if lower is not None:
        yield Compare(">=", value, Number(lower))
    if upper is not None:
        yield Compare("<=", value, Number(upper))
