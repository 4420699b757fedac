"""How one node of the search over orders follows from another: one more start, end, or group of timed facts.

Parts that do not interfere stay unordered, so that orders which differ in nothing else have the same constraints.
Every valid plan is found: its parts in order of time are an order whose constraints its times obey. Parts of one time
that break an invariant together and keep it together are tied to each other: behind one that breaks an invariant come
others at the same time, until it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import TypeAlias

from validator.execution.time.happening import Part
from validator.execution.time.interference import Planned, Reads
from validator.grounding.states import State
from validator.model.numeric import truth
from validator.model.values import Formula, GroundAtom, Model
from validator.records import dataclass, replace
from validator.repair.time.network import ORIGIN, Constraint, Grid, Key, Network
from validator.repair.time.parts import Parts, Subject, facts_of
from validator.repair.time.price import Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A plan without times: the steps that take place, and the network that their parts must obey.

    ``dropped`` are the numbers of the observed steps that do not take place.
    """

    subjects: tuple[Subject, ...]
    network: Network
    dropped: frozenset[int]


@dataclass(frozen=True, slots=True)
class Running:
    """A durative step between its start and its end; ``duration`` where something depends on it, otherwise None."""

    subject: Subject
    duration: Fraction | None
    reads: Reads


Cost: TypeAlias = Fraction | int


@dataclass(slots=True)
class Node:
    """A place in an order.

    - ``level``: what was paid so far: how many steps were dropped and inserted; ``least`` what plans beyond cost at
      least, if bounded.
    - ``likely``: how far the order is from that of the observed times.
    - ``times``, ``constraints``: the network of the parts, with their earliest times.
    - ``pending``: the observed steps that have neither started nor been dropped, in order of time; ``postponed`` those
      of them that others have passed.
    - ``facts``: how many groups of timed facts have taken place.
    - ``tied``: the last part, where an invariant is broken that another part has to mend at the same time.
    - ``passed``: the states on the way, in as far as the rest depends on them; for the search for a cheapest plan.
    - ``insertable``, ``promising``: the places of the steps that may come next, and of those of a relaxed plan; for the
      greedy search.
    - ``watched``: start, end (None while it runs), and what the invariants read, of each durative step that has begun.
    """

    level: Cost
    least: Cost
    likely: int
    depth: int
    at: State
    times: dict[Key, int]
    constraints: frozenset[Constraint]
    pending: tuple[int, ...]
    postponed: frozenset[int]
    facts: int
    running: dict[int, Running]
    acts: tuple[tuple[Key, list[Planned]], ...]
    watched: tuple[tuple[Key, Key | None, Reads], ...]
    dropped: frozenset[int]
    inserted: tuple[Subject, ...]
    tied: Key | None = None
    passed: frozenset[Hashable] = frozenset()
    insertable: Sequence[int] = ()
    promising: frozenset[int] = frozenset()

    @property
    def cost(self) -> Cost:
        """Return what plans beyond it cost at least, as far as that is known."""
        return max(self.level, self.least)


