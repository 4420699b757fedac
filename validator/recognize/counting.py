"""Lower bounds of costs by linear programs that count operators, with the observations among their constraints.

How often each operator is used is a variable. What is produced of each value, less what is consumed, must lead from the
initial state to the goal (van den Briel et al. 2007, Bonet 2013); each landmark needs one that achieves it first; and
each observation is explained by one use of an operator that it can mean, or paid for (Santos, Meneguzzi, Pereira and
Pereira 2021, whose observations that are filtered out have here a price as in every other search). All constraints hold
for every plan (Pommerening, Roeger, Helmert and Bonet 2014), so that the least value is a lower bound.

A landmark of a goal is a fact that holds at some time in every plan for it. What is computed here are those of the
delete relaxation (Zhu and Givan 2003, Keyder, Richter and Helmert 2010), once for all goals: the landmarks of a fact
are itself and those that all of its achievers share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from validator.grounding.axioms import rules_of
from validator.grounding.operators import Operator, Value
from validator.grounding.task import Task
from validator.recognize.grounded import Grounded, Meaning, Ways
from validator.recognize.modified import Modified
from validator.records import dataclass, field
from validator.repair.canonical import bits

_SLACK = 1e-4
"""What the optimum of a linear program may be wrong by before it is rounded up."""
_MOST_WAYS = 8
"""Ways to reach a goal for which a program each is solved."""


@dataclass(slots=True)
class _Rows:
    """Constraints ``least <= row`` of a program, an entry at a time."""

    least: list[float] = field(default_factory=list)
    most: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def add(self, entries: Iterable[tuple[int, float]], least: float, most: float = np.inf) -> None:
        for column, value in entries:
            self.rows.append(len(self.least))
            self.columns.append(column)
            self.values.append(value)
        self.least.append(least)
        self.most.append(most)

    def constraint(self, width: int) -> LinearConstraint:
        shape = (len(self.least), width)
        return LinearConstraint(csr_array((self.values, (self.rows, self.columns)), shape=shape), self.least, self.most)


@dataclass(frozen=True, kw_only=True)
class Counting:
    """Programs for one set of observations; costs are integers in units of ``1 / problem.unit``."""

    problem: Modified

    def bound(self, goal: Ways, seconds: float, *, explains: bool) -> Fraction | None:
        """Return a lower bound of a goal's cost, as if nothing was observed or with what a plan leaves unexplained.

        None where none was found.
        """
        if not 0 < len(goal) <= _MOST_WAYS:
            return None
        found = [self._least(way, seconds / len(goal), explains=explains) for way in goal]
        known = [value for value in found if value is not None]
        return Fraction(min(known), self.problem.unit) if len(known) == len(found) else None

    def _least(self, way: Sequence[Value], seconds: float, *, explains: bool) -> int | None:
        """Return the optimum for one conjunction, rounded up to a cost that a plan can have."""
        wanted, costs = frozenset(way), self._costs
        rows = _Rows()
        for (variable, value), produced in self._flows.items():
            is_initial = self.problem.grounded.task.init[variable] == value
            rows.add(produced.items(), ((variable, value) in wanted) - is_initial)
        for entries in self._achievers(self.landmarks.of_goal((tuple(way),)) or 0):
            rows.add(entries, 1.0)
        if explains:
            costs = [*costs, *self._explain(rows)]
        if not costs:
            return None
        found = milp(
            costs,
            constraints=rows.constraint(len(costs)),
            bounds=Bounds(0, np.inf),
            options={"time_limit": max(seconds, 0.01)},
        )
        if found.status != 0:
            return None
        least = float(found.fun)
        return max(0, ceil(least - _SLACK - 1e-7 * abs(least)))

    # --- what every program has ---------------------------------------------------------------------

    @cached_property
    def landmarks(self) -> _Landmarks:
        return _landmarks(self.problem.grounded)

    @cached_property
    def _operators(self) -> list[Operator]:
        grounded = self.problem.grounded
        return [grounded.task.operators[number] for number in grounded.operators]

    @cached_property
    def _costs(self) -> list[float]:
        return [float(self.problem.weighting.insertion(operator.cost)) for operator in self._operators]

    @cached_property
    def _flows(self) -> dict[Value, dict[int, float]]:
        """Return for each value what produces it at most, and consumes it at least."""
        found: dict[Value, dict[int, float]] = {}
        for column, operator in enumerate(self._operators):
            for effect in operator.effect_values:
                before = operator.needed.get(effect.variable)
                if before == effect.value:
                    continue
                found.setdefault((effect.variable, effect.value), {})[column] = 1.0
                if before is not None and not effect.conditions:
                    found.setdefault((effect.variable, before), {}).setdefault(column, -1.0)
        return found

    @cached_property
    def _first(self) -> dict[int, list[tuple[int, float]]]:
        """Return for each landmark the operators that can achieve it first: they do not need it to have held before."""
        found: dict[int, dict[int, float]] = {}
        for column, (number, operator) in enumerate(zip(self.problem.grounded.operators, self._operators, strict=True)):
            needed = self.landmarks.needed(number)
            for effect in operator.effect_values if needed is not None else ():
                bit = self.landmarks.bits.get((effect.variable, effect.value), 0)
                if bit and not (needed or 0) & bit:
                    found.setdefault(bit.bit_length() - 1, {})[column] = 1.0
        return {bit: list(entries.items()) for bit, entries in found.items()}

    def _achievers(self, landmarks: int) -> Iterator[list[tuple[int, float]]]:
        """Yield for each landmark what can achieve it first; nothing for one that an axiom derives."""
        return (self._first[bit] for bit in bits(landmarks & ~self.landmarks.initial) if bit in self._first)

    # --- observations ------------------------------------------------------------------------------

    def _explain(self, rows: _Rows) -> list[float]:
        """Add the constraints of the observations, and return the costs of the variables that they bring with them."""
        problem, first = self.problem, len(self._costs)
        columns = {number: column for column, number in enumerate(problem.grounded.operators)}
        costs: list[float] = []
        uses: dict[int, list[int]] = {}
        for one in problem.observed.seen:
            paid: list[tuple[int, float]] = []
            if one.price is not None:
                paid = [(first + len(costs), 1.0)]
                costs.append(float(one.price * problem.unit))
            entries = []
            for column in map(columns.__getitem__, problem.grounded.meant(one)):
                cost = self._operators[column].cost
                uses.setdefault(column, []).append(first + len(costs))
                entries.append((first + len(costs), 1.0))
                costs.append(float(problem.weighting.keeping_cost(cost) - problem.weighting.insertion(cost)))
            if entries:
                rows.add((*entries, *paid), 1.0, 1.0)
            for achievers in self._achievers(self.landmarks.seen_by(one)):
                rows.add((*achievers, *paid), 1.0)
        for column, explained in uses.items():
            rows.add(((column, 1.0), *((other, -1.0) for other in explained)), 0.0)
        return costs


# --- landmarks --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Landmarks:
    """The landmarks of each fact that can be reached, as a set of bits; ``bits`` gives the bit of each fact."""

    grounded: Grounded
    bits: dict[Value, int]
    of: dict[Value, int]
    initial: int

    def of_goal(self, goal: Ways) -> int | None:
        """Return what all ways to reach a goal share."""
        return _common(self._conjunction(way) for way in goal)

    def seen_by(self, one: Meaning) -> int:
        """Return what must have held when an observation was made, whatever of its meanings it has."""
        meanings = [self._conjunction(way) for way in one.ways or ()]
        meanings += map(self._step, self.grounded.meant(one))
        return _common(meanings) or 0

    def needed(self, number: int) -> int | None:
        """Return the landmarks of an operator's preconditions; None when they are out of reach."""
        return self._conjunction(self.grounded.task.operators[number].needed.items())

    def _step(self, number: int) -> int | None:
        needed = self.needed(number)
        if needed is None:
            return None
        for effect in self.grounded.task.operators[number].effect_values:
            if not effect.conditions:
                needed |= self.bits.get((effect.variable, effect.value), 0)
        return needed

    def _conjunction(self, values: Iterable[Value]) -> int | None:
        """Return the landmarks of several facts together; None when one of them is out of reach."""
        found = 0
        for value in values:
            if value in self.bits:
                landmarks = self.of.get(value)
                if landmarks is None:
                    return None
                found |= landmarks
        return found


