"""The modified problem as cost partitioning reads it.

``Plain`` is that of a task without conditional effects; with them it is ``components.Components``, on variables joined;
``Stretch`` is a part of either, for a window of a long plan.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Protocol

from validator.grounding.operators import Value
from validator.reading.plan import Step, bare
from validator.records import dataclass, replace
from validator.repair.cost_partitioning.change import FREE, Change, Choice, Map
from validator.repair.cost_partitioning.label_reduction import Classes
from validator.repair.edit import EditTask

__all__ = ["Plain", "Problem", "Stretch"]


class Problem(Protocol):
    """A modified problem, to be gone through from its beginning."""

    @property
    def length(self) -> int:
        """Return how many observed steps can be kept."""

    @property
    def sizes(self) -> Sequence[int]:
        """Return how many values each variable has."""

    @property
    def init(self) -> Sequence[int]:
        """Return the value of each variable in the initial state."""

    @property
    def steps(self) -> Sequence[Sequence[Change]]:
        """Return the variants of each observed step that can be kept."""

    @property
    def stages(self) -> Sequence[Sequence[Choice]]:
        """Return what must hold at the end: one choice of each of these."""

    @property
    def alike(self) -> Classes:
        """Return the operators worth inserting, in classes. Raises TimeoutError as soon as it is over."""

    @property
    def skip(self) -> int:
        """Return what it costs to skip an observed step."""

    @property
    def is_unit(self) -> bool:
        """Return whether each insertion costs the same."""

    @property
    def is_over(self) -> Callable[[], bool]:
        """Return what says whether the search must end."""


class Plain:
    """The modified problem of an edit task without axioms and conditional effects."""

    def __init__(self, edit_task: EditTask, *, with_goal: bool, is_over: Callable[[], bool] = lambda: False) -> None:
        """Read it; raises TimeoutError as soon as it is over."""
        task, weighting = edit_task.task, edit_task.weighting
        self.edit_task, self.is_over = edit_task, is_over
        self.skip = weighting.skip
        self.is_unit = weighting.insert == 0
        self.length = len(edit_task.kept)
        self.sizes = task.sizes
        self.init = task.init
        self.changes = Change.all(task.operators, weighting.insertion, is_over)
        kept = [edit_task.tokens[index] for index in edit_task.kept]
        self.steps = [
            [self.changes[number] for number in task.by_step[bare(token)]] for token in kept if isinstance(token, Step)
        ]
        self.stages: Sequence[Sequence[Sequence[Value]]] = task.goal_stages if with_goal else (((),),)

    @staticmethod
    def suits(edit_task: EditTask) -> bool:
        """Return whether a task is of this kind, and keeping a step costs nothing."""
        task = edit_task.task
        return edit_task.weighting.keeps_freely and not task.has_axioms and not task.has_conditional_effects

    @cached_property
    def alike(self) -> Classes:
        """Return the operators worth inserting, in classes. Raises TimeoutError as soon as it is over."""
        return Classes.of(self.changes, self.is_over)


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """Some steps of a problem, from one state to what must hold behind them."""

    length: int
    sizes: Sequence[int]
    init: Sequence[int]
    steps: Sequence[Sequence[Change]]
    stages: Sequence[Sequence[Choice]]
    alike: Classes
    skip: int
    is_unit: bool
    is_over: Callable[[], bool]

    @classmethod
    def of(
        cls,
        problem: Problem,
        start: int,
        end: int,
        state: Sequence[int],
        goal: Choice | None,
        *,
        is_narrow: bool = False,
    ) -> Stretch:
        """Cut it out; without a ``goal`` it is that of the problem.

        A narrow one has only the operators that get by with the values which the steps, the state and the goal name.
        """
        steps, alike = problem.steps[start:end], problem.alike
        stages = problem.stages if goal is None else ((goal,),)
        if is_narrow:
            named = _named(problem, steps, state, stages)
            near = [change for change in alike.operators if _is_near(change, named, state)]
            alike = Classes.of(near, problem.is_over)
        return cls(
            length=end - start,
            sizes=problem.sizes,
            init=state,
            steps=steps,
            stages=stages,
            alike=alike,
            skip=problem.skip,
            is_unit=problem.is_unit,
            is_over=problem.is_over,
        )

    @classmethod
    def anywhere(cls, problem: Problem, start: int, end: int) -> Stretch:
        """Cut it out from any state to any state, as an abstraction: nothing in it costs more than in the problem.

        At the beginning of the plan it is from the initial state, and at its end the goal is asked for.
        It has the variables that its steps touch, the values that they name, one for all others, and one that is open.
        """
        steps = problem.steps[start:end]
        stages = problem.stages if end == problem.length else ()
        named = _named(problem, steps, problem.init, ())
        view = _View(problem.sizes, named)
        operators = {view.key(change): change for change in problem.alike.operators}
        return cls(
            length=end - start,
            sizes=[len(values) + 2 for values in named.values()],
            init=[view.value(v, problem.init[v]) if start == 0 else len(named[v]) + 1 for v in named],
            steps=[[view.seen(step) for step in variants] for variants in steps],
            stages=[[view.choice(choice) for choice in choices] for choices in stages],
            alike=Classes.of([view.seen(change) for key, change in operators.items() if key], problem.is_over),
            skip=problem.skip,
            is_unit=problem.is_unit,
            is_over=problem.is_over,
        )


def _named(
    problem: Problem, steps: Iterable[Sequence[Change]], state: Sequence[int], stages: Iterable[Sequence[Choice]]
) -> Mapping[int, Mapping[int, int]]:
    """Return by variable the values, numbered, that steps, a state and what must hold at the end name.

    Variables that no step touches are left out where what must hold of them does.
    """
    found: dict[int, set[int]] = {}
    for step in chain.from_iterable(steps):
        for variable, value in chain(step.need.items(), step.sets.items()):
            found.setdefault(variable, {state[variable]}).add(value)
        for variable in step.maps:
            found[variable] = set(range(problem.sizes[variable]))
    for variable, asked in chain.from_iterable(chain.from_iterable(stages)):
        values = [asked] if isinstance(asked, int) else asked.before
        if variable in found or state[variable] not in values:
            found.setdefault(variable, {state[variable]}).update(values)
    return {
        variable: {value: place for place, value in enumerate(sorted(values))} for variable, values in found.items()
    }


def _is_near(change: Change, named: Mapping[int, Mapping[int, int]], state: Sequence[int]) -> bool:
    """Return whether an operator gets by with some values of some variables, and a state's of all others."""
    return (
        all(variable in named and value in named[variable] for variable, value in change.gains)
        and all(value in named.get(variable, (state[variable],)) for variable, value in change.need.items())
        and all(variable in named for variable in change.maps)
    )


