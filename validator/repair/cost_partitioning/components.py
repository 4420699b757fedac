"""The modified problem with conditional effects, on variables that are few values of many variables joined.

A conditional effect reads other variables than the one that it sets. Joined with all that their effects read, variables
make *components*: of the stickers of a cube, or of the bits of a counter. What an operator does to a component depends
on nothing else, so it maps its values; those are the combinations that operators can reach in it from the initial one,
when all else is forgotten: of 24 stickers 24, and not 2**24. Whatever is reached in the task is reached in each
component, so the plans are the same, at the same costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from validator.grounding.limits import checked
from validator.grounding.operators import Effect, Operator, Value
from validator.repair.cost_partitioning.problem import FREE, Change, Choice, Map, Problem
from validator.repair.edit import EditTask

__all__ = ["Components"]

_MOST_ARCS = 2**18
"""from value to value, by all that operators do to a component; some tenths of a second's"""

_Values: TypeAlias = tuple[int, ...]
"""The values of the variables of a component."""

_Effect: TypeAlias = tuple[tuple[Value, ...], int, int]
"""Conditions on variables of a component, by their places in it, and which one is set to what."""

_Way: TypeAlias = tuple[tuple[Value, ...], tuple[_Effect, ...]]
"""What an operator asks of a component, and what it does there."""


class Components(Problem):
    """The modified problem of an edit task on components."""

    def __init__(self, edit_task: EditTask, *, with_goal: bool, is_over: Callable[[], bool] = lambda: False) -> None:
        """Join what depends on each other. Raises TimeoutError as soon as it is over, and where values are too many."""
        super().__init__(edit_task, is_over)
        self._task = edit_task.task
        self._components = [_Component(self._task.init, variables, is_over) for variables in self._groups()]
        self._where = {variable: number for number, each in enumerate(self._components) for variable in each.place}
        operators = enumerate(checked(self._task.operators, is_over))
        ways = {number: self._ways(operator) for number, operator in operators}
        of_each: list[dict[_Way, None]] = [{} for _ in self._components]
        for of_operator in ways.values():
            for number, way in of_operator.items():
                of_each[number][way] = None
        for component, different in zip(self._components, of_each, strict=True):
            component.reach(different)
        self.sizes = [len(component.numbers) for component in self._components]
        self.init = (0,) * len(self.sizes)
        every = (self._change(number, way) for number, way in checked(ways.items(), is_over))
        changes = {change.number: change for change in every if change is not None}
        self.changes = list(changes.values())
        self.steps = [[changes[number] for number in numbers if number in changes] for numbers in self._numbers()]
        stages = self._task.goal_stages if with_goal else (((),),)
        # Without those choices that never hold.
        self.stages = [[each for each in map(self._choice, choices) if each is not None] for choices in stages]

    @staticmethod
    def suits(edit_task: EditTask) -> bool:
        """Return whether a task has conditional effects, and nothing else that a sweep does not know."""
        task = edit_task.task
        return edit_task.weighting.keeps_freely and task.has_conditional_effects and not task.has_axioms

    def _groups(self) -> list[list[int]]:
        """Return the variables in groups: of an effect the one that is set, and those that it depends on."""
        group = [[variable] for variable in range(len(self._task.init))]
        for first, second in self._depending():
            one, other = group[first], group[second]
            if one is not other:
                one += other
                for each in other:
                    group[each] = one
        return list({id(each): each for each in group}.values())

    def _depending(self) -> Iterator[tuple[int, int]]:
        """Yield what an effect sets, and what it depends on."""
        for operator in checked(self._task.operators, self.is_over):
            for effect in operator.effect_values:
                for variable, _ in _open(effect, operator):
                    yield effect.variable, variable

    def _ways(self, operator: Operator) -> Mapping[int, _Way]:
        """Return what an operator asks of each component, and does to it."""
        asks: dict[int, list[Value]] = {}
        does: dict[int, list[_Effect]] = {}
        for variable, value in operator.needed.items():
            number = self._where[variable]
            asks.setdefault(number, []).append((self._components[number].place[variable], value))
        for effect in operator.effect_values:
            if all(operator.needed.get(variable, value) == value for variable, value in effect.conditions):
                number = self._where[effect.variable]
                place = self._components[number].place
                conditions = tuple((place[variable], value) for variable, value in _open(effect, operator))
                does.setdefault(number, []).append((conditions, place[effect.variable], effect.value))
        return {number: (tuple(asks.get(number, ())), tuple(does.get(number, ()))) for number in (*asks, *does)}

    def _change(self, number: int, ways: Mapping[int, _Way]) -> Change | None:
        """Return an operator as it is on components; None where it never applies."""
        need: dict[int, int] = {}
        sets: dict[int, int] = {}
        maps: dict[int, Map] = {}
        for variable, way in ways.items():
            arcs, size = self._components[variable].arcs[way], self.sizes[variable]
            if not arcs:
                return None
            if len(arcs) == 1:
                ((need[variable], sets[variable]),) = arcs.items()
            elif len(arcs) == size and len(set(arcs.values())) == 1:
                sets[variable] = arcs[0]
            elif len(arcs) < size or any(old != new for old, new in arcs.items()):
                maps[variable] = Map(tuple(arcs.get(value, FREE) for value in range(size)))
        cost = self.edit_task.weighting.insertion(self._task.operators[number].cost)
        return Change.of(number, cost, need, sets, maps)

    def _choice(self, values: Sequence[Value]) -> Choice | None:
        """Return what components must be for values to hold; None where they never do."""
        wanted: dict[int, list[Value]] = {}
        for variable, value in values:
            number = self._where[variable]
            wanted.setdefault(number, []).append((self._components[number].place[variable], value))
        choice: list[tuple[int, int | Map]] = []
        for number, asked in wanted.items():
            held = self._components[number].holding(asked)
            if not held:
                return None
            kept = Map(tuple(value if value in held else FREE for value in range(self.sizes[number])))
            choice.append((number, kept if len(held) > 1 else held[0]))
        return choice


