"""The modified problem as cost partitioning reads it, and its operators in classes.

``Plain`` is that of a task without conditional effects; with them it is ``Components``, on variables joined.

Operators that are alike for every variable by itself, in classes: what bounds say of one they say of all.

Bounds of single variables see of an operator what it changes and which values it changes; what else it asks for, of
variables that it leaves alone, they do not. So operators that differ only in that have one price in all of them (exact
label reduction, Sievers, Wehrle and Helmert 2014): some thousand classes in place of sixty thousand operators.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from validator.grounding.limits import checked
from validator.grounding.operators import Effect, Operator, Value
from validator.reading.plan import Step
from validator.records import dataclass, replace
from validator.repair.edit import EditTask

FREE = -1
"""no value in particular"""


@dataclass(frozen=True)
class Map:
    """What becomes of each value of a variable; FREE for those at which the operator does not apply."""

    behind: tuple[int, ...]

    @cached_property
    def before(self) -> Sequence[int]:
        """Return the values at which it applies."""
        return tuple(old for old, new in enumerate(self.behind) if new != FREE)

    @cached_property
    def turns(self) -> bool:
        """Return whether it changes some value."""
        return any(new not in (FREE, old) for old, new in enumerate(self.behind))


Choice: TypeAlias = "Sequence[tuple[int, int | Map]]"
"""Variables, and what each must be: a value, or one of those at which a map applies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An operator: what it needs, and what it sets that it does not need already.

    ``maps`` are of the variables of which it asks for, or to which it does, more than one value can tell.
    """

    number: int
    cost: int
    need: Mapping[int, int]
    sets: Mapping[int, int]
    maps: Mapping[int, Map] = {}

    @classmethod
    def of(
        cls, number: int, cost: int, need: Mapping[int, int], sets: Mapping[int, int], maps: Mapping[int, Map]
    ) -> Change:
        """Return an operator; what it sets may be what it needs."""
        changing = {variable: value for variable, value in sets.items() if need.get(variable) != value}
        return cls(number=number, cost=cost, need=need, sets=changing, maps=maps)

    @property
    def turns(self) -> Sequence[tuple[int, Map]]:
        """Return the maps that change a value, and not only ask for some."""
        return [(variable, each) for variable, each in self.maps.items() if each.turns] if self.maps else ()

    @property
    def changed(self) -> Iterable[int]:
        """Return the variables whose value it may change."""
        return chain(self.sets, (variable for variable, _ in self.turns))

    @property
    def touched(self) -> Iterable[int]:
        """Return the variables that it reads or sets."""
        return chain(self.need, self.sets, self.maps)


class Problem(ABC):
    """A modified problem, to be gone through from its beginning; ``length`` is the number of steps that can be kept.

    ``sizes`` are how many values each variable has, ``init`` its value in the initial state. ``steps`` has the variants
    of each observed step that can be kept; at the end one of the ``goals`` must hold. ``skip`` is the price of a skip;
    ``is_unit`` says that each insertion costs the same, ``is_over`` that the search must end.
    """

    sizes: Sequence[int]
    init: Sequence[int]
    steps: Sequence[Sequence[Change]]
    goals: Sequence[Choice]
    changes: Sequence[Change]
    """the operators that may apply"""

    def __init__(self, edit_task: EditTask, is_over: Callable[[], bool]) -> None:
        self.edit_task, self.is_over = edit_task, is_over
        self.length = len(edit_task.kept)
        self.skip = edit_task.weighting.skip
        self.is_unit = edit_task.weighting.insert == 0

    @cached_property
    def alike(self) -> Classes:
        """Return the operators that change something, in classes. Raises TimeoutError as soon as it is over."""
        return Classes.of(self.changes, self.is_over)

    def _numbers(self) -> list[Sequence[int]]:
        """Return the operators of each observed step that can be kept."""
        kept = (self.edit_task.tokens[index] for index in self.edit_task.kept)
        return [self.edit_task.task.numbers(token) for token in kept if isinstance(token, Step)]


class Plain(Problem):
    """The modified problem of an edit task without axioms and conditional effects."""

    def __init__(self, edit_task: EditTask, *, with_goal: bool, is_over: Callable[[], bool] = lambda: False) -> None:
        """Read it; raises TimeoutError as soon as it is over."""
        super().__init__(edit_task, is_over)
        task, price = edit_task.task, edit_task.weighting.insertion
        self.sizes, self.init = task.sizes, task.init
        operators = enumerate(checked(task.operators, is_over))
        self.changes = [Change.of(n, price(each.cost), each.needed, each.effect, {}) for n, each in operators]
        self.steps = [[self.changes[number] for number in numbers] for numbers in self._numbers()]
        self.goals = task.goal_ways if with_goal else ((),)


# --- classes of operators -------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Classes:
    """The operators that change something, class by class; ``classes`` has one of each, with the class's number."""

    operators: Sequence[Change]
    lengths: Sequence[int]
    classes: Sequence[Change]

    @classmethod
    def of(cls, changes: Iterable[Change], is_over: Callable[[], bool]) -> Classes:
        """Sort operators into classes. Raises TimeoutError as soon as it is over."""
        found: dict[object, list[Change]] = {}
        for change in checked(changes, is_over):
            turns = change.turns
            if change.sets or turns:
                arcs = tuple(sorted((v, change.need.get(v, FREE), value) for v, value in change.sets.items()))
                found.setdefault((change.cost, arcs, frozenset(turns)), []).append(change)
        return cls(
            operators=[change for alike in found.values() for change in alike],
            lengths=[len(alike) for alike in found.values()],
            classes=[replace(alike[0], number=number) for number, alike in enumerate(found.values())],
        )


# --- conditional effects --------------------------------------------------------------------------

_MOST_ARCS = 2**18
"""from value to value, by all that operators do to a component; some tenths of a second's"""

_Values: TypeAlias = tuple[int, ...]
"""The values of the variables of a component."""

_Effect: TypeAlias = tuple[tuple[Value, ...], int, int]
"""Conditions on variables of a component, by their places in it, and which one is set to what."""

_Way: TypeAlias = tuple[tuple[Value, ...], tuple[_Effect, ...]]
"""What an operator asks of a component, and what it does there."""


class Components(Problem):
    """The modified problem of an edit task with conditional effects, on variables that are values of several joined.

    A conditional effect reads other variables than the one that it sets. Joined with all that their effects read,
    variables make *components*: of the stickers of a cube, or of the bits of a counter. What an operator does to a
    component depends on nothing else, so it maps its values; those are the combinations that operators can reach in it
    from the initial one, when all else is forgotten: of 24 stickers 24, and not 2**24. Whatever is reached in the task
    is reached in each component, so the plans are the same, at the same costs.
    """

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
        goals = self._task.goal_ways if with_goal else ((),)
        self.goals = [choice for choice in map(self._choice, goals) if choice is not None]

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


def problem_of(edit_task: EditTask, *, with_goal: bool, is_over: Callable[[], bool] = lambda: False) -> Problem | None:
    """Return the problem of an edit task, None of one with axioms or moves, or in which keeping a step costs something.

    Raises TimeoutError as the problems do.
    """
    task = edit_task.task
    if task.has_axioms or edit_task.move is not None or not edit_task.weighting.keeps_freely:
        return None
    kind = Components if task.has_conditional_effects else Plain
    return kind(edit_task, with_goal=with_goal, is_over=is_over)
