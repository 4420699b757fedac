"""A proof from both ends, where every step applies in every state and can be undone: the turns of a cube.

There each change of the plan, wherever it stands, is a map of the states that the plan may end in: back from there to
the place of the change, the change, and all steps behind it again (its conjugate). So a repair is a few such maps, in
the order of their places, that lead from where the observed plan ends to the goal. Half of them are looked at from
there, half back from the goal, and where both may meet there is one more between them (bidirectional search, Pohl
1971). Bounds of single variables are worth nothing here, as a turn changes nearly all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from itertools import product
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from validator.records import dataclass
from validator.repair.search.backward.projection import FREE, Change
from validator.repair.search.backward.search import Found
from validator.repair.search.sweep.problem import Problem
from validator.repair.search.sweep.projection import Numbers, held

__all__ = ["prove", "suits"]

_Facts: TypeAlias = npt.NDArray[np.int16]
_Hashes: TypeAlias = npt.NDArray[np.uint64]

_MOST_TOGETHER = 2**10
"""values of several variables that are looked at as one"""

_MOST_FACTS = 2**15
"""of all that the goal names"""

_MOST_MAPPED = 2**26
"""facts that all changes map: a second or two, and twice as many bytes"""

_MOST_GOALS = 256
"""states that the goal allows"""

_MOST_STATES = 2**21
"""from one end, before those that are the same are left out"""

_MOST_TRIED = 2**26
"""states in which one more change is tried between both ends: some seconds"""

_STATE = 64
"""Bytes of a state beside its facts."""

_BITS = 22
"""of a hash, by which most states are told that are not among the others"""

_REST = np.uint64(64 - _BITS)


@dataclass(frozen=True, kw_only=True)
class _Edit:
    """Changes that do the same to what the plan ends in, in the order of their places.

    The step of number n is at 2n + 1: it is skipped from there to 2n + 2, and insertions before it are at 2n.
    """

    behind: _Facts
    before: _Facts
    starts: Numbers
    ends: Numbers
    operators: Sequence[int]
    """that are inserted, FREE for a skip"""


@dataclass(frozen=True, kw_only=True)
class _States:
    """States in the order of their places: where others may follow from, or up to where they may come before.

    No state is there twice, and none has the hash of another one.
    """

    facts: _Facts
    """one group of variables a row, one state a column"""
    places: Numbers
    hashes: _Hashes
    """sorted; ``by_hash`` are their states"""
    by_hash: Numbers
    origins: Numbers
    """of each state the one that it comes from, the edit, and at which of its places"""
    known: npt.NDArray[np.bool_]
    """whether there is a hash with such first bits"""

    def find(self, hashes: _Hashes, facts: _Facts, edit: _Facts) -> tuple[Numbers, Numbers]:
        """Return which states an edit makes one of these of, and which one; the hashes are those behind it."""
        mine = np.flatnonzero(self.known[hashes >> _REST])
        places = np.searchsorted(self.hashes, hashes[mine])
        places[places == len(self.hashes)] = 0
        hit = self.hashes[places] == hashes[mine]
        mine, theirs = mine[hit], self.by_hash[places[hit]]
        same = (edit[facts[:, mine]] == self.facts[:, theirs]).all(axis=0)
        return mine[same], theirs[same]


def suits(problem: Problem) -> bool:
    """Return whether each step applies everywhere, can be undone as far as the goal goes, and costs one to change."""
    operators = problem.alike.operators
    if len(problem.stages) != 1 or any(len(variants) != 1 for variants in problem.steps):
        return False
    goal = set(_named(problem))
    size = sum(size for _, size in _together(problem))
    changes = [*operators, *(step for (step,) in problem.steps)]
    return (
        problem.is_unit
        and problem.skip == 1
        and all(change.cost == 1 for change in operators)
        and all(_can_be_undone(change, goal, problem.sizes) for change in changes)
        and size <= _MOST_FACTS
        and size * (problem.length + 1) * (len(operators) + 1) <= _MOST_MAPPED
        and sum(prod(map(len, values)) for values in _goals(problem)) <= _MOST_GOALS
    )


def _named(problem: Problem) -> list[int]:
    """Return the variables that the goal names."""
    return sorted({variable for choice in problem.stages[0] for variable, _ in choice})


def _together(problem: Problem) -> list[tuple[list[int], int]]:
    """Return these variables in groups, and how many values each group has: fewer numbers to look at for a state."""
    found: list[tuple[list[int], int]] = []
    for variable in sorted(_named(problem), key=lambda variable: problem.sizes[variable]):
        size = problem.sizes[variable]
        if found and found[-1][1] * size <= _MOST_TOGETHER:
            group, others = found.pop()
            found.append(([*group, variable], others * size))
        else:
            found.append(([variable], size))
    return found


def _goals(problem: Problem) -> Iterator[list[Sequence[int]]]:
    """Yield the values of these variables with which the goal is reached, choice by choice."""
    for choice in problem.stages[0]:
        asked = {variable: held(value) for variable, value in choice}
        yield [asked.get(variable, range(problem.sizes[variable])) for variable in _named(problem)]


def _can_be_undone(change: Change, goal: Set[int], sizes: Sequence[int]) -> bool:
    """Return whether a change applies everywhere, and makes of each value that the goal may name another one."""
    return (
        all(sizes[variable] == 1 for variable in change.need)
        and all(sizes[variable] == 1 for variable in change.sets if variable in goal)
        and all(FREE not in each.behind for each in change.maps.values())
        and all(len(set(each.behind)) == len(each.behind) for v, each in change.maps.items() if v in goal)
    )


def prove(problem: Problem, bound: Callable[[], float], go_on: Callable[[int], bool], memory: int) -> Found:
    """Raise the lower bound until it meets ``bound()``, a repair is found, or states are too many or come to an end.

    ``go_on`` is told each lower bound and says whether there is time left; ``memory`` is in bytes. Costs are without
    those of the tokens that can only be skipped.
    """
    lower = 0
    with suppress(TimeoutError):
        ends = _Ends(problem, memory, lambda: not go_on(0))
        while lower < bound() and go_on(lower):
            names = ends.repair(lower)
            if names is not None:
                return Found(lower=lower, names=names)
            lower += 1
    return Found(lower=lower)


class _Ends:
    """What is reached by more and more changes from where the observed plan ends, and back from the goal."""

    def __init__(self, problem: Problem, memory: int, is_over: Callable[[], bool]) -> None:
        """Read a problem that ``suits``. Raises TimeoutError as soon as it is over, as do the others."""
        self._is_over = is_over
        self._length = problem.length
        self._sizes, together = problem.sizes, _together(problem)
        self._groups = [group for group, _ in together]
        sizes = [size for _, size in together]
        self._first = np.cumsum([0, *sizes])[:-1]
        self._most = min(_MOST_STATES, memory // 8 // (2 * len(sizes) + _STATE))
        self._same = np.arange(sum(sizes), dtype=np.int16)
        self._numbers = np.random.default_rng(0).integers(2**64, size=sum(sizes), dtype=np.uint64)
        behind = [self._same]  # of each place, what the steps behind it make of a fact
        for (step,) in reversed(problem.steps):
            behind.append(behind[-1][self._map(step)])
        behind.reverse()
        self._edits = list(self._read(problem, behind))
        named = _named(problem)
        goals = [dict(zip(named, goal, strict=True)) for values in _goals(problem) for goal in product(*values)]
        init = behind[0][self._facts([problem.init])]
        self._forward = [self._first_states(init, 0, is_forward=True)]
        self._backward = [self._first_states(self._facts(goals), 2 * self._length + 1, is_forward=False)]

    def _facts(self, states: Sequence[Mapping[int, int] | Sequence[int]]) -> _Facts:
        """Return the facts of states that are given by the values of variables."""
        found = np.empty((len(self._groups), len(states)), dtype=np.int16)
        for row, group, first in zip(found, self._groups, self._first.tolist(), strict=True):
            shape = [self._sizes[variable] for variable in group]
            values = [[state[variable] for state in states] for variable in group]
            row[:] = first + np.ravel_multi_index(values, shape)
        return found

    def _map(self, change: Change) -> _Facts:
        """Return what a change makes of each fact."""
        found = []
        for group, first in zip(self._groups, self._first.tolist(), strict=True):
            facts = np.array([first])
            for variable in group:
                size = self._sizes[variable]
                behind = change.maps[variable].behind if variable in change.maps else range(size)
                facts = ((facts[:, None] - first) * size + np.array(behind) + first).ravel()
            found.append(facts.astype(np.int16))
        return np.concatenate(found or [self._same])

    def _read(self, problem: Problem, behind: Sequence[_Facts]) -> Iterator[_Edit]:
        """Yield what can be changed, with all places at which it makes the same of what the plan ends in."""
        maps = [(change.number, self._map(change)) for change in problem.alike.operators]
        found: dict[bytes, list[tuple[int, int, int]]] = {self._same.tobytes(): []}
        for place, rest in enumerate(behind):
            self._check()
            back = _undone(rest)
            for number, of_operator in maps:
                edit = rest[of_operator[back]]
                found.setdefault(edit.tobytes(), []).append((2 * place, 2 * place, number))
            if place < self._length:
                edit = behind[place + 1][back]
                found.setdefault(edit.tobytes(), []).append((2 * place + 1, 2 * place + 2, FREE))
        del found[self._same.tobytes()]
        for written, places in found.items():
            starts, ends, operators = zip(*places, strict=True)
            edit = np.frombuffer(written, dtype=np.int16)
            yield _Edit(
                behind=edit, before=_undone(edit), starts=np.array(starts), ends=np.array(ends), operators=operators
            )

    def repair(self, cost: int) -> tuple[str, ...] | None:
        """Return a repair of so many changes, where fewer are not enough; None if there is none.

        Raises TimeoutError where there are too many states, or no others than those of fewer changes.
        """
        if cost == 0:
            (init,) = self._forward[0].facts.T
            return self._names([]) if any(np.array_equal(init, goal) for goal in self._backward[0].facts.T) else None
        while len(self._forward) <= cost // 2:
            self._forward.append(self._further(self._forward, is_forward=True))
        while len(self._backward) <= (cost - 1) // 2:
            self._backward.append(self._further(self._backward, is_forward=False))
        return self._met(cost // 2, (cost - 1) // 2)

    def _first_states(self, facts: _Facts, place: int, *, is_forward: bool) -> _States:
        number = facts.shape[1]
        places, origins = np.full(number, place), np.zeros((3, number), dtype=np.int64)
        return self._states(facts, places, origins, (), is_forward=is_forward)

    def _check(self) -> None:
        if self._is_over():
            raise TimeoutError

    def _further(self, levels: Sequence[_States], *, is_forward: bool) -> _States:
        """Return the states with one more change."""
        facts, places, parents, edits, turns = [], [], [], [], []
        states, left = levels[-1], self._most
        for number, edit in enumerate(self._edits):
            self._check()
            if is_forward:  # the first place that is left for it leaves most to others
                turn = np.searchsorted(edit.starts, states.places, "left")
            else:
                turn = np.searchsorted(edit.ends, states.places, "right") - 1
            chosen = np.flatnonzero((turn >= 0) & (turn < len(edit.starts)))
            left -= len(chosen)
            if left < 0:
                raise TimeoutError
            facts.append((edit.behind if is_forward else edit.before)[states.facts[:, chosen]])
            places.append((edit.ends if is_forward else edit.starts)[turn[chosen]])
            parents.append(chosen)
            edits.append(np.full(len(chosen), number))
            turns.append(turn[chosen])
        if not facts:
            raise TimeoutError
        origins = np.stack([np.concatenate(parents), np.concatenate(edits), np.concatenate(turns)])
        return self._states(
            np.concatenate(facts, axis=1), np.concatenate(places), origins, levels, is_forward=is_forward
        )

    def _states(
        self, facts: _Facts, places: Numbers, origins: Numbers, levels: Sequence[_States], *, is_forward: bool
    ) -> _States:
        """Return states: of those that are the same the one that leaves most to others, if none of these levels has."""
        hashes = self._hashes(self._numbers, facts)
        sign = 1 if is_forward else -1
        order = np.lexsort((sign * places, hashes))
        again = hashes[order[1:]] == hashes[order[:-1]]
        same, other = order[1:][again], order[:-1][again]
        if any(not np.array_equal(of[same], of[other]) for of in facts):
            raise TimeoutError  # two states of one hash, which happens once in millions of plans
        order = order[np.concatenate([[True], ~again])] if len(order) else order
        for level in levels:
            mine, theirs = level.find(hashes[order], facts[:, order], self._same)
            order = np.delete(order, mine[sign * level.places[theirs] <= sign * places[order[mine]]])
        if not len(order):
            raise TimeoutError
        order = order[np.argsort(places[order], kind="stable")]
        hashes = hashes[order]
        by_hash = np.argsort(hashes)
        known = np.zeros(1 << _BITS, dtype=np.bool_)
        known[hashes >> _REST] = True
        return _States(
            facts=np.ascontiguousarray(facts[:, order]),
            places=places[order],
            hashes=hashes[by_hash],
            by_hash=by_hash,
            origins=origins[:, order],
            known=known,
        )

    def _hashes(self, numbers: _Hashes, facts: _Facts) -> _Hashes:
        """Return the sum of the numbers of each state's facts (Zobrist 1970)."""
        found = np.zeros(facts.shape[1], dtype=np.uint64)
        for of in facts:
            found += numbers[of]
        return found

    def _met(self, near: int, far: int) -> tuple[str, ...] | None:
        """Return a repair of so many changes from one end, one more, and so many from the other; None if none is."""
        forward, backward = self._forward[near], self._backward[far]
        left = _MOST_TRIED
        for edit in self._edits:
            ready = 0
            for turn, (start, end) in enumerate(zip(edit.starts.tolist(), edit.ends.tolist(), strict=True)):
                self._check()
                # What may come before an earlier place was tried there, with more to follow.
                first, ready = ready, int(np.searchsorted(forward.places, start, "right"))
                then = int(np.searchsorted(backward.places, end, "left"))
                before, behind = slice(first, ready), slice(then, len(backward.places))
                left -= (tried := min(ready - first, len(backward.places) - then))
                if left < 0:
                    raise TimeoutError
                if not tried:
                    continue
                is_forward = tried == ready - first
                if is_forward:
                    pairs = self._pairs(forward, before, edit.behind, backward)
                else:
                    pairs = self._pairs(backward, behind, edit.before, forward)
                for pair in pairs:
                    one, other = pair if is_forward else pair[::-1]
                    if forward.places[one] <= start and backward.places[other] >= end:
                        earlier, later = self._way(self._forward, near, one), self._way(self._backward, far, other)
                        return self._names([*reversed(earlier), (start, edit.operators[turn]), *later])
        return None

    def _pairs(self, states: _States, chosen: slice, edit: _Facts, others: _States) -> Iterator[tuple[int, int]]:
        """Return those of the chosen states of which an edit makes one of the others, with that one."""
        facts = states.facts[:, chosen]
        hashes = self._hashes(self._numbers[edit], facts)
        mine, theirs = others.find(hashes, facts, edit)
        return zip((chosen.start + mine).tolist(), theirs.tolist(), strict=True)

    def _way(self, levels: Sequence[_States], number: int, state: int) -> list[tuple[int, int]]:
        """Return the changes that led to a state, the last one first: the place and the operator of each."""
        found = []
        for level in levels[number:0:-1]:
            state, edit, turn = level.origins[:, state].tolist()
            found.append((int(self._edits[edit].starts[turn]), self._edits[edit].operators[turn]))
        return found

    def _names(self, changes: Sequence[tuple[int, int]]) -> tuple[str, ...]:
        """Return the operators of the modified problem that make these changes, and keep all else."""
        names, kept = [], 0
        for start, operator in changes:
            place = start // 2
            names += [f"k {number}" for number in range(kept, place)]
            names.append(f"s {place}" if operator == FREE else f"i {operator}")
            kept = place + 1 if operator == FREE else place
        return (*names, *(f"k {number}" for number in range(kept, self._length)))


def _undone(edit: _Facts) -> _Facts:
    """Return what makes of each fact the one that an edit made it of."""
    found = np.empty_like(edit)
    found[edit] = np.arange(len(edit), dtype=edit.dtype)
    return found
