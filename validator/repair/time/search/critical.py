"""How long a plan takes at least: the longest chain of steps that need each other, when nothing is ever in the way.

Nothing is deleted, all comparisons of numbers come out as they should, everything takes place at once that can, and
every atom comes about on the quickest way by itself: h1 for time (Haslum and Geffner 2001). No plan is quicker whose
durations are within the bounds of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import floor

from validator.execution.time.acts.happening import Part
from validator.execution.time.metric import changed_functions
from validator.grounding.limits import checked
from validator.model.values import Formula, GroundAtom, Model, changed_predicates, functions_of
from validator.reading.plan import Step
from validator.repair.time.grid import Grid
from validator.repair.time.search.bounds import Relaxed
from validator.repair.time.search.nodes import Node
from validator.repair.time.search.parts import Parts, Subject, needs
from validator.repair.time.search.resources import Resources

__all__ = ["Critical"]


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
        self.goal = frozenset(atom for atom in needs(goal, {}) if atom[0] not in self.free)
        subjects = {step: Subject(number=0, step=step) for step in steps}
        self.steps = {step: Relaxed.of(parts, subjects[step], self.free) for step in checked(steps, is_over)}
        self.least = {step: self._least(subjects[step]) for step in checked(steps, is_over)}
        self._resources: Resources | None = None

    def _free(self) -> frozenset[str]:
        """Return the predicates that may become true at any time.

        These are derived ones, and those of events, of what actions do between their start and their end, or after it,
        and of timed effects that depend on the state.
        """
        domain = self.model.domain
        effects = [effect for event in domain.events for effect in event.effects]
        effects += [e for action in domain.durative.values() for inner in action.inner for e in inner.effects]
        effects += [fact.effect for fact in self.model.problem.timed if not fact.is_fixed]
        return frozenset(self.parts.closure.predicates | changed_predicates(effects))

    def _least(self, subject: Subject) -> int:
        """Return the least duration of a step in whatever situation; 0 where it depends on one."""
        action, changed = self.parts.durative(subject), changed_functions(self.model)
        if action is None or any(functions_of(limit.bound) & changed for limit in action.durations):
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
        begun = [
            (node.times[number, Part.END], self.steps[running.subject.step])
            for number, running in node.running.items()
            if running.subject.step is not None
        ]
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
        return Resources(self.parts, self.steps, self.least, added, self.free, self.apart, self.is_over)

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
                    grown |= self._ended(
                        true, step, max((start, *map(true.__getitem__, step.inside))) + self.least[name]
                    )

    def _ended(self, true: dict[GroundAtom, int], step: Relaxed, end: int) -> bool:
        """Let a step end, not before a time; return whether something comes to hold earlier by it."""
        read = self._read(true, step.at_end, end)
        return read is not None and _added(true, step.adds, read)

    def _read(self, true: Mapping[GroundAtom, int], atoms: frozenset[GroundAtom], least: int) -> int | None:
        """Return when atoms can be read together, not before a time: epsilon after they came to hold."""
        if not atoms <= true.keys():
            return None
        return max((least, *(true[atom] + self.apart for atom in atoms)))


def _added(true: dict[GroundAtom, int], atoms: frozenset[GroundAtom], time: int) -> bool:
    earlier = [atom for atom in atoms if true.get(atom, time + 1) > time]
    true.update(dict.fromkeys(earlier, time))
    return bool(earlier)