class _Component:
    """Some variables, and the combinations of their values that can be reached, numbered from the initial one."""

    def __init__(self, init: Sequence[int], variables: Sequence[int], is_over: Callable[[], bool]) -> None:
        self.place = {variable: place for place, variable in enumerate(variables)}
        self.numbers: dict[_Values, int] = {tuple(init[variable] for variable in variables): 0}
        self.arcs: dict[_Way, dict[int, int]] = {}
        """of each way of operators, the value behind each value at which it applies"""
        self._is_over = is_over

    def reach(self, ways: Iterable[_Way]) -> None:
        """Find the values, and what becomes of them. Raises TimeoutError where they are too many."""
        first: dict[Value | None, list[_Way]] = {}
        for way in ways:
            self.arcs[way] = {}
            first.setdefault(way[0][0] if way[0] else None, []).append(way)
        reached, arcs = list(self.numbers), 0
        for number, values in enumerate(checked(reached, self._is_over)):
            for asked in (None, *enumerate(values)):
                for way in first.get(asked, ()):
                    new = _after(values, way)
                    if new is None:
                        continue
                    if new not in self.numbers:
                        self.numbers[new] = len(reached)
                        reached.append(new)
                    self.arcs[way][number] = self.numbers[new]
                    arcs += 1
            if arcs > _MOST_ARCS:
                raise TimeoutError

    def holding(self, asked: Sequence[Value]) -> list[int]:
        """Return the values with which variables have some values."""
        return [number for values, number in self.numbers.items() if _holds(values, asked)]


def _open(effect: Effect, operator: Operator) -> list[Value]:
    """Return the conditions of an effect that its operator does not ask for anyhow."""
    return [condition for condition in effect.conditions if condition[0] not in operator.needed]


def _after(values: _Values, way: _Way) -> _Values | None:
    """Return the values behind an operator, of whose effects the later one holds; None where it does not apply."""
    asks, effects = way
    if not _holds(values, asks):
        return None
    behind = list(values)
    for conditions, place, value in effects:
        if _holds(values, conditions):
            behind[place] = value
    return tuple(behind)


def _holds(values: _Values, asked: Sequence[Value]) -> bool:
    return all(values[place] == value for place, value in asked)
