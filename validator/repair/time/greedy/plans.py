"""Plans over time that are there soon, and in which steps may overlap: starts and ends at their earliest times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from validator.execution.time.acts.happening import Part
from validator.execution.time.acts.interference import Reads
from validator.grounding.limits import Limits, checked
from validator.model.values import And, Formula, GroundAtom, Model
from validator.reading.plan import Step
from validator.repair.time.greedy.search import Overlapping
from validator.repair.time.greedy.snap_actions import changed_by, whole_of
from validator.repair.time.greedy.states import Moments
from validator.repair.time.grid import Grid
from validator.repair.time.search.network import ORIGIN, Constraint, Key, Network

__all__ = ["OverlappingPlans", "greedy_plan"]


def greedy_plan(
    model: Model, grid: Grid, steps: Sequence[Step], observed: Sequence[Step] = (), *, with_goal: bool, limits: Limits
) -> tuple[Step, ...] | None:
    """Return a plan of a model, likely to keep most of an observed one in order of time; None where none is found."""

    def is_over() -> bool:
        return not limits.seconds

    goal, moments = model.problem.goal if with_goal else And(()), Moments(model, grid)
    try:
        steps = _relevant(moments, steps, goal, [_bare(step) for step in observed], is_over)
        return OverlappingPlans(moments, steps, goal, is_over).plan(observed)
    except TimeoutError:
        return None


class OverlappingPlans:
    """The greedy search for plans of a model over time in which steps may overlap.

    ``is_over`` ends everything: the preparation with a TimeoutError.
    """

    def __init__(self, moments: Moments, steps: Sequence[Step], goal: Formula, is_over: Callable[[], bool]) -> None:
        self.moments, self.grid = moments, moments.grid
        self.search = Overlapping(moments, steps, goal, is_over)

    def plan(self, observed: Sequence[Step] = ()) -> tuple[Step, ...] | None:
        """Return a plan, if one is found; where a plan is observed, one that is likely to keep most of it."""
        plan = self.search.near(self._parts(observed)) if observed else self.search.whole()
        return None if plan is None else self._with_times(plan)

    def _parts(self, steps: Iterable[Step]) -> list[Step]:
        """Return the starts, the ends and the timed facts of a plan in order of time; at one time ends come first."""
        found = [(time, 1, fact) for time, fact in self.moments.facts()]
        time = Fraction(0)
        for step in steps:
            time = time if step.time is None else step.time
            parts = self.moments.parts(_bare(step))
            found.append((time, 2, parts[0]))
            found += ((time + (step.duration or 0), 0 if step.duration else 3, end) for end in parts[1:])
        return [part for _, _, part in sorted(found, key=lambda entry: entry[:2])]

    # --- times ---------------------------------------------------------------------------------

    def _with_times(self, plan: Sequence[Step]) -> tuple[Step, ...] | None:
        """Return the steps of starts and ends, at the earliest times; None where the starts and ends do not execute."""
        moments, durative = self.moments, self.moments.timed.domain.durative
        facts = {step: self.grid.units(time) for time, step in moments.facts()}
        state, last = moments.start, ORIGIN
        constraints, started, begun = list[Constraint](), list[tuple[Step, Key]](), dict[Step, int]()
        for number, step in enumerate(plan):
            lagged = moments.lagged(state, moments.situation(state), moments.ground(step))
            if lagged is None:
                return None
            state, _, lag = lagged
            key = number, Part.WHOLE
            if step in facts:
                key = number, Part.FACT
                constraints += ((ORIGIN, key, facts[step]), (key, ORIGIN, -facts[step]))
            elif step != whole_of(step):
                key = begun.pop(whole_of(step)), Part.END
            elif step.name in durative:
                begun[step], key, end = number, (number, Part.START), (number, Part.END)
                constraints.append((key, end, lag.least))
                constraints += () if lag.greatest is None else ((end, key, -lag.greatest),)
            if key[1] in (Part.START, Part.WHOLE):
                started.append((step, key))
            constraints.append((last, key, lag.gap))
            last = key
        network = Network()
        if not network.add(constraints):
            return None
        return tuple(self._timed_step(network, step, key) for step, key in started)

    def _timed_step(self, network: Network, step: Step, key: Key) -> Step:
        start = network.times[key]
        lasts = network.times[key[0], Part.END] - start if key[1] is Part.START else None
        duration = None if lasts is None else self.grid.time(lasts)
        return Step(name=step.name, args=step.args, time=self.grid.time(start), duration=duration)


def _bare(step: Step) -> Step:
    return Step(name=step.name, args=step.args)


# --- the steps that matter ---------------------------------------------------------------------


def _relevant(
    moments: Moments, steps: Sequence[Step], goal: Formula, observed: Iterable[Step], is_over: Callable[[], bool]
) -> list[Step]:
    """Return the steps that a plan for a goal, or one that keeps to observed steps, may need; all with axioms.

    Raises TimeoutError when it is over.
    """
    if moments.model.domain.axioms:
        return list(steps)
    parts = {step: [moments.ground(part) for part in moments.parts(step)] for step in checked(steps, is_over)}
    changing: dict[GroundAtom, list[Step]] = {}
    for step, snaps in parts.items():
        for snap in snaps:
            for key, _ in changed_by(moments.model, snap.action.effects, snap.binding):
                changing.setdefault(key, []).append(step)
    wanted = Reads()
    wanted.add(moments.model, {}, goal)
    found = set(observed)
    waiting = list(wanted.atoms | wanted.values | {key for step in found for key in _read(moments, step)})
    seen = set(waiting)
    while waiting:
        for step in changing.get(waiting.pop(), ()):
            if step not in found:
                found.add(step)
                new = _read(moments, step) - seen
                seen |= new
                waiting += new
    return [step for step in parts if step in found]


def _read(moments: Moments, step: Step) -> set[GroundAtom]:
    reads = Reads()
    for part in moments.parts(step):
        snap = moments.ground(part)
        reads.add(moments.model, snap.binding, snap.action.precondition)
        reads.add_effects(moments.model, snap.binding, snap.action.effects)
    return reads.atoms | reads.values
