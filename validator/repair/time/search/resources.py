"""Steps that cannot overlap because they hold something that there is one of: how long they take in a row.

An atom is a *resource* where whatever may add it is a durative step that needs it at its start, deletes it there, and
adds it at its end alone (``handfree`` of the match cellar). While one of these steps runs the atom is false, as only
its own end adds it. So they follow each other, epsilon apart: an end adds what the next start reads.

A *landmark* is a set of steps of which one must start from now on (Helmert and Domshlak 2009): those that may make true
an atom that is wanted, false now, and that nothing under way will make true. What all of these need is wanted as well.
Landmarks that have no step in common, and only steps that hold one resource, take at least as long as the shortest step
of each, one after the other, from when the resource is free and the first of them can start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set

from validator.grounding.limits import checked
from validator.model.temporal import When
from validator.model.values import GroundAtom
from validator.reading.plan import Step
from validator.records import dataclass
from validator.repair.time.search.bounds import Relaxed
from validator.repair.time.search.nodes import Node
from validator.repair.time.search.parts import Parts, Subject

__all__ = ["Resources"]


@dataclass(frozen=True, slots=True)
class _Landmark:
    """Steps of which one must start, what all of them need, and how long they last at least."""

    steps: frozenset[Step]
    needs: frozenset[GroundAtom]
    least: int


class Resources:
    """The resources of a model, and what they say of plans beyond a node.

    ``steps`` are all that may take place, ``least`` how long they last at least; ``others`` are atoms that something
    else may add, ``free`` predicates of atoms that may become true at any time. Raises TimeoutError as soon as
    ``is_over`` says so.
    """

    def __init__(
        self,
        parts: Parts,
        steps: Mapping[Step, Relaxed],
        least: Mapping[Step, int],
        others: Set[GroundAtom],
        free: Set[str],
        apart: int,
        is_over: Callable[[], bool],
    ) -> None:
        self.steps, self.least = steps, least
        self.apart = apart
        self.others, self.free = others, free
        self._adders: dict[GroundAtom, set[Step]] = {}
        holders: dict[GroundAtom, set[Step]] = {}
        for step, relaxed in checked(steps.items(), is_over):
            for atom in relaxed.adds:
                self._adders.setdefault(atom, set()).add(step)
            for atom in _held(parts, Subject(number=0, step=step)):
                holders.setdefault(atom, set()).add(step)
        self.users = {
            atom: frozenset(held)
            for atom, held in sorted(holders.items())
            if atom not in others and atom[0] not in free and self._adders[atom] <= held
        }
        self._landmarks: dict[GroundAtom, _Landmark] = {}

    def _landmark(self, atom: GroundAtom) -> _Landmark:
        """Return the steps that may add an atom."""
        found = self._landmarks.get(atom)
        if found is None:
            steps = frozenset(self._adders.get(atom, ()))
            needs = [self.steps[step].needs for step in steps]
            least = min((self.least[step] for step in steps), default=0)
            found = _Landmark(steps, frozenset.intersection(*needs) if needs else frozenset(), least)
            self._landmarks[atom] = found
        return found

    def end(
        self, node: Node, wanted: Iterable[GroundAtom], coming: Set[GroundAtom], first: Callable[[Step], int | None]
    ) -> int:
        """Return when a plan beyond a node ends at the earliest, in units of the grid; 0 where nothing is known.

        ``wanted`` must hold at the end, ``coming`` is what holds and what the ends of running steps may add, ``first``
        says when a step can start.
        """
        if not self.users:
            return 0
        landmarks = sorted(self._to_start(wanted, coming), key=lambda found: -found.least)
        return max((self._row(node, users, landmarks, first) for users in self.users.values()), default=0)

    def _to_start(self, wanted: Iterable[GroundAtom], coming: Set[GroundAtom]) -> Iterator[_Landmark]:
        waiting, seen = list(wanted), set[GroundAtom]()
        while waiting:
            atom = waiting.pop()
            if atom in seen or atom in coming or atom in self.others or atom[0] in self.free:
                continue
            seen.add(atom)
            found = self._landmark(atom)
            waiting += found.needs
            yield found

    def _row(
        self, node: Node, users: frozenset[Step], landmarks: list[_Landmark], first: Callable[[Step], int | None]
    ) -> int:
        """Return when the landmarks that hold a resource are over, one after the other."""
        taken, lasting = set[Step](), list[int]()
        for landmark in landmarks:
            if landmark.steps and landmark.steps <= users and taken.isdisjoint(landmark.steps):
                taken |= landmark.steps
                lasting.append(landmark.least)
        if not lasting:
            return 0
        starts = [start for start in map(first, taken) if start is not None]
        names = {subject.number: subject.step for subject in node.inserted}
        free = [time + self.apart for (number, _), time in node.times.items() if names.get(number) in users]
        return max(min(starts, default=0), *free, 0) + sum(lasting) + (len(lasting) - 1) * self.apart


def _held(parts: Parts, subject: Subject) -> set[GroundAtom]:
    """Return the atoms that a durative step takes at its start and gives back at its end."""
    if parts.durative(subject) is None:
        return set()
    taken = parts.needs(subject, When.START) & parts.deletes_for_sure(subject, When.START)
    return (taken & parts.adds(subject, When.END)) - parts.adds(subject, When.START)
