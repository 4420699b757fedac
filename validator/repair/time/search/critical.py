"""How long a plan takes at least: the longest chain of steps that need each other, when nothing is ever in the way.

Nothing is deleted, all comparisons of numbers come out as they should, everything takes place at once that can, and
every atom comes about on the quickest way by itself: h1 for time (Haslum and Geffner 2001). No plan is quicker whose
durations are within the bounds of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import floor

from validator.execution.time.acts.happening import Part
from validator.execution.time.metric import changed_functions
from validator.grounding.limits import checked
from validator.model.temporal import When
from validator.model.values import Formula, GroundAtom, Literal, Model, functions_of
from validator.reading.plan import Step
from validator.records import dataclass
from validator.repair.time.grid import Grid
from validator.repair.time.search.node import Node
from validator.repair.time.search.parts import Parts, Subject, needs
from validator.repair.time.search.resources import Holding, Resources

__all__ = ["Critical"]


@dataclass(frozen=True, slots=True)
class _Chained:
    """What a step needs at its start, inside and at its end, what it adds then, and how long it lasts at least."""

    at_start: frozenset[GroundAtom]
    inside: frozenset[GroundAtom]
    at_end: frozenset[GroundAtom]
    adds_first: frozenset[GroundAtom]
    adds_last: frozenset[GroundAtom]
    least: int


class Critical:
    """The bound for one model: ``end`` says when the goal holds at the earliest, in units of the grid.

    Both raise TimeoutError as soon as ``is_over`` says so.
    """

    def __init__(
        self, parts: Parts, grid: Grid, steps: Sequence[Step], goal: Formula, is_over: Callable[[], bool]
    ) -> None:
        self.parts = parts
        self.is_over = is_over
        self.model: Model = parts.model
        self.grid = grid
        self.apart = 0 if parts.model.problem.is_from_up else floor(grid.epsilon * grid.scale)
        self.free = self._free()
        self.goal = self._known(needs(goal, {}))
        self.steps = {step: self._chained(Subject(number=0, step=step)) for step in checked(steps, is_over)}
        self._resources: Resources | None = None

    def _free(self) -> frozenset[str]:
        """Return the predicates that may become true at any time.

        These are derived ones, and those of events, of what actions do between their start and their end, or after it,
        and of timed effects that depend on the state.
        """
        found, domain = set(self.parts.closure.predicates), self.model.domain
        waiting = [effect for event in domain.events for effect in event.effects]
        waiting += [e for action in domain.durative.values() for inner in action.inner for e in inner.effects]
        waiting += [fact.effect for fact in self.model.problem.timed if not fact.is_fixed]
        while waiting:
            effect = waiting.pop()
            if isinstance(effect, Literal):
                found.add(effect.atom.predicate)
            waiting += getattr(effect, "effects", ())
        return frozenset(found)

    def _known(self, atoms: Iterable[GroundAtom]) -> frozenset[GroundAtom]:
        return frozenset(atom for atom in atoms if atom[0] not in self.free)

    def _chained(self, subject: Subject) -> _Chained:
        parts = self.parts
        if parts.durative(subject) is None:
            wanted, adds = self._known(parts.needs(subject)), frozenset(parts.adds(subject))
            return _Chained(wanted, frozenset(), frozenset(), adds, frozenset(), 0)
        inside, at_end = (self._known(parts.needs(subject, when)) for when in (When.ALL, When.END))
        return _Chained(
            self._known(parts.needs(subject, When.START)),
            inside,
            at_end,
            frozenset(parts.adds(subject, When.START)),
            frozenset(parts.adds(subject)),
            self._least(subject),
        )

    def _least(self, subject: Subject) -> int:
        """Return the least duration of a step in whatever situation; 0 where it depends on one."""
        action = self.parts.durative(subject)
        assert action is not None
        changed = changed_functions(self.model)
        if any(functions_of(limit.bound) & changed for limit in action.durations):
            return 0
        bounds = self.parts.bounds(subject, self.parts.initial())
        return 0 if bounds is None else max(0, floor(bounds.least * self.grid.scale))

    # --- the bound -----------------------------------------------------------------------------

    def end(self, node: Node, facts: Sequence[Subject]) -> int | None:
        """Return when the goal holds at the earliest in a plan beyond a node; None where it cannot come to hold.

        ``facts`` are the groups of timed facts of the model.
        """
        true = self._true(node)
        for group in facts[node.facts :]:
            time = floor(group.facts[0].time * self.grid.scale)
            for act in self.parts.planned(group, Part.FACT, node.at, None):
                for atom in act.update.adds:
                    true[atom] = min(true.get(atom, time), time)
        begun: list[tuple[int, _Chained]] = []
        for number, running in node.running.items():
            assert running.subject.step is not None
            begun.append((node.times[number, Part.END], self.steps[running.subject.step]))
        self._close(true, begun)
        if not self.goal <= true.keys():
            return None
        chain = max((true[atom] for atom in self.goal), default=0)
        return max(chain, self._in_rows(node, facts, true))

    def _in_rows(self, node: Node, facts: Sequence[Subject], true: Mapping[GroundAtom, int]) -> int:
        """Return when what must be done one after the other is over."""
        if self._resources is None:
            self._resources = self._held(node, facts)
        if not self._resources.users:
            return 0
        coming = set(node.at.atoms)
        for running in node.running.values():
            coming |= self.parts.adds(running.subject)
        return self._resources.end(node, self.goal, coming, lambda step: self._read(true, self.steps[step].at_start, 0))

    def _held(self, node: Node, facts: Sequence[Subject]) -> Resources:
        acts = (act for group in facts for act in self.parts.planned(group, Part.FACT, node.at, None))
        added = {atom for act in acts for atom in act.update.adds}
        holding = {
            step: Holding(found.at_start | found.inside | found.at_end, found.least)
            for step, found in self.steps.items()
        }
        return Resources(self.parts, holding, added, self.free, self.apart, self.is_over)

    def _true(self, node: Node) -> dict[GroundAtom, int]:
        """Return when each atom came to hold; what holds from the beginning can be read at 0."""
        true = dict.fromkeys(node.at.atoms, -self.apart)
        for key, acts in node.acts:
            for act in acts:
                for atom in act.update.adds & true.keys():
                    true[atom] = node.times.get(key, 0)
        return true

    def _close(self, true: dict[GroundAtom, int], begun: Sequence[tuple[int, _Chained]]) -> None:
        """Let everything take place at once, until nothing comes to hold earlier."""
        grown = True
        while grown:
            grown = False
            for end, step in begun:
                grown |= self._ended(true, step, end)
            for step in checked(self.steps.values(), self.is_over):
                start = self._read(true, step.at_start, 0)
                if start is None:
                    continue
                grown |= _added(true, step.adds_first, start)
                if step.inside <= true.keys():  # which may come about by a step that starts together with this one
                    grown |= self._ended(true, step, max((start, *map(true.__getitem__, step.inside))) + step.least)

    def _ended(self, true: dict[GroundAtom, int], step: _Chained, end: int) -> bool:
        """Let a step end, not before a time; return whether something comes to hold earlier by it."""
        read = self._read(true, step.at_end, end)
        return read is not None and _added(true, step.adds_last, read)

    def _read(self, true: Mapping[GroundAtom, int], atoms: frozenset[GroundAtom], least: int) -> int | None:
        """Return when atoms can be read together, not before a time: epsilon after they came to hold."""
        if not atoms <= true.keys():
            return None
        return max((least, *(true[atom] + self.apart for atom in atoms)))


def _added(true: dict[GroundAtom, int], atoms: frozenset[GroundAtom], time: int) -> bool:
    earlier = [atom for atom in atoms if true.get(atom, time + 1) > time]
    true.update(dict.fromkeys(earlier, time))
    return bool(earlier)
