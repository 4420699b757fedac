"""Bounds of all variables that add up, of which none can be better for the observed plan: by a linear program.

How often is an operator of each class inserted at each place, which steps are kept and which skipped, so that every
variable, by itself, has a way through the plan? The cheapest answer in fractions is a lower bound (the state equation,
van den Briel et al. 2007, with an equation for each value at each place; operator counting, Pommerening et al. 2014).
Its dual values are a potential for each value at each place, and what changes may pay to one variable they may be given
by another: prices are negative as well (general cost partitioning, Pommerening et al. 2015), and a kept step, which
costs nothing, may pass on what it gives. ``partition`` shares prices out that never are.

What the solver answers is a guess: potentials are rounded to integers and all inequalities held anew. What an
insertion pays too much makes all potentials smaller, and what a kept or skipped step pays too much is taken from all
places before it, of which every repair passes each once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

import numpy as np
import numpy.typing as npt

from validator.repair.search.backward.projection import FREE
from validator.repair.search.sweep.partition import Partition, Partitions
from validator.repair.search.sweep.projection import NEVER, Move, Numbers, Projection, ends
from validator.resources import loading

__all__ = ["Amounts", "Equation"]

Floats = npt.NDArray[np.float64]

_SCALE = 2**16
"""by which potentials are multiplied before they are rounded"""

_HIGHEST = 2**12
"""what a potential is at most, so that sums are far from NEVER"""

_FALL, _LEAST = 1e-4, 0.5
"""By how much potentials become smaller when an insertion pays too much, and where that is given up."""

_INFINITE = 2**40


@dataclass(frozen=True, kw_only=True)
class Amounts:
    """The cheapest answer in fractions: what is inserted, by class and place; what arrives, by place and value.

    There is one array of what arrives for each variable, with what the place begins with.
    """

    inserted: Floats
    arriving: Sequence[Floats]


class Equation:
    """The linear program of one modified problem, and what its answer says."""

    def __init__(self, partitions: Partitions) -> None:
        """Number its columns and rows: insertions at places, variants of steps, skips; then a way of each variable."""
        self._problem, self._projections = partitions.problem, partitions.projections
        self._first = partitions.first
        self._places = self._problem.length + 1
        self.costs = np.array([change.cost for change in self._problem.alike.classes], dtype=np.int64)
        self._parts: list[tuple[Numbers, Numbers, Numbers]] = []
        self._right: list[Floats] = []
        self._rows = self._columns = 0
        self._inserting = self._new_columns(len(self.costs), self._places)
        self._keeping = [self._new_columns(len(steps)) for steps in self._problem.steps]
        self._skipping = self._new_columns(self._problem.length)
        for place, kept in enumerate(self._keeping):
            row = self._new_rows(np.ones(1))
            self._add(row, kept, 1)
            self._add(row, self._skipping[place], 1)
        self._facts = [self._ways(projection) for projection in self._projections]

    @staticmethod
    def columns(partitions: Partitions) -> int:
        """Return about how many columns there are, before any is made."""
        arcs = sum(len(projection.kinds) + projection.size for projection in partitions.projections)
        return (len(partitions.problem.alike.classes) + arcs) * (partitions.problem.length + 1)

    def program(self) -> bytes:
        """Return what ``linear`` reads."""
        with loading("scipy"):
            from scipy.sparse import csc_array

        rows, columns, entries = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        right = np.concatenate(self._right)
        shape = (self._rows, self._columns)
        matrix = csc_array((entries.astype(np.float64), (rows, columns)), shape=shape)
        costs = np.zeros(self._columns)
        costs[self._inserting] = self.costs[:, None]
        costs[self._skipping] = self._problem.skip
        file = BytesIO()
        np.savez(file, costs=costs, right=right, entries=matrix.data, rows=matrix.indices, starts=matrix.indptr)
        return file.getvalue()

    def _new_columns(self, *shape: int) -> Numbers:
        start, self._columns = self._columns, self._columns + int(np.prod(shape))
        return np.arange(start, self._columns).reshape(shape)

    def _new_rows(self, right: npt.NDArray[np.float64]) -> Numbers:
        start, self._rows = self._rows, self._rows + right.size
        self._right.append(right.ravel())
        return np.arange(start, self._rows).reshape(right.shape)

    def _add(self, rows: Numbers, columns: Numbers, entry: int) -> None:
        rows, columns = np.broadcast_arrays(rows, columns)
        self._parts.append((rows.ravel(), columns.ravel(), np.full(rows.size, entry)))

    def _ways(self, projection: Projection) -> Numbers:
        """Add the ways of one variable through the plan: what goes into each value at each place goes out of it."""
        right = np.zeros((self._places, projection.size))
        right[0, projection.start] = -1
        facts = self._new_rows(right)
        self._add_insertions(projection, facts)
        untouched = np.ones(self._problem.length, dtype=np.bool_)
        for place, moves in projection.moves.items():
            untouched[place] = False
            self._add_step(place, moves, facts)
        here = np.flatnonzero(untouched)
        stays = self._new_columns(len(here), projection.size)
        self._add(facts[here], stays, -1)
        self._add(facts[here + 1], stays, 1)
        goal = np.flatnonzero(projection.goal)
        self._add(facts[-1, goal], self._new_columns(len(goal)), -1)
        return facts

    def _add_insertions(self, projection: Projection, facts: Numbers) -> None:
        """The operators of a kind, at a place, are as many as the arcs that are taken there."""
        kinds = self._new_rows(np.zeros((len(projection.lengths), self._places)))
        self._add(np.repeat(kinds, projection.lengths, axis=0), self._inserting[projection.members], -1)
        arcs = self._new_columns(len(projection.kinds), self._places)
        self._add(kinds[projection.kinds], arcs, 1)
        self._add(facts[:, projection.old].T, arcs, -1)
        self._add(facts[:, projection.new].T, arcs, 1)
        free = kinds[projection.is_free]
        self._add(free, self._new_columns(*free.shape), 1)  # what is set already stays

    def _add_step(self, place: int, moves: Sequence[Move], facts: Numbers) -> None:
        """The same for a step: as many arcs of what it does are taken as it is kept, and else as it is skipped."""
        groups: dict[Move, list[int]] = {(FREE, FREE): [int(self._skipping[place])]}
        for move, column in zip(moves, self._keeping[place].tolist(), strict=True):
            groups.setdefault(move, []).append(column)
        for move, columns in groups.items():
            row = self._new_rows(np.zeros(1))
            before, behind = ends(move)
            arcs = self._new_columns(facts[place, before].size)
            self._add(row, arcs, 1)
            self._add(row, np.array(columns), -1)
            self._add(facts[place, before], arcs, -1)
            self._add(facts[place + 1, behind], arcs, 1)

    def amounts(self, answer: bytes) -> Amounts:
        """Return what an answer of ``linear`` has most cheaply, as far as the solver can be believed."""
        found: Floats = np.load(BytesIO(answer))["amounts"]
        arriving = np.zeros(self._rows)
        for rows, columns, entries in self._parts:
            into = entries > 0
            np.add.at(arriving, rows[into], found[columns[into]])
        every = []
        for facts, projection in zip(self._facts, self._projections, strict=True):
            every.append(arriving[facts])
            every[-1][0, projection.start] += 1
        return Amounts(inserted=found[self._inserting], arriving=every)

    def partition(self, answer: bytes) -> Partition | None:
        """Return the bounds that an answer of ``linear`` proves; None when it proves none."""
        duals: Floats = np.load(BytesIO(answer))["duals"]
        if not np.isfinite(duals).all():
            return None
        share = 1.0
        while share > _LEAST:
            shared = _Shared.of(self, duals, share)
            over = shared.overpaid()
            if over <= 0:
                return shared.partition()
            share *= 1 - over / _SCALE - _FALL
        return None


@dataclass(frozen=True, kw_only=True)
class _Shared:
    """Integer potentials of each variable, by place and value, and what each kind of insertion pays at least."""

    equation: Equation
    potentials: list[Numbers]
    prices: list[Numbers]

    @classmethod
    def of(cls, equation: Equation, duals: Floats, share: float) -> _Shared:
        potentials, prices = [], []
        for facts, projection in zip(equation._facts, equation._projections, strict=True):
            own = np.clip(-duals[facts] * share, -_HIGHEST, _HIGHEST) * _SCALE
            potentials.append(np.floor(own).astype(np.int64))
            prices.append(projection.shares(potentials[-1]))
        return cls(equation=equation, potentials=potentials, prices=prices)

    def overpaid(self) -> int:
        """Return what an insertion pays to all variables together more than it costs, at most."""
        paid = np.zeros((len(self.equation.costs), self.equation._places), dtype=np.int64)
        for projection, prices in zip(self.equation._projections, self.prices, strict=True):
            paid[projection.members] += np.repeat(prices, projection.lengths, axis=0)
        paid -= self.equation.costs[:, None] * _SCALE
        return int(paid.max(initial=-1))

    def partition(self) -> Partition | None:
        """Return the cheapest ways of each variable at these prices, which are no less than its potentials."""
        first, start = self.equation._first, self.equation._problem.init
        found = np.zeros((self.equation._places, first[-1] + 1), dtype=np.int64)
        overpaid = np.zeros(self.equation._places, dtype=np.int64)
        steps = self._steps(overpaid)
        for variable, projection in enumerate(self.equation._projections):
            overpaid[-1] += (end := int(self.potentials[variable][-1, projection.goal].max(initial=0)))
            rows = _distances(projection, self.prices[variable], steps[variable], end)
            found[:, first[variable] : first[variable + 1]] = rows
        found[:, first[-1]] = -overpaid[::-1].cumsum()[::-1]
        is_never = found > _INFINITE // 2
        if np.abs(found, where=~is_never, out=np.zeros_like(found)).max() > NEVER // 2:
            return None
        rest = np.where(is_never, NEVER, found).astype(np.int32)
        total = int(sum(rest[0, first[variable] + value].astype(np.int64) for variable, value in enumerate(start)))
        return Partition(total=-(-(total + int(rest[0, -1])) // _SCALE), rest=rest, scale=_SCALE)

    def _steps(self, overpaid: Numbers) -> list[list[tuple[list[int], int]]]:
        """Return what variants of steps and skips pay to each variable, and add what any pays too much in all."""
        problem = self.equation._problem
        found: list[list[tuple[list[int], int]]] = []
        kept = [np.zeros(len(steps), dtype=np.int64) for steps in problem.steps]
        skipped = np.full(problem.length, -problem.skip * _SCALE, dtype=np.int64)
        for projection, potential in zip(self.equation._projections, self.potentials, strict=True):
            skips = (potential[:-1] - potential[1:]).max(axis=1)
            paid = []
            for place, skip in enumerate(skips.tolist()):
                moves = projection.moves.get(place)
                keeps = [skip] * len(kept[place]) if moves is None else [_pays(potential, place, m) for m in moves]
                kept[place] += np.array(keeps, dtype=np.int64)
                paid.append((keeps, skip))
            skipped += skips
            found.append(paid)
        overpaid[:-1] = np.maximum(
            np.array([variants.max(initial=-_INFINITE) for variants in kept], dtype=np.int64), skipped
        )
        return found


def _pays(potential: Numbers, place: int, move: Move) -> int:
    before, behind = ends(move)
    return int((potential[place, before] - potential[place + 1, behind]).max(initial=-_INFINITE))


def _distances(projection: Projection, prices: Numbers, steps: Sequence[tuple[list[int], int]], end: int) -> Numbers:
    """Return by place and value the cheapest way to the end, where ``end`` is left."""
    row = projection.closed(np.where(projection.goal, end, _INFINITE), prices[:, -1])
    rows = [row]
    for place in reversed(range(len(steps))):
        keeps, skip = steps[place]
        here = row + skip
        for (before, behind), keep in zip(map(ends, projection.moves.get(place, ())), keeps, strict=False):
            here[before] = np.minimum(here[before], row[behind] + keep)
        row = projection.closed(np.minimum(here, _INFINITE), prices[:, place])
        rows.append(row)
    return np.array(rows[::-1])
