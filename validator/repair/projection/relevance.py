"""Which objects the faults of a plan are about, those that matter most first.

The plan is executed as if each step had what it lacks, so that one fault does not look like many. Seeds are what stands
in a step at fault, in the step that took from it what it lacks, and in goals that are not reached. From there it goes
along the facts that hold at the faults, along goals, and along the steps near the faults: what a fact or a step
names together belongs together, the less so the more else is said of one (Dijkstra's distance; a hub, such as the one
vehicle of a thousand parcels, is near to all of them and brings none of them nearer). Of a kind that has few
objects, such as the two hands of a robot, all are near.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from math import inf, log2

from validator.execution.simulator import Simulator
from validator.model.conditions import conjuncts
from validator.model.values import Atom, GroundAtom, Model
from validator.reading.plan import Step

__all__ = ["concerned"]

_FEW = 8
"""objects of a kind that are all taken"""

_FAULTS, _NEAR = 16, 4
"""faults at which states and steps are looked at, and steps near each of them"""


def concerned(simulator: Simulator, steps: Sequence[Step]) -> list[str]:
    """Return all objects of a model in this order; the steps are well-formed."""
    model, walk = simulator.model, _Forced(simulator)
    links, seeds, faults = _Links(model), list[str](), 0
    for place, step in enumerate(steps):
        lacking = walk.do(place, step)
        if lacking is None:
            continue
        blamed = (steps[found] for atom in lacking if (found := walk.deleted.get(atom)) is not None)
        seeds += (
            *step.args,
            *(name for atom in lacking for name in atom[1:]),
            *(arg for one in blamed for arg in one.args),
        )
        faults += 1
        if faults <= _FAULTS:
            links.add_all(near.args for near in steps[max(0, place - _NEAR) : place + _NEAR + 1])
            links.add_all(atom[1:] for atom in walk.new_facts())
    goal = [part for part in conjuncts(model.problem.goal) if isinstance(part, Atom)]
    seeds += (term for part in goal if (part.predicate, *part.terms) not in walk.state for term in part.terms)
    links.add_all(atom[1:] for atom in walk.new_facts())
    links.add_all(part.terms for part in goal)
    return links.ordered(seeds, _of_few(model))


class _Forced:
    """The execution of steps that all have what they need."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self.state = set(simulator.model.problem.init)
        self.deleted: dict[GroundAtom, int] = {}
        """which step deleted an atom last"""
        self._shown: set[GroundAtom] = set()

    def do(self, place: int, step: Step) -> frozenset[GroundAtom] | None:
        """Do a step, and return what it lacks; None for one that lacks nothing."""
        grounded = self._simulator.grounded(step)
        if grounded is None:  # what it does depends on more than literals
            return self._seen(step)
        is_applicable = grounded.is_applicable(self.state)
        lacking = (grounded.needs - self.state) | (grounded.forbids & self.state)
        self.state |= grounded.needs
        self.state -= grounded.forbids | grounded.change.deleted
        self.state |= grounded.change.added
        self.deleted |= dict.fromkeys(grounded.change.deleted, place)
        return None if is_applicable else lacking

    def _seen(self, step: Step) -> frozenset[GroundAtom] | None:
        trace = self._simulator.run_from(frozenset(self.state), (step,), with_goal=False)
        self.state = (self.state - trace.changes[0].deleted) | trace.changes[0].added
        return None if trace.is_sound else frozenset()

    def new_facts(self) -> set[GroundAtom]:
        """Return the facts that hold now and were not returned before."""
        new = self.state - self._shown
        self._shown |= new
        return new


def _of_few(model: Model) -> Iterator[str]:
    """Yield the objects of kinds that have few: of one type, and with the same unary facts at the beginning."""
    unary: dict[str, list[str]] = {name: [] for name in model.problem.objects}
    for atom in sorted(model.problem.init):
        if len(atom) == 2:
            unary[atom[1]].append(atom[0])
    kinds: dict[object, list[str]] = {}
    for name, types in model.problem.objects.items():
        kinds.setdefault((types, *unary[name]), []).append(name)
    for names in kinds.values():
        if len(names) <= _FEW:
            yield from names


class _Links:
    """Which objects are named together."""

    def __init__(self, model: Model) -> None:
        self._near: dict[str, dict[str, None]] = {name: {} for name in model.problem.objects}

    def add_all(self, groups: Iterable[Iterable[str]]) -> None:
        """Link the names of each group with each other."""
        for names in groups:
            known = [name for name in names if name in self._near]
            for one in known:
                self._near[one].update(dict.fromkeys(known))

    def ordered(self, seeds: Iterable[str], few: Iterable[str]) -> list[str]:
        """Return all objects, the nearest first: those of kinds that have few behind the seeds."""
        distance = dict.fromkeys(self._near, inf)
        heap = [(0.5, name) for name in few] + [(0.0, name) for name in seeds if name in distance]
        for start, name in heap:
            distance[name] = start
        heapq.heapify(heap)
        while heap:
            start, name = heapq.heappop(heap)
            if start > distance[name]:
                continue
            through = start + log2(1 + len(self._near[name]))
            for other in self._near[name]:
                if through < distance[other]:
                    distance[other] = through
                    heapq.heappush(heap, (through, other))
        return sorted(distance, key=distance.__getitem__)
