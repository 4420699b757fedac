"""Conditional effects compiled away: an operator for each way in which they can fire.

Variables may say which values others do not have (Gazen and Knoblock 1997).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from validator.grounding.operators import Effect, Operator, Value, variable_text
from validator.grounding.task import Task
from validator.records import replace

__all__ = ["Absent", "TooManyError", "most_operators", "watching_absent", "without_conditional_effects"]

_MOST_COPIES = 256
"""operators that one operator may become"""

_OTHER = -1
"""any value of a variable but those that the conditions of an operator name"""

Absent: TypeAlias = dict[Value, int]
"""The variables that say, by 0, that another variable does not have a value, and by 1 that it has."""


class TooManyError(Exception):
    """What is to be compiled away passes a limit."""


def most_operators(task: Task) -> int:
    """Return how many operators all of them may become."""
    return 4 * len(task.operators) + 4000


def without_conditional_effects(task: Task) -> Task:
    with suppress(TooManyError):
        return _all_split(task, None)
    absent: Absent = {}
    return watching_absent(_all_split(task, absent), absent)


def _all_split(task: Task, absent: Absent | None) -> Task:
    sizes = task.sizes
    most = most_operators(task)
    operators: list[Operator] = []
    for operator in task.operators:
        operators += _split(operator, sizes, absent) if operator.is_conditional else [operator]
        if len(operators) > most:
            raise TooManyError
    return replace(task, operators=tuple(operators))


def _split(operator: Operator, sizes: Sequence[int], absent: Absent | None) -> list[Operator]:
    """Return an operator once for each way in which its effects can fire.

    With ``absent`` values that no condition names are one way together, which new variables tell.
    """
    found: list[Operator] = []
    waiting = [operator.needed]
    while waiting:
        known = waiting.pop()
        variable = _undecided(operator.effect_values, known)
        if variable is not None:
            named = _named(operator, variable)
            values = range(sizes[variable]) if absent is None or len(named) + 2 > sizes[variable] else (*named, _OTHER)
            waiting += [{**known, variable: value} for value in values]
        else:
            fired = {
                effect.variable: effect.value
                for effect in operator.effect_values
                if all(known.get(variable) == value for variable, value in effect.conditions)
            }
            effects = tuple(Effect(conditions=(), variable=v, value=x) for v, x in fired.items())
            needed = {variable: value for variable, value in known.items() if value != _OTHER}
            if absent is not None:
                for variable in sorted(known.keys() - needed):
                    for value in _named(operator, variable):
                        needed[absent.setdefault((variable, value), len(sizes) + len(absent))] = 0
            found.append(Operator.made(operator.name, sorted(needed.items()), effects, operator.cost))
        if len(found) + len(waiting) > _MOST_COPIES:
            raise TooManyError
    return found


def _named(operator: Operator, variable: int) -> list[int]:
    """Return the values of a variable that conditions of effects name."""
    conditions = (condition for effect in operator.effect_values for condition in effect.conditions)
    return sorted({value for other, value in conditions if other == variable})


def _undecided(effects: Iterable[Effect], known: Mapping[int, int]) -> int | None:
    """Return a variable on which it depends what an operator does, if there is one."""
    for effect in effects:
        missing = [variable for variable, _ in effect.conditions if variable not in known]
        if missing and all(known.get(variable, value) == value for variable, value in effect.conditions):
            return missing[0]
    return None


def watching_absent(task: Task, absent: Absent) -> Task:
    """Return the task with the variables that say which values are absent, set by all that sets these."""
    watching: dict[int, list[tuple[int, int]]] = {}
    for (variable, value), watcher in absent.items():
        watching.setdefault(variable, []).append((value, watcher))

    def watched(operator: Operator) -> Operator | None:
        """Return an operator that sets watchers as well; None where it asks for a value and that it is not there."""
        needed, more = dict(operator.needed), []
        for effect in operator.effect_values:
            for value, watcher in watching.get(effect.variable, ()):
                old = None if operator.is_conditional else operator.needed.get(effect.variable)
                if old is not None and (old == value) == (effect.value == value):
                    continue
                if old is not None and needed.setdefault(watcher, int(old == value)) != int(old == value):
                    return None
                more.append(replace(effect, variable=watcher, value=int(effect.value == value)))
        if not more:
            return operator
        return Operator.made(operator.name, sorted(needed.items()), (*operator.effect_values, *more), operator.cost)

    return replace(
        task,
        variables=(*task.variables, *(variable_text(watcher, 2) for watcher in absent.values())),
        init=(*task.init, *(int(task.init[variable] == value) for variable, value in absent)),
        operators=tuple(filter(None, map(watched, task.operators))),
    )