class Nodes:
    """The nodes of a model and an observed plan; with a budget, only those of plans that cost no more."""

    def __init__(
        self, model: Model, grid: Grid, observed: Sequence[Subject], goal: Formula, budget: Budget | None = None
    ) -> None:
        self.parts = Parts(model)
        self.goal = goal
        self.grid = grid
        self.budget = budget
        self.observed = {subject.number: subject for subject in observed}
        self.doubt = "the model has derived predicates" if self.parts.has_axioms else ""
        """why a search that has tried everything may have overlooked a plan, empty where it cannot have"""
        if model.problem.is_from_up:
            self.doubt = "unified-planning lets steps happen at one time that the search keeps apart"
        self.off_grid = "" if grid.is_exact else "some times are too fine for the search"
        """why a plan may have times that are none of the grid's, where none on the grid is as good"""
        self.facts = [Subject(number=-1 - number, facts=group) for number, group in enumerate(facts_of(model))]

    def to_come(self, node: Node) -> set[GroundAtom]:
        """Return what holds at a node, and what comes to hold without one more step."""
        atoms = set(node.at.atoms)
        for running in node.running.values():
            atoms |= self.parts.relaxed_of(running.subject).last_adds
        for facts in self.facts[node.facts :]:
            acts = self.parts.planned(facts, Part.FACT, node.at, None)
            atoms.update(*(each.update.adds for each in acts))
        return atoms

    def root(self) -> Node:
        first = sorted(self.observed.values(), key=lambda subject: subject.rank)
        return Node(
            level=0,
            least=0,
            likely=0,
            depth=0,
            at=self.parts.initial(),
            times={ORIGIN: 0},
            constraints=frozenset(),
            pending=tuple(subject.number for subject in first),
            postponed=frozenset(),
            facts=0,
            running={},
            acts=(),
            watched=(),
            dropped=frozenset(),
            inserted=(),
        )

    def follow(
        self,
        parts: Sequence[Sequence[tuple[Subject, Part]]],
        dropped: frozenset[int],
        stop: Callable[[], bool] = lambda: False,
    ) -> Order | None:
        """Return the order of a plan that is known; None where its parts do not execute, or when ``stop`` says so.

        ``parts`` are groups of one time each: within a group any order will do.
        """
        node = replace(self.root(), pending=(), dropped=dropped)
        for group in parts:
            left = list(group)
            while left:
                if stop():
                    return None
                found = ((place, self.after(node, *part)) for place, part in enumerate(left))
                taken = next(((place, after) for place, after in found if after is not None), None)
                if taken is None:
                    return None
                del left[taken[0]]
                node = taken[1]
        return None if node.running or node.tied else next(self.orders(node), None)

    # --- the end of a plan ---------------------------------------------------------------------

    def orders(self, node: Node) -> Iterator[Order]:
        """Yield what a node stands for at the end of a plan.

        The plan ends before the timed facts that have not taken place, and not before the last one that has: one of its
        parts must see to that.
        """
        network = Network(node.times, node.constraints)
        ends = [key for key, _ in node.acts if key[1] in (Part.WHOLE, Part.END)]
        if not self._ends_before(node, network, ends) or not self._is_paid(node, network, ends):
            return
        taking = [subject for number, subject in self.observed.items() if number not in node.dropped]
        subjects = (*taking, *node.inserted)
        for lasting in self._lasting(node, network, ends):
            yield Order(subjects=subjects, network=lasting, dropped=node.dropped)

    def _ends_before(self, node: Node, network: Network, ends: list[Key]) -> bool:
        """Let a plan end before the timed facts that are left; return False where it cannot.

        Whether facts that come after the end count is not settled, so that none may make the goal false.
        """
        at = node.at
        for number, facts in enumerate(self.facts[node.facts :]):
            if not number and not network.add((key, ORIGIN, 1 - self._time(facts)) for key in ends):
                return False
            at = self.parts.after(self.parts.planned(facts, Part.FACT, at, None), at, None) or at
            if truth(self.goal, {}, self.parts.situation(at)) is not True:
                return False
        return True

    def _is_paid(self, node: Node, network: Network, ends: list[Key]) -> bool:
        """Let a plan end as early as the budget wants; return False where it cannot.

        Whatever ends earlier than between two times of the grid also ends at the first of them: all else that the
        network says is about whole numbers.
        """
        latest = None if self.budget is None else self.budget.latest(dict(node.at.values))
        return latest is None or network.add((key, ORIGIN, -floor(latest * self.grid.scale)) for key in ends)

    def _lasting(self, node: Node, network: Network, ends: list[Key]) -> Iterator[Network]:
        """Yield networks in which the plan does not end before the last timed facts that it has seen."""
        end = self._time(self.facts[node.facts - 1]) if node.facts else 0
        if end <= 0 or any(network.times.get(key, 0) >= end for key in ends):
            yield network
            return
        for key in ends:
            longer = network.copy()
            if longer.add([(ORIGIN, key, end)]):
                yield longer

    def _time(self, facts: Subject) -> int:
        return self.grid.units(facts.facts[0].time)

    # --- one more part -------------------------------------------------------------------------

    def after(self, node: Node, subject: Subject, part: Part, more: Sequence[Constraint] = ()) -> Node | None:
        """Return the node after one more part, or None where it cannot take place, or not with ``more`` constraints.

        The end of a step that does not run is all of it: it lasts 0, and both its parts read the situation before.
        """
        number, key = subject.number, (subject.number, part)
        running = dict(node.running)
        is_instant = part is Part.END and number not in running
        constraints = list(more)
        if part is Part.START:
            begun = self._begun(subject, node.at)
            if begun is None:
                return None
            constraints += begun[0]
            running[number] = begun[1]
        duration = running[number].duration if number in running else None
        if is_instant:
            if not self._may_last_zero(subject, node.at):
                return None
            duration = Fraction(0)
            constraints += [((number, Part.START), key, 0), (key, (number, Part.START), 0)]
        acts = [
            act
            for each in ((Part.START, part) if is_instant else (part,))
            for act in self.parts.planned(subject, each, node.at, duration)
        ]
        if is_instant and self.parts.interfere(*acts):
            return None
        after = self.parts.after(acts, node.at, duration)
        if after is None or (node.tied is not None and not self._mends(node, key, acts)):
            return None
        watched = node.watched
        if part is Part.START:
            watched = (*watched, (key, None, running[number].reads))
        elif part is Part.END and not is_instant:
            del running[number]
            start = (number, Part.START)
            watched = tuple((other, key if other == start else end, reads) for other, end, reads in watched)
        is_broken = self._broken(running, after) is not None
        constraints += self._ordered(node, subject, key, acts)
        if node.tied is not None:
            constraints += [(node.tied, key, 0), (key, node.tied, 0)]
        network = Network(node.times, node.constraints)
        if not network.add(constraints):
            return None
        if self.budget is not None:
            time = self.grid.time(max(network.times.values()))
            if not self.budget.covers(time, dict(after.values)):
                return None
        is_new = part not in (Part.END, Part.FACT) or is_instant
        passed = node.pending[: node.pending.index(number)] if number in node.pending else ()
        return replace(
            node,
            at=after,
            tied=key if is_broken else None,
            times=network.times,
            constraints=node.constraints | frozenset(constraints),
            pending=tuple(other for other in node.pending if other != number),
            postponed=node.postponed.union(passed),
            facts=node.facts + (part is Part.FACT),
            running=running,
            acts=(*node.acts, (key, acts)),
            watched=watched,
            inserted=(*node.inserted, subject) if is_new and number not in self.observed else node.inserted,
        )

    def _broken(self, running: Mapping[int, Running], at: State) -> Running | None:
        """Return the first durative step that runs while its invariant does not hold."""
        for other in running.values():
            if not self.parts.holds(self.parts.invariants(other.subject), other.subject, at, other.duration):
                return other
        return None

    def _mends(self, node: Node, key: Key, acts: list[Planned]) -> bool:
        """Return whether a part may help to restore the first invariant that is broken.

        Of the parts that restore it together, each comes next in some order of them.
        """
        broken = self._broken(node.running, node.at)
        assert broken is not None
        return key == (broken.subject.number, Part.END) or self.parts.disturbs(acts, broken.reads)

    def _may_last_zero(self, subject: Subject, at: State) -> bool:
        bounds = self.parts.bounds(subject, at)
        tolerance = self.grid.epsilon if subject.duration == 0 else Fraction(0)
        return bounds is not None and bounds.tolerate(Fraction(0), tolerance)

    def _begun(self, subject: Subject, at: State) -> tuple[list[Constraint], Running] | None:
        """Return the bounds of a duration, and what runs from now on; None where there is no duration."""
        bounds = self.parts.bounds(subject, at)
        if bounds is None:
            return None
        if not bounds.are_on(self.grid.scale):
            self.off_grid = f"'{subject.step}' has no least duration among the times that are searched"
        found = self.grid.durations(bounds, subject.duration)
        if found is None:
            return None
        (least, greatest), duration = found, None
        if self.parts.reads_duration(subject):
            if least != greatest:  # one of many: the observed one, or the nearest
                self.doubt = f"what '{subject.step}' does depends on its duration, and not all of them were tried"
                least = greatest = self.grid.nearest(subject.duration, least, greatest)
            duration = self.grid.time(least)
        start, end = (subject.number, Part.START), (subject.number, Part.END)
        constraints: list[Constraint] = [(start, end, least)]
        if greatest is not None:
            constraints.append((end, start, -greatest))
        return constraints, Running(subject, duration, self.parts.reads_of_invariants(subject))

    def _ordered(self, node: Node, subject: Subject, key: Key, acts: list[Planned]) -> list[Constraint]:
        """Return what a new part must come after."""
        found: list[Constraint] = []
        if subject.facts:
            time = self._time(subject)
            found += [(ORIGIN, key, time), (key, ORIGIN, -time)]
        for other, others in node.acts:
            if any(self.parts.interfere(one, each) for one in others for each in acts):
                found.append((other, key, self.grid.apart))
            elif self.parts.has_axioms:
                found.append((other, key, 0))
        for start, end, reads in node.watched:
            if start[0] != subject.number and self.parts.disturbs(acts, reads):
                found += self._watched(node, start, end, reads, key)
        if key[1] is Part.START:
            found += self._disturbing(node, self.parts.reads_of_invariants(subject), key)
        return found

    def _watched(self, node: Node, start: Key, end: Key | None, reads: Reads, key: Key) -> Iterator[Constraint]:
        """Yield where a part stands that changes what an invariant reads: after the action, or inside.

        Inside, it comes after the others that do, even if they do not interfere: the invariant holds in this order.
        """
        if end is not None:
            yield end, key, 0
            return
        yield start, key, 0
        yield key, (start[0], Part.END), 0
        yield from self._disturbing(node, reads, key)

    def _disturbing(self, node: Node, reads: Reads, key: Key) -> Iterator[Constraint]:
        for other, others in node.acts:
            if other != key and self.parts.disturbs(others, reads):
                yield other, key, 0
