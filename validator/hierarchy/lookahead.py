"""What a task can come to, whatever the states are: how few steps, which actions, which of them first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from validator.hierarchy.state_history import Condition
from validator.hierarchy.values import Hierarchy, Method
from validator.model.conditions import predicates
from validator.model.values import changed_predicates
from validator.records import dataclass

NEVER = 10**9
"""steps of a task that no steps can do"""

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookahead:
    """By the name of a task or an action: the fewest steps, the actions that may come first, those needed.

    ``sources`` has for each argument of an action that a task comes to which argument of the task it always is.
    ``waits`` are the tasks below which some condition has a predicate that steps can change. ``conditions`` are those
    of methods by their identity, ``allowed`` the objects of each parameter of a task.
    """

    conditions: Mapping[int, Condition]
    allowed: Mapping[str, Sequence[frozenset[str]]]
    least: Mapping[str, int]
    first: Mapping[str, frozenset[str]]
    needs: Mapping[str, Counter[str]]
    sources: Mapping[str, Mapping[str, tuple[int | None, ...]]]
    waits: frozenset[str]

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> Lookahead:
        """Return the tables of a hierarchy."""
        model = hierarchy.model
        names = model.domain.actions
        changed = frozenset(changed_predicates(*(action.effects for action in names.values())))
        least = {**dict.fromkeys(names, 1), **dict.fromkeys(hierarchy.tasks, NEVER)}
        _settle(hierarchy, least, lambda old, method: min(old, sum(least[one.task] for one in method.subtasks)))
        nothing = dict.fromkeys(hierarchy.tasks, frozenset[str]())
        alone = {name: frozenset((name,)) for name in names}
        first, waits = {**alone, **nothing}, dict.fromkeys((*names, *nothing), False)

        def firsts(old: frozenset[str], method: Method) -> frozenset[str]:
            able = (
                one for one, before in zip(method.subtasks, method.before, strict=True) if is_nothing(method, before)
            )
            return old.union(*(first[one.task] for one in able))

        def is_nothing(method: Method, places: Iterable[int]) -> bool:
            return all(least[method.subtasks[place].task] == 0 for place in places)

        def waiting(old: bool, method: Method) -> bool:
            own = not changed.isdisjoint(predicates(method.condition))
            return old or own or any(waits[one.task] for one in method.subtasks)

        _settle(hierarchy, first, firsts)
        _settle(hierarchy, waits, waiting)
        return cls(
            conditions={
                id(method): Condition.of(model, method.condition, method.parameters, changed)
                for methods in hierarchy.methods.values()
                for method in methods
            },
            allowed={
                task: [frozenset(model.objects_of(one.types)) for one in parameters]
                for task, parameters in hierarchy.tasks.items()
            },
            least=least,
            first=first,
            needs=_needs(hierarchy, least),
            sources=_sources(hierarchy),
            waits=frozenset(name for name, does in waits.items() if does),
        )

    def fewest(self, method: Method, places: tuple[int, ...]) -> int:
        """Return the fewest steps of some subtasks of a method."""
        return sum(self.least[method.subtasks[place].task] for place in places)


def _settle(hierarchy: Hierarchy, table: dict[str, _Value], better: Callable[[_Value, Method], _Value]) -> None:
    """Change the entries of compound tasks by each of their methods until nothing changes."""
    is_new = True
    while is_new:
        is_new = False
        for task, methods in hierarchy.methods.items():
            for method in methods:
                value = better(table[task], method)
                if value != table[task]:
                    table[task], is_new = value, True


def _needs(hierarchy: Hierarchy, least: Mapping[str, int]) -> dict[str, Counter[str]]:
    """Return how often each action occurs at least in what a task comes to.

    Begun with the least fixed point of ``least``: a task whose methods all need a step needs what they have in common.
    """
    found: dict[str, Counter[str]] = {name: Counter((name,)) for name in hierarchy.model.domain.actions}
    waiting = [task for task in hierarchy.methods if least[task] < NEVER]
    while waiting:  # a task is known when one of its methods is; others can only lower it
        left = []
        for task in waiting:
            sums = [
                sum((found[one.task] for one in method.subtasks), Counter[str]())
                for method in hierarchy.methods[task]
                if all(one.task in found for one in method.subtasks)
            ]
            if sums:
                found[task] = _common(sums)
            else:
                left.append(task)
        waiting = left
    for task in hierarchy.tasks:
        found.setdefault(task, Counter())

    def lower(old: Counter[str], method: Method) -> Counter[str]:
        return old & sum((found[one.task] for one in method.subtasks), Counter[str]())

    _settle(hierarchy, found, lower)
    return found


def _common(counts: Sequence[Counter[str]]) -> Counter[str]:
    found = counts[0]
    for each in counts[1:]:
        found = found & each
    return found


_Sources: TypeAlias = dict[str, tuple[int | None, ...]]


def _sources(hierarchy: Hierarchy) -> dict[str, _Sources]:
    """Return for each argument of each action that a task comes to the argument of the task that it is in all ways."""
    actions = hierarchy.model.domain.actions
    found: dict[str, _Sources] = {name: {name: tuple(range(len(one.parameters)))} for name, one in actions.items()}
    found |= {task: {} for task in hierarchy.tasks}

    def joined(old: _Sources, method: Method) -> _Sources:
        places = {term: place for place, term in reversed(list(enumerate(method.args)))}
        new = dict(old)
        for subtask in method.subtasks:
            for name, given in found[subtask.task].items():
                here = tuple(None if place is None else places.get(subtask.args[place]) for place in given)
                known = new.get(name, here)
                new[name] = tuple(one if one == other else None for one, other in zip(known, here, strict=True))
        return new

    _settle(hierarchy, found, joined)
    return found
