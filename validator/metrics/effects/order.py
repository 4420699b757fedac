"""Whether two plans are one partially ordered plan, written down in two orders.

They are when some partial order on their steps has both plans among its linearisations, and all its linearisations
execute and, if the plans do, reach the goal (Bäckström 1998, Computational aspects of reordering plans). Of all partial
orders that have both plans as linearisations, the one that keeps what both agree on has the fewest others; so it alone
is looked at. For conditions that are literals, and effects without conditions, what holds in all linearisations is
decided exactly and in polynomial time (Chapman 1987; Nebel and Bäckström 1994): a literal holds before a step if and
only if something makes it true before that step in every order, and between whatever may make it false and that step
something always makes it true again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from validator.metrics.effects.effects import not_executed
from validator.metrics.effects.needs import Grounder, Need, Needs
from validator.metrics.reading import ModelLike, PlanLike, Reading, read
from validator.metrics.score import Score
from validator.model.pddl.write import atom_text
from validator.model.values import GroundAtom
from validator.reading.plan import Step
from validator.records import dataclass

__all__ = ["same_order"]


def same_order(generated: PlanLike, reference: PlanLike, model: ModelLike | None = None) -> Score:
    """Return whether the plans are two linearisations of the same plan.

    Exact for literals and effects without conditions. Otherwise True is proven, by every pair of steps that could
    touch each other being in the same order, and what is not proven is None. Equal plans are the same plan, whether
    they execute or not. The k-th occurrence of a step in one plan is its k-th in the other.
    """
    one, other = read(generated, model), read(reference, model)
    if unclear := next((each.unclear for each in (one, other) if each.unclear), ""):
        return Score(value=True) if one.plan.text == other.plan.text else Score(value=None, reason=unclear)
    if one.elements == other.elements:
        return Score(value=True)
    if one.bag != other.bag:
        return Score(value=False, reason="the plans do not take the same steps")
    reasons = not_executed(one, other)
    if reasons:
        return Score(value=False, reason="; ".join(reasons))
    if one.trace.is_valid != other.trace.is_valid:
        return Score(value=False, reason="only one of the plans reaches the goal")
    return _decide(_common(one, other), one)


@dataclass(frozen=True, slots=True)
class _Order:
    """The steps with, as bits, which of them come before and which after each one in both plans."""

    steps: tuple[Step, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]


def _common(one: Reading, other: Reading) -> _Order:
    steps, first = _placed(one)
    numbers: dict[Step, list[int]] = defaultdict(list)
    for number, step in enumerate(steps):
        numbers[step].append(number)
    second = [0] * len(steps)
    for step, place in zip(*_placed(other), strict=True):
        second[numbers[step].pop(0)] = place
    before = [a & b for a, b in zip(_earlier(first), _earlier(second), strict=True)]
    after = [a & b for a, b in zip(_earlier([-p for p in first]), _earlier([-p for p in second]), strict=True)]
    return _Order(tuple(steps), tuple(before), tuple(after))


def _placed(reading: Reading) -> tuple[list[Step], list[int]]:
    """Return the steps in order, and the happening of each."""
    assert reading.simulator is not None
    steps, places = [], []
    for place, happening in enumerate(reading.happenings):
        tokens = [reading.simulator.resolve(reading.plan.tokens[index]) for index in happening]
        for step in dict.fromkeys(Step(name=t.name, args=t.args) for t in tokens if isinstance(t, Step)):
            steps.append(step)
            places.append(place)
    return steps, places


def _earlier(places: Sequence[int]) -> list[int]:
    """Return for each number the bits of those with a smaller place."""
    members: dict[int, list[int]] = defaultdict(list)
    for number, place in enumerate(places):
        members[place].append(number)
    found, passed = [0] * len(places), 0
    for place in sorted(members):
        for number in members[place]:
            found[number] = passed
        for number in members[place]:
            passed |= 1 << number
    return found


def _decide(order: _Order, reading: Reading) -> Score:
    assert reading.simulator is not None
    grounder = Grounder(reading.simulator.model)
    needs = [grounder.of_step(step) for step in order.steps]
    goal = grounder.of_goal() if reading.trace.is_valid else None
    everything = (1 << len(needs)) - 1
    if all(need.is_exact for need in (*needs, *((goal,) if goal else ()))):
        threats = _Threats(order, needs, reading.trace.init)
        for number, need in enumerate(needs):
            reason = threats.first(need, order.before[number], everything & ~order.after[number] & ~(1 << number))
            if reason:
                return Score(value=False, reason=f"step {number + 1} {order.steps[number]} needs {reason}")
        reason = threats.first(goal, everything, everything) if goal else ""
        return Score(value=False, reason=f"the goal needs {reason}") if reason else Score(value=True)
    for number, rivals in _touching(needs):
        loose = rivals & ~(order.before[number] | order.after[number] | 1 << number)
        if loose:
            other = order.steps[loose.bit_length() - 1]
            reason = f"{order.steps[number]} and {other} are in different orders and may touch each other"
            return Score(value=None, reason=f"{reason}; conditions beyond literals are not followed")
    return Score(value=True)


class _Threats:
    """Who makes each atom true and who makes it false, as bits of step numbers."""

    def __init__(self, order: _Order, needs: Sequence[Needs], init: frozenset[GroundAtom]) -> None:
        self._order, self._init = order, init
        self._adders: dict[GroundAtom, int] = defaultdict(int)
        self._deleters: dict[GroundAtom, int] = defaultdict(int)
        for number, need in enumerate(needs):
            for makers, atoms in ((self._adders, need.adds), (self._deleters, need.deletes)):
                for atom in atoms:
                    makers[atom] |= 1 << number

    def first(self, needs: Needs, before: int, possible: int) -> str:
        """Return why a literal need not hold behind the steps ``before`` and maybe those ``possible``, or nothing."""
        for literal in sorted(needs.literals):
            reason = self._reason(literal, before, possible)
            if reason:
                return reason
        return ""

    def _reason(self, literal: Need, before: int, possible: int) -> str:
        atom, positive = literal
        makers, breakers = self._adders.get(atom, 0), self._deleters.get(atom, 0)
        if not positive:
            makers, breakers = breakers, makers
        shown = atom_text(atom) if positive else f"(not {atom_text(atom)})"
        makers &= before
        if (atom in self._init) is not positive and not makers:
            return f"{shown}, which the plans get from different steps"
        # The last maker undoes all that comes before it; only what is left is looked at one by one.
        mended = self._order.before[makers.bit_length() - 1] if makers else 0
        for number in _numbers(breakers & possible & ~mended):
            if not makers & self._order.after[number]:
                return f"{shown}, which {self._order.steps[number]} may undo"
        return ""


def _touching(needs: Sequence[Needs]) -> Iterator[tuple[int, int]]:
    """Yield each step with the bits of those that read what it changes, change what it reads, or undo what it does."""
    everything = (1 << len(needs)) - 1
    readers: dict[GroundAtom, int] = defaultdict(int)
    adders: dict[GroundAtom, int] = defaultdict(int)
    deleters: dict[GroundAtom, int] = defaultdict(int)
    for number, need in enumerate(needs):
        for atoms, members in ((need.reads or (), readers), (need.adds, adders), (need.deletes, deleters)):
            for atom in atoms:
                members[atom] |= 1 << number
    curious = sum(1 << number for number, need in enumerate(needs) if need.reads is None)
    for number, need in enumerate(needs):
        rivals = 0 if need.reads is not None else everything
        for atom in need.adds:
            rivals |= readers[atom] | deleters[atom] | curious
        for atom in need.deletes:
            rivals |= readers[atom] | adders[atom] | curious
        for atom in need.reads or ():
            rivals |= adders[atom] | deleters[atom]
        yield number, rivals


def _numbers(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
