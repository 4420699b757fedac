"""What can be reached when nothing is ever deleted, and which facts every plan must pass (Hoffmann et al. 2004)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from validator.grounding.operators import Operator, Value
from validator.grounding.task import Task


def reachable(task: Task, without: Callable[[Operator], bool] = lambda _: False) -> set[Value]:
    """Return the values that can be reached without some operators when every value, once had, is kept.

    For tasks without axioms; the conditions of effects count as they are.
    """
    rules = [rule for operator in task.operators if not without(operator) for rule in _rules(operator)]
    waiting: dict[Value, list[int]] = {}
    missing = [len(needed) for needed, _ in rules]
    for number, (needed, _) in enumerate(rules):
        for value in needed:
            waiting.setdefault(value, []).append(number)
    found = set(enumerate(task.init))
    agenda = [*found, *_new(found, (made for needed, made in rules if not needed))]
    while agenda:
        for number in waiting.get(agenda.pop(), ()):
            missing[number] -= 1
            if not missing[number]:
                agenda += _new(found, (rules[number][1],))
    return found


def _rules(operator: Operator) -> Iterable[tuple[frozenset[Value], Value]]:
    needed = frozenset(operator.needed.items())
    for effect in operator.effect_values:
        yield needed | frozenset(effect.conditions), (effect.variable, effect.value)


def _new(found: set[Value], values: Iterable[Value]) -> list[Value]:
    fresh = [value for value in dict.fromkeys(values) if value not in found]
    found.update(fresh)
    return fresh


def achievers(task: Task) -> dict[Value, list[Operator]]:
    """Return for each value the operators that can make it."""
    found: dict[Value, list[Operator]] = {}
    for operator in task.operators:
        for value in dict.fromkeys((effect.variable, effect.value) for effect in operator.effect_values):
            found.setdefault(value, []).append(operator)
    return found


def is_landmark(task: Task, value: Value, made_by: Collection[Operator], goals: Collection[Value]) -> bool:
    """Return whether no plan reaches the goals without making a value that does not hold initially."""
    made = set(map(id, made_by))
    return value not in enumerate(task.init) and not set(goals) <= reachable(task, lambda each: id(each) in made)