class _View:
    """An abstraction of a problem: some variables, of each some values, one for all others, and one that is open."""

    def __init__(self, sizes: Sequence[int], named: Mapping[int, Mapping[int, int]]) -> None:
        self._sizes, self._named = sizes, named
        self._places = {variable: place for place, variable in enumerate(named)}
        self._maps: dict[tuple[int, tuple[int, ...]], Map] = {}

    def value(self, variable: int, value: int) -> int:
        values = self._named[variable]
        return values.get(value, len(values))

    def key(self, change: Change) -> Hashable:
        """Return what operators have in common that are the same here; nothing for those that change nothing."""
        places = self._places
        if not any(variable in places for variable in change.changed):
            return None
        needs = {v: self.value(v, x) for v, x in change.need.items() if v in places}
        gains = [(v, self.value(v, x)) for v, x in change.gains if v in places]
        if not change.maps and all(needs.get(v) == x for v, x in gains):
            return None
        maps = [each for each in change.maps.items() if each[0] in places]
        return change.cost, tuple(gains), tuple(sorted(needs.items())), tuple(maps)

    def seen(self, change: Change) -> Change:
        """Return an operator on these variables."""
        maps: dict[int, Map] = {}
        for variable, value in change.need.items():
            if variable in self._places:
                maps[self._places[variable]] = self._map(variable, value, change.sets.get(variable, value))
        for variable, value in change.sets.items():
            if variable in self._places and variable not in change.need:
                maps[self._places[variable]] = self._map(variable, FREE, value)
        for variable, each in change.maps.items():
            if variable in self._places:
                maps[self._places[variable]] = self._abstract(variable, each.behind)
        return replace(change, need={}, sets={}, gains=(), maps=maps)

    def choice(self, choice: Choice) -> Choice:
        """Return what must hold of these variables."""
        return [
            (
                self._places[variable],
                self._map(variable, asked, asked) if isinstance(asked, int) else self._abstract(variable, asked.behind),
            )
            for variable, asked in choice
            if variable in self._places
        ]

    def _map(self, variable: int, need: int, value: int) -> Map:
        """Return what becomes of each value where an operator needs one, or FREE for any, and sets one."""
        values = range(self._sizes[variable])
        return self._abstract(variable, tuple(value if need in (FREE, old) else FREE for old in values))

    def _abstract(self, variable: int, behind: tuple[int, ...]) -> Map:
        """Return what becomes of each value here, given the same of all values: open if that is several."""
        found = self._maps.get((variable, behind))
        if found is None:
            size = len(self._named[variable])
            results: list[set[int]] = [set() for _ in range(size + 2)]
            for old, new in enumerate(behind):
                if new != FREE:
                    results[self.value(variable, old)].add(self.value(variable, new))
                    results[size + 1].add(self.value(variable, new))
            found = Map(tuple(FREE if not new else new.pop() if len(new) == 1 else size + 1 for new in results))
            self._maps[variable, behind] = found
        return found
