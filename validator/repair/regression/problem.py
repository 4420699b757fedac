"""The modified problem backwards: what must hold before a step for the rest of the plan to work.

A node is a place in the plan and what must hold there (goal regression, Waldinger 1975; Bonet and Geffner 2001, HSPr).
Only for tasks without axioms and conditional effects, and for policies under which keeping a step costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, reduce
from itertools import accumulate, chain
from operator import or_
from typing import TypeAlias

from validator.grounding.operators import Value
from validator.records import dataclass
from validator.repair.cost_partitioning.problem import Plain
from validator.repair.edit import EditTask
from validator.repair.regression.apart import Apart
from validator.repair.regression.profiles import Projections

__all__ = ["Facts", "Needs", "Regression"]

Needs: TypeAlias = int
"""What must hold: a bit for each fact, which is a value among those of all variables. At most one of a variable."""


class Facts:
    """The facts of a task as bits: what a set of them is asked costs a few operations, however many there are."""

    def __init__(self, sizes: Sequence[int], mutexes: str) -> None:
        self.first = [0, *accumulate(sizes)]
        self._sizes = sizes
        self._groups = self._read(mutexes)

    def of(self, values: Iterable[Value]) -> Needs:
        found = 0
        for variable, value in values:
            found |= 1 << (self.first[variable] + value)
        return found

    def others(self, value: Value) -> Needs:
        """Return the other values of a variable, of which none holds when this one does."""
        variable = value[0]
        every = (1 << self._sizes[variable]) - 1 << self.first[variable]
        return every & ~self.of((value,))

    def every(self, variables: Iterable[int]) -> Needs:
        """Return all values of some variables."""
        return reduce(or_, ((1 << self._sizes[each]) - 1 << self.first[each] for each in variables), 0)

    def excluded(self, value: Value) -> Needs:
        """Return the facts that never hold together with one: other values, and those of its mutex groups."""
        return self.others(value) | (self._groups.get(value, 0) & ~self.of((value,)))

    def _read(self, mutexes: str) -> Mapping[Value, Needs]:
        """Return for each value the facts of its groups; the values of one variable are no group here."""
        lines = iter(mutexes.splitlines()[1:])
        found: dict[Value, Needs] = {}
        for line in lines:
            if line != "begin_mutex_group":
                continue
            values = [(int(v), int(x)) for v, x in (next(lines).split() for _ in range(int(next(lines))))]
            if len({variable for variable, _ in values}) > 1:
                group = self.of(values)
                for value in values:
                    found[value] = found.get(value, 0) | group
        return found


@dataclass(frozen=True, slots=True)
class _Way:
    """An operator in bits: what must not be needed behind it, what it gives, what it asks, what that excludes."""

    spoils: Needs
    gives: Needs
    asks: Needs
    excludes: Needs


class Regression(Plain):
    """The modified problem of an edit task, to be searched backwards."""

    def __init__(self, edit_task: EditTask, *, with_goal: bool, is_over: Callable[[], bool] = lambda: False) -> None:
        """Prepare the search; raises TimeoutError as soon as it is over."""
        super().__init__(edit_task, with_goal=with_goal, is_over=is_over)
        self.mutexes = edit_task.task.mutexes
        goals = chain.from_iterable(chain.from_iterable(self.stages))
        self.apart = Apart(self.changes, self.steps, self.init, goals)
        self.projections = Projections(
            sizes=self.sizes,
            init=self.init,
            changes=self.changes,
            steps=self.steps,
            skip=self.skip,
            is_over=is_over,
            forgotten=self.apart.variables,
        )

    @property
    def targets(self) -> Sequence[Sequence[Value]]:
        """Return what may be needed at the end, for a search from there: the values of one of these."""
        (targets,) = self.stages
        return targets

    @cached_property
    def facts(self) -> Facts:
        return Facts(self.sizes, self.mutexes)

    @cached_property
    def _ways(self) -> list[_Way | None]:
        """Return the operators that were asked for, in bits."""
        return [None] * len(self.changes)

    def _way(self, number: int) -> _Way:
        change, facts = self.changes[number], self.facts
        asks = facts.of(change.need.items())
        way = self._ways[number] = _Way(
            spoils=reduce(or_, map(facts.others, change.sets.items()), 0),
            gives=facts.of(change.sets.items()),
            asks=asks,
            excludes=reduce(or_, map(facts.excluded, change.need.items()), 0),
        )
        return way

    def before(self, needs: Needs, number: int) -> Needs | None:
        """Return what must hold before an operator for the needs to hold behind it; None when that cannot be."""
        way = self._ways[number] or self._way(number)
        if needs & way.spoils:
            return None
        rest = needs & ~way.gives
        return None if (rest | way.asks) & way.excludes else rest | way.asks
