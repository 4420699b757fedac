"""All repairs up to a cost, place by place: the states before a step, what is inserted there, the step kept or skipped.

Of repairs that differ only in the order of steps that commute one is looked at: an insertion stands as late as it can,
so never right before a skipped step, nor before a kept one with which it commutes. A state whose price so far and bound
of the rest pass the limit is left out. So at a place there are few states, and all of them are looked at at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain

import numpy as np
import numpy.typing as npt

from validator.grounding.limits import checked
from validator.records import dataclass
from validator.repair.cost_partitioning.partition import NEVER, Numbers, Partition
from validator.repair.cost_partitioning.problem import Change, Choice, Map, Problem
from validator.repair.cost_partitioning.states import (
    Bools,
    Inserted,
    Maps,
    Rows,
    Sorted,
    States,
    cheapest,
    in_parts,
    keys_of,
)

_BRANCHES = 8
"""times as many insertions as states are looked at in one go on the way to any repair"""

_MOST_PAIRS = 2**18
"""states and operators that are looked at in one go"""


@dataclass(frozen=True, kw_only=True)
class Swept:
    """How a search up to a cost ended: the cheapest repair, if it costs no more, else what one costs at least."""

    lower: int
    names: tuple[str, ...] | None = None
    states: int = 0


class Layers:
    """Goes through a plan with the bounds of some partitions, of which the highest counts."""

    def __init__(self, problem: Problem, most: int) -> None:
        """Prepare it; at most ``most`` states are held."""
        self._problem = problem
        first = [0, *accumulate(problem.sizes)]
        self._first = np.array(first, dtype=np.int64)
        self._most, self._most_pairs = most, max(1, min(_MOST_PAIRS, most // 8))
        alike = problem.alike
        self._class = np.repeat(np.arange(len(alike.classes)), alike.lengths)
        """of each operator; what follows is of classes, but for what operators ask for and their names"""
        self._costs = np.array([change.cost for change in alike.classes], dtype=np.int64)
        last, none = len(problem.sizes), int(self._first[-1])
        self._variables = _columns([[*change.sets] for change in alike.classes], last)
        self._values = _columns([[self._first[v] + x for v, x in c.sets.items()] for c in alike.classes], none)
        before = [[self._first[v] + c.need[v] if v in c.need else -1 for v in c.sets] for c in alike.classes]
        self._before = _columns(before, none)
        self._setting = _by_variable([change.changed for change in alike.classes], last)
        needs = [sorted(change.need.items(), key=lambda need: -problem.sizes[need[0]]) for change in alike.operators]
        self._asked = _columns([[v for v, _ in needed] for needed in needs], last)
        self._needs = _columns([[first[v] + x for v, x in needed] for needed in needs], none)
        """of each operator, and ``_asked`` the variables; the first one is of the variable with the most values"""
        self._needing = _by_variable([[*change.need, *change.maps] for change in alike.operators], last)
        self._names = np.array([change.number for change in alike.operators], dtype=np.int64)
        self._maps = Maps(first, _maps(problem))
        self._turning = self._maps.numbers([change.turns for change in alike.classes])
        self._asking = self._maps.numbers([tuple(change.maps.items()) for change in alike.operators])

    def guide(self, partitions: Sequence[Partition]) -> None:
        """Take the bounds of some partitions."""
        self._rests = [partition.rest for partition in partitions]
        rest = self._rests[0]
        differs = np.logical_or.reduceat(rest[1:, :-1] != rest[:-1, :-1], self._first[:-1], axis=1)
        self._changed = [np.flatnonzero(row) for row in differs]

    def run(self, limit: int, go_on: Callable[[], bool], width: int | None = None) -> Swept:
        """Look at all repairs that cost at most ``limit``. Raises TimeoutError when it must not go on.

        With a ``width`` only at those through so many states at a time, the most hopeful ones: then what is found is a
        repair, and nothing is proven, not by ``lower`` either (beam search, Lowerre 1976).
        """
        self._limit, self._least = limit, NEVER
        self._go_on, self._width = go_on, width
        self._parents: list[int] = []
        self._moves: list[int] = []
        self._added = self._costs.copy()
        init = [*(self._first[:-1] + self._problem.init).tolist(), int(self._first[-1])]
        rows = np.array([init], dtype=np.int32)
        arrived = self._numbered(rows, np.zeros(1, dtype=np.int64), np.array([-1]), np.array([0]))
        arrived = self._within(0, arrived)
        for place, steps in enumerate(self._problem.steps):
            ready = self._inserted(place, arrived, steps)
            arrived = self._hopeful(place + 1, self._passed(place, arrived, ready, steps))
            if not len(arrived):
                return Swept(lower=self._at_least(), states=len(self._moves))
        ready = self._inserted(self._problem.length, arrived, None)
        return self._ended(ready)

    def _ended(self, ready: States) -> Swept:
        """Return the cheapest of the states at the end that have what is asked for."""
        good = np.zeros(len(ready), dtype=np.bool_)
        for goal in self._problem.goals:
            good |= self._has(ready.rows, goal)
        if not good.any():
            return Swept(lower=self._at_least(), states=len(self._moves))
        best = ready.of(good)
        index = int(np.argmin(best.costs))
        names = self._way(int(best.numbers[index]))
        return Swept(lower=int(best.costs[index]), names=names, states=len(self._moves))

    def _at_least(self) -> int:
        """Return what any repair costs beyond the limit; a sum with what is never reached may be a little less."""
        return NEVER if self._least >= NEVER // 2 else self._least

    def _way(self, number: int) -> tuple[str, ...]:
        """Return the edits that lead to a state."""
        names = []
        while self._parents[number] >= 0:
            move = self._moves[number]
            place, kind = divmod(~move, 2)
            names.append(f"i {move}" if move >= 0 else f"{'ks'[kind]} {place}")
            number = self._parents[number]
        return tuple(reversed(names))

    def _numbered(self, rows: Rows, costs: Numbers, parents: Numbers, moves: Numbers) -> States:
        """Write down where states come from."""
        start = len(self._moves)
        self._parents += parents.tolist()
        self._moves += moves.tolist()
        if len(self._moves) > self._most or not self._go_on():
            raise TimeoutError
        return States(rows=rows, costs=costs, numbers=np.arange(start, len(self._moves)))

    def _is_over(self) -> bool:
        return not self._go_on()

    def _within(self, place: int, states: States) -> States:
        """Return the states that a repair within the limit may have there, and note what the others cost."""
        return states.of(self._fits(states.costs + self._rest(place, states.rows)))

    def _hopeful(self, place: int, states: States) -> States:
        """Return as many states as are wanted, those that may lead to the cheapest repairs."""
        if self._width is None or len(states) <= self._width:
            return states
        totals = states.costs + self._rest(place, states.rows)
        return states.of(np.argsort(totals, kind="stable")[: self._width])

    def _fits(self, totals: Numbers) -> Bools:
        fits: Bools = totals <= self._limit
        if not fits.all():
            self._least = min(self._least, int(totals[~fits].min()))
        return fits

    def _rest(self, place: int, rows: Rows) -> Numbers:
        found: Numbers = np.max([rest[place][rows].sum(axis=1) for rest in self._rests], axis=0)
        return found

    def _passed(self, place: int, arrived: States, ready: States, steps: Sequence[Change]) -> States:
        """Return the states behind a step."""
        found = []
        for step in steps:
            kept = ready.of(self._has(ready.rows, (*step.need.items(), *step.maps.items())))
            rows = kept.rows.copy()
            for variable, value in step.sets.items():
                rows[:, variable] = self._first[variable] + value
            for variable, mapped in step.turns:
                rows[:, variable] = self._maps.behind(self._maps.number(variable, mapped), kept.rows[:, variable])
            found.append((rows, kept.costs, kept.numbers, ~(2 * place)))
        found.append((arrived.rows, arrived.costs + self._problem.skip, arrived.numbers, ~(2 * place + 1)))
        rows, costs, parents = (np.concatenate([part[index] for part in found]) for index in range(3))
        moves = np.concatenate([np.full(len(part[1]), part[3]) for part in found])
        chosen = np.flatnonzero(self._fits(costs + self._rest(place + 1, rows)))
        chosen = chosen[cheapest(rows[chosen], costs[chosen], self._is_over)]
        return self._numbered(rows[chosen], costs[chosen], parents[chosen], moves[chosen])

    def _inserted(self, place: int, arrived: States, steps: Sequence[Change] | None) -> States:
        """Return the states at a place in which the next step may be kept; None is the end of the plan."""
        useful = self._useful(place, arrived)
        possible = self._possible(arrived, useful)
        if not len(possible):
            return arrived
        depends = self._depends(steps)
        reached = dict(zip(keys_of(arrived.rows), arrived.costs.tolist(), strict=True))
        kept = dict(reached)
        ready, newest = [arrived], arrived
        while len(possible):
            found = self._successors(place, newest, possible, depends)
            late = depends[found.operators]
            if late.any():
                ready.append(self._new(found.of(late), kept))
            newest = self._hopeful(place, self._new(found, reached))
            possible = self._possible(newest, useful)
        joined = States.joined(ready)
        return joined.of(cheapest(joined.rows, joined.costs, self._is_over))

    def _possible(self, states: States, operators: Numbers) -> Numbers:
        """Return the operators of which each need holds in one of the states or another."""
        holds = np.zeros(int(self._first[-1]) + 1, dtype=np.bool_)
        holds[states.rows] = True
        for needs in self._needs:
            operators = operators[holds[needs[operators]]]
        return operators

    def _useful(self, place: int, states: States) -> Numbers:
        """Return the operators that a repair within the limit may have there, whatever the state.

        What a state costs with its rest is at least the least of all that arrived, as bounds never fall on the way.
        Every place is asked for, one behind the other: what an operator adds is computed anew where bounds changed.
        """
        rest = self._rests[0][place]
        falls = self._maps.falls(rest)
        if place == 0:
            self._add(rest, falls, slice(None))
        else:
            for variable in self._changed[place - 1]:
                self._add(rest, falls, self._setting[variable])
        if not len(states):
            return np.zeros(0, dtype=np.intp)
        least = int((states.costs + rest[states.rows].sum(axis=1)).min())
        useful: Numbers = np.flatnonzero(self._fits(self._added + least)[self._class])
        return useful

    def _add(self, rest: npt.NDArray[np.int32], mapped: Numbers, classes: Numbers | slice) -> None:
        """Compute what classes of operators add to price and bound at least, ``mapped`` of their maps."""
        highest = np.append(np.maximum.reduceat(rest[:-1], self._first[:-1]), 0)
        old = self._before[:, classes]
        before = np.where(old >= 0, rest[old], highest[self._variables[:, classes]])
        falls = (rest[self._values[:, classes]] - before).sum(axis=0)
        self._added[classes] = self._costs[classes] + falls + mapped[self._turning[:, classes]].sum(axis=0)

    def _depends(self, steps: Sequence[Change] | None) -> Bools:
        """Return which operators do not commute with a step: behind others they need not stand before it."""
        classes = np.full(len(self._costs), steps is None, dtype=np.bool_)
        for step in steps or ():
            for variable in set(step.touched):
                classes[self._setting[variable]] = True
        found: Bools = classes[self._class]
        for step in steps or ():
            for variable in step.changed:
                found[self._needing[variable]] = True
        return found

    def _has(self, rows: Rows, asked: Choice) -> Bools:
        """Return which rows have what is asked for."""
        found = np.ones(len(rows), dtype=np.bool_)
        for variable, value in asked:
            facts = rows[:, variable]
            if isinstance(value, Map):
                found &= self._maps.behind(self._maps.number(variable, value), facts) >= 0
            else:
                found &= facts == self._first[variable] + value
        return found

    def _new(self, found: Inserted, known: dict[bytes, int]) -> States:
        """Return the states that are not known, or not as cheap, and take them to what is known."""
        found = found.of(cheapest(found.rows, found.costs, self._is_over))
        new = []
        costed = zip(keys_of(found.rows), found.costs.tolist(), strict=True)
        for index, (key, cost) in enumerate(checked(costed, self._is_over)):
            if cost < known.get(key, NEVER):
                known[key] = cost
                new.append(index)
        found = found.of(np.array(new, dtype=np.intp))
        return self._numbered(found.rows, found.costs, found.parents, self._names[found.operators])

    def _successors(self, place: int, states: States, operators: Numbers, depends: Bools) -> Inserted:
        """Return what is inserted behind some states, within the limit."""
        found: list[Inserted] = []
        count = 0
        added = self._added[self._class[operators]]
        sorted_operators = Sorted(operators, self._needs[0, operators], added, int(self._first[-1]) + 1)
        for part in in_parts(states):
            bounds = [rest[place][part.rows].sum(axis=1) for rest in self._rests]
            slack = self._limit - (part.costs + bounds[0])
            pairs, beyond = sorted_operators.pairs(part.rows, slack, self._most_pairs)
            self._least = min(self._least, self._limit + beyond)
            for lines, inserted in pairs:
                found.append(self._applied(place, part, bounds, lines, inserted))
                count += len(found[-1])
                if self._width is not None and count > (most := _BRANCHES * self._width):
                    found = [Inserted.joined(found).best(most)]
                    count = most
                elif count > self._most // 2:
                    found = [self._once(Inserted.joined(found), depends)]
                    if (count := len(found[0])) > self._most // 4:
                        raise TimeoutError
        return Inserted.joined(found)

    def _once(self, found: Inserted, depends: Bools) -> Inserted:
        """Return each state once, as cheaply as it came, and once more by operators that do not commute."""
        late = np.flatnonzero(depends[found.operators])
        late = late[cheapest(found.rows[late], found.costs[late], self._is_over)]
        return found.of(np.union1d(cheapest(found.rows, found.costs, self._is_over), late))

    def _applied(
        self, place: int, states: States, bounds: Sequence[Numbers], lines: Numbers, operators: Numbers
    ) -> Inserted:
        """Return the same of some states, of which ``bounds`` are those of each partition, and operators."""
        if not self._go_on():
            raise TimeoutError
        for variables, needs in zip(self._asked[1:], self._needs[1:], strict=True):
            holds = states.rows[lines, variables[operators]] == needs[operators]
            lines, operators = lines[holds], operators[holds]
        for numbers in self._asking:
            asked = numbers[operators]
            holds = self._maps.behind(asked, states.rows[lines, self._maps.variables[asked]]) >= 0
            lines, operators = lines[holds], operators[holds]
        classes = self._class[operators]
        costs = states.costs[lines] + self._costs[classes]
        rests = []
        for table, bound in zip(self._rests, bounds, strict=True):
            rest, own = table[place], bound[lines]
            for variables, values in zip(self._variables, self._values, strict=True):
                own = own + rest[values[classes]] - rest[states.rows[lines, variables[classes]]]
            for _, old, new in self._turned(states.rows, lines, classes):
                own = own + rest[new] - rest[old]
            rests.append(own)
        totals = costs + np.max(rests, axis=0)
        fits = self._fits(totals)
        lines, operators, classes = lines[fits], operators[fits], classes[fits]
        rows = states.rows[lines]
        every = np.arange(len(rows))
        for variables, values in zip(self._variables, self._values, strict=True):
            rows[every, variables[classes]] = values[classes]
        for turned, _, new in self._turned(states.rows, lines, classes):
            rows[every, turned] = new
        return Inserted(
            rows=rows, costs=costs[fits], parents=states.numbers[lines], operators=operators, totals=totals[fits]
        )

    def _turned(self, rows: Rows, lines: Numbers, classes: Numbers) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
        """Yield variables whose values maps of classes change in rows, the facts before and those behind."""
        for numbers in self._turning:
            chosen = numbers[classes]
            variables = self._maps.variables[chosen]
            old = rows[lines, variables]
            yield variables, old, self._maps.behind(chosen, old)


def _maps(problem: Problem) -> Iterator[tuple[int, Map]]:
    """Yield the maps of operators, of observed steps and of what is asked for at the end, each with its variable."""
    for change in chain(problem.alike.operators, *problem.steps):
        yield from change.maps.items()
    for variable, asked in chain.from_iterable(problem.goals):
        if isinstance(asked, Map):
            yield variable, asked


def _by_variable(named: Sequence[Iterable[int]], variables: int) -> list[Numbers]:
    """Return for each variable the numbers of the operators, or of their classes, that name it."""
    found: list[list[int]] = [[] for _ in range(variables)]
    for number, names in enumerate(named):
        for variable in names:
            found[variable].append(number)
    return [np.array(numbers, dtype=np.intp) for numbers in found]


def _columns(rows: Sequence[Sequence[int]], none: int) -> Numbers:
    """Return rows as columns of one length, filled with ``none``."""
    found = np.full((max(map(len, rows), default=0) or 1, len(rows)), none, dtype=np.int64)
    lengths = np.array([len(row) for row in rows], dtype=np.intp)
    ends = np.cumsum(lengths)
    values = np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=int(lengths.sum()))
    found[np.arange(len(values)) - np.repeat(ends - lengths, lengths), np.repeat(np.arange(len(rows)), lengths)] = (
        values
    )
    return found
