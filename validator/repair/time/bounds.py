"""What plans beyond a node cost at least: steps dropped and inserted, what they add to the price, and time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from math import floor
from typing import TypeAlias

from validator.execution.time.happening import Part
from validator.grounding.limits import checked
from validator.model.values import GroundAtom, Literal
from validator.reading.plan import Step
from validator.records import dataclass
from validator.repair.time.nodes import Cost, Node, Nodes
from validator.repair.time.parts import Relaxed, Subject, needs

_NONE = frozenset[GroundAtom]()

Weighted: TypeAlias = tuple[Relaxed, Cost, Cost]
"""A step with what its start costs, and what all of it costs more."""


def settle(
    costs: dict[GroundAtom, Cost],
    steps: Collection[Weighted],
    is_over: Callable[[], bool],
    *,
    wanted: Set[GroundAtom] | None = None,
    apart: int = 0,
) -> None:
    """Lower what atoms cost, and add others, until that of the wanted ones, or of all, is settled. Raises TimeoutError.

    Nothing is deleted, all comparisons of numbers come out as they should, everything takes place at once that can, and
    every atom comes about on the cheapest way by itself: h1 (Bonet and Geffner 2001; for time Haslum and Geffner 2001),
    for steps with a start and an end. Where costs are times, what is read has held for ``apart``.
    """

    def read(atoms: frozenset[GroundAtom], least: Cost) -> Cost | None:
        return max([least, *[costs[atom] + apart for atom in atoms]]) if atoms <= costs.keys() else None

    def lower(atoms: frozenset[GroundAtom], cost: Cost) -> None:
        cheaper = [atom for atom in atoms if atom not in costs or cost < costs[atom]]
        if cheaper:
            costs.update(dict.fromkeys(cheaper, cost))
            lowered.append(cost)

    def is_settled() -> bool:
        if wanted is None or not wanted <= costs.keys():
            return not lowered
        return not lowered or min(lowered) > max(map(costs.__getitem__, wanted), default=0)

    lowered: list[Cost] = [0]
    while not is_settled():
        lowered.clear()
        for step, first, last in checked(steps, is_over):
            start = read(step.at_start, 0)
            if start is None:
                continue
            lower(step.first_adds, start + first)
            if step.inside <= costs.keys():
                end = read(step.at_end, max([start + first, *map(costs.__getitem__, step.inside)]) + last)
                if end is not None:
                    lower(step.last_adds, end)


def fewest_changes(
    start: Iterable[GroundAtom],
    observed: Iterable[Relaxed],
    insertable: Iterable[Relaxed],
    wanted: frozenset[GroundAtom],
    is_over: Callable[[], bool],
) -> int | None:
    """Return a number of steps dropped and inserted without which no plan is to be had; None where none is at all.

    ``observed`` steps are to come, ``wanted`` is what must hold at the end. Raises TimeoutError as soon as it is over.
    """
    costs: dict[GroundAtom, Cost] = dict.fromkeys(start, 0)
    coming = [(step, 0, 0) for step in observed]
    settle(costs, [*coming, *((step, 1, 0) for step in insertable)], is_over, wanted=wanted)
    if not wanted <= costs.keys():
        return None
    is_whole = all(costs.get(atom, 1) == 0 for step, _, _ in coming for atom in step.needs)
    return int(max((costs[atom] for atom in wanted), default=0)) or int(not is_whole)


def least_price(
    start: Iterable[GroundAtom], steps: Collection[Weighted], wanted: frozenset[GroundAtom], is_over: Callable[[], bool]
) -> Cost:
    """Return what steps add at least until all of some atoms hold, each reached on the cheapest way by itself."""
    costs: dict[GroundAtom, Cost] = dict.fromkeys(start, 0)
    settle(costs, steps, is_over, wanted=wanted)
    return max((costs.get(atom, 0) for atom in wanted), default=0)


# --- how long a plan takes ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Landmark:
    """Steps of which one must start, what all of them need, and how long they last at least."""

    steps: frozenset[Step]
    needs: frozenset[GroundAtom]
    least: int


class Critical:
    """How long plans of one model take at least: ``end`` says when the goal can hold, in units of the grid.

    The longest chain of steps that need each other, when nothing is ever in the way, is a bound: nothing is deleted,
    all comparisons of numbers come out as they should, everything takes place at once that can, and every atom comes
    about on the quickest way by itself: h1 for time (Haslum and Geffner 2001). No plan is quicker whose durations are
    within the bounds of the model.

    So is what must be done in a row. An atom is a *resource* where whatever may add it is a durative step that needs it
    at its start, deletes it there, and adds it at its end alone (``handfree`` of the match cellar). While one of these
    steps runs the atom is false, as only its own end adds it. So they follow each other, epsilon apart: an end adds
    what the next start reads. A *landmark* is a set of steps of which one must start from now on (Helmert and Domshlak
    2009): those that may make true an atom that is wanted, false now, and that nothing under way will make true. What
    all of these need is wanted as well. Landmarks that have no step in common, and only steps that hold one resource,
    take at least as long as the shortest step of each, one after the other, from when the resource is free and the
    first of them can start.

    Both methods raise TimeoutError as soon as ``is_over`` says so.
    """

    def __init__(self, nodes: Nodes, steps: Sequence[Step], is_over: Callable[[], bool]) -> None:
        self.parts, self.grid, self.is_over = nodes.parts, nodes.grid, is_over
        self.model = nodes.parts.model
        self.apart = 0 if self.model.problem.is_from_up else floor(self.grid.epsilon * self.grid.scale)
        self.free = self.parts.free
        self.goal = self.parts.bound_atoms(needs(nodes.goal, {}))
        self.facts = [
            (floor(group.facts[0].time * self.grid.scale), _made_true(group, self.free)) for group in nodes.facts
        ]
        self.steps = {step: self.parts.relaxed(step) for step in checked(steps, is_over)}
        self.least = {step: floor(relaxed.lasts.least * self.grid.scale) for step, relaxed in self.steps.items()}
        self._adders: dict[GroundAtom, set[Step]] = {}
        """the steps that may add an atom"""
        self._landmarks: dict[GroundAtom, _Landmark] = {}
        holders: dict[GroundAtom, set[Step]] = {}
        for step, relaxed in checked(self.steps.items(), is_over):
            for atom in relaxed.adds:
                self._adders.setdefault(atom, set()).add(step)
            for atom in self._held(relaxed):
                holders.setdefault(atom, set()).add(step)
        self.others = frozenset[GroundAtom]().union(*(atoms for _, atoms in self.facts))
        """atoms that timed facts add"""
        self.users = [frozenset(held) for atom, held in sorted(holders.items()) if self._adders[atom] <= held]
        """the steps that hold each resource"""

    # --- the longest chain ---------------------------------------------------------------------

    def end(self, node: Node) -> int | None:
        """Return when the goal holds at the earliest in a plan beyond a node; None where it cannot come to hold."""
        true = self._true(node)
        for time, atoms in self.facts[node.facts :]:
            for atom in atoms:
                true[atom] = min(time, true.get(atom, time))
        steps: list[Weighted] = [(relaxed, 0, self.least[step]) for step, relaxed in self.steps.items()]
        for number, running in node.running.items():
            begun = self.parts.relaxed_of(running.subject)
            ending = Relaxed(at_start=_NONE, first_adds=_NONE, at_end=begun.at_end, last_adds=begun.last_adds)
            steps.append((ending, 0, node.times[number, Part.END]))
        settle(true, steps, self.is_over, apart=self.apart)
        if not self.goal <= true.keys():
            return None
        return int(max((*(true[atom] for atom in self.goal), self._in_a_row(node, true))))

    def _true(self, node: Node) -> dict[GroundAtom, Cost]:
        """Return when each atom came to hold; what holds from the beginning can be read at 0."""
        true: dict[GroundAtom, Cost] = dict.fromkeys(node.at.atoms, -self.apart)
        for key, acts in node.acts:
            for act in acts:
                for atom in act.update.adds & true.keys():
                    true[atom] = node.times.get(key, 0)
        return true

    # --- in a row ------------------------------------------------------------------------------

    def _held(self, step: Relaxed) -> set[GroundAtom]:
        """Return the atoms that a durative step takes at its start and gives back at its end, and nothing else does."""
        held = (step.at_start & step.first_deletes & step.last_adds) - step.first_adds
        return {atom for atom in held if atom[0] not in self.free and all(atom not in added for _, added in self.facts)}

    def _in_a_row(self, node: Node, true: Mapping[GroundAtom, Cost]) -> int:
        """Return when what must be done one after the other is over; 0 where nothing is known."""
        landmarks = sorted(self._to_start(node), key=lambda found: -found.least) if self.users else []
        names = {subject.number: subject.step for subject in node.inserted}
        longest = 0
        for users in self.users:
            taken, lasting = set[Step](), list[int]()
            for landmark in landmarks:
                if landmark.steps and landmark.steps <= users and taken.isdisjoint(landmark.steps):
                    taken |= landmark.steps
                    lasting.append(landmark.least)
            if lasting:
                needs = [self.steps[step].at_start for step in taken]
                read = [max(map(true.__getitem__, each), default=0) for each in needs if each <= true.keys()]
                first = max(0, int(min(read, default=0)) + self.apart)
                free = (time + self.apart for (number, _), time in node.times.items() if names.get(number) in users)
                begin = max((first, *free))
                longest = max(longest, begin + sum(lasting) + (len(lasting) - 1) * self.apart)
        return longest

    def _to_start(self, node: Node) -> Iterator[_Landmark]:
        """Yield the landmarks of plans beyond a node."""
        running = (self.parts.relaxed_of(one.subject).last_adds for one in node.running.values())
        coming = set(node.at.atoms).union(*running)
        waiting, seen = list(self.goal), set(self.others)
        while waiting:
            atom = waiting.pop()
            if atom not in seen and atom not in coming:
                seen.add(atom)
                found = self._landmark(atom)
                waiting += found.needs
                yield found

    def _landmark(self, atom: GroundAtom) -> _Landmark:
        """Return the steps that may add an atom."""
        found = self._landmarks.get(atom)
        if found is None:
            steps = frozenset(self._adders.get(atom, ()))
            common = [self.steps[step].needs for step in steps]
            least = min((self.least[step] for step in steps), default=0)
            found = _Landmark(steps, frozenset.intersection(*common) if common else frozenset(), least)
            self._landmarks[atom] = found
        return found


def _made_true(group: Subject, free: frozenset[str]) -> frozenset[GroundAtom]:
    """Return the atoms that timed facts add in any case."""
    literals = (fact.effect for fact in group.facts if isinstance(fact.effect, Literal) and fact.effect.positive)
    atoms = ((literal.atom.predicate, *literal.atom.terms) for literal in literals)
    return frozenset(atom for atom in atoms if atom[0] not in free)
