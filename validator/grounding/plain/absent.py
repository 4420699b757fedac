"""Variables that say which values others do not have (Gazen and Knoblock 1997)."""

from __future__ import annotations

from typing import TypeAlias

from validator.grounding.operators import Operator, Value
from validator.grounding.task import Task
from validator.records import replace

__all__ = ["Absent", "watching_absent"]

Absent: TypeAlias = dict[Value, int]
"""The variables that say, by 0, that another variable does not have a value, and by 1 that it has."""


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
        variables=(*task.variables, *(_bit(watcher) for watcher in absent.values())),
        init=(*task.init, *(int(task.init[variable] == value) for variable, value in absent)),
        operators=tuple(filter(None, map(watched, task.operators))),
    )


def _bit(number: int) -> str:
    """Return a variable that says whether something is so."""
    return f"begin_variable\nvar{number}\n-1\n2\nNegatedAtom is{number}()\nAtom is{number}()\nend_variable\n"
