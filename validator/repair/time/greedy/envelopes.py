"""What holds only while a step runs, and for how long: the light of a match that burns.

Such an atom is made true by starts alone, all of which make it false again at their ends. A step that needs it as long
as it lasts needs a step that runs longer, of which enough is left (the envelopes of Coles et al. 2008). The relaxation,
which knows no time, is told by atoms of its own: that something holds for a number of units of time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import inf

from validator.execution.time.metric import changed_functions
from validator.grounding.limits import checked
from validator.grounding.numbers.states import GroundStep
from validator.model.conditions import ground
from validator.model.values import And, Atom, GroundAtom, Literal, functions_of
from validator.reading.plan import Step
from validator.records import replace
from validator.repair.time.greedy.clock import Clock
from validator.repair.time.greedy.snap_actions import changed_by, durations, end_of
from validator.repair.time.greedy.states import Moments

__all__ = ["LASTS", "Lasting", "ended"]

LASTS = "%lasts"
"""no name of PDDL begins like this"""


class Lasting:
    """What holds while steps run, of some ground steps of a model over time; TimeoutError when it is over."""

    def __init__(self, moments: Moments, steps: Sequence[Step], is_over: Callable[[], bool]) -> None:
        self.moments = moments
        durative = [step for step in steps if step.name in moments.timed.domain.durative]
        bounds = {step: self._bounds(step) for step in checked(durative, is_over)}
        brought = {step: self._added(step) & moments.undone(end_of(step)) for step in checked(durative, is_over)}
        passing = set[GroundAtom]().union(*brought.values()) - moments.start.atoms
        for step in checked((*steps, *(fact for _, fact in moments.facts())), is_over):
            for part in moments.parts(step):
                passing -= self._added(part) - (brought.get(part) or set())
        wanted: dict[GroundAtom, set[int]] = defaultdict(set)
        self._needs: dict[Step, list[Atom]] = {}
        for step, (least, _) in bounds.items():
            asked = (moments.invariant(end_of(step)) & passing) - brought[step]
            self._needs[step] = [_lasts(atom, least) for atom in asked]
            for atom in asked:
                wanted[atom].add(least)
        self._brings: dict[Step, list[Literal]] = {}
        self._left: dict[Step, list[tuple[int, GroundAtom]]] = {}
        for step, (_, greatest) in bounds.items():
            found = [(units, _lasts(atom, units)) for atom in brought[step] & passing for units in wanted[atom]]
            self._brings[step] = [Literal(atom) for units, atom in found if units <= greatest]
            self._brings[end_of(step)] = [Literal(ended(step))]
            if found:
                self._left[end_of(step)] = [(units, ground(atom, {})) for units, atom in found]

    def _added(self, step: Step) -> set[GroundAtom]:
        """Return the atoms that a start, an end, or something else may make true."""
        snap = self.moments.ground(step)
        changes = changed_by(self.moments.model, snap.action.effects, snap.binding)
        return {atom for atom, comes_to_hold in changes if comes_to_hold}

    def _bounds(self, step: Step) -> tuple[int, float]:
        """Return how long a durative step lasts at least and at most, as far as that never changes."""
        model, moments = self.moments.timed, self.moments
        limits = model.domain.durative[step.name].durations
        read = {name for limit in limits for name in functions_of(limit.bound)}
        if not read.isdisjoint(changed_functions(model)):
            return 0, inf
        between = durations(model, moments.ground(step), moments.situation(moments.start), moments.grid)
        least, greatest = between or (0, None)
        return least, inf if greatest is None else greatest

    def told(self, snap: GroundStep) -> GroundStep:
        """Return a snap with what it needs and brings about for so long, and an end with the atom that says so."""
        action, needs, brings = snap.action, self._needs.get(snap.step, ()), self._brings.get(snap.step, ())
        if not needs and not brings:
            return snap
        precondition, effects = And((action.precondition, *needs)), (*action.effects, *brings)
        return replace(snap, action=replace(action, precondition=precondition, effects=effects))

    def holding(self, clock: Clock) -> frozenset[GroundAtom]:
        """Return what still holds for so long, as far as what runs may last."""
        ends = ((self._left.get(end, ()), left) for end, left in clock.greatest())
        return frozenset(atom for lasting, left in ends for units, atom in lasting if units <= left)


def ended(step: Step) -> Atom:
    """Return the atom that the relaxation brings about by ending a durative step, and by nothing else."""
    return Atom(LASTS, (step.name, *step.args))


def _lasts(atom: GroundAtom, units: int) -> Atom:
    return Atom(LASTS, (str(units), *atom))