def _common(sets: Iterable[int | None]) -> int | None:
    found: int | None = None
    for one in sets:
        if one is not None:
            found = one if found is None else found & one
    return found


def _landmarks(grounded: Grounded) -> _Landmarks:
    """Compute the landmarks of all facts, to the fixpoint."""
    bits = {value: 1 << place for place, value in enumerate(_atoms(grounded.task))}
    initial = [value for value in enumerate(grounded.task.init) if value in bits]
    of = {value: bits[value] for value in initial}
    rules = [
        (tuple(filter(bits.__contains__, body)), head, bits[head]) for body, head in _rules(grounded) if head in bits
    ]
    users: dict[Value, list[int]] = {}
    for number, (body, _, _) in enumerate(rules):
        for value in body:
            users.setdefault(value, []).append(number)
    waiting = list(range(len(rules)))
    queued = set(waiting)
    while waiting:
        batch, waiting = waiting, []
        queued.clear()
        for number in batch:
            body, head, bit = rules[number]
            landmarks = bit
            for value in body:
                known = of.get(value)
                if known is None:
                    break
                landmarks |= known
            else:
                before = of.get(head)
                after = landmarks if before is None else before & landmarks
                if after != before:
                    of[head] = after
                    for user in users.get(head, ()):
                        if user not in queued:
                            queued.add(user)
                            waiting.append(user)
    together = 0
    for value in initial:
        together |= bits[value]
    return _Landmarks(grounded=grounded, bits=bits, of=of, initial=together)


def _atoms(task: Task) -> Iterator[Value]:
    """Yield the values that are atoms, and not the absence of some."""
    for variable, text in enumerate(task.variables):
        for value, name in enumerate(text.splitlines()[4:-1]):
            if name.startswith("Atom "):
                yield variable, value


def _rules(grounded: Grounded) -> Iterator[tuple[tuple[Value, ...], Value]]:
    """Yield what makes each fact true: an operator's or an axiom's conditions, and the fact."""
    for number in grounded.operators:
        operator = grounded.task.operators[number]
        for effect in operator.effect_values:
            yield (*operator.needed.items(), *effect.conditions), (effect.variable, effect.value)
    yield from ((tuple(body), head) for head, body in rules_of(grounded.task.axioms))
