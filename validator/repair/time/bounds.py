"""What plans beyond a node cost at least: steps dropped and inserted, what they add to the price, and time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import floor

from validator.execution.time.happening import Part
from validator.grounding.limits import checked
from validator.model.temporal import When
from validator.model.values import GroundAtom, Literal
from validator.reading.plan import Step
from validator.records import dataclass
from validator.repair.time.nodes import Node, Nodes
from validator.repair.time.parts import Parts, Subject, needs


@dataclass(frozen=True, slots=True)
class Relaxed:
    """What a step needs at its start, inside, at its end and in all, and what it may make true at its start and in all.

    A step without an end starts with all of it. What an invariant needs may come from a step that starts together with
    this one, and because of it.
    """

    at_start: frozenset[GroundAtom]
    inside: frozenset[GroundAtom]
    at_end: frozenset[GroundAtom]
    needs: frozenset[GroundAtom]
    first_adds: frozenset[GroundAtom]
    adds: frozenset[GroundAtom]

    @classmethod
    def of(cls, parts: Parts, subject: Subject) -> Relaxed:
        """Return the record of a step; atoms of free predicates are needed by nothing."""

        def needs(*whens: When) -> frozenset[GroundAtom]:
            return parts.bound_atoms(parts.needs(subject, *whens))

        lasts, first_adds = parts.durative(subject) is not None, frozenset(parts.adds(subject, When.START))
        inside, at_end = (needs(when) if lasts else frozenset[GroundAtom]() for when in (When.ALL, When.END))
        return cls(needs(When.START), inside, at_end, needs(), first_adds, frozenset(parts.adds(subject)))


def fewest_changes(
    start: Iterable[GroundAtom],
    steps: Iterable[Relaxed],
    insertable: Sequence[Relaxed],
    wanted: frozenset[GroundAtom],
    is_over: Callable[[], bool],
) -> int | None:
    """Return a number of steps dropped and inserted without which no plan is to be had; None where none is at all.

    ``steps`` are to come, ``wanted`` is what must hold at the end. The bound is that of the plan in which nothing is
    deleted, all comparisons of numbers come out as they should, and every atom is reached on the shortest way by itself
    (Bonet and Geffner 2001); a step that has started ends for nothing. Raises TimeoutError as soon as it is over.
    """
    reached, left, begun, waiting = set(start), list(steps), list[Relaxed](), list(insertable)
    changes = 0
    while True:
        left, begun = _closed(reached, left, begun, is_over)
        if wanted <= reached and (changes or not left):
            return changes  # the steps that are left may be dropped as well
        ready = [step for step in checked(waiting, is_over) if step.at_start <= reached]
        if not ready and not wanted <= reached:
            return None
        waiting = [step for step in waiting if not step.at_start <= reached]
        begun += ready
        changes += 1


def _closed(
    reached: set[GroundAtom], left: list[Relaxed], begun: list[Relaxed], is_over: Callable[[], bool]
) -> tuple[list[Relaxed], list[Relaxed]]:
    """Let all that is within reach start and end; return the steps that have not ended."""
    while True:
        before = len(reached), len(left), len(begun)
        for step in checked((*left, *begun), is_over):
            if step.at_start <= reached:
                reached |= step.first_adds
        left, begun = _unended(reached, left), _unended(reached, begun)
        if before == (len(reached), len(left), len(begun)):
            return left, begun


def _unended(reached: set[GroundAtom], steps: Iterable[Relaxed]) -> list[Relaxed]:
    left = []
    for step in steps:
        if step.needs <= reached:
            reached |= step.adds
        else:
            left.append(step)
    return left


def least_price(
    atoms: Iterable[GroundAtom], steps: Sequence[tuple[Relaxed, Fraction]], wanted: frozenset[GroundAtom]
) -> Fraction:
    """Return what steps add at least until all of some atoms hold, each reached on the cheapest way by itself."""
    cheapest = dict.fromkeys(atoms, Fraction(0))
    grown = True
    while grown:
        grown = False
        for step, price in steps:
            if not step.at_start <= cheapest.keys():
                continue
            total = price + max((cheapest[atom] for atom in step.at_start), default=Fraction(0))
            for atom in step.adds | step.first_adds:
                if atom not in cheapest or total < cheapest[atom]:
                    cheapest[atom], grown = total, True
    return max((cheapest.get(atom, Fraction(0)) for atom in wanted), default=Fraction(0))


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
        subjects = {step: Subject(number=0, step=step) for step in steps}
        self.steps = {step: Relaxed.of(self.parts, subjects[step]) for step in checked(steps, is_over)}
        self.least = {
            step: floor(self.parts.lasts(subjects[step]).least * self.grid.scale) for step in checked(steps, is_over)
        }
        self._adders: dict[GroundAtom, set[Step]] = {}
        """the steps that may add an atom"""
        self._landmarks: dict[GroundAtom, _Landmark] = {}
        holders: dict[GroundAtom, set[Step]] = {}
        for step, relaxed in checked(self.steps.items(), is_over):
            for atom in relaxed.adds:
                self._adders.setdefault(atom, set()).add(step)
            for atom in self._held(subjects[step]):
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
            _added(true, atoms, time)
        begun = [
            (node.times[number, Part.END], self.steps[running.subject.step])
            for number, running in node.running.items()
            if running.subject.step is not None
        ]
        self._close(true, begun)
        if not self.goal <= true.keys():
            return None
        return max((*(true[atom] for atom in self.goal), self._in_a_row(node, true)))

    def _true(self, node: Node) -> dict[GroundAtom, int]:
        """Return when each atom came to hold; what holds from the beginning can be read at 0."""
        true = dict.fromkeys(node.at.atoms, -self.apart)
        for key, acts in node.acts:
            for act in acts:
                for atom in act.update.adds & true.keys():
                    true[atom] = node.times.get(key, 0)
        return true

    def _close(self, true: dict[GroundAtom, int], begun: Sequence[tuple[int, Relaxed]]) -> None:
        """Let everything take place at once, until nothing comes to hold earlier."""
        grown = True
        while grown:
            grown = False
            for end, step in begun:
                grown |= self._ended(true, step, end)
            for name, step in checked(self.steps.items(), self.is_over):
                start = self._read(true, step.at_start, 0)
                if start is None:
                    continue
                grown |= _added(true, step.first_adds, start)
                if step.inside <= true.keys():  # which may come about by a step that starts together with this one
                    begin = max((start, *map(true.__getitem__, step.inside)))
                    grown |= self._ended(true, step, begin + self.least[name])

    def _ended(self, true: dict[GroundAtom, int], step: Relaxed, end: int) -> bool:
        """Let a step end, not before a time; return whether something comes to hold earlier by it."""
        read = self._read(true, step.at_end, end)
        return read is not None and _added(true, step.adds, read)

    def _read(self, true: Mapping[GroundAtom, int], atoms: frozenset[GroundAtom], least: int) -> int | None:
        """Return when atoms can be read together, not before a time: epsilon after they came to hold."""
        if not atoms <= true.keys():
            return None
        return max((least, *(true[atom] + self.apart for atom in atoms)))

    # --- in a row ------------------------------------------------------------------------------

    def _held(self, subject: Subject) -> set[GroundAtom]:
        """Return the atoms that a durative step takes at its start and gives back at its end, and nothing else does."""
        parts = self.parts
        if parts.durative(subject) is None:
            return set()
        taken = parts.needs(subject, When.START) & parts.deletes_for_sure(subject, When.START)
        held = (taken & parts.adds(subject, When.END)) - parts.adds(subject, When.START)
        return {atom for atom in held if atom[0] not in self.free and all(atom not in added for _, added in self.facts)}

    def _in_a_row(self, node: Node, true: Mapping[GroundAtom, int]) -> int:
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
                starts = (self._read(true, self.steps[step].at_start, 0) for step in taken)
                first = min((start for start in starts if start is not None), default=0)
                free = (time + self.apart for (number, _), time in node.times.items() if names.get(number) in users)
                begin = max((first, *free))
                longest = max(longest, begin + sum(lasting) + (len(lasting) - 1) * self.apart)
        return longest

    def _to_start(self, node: Node) -> Iterator[_Landmark]:
        """Yield the landmarks of plans beyond a node."""
        coming = set(node.at.atoms).union(*(self.parts.adds(running.subject) for running in node.running.values()))
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


def _added(true: dict[GroundAtom, int], atoms: frozenset[GroundAtom], time: int) -> bool:
    earlier = [atom for atom in atoms if true.get(atom, time + 1) > time]
    true.update(dict.fromkeys(earlier, time))
    return bool(earlier)
