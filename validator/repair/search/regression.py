"""A proof for long plans: backward search in the modified problem, with lower bounds that add up along the plan.

The search goes from the end of the observed plan to its beginning. A node is a place in the plan and what must hold
there for the rest to work (goal regression, Waldinger 1975; Bonet and Geffner 2001, HSPr). Far from the faults every
change breaks some need, so that hardly anything is looked at there, however long the plan is.

The lower bounds come from two relaxations of the steps before a place:

- for each variable by itself, the least changes after which it has the needed value (an atomic projection);
- the plan is cut into windows between the faults. Every change is counted at one place, so that the least changes that
  let a window through, from any state and to any state, may be added up over the windows. They are found by the same
  search, from the end of a window to its beginning, with nothing needed at first and anything accepted at last.

Only for tasks without axioms and conditional effects, and for policies under which keeping a step costs nothing.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import count, pairwise
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from validator.grounding.operators import Value
from validator.grounding.task import Task
from validator.reading.plan import Step, bare
from validator.records import dataclass, replace
from validator.repair.edit import EditTask
from validator.repair.search.projection import FREE, Change, Needs, Profile, Projections, checked

if TYPE_CHECKING:
    from validator.repair.search.estimate import Estimate, Matrices

__all__ = ["Found", "Regression"]

_Node: TypeAlias = tuple[int, Needs]
"""A place and what must hold there."""

_Before: TypeAlias = tuple[Needs, int]
"""What must hold, and the groups of values of which one is needed, a bit each."""

_PULSE = 8
"""nodes after which a search asks whether it may go on"""

_MOST_NODES = 4096
"""nodes that the search of one window may look at"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """How a search ended: what is proven to be needed at least, and operators of that cost when it has found them."""

    lower: int
    names: tuple[str, ...] | None = None
    nodes: int = 0


class Regression:
    """The modified problem of an edit task, to be searched backwards."""

    def __init__(self, edit_task: EditTask, *, with_goal: bool, is_over: Callable[[], bool] = lambda: False) -> None:
        """Prepare the search; raises TimeoutError as soon as it is over."""
        task = edit_task.task
        weighting = edit_task.weighting
        self.edit_task = edit_task
        self.task: Task = task
        self.skip = weighting.skip
        self.is_unit = weighting.insert == 0
        self.length = len(edit_task.kept)
        self.sizes = [int(variable.split("\n", 4)[3]) for variable in task.variables]
        self.changes = [
            Change.of(number, operator, weighting.insertion(operator.cost))
            for number, operator in enumerate(checked(task.operators, is_over))
        ]
        self.is_over = is_over
        self.steps = [self._variants(edit_task.tokens[index]) for index in edit_task.kept]
        self.targets = self._targets(with_goal)
        self.projections = Projections(
            sizes=self.sizes,
            init=task.init,
            changes=self.changes,
            steps=self.steps,
            skip=self.skip,
            is_over=is_over,
        )

    @staticmethod
    def suits(edit_task: EditTask) -> bool:
        """Return whether a task can be searched backwards."""
        task, weighting = edit_task.task, edit_task.weighting
        plain = not task.has_axioms and not task.has_conditional_effects
        return plain and weighting.inserts and weighting.keep == 0 and weighting.keep_extra == 0

    def _variants(self, token: object) -> list[Change]:
        assert isinstance(token, Step)
        return [self.changes[number] for number in self.task.by_step[bare(token)]]

    def _targets(self, with_goal: bool) -> list[Needs]:
        """Return what may be needed at the end: one of these."""
        if not with_goal:
            return [self._needs(())]
        if self.task.goal is not None:
            return [self._needs(self.task.goal)]
        return [self._needs(operator.needed.items()) for operator in self.task.goal_operators]

    def _needs(self, values: Iterable[Value]) -> Needs:
        needs = [FREE] * len(self.sizes)
        for variable, value in values:
            needs[variable] = value
        return tuple(needs)

    @cached_property
    def matrices(self) -> Matrices:
        from validator.repair.search.estimate import Matrices  # numpy, which most repairs never need

        return Matrices(self.sizes, self.changes)

    @cached_property
    def groups(self) -> Mapping[Value, int]:
        """Return for each value the groups that it is in, a bit each: of a group at most one value ever holds.

        The values of one variable are no group here.
        """
        lines = iter(self.task.mutexes.splitlines()[1:])
        found: dict[Value, int] = {}
        bits = count()
        for line in lines:
            if line != "begin_mutex_group":
                continue
            values = [(int(v), int(x)) for v, x in (next(lines).split() for _ in range(int(next(lines))))]
            if len({variable for variable, _ in values}) > 1:
                bit = 1 << next(bits)
                for value in values:
                    found[value] = found.get(value, 0) | bit
        return found

    def grouped(self, needs: Needs) -> int:
        """Return the groups of which a value is needed."""
        found = 0
        for value in enumerate(needs):
            found |= self.groups.get(value, 0)
        return found

    # --- the needs before a step ---------------------------------------------------------------

    def before(self, needs: Needs, grouped: int, change: Change) -> _Before | None:
        """Return what must hold before an operator for the needs to hold behind it; None when that cannot be."""
        for variable, value in change.sets.items():
            if needs[variable] not in (FREE, value):
                return None
        found, groups = list(needs), self.groups
        for variable, value in change.sets.items():
            if found[variable] != FREE:
                found[variable] = FREE
                grouped &= ~groups.get((variable, value), 0)
        for one in change.need.items():
            variable, value = one
            if found[variable] == FREE:
                own = groups.get(one, 0)
                if own & grouped:
                    return None
                found[variable] = value
                grouped |= own
            elif found[variable] != value:
                return None
        return tuple(found), grouped

    # --- windows -------------------------------------------------------------------------------

    def cuts(self) -> list[int]:
        """Return places between the faults, and both ends: from one to the next, some step contradicts one before."""
        faults: list[tuple[int, int]] = []
        known = {variable: (value, 0) for variable, value in enumerate(self.task.init)}
        for place in range(self.length + 1):
            clash = self._clash(known, place)
            if clash is not None:
                faults.append((max(clash - 1, 0), min(place + 1, self.length)))
                known = {}
            elif place < self.length:
                first = self.steps[place][0]
                known |= {
                    variable: (value, place + 1) for variable, value in (*first.need.items(), *first.sets.items())
                }
        between = ((end + begin) // 2 for (_, end), (begin, _) in pairwise(faults))
        return sorted({0, *between, self.length})

    def _clash(self, known: Mapping[int, tuple[int, int]], place: int) -> int | None:
        """Return the last place at which something became known that a step (or the goal) contradicts."""
        if place == self.length:
            options = [[(v, x) for v, x in enumerate(target) if x != FREE] for target in self.targets]
        else:
            options = [list(step.need.items()) for step in self.steps[place]]
        clashes = []
        for option in options:
            wrong = [known[v][1] for v, x in option if v in known and known[v][0] != x]
            if not wrong:
                return None
            clashes.append(max(wrong))
        return max(clashes, default=None)

    # --- the proof -----------------------------------------------------------------------------

    def prove(
        self, known: Sequence[int], bound: Callable[[], float], go_on: Callable[[int], bool], memory: int
    ) -> Found:
        """Raise the lower bound until it meets ``bound()``, the cost of the best plan so far, or find a cheapest plan.

        ``known`` is what that plan costs at each place, the last one being the end. Raises TimeoutError as soon as it
        is over, if that comes before the search. ``go_on`` is told each lower bound
        and says whether there is time left; ``memory`` is in bytes. Costs are without those of the tokens that can only
        be skipped.
        """
        cuts = self.cuts()
        profiles, offsets, lower = [], [], 0
        for start, end in pairwise(cuts) if len(cuts) > 2 else ():  # a single window is the whole
            profile = self.projections.profile(start, end)
            last = end == self.length
            most = float(sum(known[start : end + last])) if known else inf
            targets = self.targets if last else [self._needs(())]
            estimate = self._estimate([profile], [0])
            found = self._deepen(start, end, targets, estimate, partial(float, most), lambda _: go_on(0), _MOST_NODES)
            profiles.append(profile)
            offsets.append(lower)
            lower += found.lower
            if not go_on(lower):
                return Found(lower=lower)
        if lower >= bound():
            return Found(lower=lower)
        whole = self.projections.profile(0, self.length)
        estimate = self._estimate([*profiles, whole], [*offsets, 0])
        return self._deepen(0, self.length, self.targets, estimate, bound, go_on, self._most_nodes(memory))

    def _estimate(self, profiles: Sequence[Profile], offsets: Sequence[int]) -> Estimate:
        from validator.repair.search.estimate import Estimate

        return Estimate(self.matrices, self.length, profiles, offsets)

    def _most_nodes(self, memory: int) -> int:
        """Return how many nodes a quarter of the memory holds, at eight bytes a variable and some for the rest."""
        return memory // 4 // (8 * len(self.sizes) + 600)

    def _deepen(
        self,
        start: int,
        end: int,
        targets: Sequence[Needs],
        estimate: Estimate,
        bound: Callable[[], float],
        go_on: Callable[[int], bool],
        most_nodes: int,
    ) -> Found:
        """Search for dearer and dearer edits, so that what is too dear is not even looked at (Korf 1985)."""
        lower, step = int(min(estimate(end, target) for target in targets)), 1
        while lower < bound() and go_on(lower):
            limit = min(lower + step, bound())
            asked = partial(_asked, lower, bound, go_on)
            found = self.search(start, end, targets, limit, estimate, asked, most_nodes)
            lower = max(lower, found.lower)
            if found.lower < limit:
                return replace(found, lower=lower)
            step = 1 if self.is_unit else 2 * step
        return Found(lower=lower)

    def search(
        self,
        start: int,
        end: int,
        targets: Sequence[Needs],
        limit: float,
        estimate: Estimate,
        go_on: Callable[[], bool],
        most_nodes: int,
    ) -> Found:
        """Search from the end of a window to its beginning for edits that cost less than a limit.

        ``start`` 0 asks for the initial state there, any other place accepts every state. Without edits the lower
        bound is the limit if there are none, and less if the search was ended before.
        """
        init = self.task.init if start == 0 else None
        best: dict[_Node, int] = {}
        parents: dict[_Node, tuple[_Node, str]] = {}
        heap: list[tuple[float, int, int, int, Needs, int]] = []
        number = count()

        def push(cost: int, place: int, found: _Before, parent: _Node | None, name: str) -> None:
            needs, grouped = found
            node = (place, needs)
            if cost < best.get(node, inf) and (total := cost + estimate(place, needs)) < limit:
                best[node] = cost
                if parent is not None:
                    parents[node] = (parent, name)
                heapq.heappush(heap, (total, place, next(number), cost, needs, grouped))

        for target in targets:
            push(0, end, (target, self.grouped(target)), None, "")
        for expanded in count(1):
            if not heap:
                return Found(lower=int(limit), nodes=expanded)
            total, place, _, cost, needs, grouped = heapq.heappop(heap)
            node = (place, needs)
            if cost > best[node]:
                continue
            if place == start and (init is None or all(x in (FREE, init[v]) for v, x in enumerate(needs))):
                return Found(lower=int(total), names=_way(node, parents), nodes=expanded)
            if (expanded % _PULSE == 0 and not go_on()) or len(best) > most_nodes:
                return Found(lower=int(total), nodes=expanded)
            if place > start:
                for step in self.steps[place - 1]:
                    found = self.before(needs, grouped, step)
                    if found is not None:
                        push(cost, place - 1, found, node, f"k {place - 1}")
                push(cost + self.skip, place - 1, (needs, grouped), node, f"s {place - 1}")
            for index in estimate.insertable(place, limit - cost, needs):
                change = self.changes[index]
                found = self.before(needs, grouped, change)
                if found is not None:
                    push(cost + change.cost, place, found, node, f"i {change.number}")
        raise AssertionError


def _asked(lower: int, bound: Callable[[], float], go_on: Callable[[int], bool]) -> bool:
    """Return whether a search with this lower bound has a reason to go on."""
    return lower < bound() and go_on(lower)


def _way(node: _Node, parents: Mapping[_Node, tuple[_Node, str]]) -> tuple[str, ...]:
    """Return the operators from a node to the end of the plan."""
    names = []
    while node in parents:
        node, name = parents[node]
        names.append(name)
    return tuple(names)
